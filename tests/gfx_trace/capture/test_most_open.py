"""With dynamic=True as many sizes stay open as the code admits; the rest are fixed or equal, which guards check and notes tell."""

import functools
import itertools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def dims(program):
    return [list(map(str, place.type.dims)) for place in program.entry.placeholders]


W, V, TABLE = jnp.ones((3, 4)), jnp.arange(12.0).reshape(4, 3), jnp.ones((16, 5))


def features(x):
    return jax.vmap(lambda row: row @ W)(x)


def shared(x, y):
    return jax.vmap(lambda a, b: jnp.sum(a) * b)(x, y)


def both(x, y):
    return jax.vmap(lambda a, b: a @ W * jnp.sum(b @ V))(x, y)


def square(x):
    return jax.vmap(lambda a: a + a.T)(x)


def all_of_one(x, y):
    return jax.vmap(lambda a: a + y)(x)


def apart(x):
    return torch.cat([part * at for at, part in enumerate(x.split(2, 2))], 2)


def with_positions(x):
    return jax.vmap(lambda row: row[:, None] + TABLE[: x.shape[1]])(x)


def of_two_tables(x, y):
    return jax.vmap(lambda a, b: jnp.sum(a + TABLE[: x.shape[1], 0]) * (b + TABLE[: y.shape[1], 1]))(x, y)


def halved_twice(x):
    return jax.vmap(lambda a: a.reshape(*a.shape[:-1], -1, 2, 2).sum((-1, -2)))(x)


def but_of_three(x):
    return jax.vmap(jax.checkpoint(lambda row: -row if len(row) == 3 else row))(x)


def first_three(x):
    return jax.vmap(lambda row: row[:3] @ W)(x)


def elsewhere(x, y):
    return jax.vmap(lambda row: row @ y)(x)


def towers(x, y):
    return jax.vmap(lambda a: a @ W)(x) @ jax.vmap(lambda b: b @ W)(y).T


def pushed(x, y):
    return jax.linearize(lambda x: jnp.sin(x) @ W, x)[1](y)


def pulled(x, y):
    _, pull = jax.vjp(jnp.sin, x)
    return jax.lax.while_loop(lambda c: jnp.max(c) > 0.1, lambda c: pull(c)[0] / 2, y)


def squeezed(x):
    return torch.squeeze(x, 1) + x.squeeze((0, 1)).dim()


@pytest.mark.parametrize(
    ("f", "given", "expected"),
    [
        (features, [(2, 3)], [["x_0", "3"]]),
        (shared, [(2, 5), (2,)], [["x_0", "x_1"], ["x_0"]]),
        (both, [(2, 3), (2, 4)], [["x_0", "3"], ["x_0", "4"]]),
        (square, [(2, 3, 3)], [["x_0", "x_1", "x_1"]]),
        (all_of_one, [(2, 3), (3,)], [["x_0", "x_1"], ["x_1"]]),
        (with_positions, [(2, 5)], [["x_0", "x_1"]]),
        (of_two_tables, [(2, 5), (2, 4)], [["x_0", "x_1"], ["x_0", "y_1"]]),
        (halved_twice, [(2, 3, 1, 8)], [["x_0", "x_1", "x_2", "4*x_3"]]),
        (but_of_three, [(2, 5)], [["x_0", "x_1"]]),
        (first_three, [(2, 5)], [["x_0", "x_1"]]),
        (elsewhere, [(5, 2), (2,)], [["x_0", "x_1"], ["x_1"]]),
        (towers, [(2, 3), (2, 3)], [["x_0", "3"], ["y_0", "3"]]),
        (pushed, [(2, 3), (2, 3)], [["x_0", "3"], ["x_0", "3"]]),
        (pulled, [(2, 3), (2, 3)], [["x_0", "x_1"], ["x_0", "x_1"]]),
        (apart, [(2, 5, 3)], [["x_0", "x_1", "3"]]),
        (squeezed, [(2, 5, 3)], [["x_0", "x_1", "x_2"]]),
    ],
)
def test_sizes_that_the_code_hangs_on_are_fixed_or_shared(f, given, expected):
    make = torch.ones if f in (apart, squeezed) else jnp.ones
    program = gfx.symbolic_trace(f, *map(make, given), dynamic=True)
    assert dims(program) == expected
    assert program.notes[0].startswith("with all sizes open the code is refused: ")


