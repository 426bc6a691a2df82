"""Functions that emitted control flow calls where JAX asks for equal dtypes and the dtypes are not known beforehand.

Their source is copied into emitted modules word for word. What a number and an array promote to is left to `jnp.where`:
`jnp.result_type` takes the float64 of a traced Python number for one that was asked for.
"""

import jax
import jax.numpy as jnp
from jax import lax


def promoting_cond(pred, then, otherwise):
    """lax.cond whose sides may differ in dtype, as an array and a number do: both get what they promote to."""

    def either():
        return jax.tree.map(lambda a, b: jnp.where(pred, a, b), then(), otherwise())

    def cast(x, to):
        if not to.weak_type:
            return jnp.asarray(x, to.dtype)
        return x if jnp.result_type(x) == to.dtype else x * to.dtype.type(1).item()  # a number still

    def traced(side):  # once: a test inside would be traced twice for each one around it
        converted, arrays = jax.closure_convert(side)
        return lambda: converted(*arrays)

    then, otherwise = traced(then), traced(otherwise)
    types = jax.eval_shape(either)
    return lax.cond(pred, *(lambda side=side: jax.tree.map(cast, side(), types) for side in (then, otherwise)))


def settled(body, init, rows=None, some=True):
    """What a loop (over rows) starts from, in the shapes and dtypes that its trips come to: `0` may become an array.

    Without a trip the number would be left, of another shape: some says whether there is one, or is the function that asks."""

    def widened(a, b):
        before = jax.eval_shape(lambda: a)
        number = before.weak_type or isinstance(a, bool)
        grows = all(m in (1, n) for m, n in zip(before.shape[::-1], b.shape[::-1]))
        if len(before.shape) > len(b.shape) or not grows:
            raise TypeError(f"a loop changes the shape of what it carries from {before.shape} to {b.shape}")
        to = jax.eval_shape(lambda b: jnp.where(True, a, b), b)
        shape = to.shape if number else before.shape  # no array grows
        if before.shape == shape and (to.weak_type or before.dtype == to.dtype):
            return a if before.dtype == to.dtype else a * to.dtype.type(1).item()  # a number still
        return jnp.broadcast_to(jnp.asarray(a, to.dtype), shape)

    def told(some):
        if not some:
            raise ValueError("a loop without a trip leaves a number, one with trips an array: begin with an array")

    row = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), rows)
    settling = init
    while True:
        after = jax.eval_shape(body, settling) if rows is None else jax.eval_shape(body, settling, row)[0]
        wider = jax.tree.map(widened, settling, after)
        if all(a is b for a, b in zip(jax.tree.leaves(settling), jax.tree.leaves(wider))):
            break
        settling = wider
    if any(jnp.shape(a) != jnp.shape(b) for a, b in zip(jax.tree.leaves(init), jax.tree.leaves(wider))):
        some = some(wider) if callable(some) else some
        if some is not True:
            jax.debug.callback(told, some)
    return wider


def as_carried(before, new):
    """What a trip leaves, in the dtype that the loop carries: one of fewer bits changes it."""
    both = jnp.where(True, new, before)
    narrow = not getattr(new, "weak_type", True) and new.dtype.itemsize < both.dtype.itemsize and new.dtype != bool
    if narrow and jnp.shape(before) == new.shape:
        raise TypeError(f"a loop changes the dtype of what it carries from {before.dtype} to {new.dtype}")
    return both
