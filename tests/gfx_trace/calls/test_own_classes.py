"""What Python itself asks of objects of the user's own classes is captured as what their methods do: operators, len(), loops."""

from __future__ import annotations

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.tensor([0.3, -1.2, 2.5], dtype=torch.float64)


class Scaled:
    """A tensor with a unit: its operators ask what they meet, and count how often they were asked."""

    def __init__(self, v):
        self.v = v
        self.asked = 0

    def __add__(self, other):
        self.asked += 1
        return Scaled(self.v + (other.v if isinstance(other, Scaled) else other))

    def __mul__(self, other):
        if isinstance(other, torch.Tensor):
            return Scaled(self.v * other)
        if isinstance(other, int):
            return Scaled(self.v * other + 100)
        return NotImplemented

    def __rmul__(self, other):
        return Scaled(self.v * 10 if isinstance(other, torch.Tensor) else self.v * 20)

    def __iadd__(self, other):
        self.v = self.v + other
        self.asked += 1
        return self

    def __neg__(self):
        if self.v.sum() > 0:
            return -self.v
        return self.v

    def __eq__(self, other):
        self.asked += 1
        return self.v.sum() == (other.v if isinstance(other, Scaled) else other).sum()

    def __lt__(self, other):
        if other > 1:
            return self.v.sum() < other
        return self.v.max() < other

    __hash__ = None


class History:
    """A list that a loop fills, behind methods."""

    def __init__(self):
        self.rows = []
        self.read = 0

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        self.read += 1
        for row in self.rows:
            yield row * 2

    def __delitem__(self, at):
        self.read += 5


def operators(x, n: int):
    a = Scaled(x)
    b = a * x[0] + Scaled(x * 2) * n + 1
    c = x * a
    d = 2 * a
    return b.v, c.v, d.v, a.asked, -a


def counted(x, n: int):
    a = Scaled(x)
    if x[0] > 0:
        y = (a + x).v
    else:
        y = x
    for i in range(n):
        a += x[1]
        if a == Scaled(x) or a != x:
            y = y + 1
    return y, a.v, a.asked


def ordered(x, n: int):
    a = Scaled(x)
    return 1 if a < n else 0, 1 if a < x[0] < 3 else 0


def totals(x, n: int):
    if x[2] > 0:
        total = sum([Scaled(x), Scaled(x * 2)], Scaled(x * 0))
        y = total.v
    else:
        y = x
    return y


def filled(x, n: int):
    h = History()
    for i in range(n):
        h.rows.append(x * i)
    return len(h)


def iterated(x, n: int):
    h = History()
    h.rows = [x, x + 1]
    s = x * 0
    if x[0] > 0:
        for row in h:
            s = s + row
        _, second = h
        s = s + second
    else:
        s = s + sum(v for v in h)
        del h[0]
    return s, h.read


def defined_inside(x, n: int):
    class Shift:
        def __init__(self, by):
            self.by = by

        def __rmatmul__(self, other):
            return other + self.by if isinstance(other, torch.Tensor) else other

    return x @ Shift(n)


PROGRAMS = (operators, counted, ordered, totals, filled, iterated, defined_inside)


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("level", (0, 1))
def test_methods_that_python_calls(f, level):
    program = gfx.symbolic_trace(f, backend="torch") if level == 0 else gfx.symbolic_trace(f, X)
    for x, n in ((X, 2), (-X, 3), (X * 0.1, 1)):
        torch.testing.assert_close(_tensors(program(x, n)), _tensors(f(x, n)))


def _tensors(result):
    return [torch.as_tensor(v, dtype=torch.float64) for v in (result if isinstance(result, tuple) else (result,))]


class Shared:
    """Counts calls in its class."""

    calls = 0


def counts(x):
    Shared.calls += 1
    return x * Shared.calls


def test_a_write_to_a_class_is_refused():
    with pytest.raises(UnsupportedConstruct, match="'calls' of the class 'Shared'"):
        gfx.symbolic_trace(counts, backend="torch")


class Flag:
    """A setting that holds inside of a with statement, kept in the class."""

    state = None

    def __init__(self, state):
        self.state_inside, self.before = state, type(self).state

    def __enter__(self):
        type(self).state = self.state_inside

    def __exit__(self, *_):
        type(self).state = self.before


class Scale(Flag):
    pass


def scaled(x):
    return x if Scale.state is None else x * Scale.state


def under_flags(x):
    with Scale(3.0):
        y = scaled(x)
        with Scale(5.0):
            z = scaled(x)
        y = y + scaled(z)
    return y, z, scaled(x)