def test_what_stays_fixed_shared_or_within_a_table_is_told_and_checked():
    made = gfx.transpile(both, jnp.ones((2, 3)), jnp.ones((2, 4)), to="torch", dynamic=True)
    assert made.program.notes[1:] == [
        "size 3 of 'x', axis 1, is fixed",
        "the size of 'y', axis 0, is that of 'x', axis 0",
        "size 4 of 'y', axis 1, is fixed",
    ]
    assert made(torch.ones(5, 3), torch.ones(5, 4)).shape == (5, 4)
    for x, y in ((5, 3), (4, 4)), ((5, 4), (5, 4)):
        with pytest.raises(gfx.GfxError, match=r"the capture (is for|took)"):
            made(torch.ones(*x), torch.ones(*y))
    made = gfx.transpile(with_positions, jnp.ones((2, 5)), to="torch", dynamic=True)
    assert made.program.notes[1:] == ["the size of 'x', axis 1, is at most 16"]
    least = gfx.transpile(first_three, jnp.ones((2, 5)), to="torch", dynamic=True)
    assert least.program.notes[1:] == ["the size of 'x', axis 1, is at least 3"]
    even = gfx.transpile(halved_twice, jnp.ones((2, 3, 1, 8)), to="torch", dynamic=True)
    assert even.program.notes[-1] == "the size of 'x', axis 3, is a multiple of 4"
    for short, takes, lacks in (least, (3, 4), (3, 2)), (even, (2, 1, 1, 12), (2, 1, 1, 10)):
        short(torch.ones(takes))
        with pytest.raises(gfx.GfxError, match="the capture"):
            short(torch.ones(lacks))
    assert made(torch.ones(3, 16)).shape == (3, 16, 5)
    with pytest.raises(gfx.GfxError, match="as 1 to 16"):
        made(torch.ones(3, 17))


def test_what_code_asks_of_its_sizes_is_found_in_a_few_runs():
    runs = []
    widths = 4, 8, 8, 2

    @functools.partial(jax.checkpoint, static_argnums=3)
    def layer(w, b, x, features):
        if w.shape != (x.shape[-1], features) or len(b) != features:
            raise ValueError(f"shapes {w.shape} and {b.shape} for {features} features")
        return jnp.tanh(x @ w * (1 / np.sqrt(x.shape[-1])) + b) * len(range(features))

    def loss(params, x, y):
        runs.append(1)
        for (w, b), features in zip(params, widths[1:]):
            x = layer(w, b, x, features)
        return jnp.mean((x.reshape(-1, 2) - y.reshape(-1, 2)) ** 2 * jnp.ones((x.shape[0] * x.shape[1], 1)))

    params = [(jnp.ones(pair) / 9, jnp.zeros(pair[1])) for pair in itertools.pairwise(widths)]
    program = gfx.symbolic_trace(
        jax.value_and_grad(loss), params, jnp.ones((3, 5, 4)), jnp.ones((3, 5, 2)), dynamic=True, derive=True
    )
    *fixed, x, y = dims(program)
    assert [x, y] == [["x_0", "x_1", "4"], ["x_0", "x_1", "2"]]
    assert fixed == [["4", "8"], ["8"], ["8", "8"], ["8"], ["8", "2"], ["2"]]
    assert len(runs) < 12


