"""One file a family of ops: how PyTorch spells each op, and which of its calls are that op."""

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
    margin,
    nn,
    packed,
    pooling,
    random,
    recurrent,
    reduce,
    resize,
    search,
    shape,
    special,
    statistics,
    transposed,
)
from ._numbers import takes_tensors

_ALL = (
    *elementwise.ROWS,
    *bits.ROWS,
    *reduce.ROWS,
    *shape.ROWS,
    *linalg.ROWS,
    *nn.ROWS,
    *pooling.ROWS,
    *recurrent.ROWS,
    *packed.ROWS,
    *margin.ROWS,
    *transposed.ROWS,
    *resize.ROWS,
    *index.ROWS,
    *create.ROWS,
    *random.ROWS,
    *fft.ROWS,
    *decompose.ROWS,
    *special.ROWS,
    *statistics.ROWS,
    *effect.ROWS,
    *arrange.ROWS,
    *search.ROWS,
)

ROWS = tuple(takes_tensors(row) for row in _ALL)
