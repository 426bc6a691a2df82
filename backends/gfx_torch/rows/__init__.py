"""One file a family of ops: how PyTorch spells each op, and which of its calls are that op."""

from . import create, effect, elementwise, fft, index, linalg, nn, random, reduce, shape

ROWS = (
    *elementwise.ROWS,
    *reduce.ROWS,
    *shape.ROWS,
    *linalg.ROWS,
    *nn.ROWS,
    *index.ROWS,
    *create.ROWS,
    *random.ROWS,
    *fft.ROWS,
    *effect.ROWS,
)
