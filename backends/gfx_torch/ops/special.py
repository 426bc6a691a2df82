"""Special functions: https://docs.pytorch.org/docs/stable/special.html."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.op import OpDef, lookup
from gfx_ir.ops.special import POLYNOMIALS

from ..lifting import floating, names, one, two
from ._spell import is_scalar, kind_of, tensors


def _named(name: str, *also: str) -> Row:
    """torch.special.name(x), under its older names too."""
    lifts = " ".join((f"torch.special.{name}", *also))
    return Row(name, f"torch.special.{name}(x)", {lifts: one(lookup(name))})


def _of_two(call: str, first: str = "x1", second: str = "x2") -> Any:
    """A call that takes a number on one side only."""

    def spelling(args: Any) -> str:
        both = is_scalar(getattr(args, first)) and is_scalar(getattr(args, second))
        return f"torch.special.{call}({f'torch.as_tensor({first})' if both else first}, {second})"

    return spelling


def _pair(name: str, *also: str, tensors: bool = False) -> Row:
    """torch.special.name(x1, x2)."""
    lifts = " ".join((f"torch.special.{name}", *also))
    return Row(name, f"torch.special.{name}(x1, x2)" if tensors else _of_two(name), {lifts: two(lookup(name))})


def _polynomial(op: OpDef) -> Any:
    return lambda input, n: op(input, n)


def _multigammaln(input: Any, p: Any) -> Any:
    return ops.multigammaln(input, p)


def _polygamma(n: Any, input: Any) -> Any:
    return ops.polygamma(n, input)


_NOT_IN_TORCH = {
    "fresnel": "Fresnel integrals",
    "hyp1f1": "hypergeometric functions",
    "hyp2f1": "hypergeometric functions",
    "owens_t": "Owen's T function",
    "sici": "sine and cosine integrals",
}


def _of_whole(name: str) -> Any:
    """A function of two tensors, which takes no numbers."""
    return lambda args: tensors(f"torch.{name}", args.x1, args.x2)


def _logit(input: Any, eps: Any = None) -> Any:
    return ops.logit(floating(input) if kind_of(input) == "b" else input, eps)  # 1 - x has no meaning of truths


ROWS = (
    *map(
        _named,
        (
            "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx i0e i1e log_ndtr ndtr ndtri"
            " modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1"
            " spherical_bessel_j0"
        ).split(),
    ),
    *(Row(name, _of_whole(name), {names(name): two(lookup(name))}) for name in ("gcd", "lcm")),
    Row("frexp", lambda a: "torch.frexp(x * 1.0)" if kind_of(a.x) in ("b", "i", "u") else "torch.frexp(x)"),
    Row("modf", "modf(x)"),
    Row("cbrt", lambda a: "x * 1.0" if kind_of(a.x) == "b" else "torch.copysign(torch.abs(x) ** (1 / 3), x)"),
    Row("betainc", "betainc(a, b, x)"),
    Row("dawsn", "dawsn(x)"),
    *(Row(name, missing=f"PyTorch has no {what}") for name, what in _NOT_IN_TORCH.items()),
    Row("expi", "expi(x)"),
    Row("expn", "expn(n, x)"),
    _named("i0", names("i0"), "torch.special.modified_bessel_i0"),
    _named("i1", "torch.special.modified_bessel_i1"),
    _named("sinc", names("sinc")),
    _pair("gammainc", names("igamma"), tensors=True),
    _pair("gammaincc", names("igammac"), tensors=True),
    _pair("zeta"),
    _pair("xlogy", names("xlogy")),
    _pair("xlog1py"),
    Row(
        "logit",
        "torch.logit(x, eps=eps)",
        {f"{names('logit')} torch.special.logit": _logit},
    ),
    Row(
        "polygamma",
        "torch.polygamma(n, x)",
        {
            "torch.polygamma torch.special.polygamma": _polygamma,
            "Tensor.polygamma": lambda input, n: _polygamma(n, input),
        },
    ),
    Row(
        "multigammaln",
        "torch.special.multigammaln(x, d)",
        {f"torch.special.multigammaln {names('mvlgamma')}": _multigammaln},
    ),
    *(Row(name, _of_two(name, "x", "n"), {f"torch.special.{name}": _polynomial(lookup(name))}) for name in POLYNOMIALS),
)
