"""Losses of sequences whose labels lie somewhere in time."""

from __future__ import annotations

from types import SimpleNamespace

from ..types import LogicalTensor
from ._row import op
from ._shapes import as_type, input_size

FAMILY = "nn"


def _loss_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if args.reduction != "none":
        return LogicalTensor(x.dtype, ())
    return LogicalTensor(x.dtype, None if x.dims is None else x.dims[1:-1])


op(
    FAMILY,
    'ctc_loss(x, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False)',
    "ctc_loss(x, targets, input_lengths, target_lengths, blank=blank, reduction=reduction, zero_infinity=zero_infinity)",
    infer=_loss_type,
    compute=input_size,
    doc="The negative log-probability of a row of labels under x (time, batch, classes) of log-probabilities, over all "
    "alignments (Graves et al., ICML 2006). Lengths are tuples or tensors; the mean is over losses divided by lengths.",
)
