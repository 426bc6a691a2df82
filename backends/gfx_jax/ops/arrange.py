"""Laying elements out anew: steps in memory, windows, pairs as complex numbers, diagonals, blocks, positions."""

from __future__ import annotations

from types import SimpleNamespace

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.broadcasting import of_parts
from gfx_ir.ops import _seen

from ._lift import rank
from .create import OWN_FLOAT


def _vander(args: SimpleNamespace) -> str:
    return (
        f"{'jnp.' if rank(args.x) == 1 else ''}vander(x, {'N' if rank(args.x) == 1 else 'n'}=n, increasing=increasing)"
    )


ROWS = (
    Row("as_strided", "as_strided(x, shape, strides, offset=offset)"),
    Row("unfold", "unfold(x, axis, size, step=step)"),
    Row("take_run", "jax.lax.dynamic_slice_in_dim(x, start, length, axis=axis)"),
    Row("view_as_real", "jnp.stack((jnp.real(x), jnp.imag(x)), axis=-1)"),
    Row("as_complex", "jax.lax.complex(real, imag)", {"lax.complex": of_parts}),
    Row("view_as_complex", "jax.lax.complex(x[..., 0], x[..., 1])"),
    Row(
        "block_diag",
        "jax.scipy.linalg.block_diag(*arrays)",
        {"jax.scipy.linalg.block_diag": lambda *arrs: ops.block_diag(arrs)},
    ),
    *(Row(name, f"jnp.{name}(n_rows, k=k, m=n_cols)") for name in ("tril_indices", "triu_indices")),
    Row("diag_embed", lambda a: "jnp.diag(x, k=offset)" if _seen.is_diag(a) else ""),
    Row("diag", "jnp.diag(x, k=offset)"),
    Row("vander", _vander),
    Row("logspace", "jnp.logspace(start, stop, num, endpoint=endpoint, base=base, dtype=dtype)", own=OWN_FLOAT),
    Row("argwhere", "jnp.argwhere(x, size=size, fill_value=fill_value)", own={"fill_value": 0}),
    Row("nonzero", lambda a: "jnp.nonzero(x)" + ("[0]" if _seen.rank(a.x) == 1 else "")),
    Row(
        "scatter_reduce",
        "scatter_reduce(x, indices, updates, axis, reduce, include_self=include_self)",
    ),
)
