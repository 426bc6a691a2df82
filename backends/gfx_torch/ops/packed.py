"""Packed sequences, as torch.nn.utils.rnn has them."""

from __future__ import annotations

from types import SimpleNamespace

from gfx_ir.backend import Row


def _packing(args: SimpleNamespace) -> str:
    """A PackedSequence has four parts; those of order are None where the sequences are in order."""
    call = "torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=batch_first, enforce_sorted=enforce_sorted)"
    return f"{call}[:2]" if args.enforce_sorted else call


_PACKED = "torch.nn.utils.rnn.PackedSequence(data, batch_sizes)"
ROWS = (
    Row("pack_padded_sequence", _packing, own={"batch_first": False, "enforce_sorted": True}),
    Row(
        "pad_packed_sequence",
        f"torch.nn.utils.rnn.pad_packed_sequence({_PACKED}, padding_value=value, total_length=total_length)",
    ),
)