def test_what_code_divides_its_sizes_by_is_found_at_once():
    runs = []

    def loss(layers, tokens):
        runs.append(1)
        x = tokens[:, :-1, None] * jnp.ones(4)
        for w, out in layers:
            q, k, v = jnp.split(x @ w, 3, axis=-1)
            heads = [jax.nn.softmax(a @ a.mT) @ b for a, b in zip(jnp.split(q * k, 2, -1), jnp.split(v, 2, -1))]
            x = x + jnp.concatenate(heads, -1) @ out
        return jnp.mean((x.sum(-1) - tokens[:, 1:]) ** 2)

    layers = [(jnp.ones((4, 24)) / 9, jnp.ones((8, 4)) / 9) for _ in range(3)]
    made = gfx.transpile(jax.grad(loss), layers, jnp.ones((2, 7)), to="torch", dynamic=True)
    assert dims(made.program)[-1] == ["tokens_0", "tokens_1"]
    assert len(runs) < 7
    tokens = jnp.sin(jnp.arange(15.0)).reshape(3, 5)
    for a, b in zip(jax.tree.leaves(made(jax.tree.map(lambda x: torch.tensor(np.asarray(x)), layers),
                                         torch.tensor(np.asarray(tokens)))),
                    jax.tree.leaves(jax.grad(loss)(layers, tokens)), strict=True):  # fmt: skip
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_what_hangs_on_sizes_that_may_be_numbers_is_tried_where_these_are_none():
    runs = []

    def loss(params, x):
        runs.append(1)
        for w, b in params:
            x = jax.lax.conv_general_dilated(x, w, (2, 2), "SAME") + b[:, None, None]
        return jnp.mean(x**2)

    def step(params, trace, x):
        trace = jax.tree.map(lambda t, g: 0.9 * t + g, trace, jax.grad(loss)(params, x))
        return jax.tree.map(lambda p, t: p - t, params, trace), trace

    params = [(jnp.ones((4, 4, 3, 3)) / 9, jnp.ones(4)) for _ in range(2)]
    program = gfx.symbolic_trace(jax.jit(step), params, params, jnp.ones((2, 4, 8, 8)), dynamic=True)
    assert dims(program)[-1][0] == "x_0"
    assert len(runs) < 40


def test_a_batch_as_large_as_the_features_is_open():
    def layer(w, b, x):
        out = x @ w * (1 / np.sqrt(x.shape[-1]))
        return jnp.tanh(out + jnp.broadcast_to(b, out.shape)) * len(range(len(b)))

    def loss(params, x):
        for w, b in params:
            x = layer(w, b, x)
        return jnp.mean(x**2)

    params = [(jnp.ones((4, 4)), jnp.ones(4))] * 2
    program = gfx.symbolic_trace(jax.grad(loss), params, jnp.ones((4, 4)), dynamic=True, derive=True)
    assert dims(program)[-1] == ["x_0", "4"]


def test_sizes_that_a_cache_shares_with_what_is_written_to_it_are_found_in_a_few_runs():
    runs = []

    def step(kept, at, token):
        runs.append(1)
        new = []
        for keys, w in zip(kept, jnp.ones((2, 2, 4))):
            if keys.shape[1:] != w.shape:
                raise ValueError("other heads")
            keys = jax.lax.dynamic_update_slice_in_dim(keys, token[..., None] * w, at, 0)
            weights = jnp.einsum("qhd,khd->hqk", token[..., None] * w, keys) / int(keys.shape[-1] * 1.0)
            token = token + jnp.sum(weights) * jnp.ones(len(range(keys.shape[1])))
            new.append(keys)
        return new, token

    step = jax.vmap(step, ((0, 0), None, 0))
    made = gfx.transpile(
        step, (jnp.zeros((2, 8, 2, 4)),) * 2, jnp.int32(3), jnp.ones((2, 1, 2)), to="jax", dynamic=True
    )
    first, second, _, token = dims(made.program)
    assert [first, second, token] == [
        ["kept_0_0", "kept_0_1", "2", "4"],
        ["kept_0_0", "kept_1_1", "2", "4"],
        ["kept_0_0", "1", "2"],
    ]
    assert len(runs) < 20
    kept = tuple(jnp.sin(jnp.arange(24.0 * length)).reshape(3, length, 2, 4) for length in (4, 5))
    given = kept, jnp.int32(1), jnp.ones((3, 1, 2))
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-4), made(*given), step(*given))


