"""Recurrent layers as scans over time. Emitted source contains the functions it needs."""

import jax
import jax.numpy as jnp


def lstm_step(x, state, w_hh, b_hh=0, w_hr=None):
    """h and c after one step; x holds the gates' share of the input."""
    h, c = state
    i, f, g, o = jnp.split(x + h @ w_hh.T + b_hh, 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return h if w_hr is None else h @ w_hr.T, c


def gru_step(x, state, w_hh, b_hh=0):
    """h after one step; x holds the gates' share of the input."""
    (h,) = state
    x_r, x_z, x_n = jnp.split(x, 3, axis=-1)
    h_r, h_z, h_n = jnp.split(h @ w_hh.T + b_hh, 3, axis=-1)
    new = jnp.tanh(x_n + jax.nn.sigmoid(x_r + h_r) * h_n)
    return (new + jax.nn.sigmoid(x_z + h_z) * (h - new),)


def tanh_step(x, state, w_hh, b_hh=0):
    """h after one step; x holds the input's share."""
    return (jnp.tanh(x + state[0] @ w_hh.T + b_hh),)


def relu_step(x, state, w_hh, b_hh=0):
    """h after one step; x holds the input's share."""
    return (jax.nn.relu(x + state[0] @ w_hh.T + b_hh),)


def recurrent_layer(step, x, state, weights, reverse, lengths):
    """The outputs (time, batch, hidden) of one layer in one direction, and its state at the end."""
    projection = weights[-1:] if len(weights) % 2 else ()
    w_ih, w_hh, *biases = weights[: len(weights) - len(projection)]
    rest = (w_hh, biases[1] if biases else 0, *projection)

    def body(state, inputs):
        x, t = inputs
        new = step(x, state, *rest)
        if lengths is None:
            return new, new[0]
        runs = (t < lengths)[:, None]
        return tuple(jnp.where(runs, *pair) for pair in zip(new, state)), jnp.where(runs, new[0], 0)

    inputs = x @ w_ih.T + (biases[0] if biases else 0)
    state, outputs = jax.lax.scan(body, state, (inputs, jnp.arange(len(x))), reverse=reverse)
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
        x = jnp.concatenate(outputs, axis=-1)
    return (x.swapaxes(0, 1) if batch_first else x, *(jnp.stack(state) for state in zip(*ends)))


def lstm(x, h, c, weights, layers=1, bidirectional=False, batch_first=False, lengths=None):
    """LSTM layers over x (time, batch, features): the output, and h and c at the end.

    `weights` has of each layer and direction those of input and hidden state, both biases, a projection, as far as there are.
    """
    return recurrent(lstm_step, x, (h, c), weights, layers, bidirectional, batch_first, lengths)


def gru(x, h, weights, layers=1, bidirectional=False, batch_first=False, lengths=None):
    """GRU layers over x (time, batch, features): the output, and h at the end.

    `weights` has of each layer and direction those of input and hidden state, and both biases, as far as there are.
    """
    return recurrent(gru_step, x, (h,), weights, layers, bidirectional, batch_first, lengths)


def rnn(x, h, weights, activation="tanh", layers=1, bidirectional=False, batch_first=False, lengths=None):
    """Elman layers over x (time, batch, features): the output, and h at the end.

    `weights` has of each layer and direction those of input and hidden state, and both biases, as far as there are.
    """
    step = relu_step if activation == "relu" else tanh_step
    return recurrent(step, x, (h,), weights, layers, bidirectional, batch_first, lengths)
