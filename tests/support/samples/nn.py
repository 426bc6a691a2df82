"""Activations, linear layers, attention under every kind of mask."""

import numpy as np

from gfx_ir import dtypes, ops
from samples import Sample, booleans, integers, normal

S = Sample
X = normal(2, 3, 4)
WIDE = normal(3, 5) * 30  # both tails
EDGES = np.array([0.0, -0.0, 1e-6, -1e-6, 88.0, -88.0, 200.0, -200.0], np.float32)
F16 = dtypes.dtype("float16")

SAMPLES = [
    S(name, (x,))
    for name in "relu leaky_relu elu celu hardtanh gelu silu mish softplus logsigmoid".split()
    for x in (X, WIDE, EDGES)
]
SAMPLES += [
    S("relu", (integers(3, 4, low=-5),)),
    S("leaky_relu", (X,), {"negative_slope": 0.3}),
    S("elu", (X,), {"alpha": 0.5}),
    S("celu", (X,), {"alpha": 0.5}),
    S("hardtanh", (X,), {"min_val": 0, "max_val": 6}),
    S("hardtanh", (integers(3, 4, low=-5),), {"min_val": -2, "max_val": 3}),
    S("gelu", (X,), {"approximate": "tanh"}),
    S("gelu", (WIDE,), {"approximate": "tanh"}),
    S("softplus", (WIDE,), {"beta": 2.0}),
    S("softplus", (X,), {"beta": 0.5, "threshold": 0.2}),
]
SAMPLES += [
    S(name, (x,), {"axis": axis}) for name in ("softmax", "log_softmax") for x in (X, X * 100) for axis in (-1, 0, 1)
]
SAMPLES += [
    S("softmax", (X,), {"axis": 2, "dtype": F16}, tol=2e-3),
    S("log_softmax", (X,), {"dtype": F16}, tol=5e-3),
    S("linear", (X, normal(5, 4, seed=1))),
    S("linear", (X, normal(5, 4, seed=1), normal(5, seed=2))),
    S("linear", (normal(4), normal(5, 4, seed=1), normal(5, seed=2))),
    S("embedding", (integers(2, 3, high=7), normal(7, 4))),
    S("embedding", (np.array(6), normal(7, 4))),
    S("embedding", (integers(5, high=7, dtype="int32"), normal(7, 4))),
    S("embedding", (integers(2, 3, high=7), normal(7, 4)), {"padding_idx": 3}),
    S("embedding", (integers(2, 3, high=3), normal(7, 4)), {"padding_idx": 1, "scale_grad_by_freq": True}),
    S("dropout", (X, 1, None)),
    S("dropout", (X, 0.25, ops.make_key(3)), skip=dict.fromkeys(("torch", "jax"), "keys are each framework's own")),
]

# ---------------------------------------------------------------- attention
Q, K, V = normal(2, 3, 5, 4), normal(2, 3, 7, 4, seed=1), normal(2, 3, 7, 6, seed=2)
LETS_SEE = booleans(5, 7, seed=3)
LETS_SEE[1] = False  # a query that sees no key
ADDED = np.where(LETS_SEE, normal(5, 7, seed=4), np.float32(-np.inf))
PADDING = np.array([[True] * 7, [True] * 4 + [False] * 3])[:, None, None, :]
SDPA = "scaled_dot_product_attention"
SAMPLES += [
    S(SDPA, (Q, K, V)),
    S(SDPA, (Q[0, 0], K[0, 0], V[0, 0])),
    S(SDPA, (Q, K, V), {"scale": 0.3}),
    S(SDPA, (Q, K, V), {"is_causal": True}),
    S(SDPA, (K, Q, normal(2, 3, 5, 6, seed=5)), {"is_causal": True}),
    S(SDPA, (Q, K, V, LETS_SEE)),
    S(SDPA, (Q, K, V, PADDING)),
    S(SDPA, (Q, K, V, ADDED)),
    S(SDPA, (Q, K, V, normal(2, 3, 5, 7, seed=6))),
    S(SDPA, (Q, K, V, PADDING), {"scale": 1.0}),
    S(SDPA, (Q * 100, K, V, LETS_SEE)),
]
