"""Ranks where the capture knows no shapes: by construction, as np.arange(n) is a vector, or from the argument a tensor is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.host import Dim
from gfx_ir.op import active
from gfx_ir.rules import OPEN, UNKNOWN, infer
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

if TYPE_CHECKING:
    from .tracer import Tracer

_LIKE = frozenset((
    "index_put", "copy", "astype", "zeros_like", "ones_like", "full_like", "as_tensor", "sort", "flip", "roll",
))  # fmt: skip
"""Ops whose result has the rank of their first argument."""


_NUMBER = LogicalTensor(dims=())
_SIZE = Dim("n")


def number(value: Any) -> None:
    """Note that a value stands for a number of Python's."""
    if isinstance(value, Value):
        active.builder.made_types[value] = _NUMBER


def rank(value: Any) -> int | None:
    """The rank of a value, where the ops that made it tell."""
    return made_type(value).rank if isinstance(value, Value) else 0


def deepen(conditions: Any) -> None:
    """Note that what would be a number under these conditions is none: the code indexes it."""
    for value, axes in conditions or ():
        if value is not None and axes is not None and len(conditions) == 1:
            active.builder.depths[value] = max(active.builder.depths.get(value, 0), axes + 1)


def is_mask(value: Value) -> bool:
    """Whether a tensor holds booleans, as far as the ops that made it tell."""
    element = made_type(value).dtype
    return element.kind == "b" if element is not None else active.builder.is_boolean(value)


def made_type(value: Value) -> LogicalTensor:
    """The type of a tensor, as far as the ops that made it tell."""
    builder: Tracer = active.builder
    value = builder.facts.root(value)
    found = builder.made_types
    waiting = [value]
    while waiting:
        top = waiting[-1]
        parts = [] if top in found or _given(top) else [builder.facts.root(leaf) for leaf in _tensors(top)]
        missing = [part for part in parts if part not in found]
        waiting += missing
        if not missing:
            waiting.pop()
            if top not in found:
                found[top] = _made(top)
    return found[value]


def _given(value: Value) -> bool:
    """Whether no op tells what a value is."""
    node = value.node
    return isinstance(value.type, LogicalTensor) or node.op.name in ("placeholder", "parameter") or bool(node.regions)


def _tensors(value: Value) -> list[Value]:
    return [leaf for leaf in leaves(value.node.args) if isinstance(leaf, Value) and leaf.is_tensor]


def _made(value: Value) -> LogicalTensor:
    builder: Tracer = active.builder
    if builder.scalars.get(value) == frozenset():
        return _NUMBER
    axes = rank(builder.rows_of[value]) if value in builder.rows_of and value.type is None else None
    if axes:
        return LogicalTensor(dims=(None,) * (axes - 1))
    if _given(value):
        return builder.type_of(value) or UNKNOWN
    try:
        types = infer(value.node.op, tree_map(_seen, value.node.args), builder.promotion)
    except GfxError:  # said where it is captured, if it is wrong at all
        return UNKNOWN
    made = types[value.index - 1]
    if not isinstance(made, LogicalTensor) or made.rank is None:
        return UNKNOWN
    return LogicalTensor(made.dtype, (None,) * made.rank)


def _seen(leaf: Any) -> Any:
    if not isinstance(leaf, Value):
        return leaf
    builder: Tracer = active.builder
    if leaf.is_tensor:
        return builder.made_types[builder.facts.root(leaf)]
    return _SIZE if leaf.kind == "int" else OPEN


def origin(value: Any) -> tuple[Value, int] | None:
    """The argument that a tensor has its rank from, and how many axes that has more; None where it was made otherwise."""
    facts, more = active.builder.facts, 0
    value = facts.root(value)
    rows = active.builder.rows_of
    while isinstance(value, Value) and (value.node.op.name != "placeholder" or value in rows):
        node = value.node
        if value in rows:
            value, more = facts.root(rows[value]), more + 1
            continue
        if node.op.name == "getitem":
            taken = _integers(node.args[1])
            if taken is None:
                return None
            more += taken
        elif _drops_axis(node):
            more += 1
        elif node.op.name not in _LIKE and (node.op.family != "elementwise" or len(_tensors(value)) != 1):
            return None
        value = facts.root(next(leaf for leaf in leaves(node.args) if isinstance(leaf, Value) and leaf.is_tensor))
    return (value, more) if active.builder.is_argument(value) else None


def _drops_axis(node: Any) -> bool:
    """Whether an op reduces along one axis."""
    if node.op.family != "reduce" or not {"axis", "keepdims"} <= set(node.op.params):
        return False
    return type(node.arg("axis")) is int and not node.arg("keepdims")


def _integers(index: Any) -> int | None:
    """How many integers an index has beside slices; None where it has anything else."""
    items = index if type(index) is tuple else (index,)
    plain = [isinstance(i, slice) or i is ... or is_integer(i) for i in items]
    return sum(map(is_integer, items)) if all(plain) else None


def is_integer(item: Any) -> bool:
    """Whether an item of an index is one number, which a tensor may tell."""
    if not isinstance(item, Value):
        return type(item) is int
    if not item.is_tensor:
        return item.kind == "int"
    return rank(item) == 0 and not is_mask(item)
