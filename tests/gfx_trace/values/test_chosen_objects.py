"""What Python's own code makes of an object that an open test chose: a copy of it is one, and its text is its own."""

import copy
import dataclasses
import heapq
import json
import math
import operator

import numpy as np
import pytest
import torch

import gfx_trace as gfx


class Plain:
    def __init__(self, a):
        self.a = a


@dataclasses.dataclass
class Data:
    a: float


def written(made, held):
    made.a = 8.0
    return held.a + made.a / 64


USES = {
    "copy": (Plain, lambda d: written(copy.copy(d), d)),
    "deepcopy": (Plain, lambda d: written(copy.deepcopy(d), d)),
    "vars": (Plain, lambda d: vars(d)["a"]),
    "copied data": (Data, lambda d: written(copy.copy(d), d)),
    "replace": (Data, lambda d: written(dataclasses.replace(d), d)),
    "asdict": (Data, lambda d: dataclasses.asdict(d)["a"]),
    "json": (lambda a: {"a": a} | ({"b": 1.0} if a > 3 else {}), lambda d: float(json.dumps(d)[6:9])),
    "keywords": (lambda a: {"a": a}, lambda d: (lambda a, b: a + b)(**d, b=0.25)),
    "display": (lambda a: {"a": a}, lambda d: sum({**d, "b": 0.25}.values())),
    "of a list": (lambda a: [a] * int(a + 1), lambda d: len(copy.copy(d)) + math.fsum(d)),
}


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_of_what_a_test_chose(name, to):
    make, use = USES[name]

    def f(x, n: int):
        held = make(1.0)
        if n > 1:
            held = make(5.0)
        return x * use(held)

    program = gfx.symbolic_trace(f, backend="torch")
    for n in (0, 2):
        want = float(f(torch.tensor(1.5), n))
        assert float(program(torch.tensor(1.5), n)) == pytest.approx(want)
        x = torch.tensor(1.5) if to == "torch" else np.float32(1.5)
        assert float(program.to(to)(x, n)) == pytest.approx(want)


def test_keys_that_a_test_chose_are_no_keywords():
    def f(x, n: int):
        held = {"a": 1.0, "b": 2.0}
        if n > 1:
            held = {"a": 5.0}
        return x * sum({**held}.values())

    with pytest.raises(gfx.GfxError, match=r"use of `\*\*`: a test .* decides which keys"):
        gfx.symbolic_trace(f, backend="torch")


class Counted:
    def __init__(self):
        self.asked = 0

    def __len__(self):
        self.asked += 1
        return self.asked

    def __float__(self):
        return float(len(self))

    def __abs__(self):
        return len(self) + 1

    def __call__(self):
        return len(self) + 2

    def __eq__(self, other):
        return isinstance(other, Counted) and self.asked == other.asked

    def __hash__(self):
        return 7


ASKED = [len, float, abs, lambda held: held(), lambda held: len([held][0]) + float(held)]


@pytest.mark.parametrize("ask", ASKED, ids=["len", "float", "abs", "call", "twice"])
def test_special_methods_are_those_of_the_object_that_it_is(ask):
    def f(x, n: int):
        first = held = Counted()
        if n > 1:
            held = Counted()
        return x * ask(held) + x * 100 * first.asked

    program = gfx.symbolic_trace(f, backend="torch")
    for n in (0, 2):
        assert float(program(torch.tensor(1.5), n)) == float(f(torch.tensor(1.5), n))


COMPARED = [lambda a, b: (a, 1) == (b, 1), lambda a, b: [a] != [b], lambda a, b: {"k": a} == {"k": b}]


@pytest.mark.parametrize("compare", COMPARED)
def test_containers_compare_the_object_that_it_is(compare):
    def f(x, n: int):
        first = held = [2.0]
        if n > 1:
            held = [2.0, 3.0]
        return x * float(compare(held, first))

    program = gfx.symbolic_trace(f, backend="torch")
    for n in (0, 2):
        assert float(program(torch.tensor(1.5), n)) == float(f(torch.tensor(1.5), n))


LOOKED_UP = {
    "set": lambda a, b: len({a, b}),
    "dictionary": lambda a, b: len({a: 1.0, b: 2.0}),
    "get": lambda a, b: {a: 3.0}.get(b, 5.0),
    "in": lambda a, b: float(b in {a}),
    "text": lambda a, b: len("%s" % a),  # noqa: UP031
    "text of a list": lambda a, b: len(str([a])),
}


@pytest.mark.parametrize("name", LOOKED_UP)
@pytest.mark.parametrize(
    "make", [Counted, lambda: Plain(1.0), lambda: [len, abs][0]], ids=["own hash", "plain", "function"]
)
def test_it_is_no_key_and_has_no_text_while_it_is_open_which_it_is(name, make):
    def f(x, n: int):
        first = held = make()
        if n > 1:
            held = abs
        return x * LOOKED_UP[name](held, first)

    with pytest.raises(gfx.GfxError, match="a test that is open until the code runs decides what"):
        gfx.symbolic_trace(f, backend="torch")


def test_code_in_c_goes_over_the_list_that_it_is():
    def f(x, n: int):
        held = other = [1.0, 2.0]
        if n > 1:
            other = [5.0, 6.0, 7.0]
        other.append(3.0)
        return x * (operator.length_hint(other) + 10 * heapq.nlargest(1, other)[0] + 100 * operator.length_hint(held))

    program = gfx.symbolic_trace(f, backend="torch")
    for n in (0, 2):
        assert float(program(torch.tensor(1.5), n)) == float(f(torch.tensor(1.5), n))
