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
        (Equal, lambda s: s in {7: 1.0}), (Number, lambda s: [1.0] * s), (Number, lambda s: list(enumerate([1.0], s))),
        (Number, lambda s: list(itertools.repeat(1.0, s))), (Number, lambda s: list(itertools.islice([1.0, 2.0], s))),
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


@pytest.mark.parametrize(
    "use",
    [
        *(
            lambda s: s in [1, s],
            lambda s: [1, 2][s:],
            lambda s: str(s),
            lambda s: str.format("{0.size}", s),
            lambda s: [0] * s,
        ),
        *(lambda s: list(itertools.accumulate([s, 1.0])), lambda s: list(itertools.compress([1.0, 2.0], [s, s]))),
        *(lambda s: max([1, 2], key=s), lambda s: any([s]), lambda s: max(s, s), lambda s: max([s, s])),
        *(lambda s: list(itertools.chain(s, [1.0])), lambda s: list(map(s, [1.0])), lambda s: {s: 1.0}[s]),
    ],
)
def test_what_they_write_outside_of_their_object_is_written_on_one_way_alone(use):
    def under_a_test(x):
        seen = [0.0]

        class Noting:
            def note(self, result=1):
                seen[0] = seen[0] + x.max()
                return result

            def __str__(self):
                return self.note("noting")

            def __iter__(self):
                return self.note(iter([1.0, 2.0]))

            size = property(note)
            __index__ = __hash__ = note
            __bool__ = lambda self: self.note(True)
            __eq__ = __gt__ = __add__ = __call__ = lambda self, other: self.note(other is self)

        if x.sum() > 0:
            use(Noting())
        return seen[0]

    x = torch.tensor([1.0, 2.0])
    program = gfx.symbolic_trace(under_a_test, backend="torch")
    for run in (program, program.to("torch")):
        assert float(run(x)) == float(under_a_test(x))
        assert float(run(-x)) == 0.0


def test_a_size_may_say_itself_which_it_is():
    class Size:
        def __init__(self, n):
            self.n = n

        def __index__(self):
            return self.n

    class Found(Size):
        def __index__(self):
            return int((self.n > 1.5).sum())

    def f(x, n: int):
        y = x.clone()
        y[Found(x) : Size(2)] = 5.0
        rows = x[: Size(1)], x[Size(-1)], x[None, Found(x) :], [1.0, 2.0, 3.0][Found(x)] * x, y
        return torch.zeros(Size(2), Size(n)), x.reshape((Size(1), -1)), x.repeat(Size(n)), *rows

    x = torch.tensor([1.0, 2.0])
    program = gfx.symbolic_trace(f, backend="torch")
    for n in (1, 3):
        for got, want in zip(program(x, n), f(x, n), strict=True):
            torch.testing.assert_close(got, want)
