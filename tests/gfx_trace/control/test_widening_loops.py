"""Loops whose trips make floats wider: their dtype is open behind the loop, and JAX holds the wider one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

pytestmark = pytest.mark.usefixtures("wide")


def after_a_test(x, n):
    while n > 0:
        x = x.double() / 3
        n = n - 1
    return x


def with_a_break(x, n):
    k = 0
    while k < 30:
        if x.sum() < n:
            break
        x = x.double() / 3
        k += 1
    return x, k


def with_a_continue(x, n):
    for i in range(4):
        if x.sum() < n:
            continue
        x = x.double() / 3 + i
    return x


def counted(x, n):
    for i in range(int(n)):
        x = x.double() + i
    return x


def swapped(x, n):
    a, b = torch.zeros(3), torch.ones(3)
    while a.sum() < n:
        a, b = b, x.double().abs() + a
    return a, b


def returned_early(x, n):
    for _ in range(10):
        if x.sum() > n:
            return x
        x = x + x.double()
    return x


X = np.array([1.1, 2.0, 3.0], np.float32)


def plain(found):
    """Of each result its values, and where it is a tensor its dtype."""
    parts = found if isinstance(found, tuple) else (found,)
    return [
        (
            part if isinstance(part, torch.dtype) else np.asarray(part).tolist(),
            str(getattr(part, "dtype", "")).removeprefix("torch."),
        )
        for part in parts
    ]


@pytest.mark.parametrize("n", (2, 9))
@pytest.mark.parametrize(
    "fn",
    (after_a_test, with_a_break, with_a_continue, counted, swapped, returned_early),
    ids=lambda fn: fn.__name__,
)
def test_floats_are_made_wider(fn, n):
    program = gfx.symbolic_trace(fn, torch.tensor(X), torch.tensor(n))
    wanted = plain(fn(torch.tensor(X), torch.tensor(n)))
    assert plain(program.to("torch")(torch.tensor(X), torch.tensor(n))) == wanted
    found = plain(program.to("jax")(jnp.asarray(X), jnp.asarray(n)))
    for (want, _), (got, dtype) in zip(wanted, found):
        np.testing.assert_allclose(got, want, 1e-6)
        assert dtype in ("float64", "int64", "")


def narrower(x, n):
    for _ in range(int(n)):
        x = x.half()
    return x


def of_another_kind(x, n):
    for _ in range(int(n)):
        x = x.long()
    return x


def wider_numbers(x, n):
    n = n.int()
    while n > 0:
        n = n.long() - 1
    return n


def sixteen_bits(x, n):
    x = x.half()
    while n > 0:
        x, n = x.bfloat16(), n - 1
    return x


def in_one_branch(x, n):
    if n > 0:
        x = x.double()
    return x


def greatest(x, n):
    return max(x[0] * 0.3, x.double()[1]) > 0.3


@pytest.mark.parametrize(
    "fn, said",
    (
        (narrower, "from float32 to float16"),
        (of_another_kind, "from float32 to int64"),
        (wider_numbers, "from int32 to int64"),
        (sixteen_bits, "from float16 to bfloat16"),
        (in_one_branch, "float64 on one side and float32 on the other"),
        (greatest, "float64 on one side and float32 on the other"),
    ),
)
def test_other_changes_of_a_dtype_are_refused(fn, said):
    with pytest.raises(UnsupportedConstruct, match=said):
        gfx.symbolic_trace(fn, torch.tensor(X), torch.tensor(2))


def test_inside_of_jit():
    program = gfx.symbolic_trace(with_a_break, torch.tensor(X), torch.tensor(2))
    found, trips = jax.jit(program.to("jax"))(jnp.asarray(X), jnp.asarray(2))
    assert found.dtype == jnp.float64 and trips == 2


def compared(x, n):
    while x.sum() < n:
        x = x * x.double() + 1
    return x + 1 if x.dtype == torch.float64 else x - 1


def told(x, n):
    while x.sum() < n:
        x = x * x.double() + 1
    return x, x.dtype


def made_of(x, n):
    while x.sum() < n:
        x = x * x.double() + 1
    return torch.zeros(2, dtype=x.dtype) + x[0]


@pytest.mark.parametrize("n", (2, 9))
def test_a_dtype_that_hangs_on_trips(n):
    for fn in (compared, told):
        program, given = gfx.symbolic_trace(fn, torch.tensor(X), torch.tensor(n)), (torch.tensor(X), torch.tensor(n))
        assert plain(program.to("torch")(*given)) == plain(fn(*given))
        with pytest.raises(UnsupportedConstruct, match="hangs on how often a loop runs"):
            program.source("jax")
    assert gfx.symbolic_trace(made_of, *given).to("jax")(jnp.asarray(X), jnp.asarray(n)).dtype == jnp.float64


def replaced_by_a_number(x, n: int):
    whole, some = x[0].round().long(), x[1] > 0
    for _ in range(n):
        whole = 2.5
    while x.sum() < 9:
        for _ in range(2):
            some = n
        x = x + 1
    return x * whole, x * some


def begun_by_a_test(x, n: int):
    a = 1
    if n > 1:
        a = a + x[0]
    for _ in range(n):
        for _ in x:
            a = n
    if x.sum() < 1:
        a = x[0] * 2
    return a, x


@pytest.mark.parametrize("n", (0, 2))
@pytest.mark.parametrize("fn", (replaced_by_a_number, begun_by_a_test), ids=lambda fn: fn.__name__)
def test_numbers_in_the_place_of_arrays(fn, n):
    program, given = gfx.symbolic_trace(fn, torch.tensor(X)), torch.tensor(X)
    wanted = plain(fn(given, n))
    assert plain(program.to("torch")(given, n)) == wanted
    for (want, _), got in zip(wanted, program.to("jax")(jnp.asarray(X), n)):
        np.testing.assert_allclose(got, want, 1e-6)
