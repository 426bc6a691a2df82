"""Transposed convolution and windows as columns."""

import numpy as np

from samples import Sample, normal

S = Sample
SIGNAL, IMAGE, VOLUME = normal(2, 4, 7), normal(2, 4, 5, 6, seed=1), normal(1, 2, 3, 4, 3, seed=2)
BIAS = normal(6, seed=3)

SAMPLES = [
    S("conv_transpose", (SIGNAL, normal(4, 3, 3, seed=4)), {"dims": 1}),
    S(
        "conv_transpose",
        (SIGNAL, normal(4, 3, 3, seed=4), BIAS),
        {"stride": (2,), "padding": (1,), "output_padding": (1,), "groups": 2, "dims": 1},
    ),
    S(
        "conv_transpose",
        (IMAGE, normal(4, 6, 3, 2, seed=5), BIAS),
        {"stride": (2, 3), "padding": (1, 0), "dilation": (2, 1)},
    ),
    S("conv_transpose", (IMAGE, normal(4, 2, 1, 1, seed=6)), {"padding": (1,)}),
    S("conv_transpose", (VOLUME, normal(2, 3, 2, 2, 2, seed=7)), {"stride": (2,), "dims": 3}),
    S("conv_transpose", (IMAGE, normal(4, 2, 2, 2, seed=8)), {"padding": (2,)}),
    S(
        "conv_transpose_channels_last",
        (np.moveaxis(IMAGE, 1, -1), normal(3, 2, 6, 4, seed=5), BIAS),
        {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 0), "dilation": (2, 1)},
    ),
    S(
        "conv_transpose_channels_last",
        (np.moveaxis(SIGNAL, 1, -1), normal(3, 3, 4, seed=4)),
        {"stride": (2,), "groups": 2, "dims": 1},
    ),
    S("unfold_windows", (IMAGE, (2, 3))),
    S("unfold_windows", (IMAGE, (2, 2)), {"stride": (2, 1), "padding": (1, 2), "dilation": (2, 1)}),
    S("fold_windows", (normal(2, 12, 16), (5, 6), (2, 3))),
    S("fold_windows", (normal(2, 8, 15), (5, 4), (2, 2)), {"stride": (2, 1), "padding": (1, 1), "dilation": (1, 1)}),
]
