"""Batches of sequences of several lengths without what pads them, as torch.nn.utils.rnn packs them.

`data` has, time after time, the rows of the sequences that are not at their end, the longest sequence first; `batch_sizes` is how many
these are at each time. https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..build import host
from ..dtypes import int64
from ._body import named
from ._catalogue import ops
from ._row import composite

FAMILY = "nn"


def _kinds(args: SimpleNamespace) -> tuple[str, ...]:
    return ("tensor",) * (2 if args.enforce_sorted else 4)


@composite(FAMILY, kinds=_kinds)
def pack_padded_sequence(x: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> tuple:
    """The data and the batch sizes of sequences x (time, batch, ...); where they are not `enforce_sorted`, taken to be in the
    order of falling lengths, also that order and the way back from it."""
    x = ops.swapaxes(x, 0, 1) if batch_first else x
    rest: tuple = ()
    if not enforce_sorted:
        order = named("order", ops.argsort(lengths, descending=True))
        rest = order, ops.argsort(order)
        x, lengths = ops.take(x, order, axis=1), ops.take(lengths, order, axis=0)
    time = ops.expand_dims(ops.arange(ops.size(x, 0)), 1)
    runs = named("runs", ops.less(time, ops.expand_dims(lengths, 0)))
    sizes = ops.sum(ops.astype(runs, int64), axis=1)
    return (ops.getitem(x, runs), ops.getitem(sizes, ops.greater(sizes, 0)), *rest)


@composite(FAMILY, kinds=("tensor", "tensor"))
def pad_packed_sequence(
    data: Any, batch_sizes: Any, batch: Any, value: Any = 0.0, total_length: Any = None
) -> tuple:  # fmt: skip
    """The sequences (time, batch, ...) of packed data, `value` behind their ends, and their lengths. There are `batch` of them, of
    `total_length` with what is behind the ends, else of the length of the longest."""
    sizes = batch_sizes
    if total_length is not None:
        sizes = ops.pad(sizes, ((0, host("-", total_length, ops.size(batch_sizes, 0))),))
    sizes = named("sizes", ops.expand_dims(sizes, 1))
    rows = ops.expand_dims(ops.arange(batch), 0)
    runs = named("runs", ops.less(rows, sizes))
    places = ops.add(ops.subtract(ops.cumulative_sum(sizes, axis=0), sizes), rows)
    ended = ops.full_like(ops.getitem(data, slice(None, 1)), value)
    found = ops.take(ops.concat((data, ended), axis=0), ops.where(runs, places, ops.size(data, 0)), axis=0)
    return found, ops.sum(ops.astype(runs, int64), axis=0)
