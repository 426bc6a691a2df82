"""Special functions: https://docs.jax.dev/en/latest/jax.scipy.html#module-jax.scipy.special."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.numbers import Numbers
from gfx_ir.lifting.words import as_floats
from gfx_ir.op import OpDef, lookup
from gfx_ir.ops.special import POLYNOMIALS

from ._lift import JNP, halves, refuse, unary

_PACKAGE = "jax.scipy.special"


def _named(name: str, call: str = "", *also: str) -> Row:
    """A function of one array."""
    call = f"{_PACKAGE}.{call or name}"
    return Row(name, f"{call}(x)", {" ".join((call, *also)): unary(lookup(name))})


def two(op: OpDef) -> Any:
    """The lift of a function of two arrays."""
    return lambda x, y: op(x, y)


def _pair(name: str, call: str = "") -> Row:
    call = f"{_PACKAGE}.{call or name}"
    return Row(name, f"{call}(x1, x2)", {call: two(lookup(name))})


def _several(name: str, given: str, *also: str) -> Row:
    """A function of several arrays."""
    op, call = lookup(name), f"{_PACKAGE}.{name}"
    return Row(name, f"{call}({given})", {" ".join((call, *also)): lambda *args: op(*args)})


def _polygamma(n: Any, x: Any) -> Any:
    refuse("jax.scipy.special.polygamma of an order that is an array", n=None if isinstance(n, (int, float)) else n)
    return ops.polygamma(int(n), x)


ROWS = (
    *map(_named, "entr erfcx i0e i1 i1e log_ndtr ndtri".split()),
    Row("ndtr", lambda a: halves(a.x, f"{_PACKAGE}.ndtr(x)"), {f"{_PACKAGE}.ndtr": unary(ops.ndtr)}),
    Row("i0", "jnp.i0(x)", {f"jnp.i0 {_PACKAGE}.i0": unary(ops.i0)}),
    Row("cbrt", "jnp.cbrt(x)", {"jnp.cbrt lax.cbrt": unary(ops.cbrt)}),
    _several("betainc", "a, b, x", "lax.betainc"),
    _several("hyp1f1", "a, b, x"),
    _several("hyp2f1", "a, b, c, x"),
    *map(_named, "dawsn fresnel sici".split()),
    _named("expi"),
    Row(
        "expn",
        "expn(n, x)",
        {f"{_PACKAGE}.expn": lambda n, x: ops.expn(n, x), f"{_PACKAGE}.exp1": lambda x: ops.expn(1, x)},
    ),
    *map(_pair, "betaln gammainc gammaincc owens_t poch xlog1py xlogy".split()),
    Row("zeta", "zeta(x1, x2)", {f"{_PACKAGE}.zeta": two(lookup("zeta"))}),
    *(Row(name, f"jnp.{name}(x1, x2)", {f"jnp.{name}": two(lookup(name))}) for name in ("gcd", "lcm")),
    Row("frexp", "jnp.frexp(x)", {"jnp.frexp": lambda x: ops.frexp(x), **Numbers(JNP).table()}),
    Row("modf", "modf(x)"),
    Row("sinc", "jnp.sinc(x)", {"jnp.sinc": lambda x: ops.sinc(as_floats(x))}),
    Row(
        "logit",
        lambda a: f"{_PACKAGE}.logit({'x' if a.eps is None else 'jnp.clip(x, eps, 1 - eps)'})",
        {f"{_PACKAGE}.logit": lambda x: ops.logit(x)},
    ),
    Row("polygamma", "polygamma(n, x)", {f"{_PACKAGE}.polygamma": _polygamma}),
    Row(
        "multigammaln",
        f"{_PACKAGE}.multigammaln(x, d)",
        {f"{_PACKAGE}.multigammaln": lambda a, d: ops.multigammaln(a, d)},
    ),
    *(Row(name, f"orthogonal_polynomial({at}, n, {kind!r})") for name, (at, kind) in POLYNOMIALS.items()),
    Row("airy_ai", "airy_ai(x)"),
    Row("bessel_j0", "bessel_0(x)"),
    Row("bessel_j1", "bessel_1(x)"),
    Row("bessel_y0", "bessel_0(x, second=True)"),
    Row("bessel_y1", "bessel_1(x, second=True)"),
    *(Row(f"modified_bessel_k{n}", f"modified_bessel_k(x, {n})") for n in (0, 1)),
    *(Row(f"scaled_modified_bessel_k{n}", f"modified_bessel_k(x, {n}, scaled=True)") for n in (0, 1)),
)
