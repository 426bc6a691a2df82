"""Embedding bags: of rows and by offsets, empty ones among them, with weights and numbers that count nothing; pieces of tensors."""

import numpy as np

from samples import Sample, integers, normal, uniform

S = Sample
TABLE = normal(7, 3)
ROWS, FLAT = integers(4, 5, high=7, seed=1), integers(9, high=7, seed=2)
OFFSETS = np.array([0, 3, 3, 7])

SAMPLES = [
    S("embedding_bag", (x, TABLE, offsets), {"mode": mode, **options})
    for x, offsets in ((ROWS, None), (FLAT, OFFSETS))
    for mode in ("sum", "mean", "max")
    for options in ({}, {"padding_idx": 2})
]
SAMPLES += [
    S("embedding_bag", (ROWS, TABLE), {"mode": "sum", "per_sample_weights": uniform(4, 5)}),
    S("embedding_bag", (FLAT, TABLE, np.array([0, 3, 3, 7, 9])), {"mode": "sum", "include_last_offset": True}),
    S("embedding_bag", (np.full((2, 3), 2), TABLE), {"mode": "max", "padding_idx": 2}),
]
LENGTHS = np.array([2, 0, 1, 3])
SAMPLES += [
    S("segment_reduce", (normal(6, *rest), LENGTHS, reduce), {"initial": initial})
    for rest in ((), (2, 3))
    for reduce in ("sum", "mean", "prod", "max", "min")
    for initial in (None, 0.5)
]
SAMPLES += [S("grouped_matmul", (normal(rows, 3), normal(4, 3, 5, seed=1), LENGTHS)) for rows in (6, 8)]
