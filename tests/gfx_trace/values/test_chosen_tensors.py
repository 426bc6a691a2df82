"""What `and` and `or` give is one of their operands: a tensor stays one, beside a number, too."""

import pytest
import torch

import gfx_trace as gfx


def any_or_number(x):
    return x.any() or 5


def summed(x):
    n = x.any() or 5.0
    return n + 1


def both(x):
    return (x.sum() > 0) and 2


def of_numbers(x):
    return bool(x.any()) or 5


@pytest.mark.parametrize("fn", [any_or_number, summed, both, of_numbers])
@pytest.mark.parametrize("level", [0, 1])
def test_operand_is_given_as_it_is(fn, level):
    program = gfx.symbolic_trace(fn, *([torch.ones(2)] if level else []), backend="torch")
    for x in (torch.ones(2), torch.zeros(2)):
        want = fn(x)
        for run in (program, program.to("torch")):
            got = run(x)
            assert type(got) is type(want) and got == want
            assert not isinstance(want, torch.Tensor) or got.dtype == want.dtype
        assert float(program.to("jax")(x.numpy())) == float(want)
