"""Objects of the user's own classes that tests and loops make anew: carried and joined by their attributes, as dataclasses are by their fields."""

import collections
import types

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError


class State:
    scale = 2

    def __init__(self, a, k=0):
        self.a, self.k = a, k

    def next(self, x):
        return State(self.a + x * self.scale, self.k + 1)


class Slots:
    __slots__ = ("a", "k")

    def __init__(self, a, k=0):
        self.a, self.k = a, k


class Table(dict):
    a = property(lambda self: self["a"])
    k = property(lambda self: self["k"])


MAKERS = {
    "a class": State,
    "slots": Slots,
    "a namespace": lambda a, k=0: types.SimpleNamespace(a=a, k=k),
    "a dictionary": lambda a, k=0: Table(a=a, k=k),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_loop_makes_them_anew(make):
    def f(x, n: int):
        s, best = make(x), make(x)
        for i in range(n):
            s = make(s.a * 2 - x, s.k + 1)
            if s.a.sum() < 9:
                best = s
        return s.a, best.a, best.k

    same(f)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_test_chooses_one(make):
    def f(x, n: int):
        s = t = make(x)
        if n > 1:
            s = make(x + 1, 5)
        if x.sum() > 3:
            s, t = t, s
        return s.a, t.a, s.k

    same(f)


def ordered(x, n: int):
    s = collections.OrderedDict(a=x, k=0)
    while s["a"].sum() < 20:
        s = collections.OrderedDict(a=s["a"] * 2, k=s["k"] + 1)
    return s["a"], s["k"]


def by_methods(x, n: int):
    s = State(x)
    while s.a.sum() < 20 and s.k < n:
        s = s.next(x)
        s.k += 1
    return s.a, s.k


def in_lists(x, n: int):
    held = [State(x), State(x * 2)]
    for i in range(n):
        held = [s.next(x) for s in held]
    held[0].a = held[0].a * 5
    return [s.a for s in held], max(held, key=lambda s: s.a.sum()).k


def changing_places(x, n: int):
    s, t = State(x), State(x * 2)
    for i in range(n):
        s, t = t, s
        s.a = s.a + 1
    return s.a, t.a


def one_of_two_from_before(x, n: int):
    s, t = State(x), State(x * 3)
    r = s if n > 1 else t
    r.a = r.a * 2
    return s.a, t.a, r is s


@pytest.mark.parametrize("f", [ordered, by_methods, in_lists, changing_places, one_of_two_from_before])
def test_they_are_those_of_python(f):
    same(f)


def another_name(x, n: int):
    s = t = State(x)
    for i in range(n):
        s.k += 1
        if x.sum() > 3:
            s = State(s.a + 1, s.k)
    return s.k, t.k


def another_attribute(x, n: int):
    s = State(x)
    for i in range(n):
        s = s.next(x)
        s.extra = i
    return s.a


def another_default(x, n: int):
    s = collections.defaultdict(lambda: x)
    for i in range(n):
        s = collections.defaultdict(lambda: x * 2, a=s["q"])
    return s["a"], s["n"]


@pytest.mark.parametrize("f", [another_name, another_attribute, another_default])
def test_what_cannot_be_told_is_refused(f):
    with pytest.raises(GfxError):
        gfx.symbolic_trace(f, backend="torch")


def same(f):
    program = gfx.symbolic_trace(f, backend="torch")
    for n in range(3):
        for x in (torch.tensor([0.5, 2.0, 1.5]), torch.tensor([1.0, 0.5, 1.0])):
            want = f(x.clone(), n)
            torch.testing.assert_close(program(x.clone(), n), want)
            torch.testing.assert_close(program.to("torch")(x.clone(), n), want)


WHICH = {
    "==": lambda s, r: s == r,
    "in lists": lambda s, r: [s] == [r],
    "a list": lambda s, r: s in [r],
    "a set": lambda s, r: len({s, r}),
    "a key": lambda s, r: {s: 1}.get(r, 5),
    "a hash": lambda s, r: hash(s) == hash(r),
    "a place": lambda s, r: [r, s].index(s),
    "is": lambda s, r: s is r,
}


@pytest.mark.parametrize("use", WHICH.values(), ids=WHICH)
def test_which_object_one_is_is_not_told(use):
    def of_a_test(x):
        s = State(x)
        r = s if x.sum() > 3 else State(x + 1)
        return x * float(use(s, r))

    def of_a_loop(x):
        s = r = State(x)
        while r.a.sum() < 9:
            r = State(r.a * 2)
        return x * float(use(s, r))

    for f in (of_a_test, of_a_loop):
        with pytest.raises(GfxError, match="cannot tell whether these are one object"):
            gfx.symbolic_trace(f, backend="torch")
