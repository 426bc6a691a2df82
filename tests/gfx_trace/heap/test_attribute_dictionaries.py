"""`vars(x)` and `x.__dict__` are the attributes of x: as old as it is, and written where they are."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.tensor([1.0, 2.0])


class Plain:
    def __init__(self, v):
        self.v = v


class Slotted:
    __slots__ = ("other",)


class Stored:
    def __setattr__(self, name, value):
        self.__dict__[name] = value


class Kept:
    @property
    def w(self):
        return self.__dict__["w"]

    @w.setter
    def w(self, value):
        self.__dict__["w"] = value + 1


def slots_in_a_loop(x, n: int):
    for i in range(n):
        made = Slotted()
        made.other = x * 2 + i
        x = made.other
    return x


def slots_in_a_test(x, n: int):
    if n > 1:
        made = Slotted()
        made.other = x * 2
        x = made.other
    return x


def slot_of_one_side(x, n: int):
    made = Slotted()
    if n > 1:
        made.other = x * 3
    return x * hasattr(made, "other")


def own_store(x, n: int):
    for i in range(n):
        made = Stored()
        made.w = x * 2 + i
        x = made.w
    return x


def updated(x, n: int):
    if n > 1:
        made = Plain(x)
        made.__dict__.update(w=x * 2)
        x = made.w + made.v
    return x


def behind_a_property(x, n: int):
    made = Kept()
    made.w = x
    for i in range(n):
        made.w = made.w + x * i
    return made.w


def both_ways(x, n: int):
    made = Plain(x)
    if n > 1:
        vars(made)["v"] = x * 2
    else:
        made.v = x * 3
    return made.v, vars(made)["v"]


def by_turns(x, n: int):
    made = Plain(x)
    table = made.__dict__
    for i in range(n):
        made.v = x * i + table["v"]
        table["v"] = table["v"] + made.v
    return made.v, table["v"]


def attribute_then_update(x, n: int):
    made = Plain(x)
    table = vars(made)
    if n > 1:
        made.v = x * 3
        table.update(v=made.v + 1)
        made.v = made.v * 2
    return made.v, table["v"]


def set_by_one(x, n: int):
    made = Plain(x)
    if n > 1:
        object.__getattribute__(made, "__dict__")["w"] = x * 2
    return getattr(made, "w", x)


def of_one_of_two(x, n: int):
    first, second = Plain(x), Plain(x + 1)
    chosen = first if n > 1 else second
    vars(chosen)["v"] = x * 5
    chosen.v = chosen.v + 1
    return first.v, second.v


CASES = (
    slots_in_a_loop,
    slots_in_a_test,
    slot_of_one_side,
    own_store,
    updated,
    behind_a_property,
    both_ways,
    by_turns,
    attribute_then_update,
    set_by_one,
    of_one_of_two,
)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("target", ["torch", "jax"])
def test_attributes_are_written_through_their_dictionary(f, target):
    captured = gfx.symbolic_trace(f)
    emitted = captured.to(target)
    for n in range(4):
        want = f(X, n)
        torch.testing.assert_close(captured(X, n), want)
        got = emitted(X if target == "torch" else X.numpy(), n)
        for a, b in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,)):
            torch.testing.assert_close(torch.as_tensor(a.tolist()), b)


class Caching:
    def __init__(self):
        self.cache = None
        self.v = torch.zeros(2)


def asked_by_item(self, x):
    if vars(self)["cache"] is None:
        self.cache = x * 2
        return x
    return self.cache


def asked_by_get(self, x):
    if self.__dict__.get("cache") is None:
        self.cache = x * 2
        return x
    return self.cache


def absent(self, x):
    if "z" not in self.__dict__:
        self.z = x
        return x
    return self.z


@pytest.mark.parametrize("call", (asked_by_item, asked_by_get, absent), ids=lambda f: f.__name__)
def test_what_is_asked_in_a_dictionary_is_asked_of_the_object(call):
    held = Caching()
    with pytest.raises(UnsupportedConstruct, match="in the first call and no longer in the next"):
        gfx.symbolic_trace(lambda x: call(held, x))
    assert held.cache is None


def test_a_tensor_kept_in_a_dictionary_is_state():
    held, own = Caching(), Caching()

    def add(to, x):
        vars(to)["v"] = vars(to)["v"] + x
        return to.v

    captured = gfx.symbolic_trace(lambda x: add(held, x))
    for _ in range(3):
        torch.testing.assert_close(captured(X), add(own, X))
    torch.testing.assert_close(held.v, own.v)


def test_all_attributes_replaced():
    def f(x, n: int):
        made = Plain(x)
        if n > 1:
            made.__dict__ = {"v": x * 3}
        return made.v

    with pytest.raises(UnsupportedConstruct, match="replaces all attributes of a Plain"):
        gfx.symbolic_trace(f)
    held = Plain(X)

    def outer(x):
        held.__dict__ = {"v": x}
        return x

    before = vars(held)
    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(outer)
    assert vars(held) is before
