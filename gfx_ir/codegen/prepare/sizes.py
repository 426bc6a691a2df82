"""Sizes that hang on data, which a tracing compiler cannot have: a tensor as the bound of a slice, or in a shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...dtypes import float32
from ...errors import GfxError
from ...graph import Graph, Node, Value
from ...rules import infer
from ...trees import leaves, tree_map
from ...types import LogicalTensor
from ..style import Style
from .precision import refused

_PROBED = frozenset(("create", "shape"))
"""Families of ops whose arguments tell sizes: which of them do is asked of the shape rule."""
_PROBE = LogicalTensor(float32, (6, 6))
_REFUSED = (GfxError, TypeError, ValueError, IndexError)
_HINT = "mask with where, or loop to a bound that shapes tell, or run the code as PyTorch or NumPy source"


def check_sizes(graphs: Iterable[Graph], style: Style) -> None:
    """Raise UnsupportedConstruct where a size is only known when the compiled code runs."""
    for graph in graphs:
        for node in graph.walk():
            if any(map(_is_data, _bounds(node))) and not _keeps_shape(node):
                raise refused(node, style, "this slice", "whose bound is in a tensor", _HINT)
            if node.op.family in _PROBED and any(_tells_size(node, at) for at in range(len(node.args))):
                raise refused(node, style, "this size", "which is in a tensor", _HINT)


def _is_data(leaf: Any) -> bool:
    return type(leaf) is Value and leaf.is_tensor


def _bounds(node: Node) -> Iterator[Any]:
    """The ends of slices in the index of a node."""
    for arg in node.args[1:]:
        for item in arg if type(arg) is tuple else (arg,):
            if type(item) is slice:
                yield from (item.start, item.stop, item.step)


def _keeps_shape(node: Node) -> bool:
    """Whether the result has the shape of the first argument whatever the bounds are, as that of a write of a number has."""
    return _shape(node, 1, 2) == (_PROBE.dims,)


def _tells_size(node: Node, at: int) -> bool:
    """Whether the shape of the result hangs on what an argument holds: with other numbers in it there are other sizes."""
    if not any(map(_is_data, leaves(node.args[at]))):
        return False
    found = [_shape(node, at, number) for number in (2, 3)]
    return found[0] != found[1]


def _shape(node: Node, at: int, number: int) -> Any:
    def probe(leaf: Any) -> Any:
        return _PROBE if _is_data(leaf) else leaf

    args = [
        tree_map(lambda leaf: number if _is_data(leaf) else leaf, arg) if i == at else tree_map(probe, arg)
        for i, arg in enumerate(node.args)
    ]
    try:
        return tuple(type_.dims for type_ in infer(node.op, tuple(args), "jax") if isinstance(type_, LogicalTensor))
    except _REFUSED:
        return None
