"""Recurrent layers in NumPy: they define their ops. Emitted NumPy source contains what it needs word for word."""

from __future__ import annotations

from typing import Any

import numpy as np


def sigmoid(x):
    """1 / (1 + exp(-x)), without overflow."""
    return (1 / 2 * (1 + np.tanh(x / 2))).astype(x.dtype)


def lstm_step(x, state, w_hh, b_hh=None, w_hr=None):
    """h and c after one step; x holds the gates' share of the input."""
    h, c = state
    i, f, g, o = np.split(x + h @ w_hh.T + (0 if b_hh is None else b_hh), 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h if w_hr is None else h @ w_hr.T, c


def gru_step(x, state, w_hh, b_hh=None):
    """h after one step; x holds the gates' share of the input."""
    (h,) = state
    x_r, x_z, x_n = np.split(x, 3, axis=-1)
    h_r, h_z, h_n = np.split(h @ w_hh.T + (0 if b_hh is None else b_hh), 3, axis=-1)
    new = np.tanh(x_n + sigmoid(x_r + h_r) * h_n)
    return (new + sigmoid(x_z + h_z) * (h - new),)


def tanh_step(x, state, w_hh, b_hh=None):
    """h after one step; x holds the input's share."""
    return (np.tanh(x + state[0] @ w_hh.T + (0 if b_hh is None else b_hh)),)


def relu_step(x, state, w_hh, b_hh=None):
    """h after one step; x holds the input's share."""
    return (np.maximum(x + state[0] @ w_hh.T + (0 if b_hh is None else b_hh), 0),)


def recurrent_layer(step, x, state, weights, reverse, lengths):
    """The outputs (time, batch, hidden) of one layer in one direction, and its state at the end."""
    projection = weights[-1:] if len(weights) % 2 else ()
    w_ih, w_hh, *biases = weights[: len(weights) - len(projection)]
    rest = (w_hh, biases[1] if biases else None, *projection)
    inputs = x @ w_ih.T + (biases[0] if biases else 0)
    outputs = np.zeros((*x.shape[:-1], state[0].shape[-1]), inputs.dtype)
    for t in range(len(x))[:: -1 if reverse else 1]:
        new = step(inputs[t], state, *rest)
        runs = np.ones(x.shape[1:-1], bool)[..., None] if lengths is None else (t < lengths)[:, None]
        state = tuple(np.where(runs, after, before) for after, before in zip(new, state))
        outputs[t] = np.where(runs, state[0], 0)
    return outputs, state


def recurrent(step, x, states, weights, layers, bidirectional, batch_first, lengths):
    """The outputs of a stack of layers, and the states of all of them at the end."""
    x = x.swapaxes(0, 1) if batch_first else x
    directions = 2 if bidirectional else 1
    size, ends = len(weights) // (layers * directions), []
    for layer in range(layers):
        outputs = []
        for at in range(layer * directions, (layer + 1) * directions):
            state = tuple(s[at] for s in states)
            own = weights[at * size : (at + 1) * size]
            output, end = recurrent_layer(step, x, state, own, at % directions == 1, lengths)
            outputs.append(output)
            ends.append(end)
        x = np.concatenate(outputs, axis=-1)
    return (x.swapaxes(0, 1) if batch_first else x, *(np.stack(state) for state in zip(*ends)))


def lstm(x, h, c, weights, layers=1, bidirectional=False, batch_first=False, lengths=None):
    """LSTM layers: the output, and h and c at the end."""
    return recurrent(lstm_step, x, (h, c), weights, layers, bidirectional, batch_first, lengths)


def gru(x, h, weights, layers=1, bidirectional=False, batch_first=False, lengths=None):
    """GRU layers: the output, and h at the end."""
    return recurrent(gru_step, x, (h,), weights, layers, bidirectional, batch_first, lengths)


def rnn(x, h, weights, activation="tanh", layers=1, bidirectional=False, batch_first=False, lengths=None):
    """Elman layers: the output, and h at the end."""
    step = relu_step if activation == "relu" else tanh_step
    return recurrent(step, x, (h,), weights, layers, bidirectional, batch_first, lengths)


RECURRENT: dict[str, Any] = {
    f.__name__: f
    for f in (sigmoid, lstm_step, gru_step, tanh_step, relu_step, recurrent_layer, recurrent, lstm, gru, rnn)
}
