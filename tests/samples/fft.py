"""Transforms along each axis, cut or padded, of odd and even length."""

import numpy as np

from samples import Sample, normal

S = Sample
EVEN, ODD = normal(3, 8), normal(3, 7, seed=1)
COMPLEX = (normal(3, 5, seed=2) + 1j * normal(3, 5, seed=3)).astype(np.complex64)

SAMPLES = [
    S(name, (x,), form)
    for name in ("fft", "ifft", "rfft", "irfft")
    for x in (EVEN, ODD, COMPLEX)
    for form in ({}, {"axis": 0}, {"n": 6}, {"n": 9, "axis": 0})
    if not (name == "rfft" and x is COMPLEX)
]
SAMPLES += [S("fft", (np.arange(6),), skip={"dtype": "each framework has a width of its own"})]
