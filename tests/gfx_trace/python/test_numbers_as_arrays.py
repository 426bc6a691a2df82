"""Functions of arrays of a number of Python's: source that spells them as methods makes an array of it first."""

import jax.numpy as jnp
import numpy as np
import pytest

import gfx_trace as gfx

X = np.ones(2, np.float32)
FUNCTIONS = {
    "reshape": (lambda lib, n: lib.reshape(n, (1,))),
    "ravel": (lambda lib, n: lib.ravel(n)),
    "squeeze": (lambda lib, n: lib.squeeze(n)),
    "transpose": (lambda lib, n: lib.transpose(n)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("lib, own", ((jnp, "jax"), (np, "numpy")), ids=("jax", "numpy"))
@pytest.mark.parametrize("target", ("jax", "numpy"))
def test_methods_of_numbers(name, lib, own, target):
    use = FUNCTIONS[name]

    def of_open(x, n: int):
        return x + use(lib, n)

    def of_fixed(x):
        return x + use(lib, 3)

    given = {"jax": jnp.asarray, "numpy": np.asarray}
    for f, more in ((of_open, (3,)), (of_fixed, ())):
        captured = gfx.symbolic_trace(f, given[own](X), *(gfx.Open for _ in more))
        for run, x in ((captured, given[own](X)), (captured.to(target), given[target](X))):
            np.testing.assert_allclose(run(x, *more), X + 3)
