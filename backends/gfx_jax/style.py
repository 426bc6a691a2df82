"""How JAX source is spelled."""

from __future__ import annotations

from gfx_ir.codegen.style import Style

from .control import LaxControl
from .helpers_control import promoting_cond, settled

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

STYLE = Style(
    name="jax",
    module="jnp",
    source="jax.random.key(0)",
    imports={
        "math": "import math",
        "np": "import numpy as np",
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
    helpers={"promoting_cond": promoting_cond, "settled": settled},
    gradients={"vjp": _REVERSE, "jvp": _TANGENT, "root": "jax"},
)
