"""The rows of the NumPy backend, family by family, and what its calls do to memory."""

from . import (
    bits,
    create,
    decompose,
    effect,
    elementwise,
    fft,
    index,
    linalg,
    nn,
    random,
    reduce,
    shape,
    special,
    statistics,
    writes,
)

_FAMILIES = (
    elementwise,
    bits,
    reduce,
    shape,
    linalg,
    nn,
    index,
    create,
    random,
    fft,
    special,
    statistics,
    decompose,
    effect,
)
ROWS = tuple(row for family in _FAMILIES for row in family.ROWS)
WRITES = writes.WRITES
COPIES = "np.conj np.copy ndarray.copy ndarray.flatten"
MAY_COPY = "np.ravel ndarray.ravel np.reshape ndarray.reshape"
SHARES = create.SHARES
