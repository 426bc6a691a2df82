"""Draws: their numbers are each framework's own, so only shapes and dtypes are compared (see test_random.py)."""

from gfx_ir import dtypes, ops
from samples import Sample, normal, uniform

S = Sample
KEY = ops.make_key(7)
OWN = dict.fromkeys(("torch", "jax"), "keys and numbers are each framework's own")
F32 = dtypes.float32

SAMPLES = [
    S("make_key", (7,), skip=OWN),
    S("split_key", (KEY,), skip=OWN),
    S("split_key", (KEY, 3), skip=OWN),
    S("split_key", (KEY, 1), skip=OWN),
    S("fold_in", (KEY, 5), skip=OWN),
    S("permutation", (KEY, 5), skip=OWN | {"symbolic": "a count is no shape"}),
    S("gamma", (KEY, 0.3, (2, 3)), skip=OWN),
    S("gamma", (KEY, uniform(3), (2, 3), F32, True), skip=OWN),
    S("poisson", (KEY, uniform(3), (2, 3)), skip=OWN),
    S("binomial", (KEY, 9, uniform(3), (2, 3), F32), skip=OWN),
    S("binomial", (KEY, 9, 0.5, (2, 3), dtypes.int64), skip=OWN),
    S("uniform", (KEY, (2, 3)), skip=OWN),
    S("uniform", (KEY, (2, 3), -1.0, 2.0, F32), skip=OWN),
    S("uniform", (KEY, (4,)), {"dtype": dtypes.dtype("float16")}, skip=OWN),
    S("normal", (KEY, (2, 3)), skip=OWN),
    S("normal", (KEY, (2, 3), normal(3), uniform(2, 1), F32), skip=OWN),
    S("normal", (KEY, ()), {"dtype": F32}, skip=OWN),
    S("bernoulli", (KEY, 0.3, (5,)), skip=OWN),
    S("bernoulli", (KEY, uniform(5), (2, 5)), skip=OWN),
    S("multinomial", (KEY, uniform(4), 3), skip=OWN),
    S("multinomial", (KEY, uniform(2, 4), 5, True), skip=OWN),
    S("randint", (KEY, (3, 2), -4, 9), skip=OWN),
    S("randint", (KEY, (3,), 0, 5, dtypes.int32), skip=OWN),
    S("randint", (KEY, (3,), 0, 5, dtypes.float32), skip=OWN),
]
