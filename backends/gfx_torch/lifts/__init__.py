"""Calls of PyTorch that are no single op: functions in torch's own signatures that call several."""

from . import (
    activations,
    arithmetic,
    arranging,
    casts,
    copying,
    decompositions,
    finding,
    indexing,
    losses,
    masked,
    matrices,
    measures,
    pools,
    shapes,
    systems,
)

LIFTS = {
    **activations.LIFTS,
    **arithmetic.LIFTS,
    **arranging.LIFTS,
    **casts.LIFTS,
    **copying.LIFTS,
    **decompositions.LIFTS,
    **systems.LIFTS,
    **finding.LIFTS,
    **indexing.LIFTS,
    **losses.LIFTS,
    **masked.LIFTS,
    **matrices.LIFTS,
    **measures.LIFTS,
    **pools.LIFTS,
    **shapes.LIFTS,
}
