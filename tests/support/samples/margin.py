"""Losses of pairs, margins and distributions."""

import numpy as np

from samples import Sample, booleans, integers, normal, uniform

S = Sample
X, Y, Z = normal(4, 5), normal(4, 5, seed=1), normal(4, 5, seed=2)
SIGNS = np.where(booleans(4, 5, seed=3), 1.0, -1.0).astype(np.float32)
LABELS = integers(4, high=5, seed=4)
WEIGHT = uniform(5, seed=5)

SAMPLES = [
    S("margin_ranking_loss", (X, Y, SIGNS)),
    S("margin_ranking_loss", (X, Y, SIGNS), {"margin": 0.5, "reduction": "none"}),
    S("hinge_embedding_loss", (X, SIGNS)),
    S("hinge_embedding_loss", (X, SIGNS), {"margin": 0.3, "reduction": "sum"}),
    S("soft_margin_loss", (X, SIGNS), {"reduction": "none"}),
    S("multilabel_soft_margin_loss", (X, uniform(4, 5))),
    S("multilabel_soft_margin_loss", (X, uniform(4, 5), WEIGHT), {"reduction": "none"}),
    S("gaussian_nll_loss", (X, Y, uniform(4, 5, low=0.0) ** 4), {"eps": 0.01, "full": True}),
    S("gaussian_nll_loss", (X, Y, uniform(4, 1)), {"reduction": "none"}),
    S("poisson_nll_loss", (X, uniform(4, 5, high=4.0))),
    S(
        "poisson_nll_loss",
        (uniform(4, 5), uniform(4, 5, high=4.0)),
        {"log_input": False, "full": True, "reduction": "none"},
    ),
    S("cosine_embedding_loss", (X, Y, SIGNS[:, 0])),
    S("cosine_embedding_loss", (X, Y, SIGNS[:, 0]), {"margin": -0.5, "reduction": "none"}),
    S("cdist", (X, Y)),
    S("cdist", (X, Y), {"p": 1}),
    S("pairwise_distance", (X, Y)),
    S("pairwise_distance", (X, Y), {"p": 1, "keepdims": True}),
    S("triplet_margin_loss", (X, Y, Z)),
    S("triplet_margin_loss", (X, Y, Z), {"margin": 2.0, "p": 1, "swap": True, "reduction": "none"}),
    S("multi_margin_loss", (X, LABELS)),
    S("multi_margin_loss", (X, LABELS), {"p": 2, "margin": 0.5, "weight": WEIGHT, "reduction": "none"}),
]
ENDED = np.array([[3, 0, -1, 1], [-1, 2, 3, 0], [1, 2, 3, 0]])
SAMPLES += [
    S("multilabel_margin_loss", (normal(3, 4), ENDED), {"reduction": reduction})
    for reduction in ("mean", "sum", "none")
] + [S("multilabel_margin_loss", (normal(4), ENDED[0]))]
SAMPLES += [
    S("cosine_similarity", (X, Y)),
    S("cosine_similarity", (X, Y), {"axis": 0, "eps": 2.0}),
    S("cosine_similarity", (normal(1, 3, 4), normal(2, 1, 4))),
]
