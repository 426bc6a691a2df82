"""Recurrent layers: torch.lstm and its like, which nn.LSTM and its like call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir.backend import Row

from ..lifts import recurrent


def _stack(name: str, state: str) -> Any:
    """A call of torch's own; a helper for sequences of several lengths, which packs them."""

    def spelling(args: SimpleNamespace) -> str:
        call = f"torch.{name}_{args.activation}" if name == "rnn" else f"torch.{name}"
        per = len(args.weights) // (args.layers * (2 if args.bidirectional else 1))
        options = f"{per > 3}, layers, 0.0, False, bidirectional"
        if args.lengths is None:
            return f"{call}(x, {state}, weights, {options}, batch_first)"
        return f"over_lengths({call}, x, lengths, {state}, weights, ({options}), batch_first)"

    return spelling


ROWS = (
    Row("lstm", _stack("lstm", "(h, c)"), recurrent.LSTM, keep=("layers", "bidirectional", "batch_first")),
    Row("gru", _stack("gru", "h"), recurrent.GRU, keep=("layers", "bidirectional", "batch_first")),
    Row("rnn", _stack("rnn", "h"), recurrent.RNN, keep=("layers", "bidirectional", "batch_first")),
    Row(
        "lstm_cell",
        "torch.lstm_cell(x, (h, c), w_ih, w_hh, b_ih=b_ih, b_hh=b_hh)",
        recurrent.LSTM_CELL,
        alike=("x", "h", "c", "w_ih", "w_hh", "b_ih", "b_hh"),
    ),
    Row(
        "gru_cell",
        "torch.gru_cell(x, h, w_ih, w_hh, b_ih=b_ih, b_hh=b_hh)",
        recurrent.GRU_CELL,
        alike=("x", "h", "w_ih", "w_hh", "b_ih", "b_hh"),
    ),
    Row(
        "rnn_cell",
        lambda args: f"torch.rnn_{args.activation}_cell(x, h, w_ih, w_hh, b_ih=b_ih, b_hh=b_hh)",
        recurrent.RNN_CELL,
    ),
)
