"""Convolution and pooling over one, two and three axes, with every way to pad, step and group."""

import numpy as np

from samples import Sample, integers, normal

S = Sample
LINE, IMAGE, BLOCK = normal(2, 4, 11), normal(2, 4, 9, 8, seed=1), normal(1, 2, 5, 6, 7, seed=2)
W1, W2, W3 = normal(6, 4, 3, seed=3), normal(6, 4, 3, 2, seed=4), normal(3, 2, 2, 3, 2, seed=5)
B6 = normal(6, seed=6)
HALVES, EACH = normal(6, 2, 3, 2, seed=7), normal(8, 1, 3, 3, seed=8)

SAMPLES = [
    S("conv", (LINE, W1), {"dims": 1}),
    S("conv", (LINE, W1, B6), {"dims": 1, "stride": (2,), "padding": (1,), "dilation": (2,)}),
    S("conv", (LINE, W1), {"dims": 1, "padding": "same"}),
    S("conv", (LINE, normal(6, 4, 4)), {"dims": 1, "padding": "same", "dilation": (3,)}),
    S("conv", (IMAGE, W2)),
    S("conv", (IMAGE, W2, B6)),
    S("conv", (IMAGE, W2, B6), {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1)}),
    S("conv", (IMAGE, W2), {"stride": (2,), "padding": (1,)}),
    S("conv", (IMAGE, W2, B6), {"padding": "same", "dilation": (1, 2)}),
    S("conv", (IMAGE, W2), {"padding": "valid", "stride": (2, 1)}),
    S("conv", (IMAGE, HALVES, B6), {"groups": 2}),
    S("conv", (IMAGE, EACH), {"groups": 4, "padding": (1, 1)}),
    S("conv", (IMAGE, normal(5, 4, 1, 1))),
    S("conv", (BLOCK, W3), {"dims": 3}),
    S("conv", (BLOCK, W3, normal(3)), {"dims": 3, "stride": (1, 2, 2), "padding": (0, 1, 0), "dilation": (2, 1, 3)}),
    S("conv", (BLOCK, W3), {"dims": 3, "padding": "same"}),
    S("conv", (BLOCK, normal(4, 1, 2, 2, 2)), {"dims": 3, "groups": 2}),
]
LAST, KERNELS = np.moveaxis(IMAGE, 1, -1), np.transpose(W2, (2, 3, 1, 0))
SAMPLES += [
    S("conv_channels_last", (np.moveaxis(LINE, 1, -1), np.transpose(W1, (2, 1, 0)), B6), {"dims": 1, "stride": (2,)}),
    S("conv_channels_last", (LAST, KERNELS)),
    S("conv_channels_last", (LAST, KERNELS, B6), {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1)}),
    S("conv_channels_last", (LAST[0], KERNELS, B6), {"padding": "same"}),
    S("conv_channels_last", (LAST, KERNELS[:1, :1], B6)),
    S("conv_channels_last", (LAST, KERNELS[:1, :1]), {"padding": (1, 0)}),
    S("conv_channels_last", (LAST, np.transpose(HALVES, (2, 3, 1, 0)), B6), {"groups": 2}),
    S("conv_channels_last", (np.moveaxis(BLOCK, 1, -1), np.transpose(W3, (2, 3, 4, 1, 0))), {"dims": 3}),
    S("max_pool_channels_last", (LAST, (3, 2), (2, 1), (1, 1))),
    S("max_pool_channels_last", (LAST[0], (2, 2), (2, 2)), {"ceil_mode": True}),
    S("avg_pool_channels_last", (LAST, (3, 2), (2, 1), (1, 1))),
    S("avg_pool_channels_last", (LAST, (3, 2), (2, 1), (1, 1)), {"count_include_pad": False}),
    S("adaptive_avg_pool_channels_last", (LAST, (1, 1))),
    S("adaptive_avg_pool_channels_last", (LAST, (3, 4))),
    S("adaptive_max_pool_channels_last", (LAST, (3, None))),
]
for _name in ("max_pool", "avg_pool"):
    SAMPLES += [
        S(_name, (LINE, (3,), (3,))),
        S(_name, (LINE, (3,), (2,), (1,))),
        S(_name, (LINE, (2,), (4,)), {"ceil_mode": True}),
        S(_name, (LINE, (4,), (3,), (2,)), {"ceil_mode": True}),
        S(_name, (IMAGE, (2, 3), (2, 3))),
        S(_name, (IMAGE, (3, 2), (2, 1), (1, 1))),
        S(_name, (IMAGE, (3, 3), (2, 2), (1, 0)), {"ceil_mode": True}),
        S(_name, (IMAGE, (2, 2), (3, 3)), {"ceil_mode": True}),
        S(_name, (IMAGE, (4, 3), (5, 5), (2, 1)), {"ceil_mode": True}),
        S(_name, (BLOCK, (2, 2, 2), (2, 2, 2))),
        S(_name, (BLOCK, (2, 3, 2), (1, 2, 3), (1, 1, 0)), {"ceil_mode": True}),
    ]
SAMPLES += [
    S("max_pool", (IMAGE, (3, 2), (2, 1), (1, 1)), {"dilation": (2, 3)}),
    S("max_pool", (IMAGE, (2, 2), (2, 2)), {"dilation": (3, 2), "ceil_mode": True}),
    S(
        "max_pool",
        (integers(1, 2, 6, 6), (2, 2), (2, 2), (1, 1)),
        skip={"jax": "JAX pads whole numbers with its own least"},
    ),
    S("avg_pool", (LINE, (4,), (3,), (2,)), {"count_include_pad": False}),
    S("avg_pool", (IMAGE, (3, 2), (2, 1), (1, 1)), {"count_include_pad": False}),
    S("avg_pool", (IMAGE, (4, 3), (5, 5), (2, 1)), {"ceil_mode": True, "count_include_pad": False}),
    S("avg_pool", (BLOCK, (2, 3, 2), (1, 2, 3), (1, 1, 0)), {"ceil_mode": True, "count_include_pad": False}),
]
SAMPLES += [
    S(f"adaptive_{kind}_pool", (x, size))
    for kind in ("avg", "max")
    for x, size in (
        (LINE, (1,)),
        (LINE, (4,)),
        (IMAGE, (1, 1)),
        (IMAGE, (3, 5)),
        (IMAGE, (None, 2)),
        (IMAGE, (12, 8)),
        (BLOCK, (1, 1, 1)),
        (BLOCK, (2, 4, 3)),
    )
]

SAMPLES += [
    S("avg_pool", (IMAGE, (2, 3), (2, 3), (1, 1)), {"divisor": 5}),
    S("avg_pool", (IMAGE, (2, 2), (3, 3)), {"ceil_mode": True, "divisor": 3}),
    S("avg_pool", (LINE, (3,), (3,)), {"divisor": 2}),
]
