"""Python AST → text: astor prints expressions; lines longer than 110 columns, blank lines and comments are ours."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from ..source import Span
from .wrap import COLUMNS, code_of, wrap

if sys.version_info < (3, 14):
    import astor

    class _Printer(astor.SourceGenerator):
        """Prints all but f-strings, which astor spreads over lines."""

        def visit_JoinedStr(self, node: ast.JoinedStr, *_: Any) -> None:
            raise _Spread


class _Spread(Exception):
    """An f-string was met."""


_NAMED = re.compile(r"\(\w+ := ")
Line = tuple[str, Span | None]


def text_of(statement: ast.stmt) -> str:
    """A statement without blocks on one line. astor spreads f-strings over lines, and writes `(x,)` as `x,`."""
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Tuple) and len(statement.value.elts) == 1:
        return f"return ({expression(statement.value.elts[0])},)"
    text = _printed(statement)
    return _bare(text) if ":=" in text or "[(" in text else text


def _printed(statement: ast.stmt) -> str:
    if sys.version_info < (3, 14):
        try:
            made = astor.to_source(
                statement, pretty_source=_join, pretty_string=_string, source_generator_class=_Printer
            )
            return str(made).strip("\n")
        except _Spread:
            pass
    text = ast.unparse(ast.fix_missing_locations(statement))
    return text if '"' in text or "\\" in text else text.replace("'", '"')


def expression(node: ast.expr) -> str:
    """An expression on one line, without parentheses around it."""
    text = text_of(ast.Assign([ast.Name("_", ast.Store())], node))
    return text[4:]


def _bare(text: str) -> str:
    """`f((y := x))` and `[(x + 1) for x in y]` without the second pair of brackets, where that is the only argument or item."""
    stack: list[int] = []
    drop: set[int] = set()
    commas: set[int] = set()  # brackets with one directly inside
    code = dict(code_of(text))
    for at, char in code.items():
        if char in "([{":
            stack.append(at)
        elif char == "," and stack:
            commas.add(stack[-1])
        elif char in ")]}":
            start = stack.pop()
            if char == ")" and (_is_argument(text, code, start, at) or _is_item(text, code, start, at, commas)):
                drop |= {start, at}
    return "".join(char for at, char in enumerate(text) if at not in drop)


def _is_argument(text: str, code: dict[int, str], start: int, end: int) -> bool:
    called = start >= 2 and code.get(start - 1) == "(" and re.match(r"[\w\])]", text[start - 2])
    return bool(called) and code.get(end + 1) == ")" and _NAMED.match(text, start) is not None


def _is_item(text: str, code: dict[int, str], start: int, end: int, commas: set[int]) -> bool:
    return code.get(start - 1) == "[" and text.startswith(" for ", end + 1) and start not in commas


def _join(parts: Sequence[str]) -> str:
    """astor writes `lambda :` for a function without arguments."""
    out: list[str] = []
    for part in parts:
        if part == ": " and out and out[-1] == "lambda ":
            out[-1] = "lambda"
        out.append(part)
    return "".join(out)


def _string(text: str, *_: Any, **__: Any) -> str:
    """A string in double quotes where that needs no escape."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def lay_out(body: Sequence[ast.stmt], depth: int = 0, comments: bool = False) -> Iterator[Line]:
    """The lines of a block, each with the user's place that it comes from."""
    indent = "    " * depth
    previous: ast.stmt | None = None
    for statement in body:
        if previous is not None and (type(statement) is ast.FunctionDef or type(previous) is ast.FunctionDef):
            yield "", None
        span = getattr(statement, "gfx_span", None)
        if _is_docstring(statement, previous, body):
            yield from ((line, None) for line in _docstring(statement.value.value, indent))  # type: ignore[attr-defined]
        elif isinstance(statement, (ast.FunctionDef, ast.If, ast.While, ast.For)):
            yield from _compound(statement, depth, comments)
        else:
            lines = wrap(indent, text_of(statement))
            if comments and span is not None and span.line:
                note = f"  # {span.file.rpartition('/')[2]}:{span.line}"
                lines[-1] += note if len(lines[-1]) + len(note) <= COLUMNS else ""
            yield from ((line, span) for line in lines)
        previous = statement


def _compound(statement: ast.stmt, depth: int, comments: bool) -> Iterator[Line]:
    indent, span = "    " * depth, getattr(statement, "gfx_span", None)
    if isinstance(statement, ast.FunctionDef):
        yield from ((line, span) for line in wrap(indent, _signature(statement)))
        yield from lay_out(statement.body, depth + 1, comments)
        return
    if isinstance(statement, ast.For):
        head = text_of(ast.Assign([statement.target], ast.Constant(0))).removesuffix(" = 0")
        yield from ((line, span) for line in wrap(indent, f"for {head} in {expression(statement.iter)}:"))
        yield from lay_out(statement.body, depth + 1, comments)
        return
    word = "while" if isinstance(statement, ast.While) else "if"
    while isinstance(statement, (ast.If, ast.While)):
        yield from ((line, span) for line in wrap(indent, f"{word} {expression(statement.test)}:"))
        yield from lay_out(statement.body, depth + 1, comments)
        other = statement.orelse
        if len(other) == 1 and isinstance(other[0], ast.If):
            statement, word = other[0], "elif"
            span = getattr(statement, "gfx_span", None)
            continue
        if other:
            yield f"{indent}else:", None
            yield from lay_out(other, depth + 1, comments)
        return


def _signature(function: ast.FunctionDef) -> str:
    bare = ast.FunctionDef(function.name, function.args, [ast.Pass()], [], None)
    text = next(line for line in text_of(bare).splitlines() if line.startswith("def "))
    return re.sub(r"(: (?:int|float|bool|str))=", r"\1 = ", text)


def _is_docstring(statement: ast.stmt, previous: ast.stmt | None, body: Sequence[ast.stmt]) -> bool:
    return (
        previous is None
        and statement is body[0]
        and isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _docstring(text: str, indent: str) -> Iterator[str]:
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    text = "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
    lines = list(_prose(text.split("\n"), COLUMNS - len(f'{indent}"""')))
    if len(lines) == 1 and len(f'{indent}"""{lines[0]}"""') <= COLUMNS:
        yield f'{indent}"""{lines[0]}"""'
        return
    yield f'{indent}"""{lines[0]}'.rstrip()
    for line in lines[1:]:
        yield f"{indent}{line}".rstrip()
    yield f'{indent}"""'


_SHOWN = (">>>", "...", "- ", "* ")
"""How lines begin that are no text: examples, and items of lists."""


def _prose(lines: Sequence[str], width: int) -> Iterator[str]:
    """Lines of a text as lines that fit, where they have words to break at. What one has no place for begins the next one, where a
    sentence goes on there."""
    rest = ""
    for at, line in enumerate(lines, 1):
        margin = _margin(line)
        line = f"{margin}{rest} {line[len(margin) :]}" if rest else line
        parts = [line]
        if len(line) > width:
            parts = textwrap.wrap(line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)
        after = lines[at] if at < len(lines) else ""
        shown = line.strip().startswith(_SHOWN) or after.strip().startswith(_SHOWN)
        goes_on = len(parts) > 1 and after.strip() and not shown and not line.endswith((".", ":", ";", "!", "?"))
        rest = parts.pop().strip() if goes_on and _margin(after).startswith(margin) else ""
        yield from parts


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
