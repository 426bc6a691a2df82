"""Draws that are several ops: distributions by the inverse of their cumulative function, choices, random bases."""

from __future__ import annotations

import math
from typing import Any

from gfx_ir import build, ops
from gfx_ir.build import dtype_of
from gfx_ir.dtypes import float32
from gfx_ir.promotion import real_of

from ..lifting import dtype_like, floating, is_dtype, is_number, kind, known_size, place, refuse, shape_of
from .decompositions import OldSvd, adjoint


def key_of(generator: Any) -> Any:
    """A key for one draw. A generator of one's own has a state that is not the program's."""
    if generator is not None:
        refuse(
            "a torch.Generator made inside the captured code has no counterpart",
            "leave generator= out: the emitted code takes one",
        )
    return build.next_key()


def _unit(input: Any, generator: Any) -> Any:
    """Uniform on [0, 1), one number for each element; float32 for a tensor of whole numbers."""
    dtype = float32 if kind(input) in ("i", "u") else dtype_like(input)
    return ops.uniform(key_of(generator), shape_of(input), dtype=dtype, device=ops.device_of(input))


def real_like(x: Any) -> Any:
    """The dtype of the parts of x."""
    return real_of(dtype_of(x)) or dtype_like(x)


def uniform_(input: Any, *bounds: Any, generator: Any = None, **named: Any) -> Any:
    """Tensor.uniform_; both parts of a complex number."""
    given: dict[str, Any] = {"from": 0.0, "to": 1.0, **dict(zip(("from", "to"), bounds)), **named}
    parts = [
        ops.uniform(
            key_of(generator), shape_of(input), given["from"], given["to"], real_like(input), ops.device_of(input)
        )
        for _ in range(2 if kind(input) == "c" else 1)
    ]
    return parts[0] if len(parts) == 1 else ops.add(parts[0], ops.multiply(parts[1], 1j))


def exponential_(input: Any, lambd: Any = 1.0, *, generator: Any = None) -> Any:
    """Tensor.exponential_."""
    drawn = ops.negative(ops.log1p(ops.negative(_unit(input, generator))))
    return drawn if is_number(lambd) and lambd == 1 else ops.divide(drawn, lambd)


def cauchy_(input: Any, median: Any = 0.0, sigma: Any = 1.0, *, generator: Any = None) -> Any:
    """Tensor.cauchy_."""
    off = ops.tan(ops.multiply(ops.subtract(_unit(input, generator), 0.5), math.pi))
    return ops.add(median, ops.multiply(sigma, off))


def log_normal_(input: Any, mean: Any = 1.0, std: Any = 2.0, *, generator: Any = None) -> Any:
    """Tensor.log_normal_."""
    dtype, device = dtype_like(input), ops.device_of(input)
    return ops.exp(ops.normal(key_of(generator), shape_of(input), mean, std, dtype=dtype, device=device))


def geometric_(input: Any, p: Any, *, generator: Any = None) -> Any:
    """Tensor.geometric_: how many trials until one succeeds."""
    if not isinstance(p, float):
        refuse("Tensor.geometric_ of a chance that is open", "give p as a plain number")
    failing = ops.log1p(ops.negative(_unit(input, generator)))
    trials = ops.maximum(ops.ceil(ops.divide(failing, math.log1p(-p))), 1)
    return ops.astype(trials, dtype_like(input))


def randint_like(input: Any, *bounds: Any, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    """torch.randint_like(input, high), (input, low, high)."""
    given = {**dict(zip(("high",) if len(bounds) == 1 and "high" not in named else ("low", "high"), bounds)), **named}
    made = dtype_like(input) if dtype is None else dtype
    placed = ops.device_of(input) if device is None else place(device)
    whole = kind(input) in ("i", "u") if dtype is None else is_dtype(dtype) and getattr(dtype, "kind", "") in ("i", "u")
    drawn = ops.randint(
        build.next_key(),
        shape_of(input),
        given.get("low", 0),
        given["high"],
        dtype=made if whole else None,
        device=placed,
    )
    return drawn if whole else ops.astype(drawn, made)


def multinomial(input: Any, num_samples: Any, replacement: Any = False, *, generator: Any = None) -> Any:
    """torch.multinomial."""
    return ops.multinomial(key_of(generator), input, num_samples, replacement)


# ---------------------------------------------------------------- factors of low rank
def _basis(A: Any, q: Any, niter: int) -> Any:
    """A basis of about what A maps to: algorithm 4.4 of Halko et al., Finding structure with randomness (2009)."""
    drawn = ops.normal(build.next_key(), (ops.size(A, -1), q), dtype=real_like(A), device=ops.device_of(A))
    drawn = ops.astype(drawn, dtype_like(A)) if kind(A) == "c" else drawn
    basis = ops.qr(ops.matmul(A, drawn))[0]
    for _ in range(niter):
        basis = ops.qr(ops.matmul(adjoint(A), basis))[0]
        basis = ops.qr(ops.matmul(A, basis))[0]
    return basis


def svd_lowrank(A: Any, q: Any = 6, niter: Any = 2, M: Any = None) -> Any:
    """torch.svd_lowrank."""
    A = floating(A if M is None else ops.subtract(A, M))
    turned = known_size(A, -2), known_size(A, -1)
    if None in turned:
        refuse(
            "torch.svd_lowrank of matrices of unknown size", "give the argument's shape: gfx.TensorSpec(shape, dtype)"
        )
    wide = turned[0] < turned[1]  # type: ignore[operator]
    A = adjoint(A) if wide else A
    basis = _basis(A, 6 if q is None else q, 2 if niter is None else niter)
    u, s, vh = ops.svd(ops.matmul(adjoint(basis), A), full_matrices=False)
    u, v = ops.matmul(basis, u), adjoint(vh)
    return OldSvd(v, s, u) if wide else OldSvd(u, s, v)


def pca_lowrank(A: Any, q: Any = None, center: Any = True, niter: Any = 2) -> Any:
    """torch.pca_lowrank."""
    sizes = [known_size(A, at) for at in (-2, -1)]
    if q is None and None in sizes:
        refuse("torch.pca_lowrank without q= of matrices of unknown size", "give q=")
    q = min(6, *sizes) if q is None else q  # type: ignore[type-var]
    A = floating(A)
    return svd_lowrank(ops.subtract(A, ops.mean(A, axis=-2, keepdims=True)) if center else A, q, niter)


LIFTS = {
    "Tensor.uniform_": uniform_,
    "Tensor.exponential_": exponential_,
    "Tensor.cauchy_": cauchy_,
    "Tensor.log_normal_": log_normal_,
    "Tensor.geometric_": geometric_,
    "torch.randint_like": randint_like,
    "torch.svd_lowrank": svd_lowrank,
    "torch.pca_lowrank": pca_lowrank,
}
