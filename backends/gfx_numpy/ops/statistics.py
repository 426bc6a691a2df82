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
    text = "np.interp(x, xp, fp, left=left, right=right)"
    found = [element for part in (args.x, args.xp, args.fp) if (element := _seen.dtype(part)) is not None]
    if len(found) < 3 or {float64, complex128}.intersection(found):
        return text
    narrow = [element for element in found if element.kind == "f"]
    return f"{text}.astype({'np.result_type(x, xp, fp)' if len(set(narrow)) > 1 else 'fp.dtype'})" if narrow else text


ROWS = (
    *rows(NP.table(Statistics(NP, float64).table())),
    Row("interp", _interp),
    *(Row(name, f"np.{name}(x, axis=axis, keepdims=keepdims)") for name in ("median", "nanmedian")),
    Row("polyval", "np.polyval(p, x)"),
)
