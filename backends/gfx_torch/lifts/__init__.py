"""Calls of PyTorch that are no single op: functions in torch's own signatures that call several."""

from . import activations, arithmetic, casts, decompositions, indexing, losses, matrices, shapes

LIFTS = {
    **activations.LIFTS,
    **arithmetic.LIFTS,
    **casts.LIFTS,
    **decompositions.LIFTS,
    **indexing.LIFTS,
    **losses.LIFTS,
    **matrices.LIFTS,
    **shapes.LIFTS,
}
