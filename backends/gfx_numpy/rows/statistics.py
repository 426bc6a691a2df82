"""Statistics and integrals along axes; NumPy's covariances are of double precision at least."""

from __future__ import annotations

from gfx_ir.dtypes import float64
from gfx_ir.lifting.statistics import Statistics

from ._lift import NP, rows

ROWS = rows(NP.table(Statistics(NP, float64).table()))
