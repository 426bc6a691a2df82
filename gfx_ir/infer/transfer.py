"""Transfer functions: what an op gives, from what is known of its arguments.

Rank and dtype follow from the op's own shape rule, also where ranks are open: the rule is asked for several ranks, and how
the answers hang on them is the rank in terms of the arguments'. What Python has there follows from the op's family. An op
that no rule tells of gives what may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..errors import GfxError
from ..host import Dim, Expr
from ..op import OpDef
from ..rules import UNKNOWN
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .abstract import ARRAY, MOST, NUMBERS, PYTHON, SCALAR, UFUNC, Abstract, Kinds, Ranks, Terms, number, terms_of
from .shape_rules import ShapeRules

_GIVES_UFUNC: Kinds = frozenset((UFUNC,))
_GIVES_ARRAY: Kinds = frozenset((ARRAY,))
_EITHER: Kinds = _GIVES_UFUNC | _GIVES_ARRAY
"""A number or an array where it has no axes: which of them hangs on the function that the op was made for."""
_FAMILIES = {
    **dict.fromkeys(("elementwise", "reduce", "search", "linalg"), _GIVES_UFUNC),
    **dict.fromkeys(("create", "shape", "arrange", "fft"), _GIVES_ARRAY),
}
_ARRAYS = frozenset(("i0", "isin", "cov", "index_put"))
"""Ops of other families that give arrays."""
_VARY = frozenset(("where", "tensordot"))
"""Ops of those families that functions which give numbers and functions which give arrays both come down to."""
_ITEMS = frozenset(("unstack",))
"""Ops that give the items of an array, as an index does."""
_KEEP = frozenset(("copy", "astype", "stop_gradient"))
"""Ops that keep what they are given, as whatever may be a view of it does: an array stays one, what NumPy makes of a number hangs on the function."""
_OF_DTYPES = dict(zip("biufc", ("bool", "int", "int", "float", "complex")))
_REFUSED = (GfxError, TypeError, ValueError, IndexError)
_PROBES = range(5)
"""The ranks that a shape rule is asked for. A rule is uniform in the rank, but for the least ones."""


def transfer(op: OpDef, args: tuple, rules: ShapeRules) -> tuple[Abstract, ...]:
    """What the outputs 1… of an op are. `args`: a tree with an Abstract for each tensor, host values where they are known, else OPEN."""
    own = _OWN.get(op.name)
    if own is not None:
        return own(op, args, rules)
    tensors = [leaf for leaf in leaves(args) if type(leaf) is Abstract]
    types = _types(op, args, rules)
    if types is None:
        return tuple([Abstract(_kinds(op, tensors)) for _ in op.output_kinds(args)])
    return tuple([_output(op, at, type_, args, tensors, rules) for at, type_ in enumerate(types)])


def _output(op: OpDef, at: int, type_: Any, args: tuple, tensors: list[Abstract], rules: ShapeRules) -> Abstract:
    if not isinstance(type_, LogicalTensor):
        return Abstract(_kinds(op, tensors))
    if op.family == "number":
        return number(*([_OF_DTYPES[type_.dtype.kind]] if type_.dtype is not None else PYTHON)).with_(type=type_)
    if type_.dims is not None:
        return Abstract(_kinds(op, tensors), LogicalTensor(type_.dtype, type_.dims))
    ranks = broadcast(tensors) if op.family == "elementwise" else _probed(op, at, args, tensors, rules)
    return of_ranks(_kinds(op, tensors), type_.dtype, ranks)


def of_ranks(kinds: Kinds, dtype: Any, ranks: Ranks | None) -> Abstract:
    """What has one of these ranks."""
    if ranks is not None and len(ranks) == 1 and (known := _known(next(iter(ranks)))) is not None:
        return Abstract(kinds, LogicalTensor(dtype, (None,) * known))
    return Abstract(kinds, LogicalTensor(dtype), ranks)


def _kinds(op: OpDef, tensors: Sequence[Abstract]) -> Kinds:
    """What Python has there: what is made of what may be numbers of Python's, all of it, may be one, too. Of what surely is one
    capture says what an operator makes; a function makes a tensor of it."""
    own = _own_kinds(op, tensors)
    if op.family != "elementwise" or any(tensor.kinds.isdisjoint(NUMBERS) for tensor in tensors):
        return own
    return own if all(tensor.is_python for tensor in tensors) else own | NUMBERS


def _own_kinds(op: OpDef, tensors: Sequence[Abstract]) -> Kinds:
    if op.name in _ITEMS:
        return _GIVES_UFUNC
    if op.name in _KEEP or op.put is not None:
        return _GIVES_ARRAY if tensors and tensors[0].kinds == _GIVES_ARRAY else _EITHER
    if op.name in _VARY:
        return _EITHER
    return _GIVES_ARRAY if op.name in _ARRAYS else _FAMILIES.get(op.family, _EITHER)


def _known(terms: Terms) -> int | None:
    """A rank that hangs on no argument."""
    return None if any(argument is not None for argument, _ in terms) else max((-k for _, k in terms if k), default=0)


def _types(op: OpDef, args: tuple, rules: ShapeRules) -> tuple | None:
    """What the op's shape rule gives; None where it has none, or refuses: that is said where the op is captured, if it is wrong."""
    if op.infer is None and op.body is None:
        return None
    try:
        return rules.infer(op, tree_map(_type, args))
    except _REFUSED:
        return tuple([UNKNOWN if kind == "tensor" else None for kind in op.output_kinds(args)])