def test_sizes_that_are_refused_together_are_tried_as_one():
    def loss(weights, x, noise):
        one = lambda w, x: jnp.sum((x + noise) @ w["a"] @ w["b"])
        return jnp.min(jax.vmap(one, (0, None))(weights, x))

    weights = {"a": jnp.ones((2, 4, 5)), "b": jnp.ones((2, 5, 3))}
    program = gfx.symbolic_trace(jax.grad(loss), weights, jnp.ones((6, 4)), jnp.ones((6, 4)), dynamic=True)
    a, b, x, noise = dims(program)
    assert a[0] == b[0] and a[2] == b[1] and x == noise and x[0] == "x_0"


def test_blocks_of_rows_leave_their_number_open():
    def f(q, k, v):
        d = q.shape[-1]
        parts = k.reshape(-1, 4, d), v.reshape(-1, 4, d)

        def row(one):
            add = lambda total, part: (total + jax.nn.softmax(part[0] @ one) @ part[1], None)
            return jax.lax.scan(add, jnp.zeros(d), parts)[0]

        return jax.lax.map(row, q)

    made = gfx.transpile(f, *(jnp.ones((n, 6)) for n in (5, 8, 8)), to="torch", dynamic=True)
    given = [torch.sin(torch.arange(6.0 * n)).reshape(n, 6) for n in (2, 12, 12)]
    want = f(*(jnp.asarray(x.numpy()) for x in given))
    np.testing.assert_allclose(made(*given), want, rtol=1e-5)


def test_sizes_of_arrays_whose_keys_are_no_names_are_their_own():
    def f(held, d_a_b):
        return jax.vmap(lambda row: jnp.sum(row) + jnp.sum(held["a_b"]))(held["a.b"]), jax.vmap(jnp.sum)(d_a_b)

    held = {"a.b": jnp.ones((2, 3)), "a_b": jnp.ones((4, 5))}
    program = gfx.symbolic_trace(f, held, jnp.ones((6, 7)), dynamic=True)
    assert len({size for sizes in dims(program) for size in sizes}) == 6


def test_strict_refuses_what_is_not_open():
    with pytest.raises(gfx.GfxError, match="refuses open sizes"):
        gfx.symbolic_trace(both, jnp.ones((2, 3)), jnp.ones((2, 4)), dynamic=True, strict=True)


def test_what_the_sizes_of_the_example_do_not_help_is_told_as_it_is():
    with pytest.raises(gfx.GfxError, match=r"cannot convert this call of json\.dumps"):
        gfx.symbolic_trace(lambda x: json.dumps(x), torch.eye(9), dynamic=True)


def left_alone(x, y):
    for axis in (-1, 1):
        x = x.squeeze(axis)
    return x * 2, y[..., 1:].squeeze(1), torch.squeeze(y * 3, (0, 1))


def test_axes_that_squeeze_leaves_have_two_places_or_more():
    x, y = torch.rand(2, 4, 1), torch.rand(3, 2)
    program = gfx.symbolic_trace(left_alone, x, y, dynamic=True)
    assert dims(program)[0] == ["x_0", "x_1", "1"] and "the size of 'x', axis 1, is at least 2" in program.notes
    for x, y in ((torch.rand(1, 2, 1), y), (torch.rand(3, 7, 1), torch.rand(5, 2))):
        want = left_alone(x, y)
        torch.testing.assert_close(program.to("torch")(x, y), want)
        jax.tree.map(
            np.testing.assert_allclose, program.to("jax")(jnp.asarray(x.numpy()), jnp.asarray(y.numpy())), want
        )
    with pytest.raises(gfx.GfxError, match="2 or more"):
        program(torch.rand(2, 1, 1), y)
