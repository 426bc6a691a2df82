"""Special methods that Python comes to by itself, and that write: what they write under a test is written on that way alone."""

import itertools
import math
import operator

import pytest
import torch

import gfx_trace as gfx


class Counted:
    def __init__(self):
        self.n = 0

    def count(self):
        self.n += 1
        return self.n


class Row(Counted):
    def __getitem__(self, at):
        self.count()
        if at >= 3:
            raise IndexError(at)
        return at * 2.0


class Ended(Row):
    def __len__(self):
        return 3


class Loop(Counted):
    def __iter__(self):
        self.count()
        return iter([1.0, 2.0])


class Number(Counted):
    def __index__(self):
        self.count()
        return 1

    def __pow__(self, other, modulus=None):
        self.count()
        return 4.0

    __divmod__ = __rmul__ = __pow__

    def __neg__(self):
        self.count()
        return 5.0


class Called(Counted):
    def __call__(self, *args):
        self.count()
        return 2.0


class Equal(Counted):
    def __eq__(self, other):
        self.count()
        return True

    def __hash__(self):
        return 7


@pytest.mark.parametrize(
    "made, use",
    [
        (Row, sum), (Row, list), (Row, lambda s: 4.0 in s), (Row, lambda s: next(iter(s))), (Row, lambda s: [e for e in s]), (Row, lambda s: [*s]),
        (Row, lambda s: list(itertools.islice(s, 2))), (Ended, lambda s: list(reversed(s))), (Loop, lambda s: 2.0 in s),
        (Number, lambda s: pow(s, 2)), (Number, lambda s: divmod(s, 2)), (Number, lambda s: math.prod([s, 1.0])), (Number, operator.neg),
        (Number, int), (Number, lambda s: [1.0, 2.0].pop(s)), (Called, lambda s: list(itertools.starmap(s, [(1, 2)]))),
        (Equal, lambda s: s in {7: 1.0}),
    ],
)  # fmt: skip
def test_what_they_write_is_written_on_one_way_alone(made, use):
    def under_a_test(x, n: int):
        s = made()
        found = use(s) if n > 1 else None
        return x, s.n, found

    def of_one_of_two(x, n: int):
        s, t = made(), made()
        r = s if n > 1 else t
        use(r)
        return x, s.n, t.n

    for fn in (under_a_test, of_one_of_two):
        try:
            program = gfx.symbolic_trace(fn, backend="torch")
        except gfx.GfxError:
            assert fn is of_one_of_two
            continue
        for n in (0, 2):
            assert repr(program(torch.ones(1), n)) == repr(fn(torch.ones(1), n))
