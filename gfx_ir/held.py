"""Calls that no op stands for (the op `holder`): what they give, found by trying them on types."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace
from typing import Any

from .backend import Backend
from .dtypes import dtype
from .errors import BackendError
from .loading import backend
from .public import Unheld, function_of
from .rules import OPEN, UNKNOWN
from .trees import leaves, tree_map
from .types import LogicalTensor

_RANKS = (2, 1, 3, 4, 0)
_LENGTHS = (4, 6)
_LARGEST = 2**20  # elements of the data that a function is tried on
_LONGEST = 160  # letters of a framework's reason
_SAMPLES: tuple[dict[str, Any], ...] = ({"int": 1, "float": 1.0, "bool": True}, {"int": 2, "float": 2.0, "bool": False})


@dataclass(frozen=True)
class Results:
    """What a call gives: one array (`count` None), nothing (0), or a sequence of so many, whose items may have names (`fields`)."""

    count: int | None
    fields: tuple[str, ...] = ()


# ---------------------------------------------------------------------- what a call gives
def results(
    owner: Backend, fn: Callable[..., Any], args: tuple, kwargs: dict, type_of: Callable[[Any], Any]
) -> Results:
    """What a call gives, found by trying it on arrays of the types of its arguments; where these are open, on several.

    `type_of` gives the LogicalTensor of a leaf that is a tensor, else None. Raises Unheld where none of this works, or the number of
    results hangs on what is open."""
    if owner.gives_nothing(fn):
        return Results(0)
    tensors = [kind for leaf in leaves((args, kwargs)) if (kind := type_of(leaf)) is not None]
    error: Exception = Unheld("it takes no tensor")
    samples = _SAMPLES if any(map(_is_number, leaves((args, kwargs)))) else _SAMPLES[:1]
    for fills in owner.fills:
        found: list[Results] = []
        for types, numbers, data in product(_candidates(tensors), samples, fills):
            if data and sum(math.prod(type_.dims) for type_ in types) > _LARGEST:
                continue
            try:
                found.append(_structure(_tried(owner, fn, args, kwargs, type_of, types, data, numbers)))
            except Unheld:
                raise
            except Exception as raised:  # whatever the framework raises where the types do not fit
                error = raised
        if len(set(found)) > 1:
            raise Unheld("how many results it gives hangs on shapes or numbers that are not known")
        if found:
            return found[0]
    reason = str(error).strip().partition("\n")[0].partition(". ")[0][:_LONGEST]
    raise Unheld(f"what it gives cannot be found out: {reason}")


def _candidates(tensors: Sequence[LogicalTensor]) -> Iterator[list[Any]]:
    """Known types to try a call on: those that are open are all of one rank, length and dtype, and a few of these are tried."""
    opened = any(type_.dtype is None or type_.dims is None for type_ in tensors)
    sized = not any(type_.dims is None or not all(isinstance(dim, int) for dim in type_.dims) for type_ in tensors)
    ranks, names = (_RANKS, ("float32", "int64")) if opened else (_RANKS[:1], ("float32",))
    for length, rank, name in product(_LENGTHS[:1] if sized else _LENGTHS, ranks, names):
        yield [LogicalTensor(type_.dtype or dtype(name), tuple(_sized(type_.dims, rank, length))) for type_ in tensors]


def _sized(dims: Any, rank: int, length: int) -> Iterator[int]:
    for dim in (None,) * rank if dims is None else dims:
        yield dim if isinstance(dim, int) else length


def _is_number(leaf: Any) -> bool:
    """Whether a leaf of the arguments stands for a number that is open."""
    return hasattr(leaf, "kind") and hasattr(leaf, "uses") and leaf.kind in _SAMPLES[0]


def _tried(
    owner: Backend,
    fn: Any,
    args: tuple,
    kwargs: dict,
    type_of: Callable[[Any], Any],
    types: Sequence[Any],
    data: int,
    numbers: dict[str, Any],
) -> Any:
    def call(arrays: Sequence[Any]) -> Any:
        given = iter(arrays)

        def fill(leaf: Any) -> Any:
            if type_of(leaf) is not None:
                return next(given)
            return numbers[leaf.kind] if _is_number(leaf) else owner.convert(leaf)

        filled, named = tree_map(fill, args), tree_map(fill, kwargs)
        return fn(*filled, **named)

    return owner.probe(call, types, data)


def _structure(out: Any) -> Results:
    if _is_array(out):
        return Results(None)
    if isinstance(out, (tuple, list)) and out and all(map(_is_array, out)):
        names: Any = getattr(out, "_fields", None) or getattr(out, "__match_args__", ())  # of those that torch returns
        return Results(len(out), tuple(names) if len(names) == len(out) else ())
    raise Unheld(f"it gives {'nothing' if out is None else f'a {type(out).__name__}'}, and a graph holds arrays")


def _is_array(x: Any) -> bool:
    return hasattr(x, "shape") and hasattr(x, "dtype")


def kinds(args: SimpleNamespace) -> tuple[str, ...]:
    """The kinds of a holder's values."""
    return ("tensor",) * (1 if args.count is None else args.count)


def infer(args: SimpleNamespace, rules: str) -> tuple:
    """Types of what a call gives, as its own framework tells where all is known; unknown types else."""
    unknown = (UNKNOWN,) * len(kinds(args))
    if not unknown:
        return ()
    given = [leaf for leaf in leaves((args.args, args.kwargs)) if isinstance(leaf, LogicalTensor)]
    if any(leaf is OPEN for leaf in leaves((args.args, args.kwargs))) or not all(type_.known for type_ in given):
        return unknown
    try:
        owner = backend(args.framework)
        type_of = lambda leaf: leaf if isinstance(leaf, LogicalTensor) else None
        out = _tried(owner, function_of(owner, args.target), args.args, args.kwargs, type_of, given, 0, _SAMPLES[0])
    except BackendError:
        return unknown
    except Exception:  # the framework has no form of this function without data
        return unknown
    parts = [out] if _is_array(out) else list(out)
    return tuple(_type(owner, part) for part in parts) if len(parts) == len(unknown) else unknown


def _type(owner: Backend, out: Any) -> LogicalTensor:
    return LogicalTensor(owner.dtype_of(out), tuple(out.shape), weak=bool(getattr(out, "weak_type", False)))
