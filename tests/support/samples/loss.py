"""Losses: every reduction, targets over more axes, ignored positions, weights, smoothing."""

import numpy as np

from samples import Sample, integers, normal, uniform

S = Sample
X, Y = normal(3, 4), normal(3, 4, seed=1)
LOGITS = normal(6, 5, seed=2) * 3
CLASSES = integers(6, high=5, seed=3)
SOME = np.where(np.array([True, False, True, True, False, True]), CLASSES, -100)
IMAGE = normal(2, 5, 3, 4, seed=4)
LABELS = integers(2, 3, 4, high=5, seed=5)
HOLES = np.where(LABELS == 2, 255, LABELS)
WEIGHT = uniform(5, seed=6)
LOG_PROBS = (LOGITS - np.log(np.exp(LOGITS).sum(1, keepdims=True))).astype(np.float32)
REDUCTIONS = ("mean", "sum", "none")

SAMPLES = [
    S(name, (X, Y), {"reduction": reduction})
    for name in ("mse_loss", "l1_loss", "binary_cross_entropy_with_logits")
    for reduction in REDUCTIONS
]
SAMPLES += [S("binary_cross_entropy_with_logits", (X * 100, uniform(3, 4)))]
SAMPLES += [
    S("binary_cross_entropy", (uniform(3, 4), uniform(3, 4, seed=7)), {"reduction": reduction})
    for reduction in REDUCTIONS
]
CASES = [
    {},
    {"weight": WEIGHT},
    {"label_smoothing": 0.1},
    {"weight": WEIGHT, "label_smoothing": 0.2},
]
SAMPLES += [
    S("cross_entropy", (x, target), {"reduction": reduction, **case})
    for x, target in ((LOGITS, SOME), (IMAGE, LABELS))
    for case in CASES
    for reduction in REDUCTIONS
]
SAMPLES += [
    S("cross_entropy", (LOGITS, CLASSES)),
    S("cross_entropy", (LOGITS * 100, CLASSES)),
    S("cross_entropy", (IMAGE, HOLES), {"ignore_index": 255}),
    S("cross_entropy", (IMAGE, HOLES), {"ignore_index": 255, "weight": WEIGHT, "label_smoothing": 0.1}),
    S("cross_entropy", (LOGITS, np.full(6, -100))),
    S("cross_entropy", (IMAGE[:, :, 0], LABELS[:, 0])),
]
SAMPLES += [
    S("nll_loss", (LOG_PROBS, SOME), {"reduction": reduction, **case}) for reduction in REDUCTIONS for case in CASES[:2]
]
SAMPLES += [
    S("nll_loss", (IMAGE, HOLES), {"ignore_index": 255}),
    S("nll_loss", (IMAGE, LABELS, WEIGHT)),
]
CHANCES = uniform(2, 5, 3, 4, seed=7)
SAMPLES += [
    S("cross_entropy", (IMAGE, CHANCES), {"reduction": reduction, **case}) for case in CASES for reduction in REDUCTIONS
]
