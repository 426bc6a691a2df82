"""Functions that emitted control flow calls where JAX asks for equal dtypes and the dtypes are not known beforehand.

Their source is copied into emitted modules word for word.
"""

import jax
import jax.numpy as jnp
from jax import lax


def promoting_cond(pred, then, otherwise):
    """lax.cond whose sides may differ in dtype, as an array and a number do: both get what they promote to."""
    dtypes = jax.tree.map(jnp.result_type, jax.eval_shape(then), jax.eval_shape(otherwise))

    def cast(side):
        return lambda: jax.tree.map(jnp.asarray, side(), dtypes)

    return lax.cond(pred, cast(then), cast(otherwise))


def settled(body, init, rows=None):
    """What a loop (over rows) starts from, in the shapes and dtypes that its trips come to: `0` may become an array."""

    def widened(a, b):
        shape, dtype = jnp.broadcast_shapes(jnp.shape(a), b.shape), jnp.result_type(a, b)
        fits = (jnp.shape(a), jnp.result_type(a)) == (shape, dtype)
        return a if fits else jnp.broadcast_to(jnp.asarray(a, dtype), shape)

    row = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), rows)
    while True:
        after = jax.eval_shape(body, init) if rows is None else jax.eval_shape(body, init, row)[0]
        wider = jax.tree.map(widened, init, after)
        if all(a is b for a, b in zip(jax.tree.leaves(init), jax.tree.leaves(wider))):
            return init
        init = wider
