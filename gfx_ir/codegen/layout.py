"""Python AST → text: astor prints expressions; lines longer than 120 columns, blank lines and comments are ours."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ..source import Span

if sys.version_info < (3, 14):
    import astor

COLUMNS = 120
_OPEN, _CLOSE = "([{", ")]}"
Line = tuple[str, Span | None]


def text_of(statement: ast.stmt) -> str:
    """A statement without blocks on one line."""
    if sys.version_info >= (3, 14):
        return ast.unparse(ast.fix_missing_locations(statement))
    return astor.to_source(statement, pretty_source=_join, pretty_string=_string).strip("\n")


def expression(node: ast.expr) -> str:
    """An expression on one line, without parentheses around it."""
    text = text_of(ast.Assign([ast.Name("_", ast.Store())], node))
    return text[4:]


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
    return next(line for line in text_of(bare).splitlines() if line.startswith("def ")).replace(": int=", ": int = ").replace(
        ": float=", ": float = ").replace(": bool=", ": bool = ").replace(": str=", ": str = ")  # fmt: skip


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
    lines = text.split("\n")
    if len(lines) == 1:
        yield f'{indent}"""{text}"""'
        return
    yield f'{indent}"""{lines[0]}'
    for line in lines[1:]:
        yield f"{indent}{line}".rstrip()
    yield f'{indent}"""'


# ------------------------------------------------------------------ long lines
def wrap(indent: str, text: str) -> list[str]:
    """A statement as lines of at most 120 columns where that can be: broken inside its brackets, the outermost first."""
    if len(indent) + len(text) <= COLUMNS:
        return [indent + text]
    pairs = _brackets(text)
    for start, end in sorted(pairs, key=lambda pair: (pair[0] - pair[1], pair[0])):
        head, inside, tail = text[: start + 1], text[start + 1 : end], text[end:]
        if len(indent) + len(head) > COLUMNS or not inside.strip():
            continue
        if len(indent) + len(tail) > COLUMNS and end - start < len(text) // 2:
            continue
        lines = [indent + head]
        deeper = indent + "    "
        if len(deeper) + len(inside) <= COLUMNS:
            lines.append(deeper + inside)
        else:
            for item in _items(inside):
                lines.extend(wrap(deeper, item))
        return lines + wrap(indent, tail)
    return [indent + text]


def _brackets(text: str) -> list[tuple[int, int]]:
    """Outermost pairs of brackets that are not within strings."""
    pairs, stack = [], []
    for at, char in _code(text):
        if char in _OPEN:
            stack.append(at)
        elif char in _CLOSE:
            start = stack.pop()
            if not stack:
                pairs.append((start, at))
    return pairs


def _items(text: str) -> list[str]:
    """The comma-separated items of what stands in a bracket, each with its comma; one item is cut at its operators."""
    cuts, depth = [], 0
    for at, char in _code(text):
        depth += (char in _OPEN) - (char in _CLOSE)
        if char == "," and not depth:
            cuts.append(at + 1)
    items = [part.strip() for part in _cut(text, cuts)]
    items = [item for item in items if item]
    if len(items) > 1 and not any(_has_top_level(item, " for ") or item.startswith("lambda") for item in items):
        if not items[-1].endswith(","):
            items[-1] += "" if items[-1].startswith("*") else ","
    return items


def _cut(text: str, cuts: Sequence[int]) -> list[str]:
    bounds = [0, *cuts, len(text)]
    return [text[a:b] for a, b in zip(bounds, bounds[1:])]


def _has_top_level(text: str, word: str) -> bool:
    return word in text


def _code(text: str) -> Iterator[tuple[int, str]]:
    """(position, character) of what stands outside of strings."""
    quote, at = "", 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif text.startswith(quote, at):
                at += len(quote) - 1
                quote = ""
        elif char in "'\"":
            quote = text[at : at + 3] if text[at : at + 3] in ("'''", '"""') else char
            at += len(quote) - 1
        else:
            yield at, char
        at += 1
