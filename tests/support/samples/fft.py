"""Transforms along each axis, cut or padded, of odd and even length."""

import numpy as np

from gfx_ir.dtypes import dtype
from samples import Sample, normal

S = Sample
EVEN, ODD = normal(3, 8), normal(3, 7, seed=1)
COMPLEX = (normal(3, 5, seed=2) + 1j * normal(3, 5, seed=3)).astype(np.complex64)

SAMPLES = [
    S(name, (x,), form)
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    for x in (EVEN, ODD, COMPLEX)
    for form in ({}, {"axis": 0}, {"n": 6}, {"n": 9, "axis": 0})
    if not (name in ("rfft", "ihfft") and x is COMPLEX)
]
SAMPLES += [S("fft", (np.arange(6),), skip={"dtype": "each framework has a width of its own"})]
SAMPLES += [S("fft", (COMPLEX,), {"norm": "ortho"}), S("irfft", (COMPLEX,), {"norm": "forward"})]
CUBE, HALF = normal(2, 4, 6, seed=4), (normal(2, 4, 5, seed=5) + 1j * normal(2, 4, 5, seed=6)).astype(np.complex64)
SAMPLES += [
    S(name, (x,), form)
    for name in ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")
    for x in (CUBE, HALF)
    for form in ({}, {"axes": (-2, -1), "norm": "ortho"}, {"axes": (0, 2)}, {"s": (6, 3), "axes": (2, 1)})
    if not (name in ("rfftn", "ihfftn") and x is HALF)
]
SAMPLES += [S(name, (x,), {"axes": axes}) for name in ("fftshift", "ifftshift") for x in (ODD,) for axes in (None, 1)]
SAMPLES += [S(name, (n, 0.5)) for name in ("fftfreq", "rfftfreq") for n in (6, 7)]
SAMPLES += [S("fftfreq", (5,), {"dtype": dtype("float32")})]
