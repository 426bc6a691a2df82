"""Rearrangement by patterns of named axes: what backends run is einops."""

from importlib.util import find_spec

from samples import Sample, booleans, normal

S = Sample
LACKS = {} if find_spec("einops") else dict.fromkeys(("torch", "jax", "numpy"), "einops is not installed")
SHARED = LACKS | {"write": "repeated elements share memory"}
X = normal(4, 3, 6)

SAMPLES = [
    S("rearrange", (X, "b n (h d) -> b h n d", {"h": 2}), skip=LACKS),
    S("rearrange", (X, "(a b) n d -> b (n d a)", {"a": 2}), skip=LACKS),
    S("rearrange", (X, "b ... -> (...) 1 b", {}), skip=LACKS),
    S("repeat_axes", (X, "b n d -> (b r) n d 3", {"r": 2}), skip=SHARED),
    S("repeat_axes", (X, "b ... -> b k ...", {"k": 2}), skip=SHARED),
    S("reduce_axes", (X, "b n (d 2) -> d b", "max", {}), skip=LACKS),
    S("reduce_axes", (X, "b ... -> b 1", "mean", {}), skip=LACKS),
    S("reduce_axes", (booleans(3, 4), "a b -> b", "any", {}), skip=LACKS),
]
