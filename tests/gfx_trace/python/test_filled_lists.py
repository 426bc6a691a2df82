"""Lists behind the loop that filled them: what code does with them, and what shares memory with their items."""

import bisect
import collections
import heapq
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.trees import leaves, tree_map

XS = [[1.0, -2.0, 3.0], [-1.0, 2.0, -3.0]]


def filled(x):
    outs = []
    for v in x:
        outs.append(v * 2 if v > 0 else v - 1)
    return outs


def writes_an_item(x):
    outs = filled(x)
    outs[0] = outs[1] * 0
    return torch.stack(outs)


def deletes_and_adds(x):
    outs, last = filled(x), filled(x)
    del outs[2]
    outs += [x[0]]
    outs.append(last.pop())
    if x[0] > 0:
        last[0] = outs[0]
    return torch.stack(outs), last


def beside_what_is_raised(x):
    y = x[0]
    for k in range(x.argmax()):
        assert y < 99, f"too large in trip {k}"
        outs = []
        for v in x:
            outs.append(v * k)
        y = y + torch.stack(outs).max()
    return y


CHANGED = [beside_what_is_raised, writes_an_item, deletes_and_adds]


def takes_parts(x):
    outs = filled(x)
    return outs[1:], torch.stack(outs[:-1]), outs[::-1], outs[-1]


def check(fn, program):
    written, compiled = program.module("torch").load(), jax.jit(program.module("jax").load())
    for x in XS:
        want = fn(torch.tensor(x))
        for got in (program(torch.tensor(x)), written(torch.tensor(x)), compiled(jnp.asarray(x, jnp.float32))):
            assert tree_map(lambda leaf: 0, want) == tree_map(lambda leaf: 0, got)
            for a, b in zip(leaves(want), leaves(got), strict=True):
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


@pytest.mark.parametrize("fn", [*CHANGED, takes_parts], ids=lambda f: f.__name__)
def test_results_are_pythons(fn):
    check(fn, gfx.symbolic_trace(fn, torch.tensor(XS[0])))


def test_parts_need_no_length():
    check(takes_parts, gfx.symbolic_trace(takes_parts, backend="torch"))


def test_changes_need_no_length():
    check(writes_an_item, gfx.symbolic_trace(writes_an_item, backend="torch"))
    program = gfx.symbolic_trace(deletes_and_adds, backend="torch")
    for x in map(torch.tensor, XS):
        for mine, theirs in zip(leaves(program(x)), leaves(deletes_and_adds(x)), strict=True):
            assert torch.equal(mine, theirs)


def writes_what_it_appended(x):
    outs, h = [], torch.zeros(())
    for v in x:
        h = h * 0.5 + (v if v > 0 else 1.0)
        outs.append(h)
    h += 1
    return torch.stack(outs)


def writes_what_it_appended_each_time(x):
    y, outs = x.clone(), []
    for _ in range(3):
        outs.append(y)
    y += 1
    return torch.stack(outs)


@pytest.mark.parametrize("fn", [writes_what_it_appended, writes_what_it_appended_each_time], ids=lambda f: f.__name__)
def test_a_tensor_that_a_list_holds_may_not_be_written_unseen(fn):
    with pytest.raises(UnsupportedConstruct, match="a list that a loop filled may hold it"):
        gfx.symbolic_trace(fn, torch.tensor(XS[0]))


def writes_parts(x):
    y = torch.cat([x, -x])
    parts = torch.split(y, 3)
    y += 1
    a, b = parts
    if x.sum() > 0:
        t = a.clone()
        a.copy_(b)
        b.copy_(t)
    return y, a, b


def test_parts_of_open_number_are_views():
    program = gfx.symbolic_trace(writes_parts, backend="torch")
    for x in XS:
        for want, got in zip(writes_parts(torch.tensor(x)), program(torch.tensor(x)), strict=True):
            torch.testing.assert_close(got, want)


# ---------------------------------------------------------------------- code in C goes over a list by itself
GOING_OVER = {
    "accumulate": lambda found: list(itertools.accumulate(found)),
    "chain": lambda found: list(itertools.chain(found, [5.0])),
    "islice": lambda found: list(itertools.islice(found, 2)),
    "deque": lambda found: list(collections.deque(found, maxlen=2)),
    "how many": lambda found: len(collections.deque(found)),
    "pairs": lambda found: [a - b for a, b in itertools.combinations(found, 2)],
    "extend": lambda found: [1.0, *collections.deque(found)],
    "reversed": lambda found: list(reversed(found)),
}


