"""Aimed programs: small functions around one effect, one Python number, one dtype or one gradient mode, in every position of the code."""

from __future__ import annotations

import ast
import random

from fuzz_amounts import AMOUNTS, Amounts
from fuzz_things import PREAMBLE, THINGS
from program_text import Text

TORCH = "x: torch.Tensor, n: torch.Tensor, k: int = 2"
SIGNATURES = {
    "torch": TORCH,
    "jax": TORCH.replace("torch.Tensor", "jax.Array"),
    "numpy": TORCH.replace("torch.Tensor", "np.ndarray"),
}
TESTS = (
    "x.sum() > 0",
    "x[0] > x[1]",
    "n > 1",
    "x.sum() > 0 and n > 0",
    "not x[0] > 0",
    "n == 2",
    "k > 1",
    "k > 2",
    "x[0] < -5",
)
MADE = {"torch": "torch.tensor", "jax": "jnp.asarray", "numpy": "np.array"}


class Aimed(Text):
    """Writes the text of one function `f(x, n, k)`, x three numbers, n a whole one that is data, k Python's."""

    def __init__(self, seed: object, flavour: str) -> None:
        super().__init__(seed)
        self.flavour = flavour
        self.amounts = Amounts(self.rng, flavour)
        self.about = ""
        self.outside = False  # what is written outlives the call
        self.made: set[str] = set()  # the names that the thing's setup binds

    def text(self) -> str:
        """The program."""
        about = self.rng.choice(("thing",) * 6 + ("number",) * 4 + AMOUNTS[self.flavour])
        self.about = about
        if about == "thing":
            return self.with_thing()
        if about == "number":
            return self.with_numbers()
        body = "".join(f"    {line}\n" for line in getattr(self.amounts, about)())
        return f"def f({SIGNATURES[self.flavour]}):\n{body}"

    # ------------------------------------------------------------------ effects
    def with_thing(self) -> str:
        """An effect or two on one thing, and what is read behind them."""
        name = self.one(*THINGS)
        thing, self.about = THINGS[name], name
        self.outside, self.made = self.chance(0.15), names_written(thing.setup)
        head = [f"    {thing.setup}"] if not self.outside else []
        reads = [self.one(*thing.reads) for _ in range(self.rng.randint(1, 2))]
        self.line(1, "y = x * 1.0")
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            self.place(1, self.one(*thing.effects), self.rng.choice((0, 0, 0, 1)))
        if self.chance(0.3):
            self.line(1, f"y = y + {self.one(*thing.reads)}")
        self.line(1, f"return y, {', '.join(f'x * ({read})' for read in reads)}")
        body = "\n".join([*head, *self.lines])
        before = f"{thing.setup}\n\n\n" if self.outside else ""
        named = sorted({"p", "q", "w", "get"} & names_written(body)) if self.outside else []
        hold = f"    global {', '.join(named)}\n" if named else ""
        return f"{PREAMBLE}{before}def f({SIGNATURES[self.flavour]}):\n{hold}{body}\n"

    def place(self, depth: int, effect: str, more: int) -> None:
        """An effect in a position; `more` positions around it."""
        if more:
            inner = Aimed(self.rng.random(), self.flavour)
            inner.place(depth + 1, effect, more - 1)
            self.around(depth, inner.lines)
        elif is_expression(effect) and self.chance(0.4):
            self.line(depth, self.held(effect))
        else:
            self.around(depth, [f"{'    ' * (depth + 1)}{effect}"])

    def held(self, effect: str) -> str:
        """An expression in the place of another."""
        test = self.one(*TESTS)
        return self.one(
            effect, f"_ = ({test}) and {effect}", f"_ = ({test}) or {effect}", f"_ = {effect} if {test} else None", f"_ = [{effect} for _ in range(2)]",
            f"_ = [{effect} for e in x if e > 0]", f"_ = [0, {effect}][0]", f"(lambda: {effect})()", f"_ = lambda: {effect}", f"_ = ({effect} for _ in 'ab')",
            f"_ = list({effect} for _ in 'ab')", f"_ = f'{{{effect}!r}}'" if "'" not in effect else effect, f"_ = {{1: {effect}}}.get(2)",
            f"_ = [{effect} for _ in range(k)]", f"y = y + 0 * len([{effect}])", f"_ = {effect} is None and {test}", f"assert [{effect}]",
            f"_ = map(lambda e: {effect}, (1, 2))", f"_ = list(map(lambda e: {effect}, (1, 2)))", f"_ = {{e: {effect} for e in (1, 2)}}",
        )  # fmt: skip

    def around(self, depth: int, lines: list[str]) -> None:
        """Statements in a position."""
        inside = self.lines.extend
        test, pick = self.one(*TESTS), self.rng.randrange(16)
        if pick < 4:
            self.line(depth, f"if {test}:")
            inside(lines)
            if pick == 1:
                self.line(depth, "else:")
                self.line(depth + 1, self.one("y = y + 1", "pass", "y = -y"))
        elif pick == 4:
            self.line(depth, f"if {test}:")
            self.line(depth + 1, "y = y * 2")
            self.line(depth, "else:")
            inside(lines)
        elif pick == 5:
            self.line(depth, "if True:")
            inside(lines)
        elif pick < 8:
            self.line(depth, f"for t in {self.one('range(k)', 'range(n)', 'x', 'range(2)', 'enumerate(x)')}:")
            inside(lines)
            if self.chance(0.4):
                self.line(depth + 1, f"if {self.one('t == 1', test) if 'enum' not in self.lines[-2] else test}:")
                self.line(depth + 2, self.one("break", "continue", "y = y + 1"))
        elif pick == 8:
            self.line(depth, "c = 0")
            self.line(depth, f"while c < {self.one('n', 'k', '2')}{self.one('', f' and {test}')}:")
            self.line(depth + 1, "c += 1")
            inside(lines)
        elif pick < 11:
            name = f"h{self.fresh()}"
            self.line(depth, f"def {name}():")
            if depth == 1:
                for word, names in self.declared("\n".join(lines)):
                    self.line(depth + 1, f"{word} {', '.join(names)}")
            inside(lines)
            self.line(depth + 1, "return 1.0")
            self.line(
                depth,
                self.one(
                    f"{name}()",
                    f"if {test}: {name}()",
                    f"y = y + ({name}() if {test} else 2.0)",
                    f"[{name}() for _ in range(2)]",
                ),
            )
        elif pick == 11:
            self.line(depth, "try:")
            self.line(depth + 1, f"if {test}: raise ValueError")
            inside(lines)
            self.line(depth, "except ValueError:")
            self.line(depth + 1, "y = y - 1")
        elif pick == 12:
            self.line(depth, "try:")
            self.line(depth + 1, self.one("y = y + 1", f"if {test}: return y, y"))
            self.line(depth, "finally:")
            inside(lines)
        elif pick == 13:
            found = self.one(
                f"if {test}: return y * 3, y",
                "if k < 0: return y",
                f"for t in range(2):\n    if {test}: return y, y\n    dead = y + t",
            )
            for each in found.split("\n"):
                self.line(depth, each)
            self.line(depth, "if True:")
            inside(lines)
        elif pick == 14:
            self.line(depth, "with nullcontext():")
            inside(lines)
        else:
            self.line(depth, f"match {self.one('k', '[k, 1]')}:")
            self.line(depth + 1, self.one("case 2 | [2, 1]:", "case _:"))
            inside([f"    {line}" for line in lines])

    def declared(self, text: str) -> list[tuple[str, list[str]]]:
        """Which names statements of a function within bind that are variables of the one around it, or of the module."""
        wrote = names_written(text)
        of_module = sorted(wrote & self.made) if self.outside else []
        around = sorted(wrote & {"y"} if self.outside else wrote & {"y", *self.made})
        return [(word, names) for word, names in (("global", of_module), ("nonlocal", around)) if names]

    # ------------------------------------------------------------------ numbers
    def with_numbers(self) -> str:
        """Numbers of Python's, made of data, and what only Python's numbers can."""
        number, kept = self.amounts, []
        for name in "gh"[: self.rng.randint(1, 2)]:
            self.line(1, f"{name} = {self.one(number.whole(), number.real(), number.truth())}")
            kept.append(name)
        if self.chance(0.3):
            self.line(1, f"if {self.one(*TESTS)}:")
            self.line(2, f"g = {self.one(number.whole(), number.real(), number.truth())}")
        if self.chance(0.2):
            self.line(1, f"for t in range({self.one('2', 'k', 'n')}):")
            self.line(2, f"g = {self.one('g + 1', 'g * 2', 'g + t', 'g - 0.5', 'g + g', 'g // 2', '-g')}")
        uses = [number.use(self.one(*kept)) for _ in range(self.rng.randint(1, 2))]
        for use in uses:
            if self.chance(0.15):
                self.line(1, "try:")
                self.line(2, f"y = x * ({use})")
                self.line(1, "except (ZeroDivisionError, ValueError, OverflowError):")
                self.line(2, "y = x - 9.0")
        self.line(
            1,
            f"return {', '.join([*(f'x * ({use})' for use in uses), *kept])}{', y' if 'y' in names_written(self.joined()) and 'try' in self.joined() else ''}",
        )
        return f"def f({SIGNATURES[self.flavour]}):\n{self.joined()}\n"

    def joined(self) -> str:
        """What is written so far."""
        return "\n".join(self.lines)


def is_expression(text: str) -> bool:
    """Whether a statement is an expression."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def names_written(text: str) -> set[str]:
    """The names that statements bind; a comprehension has its own."""
    lines = text.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    tree = ast.parse("\n".join(line[margin:] for line in lines))
    own = {id(name) for node in ast.walk(tree) if isinstance(node, ast.comprehension) for name in ast.walk(node.target)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in own)
    return {name.id for name in names if isinstance(name.ctx, ast.Store | ast.Del)}


def aimed(seed: int) -> tuple[Aimed, str, random.Random]:
    """The writer of a seed, its text, and choices for its settings."""
    rng = random.Random(f"aimed {seed}")
    writer = Aimed(f"aimed {seed}", rng.choice(("torch", "torch", "jax", "numpy")))
    return writer, writer.text(), rng
