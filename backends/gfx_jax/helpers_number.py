"""Functions for Python's numbers that spellings name. Emitted source contains the ones it needs."""

import jax
import jax.numpy as jnp


def to_int(x):
    """The number in an array of one element as a whole one, which gives way to other dtypes as Python's int(x) does."""
    return jnp.full_like(0, jnp.reshape(x, ()))


def to_float(x):
    """The number in an array of one element as a fraction, which gives way to other dtypes as Python's float(x) does."""
    return jnp.full_like(0.0, jax.lax.stop_gradient(jnp.reshape(x, ())))


def to_bool(x):
    """Whether the number in an array of one element is not zero."""
    return jnp.reshape(x, ()) != 0


def to_number(x):
    """The number in an array of one element, which gives way to other dtypes as Python's number x.item() does."""
    x = jax.lax.stop_gradient(jnp.reshape(x, ()))
    return jnp.full_like(x.dtype.type(0).item(), x)


def wide_view(x, dtype):
    """The bytes of x read as another dtype, one of both of 64 bits, which JAX has where it is told so. Raises TypeError elsewhere."""
    if not jax.config.jax_enable_x64:
        raise TypeError("bytes of 64-bit numbers are read where jax_enable_x64 is set")
    return x.view(dtype)


def modf(x):
    """What is behind the point of x, nothing of what is infinite, and what is before it, both with its sign."""
    whole = jnp.modf(x)[1]
    return jnp.copysign(jnp.where(jnp.isinf(whole), 0.0, x - whole), whole), whole


def can_cast(dtype, to):
    """Whether an array of the dtype `to` can be written in place with what has the other: whole numbers hold whole numbers."""
    whole = jnp.issubdtype(dtype, jnp.integer) and jnp.issubdtype(to, jnp.integer)
    return whole or jnp.can_cast(dtype, to, "same_kind")
