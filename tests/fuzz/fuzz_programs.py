"""Random functions for a framework, dense in control flow on numbers and tensors, in writes and in names for one tensor."""

from __future__ import annotations

import array
import bisect
import collections
import dataclasses
import enum
import functools
import heapq
import io
import itertools
import math
import operator
import random
import struct
import types
from contextlib import nullcontext
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import torch

from fuzz_aimed import aimed
from fuzz_constructs import PREAMBLE, Constructs
from fuzz_expressions import WORDS
from fuzz_ordinary import ordinary
from program_text import define

SIGNATURES = ("x, n, k", "x, n, k, m=None", "x: {0}, n: {0}, k: int = 2, m: {0} | None = None")
MODULES = (
    array,
    bisect,
    collections,
    dataclasses,
    enum,
    functools,
    heapq,
    io,
    itertools,
    math,
    operator,
    struct,
    types,
)
LIBRARY = {**{module.__name__: module for module in MODULES}, "random": random}
SIZES = (3, 5, 8, 12, 18)
RESULT = "v, w, s, r, i, j, d['a'], o[0]"
OUTER = """def outer(a, c):
    if a > 0.25:
        return a * 0.5
    for e in c:
        a = a * 0.5 + e
        if a > 0.4:
            break
    return a


"""


class Settings(NamedTuple):
    """How one program is captured and called: its framework, whether example arguments are given, `k`, whether `m` is; what x is
    made of; whether what it writes outlives the call, so that only the Program is asked; whether gradients are compared."""

    flavour: str = "torch"
    level: int = 1
    k: int = 2
    given: bool = False
    dtype: str = "float64"
    outside: bool = False
    gradient: bool = False


