"""Overlap: a write in place that takes, through another view, elements which it writes itself. PyTorch raises, or what comes of it
hangs on the order in which the elements are written; NumPy copies first, as a graph does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.op import evaluate
from gfx_ir.rules import building
from gfx_ir.trees import leaves, tree_map

from .chains import may_view
from .interfaces import Capturing
from .proxy import Proxy

_SIZES = range(33, 0, -1)  # of an axis whose size is open
_RANKS = range(1, 4)  # of an array whose rank is open
_NO_SUCH = (IndexError, ValueError, TypeError, ArithmeticError)


def refuse_overlap(tracer: Capturing, written: Proxy, index: Any, taken: Any) -> None:
    """Raise UnsupportedConstruct where one of the tensors that a write takes is a view of other elements among those that it writes:
    the ones of `written`, at `index` (None: all of them)."""
    if written.backend is None or not written.backend.ordered_writes:
        return
    root = _root(written)
    for x in leaves(taken):
        if type(x) is Proxy and x is not written and x.base is not None and _root(x) is root:
            (base, views), (other, path) = (_views(tracer, value) for value in (written.read(), x.read()))
            if other is base and path and _overlap(tracer, base, (views, index), (path, None)):
                what = "GFX cannot convert this write in place: it takes elements that it writes itself, through another view of them"
                raise UnsupportedConstruct(what, tracer.span(), "take a copy of what it takes first: x[0].clone()")


def _root(x: Proxy) -> Proxy:
    """The tensor that a view is a part of."""
    while type(x.base) is Proxy:
        x = x.base
    return x


def _views(tracer: Capturing, value: Value) -> tuple[Value, list[Value]]:
    """The tensor whose memory a value has, and the views by which it has it, the outermost first."""
    views, value = [], tracer.facts.root(value)
    while value.node.args and type(value.node.args[0]) is Value and may_view(value, False):
        views.append(value)
        value = tracer.facts.root(value.node.args[0])
    return value, views[::-1]


Path = tuple[list[Value], Any]


def _overlap(tracer: Capturing, base: Value, written: Path, taken: Path) -> bool:
    """Whether an element is taken for one place and written at another, for some shape that the base may have."""
    numbers: dict[Any, int] = {}

    def number(leaf: Any) -> Any:
        """An open number is one of its own."""
        if type(leaf) is not Value:
            return leaf
        if leaf.is_tensor:
            raise TypeError("which elements a tensor names is open")
        return numbers.setdefault(tracer.facts.key(leaf), len(numbers) + 1)

    dims = tracer.record.told_dims(base)
    for known in [dims] if dims is not None else [(None,) * rank for rank in _RANKS]:
        overlaps = (_meets(shape, written, taken, number) for shape in _shapes(known))
        if any(islice((found for found in overlaps if found is not None), 2)):
            return True
    return False


def _meets(shape: tuple[int, ...], written: Path, taken: Path, number: Callable[[Any], Any]) -> bool | None:
    """The same for one shape; None where the write does not fit it."""
    elements = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    try:
        into, out = (_elements(elements, path, number) for path in (written, taken))
        if written[1] is not None and not out.ndim:
            return False  # one number, which is read before any is written
        out = np.broadcast_to(out, into.shape)
    except _NO_SUCH:
        return None
    return bool((np.isin(out, into) & (out != into)).any())


def _elements(elements: np.ndarray, path: Path, number: Any) -> np.ndarray:
    """The elements of a base that views show."""
    with building(None):
        for view in path[0]:
            made = evaluate(view.node.op, (elements, *tree_map(number, view.node.args[1:])))
            elements = made[view.index - 1] if isinstance(made, tuple) else made
    return np.asarray(elements if path[1] is None else elements[tree_map(number, path[1])])


def _shapes(dims: tuple) -> Iterator[tuple[int, ...]]:
    """Shapes that stand for those that an array may have, the largest first: of few elements views may meet that else do not."""
    if all(isinstance(dim, int) for dim in dims):
        yield dims
        return
    for size in _SIZES:
        yield tuple(dim if isinstance(dim, int) else size for dim in dims)
