"""Buckets: calls of many sizes share a few compilations, their batch padded to the next size of a bucket and the results cut again.

That is done only where it is proven from the ops that no result of a row hangs on another row: then padding changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..copies import copy_program
from ..errors import ArgumentError, GfxError
from ..graph import Node, Value
from ..host import Dim, Expr
from ..infer import retype
from ..infer.walk import Site, Walk
from ..op import Trait, lookup
from ..passes import Context, Decompose
from ..program import Program
from ..runtime.call import Call
from ..runtime.dispatch import Dispatch
from ..runtime.transfer import holder
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .frozen import Frozen

ROWS = Dim("rows", 1)


def power_of_two(size: int) -> int:
    """The next power of two."""
    return 1 << max(0, size - 1).bit_length()


RULES: Mapping[str, Callable[[int], int]] = {"exact": lambda size: size, "pow2": power_of_two}


class Bucketed:
    """`Bucketed(frozen, "pow2", rows=[0])(x)`: the arguments at the positions `rows` have one batch as their first axis.

    `sizes`: "exact", "pow2", or a function of a size that gives the bucket's. Where independence of rows is not proven (`why`
    tells for what node), every size is its own bucket.
    """

    def __init__(self, frozen: Frozen, sizes: str | Callable[[int], int], rows: Sequence[int]) -> None:
        rule = RULES.get(sizes) if isinstance(sizes, str) else sizes
        if rule is None:
            raise ArgumentError(
                f"there are no buckets {sizes!r}", hint=f"there are: {', '.join(RULES)}, or a function of a size"
            )
        self.frozen, self.rule, self.rows = frozen, rule, frozenset(rows)
        self._found: dict[Any, tuple[str, Any]] = {}

    def why(self, *args: Any) -> str:
        """Why calls of these types are not padded; "": they are."""
        return self._proof(args)[0]

    def __call__(self, *args: Any) -> Any:
        """The result. Raises ArgumentError where the arguments at `rows` have not one batch in common."""
        sizes = {args[at].shape[0] for at in self.rows}
        if len(sizes) != 1:
            raise ArgumentError(f"the arguments have no batch in common: {sorted(sizes)}")
        (size,) = sizes
        bucket = self.rule(size)
        if bucket < size:
            raise ArgumentError(f"a bucket of {bucket} rows does not hold {size}")
        if bucket == size or self._proof(args)[0]:
            return self.frozen.run(args, Call())
        padded = [self._resized(x, bucket) if at in self.rows else x for at, x in enumerate(args)]
        found = self.frozen.run(padded, Call())
        has_rows = iter(self._proof(args)[1])
        return tree_map(lambda x: self._cut(x, size) if next(has_rows) else x, found)

    def _proof(self, args: Sequence[Any]) -> tuple[str, Any]:
        key = tuple(
            [(x.shape[at in self.rows :], str(x.dtype)) if hasattr(x, "shape") else x for at, x in enumerate(args)]
        )
        found = self._found.get(key)
        if found is None:
            known = [holder(x, self.frozen.devices) for x in args]
            types = [home.type_of(x) if home is not None else x for home, x in zip(known, args)]
            own = [t.with_(dims=(ROWS, *(t.dims or ())[1:])) if at in self.rows else t for at, t in enumerate(types)]
            found = self._found[key] = _proof(self.frozen.plan.program, own)
        return found

    def _resized(self, x: Any, size: int) -> Any:
        """With the last row again, so often: numbers that the program takes anyway."""
        home = holder(x, self.frozen.devices)
        assert home is not None
        run = Dispatch(home).run
        take, count = lookup("take"), x.shape[0]
        index = home.from_host(_last_again(count, size))
        return run(take, take.bind(x, index, axis=0))

    def _cut(self, x: Any, size: int) -> Any:
        home = holder(x, self.frozen.devices)
        getitem = lookup("getitem")
        return x if home is None else Dispatch(home).run(getitem, getitem.bind(x, slice(None, size)))


def _last_again(count: int, size: int) -> np.ndarray:
    return np.minimum(np.arange(size), count - 1)


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
