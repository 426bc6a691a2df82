"""Rarer statements of random programs: walrus, comprehensions, match, objects, unpacking, assertions, generators, recursion."""

from __future__ import annotations

from fuzz_expressions import Expressions

BOX = """class Box:
    def __init__(self, total, count=0):
        self.total, self.count = total, count

    def add(self, more):
        if more > 0.2:
            self.count = self.count + 1
        self.total = self.total * 0.5 + more
        return self


"""
DEEPER = """def deeper(a, depth):
    if depth <= 0:
        return a
    if a > 0.3:
        a = a * 0.5
    return deeper(a + 0.1, depth - 1)


"""
HALVES = """def halves(items, last=0.5):
    for item in items:
        yield item * 0.5
    yield last


"""
PREAMBLE = {"Box(": BOX, "deeper(": DEEPER, "halves(": HALVES}
KINDS = (
    "walrus", "walrus_loop", "comprehension", "total", "starred", "keyed", "asserted", "matched", "boxed", "zipped",
    "operands", "cast", "deleted", "annotated", "stepped", "endless", "chained", "member", "augmented", "recursive",
    "generated", "mapped", "nested", "folded",
)  # fmt: skip


class Constructs(Expressions):
    """Writes one of them at a time, on the same variables."""

    kinds = KINDS

    def construct(self, depth: int, inner: tuple) -> None:
        """One of the rarer statements."""
        getattr(self, self.one(*self.kinds))(depth, inner)

    def walrus(self, depth: int, inner: tuple) -> None:
        name = f"q{self.fresh()}"
        asked = f"({name} := {self.number()}) > {self.one('0.3', 's', '-0.2')}"
        if self.chance(0.4):
            asked = f"{self.test(1)} {self.one('and', 'or')} {asked}"
            self.line(depth, f"{name} = {self.number(1)}")
        self.line(depth, f"if {asked}:")
        self.line(depth + 1, f"{self.one('s', 'r')} = {name} * 0.5")
        if self.chance(0.5):
            self.line(depth, "else:")
            self.line(depth + 1, f"v = v * 0.5 + {name}")

    def walrus_loop(self, depth: int, inner: tuple) -> None:
        name, counter = f"q{self.fresh()}", f"t{self.fresh()}"
        self.line(depth, f"{counter} = 0")
        self.line(depth, f"while ({counter} := {counter} + 1) < 4 and ({name} := {self.number(1)}) < 0.8:")
        self.line(depth + 1, f"s = s * 0.5 + {name}")
        self.block(depth + 1, ("loop",), 1)

    def comprehension(self, depth: int, inner: tuple) -> None:
        over = self.one("v", "w", "(s, r, 0.5)", "range(3)", "[e * 0.5 for e in w]")
        element = self.one(
            f"e * 0.5 if {self.one('e > 0.1', 'k > 1', 's > e', 'n > 1')} else {self.number(1)}",
            f"e * {self.number(1)}",
            f"max(e, {self.number(1)})",
            f"(lambda a: a * e + {self.number(1)})(0.5)",
        )
        if self.chance(0.5):
            self.line(depth, f"w = 0.5 * {self.word('stack', f'[x.sum() * 0.1 + ({element}) for e in {over}]')}")
        else:
            self.line(depth, f"{self.one('s', 'r')} = sum([{element} for e in {over}]) * 0.2")

    def total(self, depth: int, inner: tuple) -> None:
        over = self.one("v", "(s, r, 0.5)", "o", "d.values()", "range(3)")
        made = self.one("sum(e * 0.5 for e in {})", "max(e * 0.5 for e in {})", "min([e * 0.3 for e in {}])").format(
            over
        )
        asked = f"{self.one('any', 'all')}(e > {self.one('0.1', '-0.3')} for e in {over})"
        self.line(depth, self.one(f"s = {made} * 0.5", f"b = {asked}", f"r = {made} if {asked} else 0.25"))

    def starred(self, depth: int, inner: tuple) -> None:
        name = f"q{self.fresh()}"
        given = f"{self.number(1)}, {self.number(1)}, {self.number(1)}"
        self.line(depth, self.one(f"s, *{name} = {given}", f"*{name}, r = {given}", f"{name} = [*o, {self.number(1)}]"))
        self.line(
            depth, self.one(f"r = {name}[0] * 0.5", f"r = {name}[-1]", f"{name}[1] = s", f"s = max(*{name}) * 0.5")
        )

    def keyed(self, depth: int, inner: tuple) -> None:
        pick = self.rng.randrange(4)
        if pick == 0:
            self.line(depth, "for key in d:")
            self.line(depth + 1, f"d[key] = d[key] * 0.5 + {self.number(1)} * 0.1")
        elif pick == 1:
            self.line(depth, f"d.update(a={self.number(1)})")
        elif pick == 2:
            self.line(depth, f"d = {{**d, 'b': {self.number(1)}}}")
        else:
            self.line(
                depth,
                f"for key, e in d.items():\n{'    ' * (depth + 1)}s = s * 0.5 + (e if key == 'a' else {self.number(1)})",
            )

    def asserted(self, depth: int, inner: tuple) -> None:
        self.line(
            depth,
            self.one(
                "assert x.shape[0] == 3", f"assert {self.number(1)} < 9, 'large'", "assert s < 0.9, f'large {k}'",
                f"if {self.number(1)} > 9:\n{'    ' * (depth + 1)}raise ValueError('large')",
            ),
        )  # fmt: skip

    def matched(self, depth: int, inner: tuple) -> None:
        self.line(depth, f"match {self.one('k', 'n', 'i', 'k')}:")
        self.line(depth + 1, f"case {self.one('0', '1', '0 | 2')}:")
        self.block(depth + 2, inner, 1)
        if self.chance(0.5):
            self.line(depth + 1, f"case {self.one('2', '3')} if {self.test(1)}:")
            self.block(depth + 2, inner, 1)
        if self.chance(0.6):
            self.line(depth + 1, "case _:")
            self.block(depth + 2, inner, 1)

    def boxed(self, depth: int, inner: tuple) -> None:
        name = f"box{self.fresh()}"
        self.line(depth, f"{name} = Box({self.number(1)})")
        head = self.one(
            f"if {self.test(1)}:", "for e in v:", f"for e in range({self.one('n', 'k', '3')}):", "with nullcontext():"
        )
        self.line(depth, head)
        more = self.number(1)
        self.line(
            depth + 1, self.one(f"{name}.add({more})", f"{name}.total += {more}", f"{name}.add({more}).count += 1")
        )
        if self.chance(0.4):
            self.line(depth + 1, f"s = {name}.total * 0.5")
        self.line(depth, f"r = {name}.total * 0.5 + {name}.count * 0.1")

    def zipped(self, depth: int, inner: tuple) -> None:
        over = self.one("zip(v, w)", "zip(w, range(3))", "zip((s, r), v)", "zip(v, o)")
        if self.chance(0.3):
            self.line(
                depth, f"for e in {self.one('reversed(v)', 'reversed(range(k))', 'reversed([s, 0.5])', 'v[1:]')}:"
            )
            self.line(depth + 1, "s = s * 0.5 + e * 0.3")
        else:
            self.line(depth, f"for e, u in {over}:")
            self.line(depth + 1, "r = r * 0.5 + e * u")
        self.block(depth + 1, ("loop",), 1)

    def operands(self, depth: int, inner: tuple) -> None:
        self.line(
            depth,
            self.one(
                f"s = {self.number(1)} or {self.number(1)}", f"r = {self.number(1)} and {self.number(1)}",
                f"i = {self.integer(1)} or {self.integer(1)}", f"s = ({self.test(1)}) and 0.5 or {self.number(1)}",
            ),
        )  # fmt: skip

    def cast(self, depth: int, inner: tuple) -> None:
        self.line(
            depth,
            self.one(
                f"i = int({self.number(1)} * 2) % 3", f"s = float({self.number(1)})", f"b = bool({self.number(1)} > 0)",
                f"j = int({self.test(1)})", f"s = s + bool({self.integer(1)})", "r = round(float(i)) * 0.5",
            ),
        )  # fmt: skip

    def deleted(self, depth: int, inner: tuple) -> None:
        name = f"q{self.fresh()}"
        self.line(depth, f"{name} = {self.number(1)}")
        self.line(depth, f"s = {name} * 0.5 + 0.1")
        self.line(depth, f"del {name}")

    def annotated(self, depth: int, inner: tuple) -> None:
        name = f"q{self.fresh()}"
        self.line(depth, f"{name}: float = {self.number(1)}")
        self.line(depth, f"if {self.test(1)}:")
        self.line(depth + 1, f"{name}: float = {name} * 0.5")
        self.line(depth, f"s = {name}")

    def stepped(self, depth: int, inner: tuple) -> None:
        name = f"t{self.fresh()}"
        over = self.one("3, 0, -1", "n, 0, -1", "0, n + 1, 2", "k, -1, -1", "0, 5, 2", "-1, n")
        self.line(depth, f"for {name} in range({over}):")
        self.line(depth + 1, self.one(f"s = s * 0.5 + {name} * 0.1", f"i = {name}", f"v = v * 0.5 + {name}"))
        self.block(depth + 1, ("loop",), 1)
        if self.chance(0.3):
            self.line(depth, f"{name} = 1") if self.chance(0.5) else self.otherwise(depth, (), 1.0, 1)

    def endless(self, depth: int, inner: tuple) -> None:
        counter = f"t{self.fresh()}"
        self.line(depth, f"{counter} = {self.one('0', '0', 'n % 2', '0.0')}")
        self.line(depth, "while True:")
        self.line(depth + 1, f"{counter} += 1")
        self.line(depth + 1, f"if {counter} > {self.one('2', 'n', 'k')} or {self.test(1)}:")
        self.line(depth + 2, self.one("break", "s = s * 0.5\n" + "    " * (depth + 2) + "break"))
        self.block(depth + 1, (), 1)

    def chained(self, depth: int, inner: tuple) -> None:
        self.line(
            depth,
            self.one(
                f"s = r = {self.number(1)}", f"v = w = {self.vector(1)}", "(s, r), i = (r, s), j", "s, (i, j) = r, (j, i)",
                f"s, o[0] = {self.number(1)}, s", "d['a'], r = r, d['a']", "i, j = j, i + 1",
            ),
        )  # fmt: skip

    def member(self, depth: int, inner: tuple) -> None:
        asked = self.one(
            "k in (1, 2)", "n in (0, 2)", "'a' in d", "k not in (0, 3)", "i in (0, 1, 2)", "s is not None", "0.5 in o"
        )
        self.line(depth, f"if {asked}:")
        self.block(depth + 1, inner, 1)

    def augmented(self, depth: int, inner: tuple) -> None:
        target = self.one("d['a']", "d['b']", "o[0]", "o[-1]", "i", "j")
        if target in "ij":
            self.line(depth, f"{target} {self.one('+=', '-=')} {self.one('1', 'k', 'n')}")
        else:
            self.line(depth, f"{target} = {target} * 0.5 {self.one('+', '-')} {self.number(1)}")

    def recursive(self, depth: int, inner: tuple) -> None:
        self.line(depth, f"s = deeper({self.number(1)}, {self.one('2', '3', 'k')})")

    def generated(self, depth: int, inner: tuple) -> None:
        over = self.one("(s, r)", "v", "o", "range(2)")
        self.line(depth, f"for e in halves({over}{self.one('', ', ' + self.number(1), ', last=' + self.number(1))}):")
        self.line(depth + 1, f"s = s * 0.5 + e if {self.one('k > 1', 'e > 0.1', 'True')} else s * 0.5")

    def mapped(self, depth: int, inner: tuple) -> None:
        made = self.one(
            f"sum(map(lambda e: e * 0.5 if {self.one('e > 0.1', 'k > 1')} else {self.number(1)}, {self.one('(s, r)', 'o', 'v')}))",
            "sorted([k, 2, 0])[1] * 0.1", f"dict(a={self.number(1)}, b=0.5)['a']", "max((s, r, 0.3)) * 0.5", f"min({self.number(1)}, r, 0.7)",
            f"(lambda a, *more: a + sum(more))({self.number(1)}, 0.5, r) * 0.3",
        )  # fmt: skip
        self.line(depth, f"{self.one('s', 'r')} = {made}")

    def nested(self, depth: int, inner: tuple) -> None:
        """A local function with loops and returns of its own, which reads and may write what is around it."""
        name, outer = f"h{self.fresh()}", self.one("s", "r", "i")
        self.line(depth, f"def {name}(a, *more, c={self.one('0.5', '1', 'None')}):")
        if self.chance(0.5):
            self.line(depth + 1, f"nonlocal {outer}")
        else:
            self.line(depth + 1, f"{outer} = {'1' if outer == 'i' else '0.5'}")
        self.line(depth + 1, f"for e in {self.one('a', '(0.5, 0.25)', 'range(2)', 'more')}:")
        self.line(depth + 2, f"if {self.one('e > 0.2', 'k > 1', 'a.sum() > 0.2')}:")
        self.line(depth + 3, f"{outer} = {outer} {self.one('+', '-')} {'1' if outer == 'i' else 'e'}")
        self.line(depth + 3, self.one("break", "continue", "return a * 0.5", "a = a + e"))
        self.line(depth + 2, "a = a * 0.5 + e")
        self.line(depth + 1, f"return a * 0.5 if c is None or {outer} > c else a + {outer} * 0.1")
        given = self.one("", f", {self.number(1)}", f", {self.number(1)}, c={self.number(1)}", ", *o")
        self.line(depth, f"w = {name}({self.vector(1)}{given})")

    def folded(self, depth: int, inner: tuple) -> None:
        """Loops in one another that leave each other."""
        over, stop = f"t{self.fresh()}", self.one("break", "continue", "pass")
        self.line(depth, f"for {over} in range({self.one('n', '2', 'k')}):")
        self.line(depth + 1, f"for e in {self.one('v', 'w', '(s, 0.5)')}:")
        self.line(depth + 2, f"if e > {self.one('0.3', 's', '-0.1')}:")
        self.line(depth + 3, stop)
        self.line(depth + 2, f"s = s * 0.5 + e * {over}")
        self.line(depth + 1, "else:")
        self.line(depth + 2, self.one("continue", "r = r * 0.5", "i = i + 1"))
        self.line(depth + 1, self.one("break", "w = w * 0.5", f"if {self.test(1)}:\n{'    ' * (depth + 2)}break"))
