"""What JAX's own tracer takes apart keeps open sizes open: one capture for every batch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from jax import lax

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

N = gfx.Dim("n")
W = jnp.arange(6.0).reshape(3, 2) / 10


def loss(w, x):
    return jnp.mean(jnp.tanh(x @ w) ** 2)


def gradient(x):
    return jax.value_and_grad(loss)(W, x)


def of_each_row(x):
    return jax.vmap(lambda row: jax.nn.softmax(row) * row.shape[0])(x), jax.vmap(jax.grad(lambda row: (row**3).sum()))(
        x
    )


def of_all_pairs(x):
    return jax.vmap(lambda a: jax.vmap(lambda b: ((a - b) ** 2).sum())(x))(x)


def through_a_scan(x):
    return jax.grad(lambda x: sum(y.sum() for y in lax.scan(lambda c, r: (jnp.tanh(c + r), c * 2), jnp.zeros(3), x)))(x)


def by_how_many_there_are(x):
    return jax.grad(lambda x: (x * x.shape[0]).sum() / (2 * x.size + 1))(x)


def of_pools(x):
    largest = lambda row: lax.reduce_window(row, -jnp.inf, lax.max, (2,), (1,), "VALID")
    total = lambda row: lax.reduce_window(row, 0.0, lax.add, (2,), (2,), "SAME")
    return jax.grad(lambda x: (jax.vmap(largest)(x) ** 2).sum() + (jax.vmap(total)(x) ** 3).sum())(x)


def as_wide_as_there_are_rows(x):
    return jnp.pad(x[:, 0], (0, x.shape[0])), jnp.tile(x[0], x.shape[0]), jnp.broadcast_to(x.sum(), x.shape[0])


def of_places_that_are_floats(x):
    def placed(column):
        n = len(column)
        return column * jnp.arange(1.0, n + 1) / n + jnp.arange(n, 0.0, -1, dtype=column.dtype)

    return jax.vmap(placed, 1)(x), jax.grad(lambda x: (x.T @ jnp.arange(0.0, 2 * len(x), 2.0)).sum())(x)


def of_a_size_from_outside(x):
    n, width = x.shape
    total = jax.grad(lambda x: (x / (n * width)).sum() + jnp.arange(n).sum())(x)
    return jax.vmap(lambda row: row / n)(x), jax.vmap(lambda row, k: row * k, (0, None))(x, n), total


def of_what_a_loop_gives(x):
    def step(a, row):
        a = jax.nn.logsumexp(a[:, None] + W.sum(), 0) + row
        return a, a

    last, found = lax.scan(step, x[0] / x.shape[1], x)
    return jax.vmap(lambda a: a - jax.nn.logsumexp(a) + last.sum())(found)


def of_a_told_length(x):
    step = lambda c, row: (jnp.tanh(c + row), c)
    return jax.vmap(lambda y: lax.scan(step, y, x, length=x.shape[0]))(x)


def of_other_sizes(x):
    pairs = (x[:, None] * x).reshape(-1, 3)
    more = jax.vmap(lambda row, at: row * at)(jnp.concatenate([x, x[1:]]), jnp.arange(2 * x.shape[0] - 1))
    return (
        jax.vmap(jnp.cumsum)(pairs),
        more,
        lax.map(jnp.sin, x[::2]),
        jax.grad(lambda y: (y * y.shape[0]).sum())(pairs),
    )


@pytest.mark.parametrize(
    "function",
    [
        gradient,
        of_each_row,
        of_all_pairs,
        through_a_scan,
        by_how_many_there_are,
        of_pools,
        as_wide_as_there_are_rows,
        of_other_sizes,
        of_places_that_are_floats,
        of_a_told_length,
        of_what_a_loop_gives,
        of_a_size_from_outside,
    ],
)
def test_one_capture_for_every_batch(function):
    program, computed = (
        gfx.symbolic_trace(function, gfx.TensorSpec((N, 3), "float32"), derive=d) for d in (False, True)
    )
    runs = [program, jax.jit(program.to("jax")), computed.to("numpy"), program.to("torch"), computed.to("torch")]
    makes = [jnp.asarray, jnp.asarray, np.asarray, torch.tensor, torch.tensor]
    for n in (4, 6, 1):
        x = (np.arange(3 * n, dtype=np.float32).reshape(n, 3) + 1) / 7
        want = jax.tree.leaves(function(jnp.asarray(x)))
        for run, make in zip(runs, makes):
            for found, leaf in zip(jax.tree.leaves(run(make(x))), want, strict=True):
                np.testing.assert_allclose(np.asarray(found), leaf, rtol=1e-4, atol=1e-6)


def test_sizes_that_have_to_be_equal_share_a_name():
    with pytest.raises(CaptureError, match=r"JAX's own tracer refuses open sizes(.|\n)*with one gfx.Dim"):
        gfx.symbolic_trace(jax.grad(loss), W, jnp.ones((4, 3)), dynamic=True, strict=True, derive=True)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jax.vmap(lambda row: row * 2 if row.shape[0] == 3 else row)(x),
        lambda x: jax.vmap(jax.checkpoint(lambda row: row if row.shape != (3,) else row * 2))(x),
        lambda x: jax.vmap(lambda row: row + 1 if row.shape[0] == x.shape[0] else row)(x),
        lambda x: jax.vmap(lambda row: row.sum() if row.shape[0] else 1.0)(x[:, : x.shape[1] // 2]),
        lambda x: jax.vmap(lambda row: jnp.packbits(row > 0))(x),
        lambda x: jax.vmap(lambda row: jnp.fft.rfftfreq(row.shape[0]) + row[0])(x),
    ],
)
def test_what_hangs_on_whether_open_sizes_are_equal_is_refused(f):
    with pytest.raises(CaptureError, match="is inconclusive"):
        gfx.symbolic_trace(f, gfx.TensorSpec(("B", gfx.Dim("T", min=1)), "float32"))


def test_what_hangs_on_the_rest_of_a_division_is_open_by_its_multiples():
    f = jax.vmap(lambda row: jnp.packbits(row > 0))
    made = gfx.transpile(f, jnp.ones((1, 16)), to="torch", dynamic=True)
    x = np.cos(np.arange(48, dtype="float32").reshape(2, 24))
    np.testing.assert_array_equal(made(torch.tensor(x)), f(jnp.asarray(x)))
    with pytest.raises(gfx.GfxError, match="the capture took"):
        made(torch.ones(2, 20))


AT_POSITIONS = {
    "an item": lambda x, i: jax.vmap(lambda x, i: x[i])(x, i),
    "a row of a table": lambda x, i: jax.vmap(lambda i: x[i])(jnp.minimum(i, x.shape[0] - 1)),
    "a part": lambda x, i: jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,)))(x, i),
    "added to": lambda x, i: jax.vmap(lambda x, i: x.at[i].add(1.0))(x, i),
    "where the largest is": lambda x, i: jax.vmap(lambda x, i: x[i])(x, jnp.argmax(x, 1)),
    "a count": lambda x, i: jax.vmap(lambda x, at: x + at)(x, jnp.arange(i.shape[0])),
    "multiplied": lambda x, i: jax.vmap(lambda x, i: x.at[i].mul(2.0))(x, i),
    "a part that is written": lambda x, i: jax.vmap(lambda x, i: lax.dynamic_update_slice(x, jnp.ones(2), (i,)))(x, i),
}


@pytest.mark.parametrize("f", AT_POSITIONS.values(), ids=AT_POSITIONS)
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_positions_in_arrays_of_any_size(f, to):
    made = gfx.transpile(f, gfx.TensorSpec(("b", "n"), "float32"), gfx.TensorSpec(("b",), "int32"), to=to)
    array = torch.tensor if to == "torch" else jnp.asarray
    for b, n in ((3, 5), (1, 2), (6, 4)):
        x, i = np.arange(b * n, dtype=np.float32).reshape(b, n), np.arange(b, dtype=np.int32) * 3 % n - (b == 6)
        np.testing.assert_allclose(np.asarray(made(array(x), array(i))), f(*map(jnp.asarray, (x, i))), rtol=1e-6)


TABLE = jnp.sin(jnp.arange(32.0))
PARTS = {
    "differences": lambda row: row[1:] * row[:-1],
    "a table as long": lambda row: row * TABLE[: row.shape[0]],
    "sums of windows": lambda row: lax.reduce_window(row, 0.0, lax.add, (2,), (1,), "VALID"),
    "the last ones": lambda row: row[-2:] * 2,
    "a half": lambda row: row[row.shape[0] // 2 :] ** 2,
    "moved on": lambda row: row * jnp.roll(row, 1),
    "one before": lambda row: row * jnp.pad(row, (1, 0))[:-1],
    "added to a part": lambda row: row.at[1:].add(row[:-1]) ** 2,
}


@pytest.mark.parametrize("f", PARTS.values(), ids=PARTS)
def test_parts_of_arrays_of_any_size_and_their_gradients(f):
    both = lambda x: (jax.vmap(f)(x), jax.grad(lambda x: jax.vmap(f)(x).sum())(x))
    made = gfx.transpile(both, gfx.TensorSpec(("b", gfx.Dim("n", min=2, max=32)), "float32"), to="torch")
    assert "[:, 1:] * x[:, :x.shape[1] - 1]" in made.source or f is not PARTS["differences"]
    for b, n in ((3, 5), (1, 2), (2, 32)):
        x = np.cos(np.arange(b * n, dtype=np.float32)).reshape(b, n)
        for found, want in zip(made(torch.tensor(x)), both(jnp.asarray(x)), strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)


def shifted(x):
    by = min(1, x.shape[1])
    return F.pad(x, (0, 0, by, -by), value=2.0), F.pad(x, (-x.shape[0], 3 - x.shape[1]))


def pooled(x):
    x, sizes = x[None], (x.shape[1], 2)
    return (
        F.avg_pool2d(x, sizes),
        F.max_pool2d(x, 2, sizes),
        F.avg_pool2d(x, sizes[:1] * 2, 1, (1, 0), divisor_override=3),
    )


@pytest.mark.parametrize("function", [shifted, pooled])
def test_padding_and_windows_of_open_sizes(function):
    """Padding by fewer than none cuts."""
    made = gfx.transpile(function, gfx.TensorSpec(("b", "n", 4), "float32"), to="jax")
    for b, n in ((2, 3), (1, 4), (3, 2)):
        x = torch.randn(b, n, 4)
        for found, wanted in zip(made(jnp.asarray(x.numpy())), function(x)):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def residual(x):
    """What both ways give has one size."""
    layout, weight = ("NHWC", "HWIO", "NHWC"), jnp.sin(jnp.arange(144.0)).reshape(3, 3, 4, 4)
    half = lambda w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=layout)
    return half(weight) + half(weight[:1, :1])


def pooled_to_less(x):
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2, 1), (1, 2, 3, 1), "SAME")
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 3, 1), "SAME_LOWER")


@pytest.mark.parametrize("f", [residual, pooled_to_less, lambda x: jax.vmap(lambda a: residual(a[None])[0])(x)])
@pytest.mark.parametrize("target", ["torch", "jax"])
def test_strides_leave_open_what_same_padding_adds(f, target):
    made = gfx.transpile(f, gfx.TensorSpec((2, gfx.Dim("h", min=1), "w", 4), "float32"), to=target)
    for h, w in ((16, 9), (7, 12), (1, 3)):
        x = np.cos(np.arange(8.0 * h * w, dtype=np.float32)).reshape(2, h, w, 4)
        found = made(torch.tensor(x) if target == "torch" else jnp.asarray(x))
        np.testing.assert_allclose(found, f(jnp.asarray(x)), rtol=1e-5, atol=1e-5)


def over_an_axis(x):
    def row(r):
        mean, count = lax.pmean(r, "rows"), lax.psum(1, "rows")
        return (r - mean) / lax.psum(1.5, "rows"), lax.all_gather(r, "rows").sum() + lax.axis_index("rows"), count

    return jax.vmap(row, axis_name="rows", out_axes=(0, 0, None))(x)


def with_its_sizes(x):
    return jax.grad(lambda x: ((x**2).sum(), {"n": x.shape[0], "more": 2 * x.shape[0] + 1}), has_aux=True)(x)


@pytest.mark.parametrize("function", [jax.jit(over_an_axis), with_its_sizes])
@pytest.mark.parametrize("target", ["torch", "jax"])
def test_sizes_of_named_axes_and_of_results(function, target):
    """They are numbers that hang on the argument."""
    made = gfx.transpile(jax.vmap(function), jnp.ones((2, 4, 3)), to=target, dynamic=True)
    for n in (1, 5):
        x = np.cos(np.arange(6.0 * n, dtype=np.float32)).reshape(2, n, 3)
        found = made(torch.tensor(x) if target == "torch" else jnp.asarray(x))
        want = jax.vmap(function)(jnp.asarray(x))
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(want), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_permutations_of_open_sizes():
    """JAX sorts twice for more elements than 1625: a capture holds for one of these."""
    draw = lambda key, x: jax.vmap(lambda row: row[jax.random.permutation(key, row.shape[0])])(x)
    given = lambda n: (jax.random.key(3), jnp.arange(2.0 * n).reshape(2, n))
    for example, sizes, other in ((7, (1, 9, 1625), 1626), (1700, (1626, 2000), 9)):
        made = gfx.transpile(draw, *given(example), to="jax", dynamic=True)
        for n in sizes:
            np.testing.assert_array_equal(made(*given(n)), draw(*given(n)))
        with pytest.raises(gfx.GfxError, match=r"1625|1626"):
            made(*given(other))


def warped(a, b):
    def row(best, cost):
        def cell(left, seen):
            c, up, corner = seen
            found = c + jnp.minimum(jnp.minimum(left, up), corner)
            return found, found

        _, costs = lax.scan(cell, jnp.inf, (cost, best[1:], best[:-1]))
        return jnp.concatenate([jnp.array([jnp.inf]), costs]), costs

    return lax.scan(row, jnp.full(b.shape[0] + 1, jnp.inf).at[0].set(0.0), (a[:, None] - b) ** 2)


def shifted(a, b):
    rest = lambda x: jnp.stack([b[i] * a[0] for i in range(1, b.shape[0])])
    return lax.scan(lambda x, c: (jnp.concatenate([x[:1], rest(x)]), x[1:] * c), b, a)


@pytest.mark.parametrize("function", [warped, shifted])
@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
def test_what_a_scan_carries_keeps_its_sizes(function, target):
    """JAX asks that of it: what a trip gives beside it is of one shape, too."""
    made = gfx.transpile(function, gfx.TensorSpec(("n",), "float32"), gfx.TensorSpec(("m",), "float32"), to=target)
    for n, m in ((2, 3), (4, 2)):
        x, y = (np.cos(np.arange(float(k), dtype=np.float32)) for k in (n, m))
        given = [torch.tensor(v) if target == "torch" else v for v in (x, y)]
        for found, want in zip(made(*given), function(x, y), strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-5)
