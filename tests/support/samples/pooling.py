"""Pooling with positions: over one, two and three axes, with padding, dilation and windows of unequal sizes."""

import numpy as np

from samples import Sample, normal, uniform

S = Sample
LINE, IMAGE, BLOCK = normal(2, 4, 11), normal(2, 3, 9, 8, seed=1), normal(1, 2, 5, 6, 7, seed=2)
TIES = np.round(IMAGE)
POSITIONS = np.array([[[[0, 3], [9, 11]]]])

SAMPLES = [
    S("max_pool_with_indices", (LINE, (3,), (2,), (1,))),
    S("max_pool_with_indices", (IMAGE, (2, 3), (2, 3))),
    S("max_pool_with_indices", (TIES, (3, 3), (2, 1), (1, 1))),
    S("max_pool_with_indices", (np.full((1, 1, 4, 4), -np.inf, np.float32), (3, 3), (2, 2), (1, 1))),
    S("max_pool_with_indices", (IMAGE, (3, 2), (2, 1), (1, 1)), {"dilation": (2, 3)}),
    S("max_pool_with_indices", (IMAGE, (4, 3), (5, 5), (2, 1)), {"ceil_mode": True}),
    S("max_pool_with_indices", (BLOCK, (2, 3, 2), (1, 2, 3), (1, 1, 0)), {"ceil_mode": True}),
    S("adaptive_max_pool_with_indices", (LINE, (4,))),
    S("adaptive_max_pool_with_indices", (TIES, (4, 3))),
    S("adaptive_max_pool_with_indices", (BLOCK, (2, None, 3))),
    S("max_unpool", (normal(1, 1, 2, 2), POSITIONS, (3, 4))),
    S("max_unpool", (normal(2, 4, 3), np.tile(np.array([0, 4, 8]), (2, 4, 1)), (9,))),
    S("fractional_max_pool", (IMAGE, uniform(2, 3, 2, seed=3), (2, 3), (5, 4))),
    S("fractional_max_pool", (IMAGE, uniform(2, 3, 2, seed=3), (2, 2), (1, 6))),
    S("fractional_max_pool", (BLOCK, uniform(1, 2, 3, seed=4), (2, 2, 3), (3, 4, 2))),
    S("local_response_norm", (IMAGE, 2)),
    S("local_response_norm", (normal(2, 7, 4), 3), {"alpha": 0.5, "beta": 0.5, "k": 2.0}),
]