def _type(leaf: Any) -> Any:
    return leaf.type if type(leaf) is Abstract else leaf


def broadcast(tensors: list[Abstract]) -> Ranks | None:
    """The ranks of what several are broadcast to: the greatest, for each choice of theirs."""
    found: set[Terms] = {frozenset()}
    for tensor in tensors:
        if tensor.terms is None:
            return None
        found = {one | other for one in found for other in tensor.terms}
        if len(found) > MOST:
            return None
    return frozenset(found)


# ---------------------------------------------------------------------- ranks by a shape rule
def _probed(op: OpDef, at: int, args: tuple, tensors: list[Abstract], rules: ShapeRules) -> Ranks | None:
    """The ranks of an output: one whatever those of its arguments are, or those of the only argument of open rank, each less the same."""
    open_ = [tensor for tensor in tensors if tensor.type.dims is None]
    if len({id(tensor) for tensor in open_}) != 1 or (len(open_) > 1 and len(open_[0].ranks or ()) > 1):
        return None
    answers = list(_answers(op, at, args, open_[0], rules))
    found, less = {found for _, found in answers}, {rank - found for rank, found in answers}
    if -1 not in found and len(found) == 1 and len(answers) > 1:
        return frozenset((terms_of(found.pop()),))
    return dropped(open_[0].ranks, less.pop()) if -1 not in found and len(less) == 1 else None


def _answers(op: OpDef, at: int, args: tuple, tensor: Abstract, rules: ShapeRules) -> Iterator[tuple[int, int]]:
    """Pairs of a rank that the tensor might have, and of what the output would have then; -1 where that is not told."""
    for rank in _PROBES:
        probe = LogicalTensor(tensor.type.dtype, (None,) * rank)
        tried = tree_map(partial(_instead, tensor, probe), args)
        try:
            found = rules.infer(op, tried)[at]
        except _REFUSED:
            continue
        yield rank, -1 if found.dims is None else len(found.dims)


def _instead(tensor: Abstract, probe: LogicalTensor, leaf: Any) -> Any:
    return probe if leaf is tensor else _type(leaf)


def dropped(ranks: Ranks | None, axes: int) -> Ranks | None:
    """Ranks, less so many axes."""
    return None if ranks is None else frozenset(frozenset(_less(terms, axes)) for terms in ranks)


def _less(terms: Terms, axes: int) -> Iterator[tuple[Any, int | None]]:
    for argument, k in terms or (((None, 0),) if axes < 0 else ()):
        if k is not None and (argument is not None or -k > axes):
            yield argument, k + axes


# ---------------------------------------------------------------------- ops of their own
def _getitem(op: OpDef, args: tuple, rules: ShapeRules) -> tuple[Abstract, ...]:
    """An index of integers alone gives an element or an array of them, one with slices or new axes a view."""
    x, index = args[0], args[1]
    items = index if type(index) is tuple else (index,)
    integers = sum(map(is_integer, items))
    numbers = _GIVES_UFUNC if integers == len(items) else _GIVES_ARRAY
    if any(isinstance(item, Abstract) and not is_integer(item) for item in items) and integers + 1 >= len(items):
        numbers = _EITHER  # positions that may be one number
    types = _types(op, args, rules)
    type_ = types[0] if types is not None else UNKNOWN
    if type_.dims is not None:
        return (Abstract(numbers, LogicalTensor(type_.dtype, type_.dims)),)
    open_ = [item for item in items if not (is_integer(item) or isinstance(item, slice) or item is None or item is ...)]
    less, ranks = integers - sum(item is None for item in items), None
    if not open_:
        ranks = dropped(x.terms, less)
    elif len(open_) == 1 and x.rank is not None and type(open_[0]) is Abstract and not _is_mask(open_[0]):
        ranks = dropped(open_[0].terms, less + 1 - x.rank)  # an axis becomes those of the positions
        numbers = _GIVES_UFUNC if integers + 1 == len(items) else numbers
    return (of_ranks(numbers, x.type.dtype, ranks),)


def _is_mask(item: Abstract) -> bool:
    return item.type.dtype is not None and item.type.dtype.kind == "b"


def is_integer(item: Any) -> bool:
    """Whether an item of an index is surely one number."""
    if isinstance(item, Abstract):
        return item.rank == 0 and not _is_mask(item)
    return type(item) is int or isinstance(item, (Dim, Expr))


def _constant(op: OpDef, args: tuple, rules: ShapeRules) -> tuple[Abstract, ...]:
    """A number of NumPy's from outside, or an array with axes."""
    rank = np.ndim(args[0])
    (type_,) = _types(op, args, rules) or (UNKNOWN,)
    kinds = _GIVES_ARRAY if rank else frozenset((SCALAR,))
    return (Abstract(kinds, LogicalTensor(type_.dtype, (None,) * rank), fixed=True),)


_OWN: dict[str, Callable[[OpDef, tuple, ShapeRules], tuple[Abstract, ...]]] = {
    "getitem": _getitem,
    "constant": _constant,
}