@pytest.mark.parametrize("made", [lambda x: [float(e) for e in x], lambda x: [e * 2 for e in x]])
@pytest.mark.parametrize("name", GOING_OVER)
def test_code_in_c_gets_the_items_of_a_filled_list(name, made):
    x = torch.tensor([2.0, 1.0, 4.0], dtype=torch.float64)
    fn = lambda x: GOING_OVER[name](made(x))
    want = fn(x)
    assert repr(gfx.symbolic_trace(fn, x)(x)) == repr(want)


@pytest.mark.parametrize("name", ["pairs", "extend", "deque", "how many"])
def test_code_in_c_gets_no_list_of_open_length(name):
    fn = lambda x: GOING_OVER[name]([e * 2 for e in x])
    with pytest.raises(UnsupportedConstruct, match="rows of one tensor"):
        gfx.symbolic_trace(fn, backend="torch")


def turned(x):
    found = [e * 2 for e in x]
    found.reverse()
    found.append(x[0])
    return torch.stack(found), found[0], len(found)


def test_a_list_of_open_length_is_reversed():
    program = gfx.symbolic_trace(turned, backend="torch")
    for x in (torch.arange(3.0), torch.ones(5).cumsum(0)):
        for call, given in ((program, x), (program.to("torch"), x), (program.to("jax"), jnp.asarray(x.numpy()))):
            for want, got in zip(turned(x), call(given), strict=True):
                np.testing.assert_allclose(np.asarray(got), want)


def counted(m):
    rows = [m[i, i:] for i in range(m.shape[0])]
    n = len(rows)
    if n > 5:
        return m.sum()
    total = 0
    for j in range(n):
        total = total + rows[j].numel() * n
    return torch.cat(rows) * n + total


def shown_once(m):
    rows = [m[i, i:] for i in range(m.shape[0])]
    return torch.cat(rows) * 2


def test_a_list_that_is_read_again_has_a_name():
    m = torch.arange(6.0).reshape(2, 3)
    for args in ((m,), ()):
        program = gfx.symbolic_trace(counted, *args, backend="torch")
        for source in (program, program.optimized()):
            torch.testing.assert_close(source(m), counted(m))
    once = gfx.symbolic_trace(shown_once, backend="torch").source("torch")
    assert "torch.cat([m[i, i:] for i in range(m.shape[0])])" in once


BY_C = {
    "heapreplace": lambda held: heapq.heapreplace(held, 4.0),
    "heappop": lambda held: (heapq.heappop(held), held.append(3.0)),
    "heappush": lambda held: heapq.heappush(held, 4.0),
    "insort": lambda held: bisect.insort(held, 1.5),
    "reversed": lambda held: held.append(next(reversed(held))),
}


@pytest.mark.parametrize("name", BY_C)
def test_functions_in_c_are_not_given_what_stands_for_several_items(name):
    def f(x, n: int):
        held = [1.0, 2.0]
        for _ in range(n):
            BY_C[name](held)
        return x * len(held)

    with pytest.raises(UnsupportedConstruct, match="a list in this way whose length is open"):
        gfx.symbolic_trace(f, backend="torch")


def kept_items(x: np.ndarray):
    return np.array([v for v in x if v > 0])


def kept_rows_of_no_trip(x: np.ndarray):
    found, at = [], 0
    while at < x.sum():
        found.append(x * at)
        at += 1
    return np.asarray(found).shape[0]


@pytest.mark.parametrize("f", [kept_items, kept_rows_of_no_trip])
@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
def test_an_array_of_no_items_is_one(f, target):
    run = gfx.symbolic_trace(f).to(target)
    for x in ([1.0, -2.0, 3.0], [-1.0, -2.0]):
        given = np.array(x)
        own = {"numpy": given, "torch": torch.from_numpy(given), "jax": jnp.asarray(given)}[target]
        np.testing.assert_allclose(np.asarray(run(own)), f(given))
