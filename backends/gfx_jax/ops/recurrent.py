"""Recurrent layers, and losses of sequences: helpers that scan over time."""

from __future__ import annotations

from gfx_ir.backend import Row

_OPTIONS = "layers=layers, bidirectional=bidirectional, batch_first=batch_first, lengths=lengths"
_LOSS = "blank=blank, reduction=reduction, zero_infinity=zero_infinity"

ROWS = (
    Row("lstm", f"lstm(x, h, c, weights, {_OPTIONS})"),
    Row("gru", f"gru(x, h, weights, {_OPTIONS})"),
    Row("rnn", f"rnn(x, h, weights, activation=activation, {_OPTIONS})"),
    Row("ctc_loss", f"ctc_loss(x, targets, input_lengths, target_lengths, {_LOSS})"),
)
