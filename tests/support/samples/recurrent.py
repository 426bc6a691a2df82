"""Recurrent layers: one and several, in one and both directions, with and without biases, projections and lengths."""

import numpy as np

from samples import Sample, normal

S = Sample
TIME, BATCH, INPUT, HIDDEN = 5, 3, 4, 2
X = normal(TIME, BATCH, INPUT)
LENGTHS = np.array([5, 2, 4])


def weights(gates, layers=1, directions=1, biases=True, projection=0):
    """Weights as a stack of layers takes them."""
    found, width = [], INPUT
    for layer in range(layers):
        for direction in range(directions):
            shapes = [(gates * HIDDEN, width), (gates * HIDDEN, projection or HIDDEN)]
            shapes += [(gates * HIDDEN,)] * 2 if biases else []
            shapes += [(projection, HIDDEN)] if projection else []
            found += [normal(*shape, seed=10 * layer + direction + n) for n, shape in enumerate(shapes)]
        width = directions * (projection or HIDDEN)
    return tuple(found)


def state(layers=1, width=HIDDEN, seed=7):
    """A state to begin with."""
    return normal(layers, BATCH, width, seed=seed)


H, C = state(), state(seed=8)
CELL = (normal(BATCH, INPUT), H[0])
SAMPLES = [
    S("lstm", (X, H, C, weights(4))),
    S("lstm", (X, state(4), state(4, seed=8), weights(4, 2, 2), 2, True)),
    S("lstm", (X.swapaxes(0, 1).copy(), H, C, weights(4, biases=False)), {"batch_first": True}),
    S("lstm", (X, state(2, 3), state(2), weights(4, 1, 2, projection=3), 1, True)),
    S("gru", (X, H, weights(3))),
    S("gru", (X, state(4), weights(3, 2, 2, biases=False), 2, True)),
    S("rnn", (X, H, weights(1))),
    S("rnn", (X, state(2), weights(1, 1, 2), "relu", 1, True)),
    S("lstm", (X, state(2), state(2, seed=8), weights(4, 1, 2), 1, True), {"lengths": LENGTHS}),
    S("gru", (X, state(2), weights(3, 1, 2), 1, True), {"lengths": LENGTHS}),
    S("lstm_cell", (*CELL, C[0], *weights(4))),
    S("lstm_cell", (*CELL, C[0], *weights(4, biases=False))),
    S("gru_cell", (*CELL, *weights(3))),
    S("gru_cell", (*CELL, *weights(3, biases=False))),
    S("rnn_cell", (*CELL, *weights(1))),
    S("rnn_cell", (*CELL, *weights(1, biases=False)), {"activation": "relu"}),
]
