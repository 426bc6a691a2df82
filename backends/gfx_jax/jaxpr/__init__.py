"""JAX's primitives as calls of its public functions: what a user writes where a jaxpr says `primitive[params]`."""

from __future__ import annotations

from .arrays import ARRAYS
from .elements import ELEMENTS
from .systems import SYSTEMS

CALLS = {**ARRAYS, **SYSTEMS}
NUMBERED = frozenset(("pad",))
"""Primitives beside those of elements whose functions take a Python number where they take an array of no axes."""

_DRAW = "draw the random numbers outside of the function that JAX transforms, and give them to it"
_SHOW = "print outside of the function that JAX transforms"
REFUSED = {
    **dict.fromkeys(
        ("random_bits", "random_wrap", "random_unwrap", "random_seed", "random_split", "random_fold_in", "random_clone",
         "threefry2x32", "rng_bit_generator", "rng_uniform", "random_gamma"), _DRAW,
    ),
    **dict.fromkeys(("debug_callback", "debug_print"), _SHOW),
    **dict.fromkeys(("pure_callback", "io_callback"), "compute it outside of the function that JAX transforms"),
}  # fmt: skip

__all__ = ["CALLS", "ELEMENTS", "NUMBERED", "REFUSED"]
