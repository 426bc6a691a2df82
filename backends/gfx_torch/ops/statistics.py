"""Statistics and integrals along axes."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.ranks import not_one
from gfx_ir.lifting.words import kind_of
from gfx_ir.ops.statistics import areas

from ..lifting import floating, names


def _trapezoid(y: Any, x: Any = None, *, dx: Any = 1, dim: Any = -1) -> Any:
    if x is not None and kind_of(y) in ("b", "i", "u"):  # whose products are of their width
        return ops.sum(areas(y, x, dx, dim), axis=dim)
    return ops.trapezoid(y, x, dx, dim)


def _cov(input: Any, *, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return ops.cov(_rows("torch.cov", input), correction, fweights, aweights)


def _corrcoef(input: Any) -> Any:
    return ops.corrcoef(_rows("torch.corrcoef", input))


def _rows(call: str, x: Any) -> Any:
    """Variables, a row each: of one row a number tells."""
    not_one(call, x, 0)
    return floating(x)


def _logcumsumexp(input: Any, dim: Any) -> Any:
    return ops.logcumsumexp(input, axis=dim)


ROWS = (
    Row("convolve", "convolve(x1, x2, mode=mode)"),
    Row("logcumsumexp", "torch.logcumsumexp(x, dim=axis)", {names("logcumsumexp"): _logcumsumexp}),
    Row(
        "trapezoid",
        lambda a: f"torch.trapezoid(y, {'dx=dx' if a.x is None else 'x'}, dim=axis)",
        {"torch.trapezoid torch.trapz": _trapezoid},
    ),
    Row(
        "cov",
        "torch.cov(x, correction=correction, fweights=fweights, aweights=aweights)",
        {names("cov"): _cov},
    ),
    Row("corrcoef", "torch.corrcoef(x)", {names("corrcoef"): _corrcoef}),
)
