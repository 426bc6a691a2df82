"""Overlap: a write in place that takes, through another view, elements which it writes itself. PyTorch raises, or what comes of it
hangs on the order in which the elements are written; NumPy copies first, as a graph does.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gfx_ir.build import HOST_OPERATORS
from gfx_ir.control import host_operator
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.host import Dim, Expr, atoms
from gfx_ir.host import evaluate as size_of
from gfx_ir.infer.flow import Flow
from gfx_ir.op import Trait, evaluate
from gfx_ir.rules import building
from gfx_ir.trees import leaves, tree_map

from ..heap.aliases import memory, share
from ..heap.chains import may_view
from ..interfaces import Capturing
from ..values.proxy import Proxy

_SIZES = range(33, 0, -1)  # of an axis whose size is open,
_ELEMENTS = 40_000  # if there are no more elements than these,
_RANKS = range(1, 5)  # and of an array whose rank is open
_NO_SUCH = (IndexError, ValueError, TypeError, ArithmeticError)


def refuse_overlap(tracer: Capturing, written: Proxy, index: Any, taken: Any) -> None:
    """Raise UnsupportedConstruct where one of the tensors that a write takes may be a view of other elements among those that it
    writes: the ones of `written`, at `index` (None: all of them)."""
    if written.backend is None or not written.backend.ordered_writes:
        return
    others = [x for x in leaves(taken) if type(x) is Proxy and x is not written and x.base is not None]
    others = [x for x in others if share(memory(x), memory(written))]
    if not others:
        return
    flow = Flow(tracer.graphs, tracer.functions.graphs)
    into = _ways(tracer, flow, written.read())
    for x in others:
        pairs = itertools.product(into, _ways(tracer, flow, x.read()))
        if any(one.base is other.base and _overlap(tracer, one, index, other) for one, other in pairs):
            what = "GFX cannot convert this write in place: it takes elements that it writes itself, through another view of them"
            raise UnsupportedConstruct(what, tracer.span(), "take a copy of what it takes first: x[0].clone()")


class _Way(NamedTuple):
    """What a tensor may be: what `views` show of a base, the outermost first; None: any part of it."""

    base: Value
    views: tuple[Value, ...] | None


def _ways(tracer: Capturing, flow: Flow, value: Value) -> list[_Way]:
    """The tensors whose memory a value may have, as tests and loops say, and the views by which it has it."""
    found: dict[_Way, None] = {}
    left: list[tuple[_Way, dict[Value, Any]]] = [(_Way(value, ()), {})]
    while left:
        (leaf, views), behind = left.pop()
        root = tracer.facts.root(leaf)
        if root in behind:
            if behind[root] == views:
                continue
            views = None  # a view of a view, once more with each trip
        behind = {**behind, root: views}
        source = flow.sources.get(root)
        if source is not None:
            left += [(_Way(x, views), behind) for x in source.leaves if type(x) is Value]
        elif root.node.args and type(root.node.args[0]) is Value and may_view(root, False):
            left.append((_Way(root.node.args[0], None if views is None else (root, *views)), behind))
        else:
            found[_Way(root, views)] = None
    return list(found)


Path = tuple[tuple[Value, ...], Any]


def _overlap(tracer: Capturing, written: _Way, index: Any, taken: _Way) -> bool:
    """Whether an element is taken for one place and written at another, for some shape that the base may have."""
    if written.views is None or taken.views is None:
        return True
    if not taken.views:
        return False
    into, out = (written.views, index), (taken.views, None)
    dims = tracer.record.told_dims(written.base)
    own: dict[Any, int] = {}
    for known in [dims] if dims is not None else [(None,) * rank for rank in _RANKS]:
        numbers = (_Numbers(tracer, written.base, known, shape, own) for shape in _shapes(known))
        overlaps = (_meets(of.shape, into, out, of.number) for of in numbers)
        if any(itertools.islice((found for found in overlaps if found is not None), 2)):
            return True
    return False


class _Numbers(NamedTuple):
    """Open numbers, where a base has a certain shape: those that are computed of its sizes are told by it, each other one is one of its own."""

    tracer: Capturing
    base: Value
    dims: tuple
    shape: tuple[int, ...]
    own: dict[Any, int]

    def number(self, leaf: Any) -> Any:
        """What stands for a leaf of an index."""
        if type(leaf) is not Value:
            return leaf
        if leaf.is_tensor:
            raise TypeError("which elements a tensor names is open")
        root = self.tracer.facts.root(leaf)
        if isinstance(root.type, (Dim, Expr)):
            sizes = {dim.name: size for dim, size in zip(self.dims, self.shape) if isinstance(dim, Dim)}
            if sizes.keys() >= {dim.name for dim in atoms(root.type)}:
                return size_of(root.type, sizes)
        node = root.node
        if node.op.traits & Trait.ASKS and self.tracer.facts.root(node.args[0]) is self.base:
            if node.op.traits & Trait.LENGTH:
                return self.shape[self.number(node.args[1])]
            if 1 < len(node.values) == len(self.shape):
                return self.shape[root.index - 1]
        compute = HOST_OPERATORS.get(host_operator(node) or "")
        if compute is not None:
            return compute(*tree_map(self.number, node.args[1]))
        return self.own.setdefault(self.tracer.facts.key(leaf), len(self.own) + 1)


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
        shape = tuple(dim if isinstance(dim, int) else size for dim in dims)
        if size == 1 or math.prod(shape) <= _ELEMENTS:
            yield shape
