"""What a capture will do with a function, construct by construct, told before anything runs."""

from __future__ import annotations

import ast
import functools
import linecache
import types
from dataclasses import dataclass, replace
from typing import Any

from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.pause import collection_paused
from gfx_ir.probing import is_module

from ..calls.modules import authors_own
from ..rewrite import converted_source, definition
from ..rewrite.tracebacks import users_frames
from ..values.called import compiled
from ..values.flavour import loaded_frameworks
from .constructs import TABLE, Rule
from .findings import Place

_BY_NODE = {kind: tuple(rule for rule in TABLE if kind in rule.nodes) for rule in TABLE for kind in rule.nodes}
_STYLES = {"converts": "green", "resolves": "cyan", "depends": "yellow", "refused": "red"}


@dataclass(frozen=True, slots=True)
class Construct:
    """One construct of the user's code and what becomes of it.

    `verdict` is "converts", "resolves", "refused", or "depends" where the values at capture decide; `means` says what happens,
    `error` begins the message of a refusal, `hint` says what to do instead.
    """

    file: str
    line: int
    function: str
    text: str
    construct: str
    verdict: str
    means: str
    error: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Explanation:
    """What `gfx.explain` gives: the rewritten function as source, and its constructs in the order of their lines."""

    name: str
    file: str
    line: int
    source: str
    constructs: tuple[Construct, ...]

    @property
    def refused(self) -> tuple[Construct, ...]:
        """The constructs that no capture takes."""
        return tuple(c for c in self.constructs if c.verdict == "refused")

    def __str__(self) -> str:
        parts = [f"{self.name} ({self.file}:{self.line})"]
        last = 0
        for c in self.constructs:
            if c.line != last:
                parts.append(f"{c.line:5}  {c.text}")
            parts.append(f"         {c.construct}: {_says(c)}")
            last = c.line
        if not self.constructs:
            parts.append("       nothing but straight code: all of it is recorded")
        rewritten = self.source or "it is not rewritten, because of what is refused above"
        return "\n".join([*parts, "", "rewritten:", rewritten])

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.syntax import Syntax
        from rich.table import Table
        from rich.text import Text

        table = Table("line", "code", "construct", "verdict", "what happens", title=f"{self.name} ({self.file})")
        for c in self.constructs:
            verdict = Text(c.verdict, _STYLES[c.verdict])
            table.add_row(str(c.line), Text(c.text), c.construct, verdict, Text(_says(c, short=True)))
        return Group(table, Syntax(self.source, "python", word_wrap=True))


def _says(c: Construct, short: bool = False) -> str:
    text = c.means if short or c.verdict in ("depends", c.means.partition(" ")[0]) else f"{c.verdict}: {c.means}"
    if c.error:
        text += f"\n           {c.error} …" if not short else f"\n{c.error} …"
    if c.hint:
        text += f"\n           {c.hint}" if not short else f"\n{c.hint}"
    return text


@users_frames
@collection_paused()
def explain(target: Any) -> Explanation:
    """The rewritten form of a function, method or model, and per construct what a capture does with it. Nothing is run.

    A test converts where it is a tensor or an open argument and resolves where it is fixed: where only the capture can tell, the
    verdict is "depends". Raises CaptureError where there is no Python function, or its source is missing or has changed.
    """
    fn = function_of(target)
    node = definition(fn).node
    rows = [row for place in _places(node, fn) for row in _rows(place)]
    try:
        source = converted_source(fn)
    except UnsupportedConstruct:  # what refuses it is among the rows
        if not any(row.verdict == "refused" for row in rows):
            raise
        source = ""
    rows = list(dict.fromkeys(sorted(rows, key=lambda row: row.line)))
    return Explanation(fn.__qualname__, fn.__code__.co_filename, fn.__code__.co_firstlineno, source, tuple(rows))


def function_of(target: Any) -> types.FunctionType:
    """The Python function that a capture of `target` enters first."""
    target = authors_own(loaded_frameworks(), target)
    if is_module(target):
        target = target.forward
    while not isinstance(target, types.FunctionType):
        call = getattr(type(target), "__call__", None)  # noqa: B004 - the function itself is wanted
        if isinstance(target, functools.partial):
            target = target.func
        elif isinstance(target, types.MethodType):
            target = target.__func__
        elif (inner := compiled(target)) is not None:
            target = inner
        elif isinstance(call, types.FunctionType):
            target = call
        else:
            raise CaptureError(f"GFX cannot explain a {type(target).__name__}", hint="give it a function or a model")
    return target


def _places(root: ast.AST, fn: types.FunctionType) -> list[Place]:
    """Every node that is rewritten, with what is around it: not what async functions and classes inside hold."""
    found, stack = [], [Place(root, (), fn)]
    while stack:
        place = stack.pop()
        found.append(place)
        if isinstance(place.node, (ast.ClassDef, ast.AsyncFunctionDef)) and place.around:
            continue
        for part, value in ast.iter_fields(place.node):
            if part in ("annotation", "returns", "decorator_list") or (part == "args" and place.node is root):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    stack.append(replace(place, node=child, around=(*place.around, (place.node, part))))
    return found


def _rows(place: Place) -> list[Construct]:
    rows, told = [], False
    for rule in _BY_NODE.get(type(place.node), ()):
        if (told and not rule.extra) or (not place.around and not isinstance(place.node, ast.AsyncFunctionDef)):
            continue
        answer = rule.when(place) if rule.when is not None else True
        if answer:
            told = told or not rule.extra
            rows.append(_construct(rule, place, answer if isinstance(answer, str) else ""))
    return rows


def _construct(rule: Rule, place: Place, name: str) -> Construct:
    code, line = place.fn.__code__, place.node.lineno
    text = linecache.getline(code.co_filename, line).strip()
    says, error = (words.replace("{name}", name) for words in (rule.says, rule.error))
    function = getattr(place.scope, "name", "<lambda>")
    return Construct(code.co_filename, line, function, text, rule.construct, rule.verdict, says, error, rule.hint)
