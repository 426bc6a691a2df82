"""Packed sequences: torch.nn.utils.rnn, and recurrent layers over them.

What was packed in the captured code keeps its padded form, which the layers take with its lengths; only what asks for the data
themselves, or was packed elsewhere, is gathered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from torch.nn.utils.rnn import PackedSequence

from gfx_ir import ops
from gfx_ir.build import host, rank_of
from gfx_ir.dtypes import dtype
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Value
from gfx_ir.op import lookup
from gfx_ir.trees import leaves

from ..lifting import ask_rank, known_size, refuse

_LAYERS = ("lstm", "gru", "rnn")
_INT64 = dtype("int64")


class Padded(NamedTuple):
    """Sequences with their lengths; `order` and `back` where the states of layers are in another order than the sequences."""

    x: Any
    lengths: Any
    batch_first: bool
    enforce_sorted: bool
    order: Any = None
    back: Any = None


def pack_padded_sequence(input: Any, lengths: Any, batch_first: Any = False, enforce_sorted: Any = True) -> tuple:
    """torch.nn.utils.rnn.pack_padded_sequence."""
    if isinstance(lengths, (tuple, list)):
        lengths = ops.as_tensor(lengths, dtype=_INT64)
    if enforce_sorted:
        _check_falling(lengths)
    return _packed(ops.pack_padded_sequence(input, lengths, bool(batch_first), bool(enforce_sorted)))


def _packed(parts: tuple) -> tuple:
    return PackedSequence._make((*parts, None, None)[:4])


def _check_falling(lengths: Any) -> None:
    """What PyTorch asks of lengths that are said to fall; at capture where they are known. Raises ShapeError there."""
    text = "the lengths of sequences must fall and be at least 1, unless enforce_sorted=False"
    known = _known(lengths)
    if known is None:
        falls = ops.greater_equal(ops.getitem(lengths, slice(None, -1)), ops.getitem(lengths, slice(1, None)))
        ops.check(ops.logical_and(ops.all(falls), ops.greater(ops.getitem(lengths, -1), 0)), text, "RuntimeError")
    elif np.any(np.diff(known) > 0) or np.min(known) < 1:
        raise ShapeError(f"{text}: {list(known)}")


def packed_sequence(
    data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
) -> tuple:  # fmt: skip
    """PackedSequence."""
    if batch_sizes is None:
        data, batch_sizes = data
    if unsorted_indices is None and sorted_indices is not None:
        unsorted_indices = ops.argsort(sorted_indices)
    return PackedSequence._make((data, batch_sizes, sorted_indices, unsorted_indices))


def padded(sequence: tuple, batch: Any = None) -> Padded:
    """What was packed; `batch`: how many sequences there are, where that is known otherwise."""
    data, batch_sizes, order, back = sequence
    node = data.node
    if node.op.name == "pack_padded_sequence" and node.values[:2] == (data, batch_sizes):
        return Padded(*node.args)
    if batch is None:
        batch = lookup("to_python")(ops.getitem(batch_sizes, 0), "int") if order is None else ops.size(order, 0)
    x, lengths = ops.pad_packed_sequence(data, batch_sizes, batch)
    return Padded(x, lengths, False, True, order, back)


def packed_again(x: Any, found: Padded, sequence: tuple) -> tuple:
    """What a layer gives for each place of a packed sequence, packed as that is."""
    parts = ops.pack_padded_sequence(x, found.lengths, found.batch_first, found.enforce_sorted)
    return _packed(parts if found.order is None else (parts[0], *sequence[1:]))


def pad_packed_sequence(
    sequence: tuple, batch_first: Any = False, padding_value: Any = 0.0, total_length: Any = None
) -> tuple:  # fmt: skip
    """torch.nn.utils.rnn.pad_packed_sequence."""
    found = padded(sequence)
    x, lengths = found.x, found.lengths
    if found.back is not None:
        x, lengths = ops.take(x, found.back, axis=1), ops.take(lengths, found.back, axis=0)
    time = 1 if found.batch_first else 0
    x = _ended(x, found, lengths, time, padding_value)
    x = _cut(x, time, _longest(lengths)) if total_length is None else _of_length(x, time, total_length, padding_value)
    return ops.swapaxes(x, 0, 1) if bool(batch_first) != found.batch_first else x, ops.astype(lengths, _INT64)


def _known(lengths: Any) -> Any:
    """The lengths as numbers; None where they are data."""
    given = lengths.node.args[0] if lengths.node.op.name in ("constant", "as_tensor") else None
    return None if given is None or any(isinstance(leaf, Value) for leaf in leaves(given)) else given


def _longest(lengths: Any) -> Any:
    """The length of the longest sequence: a number where the lengths are."""
    known = _known(lengths)
    return lookup("to_python")(ops.max(lengths), "int") if known is None else int(np.max(known))


def _ended(x: Any, found: Padded, lengths: Any, time: int, value: Any) -> Any:
    """The sequences with `value` behind their ends: layers give 0 there."""
    zero = isinstance(value, (int, float)) and value == 0
    if zero and (x.node.op.name in _LAYERS or found.order is not None):
        return x
    rank = ask_rank(x, 3, "torch.nn.utils.rnn.pad_packed_sequence")
    places = ops.expand_dims(ops.arange(ops.size(x, time)), 1 - time)
    runs = ops.less(places, ops.expand_dims(lengths, time))
    for _ in range(rank - 2):
        runs = ops.expand_dims(runs, -1)
    return ops.where(runs, x, value)


def _cut(x: Any, time: int, total: Any) -> Any:
    """The first part of x along time; x itself where that is all of it."""
    return x if known_size(x, time) == total else ops.getitem(x, (*(slice(None),) * time, slice(None, total)))


def _of_length(x: Any, time: int, total: Any, value: Any) -> Any:
    """x cut or padded along time."""
    size = ops.size(x, time)
    if size is total or (isinstance(size, int) and size == total):
        return x
    rank = ask_rank(x, 3, "torch.nn.utils.rnn.pad_packed_sequence")
    more = host("-", total, host("min", size, total))
    return ops.pad(_cut(x, time, total), ((0, more), *((0, 0),) * (rank - time - 1)), value=value)


def pad_sequence(
    sequences: Any, batch_first: Any = False, padding_value: Any = 0.0, padding_side: str = "right"
) -> Any:  # fmt: skip
    """torch.nn.utils.rnn.pad_sequence."""
    items = list(sequences)
    sizes = [ops.size(x, 0) for x in items]
    longest: Any = sizes[0]
    for size in sizes[1:]:
        longest = host("max", longest, size)
    rank = rank_of(items[0], "torch.nn.utils.rnn.pad_sequence")
    made = []
    for x, size in zip(items, sizes):
        more = host("-", longest, size)
        width = (0, more) if padding_side == "right" else (more, 0)
        made.append(
            x
            if isinstance(more, int) and more == 0
            else ops.pad(x, (width, *((0, 0),) * (rank - 1)), value=padding_value)
        )
    return ops.stack(tuple(made), axis=0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: Any = False) -> list:
    """torch.nn.utils.rnn.unpad_sequence."""
    if not batch_first:
        refuse("torch.nn.utils.rnn.unpad_sequence transposes its argument in place", "give batch_first=True, and x.mT")
    count, known = known_size(padded_sequences, 0), _known(lengths)
    count = known_size(lengths, 0) if count is None else count
    if count is None:
        refuse("torch.nn.utils.rnn.unpad_sequence of an open number of sequences", "give their shape: gfx.TensorSpec")
    ends = [lookup("to_python")(ops.getitem(lengths, at), "int") for at in range(count)] if known is None else known
    return [ops.getitem(padded_sequences, (at, slice(None, end))) for at, end in enumerate(ends)]


LIFTS: dict[str, Callable[..., Any]] = {
    "torch.nn.utils.rnn.pack_padded_sequence": pack_padded_sequence,
    "torch.nn.utils.rnn.pad_packed_sequence": pad_packed_sequence,
    "torch.nn.utils.rnn.pad_sequence": pad_sequence,
    "torch.nn.utils.rnn.unpad_sequence": unpad_sequence,
    "torch.nn.utils.rnn.PackedSequence": packed_sequence,
}
