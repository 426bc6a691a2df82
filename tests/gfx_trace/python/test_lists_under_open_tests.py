"""Lists that a test on what the caller gives makes longer or shorter: each use asks the test again."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.tensor([1.0, 2.0, 3.0])


def summed(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.append(x * 2)
    return sum(outs)


def stacked(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.append(x * 2)
    return torch.stack(outs).sum(0), len(outs)


def twice(x, flag: bool = True, other: bool = False):
    outs = [x]
    if flag:
        outs.append(x * 2)
    if other:
        outs.append(x * 3)
    outs.append(x * 4)
    return torch.cat(outs)


def returned(x, flag: bool = True):
    outs = []
    if flag:
        outs.append(x * 2)
    return outs


def looped(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.append(x * 2)
    t, count = x, 0
    for o in outs:
        t, count = t + o, count + 1
    return t, count, outs[-1], outs[0], tuple(outs)


def asked(x, flag: bool = True):
    outs = []
    if flag:
        outs.append(x * 2)
    if outs:
        return outs[0]
    return x


def comprehended(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.extend([x * 2, x * 3])
    return [o + 1 for o in outs], sum(o.sum() for o in outs)


def held_twice(x, flag: bool = True):
    outs = [x]
    d = {"o": outs}
    if flag:
        d["o"].append(x * 2)
    return sum(d["o"]) + sum(outs)


def both_sides(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.append(x * 2)
    else:
        outs.pop()
    return len(outs), x


def joined(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.append(x * 2)
    more = outs + [x]
    again = outs[:]
    again.append(x)
    return sum(more), len(more), len(again), len(outs)


def in_a_loop(x, flag: bool = True):
    outs = [x]
    for i in range(2):
        if flag:
            outs.append(x * i)
    return sum(outs), len(outs)


def filled_by_a_loop(x, flag: bool = True):
    outs = []
    if flag:
        for r in x:
            outs.append(r * 2)
    else:
        outs.append(x.sum())
    return torch.stack(outs).sum(), len(outs)


def of_rows(x, flag: bool = True):
    outs = [r * 2 for r in x] if flag else [x.sum()]
    return torch.stack(outs).sum(), len(outs)


def maybe_of_none(x, n: int = 2):
    outs, pairs = [], []
    for i in range(n):
        outs.append(x * i)
        pairs.append(x + i)
        pairs.append(x - i)
    first = torch.stack(outs).sum(0) if outs else x
    return first, len(outs), torch.stack(pairs).sum(0) if x.sum() > 0 and pairs else x


def written_at_a_place(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.append(x * 2)
    outs[0] = x * 5
    return sum(outs)


def optional(x, m: torch.Tensor | None = None):
    parts = [x]
    if m is not None:
        parts.append(m)
    return torch.cat(parts)


def counted(x, flag: bool = True):
    outs = [1]
    if flag:
        outs.append(1)
    return x * outs.count(1)


CASES = [
    *[(fn, (flag,)) for fn in (summed, stacked, returned, looped, asked, comprehended, held_twice, counted) for flag in (True, False)],
    *[(fn, (flag,)) for fn in (both_sides, joined, in_a_loop, filled_by_a_loop, of_rows) for flag in (True, False)],
    *[(written_at_a_place, (flag,)) for flag in (True, False)],
    *[(twice, (a, b)) for a in (True, False) for b in (True, False)],
    (optional, (X,)),
    (optional, (None,)), (maybe_of_none, (0,)), (maybe_of_none, (2,)),
]  # fmt: skip


def parts(tree):
    if isinstance(tree, (list, tuple)):
        return [type(tree), *[part for item in tree for part in parts(item)]]
    return [np.asarray(tree).tolist()]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn, rest", CASES)
def test_each_use_asks_the_test_again(fn, rest, level):
    given = (X, *[gfx.Open for _ in rest]) if level else ()
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    want = parts(fn(X, *rest))
    as_jax = jax.tree.map(lambda x: jnp.asarray(x.numpy()) if isinstance(x, torch.Tensor) else x, (X, *rest))
    assert parts(program(X, *rest)) == parts(program.to("torch")(X, *rest)) == want
    assert parts(program.to("jax")(*as_jax)) == want


def compared(x, flag: bool = True):
    outs = [1]
    if flag:
        outs.append(2)
    return x * (outs == [1])


def repeated(x, flag: bool = True):
    outs = [x]
    if flag:
        outs.append(x * 2)
    return len(outs * 2), x


@pytest.mark.parametrize("fn", [compared, repeated])
def test_what_takes_the_list_for_what_it_stands_for_is_refused(fn):
    told = rf"(whose items an open test decides|whose length is open).*in {fn.__name__}"
    with pytest.raises(UnsupportedConstruct, match=told):
        gfx.symbolic_trace(fn, backend="torch")


def on_data(x, y):
    outs = []
    if y.sum() > 0:
        for r in x:
            outs.append(r * 2)
    else:
        outs.append(y)
    return len(outs), torch.stack(outs).sum()


def test_a_list_whose_length_hangs_on_data_is_one_of_open_length():
    program = gfx.symbolic_trace(on_data, backend="torch")
    for y in (torch.tensor(1.0), torch.tensor(-1.0)):
        assert parts(program(X, y)) == parts(program.to("torch")(X, y)) == parts(on_data(X, y))


def digits(n, base: int):
    found = []
    while n > 0:
        found.append(n % base)
        n = n // base
    return found


def turned(n, base: int = 2):
    found = digits(n, base)
    if not found:
        found = [0]
    return found[::-1]


def kept_from_one_side(n, base: int = 2):
    found = digits(n, base)
    last = [0] if not found else found[::-1]
    return last, len(found)


def cut_twice(n, base: int = 2):
    found = digits(n, base)
    if len(found) < 2:
        found = [0, 1]
    last = found[::-1]
    if len(last) > 3:
        last = last[:3]
    return tuple(last), len(last)


@pytest.mark.parametrize("fn", [turned, kept_from_one_side, cut_twice])
def test_what_one_side_makes_of_a_filled_list_is_a_list_behind_it(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for n in map(torch.tensor, (10, 0, 1, 29)):
        assert parts(program(n)) == parts(program.to("torch")(n)) == parts(fn(n))
