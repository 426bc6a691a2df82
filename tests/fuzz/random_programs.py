"""Random Python functions over integers, dense in jumps, partial assignments and captured variables."""

from __future__ import annotations

from typing import NamedTuple

from program_text import Text

NAMES = "abcde"


class Inside(NamedTuple):
    """What a statement stands in: a loop, a local function, a `try` that catches."""

    loop: bool = False
    helper: bool = False
    protected: bool = False


class Writer(Text):
    """Writes the text of one function `f(a, b)`; `tick()` bounds every loop, `log(v)` records the order of events."""

    def text(self) -> str:
        self.block(1, Inside(), self.rng.randint(3, 6))
        body = "\n".join(self.lines)
        return f"def f(a, b):\n{body}\n    return {', '.join(NAMES)}\n"

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def value(self, depth: int = 0) -> str:
        pick = self.rng.randrange(14 if depth < 2 else 4)
        if pick < 3:
            return self.name()
        if pick == 3:
            return str(self.rng.randint(-2, 5))
        if pick < 7:
            return f"({self.value(depth + 1)} {self.rng.choice('+-')} {self.value(depth + 1)})"
        if pick == 7:
            return f"({self.value(depth + 1)} if {self.test(depth + 1)} else {self.value(depth + 1)})"
        if pick == 8:
            return f"log({self.value(depth + 1)})"
        if pick == 9:
            return f"sum([{self.value(depth + 1)} + i for i in range(2)])"
        if pick == 10:
            return f"sum(i for i in range({self.rng.randint(0, 3)}) if i != {self.value(depth + 1)})"
        if pick == 11:
            return f"(lambda k: k + {self.value(depth + 1)})({self.value(depth + 1)})"
        if pick == 12:
            return f"({self.name()} := {self.value(depth + 1)})"
        return f"({self.value(depth + 1)} {self.rng.choice(['and', 'or'])} {self.value(depth + 1)})"

    def test(self, depth: int = 0) -> str:
        pick = self.rng.randrange(7)
        left, right = self.value(depth + 1), self.value(depth + 1)
        if pick < 3:
            return f"{left} {self.rng.choice(['<', '>', '==', '!='])} {right}"
        if pick == 3:
            return f"{left} < {right} <= {self.value(depth + 1)}"
        if pick == 4:
            return f"not {left}"
        return f"{left} > 1 {self.rng.choice(['and', 'or'])} {right} < 2"

    def statement(self, depth: int, inner: Inside) -> None:
        self.budget -= 1
        pick = self.rng.randrange(24)
        if pick >= 12 and (depth > 4 or self.budget < 0):
            pick = self.rng.randrange(12)
        if pick < 12:
            self.simple(depth, inner, pick)
        elif pick < 17:
            self.if_(depth, inner)
        elif pick < 19:
            self.line(depth, f"while tick() and {self.test()}:")
            self.loop_rest(depth, inner)
        elif pick < 21:
            over = ("i in range(3)", f"{self.name()} in range(2)", f"{self.name()}, j in [(1, 2), (3, 0)]")
            self.line(depth, f"for {self.rng.choice(over)}:")
            self.line(depth + 1, "tick()")
            self.loop_rest(depth, inner)
        elif pick == 21:
            self.try_(depth, inner)
        elif pick == 22:
            self.line(depth, "with around():")
            self.block(depth + 1, inner)
        else:
            self.helper(depth)

    def simple(self, depth: int, inner: Inside, pick: int) -> None:
        """A statement of one line."""
        if pick < 5:
            self.line(depth, f"{self.name()} = {self.value()}")
        elif pick < 7:
            self.line(depth, f"{self.name()} {self.rng.choice(['+', '-'])}= {self.value()}")
        elif pick == 7:
            self.line(depth, f"{self.name()}, {self.name()} = {self.value()}, {self.value()}")
        elif pick == 8:
            self.line(depth, f"log({self.value()})")
        elif pick == 9:
            self.line(depth, self.rng.choice(["break", "continue"]) if inner.loop else f"del {self.name()}")
        elif pick == 10:
            self.line(depth, f"return {self.value()}, {self.value()}" if self.chance(0.6) else "pass")
        else:
            self.line(
                depth, f"raise KeyError({self.value()})" if inner.protected else f"{self.name()} = {self.value()}"
            )

    def loop_rest(self, depth: int, inner: Inside) -> None:
        self.block(depth + 1, inner._replace(loop=True))
        self.otherwise(depth, inner)

    def try_(self, depth: int, inner: Inside) -> None:
        handlers = self.chance(0.7)
        self.line(depth, "try:")
        self.block(depth + 1, inner._replace(protected=handlers or inner.protected))
        if handlers:
            self.line(depth, "except KeyError as e:")
            self.block(depth + 1, inner)
            if self.chance(0.3):
                self.line(depth, "else:")
                self.block(depth + 1, inner)
        if not handlers or self.chance(0.3):
            self.line(depth, "finally:")
            self.line(depth + 1, f"{self.name()} = log({self.value(1)})")

    def helper(self, depth: int) -> None:
        name, outer = f"h{self.fresh()}", self.name()
        self.line(depth, f"def {name}(k):")
        self.line(depth + 1, f"nonlocal {outer}")
        self.line(depth + 1, f"if k > {self.rng.choice(NAMES)}:")
        self.line(depth + 2, f"{outer} = k")
        self.line(depth + 1, f"return k + {outer}")
        self.line(depth, f"{self.name()} = {name}({self.value(1)})")
