"""Functions that are called with numbers of Python's and with arrays: in other frameworks' source they are what they were."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


def halved(u, other):
    return u * 0.5 + other * 0.1


def lower(u, other):
    return np.minimum(u, other) * 2


def chosen(u, other):
    return np.where(other > 0.3, u, other)


def listed(u, other):
    return np.stack([u, other]).sum() + np.array([other, u]).max()


def quotient(u, other):
    return (u + 1.0) / (other + 2.0) ** 2


def compared(u, other):
    return (u > other) * 1.0 + (u == 0.5)


def number(u, other):
    return u


HELPERS = [halved, lower, chosen, listed, quotient, compared, number]


def in_a_loop(helper):
    def fn(x):
        r, s = 0.5, x[0]
        for _ in range(3):
            r = r + (helper(s, r) if r > 0.7 else helper(r, s))
        return r

    return fn


def twice(helper):
    def fn(x):
        a, b = helper(0.5, x[0]), helper(x[1], x[0])
        return a + helper(b, a), helper(0.25, x[2]) * a

    return fn


def number_or_array(helper):
    def fn(x):
        r = 0.5 if x.sum() > 1 else x[0]
        return helper(r, x[1]) + helper(x[2], r)

    return fn


@pytest.mark.parametrize(
    ("make", "dtype"), [(in_a_loop, "float64"), (twice, "float32"), (twice, "float64"), (number_or_array, "float64")]
)
@pytest.mark.parametrize("helper", HELPERS)
def test_they_are_told_by_all_their_calls(helper, make, dtype):
    fn = make(helper)
    for given in ((), (np.zeros(3, dtype),)):
        try:
            program = gfx.symbolic_trace(fn, *given, backend="numpy")
        except gfx.GfxError as error:
            assert "np.stack" in str(error) or "dtype" in str(error), error
            continue
        with jax.enable_x64():
            to_torch, to_jax = program.to("torch"), program.to("jax")
            for data in ([1.038, 0.19, 0.46], [0.1, -0.7, 0.2]):
                x = np.array(data, dtype)
                want = [np.asarray(leaf, float) for leaf in jax.tree.leaves(fn(x))]
                for call, array in ((program, x), (to_torch, torch.tensor(x)), (to_jax, jnp.asarray(x))):
                    got = [float(leaf) for leaf in jax.tree.leaves(call(array))]
                    np.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "float32" else 1e-12)
                assert math.isfinite(sum(want))


def last(x):
    r = 0.3
    for v in x:
        r = np.exp(r) - 1 if v > 0 else v
    return np.sin(r)


def joined(x):
    r = 0.1 if x[0] > 1 else x[1]
    return np.cos(r) + np.sqrt(r)


def carried(x):
    r = 0.7
    for _ in range(2):
        r = np.tanh(r) + np.log1p(r) * x[0] + np.minimum(r, x[2])
    return r


@pytest.mark.parametrize("fn", [last, joined, carried])
def test_functions_of_what_may_be_a_number_have_the_digits_of_a_double(fn):
    for given in ((), (np.zeros(3),)):
        program = gfx.symbolic_trace(fn, *given, backend="numpy")
        for x in (np.array([1.038, 0.19, 0.46]), np.array([0.1, 0.7, 0.2])):
            got = program.to("torch")(torch.tensor(x))
            assert got.dtype == torch.float64
            np.testing.assert_allclose(float(got), fn(x), rtol=1e-13)


def congruential(x):
    h = 17
    for v in x:
        h = (h * 1103515245 + 12345) % 2147483648
        x = x + v
    return h


def fourth_powers(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + v / (i + 1) ** 4
    return s


def powers_of_two(x):
    n = 0
    while torch.sum(x) < 9:
        n += 1
        x = x + 2**n
    return x


def products(x):
    n = 0
    for v in x:
        if v > 0:
            n += 1
    return x * (n * (n - 1) * (n - 2) * (n - 3))


def weighted(x):
    n = 0
    for v in x:
        if v > 0:
            n += 1
    return x * (n * 100_000)


def shifted(x):
    n = int(x[0])
    for _ in x:
        n = n << 1
    return x * n


@pytest.mark.parametrize("fn", [congruential, fourth_powers, powers_of_two, products, weighted, shifted])
def test_what_trips_count_and_lead_beyond_32_bits_is_refused_for_jax(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    with pytest.raises(UnsupportedConstruct, match="the width of whole numbers"):
        program.source("jax")
    x = torch.ones(6)
    torch.testing.assert_close(program.to("torch")(x), fn(x))


def few(x):
    for i in range(8):
        x = x + 2**i
        if torch.sum(x) > 40:
            break
    return x


def test_a_few_trips_may_take_powers():
    x = torch.ones(3)
    np.testing.assert_allclose(gfx.symbolic_trace(few).to("jax")(x.numpy()), few(x))


def wraps():
    return lax.while_loop(lambda c: c < 10_000_000_000, lambda c: c * 1103515245 + 12345, 1)


def test_a_number_that_a_loop_of_jax_takes_beyond_its_width_is_refused():
    with pytest.raises(UnsupportedConstruct, match="which would wrap"):
        gfx.symbolic_trace(wraps, backend="jax")


def stepped(t, x):
    return x * 0.5 if t > 0 else x


def count_down(t):
    return t - 1 if t > 1 else 0


def counted_until(x):
    for t in range(3):
        x = stepped(t, x) + stepped(2 - t, x)
        if x.sum() > 9:
            return x * count_down(t), count_down(3)
    return x, count_down(2)


def left_by_an_index(x):
    for t in range(3):
        if x.sum() > 9:
            return x
        steps = 0
        while True:
            steps += 1
            x = x + t
            if steps > 2 or t < 1:
                break
    return x


def test_a_loop_that_what_jax_counts_itself_ends_is_one_of_jax():
    program = gfx.symbolic_trace(left_by_an_index, torch.ones(2)).to("jax")
    for x in ([1.0, 2.0], [5.0, 4.0], [-9.0, 2.0]):
        assert np.asarray(program(jnp.array(x))).tolist() == left_by_an_index(torch.tensor(x)).tolist()


def test_what_jax_counts_itself_is_data_in_functions_as_well():
    program = gfx.symbolic_trace(counted_until, torch.ones(2))
    for x in ([1.0, 2.0], [5.0, 4.0]):
        want, found = counted_until(torch.tensor(x)), program.to("jax")(jnp.array(x))
        assert np.asarray(found[0]).tolist() == want[0].tolist() and int(found[1]) == want[1]


COUNTED = {
    "floor": lambda x, i: x[math.floor(i / 2)],
    "ceil": lambda x, i: x[math.ceil(i / 2)],
    "trunc": lambda x, i: x[math.trunc(i / 2)] * math.trunc(-i / 2),
    "log to a base": lambda x, i: x * math.log(i + 1, 2),
    "pow": lambda x, i: x * math.pow(2, -i),
    "fabs": lambda x, i: x * math.fabs(i - 2),
    "degrees": lambda x, i: x + math.degrees(i),
    "min": lambda x, i: x[min(i, 2)],
}


def until_enough(step):
    def fn(x):
        y = x
        for i in range(6):
            if y.sum() > 400:
                break
            y = y + step(x, i)
        return y

    return fn


@pytest.mark.parametrize("step", COUNTED.values(), ids=COUNTED)
def test_functions_of_the_trip_of_a_loop_that_data_ends(step):
    fn, x = until_enough(step), torch.arange(6.0) + 1.5
    written = jax.jit(gfx.symbolic_trace(fn, backend="torch").to("jax"))
    np.testing.assert_allclose(written(jnp.asarray(x.numpy())), fn(x).numpy(), rtol=1e-5)


def test_a_function_of_the_trip_that_no_op_computes_is_refused():
    program = gfx.symbolic_trace(until_enough(lambda x, i: x * math.isqrt(i)), backend="torch")
    with pytest.raises(
        UnsupportedConstruct, match=r"cannot write math.isqrt\(\), which asks for a number of Python's own"
    ):
        program.source("jax")


def by_a_text(x, i):
    mode = "up" if i > 1 else "down"
    return x * 2 if mode == "up" else x / 2


def unless_a_text(x, i):
    mode = "first" if i else "later"
    return x + 1 if mode != "first" else x - 1


@pytest.mark.parametrize("step", [by_a_text, unless_a_text])
def test_a_text_that_the_trip_chooses_is_asked_by_the_test_that_chose_it(step):
    fn, x = until_enough(step), torch.arange(6.0) + 1.5
    written = jax.jit(gfx.symbolic_trace(fn, backend="torch").to("jax"))
    np.testing.assert_allclose(written(jnp.asarray(x.numpy())), fn(x).numpy(), rtol=1e-5)


def test_a_text_that_the_trip_chooses_and_more_than_comparisons_take_is_refused():
    program = gfx.symbolic_trace(until_enough(lambda x, i: x * len("ab" if i else "a")), backend="torch")
    with pytest.raises(UnsupportedConstruct, match="cannot write this test, which chooses a text"):
        program.source("jax")