class Writer(Constructs):
    """Writes the text of one function `f`; every loop is bounded, every value stays small."""

    def __init__(self, seed: object, flavour: str = "torch") -> None:
        super().__init__(seed)
        self.flavour = flavour
        self.budget = self.rng.choice(SIZES)
        self.signature = self.rng.choice(SIGNATURES).format(WORDS[flavour]["class"])
        self.optional = "m" in self.signature.replace("Tensor", "")
        self.late: list[str] = []  # variables that only some paths define
        self.returned = False

    def text(self) -> str:
        """The program."""
        self.line(0, f"def f({self.signature}):")
        self.line(1, "v = x * 0.5" if self.chance(0.8) else "v = x")
        self.line(1, f"w = {self.word('tanh', 'x')} + 0.25")
        numbers = self.one("0.0", "0", "1.5", "x[0]", "x.sum()"), self.one("0.5", "w.mean()", "1")
        self.line(1, f"s, r = {', '.join(numbers)}")
        self.line(1, f"i, j = {self.one('0', '1', 'n')}, {self.one('0', '2', 'k')}")
        self.line(1, f"b = {self.one('False', 'True', 'n > 1', 'x[1] > 0', 'k > 1')}")
        self.line(1, "d = {'a': 0.5, 'b': x[1]}")
        self.line(1, "o = [x[2], 1.0]")
        self.block(1, (), self.rng.randint(2, 5))
        late = "" if self.returned else "".join(f", {name}" for name in self.late if self.chance(0.3))
        self.line(1, f"return {RESULT}{late}")
        body = "\n".join(self.lines) + "\n"
        return "".join(text for call, text in {"outer(": OUTER, **PREAMBLE}.items() if call in body) + body

    def asks(self) -> tuple[str, ...]:
        return ("m is None", "m is not None") if self.optional else ()

    # ------------------------------------------------------------------ statements
    def statement(self, depth: int, inner: tuple) -> None:
        self.budget -= 1
        deep = depth > 4 or self.budget < 0
        pick = self.rng.randrange(15 if deep else 32)
        if pick < 15:
            self.simple(depth, inner, pick)
        elif pick < 21:
            self.if_(depth, inner, 0.25)
        elif pick < 23:
            self.while_(depth)
        elif pick < 26:
            self.for_(depth)
        elif pick == 26:
            self.helper(depth)
        elif pick == 27:
            self.append(depth)
        elif pick == 28:
            self.guarded(depth, inner)
        else:
            self.construct(depth, inner)

    def simple(self, depth: int, inner: tuple, pick: int) -> None:
        """A statement that holds no others, or few."""
        if pick < 4:
            self.line(depth, f"{self.one('v', 'w')} = {self.vector()}")
        elif pick < 6:
            self.line(depth, f"{self.one('s', 'r')} {self.one('=', '=', '=', '+=')} {self.number()}")
        elif pick == 6:
            self.line(depth, f"{self.one('i', 'j')} = {self.integer()}")
        elif pick == 7:
            self.line(depth, self.one("s, r = r, s", "v, w = w, v", "i, j = j, i", "s, i = s * 0.5, i"))
        elif pick == 8:
            self.write(depth)
        elif pick == 9:
            self.line(depth, self.one(f"d['a'] = {self.number()}", f"o[0] = {self.number()}", "o = [o[1], o[0]]"))
        elif pick == 10:
            self.jump(depth, inner)
        elif pick == 11:
            self.define(depth)
        elif pick == 12:
            self.line(depth, "if m is not None:" if self.optional else "if k > 2:")
            self.line(depth + 1, f"v = v + {'m' if self.optional else 'w'} * 0.1")
        elif pick == 13:
            self.line(depth, f"b = {self.one(self.test(), self.test(), 'True', 'False')}")
        else:
            self.line(depth, f"v, s = {self.vector()}, {self.number()}")

    def write(self, depth: int) -> None:
        """An update of a part of a vector: in place where the framework has that."""
        name, what = self.one("v", "w"), self.rng.randrange(6)
        if self.flavour == "jax":
            index = self.one("0", "1", "2", "slice(1, None)", "i % 3")
            how = self.one(f"set({self.number()})", f"add({self.number()})", "multiply(0.5)")
            self.line(depth, f"{name} = {name}.at[{index}].{how}")
            return
        self.line(depth, f"{name} = {self.word('copy', name)}")
        if what == 0:
            self.line(depth, f"{name}[{self.one('0', '1', '2', 'i % 3')}] = {self.number()}")
        elif what == 1:
            self.line(depth, f"{name}[1:] {self.one('=', '+=')} {self.number()} * 1.0")  # no view of itself
        elif what == 2:
            self.line(depth, f"{name} += {self.number()} * 0.5")
        elif what == 3:
            self.line(depth, f"u = {name}[:2]")
            self.line(
                depth,
                self.one(
                    "u *= 0.5" if self.flavour == "numpy" else "u.mul_(0.5)",
                    f"u[0] = {self.number()}",
                    f"{name}[0] = u[1]",
                ),
            )
            self.line(depth, "s = s * 0.5 + u.sum() * 0.1")
        elif what == 4:
            self.line(depth, f"if {self.test(1)}:")
            self.line(depth + 1, f"{name}[0] = {self.number()}")
        else:
            self.line(depth, f"u = {name} if {self.test(1)} else {self.word('copy', 'x')}")
            self.line(depth, f"u[{self.one('0', '1')}] = {self.number()}")

    def jump(self, depth: int, inner: tuple) -> None:
        """break, continue or return; at the function's own level under a test."""
        if depth == 1:
            self.line(depth, f"if {self.test()}:")
            depth += 1
        if inner and self.chance(0.75):
            self.line(depth, self.one("break", "continue"))
        else:
            self.returned = True
            self.line(depth, f"return {RESULT}")

    def define(self, depth: int) -> None:
        """A variable that was not there before."""
        name = f"late{len(self.late)}" if len(self.late) < 2 else self.one(*self.late)
        if name not in self.late:
            self.late.append(name)
        self.line(depth, f"{name} = {self.one(self.number(), self.number(), self.integer())}")

    def while_(self, depth: int) -> None:
        counter = f"t{self.fresh()}"
        self.line(depth, f"{counter} = 0")
        self.line(depth, f"while {counter} < {self.one('3', 'n', 'k', '2')} and {self.test()}:")
        self.line(depth + 1, f"{counter} = {counter} + 1")
        self.block(depth + 1, ("loop",))
        self.otherwise(depth, (), 0.2, 1)

    def for_(self, depth: int) -> None:
        name = f"t{self.fresh()}"
        pick = self.rng.randrange(6)
        if pick < 3:
            self.line(depth, f"for {name} in range({self.one('n', 'k', '3', 'x.shape[0]', '1, n + 1', '2')}):")
            self.line(depth + 1, f"{self.one('i', 's', 'r')} {self.one('=', '+=')} {name}")
        elif pick == 3:
            self.line(depth, f"for {name} in {self.one('v', 'w', 'x')}:")
            self.line(depth + 1, f"s = s * 0.5 + {name}")
        elif pick == 4:
            self.line(depth, f"for {name}, e{name} in enumerate({self.one('v', 'w')}):")
            self.line(depth + 1, f"r = r * 0.5 + e{name} * {name}")
        else:
            self.line(depth, f"for {name} in {self.one('(1, 0.5)', '[s, r]', '(v, w)', 'o')}:")
            self.line(depth + 1, f"v = v * 0.5 + {name}")
        self.block(depth + 1, ("loop",))
        self.otherwise(depth, (), 0.2, 1)

    def guarded(self, depth: int, inner: tuple) -> None:
        """A try with its clauses, or a with."""
        if self.chance(0.25):
            self.line(depth, "with nullcontext():")
            self.block(depth + 1, inner)
            return
        self.line(depth, "try:")
        self.block(depth + 1, inner)
        handled = self.chance(0.6)
        if handled:
            self.line(depth, "except (ValueError, KeyError):")
            self.line(depth + 1, f"s = {self.number()}")
            if self.chance(0.6):
                self.line(depth, "else:")
                self.block(depth + 1, inner, 1)
        if not handled or self.chance(0.5):
            self.line(depth, "finally:")
            self.line(depth + 1, self.one("s = s * 0.5 + 0.25", "w = w + 0.125", "i, j = j, i"))

    def helper(self, depth: int) -> None:
        """A local function, which may write what it closes over."""
        name, outer = f"h{self.fresh()}", self.one("s", "i")
        self.line(depth, f"def {name}(a, c=0.5):")
        if self.chance(0.4):
            self.line(depth + 1, f"nonlocal {outer}")
            self.line(depth + 1, f"{outer} = {outer} * 0 + {self.rng.randint(0, 2)}")
        self.line(depth + 1, f"if {self.one('a.sum() > 0.2', 'k > 1', 'c > 0.3', 'a[0] < a[1] - 0.03')}:")
        self.line(depth + 2, self.one("return a * c", "a = a + c", "c = c * 0.5"))
        self.line(depth + 1, "return a - 0.5 * c")
        self.line(depth, f"v = {name}({self.vector()}{self.one('', ', ' + self.number(), ', c=' + self.number())})")

    def append(self, depth: int) -> None:
        """A list that a loop fills."""
        name, more = f"t{self.fresh()}", self.chance(0.5)
        self.line(depth, f"outs{name} = []")
        self.line(depth, f"for {name} in {self.one('v', 'range(3)', 'w')}:")
        if more:
            self.line(depth + 1, f"s = {self.number()}")
        item = f"w.sum() * {name} + s" if self.chance(0.7) else f"v * {name}"
        self.line(depth + 1, f"outs{name}.append({item})")
        self.line(depth, f"w = 0.5 * {self.word('stack', f'outs{name}')}")


