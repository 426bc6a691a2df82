"""Programs that write, compared with plain Python on copies of their arguments: the result, and what the arguments hold afterwards."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves


class Programs(list):
    """Those that its decorator names."""

    def __call__(self, fn):
        self.append(fn)
        return fn


def torch_square(sign=1):
    return sign * (torch.arange(9.0).reshape(3, 3) + 1)


def numpy_square(sign=1):
    return (sign * (np.arange(9.0).reshape(3, 3) + 1)).astype(np.float32)


def flavour(fn):
    """Programs whose names begin with np_ are NumPy's, all others torch's."""
    return "numpy" if fn.__name__.startswith("np_") else "torch"


def argument(fn, sign):
    return numpy_square(sign) if flavour(fn) == "numpy" else torch_square(sign)


def equal(got, want):
    got, want = list(leaves(got)), list(leaves(want))
    assert len(got) == len(want)
    for a, b in zip(got, want):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


def assert_as_in_plain_python(fn, signs=(1, -1)):
    program = gfx.symbolic_trace(fn, backend=flavour(fn))
    for sign in signs:
        mine, plain = argument(fn, sign), argument(fn, sign)
        want, got = fn(plain), program(mine)
        equal(got, want)
        equal(mine, plain)


def assert_state_in_jax(fn):
    """What is written to the argument comes back beside the result."""
    program = gfx.symbolic_trace(fn, backend=flavour(fn))
    plain = argument(fn, 1)
    want = fn(plain)
    got = jax.jit(program.to("jax"))(jnp.asarray(np.asarray(argument(fn, 1))))
    if program.writes:
        got, state = got
        assert list(state) == ["x"]
        equal(state["x"], plain)
    equal(got, want)
