"""Statistics and integrals along axes; NumPy's covariances are of double precision at least."""

from __future__ import annotations

from types import SimpleNamespace

from gfx_ir.backend import Row
from gfx_ir.dtypes import complex128, float64
from gfx_ir.lifting.statistics import Statistics
from gfx_ir.ops import _seen

from ._lift import NP, rows


def _interp(args: SimpleNamespace) -> str:
    """NumPy's is of double precision always."""
    text, element = "np.interp(x, xp, fp, left=left, right=right)", _seen.dtype(args.fp)
    return text if element in (None, float64, complex128) else f"{text}.astype(fp.dtype)"


ROWS = (
    *rows(NP.table(Statistics(NP, float64).table())),
    Row("interp", _interp),
    Row("polyval", "np.polyval(p, x)"),
)
