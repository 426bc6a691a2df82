"""Random torch functions, dense in control flow on numbers and tensors, and the check of what is captured from them."""

from __future__ import annotations

import linecache
import random

import numpy as np
import torch

FLOATS, INTS, VECTORS = ("s", "r"), ("i", "j"), ("v", "w")
SIGNATURES = (
    "x, n, k",
    "x, n, k, m=None",
    "x: torch.Tensor, n: torch.Tensor, k: int = 2, m: torch.Tensor | None = None",
)


class Writer:
    """Writes the text of one function `f`; every loop is bounded, every value stays small."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.budget = self.rng.randint(5, 22)
        self.count = 0
        self.signature = self.rng.choice(SIGNATURES)
        self.late: list[str] = []  # variables that only some paths define

    def text(self) -> str:
        self.line(0, f"def f({self.signature}):")
        self.line(1, "v = x * 0.5" if self.rng.random() < 0.8 else "v = x")
        self.line(1, "w = torch.tanh(x) + 0.25")
        self.line(
            1,
            f"s, r = {self.rng.choice(('0.0', '0', '1.5', 'x[0]', 'x.sum()'))}, {self.rng.choice(('0.5', 'w.mean()', '1'))}",
        )
        self.line(1, f"i, j = {self.rng.choice(('0', '1', 'n'))}, {self.rng.choice(('0', '2', 'k'))}")
        self.line(1, "d = {'a': 0.5, 'b': x[1]}")
        self.line(1, "o = [x[2], 1.0]")
        self.block(1, None, self.rng.randint(3, 6))
        late = "".join(f", {name}" for name in self.late if self.rng.random() < 0.3)
        self.line(1, f"return v, w, s, r, i, j, d['a'], o[0]{late}")
        return "\n".join(self.lines) + "\n"

    # ------------------------------------------------------------------ expressions
    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def one(self, *options: str) -> str:
        return self.rng.choice(options)

    def vector(self, depth: int = 0) -> str:
        pick = self.rng.randrange(9 if depth < 2 else 3)
        if pick < 3:
            return self.one("v", "w", "x", "v", "w")
        if pick == 3:
            return f"torch.tanh({self.vector(depth + 1)} + {self.number(depth + 1)})"
        if pick == 4:
            return f"torch.where({self.vector(depth + 1)} > 0.1, {self.vector(depth + 1)}, {self.vector(depth + 1)})"
        if pick == 5:
            return f"({self.vector(depth + 1)} if {self.test(depth + 1)} else {self.vector(depth + 1)})"
        if pick == 6:
            return f"{self.vector(depth + 1)}.flip(0)"
        return f"(0.5 * {self.vector(depth + 1)} {self.one('+', '-')} 0.5 * {self.vector(depth + 1)})"

    def number(self, depth: int = 0) -> str:
        pick = self.rng.randrange(12 if depth < 2 else 4)
        if pick < 3:
            return self.one("s", "r", "d['a']", "o[0]", "o[1]")
        if pick == 3:
            return self.one("0.5", "1.25", "-0.75", "v[0]", "w[-1]")
        if pick == 4:
            return f"{self.vector(depth + 1)}.{self.one('sum()', 'mean()', 'max()')} * 0.5"
        if pick == 5:
            return f"({self.number(depth + 1)} if {self.test(depth + 1)} else {self.number(depth + 1)})"
        if pick == 6:
            return f"float({self.integer(depth + 1)} % 5) * 0.3"
        if pick == 7:
            return f"(lambda u: u * 0.5 + {self.number(depth + 1)} * 0.1)({self.number(depth + 1)})"
        if pick == 8:
            return f"{self.one('max', 'min')}({self.number(depth + 1)}, {self.number(depth + 1)})"
        if pick == 9:
            return f"abs({self.number(depth + 1)}) * 0.5"
        return f"(0.5 * {self.number(depth + 1)} {self.one('+', '-')} 0.25 * {self.number(depth + 1)})"

    def integer(self, depth: int = 0) -> str:
        pick = self.rng.randrange(8 if depth < 2 else 4)
        if pick < 3:
            return self.one("i", "j", "n", "k")
        if pick == 3:
            return str(self.rng.randint(0, 3))
        if pick == 4:
            return f"({self.integer(depth + 1)} if {self.test(depth + 1)} else {self.integer(depth + 1)})"
        return f"({self.integer(depth + 1)} {self.one('+', '-')} {self.integer(depth + 1)}) % 7"

    def test(self, depth: int = 0) -> str:
        pick = self.rng.randrange(12 if depth < 2 else 6)
        if pick < 2:
            return f"{self.number(depth + 1)} {self.one('<', '>')} {self.one('0.3', '-0.2', '0.7')}"
        if pick == 2:
            return f"{self.integer(depth + 1)} {self.one('<', '==', '!=', '>=')} {self.rng.randint(0, 3)}"
        if pick == 3:
            return self.one("k > 1", "k == 2", "x.shape[0] > 2", "k")
        if pick == 4:
            return f"{self.vector(depth + 1)}.sum() > {self.one('0.1', '-0.4')}"
        if pick == 5:
            return self.one("n > 1", "n % 2 == 0", "s > r", "i < j")
        if pick == 6:
            return f"not {self.test(depth + 1)}" if depth else f"not ({self.test(depth + 1)})"
        if pick == 7:
            return f"-0.5 < {self.number(depth + 1)} <= {self.number(depth + 1)}"
        return f"({self.test(depth + 1)} {self.one('and', 'or')} {self.test(depth + 1)})"

    # ------------------------------------------------------------------ statements
    def block(self, depth: int, loop: str | None, count: int | None = None) -> None:
        for _ in range(count or self.rng.randint(1, 3)):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: str | None) -> None:
        self.budget -= 1
        deep = depth > 4 or self.budget < 0
        pick = self.rng.randrange(13 if deep else 26)
        if pick < 4:
            self.line(depth, f"{self.one('v', 'w')} = {self.vector()}")
        elif pick < 6:
            self.line(depth, f"{self.one('s', 'r')} {self.one('=', '=', '+=')} {self.number()}")
        elif pick == 6:
            self.line(depth, f"{self.one('i', 'j')} = {self.integer()}")
        elif pick == 7:
            self.line(depth, self.one("s, r = r, s", "v, w = w, v", "i, j = j, i", "s, i = s * 0.5, i"))
        elif pick == 8:
            self.write(depth)
        elif pick == 9:
            self.line(depth, self.one(f"d['a'] = {self.number()}", f"o[0] = {self.number()}", "o = [o[1], o[0]]"))
        elif pick == 10:
            self.jump(depth, loop)
        elif pick == 11:
            self.define(depth)
        elif pick == 12:
            self.line(depth, "if m is not None:" if "m" in self.signature else "if k > 2:")
            self.line(depth + 1, f"v = v + {'m' if 'm' in self.signature else 'w'} * 0.1")
        elif pick < 19:
            self.if_(depth, loop)
        elif pick < 21:
            self.while_(depth)
        elif pick < 24:
            self.for_(depth)
        elif pick == 24:
            self.helper(depth)
        else:
            self.append(depth)

    def write(self, depth: int) -> None:
        name = self.one("v", "w")
        self.line(depth, f"{name} = {name}.clone()")
        what = self.rng.randrange(5)
        if what == 0:
            self.line(depth, f"{name}[{self.rng.randrange(3)}] = {self.number()}")
        elif what == 1:
            self.line(depth, f"{name}[1:] {self.one('=', '+=')} {self.number()}")
        elif what == 2:
            self.line(depth, f"{name} += {self.number()} * 0.5")
        elif what == 3:
            self.line(depth, f"u = {name}[:2]")
            self.line(depth, "u.mul_(0.5)")
        else:
            self.line(depth, f"if {self.test(1)}:")
            self.line(depth + 1, f"{name}[0] = {self.number()}")

    def jump(self, depth: int, loop: str | None) -> None:
        if depth == 1:
            self.line(depth, f"if {self.test()}:")
            depth += 1
        if loop is not None and self.rng.random() < 0.75:
            self.line(depth, self.one("break", "continue"))
        else:
            self.line(
                depth,
                "return v, w, s, r, i, j, d['a'], o[0]",
            )

    def define(self, depth: int) -> None:
        name = f"late{len(self.late)}" if len(self.late) < 2 else self.one(*self.late)
        if name not in self.late:
            self.late.append(name)
        self.line(depth, f"{name} = {self.one(self.number(), self.number(), self.integer())}")

    def if_(self, depth: int, loop: str | None) -> None:
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, loop)
        if self.rng.random() < 0.25:
            self.line(depth, f"elif {self.test()}:")
            self.block(depth + 1, loop)
        if self.rng.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, loop)

    def fresh(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def while_(self, depth: int) -> None:
        counter = self.fresh()
        self.line(depth, f"{counter} = 0")
        self.line(depth, f"while {counter} < {self.one('3', 'n', 'k', '2')} and {self.test()}:")
        self.line(depth + 1, f"{counter} = {counter} + 1")
        self.block(depth + 1, "while")
        self.otherwise(depth)

    def for_(self, depth: int) -> None:
        name = self.fresh()
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
        self.block(depth + 1, "for")
        self.otherwise(depth)

    def otherwise(self, depth: int) -> None:
        if self.rng.random() < 0.2:
            self.line(depth, "else:")
            self.block(depth + 1, None, 1)

    def helper(self, depth: int) -> None:
        name, outer = f"h{self.fresh()}", self.one("s", "i")
        self.line(depth, f"def {name}(a, b=0.5):")
        if self.rng.random() < 0.4:
            self.line(depth + 1, f"nonlocal {outer}")
            self.line(depth + 1, f"{outer} = {outer} * 0 + {self.rng.randint(0, 2)}")
        self.line(depth + 1, f"if {self.one('a.sum() > 0.2', 'k > 1', 'b > 0.3', 'a[0] < a[1]')}:")
        self.line(depth + 2, self.one("return a * b", "a = a + b", "b = b * 0.5"))
        self.line(depth + 1, "return a - 0.5 * b")
        self.line(depth, f"v = {name}({self.vector()}{self.one('', ', ' + self.number(), ', b=' + self.number())})")

    def append(self, depth: int) -> None:
        name = self.fresh()
        self.line(depth, f"outs{name} = []")
        self.line(depth, f"for {name} in {self.one('v', 'range(3)', 'w')}:")
        if self.rng.random() < 0.5:
            self.line(depth + 1, f"s = {self.number()}")
        self.line(
            depth + 1,
            f"outs{name}.append(w.sum() * {name} + s)" if self.rng.random() < 0.7 else f"outs{name}.append(v * {name})",
        )
        self.line(depth, f"w = 0.5 * torch.stack(outs{name}).reshape(3, -1).mean(1)")


def inputs(rng: random.Random, k: int, given: bool) -> list[tuple]:
    """Argument tuples that one capture has to serve: `k` and whether `m` is given stay as they are."""
    found = []
    for n in (2, 0, 3, 1):
        x = np.array([round(rng.uniform(-1.5, 1.5), 3) for _ in range(3)])
        m = (np.array([0.3, -0.2, round(rng.uniform(-1, 1), 3)]),) if given else ()
        found.append((x, np.int64(n), k, *m))
    return found


def load(text: str, seed: object = 0):
    """The function of a text, with a source that can be read back."""
    file = f"<fuzz {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"torch": torch, "__name__": "fuzzed"}
    exec(compile(text, file, "exec"), space)
    return space["f"]
