"""Floating-point operations of ops that do not do one for each element of their outputs: size expressions."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .. import host
from ..host import DimLike
from ..types import LogicalTensor
from ._shapes import total

Size = DimLike | None


def times(*sizes: Size) -> Size:
    """Product of sizes, None where one is unknown."""
    return total(sizes)


def count(x: Any) -> Size:
    """Elements of a tensor argument; a scalar is one."""
    return x.size() if isinstance(x, LogicalTensor) else 1


def axis_size(x: Any, axis: int) -> Size:
    """The size of one axis, None where unknown."""
    dims = x.dims if isinstance(x, LogicalTensor) else None
    return dims[axis] if dims is not None and -len(dims) <= axis < len(dims) else None


def matmul(args: SimpleNamespace, types: tuple) -> Size:
    """A multiplication and an addition for each output element and each step along the contracted axis: 2 m n k."""
    return times(2, types[0].size(), axis_size(args.x1, -1))


def vecdot(args: SimpleNamespace, types: tuple) -> Size:
    """2 n for each pair of vectors."""
    axis = args.axis if isinstance(args.axis, int) else -1
    return times(2, types[0].size(), axis_size(args.x1, axis))


def conv(args: SimpleNamespace, types: tuple) -> Size:
    """2 * output elements * kernel elements * input channels of a group, and one for each element of a bias added."""
    out, weight = types[0].size(), args.weight
    dims = weight.dims if isinstance(weight, LogicalTensor) else None
    work = times(2, out, total(dims[1:]) if dims else None)
    if args.bias is None or work is None or out is None:
        return work
    return host.add(work, out)


def pool(args: SimpleNamespace, types: tuple) -> Size:
    """One operation for each element of each window."""
    return times(types[0].size(), *args.kernel)


def input_elements(args: SimpleNamespace, types: tuple) -> Size:
    """One operation for each input element: every element falls in about one window."""
    return count(args.x)


def power(exponent: int, divisor: int, factor: int = 1) -> Callable[[SimpleNamespace, tuple], Size]:
    """factor * n**exponent / divisor for each (n, n) matrix of a stack: factorisations of the linear algebra family."""

    def cost(args: SimpleNamespace, types: tuple) -> Size:
        x = getattr(args, "x", None) if hasattr(args, "x") else args.x1
        dims = x.dims if isinstance(x, LogicalTensor) else None
        if not dims or len(dims) < 2:
            return None
        work = times(factor, total(dims[:-2]), *([dims[-1]] * exponent))
        return None if work is None else host.floordiv(work, divisor)

    return cost


def solve(args: SimpleNamespace, types: tuple) -> Size:
    """2/3 n**3 for the factorisation, 2 n for each element of the solution."""
    factorised = power(3, 3, 2)(args, types)
    substituted = times(2, types[0].size(), axis_size(args.x1, -1))
    return None if factorised is None or substituted is None else host.add(factorised, substituted)


def fft(args: SimpleNamespace, types: tuple) -> Size:
    """5 n log2 n for each transform of length n (the count by which FFTs are compared, fftw.org/speed/method.html)."""
    size, length = count(args.x), args.n if isinstance(args.n, int) else axis_size(args.x, args.axis)
    if size is None or length is None:
        return None
    if isinstance(length, int):
        return times(5, size, max(length - 1, 0).bit_length())
    return None


def draws(args: SimpleNamespace, types: tuple) -> Size:
    """About ten integer operations a random number (Philox and threefry take that many rounds)."""
    return times(10, types[-1].size())
