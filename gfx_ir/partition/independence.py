"""Independence of rows: proven from the ops of a program that no row of a result hangs on another row of the batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..copies import copy_program
from ..errors import GfxError
from ..graph import Node, Value
from ..host import Dim, Expr
from ..infer import retype
from ..infer.walk import Site, Walk
from ..op import Trait
from ..passes import Context, Decompose
from ..program import Program
from ..runtime.device import Device
from ..runtime.transfer import holder
from ..trees import leaves, tree_map
from ..types import LogicalTensor

ROWS = Dim("rows", 1)


class Rows:
    """What is known of the rows of a program's results, for arguments that have them at the positions `at`; found once for each
    signature."""

    def __init__(self, program: Program, at: Collection[int], devices: Sequence[Device]) -> None:
        self.program, self.at, self.devices = program, frozenset(at), devices
        self._found: dict[Any, tuple[str, list[bool]]] = {}

    def proof(self, args: Sequence[Any]) -> tuple[str, list[bool]]:
        """("" or why rows may hang on each other, for each leaf of the result whether its first axis is that of rows)."""
        key = tuple([self._key(at, x) for at, x in enumerate(args)])
        found = self._found.get(key)
        if found is None:
            known = [holder(x, self.devices) for x in args]
            types = [home.type_of(x) if home is not None else x for home, x in zip(known, args)]
            own = [t.with_(dims=(ROWS, *(t.dims or ())[1:])) if at in self.at else t for at, t in enumerate(types)]
            found = self._found[key] = _proof(self.program, own)
        return found

    def _key(self, at: int, x: Any) -> Any:
        return (x.shape[at in self.at :], str(x.dtype)) if hasattr(x, "shape") else (type(x), x)


def _proof(program: Program, types: Sequence[Any]) -> tuple[str, list[bool]]:
    """("" or why not, for each leaf of the result whether its first axis is that of rows)."""
    typed = copy_program(program)
    for value, type_ in zip(typed.entry.placeholders, types):
        value.type = type_ if value.is_tensor == isinstance(type_, LogicalTensor) else None
    try:
        retype(typed)
        Decompose().run(typed, Context())
        site = Walk(typed, typed.promotion).run(typed.entry)
    except GfxError as error:
        return error.what, []
    why = _graph(site)
    results = list(leaves(site.result))
    mixed = [type_ for type_ in results if not _leading(type_) and _has_rows(type_)]
    return why or ("a result has the rows elsewhere than in front" if mixed else ""), [
        _leading(type_) for type_ in results
    ]


def _graph(site: Site) -> str:
    """Why rows of what a graph computes may hang on each other, with the place; "": they do not."""
    for node in site.graph or ():
        inner = site.children.get(node)
        if inner:
            why = next((found for child in inner if (found := _graph(child))), "")
        else:
            why = _node(node, site)
            why = f"{node.op.name}: {why}" + (f" [{node.span.place()}]" if node.span else "") if why else ""
        if why:
            return why
    return ""


def _node(node: Node, site: Site) -> str:
    """Why rows of a node's results may hang on other rows; "": they do not."""
    if node.op.control is not None:
        tensors = [value for value in node.values if value.is_tensor]
        return "it is known at the run alone" if any(_has_rows(site.env[value]) for value in tensors) else ""
    typed = [tree_map(lambda leaf: site.env.get(leaf, leaf) if type(leaf) is Value else leaf, arg) for arg in node.args]
    args = dict(zip(node.op.params, typed))
    taken = [leaf for leaf in leaves(tuple(args.values())) if isinstance(leaf, LogicalTensor) and _has_rows(leaf)]
    if not taken and not any(_has_rows(site.env[value]) for value in node.values):
        return ""
    given = [site.env[value] for value in node.values]
    if not all(map(_leading, (*taken, *given))):
        return "the rows are not the first axis of all that it takes and gives"
    traits, op = node.op.traits, node.op
    if traits & (Trait.ELEMENTWISE | Trait.CASTS | Trait.ASKS):
        broadcast = not taken or all(_rank(t) == _rank(given[0]) for t in taken)
        return (
            "" if broadcast or not traits & Trait.ELEMENTWISE else "operands of fewer axes are broadcast along the rows"
        )
    if traits & (Trait.IN_ORDER | Trait.PERMUTES):  # there is one axis of rows, before and behind
        return ""
    if op.contraction is not None:
        return "" if all(_rank(t) > 1 for t in taken) and _factors(op, args) else "it sums over the rows"
    if (
        op.index
        and type(args[op.index]) is tuple
        and args[op.index][:1] == (slice(None),)
        and not _tensors(args[op.index])
    ):
        return ""
    if op.index and not any(_has_rows(arg) for name, arg in args.items() if name != op.index):
        return ""
    if traits & Trait.AXES and "axis" in args and args["axis"] is not None:
        rank = _rank(taken[0])
        axes = args["axis"] if isinstance(args["axis"], tuple) else (args["axis"],)
        return "" if all(type(axis) is int and axis % rank != 0 for axis in axes) else "it goes along the rows"
    return "nothing tells that its rows are independent"


def _rank(type_: Any) -> int:
    return len(type_.dims or ())


def _tensors(tree: Any) -> bool:
    return any(isinstance(leaf, LogicalTensor) for leaf in leaves(tree))


def _factors(op: Any, args: Mapping[str, Any]) -> bool:
    """Whether the rows are those of the first factor, or of all factors of more than two axes."""
    first, *others = op.contraction.factors
    with_rows = [name for name in (first, *others) if _has_rows(args[name])]
    return with_rows == [first] or all(
        isinstance(args[n], LogicalTensor) and len(args[n].dims or ()) > 2 for n in with_rows
    )


def _has_rows(type_: Any) -> bool:
    if isinstance(type_, LogicalTensor):
        return type_.dims is None or any(type(dim) is not int for dim in type_.dims)
    return isinstance(type_, (Dim, Expr))


def _leading(type_: Any) -> bool:
    """Whether the first axis is that of rows, and no other size hangs on them."""
    if not isinstance(type_, LogicalTensor):
        return False
    return bool(type_.dims) and type_.dims[0] == ROWS and all(type(dim) is int for dim in type_.dims[1:])  # type: ignore[index]
