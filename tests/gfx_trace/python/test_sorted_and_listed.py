"""sorted() by keys whose fixed parts decide, and .tolist(): as lists that Python goes on with."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.trees import leaves

X = torch.tensor([3.0, 1.0, 2.0], dtype=torch.float64)


def by_name(x):
    return torch.stack([t for _, t in sorted({"b": x, "a": x * 2}.items())])


def by_two(x):
    return torch.stack([t for _, _, t in sorted([(1, "b", x), (0, "c", x * 2), (1, "a", x * 3)], reverse=True)])


def by_key(x):
    return x * sorted([3, 1, 2], key=lambda i: [-i, x])[0]


def in_place(x):
    pairs = [(2, x), (1, x * 2)]
    pairs.sort()
    return pairs[0][1]


def listed(x):
    found = x.tolist()
    return x * max(found) + sum(found[1:]) + len(found)


def rows(x):
    return x * sum(row[-1] for row in x.reshape(3, 1).tolist())


@pytest.mark.parametrize("f", [by_name, by_two, by_key, in_place, listed, rows])
def test_as_python_does(f):
    program, want = gfx.symbolic_trace(f, X), f(X)
    torch.testing.assert_close(program(X), want)
    np.testing.assert_allclose(program.to("jax")(jnp.array(X.numpy())), want.numpy(), rtol=1e-6)


def a_tie(x):
    return sorted([(1, x[0]), (1, x[1])])[0][1]


def numbers(x):
    found = [v.item() for v in x]
    found.sort(reverse=True)
    return found, sorted(float(v) for v in x)[:2]


def by_what_it_computes(x):
    return sorted([row * 2 for row in x], key=lambda row: -row.sum())


def of_fixed_places(x):
    order = sorted(range(2), key=lambda i: x[i].sum().item())
    return order, [torch.tanh(x[i]).sum() for i in order], list(map(torch.sum, list(map(torch.tanh, list(x)))))


def those_above(x):
    found = [(i, v) for i, v in enumerate(x) if v > 1]
    found.sort(key=lambda pair: pair[1].item())
    return found, max(found, key=lambda pair: pair[1])[0], min([v for v in x if v > 1])


def sizes(x):
    return [d for d in x.shape if d > 1]


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("f", [a_tie, numbers, by_what_it_computes, of_fixed_places, those_above, sizes])
def test_what_only_data_decide_is_ordered_where_they_are_at_hand(f, given):
    program = gfx.symbolic_trace(f, *([X] if given else []), backend="torch", dynamic=given)
    want = list(leaves(f(X)))
    for got in (
        program(X),
        program.to("torch")(X),
        program.to("jax")(jnp.array(X.numpy())),
        program.to("numpy")(X.numpy()),
    ):
        np.testing.assert_allclose([float(leaf) for leaf in leaves(got)], [float(leaf) for leaf in want], rtol=1e-6)


def test_what_has_no_order_in_a_list_is_refused():
    with pytest.raises(UnsupportedConstruct, match="its keys are only known when the emitted code runs"):
        gfx.symbolic_trace(lambda x: sorted([(x[0], "a"), (x[1], None)])[0][0], X)


def test_an_empty_array_gives_an_empty_list():
    assert gfx.symbolic_trace(lambda x: x[:0].tolist(), X)(X) == []


@pytest.mark.parametrize("f", [lambda x: sum([x.sum(), x.mean()]), lambda x: max([x.sum(), x.mean()])])
def test_what_a_builtin_computes_stands_at_the_users_line(f):
    program = gfx.symbolic_trace(f, X)
    assert {node.span.file for node in program.entry.walk()} == {__file__}
