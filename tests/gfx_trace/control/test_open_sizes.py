"""Sizes that tests and loops change: unknown ones behind where Python runs them, or where they may meet; else refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.arange(6.0)


def grows(x, n: int):
    for _ in range(n):
        x = torch.cat([x, x[-1:] * 2])
    return x.sum() / x.shape[0]


def shrinks(x):
    while x.shape[0] > 2:
        x = x[1:] + x[:-1]
    return x


def chosen(x):
    while x.shape[0] > 2:
        x = x[x > x.mean()]
    return x


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("fn", "args"), [(grows, (3,)), (grows, (0,)), (shrinks, ()), (chosen, ())])
def test_loops_that_python_runs_may_change_sizes(fn, args, dynamic):
    program = gfx.symbolic_trace(fn, X, *[gfx.Open for _ in args], dynamic=dynamic)
    want = fn(X, *args)
    torch.testing.assert_close(program(X, *args), want)
    torch.testing.assert_close(program.to("torch")(X, *args), want)
    np.testing.assert_allclose(program.to("jax")(jnp.asarray(X.numpy()), *args), want, rtol=1e-6)


def step(P, F):
    if P.sum() > 0:
        P = F @ P @ F.T
    for _ in range(3):
        P = F @ P @ F.T
    return P


def test_sizes_that_may_be_equal_meet():
    """F is 2 x 2, so that P is, though its own sizes are open."""
    eye = torch.eye(2) * 1.5
    program = gfx.symbolic_trace(step, P=gfx.TensorSpec(("n", "m")), F=eye)
    want = step(eye, eye)
    torch.testing.assert_close(program.to("torch")(eye, eye), want)
    np.testing.assert_allclose(program.to("jax")(jnp.asarray(eye.numpy()), jnp.asarray(eye.numpy())), want)


@pytest.mark.parametrize("dynamic", [False, True])
def test_sizes_that_differ_for_sure_are_refused_where_data_decides(dynamic):
    def doubles(x):
        while x.sum() < 100:
            x = torch.cat([x, x])
        return x

    with pytest.raises(UnsupportedConstruct, match=r"'x' changes its shape from \((6|x_0),\) to \((12|2\*x_0),\)"):
        gfx.symbolic_trace(doubles, X, dynamic=dynamic)


def longest(x):
    n = x.shape[0]
    if n == 0:
        return x
    if min(n, 2 * x.shape[1]) > 8:
        x = x * 2
    return x + 1 if n % 2 else x


def sized(*dims):
    return gfx.TensorSpec(dims, "float32")


def test_tests_that_bounds_of_sizes_decide_are_decided():
    wide, even = gfx.Dim("w", min=5), gfx.Dim("n", min=5) * 2
    assert gfx.symbolic_trace(longest, sized(even, wide), backend="torch").source("torch").count("if ") == 0
    short = gfx.symbolic_trace(longest, sized(gfx.Dim("n", min=1, max=8), 4), backend="torch").source("torch")
    assert "n from 1 to 8" in short and "* 2" not in short and "% 2" in short
    assert "== 0" in short, "that there is an element is not taken for told"


def test_sizes_that_are_computed_are_held_to_what_they_are():
    program = gfx.symbolic_trace(longest, sized(gfx.Dim("n", min=5) * 2, gfx.Dim("w", min=5)), backend="torch")
    assert torch.equal(program(torch.ones(12, 5)), longest(torch.ones(12, 5)))
    for shape, why in (((11, 5), r"a size of 2\*n"), ((8, 5), "'n' as 5 or more"), ((10, 4), "'w' as 5 or more")):
        with pytest.raises(gfx.GfxError, match=why):
            program(torch.ones(shape))


def test_a_number_that_a_loop_changes_has_no_bounds_of_the_size_that_it_was():
    def falls(x):
        n = x.shape[0]
        for _ in range(3):
            if n > 12:
                x = x * 2
                n = n - 3
            else:
                x = x + 1
        return x

    program = gfx.symbolic_trace(falls, sized(gfx.Dim("n", min=14, max=20)), backend="torch")
    for length in (14, 16, 20):
        assert torch.equal(program(torch.ones(length)), falls(torch.ones(length)))


def spread_where_not_one(x):
    y = x[:1]
    if x.shape[0] != 1:
        y = y.expand(x.shape[0], -1)
    return y * 2


def whole_where_not_two(x):
    y = x[:2]
    if x.shape[0] == 2:
        y = torch.cat([y[:1], y[:1]])
    else:
        y = x * 2
    return y


def first_where_not_two(x):
    y = x[:1]
    if x.shape[0] != 2:
        y = x
    return y


@pytest.mark.parametrize(
    "f,size", [(spread_where_not_one, "B"), (whole_where_not_two, "B"), (first_where_not_two, "?")]
)
def test_a_size_on_the_side_where_a_test_says_what_it_is(f, size):
    program = gfx.symbolic_trace(f, gfx.TensorSpec((gfx.Dim("B", min=1), 3), "float32"), backend="torch")
    assert str(program.entry.result.type) == f"f32[{size}, 3]"
    for n in (1, 2, 3):
        x = torch.randn(n, 3)
        torch.testing.assert_close(program.to("torch")(x), f(x))
        np.testing.assert_allclose(program.to("jax")(jnp.asarray(x.numpy())), f(x), rtol=1e-6)


def test_a_part_without_places_is_empty_however_long_its_other_axes_are():
    def rows(x, y):
        found = y[x.nonzero()[:, 0]]
        return found if found[:, 4:4].numel() == 0 else None

    x, y = torch.tensor([1.0, 0.0, 2.0]), torch.arange(15.0).reshape(3, 5)
    assert "numel" not in gfx.symbolic_trace(rows, x, y, dynamic=True).source("torch")


def heads(x, y):
    for _ in range(2):
        parts = []
        for part in (x[:, :4], x[:, 4:]):
            if part.numel() != 0:
                parts.append(part * 2)
        x = x + torch.cat(parts, 1)
        assert x[:, 4:].numel() == 0, "no more than four"
    return x.reshape(x.shape[0], 4, -1)


def test_what_an_open_test_appends_has_its_sizes_behind_it():
    program = gfx.symbolic_trace(heads, gfx.TensorSpec(("n", 4, "m"), "float32"), gfx.TensorSpec(("k",), "float32"))
    assert "four" not in program.source("torch")
    x, y = torch.randn(2, 4, 3), torch.ones(2)
    torch.testing.assert_close(program.to("torch")(x, y), heads(x, y))
    np.testing.assert_allclose(program.to("jax")(jnp.asarray(x.numpy()), jnp.ones(2)), heads(x, y), rtol=1e-6)


def windows(x):
    """One for each stride, as codecs cut what they are given whole."""
    found, scales = [], []
    for at in range(0, x.shape[0], x.shape[0]):
        found.append(x[at : at + x.shape[0]])
        scales.append(None)
    return sum(part * 2 if scale is None else part * scale for part, scale in zip(found, scales))


def ahead(x):
    found = {}
    for at in range(x.shape[0], x.shape[0] + 3):
        found[f"{len(found)}"] = x.sum() * at
    for at in range(x.shape[0] - 1, x.shape[0] - 3, -1):
        found["first"] = x[at]
    return list(found.values())


def none_at_all(x):
    for at in range(x.shape[0], x.shape[0]):
        x = {"never": x[at]}
    return x * 2


@pytest.mark.parametrize("fn", [windows, ahead, none_at_all])
def test_ranges_of_open_ends_may_have_a_known_number_of_trips(fn):
    program = gfx.symbolic_trace(fn, X, dynamic=True)
    assert not any("fixed" in note for note in program.notes)
    for x in (torch.rand(4), torch.rand(9)):
        torch.testing.assert_close(program.to("torch")(x), fn(x))
        jax.tree.map(np.testing.assert_allclose, program.to("jax")(jnp.asarray(x.numpy())), fn(x))


def test_dtype_that_a_loop_keeps_over_open_positions_decides_a_test():
    def delayed(x):
        count = x.shape[1] // 2
        weights, at = torch.topk(x, count, dim=1)
        total = torch.zeros_like(x)
        for i in range(count):
            total = total + x.roll(-i, 1) * weights[:, i, None] + at[:, i, None]
        if total.dtype == torch.float16 and not torch.isfinite(total).all():
            total = total.clamp(-1, 1)
        return total

    made = gfx.transpile(delayed, torch.rand(2, 6), to="jax", dynamic=True)
    assert "float16" not in made.source
    x = torch.rand(3, 8)
    np.testing.assert_allclose(made(jnp.asarray(x.numpy())), delayed(x), rtol=1e-5)
