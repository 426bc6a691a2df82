"""The rows of the JAX backend, family by family."""

from . import (
    arrange,
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
    recurrent,
    reduce,
    resize,
    search,
    shape,
    special,
    statistics,
)

_FAMILIES = (
    elementwise,
    bits,
    reduce,
    resize,
    shape,
    linalg,
    nn,
    recurrent,
    index,
    create,
    random,
    fft,
    special,
    statistics,
    decompose,
    effect,
    arrange,
    search,
)
ROWS = tuple(row for family in _FAMILIES for row in family.ROWS)
