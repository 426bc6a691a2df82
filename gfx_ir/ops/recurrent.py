"""Recurrent layers, stacked and in one or both directions, as torch.nn and ONNX have them.

`weights` is flat: of each layer, and of each of its directions, (input, hidden[, input bias, hidden bias][, projection]),
their gates stacked along the first axis. x is (time, batch, features), or (batch, time, features) where `batch_first`; states
are (layers * directions, batch, hidden). With `lengths` (batch), the time behind them changes no state and gives 0.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import host
from ..host import DimLike
from ..types import LogicalTensor
from ._body import named
from ._catalogue import ops
from ._row import composite, op
from ._shapes import as_type, promote

FAMILY = "nn"


def _stack_types(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
    """Types of the output and of the states that a stack of layers leaves."""
    x, h = as_type(args.x, rules), as_type(args.h, rules)
    dtype = promote([as_type(v, rules) for v in (args.x, args.h, *args.weights)], rules)[0]
    states = [LogicalTensor(dtype, as_type(s, rules).dims) for s in (args.h, *([args.c] if hasattr(args, "c") else ()))]
    dims = None
    if x.dims is not None:
        width = None if h.dims is None else h.dims[-1]
        dims = (*x.dims[:-1], None if width is None else host.mul(width, 2 if args.bidirectional else 1))
    return (LogicalTensor(dtype, dims), *states)


def _stack_cost(args: SimpleNamespace, types: tuple) -> DimLike | None:
    """Two operations for each weight and each place in time and batch."""
    x = args.x.dims if isinstance(args.x, LogicalTensor) else None
    sizes = [w.size() for w in args.weights if isinstance(w, LogicalTensor) and w.rank == 2]
    if x is None or None in x or None in sizes:
        return None
    total: DimLike = 0
    for size in sizes:
        total = host.add(total, size)  # type: ignore[arg-type]
    return host.mul(host.mul(2, total), host.mul(x[0], x[1]))  # type: ignore[arg-type]


_OPTIONS = "layers=1, bidirectional=False, batch_first=False, lengths=None"
_PASSED = "layers, bidirectional, batch_first, lengths"
op(
    FAMILY,
    f"lstm(x, h, c, weights, {_OPTIONS})",
    f"lstm(x, h, c, weights, {_PASSED})",
    infer=_stack_types,
    kinds=("tensor",) * 3,
    compute=_stack_cost,
    doc="LSTM layers (Hochreiter and Schmidhuber, 1997; projections: arXiv:1402.1128): the output, h and c at the end.",
)
op(
    FAMILY,
    f"gru(x, h, weights, {_OPTIONS})",
    f"gru(x, h, weights, {_PASSED})",
    infer=_stack_types,
    kinds=("tensor", "tensor"),
    compute=_stack_cost,
    doc="GRU layers (arXiv:1406.1078, the reset gate behind the product): the output, and h at the end.",
)
op(
    FAMILY,
    f'rnn(x, h, weights, activation="tanh", {_OPTIONS})',
    f"rnn(x, h, weights, activation, {_PASSED})",
    infer=_stack_types,
    kinds=("tensor", "tensor"),
    compute=_stack_cost,
    doc="Elman layers, of tanh or relu: the output, and h at the end.",
)


def _gates(x: Any, weight: Any, bias: Any) -> Any:
    return ops.linear(x, weight, bias)


@composite(FAMILY, kinds=("tensor", "tensor"))
def lstm_cell(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> tuple:
    """One step of an LSTM: the new h and c."""
    gates = ops.add(_gates(x, w_ih, b_ih), _gates(h, w_hh, b_hh))
    i, f, g, o = ops.split(gates, 4, axis=-1)
    kept = ops.multiply(ops.sigmoid(f), c)
    c = named("c", ops.add(kept, ops.multiply(ops.sigmoid(i), ops.tanh(g))))
    return ops.multiply(ops.sigmoid(o), ops.tanh(c)), c


@composite(FAMILY)
def gru_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """One step of a GRU: the new h."""
    x_r, x_z, x_n = ops.split(_gates(x, w_ih, b_ih), 3, axis=-1)
    h_r, h_z, h_n = ops.split(_gates(h, w_hh, b_hh), 3, axis=-1)
    reset = named("reset", ops.sigmoid(ops.add(x_r, h_r)))
    update = named("update", ops.sigmoid(ops.add(x_z, h_z)))
    new = named("new", ops.tanh(ops.add(x_n, ops.multiply(reset, h_n))))
    return ops.add(new, ops.multiply(update, ops.subtract(h, new)))


@composite(FAMILY)
def rnn_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, activation: str = "tanh") -> Any:
    """One step of an Elman network, of tanh or relu: the new h."""
    found = ops.add(_gates(x, w_ih, b_ih), _gates(h, w_hh, b_hh))
    return ops.relu(found) if activation == "relu" else ops.tanh(found)
