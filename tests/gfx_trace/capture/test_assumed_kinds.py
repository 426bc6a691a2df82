"""Kinds of numbers: what a capture without arguments takes as given where functions of torch's refuse some of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F

import gfx_trace as gfx
from gfx_ir.errors import GfxError, GuardError, UnsupportedConstruct

DTYPES = (torch.bool, torch.uint8, torch.int64, torch.float32, torch.complex64)


def made_of_both(x, y):
    return F.softmax(x + y, 0)


def chosen(x, y):
    return F.gelu(torch.where(y > 0, x, x))


def looked_up(x, y):
    return F.softmax(x[y.long().abs() % 2], -1)


def looped(x, y):
    for _ in range(3):
        x = F.gelu(x)
    return x


def branched(x, y):
    return F.elu(x) if x.sum() > 0 else x


def gathered(x, y):
    """Rows that a loop of open length finds by positions: whole numbers have a part in it, but not in what it fills."""
    places = torch.topk(x, 1, dim=0)[1]
    return F.softmax(torch.stack([x[places[0]] + i for i in range(y.shape[0])]), -1)


def loss(x, y):
    return F.mse_loss(x, y)


FUNCTIONS = {
    "softmax": lambda x, y: torch.softmax(x, 0),
    "module": lambda x, y: torch.nn.SELU()(x),
    "divided": lambda x, y: F.gelu(x / 2),
    "absolute": lambda x, y: F.softplus(torch.abs(x)),
    "mean": lambda x, y: torch.mean(x * 2),
    "cast": lambda x, y: torch.softmax(x.float(), 0),
    "whole": lambda x, y: torch.gcd(x, y),
    **{f.__name__: f for f in (made_of_both, chosen, looked_up, looped, branched, gathered, loss)},
}


def answers(run, given):
    try:
        run(*given)
    except (GfxError, RuntimeError, NotImplementedError, TypeError):
        return False
    return True


def given(dtype, other):
    return torch.tensor([1, 0, 1]).to(dtype), torch.tensor([1, 1, 0]).to(other)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_torch_refuses_every_callable_refuses(name):
    fn = FUNCTIONS[name]
    program = gfx.symbolic_trace(fn, backend="torch")
    runs = program, program.to("torch")
    compiled = jax.jit(program.to("jax"))
    for dtype in DTYPES:
        for other in {dtype, torch.float32}:
            args = given(dtype, other)
            want = answers(fn, args)
            assert [answers(run, args) for run in runs] == [want, want], (dtype, other)
            if not want:  # what JAX has no function for it refuses itself
                assert not answers(compiled, [jnp.asarray(x.numpy()) for x in args]), (dtype, other)


def test_the_source_of_another_framework_states_it():
    program = gfx.symbolic_trace(lambda x: torch.softmax(x, 0) * torch.exp(x))
    assert "Assumes: x holds floating-point numbers" in program.source("jax")
    assert "Assumes" not in program.source("torch")
    with pytest.raises(GuardError, match="x holds floating-point numbers as given, and the call has whole numbers"):
        program(torch.arange(3))


def by_dtype(x):
    if x.dtype == torch.int64:
        return x * 2
    return torch.softmax(x, 0)


def by_kind(x):
    return torch.softmax(x, 0) if torch.is_floating_point(x) else x


@pytest.mark.parametrize("fn", [by_dtype, by_kind])
def test_a_test_of_the_dtype_tells(fn):
    program = gfx.symbolic_trace(fn)
    assert program(torch.arange(3)).dtype == torch.int64
    assert program.to("torch")(torch.ones(3)).dtype == torch.float32
    assert "assert" not in gfx.symbolic_trace(by_kind).source("jax")


def test_what_no_argument_can_be_is_refused_at_capture():
    with pytest.raises(UnsupportedConstruct, match=r"torch.mean takes .* and gets booleans"):
        gfx.symbolic_trace(lambda x: torch.mean(x > 0))
    with pytest.raises(UnsupportedConstruct, match="and gets"):
        gfx.symbolic_trace(lambda x: torch.gcd(torch.softmax(x, 0), x))


def test_what_gives_something_else_of_booleans_takes_none():
    program = gfx.symbolic_trace(lambda x, y: torch.add(x, y, alpha=2), backend="torch")
    x = torch.tensor([1.5, -2.0])
    torch.testing.assert_close(program(x, x.long()), torch.add(x, x.long(), alpha=2))
    with pytest.raises(GuardError, match="y holds no booleans"):
        program(x > 0, x > 0)


def read_at(x, at):
    return x[at], x[..., at]


def written_at(x, at):
    x = x + 0
    x[at] = 7.0
    return x


BYTES = np.array([1, 0, 1, 3], dtype=np.uint8)
HELD = np.arange(16.0, dtype=np.float32).reshape(4, 4)


@pytest.mark.parametrize("to, given", [("numpy", np.array), ("torch", torch.tensor), ("jax", jnp.asarray)])
@pytest.mark.parametrize(
    "fn, framework, own",  # torch itself writes no number by a mask of bytes
    [(read_at, "numpy", np.array), (written_at, "numpy", np.array), (read_at, "torch", torch.tensor)],
)
def test_bytes_in_an_index_are_positions_or_a_mask_as_the_authors_framework_has_it(fn, framework, own, to, given):
    expected = fn(own(HELD), own(BYTES))
    program = gfx.symbolic_trace(fn, own(HELD), own(BYTES), backend=framework)
    for a, b in zip(expected, program.to(to)(given(HELD), given(BYTES)), strict=True):
        np.testing.assert_array_equal(a, b)
    open_ = gfx.symbolic_trace(fn, backend=framework).to(to)
    with pytest.raises(GuardError, match="at holds booleans or whole numbers"):
        open_(given(HELD), given(BYTES))
    for at in (np.array([3, 1]), np.array([True, False, True, True])):
        for a, b in zip(fn(own(HELD), own(at)), open_(given(HELD), given(at)), strict=True):
            np.testing.assert_array_equal(a, b)


def test_short_positions_are_positions_in_torch_source():
    for dtype in (np.int8, np.int16, np.uint16):
        program = gfx.symbolic_trace(read_at, HELD, BYTES.astype(dtype), backend="numpy").to("torch")
        found = program(torch.tensor(HELD), torch.tensor(BYTES.astype(dtype)))
        np.testing.assert_array_equal(found[1], HELD[..., BYTES])
