"""Normalisation layers over inputs of every rank they take, with and without weight and bias."""

import numpy as np

from samples import Sample, normal, uniform

S = Sample
X = normal(2, 3, 4)
IMAGE = normal(2, 6, 4, 5, seed=1) * 3 + 1
W4, B4, W6, B6 = normal(4, seed=2), normal(4, seed=3), normal(6, seed=4), normal(6, seed=5)
MEAN, VAR = normal(6, seed=6), uniform(6, seed=7)
W34 = normal(3, 4, seed=8)

SAMPLES = [
    S("layer_norm", (X, (4,))),
    S("layer_norm", (X, (4,), W4, B4)),
    S("layer_norm", (X, (4,), W4), {"eps": 1e-3}),
    S("layer_norm", (X, (3, 4), W34, W34 * 2)),
    S("layer_norm", (X * 1e-3 + 100, (4,)), tol=5e-2),
    S("rms_norm", (X, (4,))),
    S("rms_norm", (X, (4,), W4)),
    S("rms_norm", (X, (3, 4), W34), {"eps": 1e-3}),
    S("rms_norm", (np.zeros((2, 4), np.float32), (4,))),
    S("group_norm", (IMAGE, 2)),
    S("group_norm", (IMAGE, 3, W6, B6)),
    S("group_norm", (IMAGE, 6, W6), {"eps": 1e-2}),
    S("group_norm", (IMAGE, 1, None, B6)),
    S("group_norm", (IMAGE[:, :, 0, 0], 2, W6, B6)),
    S("group_norm", (IMAGE[:, :, 0], 2, W6, B6)),
]
SAMPLES += [
    S(name, (x, *statistics, *affine))
    for name, statistics in (("batch_norm", (MEAN, VAR)), ("batch_norm_train", ()))
    for x in (IMAGE, IMAGE[:, :, 0], IMAGE[:, :, 0, 0])
    for affine in ((), (W6, B6))
]
SAMPLES += [
    S("batch_norm_channels_last", (np.moveaxis(IMAGE, 1, -1), MEAN, VAR, W6, B6)),
    S("batch_norm_train_channels_last", (np.moveaxis(IMAGE, 1, -1), W6, B6)),
    S("group_norm_channels_last", (np.moveaxis(IMAGE, 1, -1), 3, W6, B6)),
    S("group_norm_channels_last", (np.moveaxis(IMAGE, 1, -1)[:0], 2)),
    S("instance_norm_channels_last", (np.moveaxis(IMAGE, 1, -1), None, B6), {"eps": 1e-2}),
    S("batch_norm", (IMAGE, MEAN, VAR, W6), {"eps": 1e-2}),
    S("batch_norm_train", (IMAGE, None, B6), {"eps": 1e-2}),
]
# Squares of these are beyond float16.
LARGE = (IMAGE * 300).astype(np.float16)
SAMPLES += [
    S("layer_norm", (LARGE, (5,)), tol=1e-2),
    S("rms_norm", (LARGE, (5,)), tol=1e-2),
    S("group_norm", (LARGE, 2), tol=1e-2),
    S("instance_norm", (LARGE,), tol=1e-2),
    S("batch_norm_channels_last", (np.moveaxis(LARGE, 1, -1), MEAN * 300, VAR * 9e4), tol=1e-2),
    S("batch_norm", (LARGE, MEAN * 300, VAR * 9e4), tol=1e-2),
    S("batch_norm_train", (LARGE,), tol=1e-2),
    S("instance_norm", (IMAGE, W6, B6), {"eps": 1e-2}),
    S("instance_norm", (IMAGE[:, :, 0], None, B6)),
    S("group_norm", (IMAGE[:0], 3, W6, B6)),
]
