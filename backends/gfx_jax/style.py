"""How JAX source is spelled."""

from __future__ import annotations

from gfx_ir.codegen.style import Style
from gfx_ir.lifting.axis_patterns import IMPORTS

from .control import LaxControl
from .helpers_control import as_carried, promoting_cond, settled
from .lowering import Added, Bounded, Hashed, Hosted, Joined, Masked, Runs, Sizes, Wide

_REVERSE = """@jax.custom_vjp
def {name}(*args):
    return {forward}(*args)[0]


{name}.defvjp({forward}, lambda kept, grads: {rule}(*kept, {several}grads))"""
_TANGENT = """@jax.custom_jvp
def {name}(*args):
    return {forward}(*args)


@{name}.defjvp
def {name}_jvp(primals, tangents):
    return {rule}(*primals, *tangents)"""

LOWERING = (
    "keep_order", "own_gradients", "foreign_texts",
    "open_dtypes", "shallow", "python_numbers", "handed", "shared_calls",
    "booleans", "untold", "powers", "promoted", "lacking_dtypes", Masked.name, Added.name, Wide.name, "composites",
    "traced", Hashed.name, "truths", "asked_first", "merged_tests", "simplify", "drop_carried", "unpacked",
    "staged_ranges", "shortest", "ranges", Bounded.name, Hosted.name, Runs.name, Sizes.name,
    "filled_lists", "kept_lists", "stacked_lists", "returned", "unread", "inline_calls", "gathered", Joined.name, "reroll", "nested_loops",
)  # fmt: skip
"""What loops and tests hand on is arrays of one dtype and shape; then casts, then their forms in lax, then which functions there are."""

STYLE = Style(
    name="jax",
    module="jnp",
    source="jax.random.key(0)",
    imports={
        "math": "import math",
        "np": "import numpy as np",
        **IMPORTS,
        "sys": "import sys",
        "jax": "import jax",
        "jnp": "import jax.numpy as jnp",
        "lax": "from jax import lax",
    },
    control=LaxControl,
    prefix="lax",
    dtypes={"bool": "bool"},
    inf="jnp.inf",
    nan="jnp.nan",
    scalar="{dtype}({value})",
    wrap="jnp.asarray",
    helpers={"promoting_cond": promoting_cond, "settled": settled, "as_carried": as_carried},
    lowering=LOWERING,
    weights="safetensors.flax",
    gradients={"vjp": _REVERSE, "jvp": _TANGENT, "root": "jax"},
    transforms={
        **{kind: f"jax.{kind}" for kind in ("grad", "value_and_grad", "jvp", "vmap", "jacrev", "jacfwd")},
        "associative_scan": "jax.lax.associative_scan",
    },
    conjugates=True,
)
