"""Decompositions: https://numpy.org/doc/stable/reference/routines.linalg.html."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.lifting.decompositions import Decompositions, Eigen
from gfx_ir.op import lookup

from ._lift import NP, as_array, refuse, rows


def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = 1e-15) -> Any:
    """NumPy tells rtol=None, the size of the matrix, from no rtol at all."""
    given = rtol if rcond is None else rcond
    return ops.pinv(as_array(a), rtol=given, hermitian=hermitian)


def _of_unknown_kind(name: str) -> Any:
    """NumPy's eigenvalues are complex only where they have to be, which hangs on data; of complex matrices they always are."""
    op = lookup(name)

    def lift(a: Any) -> Any:
        a = as_array(a)
        known = getattr(getattr(a, "type", None), "dtype", None)
        if known is None or known.kind != "c":
            refuse(f"np.linalg.{name} of matrices that are not known to be complex: the dtype of its result", a=a)
        return op(a) if name == "eigvals" else Eigen(*op(a))

    return lift


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    refuse("np.linalg.lstsq, whose residuals have a shape that hangs on data: use np.linalg.pinv(a) @ b; it", a=a)


_TABLE = NP.table(Decompositions(NP).table())
_TABLE["pinv"] = {"np.linalg.pinv": _pinv}
ROWS = rows(
    _TABLE,
    {
        "eig": {"np.linalg.eig": _of_unknown_kind("eig")},
        "eigvals": {"np.linalg.eigvals": _of_unknown_kind("eigvals")},
        "lstsq": {"np.linalg.lstsq": _lstsq},
    },
)