def inputs(rng: random.Random, how: Settings) -> list[tuple]:
    """Argument tuples that one capture has to serve: `k` and whether `m` is given stay as they are."""
    found = []
    for n in (2, 0, 3, 1):
        x = np.array([round(rng.uniform(-1.5, 1.5), 3) for _ in range(3)])
        m = (np.array([0.3, -0.2, round(rng.uniform(-1, 1), 3)]),) if how.given else ()
        x = x if how.dtype == "float64" else of_dtype(x, how.dtype)
        found.append((x, np.int64(n), how.k, *m))
    return found


def of_dtype(x: np.ndarray, dtype: str) -> np.ndarray:
    """Numbers of a dtype, with its edges among them."""
    return np.abs(x * 150).astype(dtype) if dtype == "uint8" else (x * 2).astype(dtype) if dtype != "bool" else x > 0


def load(text: str, name: object = 0):
    """The function of a text, with a source that can be read back."""
    frameworks = {"torch": torch, "jax": jax, "jnp": jnp, "np": np}
    return define(text, f"<fuzz {name}>", nullcontext=nullcontext, NamedTuple=NamedTuple, **frameworks, **LIBRARY)


def program_of(seed: int, grammar: str = "programs") -> tuple[str, Settings]:
    """Text and settings of the program of a seed."""
    if grammar != "programs":
        return {"aimed": aimed_program, "ordinary": ordinary_program}[grammar](seed)
    rng = random.Random(f"settings {seed}")
    flavour = rng.choice(("torch", "torch", "jax"))
    writer = Writer(seed, "numpy" if seed % 4 == 3 else flavour)
    text = writer.text()
    open_ = "int" in writer.signature and rng.random() < 0.6  # without annotations, only examples tell what is a number
    return text, Settings(writer.flavour, 0 if open_ else 1, rng.randint(0, 3), writer.optional and rng.random() < 0.5)


def aimed_program(seed: int) -> tuple[str, Settings]:
    """Text and settings of the aimed program of a seed."""
    writer, text, rng = aimed(seed)
    dtype = rng.choice(("float64", "float32", "int64", "bool", "uint8")) if writer.about == "dtypes" else "float64"
    how = Settings(writer.flavour, rng.randint(0, 1), rng.randint(0, 3), False, dtype)
    return text, how._replace(outside=writer.outside, gradient=writer.about == "modes")


def ordinary_program(seed: int) -> tuple[str, Settings]:
    """Text and settings of the ordinary program of a seed."""
    writer, text, rng = ordinary(seed)
    how = Settings(
        writer.flavour,
        rng.choice((0, 1, 1, 1)),
        rng.randint(0, 3),
        writer.given and ("None" not in writer.signature or rng.random() < 0.7),
    )
    return text, how._replace(outside=writer.outside, gradient=writer.flavour == "torch" and rng.random() < 0.1)
