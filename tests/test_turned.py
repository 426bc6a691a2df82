"""What is a Python number on one way to a place and a tensor on another: `+=` makes a new one of it, or writes in place."""

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


@pytest.mark.parametrize("fn", [kept, appended], ids=lambda f: f.__name__)
def test_what_a_kept_loop_cannot_say_is_refused(fn):
    if fn is kept:
        with pytest.raises(CaptureError, match="on another way to here"):
            gfx.symbolic_trace(fn, X)
    else:
        with pytest.raises(CaptureError, match="append a copy"):
            gfx.symbolic_trace(fn, backend="torch")
