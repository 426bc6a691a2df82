"""Laying elements out anew: steps in memory, windows, pairs as complex numbers, diagonals, blocks, positions."""

from __future__ import annotations

from types import SimpleNamespace

from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.dtypes import DType
from gfx_ir.lifting.ranks import just
from gfx_ir.ops import _seen

from ..lifting import names, of_ranks
from ..lifts import arranging, finding, scattering
from ._spell import as_index, rank_of, scattered
from .create import OWN_FLOAT, linspace


def _triangle(name: str) -> Row:
    def spelling(args: SimpleNamespace) -> str:
        return f"torch.{name}(n_rows, {'n_rows' if args.n_cols is None else 'n_cols'}, k)"

    return Row(name, spelling, {f"torch.{name}": arranging.triangle_indices(name)})


def _logspace(args: SimpleNamespace) -> str:
    if not (_seen.is_plain(args.start) and _seen.is_plain(args.stop)):
        whole = isinstance(args.dtype, DType) and args.dtype.kind in "iu"  # which the powers are, not the exponents
        exponents = linspace(SimpleNamespace(**{**vars(args), "dtype": None if whole else args.dtype}))
        powers = f"base ** ({exponents})".replace(", device=device", "")
        return f"({powers}).to(dtype)" if whole else powers
    count, part = ("num", "") if args.endpoint else ("num + 1", "[:-1]")
    return f"torch.logspace(start, stop, {count}, base=base, dtype=dtype){part}"


def _vander(args: SimpleNamespace) -> str:
    if rank_of(args.x) == 1:
        return "torch.vander(x, N=n, increasing=increasing)"
    return "vander(x, n, increasing)"  # torch.linalg.vander makes no single column


def _scatter_reduce(args: SimpleNamespace) -> str:
    indices = as_index("indices", args.indices)
    return f"torch.scatter_reduce(x, axis, {indices}, {scattered(args)}, reduce, include_self=include_self)"


def _as_complex(args: SimpleNamespace) -> str:
    """Half precision makes complex numbers that no other target has."""
    found = dtype_of(args.x)
    return "torch.view_as_complex(x.float())" if found is not None and found.bits == 16 else "torch.view_as_complex(x)"


def _as_strided(args: SimpleNamespace) -> str:
    """Steps in memory, of what lies there row by row whatever computed it, from where that begins."""
    whole = isinstance(args.offset, int) and args.offset == 0
    return f"x.{'contiguous()' if whole else 'reshape(-1)[offset:]'}.as_strided(shape, strides)"


ROWS = (
    Row(
        "as_strided",
        _as_strided,
        {names("as_strided"): arranging.as_strided},
    ),
    Row("unfold", "x.unfold(axis, size, step)", {"Tensor.unfold": arranging.unfold}),
    Row("take_run", "torch.narrow(x, axis, start, length)"),
    Row("view_as_real", "torch.view_as_real(x)", {"torch.view_as_real": lambda input: arranging.view_as_real(input)}),
    Row("as_complex", "torch.complex(real, imag)", {"torch.complex": arranging.as_complex}),
    Row("view_as_complex", _as_complex, {"torch.view_as_complex": lambda input: arranging.view_as_complex(input)}),
    Row(
        "diag_embed",
        "torch.diag_embed(x, offset=offset, dim1=axis1, dim2=axis2)",
        {f"{names('diag_embed')}": arranging.diag_embed},
    ),
    Row("diag", "torch.diag(x, offset)"),
    Row("block_diag", "torch.block_diag(*arrays)", {"torch.block_diag": arranging.block_diag}),
    _triangle("tril_indices"),
    _triangle("triu_indices"),
    Row("logspace", _logspace, {"torch.logspace": just("torch.logspace", arranging.logspace, 0, 0)}, own=OWN_FLOAT),
    Row(
        "vander",
        _vander,
        {
            "torch.vander": of_ranks("vander", arranging.vander, 1),
            "torch.linalg.vander": lambda x, *, N=None: arranging.vander(x, N, True),
        },
    ),
    Row(
        "masked_scatter",
        "torch.masked_scatter(x, mask, source)",
        {names("masked_scatter"): finding.masked_scatter},
        alike=("x", "source"),
    ),
    Row(
        "argwhere",
        lambda a: (
            "torch.argwhere(x)" if a.size is None else "torch.nonzero_static(x, size=size, fill_value=fill_value)"
        ),
        {
            f"{names('argwhere')}": lambda input: finding.nonzero(input),
            names("nonzero"): finding.nonzero,
            names("nonzero_static"): finding.nonzero_static,
        },
        keep=("fill_value",),
    ),
    Row("nonzero", lambda a: "torch.nonzero(x, as_tuple=True)" + ("[0]" if rank_of(a.x) == 1 else "")),
    Row("scatter_reduce", _scatter_reduce, {names("scatter_reduce"): scattering.scatter_reduce}),
)
