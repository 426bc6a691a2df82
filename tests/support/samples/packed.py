"""Sequences of several lengths, packed and padded."""

import numpy as np

from samples import Sample, normal

S = Sample
LENGTHS, SORTED = np.array([2, 5, 3]), np.array([5, 3, 2])
SIZES = np.array([3, 3, 2, 1, 1])
X, DATA = normal(5, 3, 4), normal(10, 4)
DATA_SHAPE = {"symbolic": "how many rows there are hangs on the lengths"}
SAMPLES = [
    S("pack_padded_sequence", (X, SORTED), skip=DATA_SHAPE),
    S("pack_padded_sequence", (X, LENGTHS), {"enforce_sorted": False}, skip=DATA_SHAPE),
    S("pack_padded_sequence", (X.swapaxes(0, 1).copy(), LENGTHS, True, False), skip=DATA_SHAPE),
    S("pack_padded_sequence", (X[..., 0].copy(), np.array([4, 2, 1])), skip=DATA_SHAPE),
    S("pad_packed_sequence", (DATA, SIZES, 3)),
    S("pad_packed_sequence", (DATA, SIZES, 3, -1.0, 7)),
    S("pad_packed_sequence", (DATA[:, 0].copy(), SIZES, 3)),
]
