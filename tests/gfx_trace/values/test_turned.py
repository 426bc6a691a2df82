"""What is a Python number on one way to a place and a tensor on another: `+=` makes a new one of it, or writes in place."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = torch.tensor([0.5, 1.25, -2.0], dtype=torch.float64)


def kept(x, k: int):
    r = 0.5
    for _ in range(k):
        q = r
        r += x[-1]
        x = x + q
    return x, r


def listed(x, k: int):
    r = 0.5
    for _ in range(k):
        for t in [0.25, r]:
            x = x * 0.5 + t
            r += x[-1]
    return x, r


def counted_first(x, k: int):
    r = 1
    for i in range(k):
        r += i
        for t in [0.25, r]:
            x = x + t
            r += x.max()
    return x, r


def taken_over(x, k: int):
    s, q = 0.0, x[1] * 1
    for v in x:
        s += v
        if v < 9:
            s = q
    return s, q


def appended(x, k: int):
    s, sums = 0.0, []
    for v in x:
        s += v
        sums.append(s)
    return torch.stack(sums), s


def summed(x, k: int):
    total, last = 0.0, 0.0
    for v in x:
        if v > 0:
            total += v
            last = total
    return total, last


def one_side(x, k: int):
    s = 0.0
    if x.sum() > 0:
        s = x[0] * 2
    p = [s]
    s += x[1]
    return s, p[0]


def one_side_summed(x, k: int):
    s = 0.0
    if x.sum() > 0:
        s = x[0] * 2
    s += x[1]
    return s, s * 2


def made_number(x, k: int):
    q, y = x[1] * 1, 0.5
    for v in x:
        p = [q]
        q += v
        q, y = y, p[0]
    return q, y


def changed_places(x, k: int):
    o = [x[2], 1.0]
    while o[0] < 0.8:
        o = [o[1], o[0]]
    kept = o[0]
    kept += x[1]
    return kept, o[0]


def left_early(x, k: int):
    s, r = 1.5, 1.0
    if x.sum() < 9:
        for v in x:
            s, r = r, s
            s = x[0]
    else:
        return s, r
    s *= 0.5
    return s, r


def taken_by_itself(x, k: int):
    s, q = 0, x[1] * 1
    for v in x:
        s *= 0.5
        q = q
        if v < 5:
            s = q
    return s, q


@pytest.mark.parametrize(
    "fn",
    [
        left_early,
        made_number,
        changed_places,
        taken_by_itself,
        one_side,
        one_side_summed,
        kept,
        listed,
        counted_first,
        taken_over,
        appended,
        summed,
    ],
    ids=lambda f: f.__name__,
)
def test_what_shares_it_is_right_or_refused(fn):
    for capture in (lambda: gfx.symbolic_trace(fn, backend="torch"), lambda: gfx.symbolic_trace(fn, X, 3)):
        try:
            program = capture()
        except CaptureError as error:
            assert fn not in (summed, one_side_summed) and "in place" in str(error)
            continue
        want, found = fn(X.clone(), 3), program(X.clone(), 3)
        for a, b in zip(want, found, strict=True):
            torch.testing.assert_close(torch.as_tensor(b), torch.as_tensor(a))


def test_what_a_kept_loop_cannot_say_is_refused():
    with pytest.raises(CaptureError, match="append a copy"):
        gfx.symbolic_trace(appended, backend="torch")


def test_a_kept_loop_says_whether_a_number_became_a_tensor():
    program = gfx.symbolic_trace(kept, X)
    for trips in (0, 1, 3):
        want = kept(X.clone(), trips)
        for target, x in (("torch", X.clone()), ("numpy", X.numpy().copy()), ("jax", jnp.asarray(X.numpy()))):
            for a, b in zip(want, program.to(target)(x, trips), strict=True):
                np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-6)


def item_kept(x):
    p = x[0] * 1
    r = p.item()
    q = p.item()
    p += 1
    r += 2
    return p, r, q


def item_summed(x):
    total = 0.0
    for v in x:
        last = v.item()
        total += last
    last -= 1
    return total, last, x


@pytest.mark.parametrize("fn", [item_kept, item_summed], ids=lambda f: f.__name__)
@pytest.mark.parametrize("own", [torch.tensor, np.array], ids=["torch", "numpy"])
def test_what_item_gives_is_a_number_of_its_own(fn, own):
    x = own([0.5, 1.25, -2.0])
    for program in (gfx.symbolic_trace(fn, backend=own.__module__.split(".")[0]), gfx.symbolic_trace(fn, x)):
        for a, b in zip(fn(x * 1), program(x * 1), strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a))


@pytest.mark.filterwarnings("ignore:Converting a tensor", "ignore:Explicitly requested dtype")
@pytest.mark.parametrize("number", [lambda t: t.item(), float], ids=["item", "float"])
def test_no_gradient_flows_through_a_number(number):
    def loss(x):
        return (x * x).sum() / number(x.sum())

    given = torch.tensor([0.5, 1.25, 2.0], requires_grad=True)
    want = torch.autograd.grad(loss(given), given)[0]
    for program in (gfx.symbolic_trace(loss, backend="torch"), gfx.symbolic_trace(loss, given.detach())):
        torch.testing.assert_close(torch.autograd.grad(program(given), given)[0], want)
        found = jax.grad(program.module("jax").load())(jnp.asarray(given.detach().numpy()))
        np.testing.assert_allclose(np.asarray(found), want.numpy(), rtol=1e-6)


def test_abs_of_a_number_stays_one():
    def f(x):
        v = -2
        if x[0] > 0:
            v = -x.sum()
        return abs(v)

    source = gfx.symbolic_trace(f, backend="torch").to("torch")
    for x in (X, -X):
        want, got = f(x), source(x)
        assert type(got) is type(want) and got == want


def within_then(x):
    s = 0.5
    if x[1] > 0:
        s = min(x[2], 0.5)
    elif x[0] > 0:
        s = x[0] * 2
    s += x[1] * 0.5
    return s, x * 1


def within_otherwise(x):
    if x[0] > 0.4:
        s = 2
    elif x[1] > 0:
        s = x[0] if x[2] > 0 else 0.25
    else:
        s = x.sum() if x[2] > 0 else 1
    s += x[1]
    return s, x * 1


def three_deep(x):
    s = x[1]
    if x[0] > 0:
        if x[1] > 0:
            s = x[0] if x[2] > 0 else 4
        else:
            s = 0.5
    s -= x[2] * 2
    return s, x * 1


def two_of_them(x):
    s, r = 1.0, x[2]
    if x[0] > 0:
        s, r = (x[0], 2) if x[1] > 0 else (2.5, x[1])
    s += 1
    r *= 0.5
    return s, r, x * 1


def own_of_a_side(x):
    s = 0.5
    if x[0] > 0:
        y = x * 2
        s = y[1] if x[1] > 0 else 1
    s += x[2]
    return s, x * 1


def given_numbers(x):
    h = float(x[2]) * 0.5
    s = x[0]
    if x[1] > 0:
        s = h if x[0] > 0 else x[2]
    s += h
    return s, x * 1


def in_a_loop(x):
    out = x * 0
    for t in range(3):
        s = x[0]
        if x[t] > 0:
            s = 0.5 if x[1] > 0 else x[2]
        s += out.sum() + 1
        out = out + s
    return out, x * 1


NESTED = [within_then, within_otherwise, three_deep, two_of_them, own_of_a_side, given_numbers, in_a_loop]


@pytest.mark.parametrize("fn", NESTED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("level", [0, 1])
def test_a_number_that_a_test_within_a_test_chooses(fn, level):
    def whole(x):
        return fn(x.clone())

    program = gfx.symbolic_trace(whole, *([X] if level else []), backend="torch")
    runs = [program, program.to("torch"), lambda x: program.to("jax")(jnp.asarray(x.numpy()))]
    for signs in range(8):
        x = X * torch.tensor([1 - 2 * (signs >> k & 1) for k in range(3)])
        want = whole(x)
        for run in runs:
            for a, b in zip(want, run(x), strict=True):
                np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-6)
