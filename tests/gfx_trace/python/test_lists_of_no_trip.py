"""Lists that a loop over an open number of rows leaves empty: what needs no array of them needs no item in them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def backtracks(scores, table):
    back, at = [], scores[0] * 1
    for row in scores[1:]:
        back.append((at[:, None] + table).argmax(0))
        at = row + at.max()
    state = at.argmax()
    path = [state]
    for step in reversed(back):
        state = step[state]
        path.append(state)
    return torch.stack(path[::-1])


def asks_for_any(scores, table):
    rows = []
    for row in scores[1:]:
        rows.append(row @ table)
    if not rows:
        return scores
    return torch.stack(rows)


def counts_down(scores, table):
    rows = [row * 2 for row in scores[1:]]
    at, total = len(rows) - 1, table
    while at >= 0:
        total = total + rows[at]
        at -= 1
    return total


def stands_behind(scores, table):
    rows = [scores[0]]
    for row in scores[1:]:
        rows.append(row @ table)
    return torch.cat([table[:1], torch.stack(rows)])


@pytest.mark.parametrize("fn", [backtracks, asks_for_any, counts_down, stands_behind])
@pytest.mark.parametrize("typed", [True, False])
def test_what_needs_no_array_of_the_items_runs_without_any(fn, typed):
    table = torch.eye(3) + 0.5
    given = [torch.arange(3.0 * count).reshape(count, 3).cos() for count in (4, 1, 2)]
    options = {"dynamic": True} if typed else {}
    program = gfx.symbolic_trace(fn, *([given[0], table] if typed else []), backend="torch", **options)
    for scores in given:
        want = fn(scores, table)
        assert torch.equal(program(scores, table), want)
        for name, array in (("numpy", np.asarray), ("jax", jnp.asarray)):
            np.testing.assert_allclose(np.asarray(program.to(name)(array(scores), array(table))), want, 1e-5)


def filtered(steps, first):
    def step(at, row):
        at = jnp.tanh(at + row)
        return at, at

    _, found = jax.lax.scan(step, first, steps)
    return jnp.concatenate([first[None], found])


def test_rows_behind_others_may_be_none():
    program = gfx.symbolic_trace(filtered, backend="jax")
    for count in (0, 2):
        steps, first = np.ones((count, 2), "float32"), np.array([0.1, 0.2], "float32")
        want = filtered(jnp.asarray(steps), jnp.asarray(first))
        np.testing.assert_allclose(program.to("numpy")(steps, first), want, 1e-6)
        np.testing.assert_allclose(program.to("torch")(torch.tensor(steps), torch.tensor(first)), want, 1e-6)
