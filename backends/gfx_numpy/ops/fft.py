"""Discrete Fourier transforms: https://numpy.org/doc/stable/reference/routines.fft.html."""

from gfx_ir.lifting.transforms import Transforms

from ._lift import NP, rows

ROWS = rows(NP.table(Transforms(NP).table()))
