"""Losses of sequences: padded and flat labels, repeated ones, several lengths, labels that do not fit."""

import numpy as np

from samples import Sample, integers, normal

S = Sample
SCORES = normal(7, 3, 5)
LOG_PROBS = (SCORES - np.log(np.exp(SCORES).sum(-1, keepdims=True))).astype(np.float32)
LABELS = integers(3, 4, low=1, high=5, seed=1)
LABELS[0] = 2  # repeated labels need a blank between them
LENGTHS, TIMES = (3, 2, 4), (7, 5, 7)

SAMPLES = [S("ctc_loss", (LOG_PROBS, LABELS, TIMES, LENGTHS), {"reduction": r}) for r in ("mean", "sum", "none")]
SAMPLES += [
    S("ctc_loss", (LOG_PROBS, LABELS.ravel()[:9], np.array(TIMES), np.array(LENGTHS)), {"blank": 0}),
    S("ctc_loss", (LOG_PROBS, LABELS, (7, 2, 7), (4, 4, 0)), {"reduction": "none"}),
    S("ctc_loss", (LOG_PROBS, LABELS, (7, 2, 7), (4, 4, 1)), {"zero_infinity": True}),
    S("ctc_loss", (LOG_PROBS[:, 0], LABELS[1, :3], (7,), (3,)), {"reduction": "none"}),
]