def chosen_by_data(x):
    before = Shared.calls
    if x.sum() > 0:
        Shared.calls = 2
    else:
        Shared.calls += 3
    y = x * Shared.calls
    Shared.calls = before
    return y, x + Shared.calls


def in_a_loop(x):
    while x.sum() < 50:
        with Scale(x.abs().max() + 2):
            x = scaled(x) + 1
    return scaled(x)


@pytest.mark.parametrize("f", [under_flags, chosen_by_data, in_a_loop])
def test_what_a_class_holds_again_behind_the_call_is_no_lasting_write(f):
    program = gfx.symbolic_trace(f, backend="torch")
    assert (Scale.state, Shared.calls) == (None, 0)
    for x in (X, -X, X * 0.1):
        torch.testing.assert_close(program(x), f(x))


def of_a_derived_class(x):
    Scale.state = 2.0
    return scaled(x)


def to_a_class_on_one_side(x):
    if x.sum() > 0:
        Shared.calls = 2
    return x


@pytest.mark.parametrize("f", [of_a_derived_class, to_a_class_on_one_side])
def test_what_a_class_keeps_is_refused(f):
    with pytest.raises(UnsupportedConstruct, match=r"of the class '(Scale|Shared)' outlives the call"):
        gfx.symbolic_trace(f, X)


class Pair(tuple):
    """Two things that are no sequence to those who ask: what it holds is a tuple's all the same."""

    def __new__(cls, a, b):
        return super().__new__(cls, (a, b))

    def __len__(self):
        raise NotImplementedError

    def __iter__(self):
        raise NotImplementedError


def test_a_tuple_with_a_length_of_its_own_is_made_and_read():
    def f(x):
        outer = Pair(2, Pair(x, 3))
        return x * outer[0] + outer[1][0] * outer[1][1]

    torch.testing.assert_close(gfx.symbolic_trace(f, X)(X), f(X))


class InDictionary:
    """Attributes kept in a dictionary: one that is not there raises KeyError."""

    def __init__(self):
        self.__dict__["kept"] = {"w": torch.arange(2.0)}

    def __getattr__(self, name):
        return self.__dict__["kept"][name]

    def __call__(self, x):
        return x * self.w

    def again(self, x):
        return self(x) + self.w


class HasEverything:
    def __getattr__(self, name):
        return HasEverything()

    def __call__(self, x):
        return x * 2


class OfClass(type):
    def __getattr__(cls, name):
        raise KeyError(name)


class Static(metaclass=OfClass):
    @staticmethod
    def shift(x):
        return x + 1


class Making(type):
    def __call__(cls, x):
        made = super().__call__(x + 1)
        made.of = x
        return made


class Made(metaclass=Making):
    def __init__(self, x):
        self.x = -x if (x > 0).all() else x


class Doubled(torch.nn.Module):
    def __call__(self, x):
        return super().__call__(x) * 2

    def forward(self, x):
        return x + 1


def odd_targets():
    kept, everything = InDictionary(), HasEverything()

    def with_default(x, how=kept):
        return how(x) + Static.shift(x)

    def made(x):
        return Made(x).x * Made(x).of + doubled(x)

    doubled = Doubled()
    return [kept, everything, kept.again, with_default, lambda x: sum(map(kept, [x, everything(x)])), made, doubled]


@pytest.mark.parametrize("at", range(7))
@pytest.mark.parametrize("level", (0, 1))
def test_what_a_class_gives_for_any_name_is_asked_by_the_authors_code_alone(at, level):
    target = odd_targets()[at]
    program = gfx.symbolic_trace(target, backend="torch") if level == 0 else gfx.symbolic_trace(target, torch.ones(2))
    x = torch.tensor([1.0, 3.0])
    torch.testing.assert_close(program(x), target(x))


class Asked:
    """Counts how often it is compared."""

    def __init__(self):
        self.times = 0

    def __eq__(self, other):
        self.times += 1
        return True

    __hash__ = None


def compares_lists(x):
    a, b = Asked(), Asked()
    if x.sum() > 0:
        x = x * (2 if [a] == [b] else 3)
    return x + a.times


def compares_dictionaries(x):
    a, b = Asked(), Asked()
    if x.sum() > 0:
        x = x * (2 if {1: (a,)} != {1: (b,)} else 3)
    return x + a.times + b.times


@pytest.mark.parametrize("fn", [compares_lists, compares_dictionaries])
def test_what_a_comparison_of_containers_writes_is_the_side_s_own(fn):
    program = gfx.symbolic_trace(fn, torch.ones(2))
    for x in (torch.ones(2), -torch.ones(2)):
        torch.testing.assert_close(program(x), fn(x))
