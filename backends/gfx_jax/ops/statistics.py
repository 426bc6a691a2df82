"""Statistics and integrals along axes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.statistics import Statistics

from ._lift import JNP

_SAME = JNP.table(Statistics(JNP).table())


def _cumlogsumexp(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    if reverse:
        return ops.flip(ops.logcumsumexp(ops.flip(operand, axis=axis), axis=axis), axis=axis)
    return ops.logcumsumexp(operand, axis=axis)


def _cov(args: SimpleNamespace) -> str:
    return "jnp.cov(x, ddof=correction, fweights=fweights, aweights=aweights)"


ROWS = (
    Row("convolve", "jnp.convolve(x1, x2, mode=mode)"),
    Row("interp", "jnp.interp(x, xp, fp, left=left, right=right)"),
    Row("polyval", "jnp.polyval(p, x)"),
    Row("logcumsumexp", "logcumsumexp(x, axis=axis)", {"lax.cumlogsumexp": _cumlogsumexp}),
    Row("trapezoid", "jnp.trapezoid(y, x=x, dx=dx, axis=axis)", _SAME["trapezoid"]),
    Row("cov", _cov, _SAME["cov"]),
    Row("corrcoef", "jnp.corrcoef(x)", _SAME["corrcoef"]),
)
