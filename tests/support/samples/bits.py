"""Bits: each width, signs, elements made narrower and wider."""

import numpy as np

from gfx_ir.dtypes import dtype
from samples import Sample, integers, normal

S = Sample
X = normal(2, 4)
WHOLE = [
    np.array([np.iinfo(d).min, -1 % 2**8 if d == "uint8" else -1, 0, 1, 100, np.iinfo(d).max], d)
    for d in ("int8", "int16", "int32", "int64", "uint8")
]

NARROW = {"jax": "64 bits are off"}

SAMPLES = [
    S(name, (x,), skip=NARROW if x.dtype == "int64" else {}) for name in ("population_count", "clz") for x in WHOLE
]
SAMPLES += [S("bitcast", (X, dtype(name))) for name in ("int32", "uint8", "int16")]
SAMPLES += [S("bitcast", (X, dtype("float64")), skip=NARROW)]
SAMPLES += [S("bitcast", (X[0, 0:1].reshape(()), dtype("int32")))]
SAMPLES += [S("bitcast", (integers(2, 4, dtype="uint8"), dtype(name))) for name in ("int8", "float32", "int16")]
