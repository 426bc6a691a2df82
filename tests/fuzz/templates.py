"""Programs written from templates: text with holes for typed expressions, blocks, results and names, filled from what is in scope.

<v>           an expression of kind v            <v!>        one that is a name or a literal
<v+>          one that is no bare name           <var:v>     a variable of kind v that may be assigned
<v|e:s>       one that may also use e            <result>    what the function around it returns
<block>       statements, on a line of its own   $name       a name of its own
% e:s loop    on a line of its own: e is in scope from here, in a loop; `def`: what is outside is read only; `top`: nothing of it
              is there; `result v s`: what is returned; `needs loop`: only in a loop
-> name:v     the last line: what is defined behind the statement
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

HOLE = re.compile(r"<(var:)?([a-zA-Z]+)([!+]?)(?:\|([^>]*))?>")
NAME = re.compile(r"\$(\w+?)(?=\W|$)")
_WHOLE = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.List,
    ast.Dict,
    ast.ListComp,
    ast.DictComp,
    ast.Constant,
)


def _alone(hole: re.Match) -> bool:
    """Whether a hole stands between brackets, commas and the like, where any expression can stand."""
    before, after = hole.string[: hole.start()].rstrip(), hole.string[hole.end() :].lstrip()
    return (not before or before[-1] in "([{,:=" or before.endswith("return")) and (not after or after[0] in ")]},:")


def _is_one(hole: re.Match, text: str) -> bool:
    """Whether an expression holds together in its hole."""
    return isinstance(ast.parse(text, mode="eval").body, _WHOLE) and not (
        text[0].isdigit() and hole.string[hole.end() :][:1] == "."
    )


class Unfit(Exception):
    """A template that cannot be filled here."""


@dataclass(frozen=True)
class Scope:
    """The names in reach and their kinds, those that may be assigned, whether a loop is around, and the kinds of the result."""

    names: Mapping[str, str] = field(default_factory=dict)
    mine: frozenset[str] = frozenset()
    loop: bool = False
    result: tuple[str, ...] = ()

    def plus(self, pairs: str) -> Scope:
        """With more names: `a:v b:s`."""
        found = dict(pair.rsplit(":", 1) for pair in pairs.split())
        return replace(self, names={**self.names, **found}, mine=self.mine | found.keys())


class Filler:
    """Fills templates at random. `values`: the templates of each kind, `leaves`: its literals, `statements`: groups of templates,
    each with its weight."""

    def __init__(
        self, rng: random.Random, values: Mapping[str, Sequence[str]], leaves: Mapping[str, Sequence[str]]
    ) -> None:
        self.rng = rng
        self.values = {kind: list(found) for kind, found in values.items()}
        self.leaves = leaves
        self.statements: list[tuple[float, Sequence[str]]] = []
        self.scope = Scope()
        self.used: set[str] = set()
        self.budget = 12  # how many statements may still hold others

    # ------------------------------------------------------------------ expressions
    def value(self, kind: str, how: str = "", depth: int = 0) -> str:
        """An expression of a kind."""
        names = [name for name, found in self.scope.names.items() if found == kind]
        leaves = self.leaves.get(kind, ())
        bare = how == "!" or depth > 1 or (how != "+" and self.rng.random() < (0.65 if depth else 0.35))
        if bare and (names or leaves):
            return self.rng.choice([*names, *names[-3:], *names[-3:], *leaves])  # what is made is used
        if depth > 4 or not self.values.get(kind):
            if names or leaves:
                return self.rng.choice([*names, *leaves])
            raise Unfit(kind)
        for _ in range(6):
            try:
                return self.fill(self.rng.choice(self.values[kind]), depth + 1)
            except Unfit:
                continue
        if names or leaves:
            return self.rng.choice([*names, *leaves])
        raise Unfit(kind)

    def fill(self, template: str, depth: int = 0) -> str:
        """A template of one line, filled."""

        def filled(hole: re.Match) -> str:
            variable, kind, how, more = hole.groups()
            if variable:
                return self.variable(kind)
            if kind == "result":
                return self.result()
            before = self.scope
            self.scope = self.scope.plus(more or "")
            try:
                text = self.value(kind, how, depth)
            finally:
                self.scope = before
            return text if _alone(hole) or _is_one(hole, text) else f"({text})"

        return HOLE.sub(filled, self.named(template))

    def named(self, template: str) -> str:
        """A template with its own names in place."""
        found: dict[str, str] = {}

        def own(match: re.Match) -> str:
            word = match[1]
            if word not in found:
                found[word] = next(
                    name for name in (word, *(f"{word}{i}" for i in range(2, 99))) if name not in self.used
                )
                self.used.add(found[word])
            return found[word]

        return NAME.sub(own, template)

    def variable(self, kind: str) -> str:
        """A variable that may be assigned."""
        found = [name for name, has in self.scope.names.items() if has == kind and name in self.scope.mine]
        if not found:
            raise Unfit(kind)
        return self.rng.choice(found)

    def result(self) -> str:
        """What the function around it returns; a dictionary or tuple as a plain one."""
        if not self.scope.result:
            raise Unfit("result")
        plain = {"d": "dict({})", "p": "tuple({})"}
        return ", ".join(plain.get(kind, "{}").format(self.value(kind)) for kind in self.scope.result)

    # ------------------------------------------------------------------ statements
    def statement(self, depth: int) -> list[str]:
        """One statement, at this indentation."""
        for _ in range(20):
            weights = [weight for weight, _ in self.statements]
            group = self.rng.choices(self.statements, weights)[0][1]
            template = self.rng.choice(group)
            if "<block>" in template and (self.budget <= 0 or depth > 4):
                continue
            try:
                return self.written(template, depth)
            except Unfit:
                continue
        return ["    " * depth + "pass"]

    def written(self, template: str, depth: int) -> list[str]:
        """A template of some lines, filled; what it defines is in scope afterwards."""
        before, budget = self.scope, self.budget
        self.budget -= "<block>" in template
        try:
            lines, left = self.lines_of(self.named(template).strip("\n").split("\n"), depth)
        except Unfit:
            self.scope, self.budget = before, budget
            raise
        self.scope = before.plus(left)
        return lines

    def lines_of(self, template: Sequence[str], depth: int) -> tuple[list[str], str]:
        """The lines of a template, and what it defines."""
        out: list[str] = []
        around: list[tuple[int, Scope]] = []
        at = 0
        for line in template:
            margin = (len(line) - len(line.lstrip())) // 4
            text = line.strip()
            if text.startswith("->"):
                return out, text[2:]
            while margin < at:
                at, self.scope = around.pop()
            if margin > at:
                around.append((at, self.scope))
                at = margin
            if text.startswith("%"):
                self.directive(text[1:].split(), set(re.findall(r"[\w.]+", out[-1])) if out else set())
            elif text == "<block>":
                out += self.block(depth + margin)
            elif text:
                out.append("    " * (depth + margin) + self.fill(text))
            else:
                out.append("")
        return out, ""

    def directive(self, words: list[str], header: set[str]) -> None:
        """What a line of `%` says of the scope. A body assigns neither what its loop goes over nor whole numbers that count."""
        scope = self.scope
        if words[:2] == ["needs", "loop"]:
            if not scope.loop:
                raise Unfit("loop")
            return
        if words[:1] == ["top"]:
            scope = Scope()
        if words[:1] == ["def"]:
            scope = replace(scope, mine=frozenset(), loop=False)
        if "result" in words:
            scope = replace(scope, result=tuple(words[words.index("result") + 1 :]))
            words = words[: words.index("result")]
        if "loop" in words:
            scope = replace(scope, loop=True)
        scope = scope.plus(" ".join(word for word in words if ":" in word))
        fixed = header if "for" in header else {word.rsplit(":", 1)[0] for word in words if word.endswith((":i", ":h"))}
        self.scope = replace(scope, mine=scope.mine - fixed)

    def block(self, depth: int) -> list[str]:
        """A few statements."""
        return [line for _ in range(self.rng.choice((1, 1, 2, 2, 3))) for line in self.statement(depth)]
