"""Python's numbers as the rows of one tensor, wide enough for them; what is taken out of it is a number again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gfx_ir import dtypes, ops
from gfx_ir.graph import Value
from gfx_ir.op import active
from gfx_ir.python_numbers import OPEN
from gfx_ir.types import LogicalTensor

from .proxy import Proxy, number_kinds, weak_kind

WIDE = {"bool": "bool", "int": "int64", "float": "float64"}
"""The kinds of number that stand as rows, and the dtype that holds them; JAX's own code has the widths of JAX."""
_TAKE = {"bool": ops.to_bool, "int": ops.to_int, "float": ops.to_float}


def rows_kind(x: Any) -> str:
    """The kind of Python's number that the rows of a tensor stand for, else ""."""
    value = x.value if type(x) is Proxy else x
    return active.builder.record.kind_of_rows(value) if type(value) is Value else ""


def number_kind(x: Any) -> str:
    """The kind of the number of Python's that x is, OPEN where that is one of several; "" for a tensor."""
    return OPEN if len(number_kinds(x)) > 1 else weak_kind(x)


def one_kind(items: Iterable[Any], kind_of: Callable[[Any], str]) -> str | None:
    """The kind of number that all items are, "" where none is a number; None where no tensor holds them alike."""
    kinds = set(map(kind_of, items))
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if not kind or kind in WIDE else None


def as_row(x: Any) -> Value:
    """An item as a row: a number as an array that holds all of it, where one dtype does; else it stays a number."""
    value: Value = active.builder.unwrap(x)
    kind = number_kind(x)
    return ops.as_tensor(value, dtype=wide(kind)) if kind in WIDE else value


def row_type(x: Proxy) -> Any:
    """The type of an item as a row."""
    kind = number_kind(x)
    return (
        LogicalTensor(wide(kind), ())
        if kind in WIDE and active.builder.static_types
        else getattr(x.value, "type", None)
    )


def wide(kind: str) -> dtypes.DType:
    """The dtype of the rows that stand for numbers of a kind."""
    return dtypes.default(kind[0], "jax") if active.builder.promotion == "jax" else dtypes.dtype(WIDE[kind])


def number(kind: str, made: Proxy) -> Proxy:
    """The number of this kind that a tensor of one element stands for."""
    found: Proxy = active.builder.wrap(_TAKE[kind](made.read()), made.backend)
    return found


def indexed(kind: str, made: Proxy, index: Any) -> Proxy:
    """What an index gave of rows that stand for numbers of this kind: fewer rows, or a number."""
    if not isinstance(index, slice):
        return number(kind, made)
    active.builder.record.tell_rows(made.value, kind)
    return made


def folded(rows: Proxy, made: Proxy) -> Proxy:
    """What min() and max() gave of rows: a number, where these are numbers."""
    kind = rows_kind(rows)
    return number(kind, made) if kind else made
