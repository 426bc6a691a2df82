"""The `__init__` that Python generates for a dataclass: entered wherever it is called, as source of the author's own would be."""

import dataclasses
import functools
from typing import Any

import pytest
import torch

import gfx_trace as gfx

X = torch.tensor([1.0, 2.0])


class Renaming(type):
    """Wraps the `__init__` of its classes, as those of transformers' outputs are."""

    def __setattr__(cls, name, init):
        @functools.wraps(init)
        def renamed(self, *args, old=None, **kwargs):
            init(self, *args, b=old, **kwargs)

        super().__setattr__(name, renamed if name == "__init__" else init)


@dataclasses.dataclass
class Renamed(dict, metaclass=Renaming):
    a: Any
    b: Any

    def __post_init__(self):
        self["b"] = self.b


@dataclasses.dataclass
class Base:
    a: Any
    b: Any = 3.0
    more: list = dataclasses.field(default_factory=list)
    times: dataclasses.InitVar[int] = 2
    own: list = dataclasses.field(default_factory=lambda: [torch.ones(2)], init=False)

    def __post_init__(self, times):
        self.c = self.a * times


class Derived(Base):
    def __init__(self, x):
        super().__init__(x, x + 1, times=4)
        self.own.append(self.c)


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: Any


class FrozenToo(Frozen):
    def __init__(self, x):
        super().__init__(x * 2)


@dataclasses.dataclass(slots=True)
class Slots:
    a: Any
    n: int = dataclasses.field(default=3, init=False)


@dataclasses.dataclass
class Doubling:
    a: Any

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


class Doubled(Doubling):
    def __init__(self, x):
        Doubling.__init__(self, a=x)


def renamed(x):
    made = Renamed(x, old=x + 1)
    return made.a * made["b"]


def derived(x):
    made = Derived(x)
    return made.a + made.b * made.own[1] + made.own[0] + len(made.more)


def again(x):
    made = Base(x)
    if x.sum() > 0:
        made.__init__(x * 2, x)
    return made.a + made.b + made.c


def frozen(x):
    return FrozenToo(x).a


def slots(x):
    return Slots(x).a * Slots(x).n


def doubled(x):
    return Doubled(x).a + Doubling(x).a


@pytest.mark.parametrize("function", [renamed, derived, again, frozen, slots, doubled])
def test_it_does_what_python_does(function):
    assert torch.equal(gfx.symbolic_trace(function, backend="torch")(X), function(X))
