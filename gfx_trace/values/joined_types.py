"""Types of what is one of two values: of the sides of a test, or what a loop begins with and what a trip leaves."""

from __future__ import annotations

from typing import Any

from gfx_ir import dtypes, host
from gfx_ir.control import host_operator
from gfx_ir.graph import Value
from gfx_ir.host import Dim
from gfx_ir.infer.abstract import joined_dims
from gfx_ir.python_numbers import KINDS, OPEN
from gfx_ir.types import LogicalTensor

from .proxy import weak_kind

_NUMBERS = ("bool", "int", "float", "complex", "tensor")
"""Each holds what those before it do."""


def joined_kind(kinds: set[str]) -> str:
    """The kind of what is one of several values of these kinds."""
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds <= {"tensor", "none", "optional"}:
        return "optional"
    return max(kinds, key=_NUMBERS.index) if kinds <= set(_NUMBERS) else "any"


def equal_size(test: Value) -> tuple[int, dict[Dim, int]] | None:
    """The side of a test on which an open size is a number, and which: 1 for `n != 3`."""
    sign = host_operator(test.node)
    if sign not in ("==", "!="):
        return None
    sizes = [x.type if type(x) is Value else x for x in test.node.args[1]]
    known = {a: b for a, b in zip(sizes, reversed(sizes)) if type(a) is Dim and type(b) is int}
    return (int(sign == "!="), known) if known else None


def joined_type(
    a: Any, b: Any, promotion: str, equal: tuple[int, dict[Dim, int]] | None = None
) -> LogicalTensor | None:
    """The type of what is either of two values, where both are known; dims that differ are unknown ones. Of a tensor or None it is that of
    the tensor, as of any value that may be None. `equal`: see equal_size."""
    left, right = (x.type if isinstance(x, Value) and x.is_tensor else number_type(x, promotion) for x in (a, b))
    if a is None or b is None:
        return left if b is None else right
    if not isinstance(left, LogicalTensor) or not isinstance(right, LogicalTensor):
        return None
    if left.dtype is None or right.dtype is None:
        return None
    sides = [left.dims, right.dims]
    if equal is not None:
        sides[equal[0]] = _opened(*equal, sides)
    dims = left.dims if left.dims == right.dims else joined_dims(sides)
    if not left.weak and not right.weak and left.dtype != right.dtype:
        return LogicalTensor(None, dims)
    dtype, weak = dtypes.result_type([(left.dtype, left.weak), (right.dtype, right.weak)], promotion)
    return LogicalTensor(dtype, dims, weak=weak)


def _opened(side: int, known: dict[Dim, int], sides: list[Any]) -> Any:
    """The dims of a side as the other one has them, where they are those for these numbers."""
    fixed, other = sides[side], sides[1 - side]
    if fixed is None or other is None or len(fixed) != len(other):
        return fixed
    return tuple([b if b is not None and host.same(host.substituted(b, known), a) else a for a, b in zip(fixed, other)])


def widens(before: LogicalTensor, after: LogicalTensor) -> bool:
    """Whether tensors are floats, or complex numbers, and the second of more bits than the first: it holds the values of both."""
    if before.dtype is None or after.dtype is None:
        return False
    return dtypes.of_widths(before.dtype, after.dtype) and before.dtype.bits < after.dtype.bits


def number_type(x: Any, promotion: str) -> LogicalTensor | None:
    """The type of a Python number, or of an open one, as a tensor."""
    kind = x.kind if isinstance(x, Value) and x.kind in KINDS else weak_kind(x)
    return kind_type(kind, promotion) if kind else None


def kind_type(kind: str, promotion: str) -> LogicalTensor:
    """The type of a number of Python's of this kind."""
    return LogicalTensor(None if kind == OPEN else dtypes.default(kind[0], promotion), (), weak=True)
