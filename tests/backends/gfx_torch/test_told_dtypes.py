"""What code says of a dtype, where no types are given, is known to the calls that ask for it."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

CALLS = {
    "diff": lambda x: torch.diff(x > 1),
    "diff of a cast": lambda x: x.to(torch.bool).diff(),
    "square": lambda x: torch.square(x > 1),
    "power": lambda x: torch.pow(x.to(torch.int32), torch.tensor([-1, 2, -3])),
    "nan_to_num": lambda x: torch.nan_to_num(x.to(torch.int64)),
    "isclose": lambda x: torch.isclose(x > 1, x.to(torch.bool)),
    "addcmul": lambda x: torch.addcmul(x.int(), x.int(), x.int(), value=1.5),
    "addcmul of a count": lambda x: torch.addcmul(torch.arange(3), x.long(), x.long(), value=-0.5),
    "addcmul_": lambda x: x.int().clone().addcmul_(x.int(), x.int(), value=torch.tensor(1.5)),
}
X = np.array([1.0, 2.0, 3.0], np.float32)


@pytest.mark.parametrize("given", [(), (torch.tensor(X),)], ids=["open", "typed"])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_knows_what_the_code_says(name, given):
    want = CALLS[name](torch.tensor(X))
    program = gfx.symbolic_trace(CALLS[name], *given, backend="torch")
    for run in (program, program.to("torch")):
        torch.testing.assert_close(run(torch.tensor(X)), want)
    np.testing.assert_array_equal(program.to("jax")(jnp.array(X)), want)
