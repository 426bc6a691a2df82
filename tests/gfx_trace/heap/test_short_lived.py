"""Objects that live no longer than one side of a test: what is noted of one is not taken for another, which has its place in memory."""

import pytest
import torch

import gfx_trace as gfx


class Held:
    def __init__(self, t):
        self.t = t
        self.n = 0


def shifted(t, a):
    t += a
    return t


def in_an_object(x, y):
    for k in range(2):
        v = y * k
        if x.sum() <= 0.25:
            y[0] *= 3
        else:
            held = Held(shifted(v, y.sum()) + -1)  # noqa: F841
    return y


def in_a_dictionary(x, y):
    for k in range(2):
        v = y * k
        if x.sum() <= 0.25:
            y[0] *= 3
        else:
            held = {"t": shifted(v, y.sum()) + -1}
            held["t"] = held["t"] + 1
    return y


def in_a_list_of_objects(x, y):
    v = y * 2
    for _ in range(2):
        if x.sum() <= 0.25:
            y[0] *= 3
        else:
            held = [Held(shifted(v, 1.0) + -1)]
            held[0].t = held[0].t * 2
    return y, v


def in_a_loop(x, y):
    n = 0
    while n < 3 and x.sum() > 0.25:
        v = y * n
        held = Held(shifted(v, y.sum()) + -1)
        held.n = n
        y[0] *= 3
        n += 1
    return y


@pytest.mark.parametrize("f", (in_an_object, in_a_dictionary, in_a_list_of_objects, in_a_loop))
def test_what_dies_with_its_side_is_no_other(f):
    for _ in range(3):  # which object gets the place hangs on the allocator
        x, y = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 0.25, -0.5])
        program, want = gfx.symbolic_trace(f, x, y), y.clone()
        for given in (x, -x):
            got = want.clone()
            expected = f(given, want)
            torch.testing.assert_close(program(given, got), expected)
            torch.testing.assert_close(got, want)
