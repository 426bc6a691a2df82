"""Recurrent layers: torch.lstm and its like, nn.LSTM and its like, in terms of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import build, ops
from gfx_ir.lifting.ranks import of_one_size
from gfx_ir.op import OpDef, lookup

from ..lifting import ask_rank, dtype_like, fixed_int, refuse
from . import packed
from .layers import Lifts


def _parts(hx: Any) -> tuple:
    return tuple(hx) if isinstance(hx, (tuple, list)) else (hx,)


def _stacked(
    op: OpDef, x: Any, states: tuple, weights: Any, layers: int, bidirectional: Any, batch_first: Any, share: Any,
    options: dict[str, Any],
) -> tuple:  # fmt: skip
    """The op over all layers; one layer at a time where a share of what goes between them is dropped."""
    weights, directions = tuple(weights), 2 if bidirectional else 1
    of_one_size(f"torch.{op.name}", x, -1, weights[0], 1)  # PyTorch's kernel reads beyond a row that is shorter
    settings = {"bidirectional": bool(bidirectional), "batch_first": bool(batch_first), **options}
    if not share or layers == 1:
        return tuple(op(x, *states, weights, layers=layers, **settings))
    per, ends = len(weights) // layers, []
    for layer in range(layers):
        here = slice(layer * directions, (layer + 1) * directions)
        own = weights[layer * per : (layer + 1) * per]
        x = ops.dropout(x, share, build.next_key()) if layer else x
        x, *end = op(x, *(ops.getitem(s, here) for s in states), own, layers=1, **settings)
        ends.append(end)
    return (x, *(ops.concat(tuple(parts), axis=0) for parts in zip(*ends)))


def stack(name: str, **options: Any) -> Callable[..., Any]:
    """torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu of sequences of one length."""
    op = lookup(name)

    def fn(
        input: Any, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any,
        bidirectional: Any, batch_first: Any = False,
    ) -> Any:  # fmt: skip
        if not isinstance(params, (tuple, list)):
            refuse(f"torch.{name} of a packed sequence has no counterpart", "call the module: nn.LSTM, nn.GRU, nn.RNN")
        layers = fixed_int(num_layers, "the number of layers")
        share = dropout if train else 0.0
        return _stacked(op, input, _parts(hx), params, layers, bidirectional, batch_first, share, options)

    return fn


def module(name: str) -> Callable[..., Any]:
    """nn.LSTM, nn.GRU, nn.RNN."""
    op = lookup(name)

    def fn(m: Any, input: Any, hx: Any = None) -> Any:
        if isinstance(input, (tuple, list)):
            return _of_packed(op, m, tuple(input), hx)
        single = ask_rank(input, 3, f"nn.{name.upper()}") == 2
        x = ops.expand_dims(input, 0 if m.batch_first else 1) if single else input
        states = tuple(ops.expand_dims(s, 1) if single and hx is not None else s for s in _states(op, m, hx, x))
        out, *ends = _of_module(op, m, x, states, m.batch_first)
        if single:
            out = ops.squeeze(out, axis=0 if m.batch_first else 1)
            ends = [ops.squeeze(s, axis=1) for s in ends]
        return out, tuple(ends) if name == "lstm" else ends[0]

    return fn


def _of_module(op: OpDef, m: Any, x: Any, states: tuple, batch_first: Any, **options: Any) -> tuple:
    """The op over the layers of a module."""
    if op.name == "rnn":
        options["activation"] = m.nonlinearity
    weights = tuple(getattr(m, weight) for weight in m._flat_weights_names)
    share = m.dropout if m.training else 0.0
    return _stacked(op, x, states, weights, m.num_layers, m.bidirectional, batch_first, share, options)


def _of_packed(op: OpDef, m: Any, input: tuple, hx: Any) -> tuple:
    """A module over a packed sequence: over what was packed, each sequence as far as it goes."""
    found = packed.padded(input, None if hx is None else ops.size(_states(op, m, hx, None)[0], 1))
    states = _states(op, m, hx, found.x, found.batch_first)
    if hx is not None and found.order is not None:
        states = tuple(ops.take(s, found.order, axis=1) for s in states)
    out, *ends = _of_module(op, m, found.x, states, found.batch_first, lengths=found.lengths)
    if found.back is not None:
        ends = [ops.take(s, found.back, axis=1) for s in ends]
    return packed.packed_again(out, found, input), tuple(ends) if op.name == "lstm" else ends[0]


def _states(op: OpDef, m: Any, hx: Any, x: Any, batch_first: Any = None) -> tuple:
    """The state to begin with: that given, else zeros for the sequences x."""
    if hx is None:
        return _zeros(m, x, op.name == "lstm", m.batch_first if batch_first is None else batch_first)
    if op.name != "lstm" or isinstance(hx, (tuple, list)):
        return _parts(hx)
    return ops.getitem(hx, 0), ops.getitem(hx, 1)


def _zeros(m: Any, x: Any, two: bool, batch_first: Any) -> tuple:
    """The state to begin with where none is given."""
    count = m.num_layers * (2 if m.bidirectional else 1)
    lead = (count, ops.size(x, 0 if batch_first else 1))
    like = {"dtype": dtype_like(x), "device": ops.device_of(x)}
    h = ops.zeros((*lead, m.proj_size or m.hidden_size), **like)
    return (h, ops.zeros((*lead, m.hidden_size), **like)) if two else (h,)


def lstm_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """torch.lstm_cell."""
    h, c = hx
    return ops.lstm_cell(input, h, c, w_ih, w_hh, b_ih, b_hh)


def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """torch.gru_cell."""
    return ops.gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh)


def _rnn_cell(activation: str) -> Callable[..., Any]:
    def fn(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        return ops.rnn_cell(input, hx, w_ih, w_hh, b_ih, b_hh, activation)

    return fn


LSTM: Lifts = {"torch.lstm": stack("lstm")}
GRU: Lifts = {"torch.gru": stack("gru")}
RNN: Lifts = {f"torch.rnn_{name}": stack("rnn", activation=name) for name in ("tanh", "relu")}
LSTM_CELL: Lifts = {"torch.lstm_cell": lstm_cell}
GRU_CELL: Lifts = {"torch.gru_cell": gru_cell}
RNN_CELL: Lifts = {f"torch.rnn_{name}_cell": _rnn_cell(name) for name in ("tanh", "relu")}
MODULES: Lifts = {name.upper(): module(name) for name in ("lstm", "gru", "rnn")}
