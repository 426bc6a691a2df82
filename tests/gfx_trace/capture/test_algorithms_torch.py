"""More short algorithms: lists that loops fill, positions that data gives, orders, and numbers beside arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves, tree_map

pytestmark = pytest.mark.usefixtures("wide")
XS = [[[1.0, -2.0, 7.0], [3.0, 4.0, 0.0], [1.0, 9.0, 2.0]], [[7.0, 5.0, 1.0], [1.0, -2.0, 3.0], [3.0, 4.0, 8.0]]]


def returns_lists(x):
    outs, total = [], x[0] * 0
    for row in x:
        total = total * 0.5 + row if row.sum() > 6 else total
        outs.append(total)
    return outs, {"signs": [v.sign() if v > 1 else v for v in x[0]]}


def joins_lists(x):
    outs, total = [], x[0] * 0
    for row in x:
        total = total * 0.5 + row if row.sum() > 6 else total
        outs.append(total)
    again = torch.stack(outs)
    again += 1  # the list does not see it
    return torch.stack(outs, 1), torch.stack(outs, dim=-1), torch.cat(outs), again, outs[-1]


def swaps_rows(x):
    y, k, i = x.clone(), 1 + int(x[:2, 0].argmax()), x[:, 1].argmax()
    y[[0, k]] = y[[k, 0]]
    y[[k, 0], 1] *= 2
    return y, x[[k, k]], x[[i, 0], [1, k]]


def goes_backwards(x):
    n = x.size(0)
    y = x.clone()
    for i in reversed(range(n - 1)):
        y[i] = y[i] + 0.5 * y[i + 1] if y[i + 1].sum() > 0 else y[i]
    return y


def orders_by_keys(x):
    where, most = max(enumerate([x[0, 0], x[1, 1] * 2, x[2, 2]]), key=lambda pair: pair[1])
    weights = {"b": 2.0, "a": 3.0}
    for _, w in sorted(weights.items(), key=lambda item: -item[1]):
        most = most * w + 1 if most > 0 else most - w
    return where, most, min([x[0, 1], x[1, 0], x[2, 1]], key=abs)


def changes_a_list(x):
    stack = [x[0]]
    stack.append(x[1])
    if x[0, 0] > 2:
        stack[0], stack[1] = stack[1], stack[0]
    top = stack.pop()
    stack.insert(0, top * 2)
    return stack


def same(want, got):
    """Equal in structure, and in their leaves."""
    kinds = [tree_map(lambda leaf: 0, tree) for tree in (want, got)]
    assert kinds[0] == kinds[1]
    for a, b in zip(leaves(want), leaves(got), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize(
    "fn",
    [returns_lists, joins_lists, swaps_rows, goes_backwards, orders_by_keys, changes_a_list],
    ids=lambda f: f.__name__,
)
def test_results_are_pythons(fn, level):
    program = gfx.symbolic_trace(fn, *([torch.tensor(XS[0])] if level else []), backend="torch")
    written, compiled = program.module("torch").load(), jax.jit(program.module("jax").load())
    for x in XS:
        want = fn(torch.tensor(x))
        for got in (program(torch.tensor(x)), written(torch.tensor(x)), compiled(jnp.asarray(x, jnp.float32))):
            same(want, got)


def swaps_entries(x):
    y, k = x.copy(), x[:, 0].argmax()
    y[[0, k]] = y[[k, 0]]
    return y, x[[0, int(k)], [k, 1]]


def test_positions_of_numpy():
    program = gfx.symbolic_trace(swaps_entries, np.array(XS[0]))
    for x in XS:
        same(swaps_entries(np.array(x)), program(np.array(x)))
        same(swaps_entries(np.array(x)), program.to("jax")(jnp.array(x)))


def scales(x, n):
    total = 0.0
    for i in range(n):
        scale = 1.0 if x.max() < 2 else 1 / x.max()
        total = total + x[0] * scale if i % 2 == 0 else total
    return total


def chains(x, n):
    before, after = 0, 1.0
    for _ in range(n):
        before, after = after, x[0]
    return before * x


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", [scales, chains], ids=lambda f: f.__name__)
def test_a_number_beside_an_array_takes_its_dtype(fn, level):
    given = jnp.asarray([1.0, 3.0], jnp.float32), jnp.int32(3)
    compiled = jax.jit(gfx.symbolic_trace(fn, *(given if level else ()), backend="jax").module("jax").load())
    for x in ([1.0, 3.0], [0.5, 1.0]):
        want, got = fn(jnp.asarray(x, jnp.float32), 3), compiled(jnp.asarray(x, jnp.float32), jnp.int32(3))
        assert got.dtype == want.dtype == jnp.float32
        np.testing.assert_allclose(want, got, rtol=1e-6)


def looked_up(rows, values):
    return torch.searchsorted(rows, values, right=True)


@pytest.mark.parametrize("shapes", [((7,), (4,)), ((7,), (2, 3)), ((7,), ()), ((3, 7), (3, 5))])
def test_values_are_looked_up_in_rows_of_open_rank(shapes):
    program = gfx.symbolic_trace(looked_up, backend="torch")
    rows, values = (torch.rand(shape, generator=torch.Generator().manual_seed(1)) for shape in shapes)
    rows = rows.sort(-1).values
    for call, given in ((program.to("torch"), (rows, values)), (program.to("jax"), (rows.numpy(), values.numpy()))):
        found = np.asarray(call(*given))
        np.testing.assert_array_equal(found, looked_up(rows, values))
        assert found.shape == values.shape
