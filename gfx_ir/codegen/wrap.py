"""Long statements over several lines: broken at the outermost place first, with hanging indents."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise

COLUMNS = 110
_OPEN, _CLOSE = "([{", ")]}"
_STATEMENT = re.compile(r"return |assert |raise |if |elif |while |for [^=()]+? in |def \w+")
_ITEM = re.compile(r'\w+=(?!=)|"[^"]*": |\*{1,2}')
_STRING = re.compile(r"""(f?)(["'])((?:(?!\2)[^\\]|\\.)*)\2""")
# Operators that a line may begin with, the weakest first.
_OPERATORS = (
    (" for ",),
    (" if ", " else "),
    (" or ",),
    (" and ",),
    (" | ",),
    (" ^ ",),
    (" & ",),
    (" + ", " - "),
    (" * ", " / ", " @ ", " // ", " % "),
)


def wrap(indent: str, text: str) -> list[str]:
    """A statement as lines of at most 110 columns, where that can be."""
    if len(indent) + len(text) <= COLUMNS:
        return [indent + text]
    found = _STATEMENT.match(text)
    head = found.group() if found else _targets(text)
    if head == "assert ":
        return _assert(indent, *_items(text[len(head) :]))
    tail = ":" if text.endswith(":") else ""
    return _break(indent, head, text[len(head) : len(text) - len(tail)], tail, False)


def fitted(source: str) -> str:
    """A function's own text with its long lines broken: statements that stand on one, and lines of docstrings."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    whole = {node.lineno for node in statements if not hasattr(node, "body") and node.lineno == node.end_lineno}
    whole |= {node.lineno for node in statements if isinstance(node, ast.FunctionDef)}  # printed on one line
    lines: list[str] = []
    inside = False
    for number, line in enumerate(source.split("\n"), 1):
        prose = inside or line.lstrip().startswith('"""')
        inside ^= line.count('"""') % 2 == 1
        text = line.lstrip()
        indent = line[: len(line) - len(text)]
        if len(line) > COLUMNS and prose:
            lines += textwrap.wrap(
                text, COLUMNS, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
            )
        elif len(line) > COLUMNS and number in whole and "  #" not in text:
            lines += wrap(indent, text)
        else:
            lines.append(line)
    return "\n".join(lines)


def _targets(text: str) -> str:
    """What stands left of the value of an assignment, with its sign; "" where there is none."""
    depth = 0
    for at, char in code_of(text):
        depth += (char in _OPEN) - (char in _CLOSE)
        if char == "=" and not depth and text[at + 1] == " " and text[at - 1] not in "=<>!":
            return text[: at + 2]
    return ""


def _assert(indent: str, test: str, *message: str) -> list[str]:
    """An assert; test and message are no tuple, which would always be true."""
    head, text = "assert ", ", ".join(message)
    if message and len(indent) + len(head) + len(test) + 3 <= COLUMNS:
        return [f"{indent}{head}{test}, (", *_break(indent + "    ", "", text, "", True), f"{indent})"]
    return _break(indent, head, test, f", {text}" if message else "", False)


def _break(indent: str, head: str, value: str, tail: str, enclosed: bool) -> list[str]:
    """`head value tail` over several lines; `enclosed`: within brackets already."""
    if len(indent) + len(head) + len(value) + len(tail) <= COLUMNS:
        return [indent + head + value + tail]
    deeper = indent + "    "
    items = _items(value)
    if len(items) > 1:
        lines = [line for item in items for line in _item(deeper, item, ",")]
        return [f"{indent}{head}(", *lines, f"{indent}){tail}"]
    parts = _operands(value)
    if len(parts) > 1:
        if enclosed and not head:
            lines = [line for part in parts for line in _break(indent, "", part, "", True)]
            return [*lines[:-1], lines[-1] + tail]
        lines = [line for part in parts for line in _break(deeper, "", part, "", True)]
        return [f"{indent}{head}(", *lines, f"{indent}){tail}"]
    pieces = _pieces(value, COLUMNS - len(deeper) - len(head) - len(tail))
    if len(pieces) > 1:
        deeper = indent if enclosed else deeper
        lines = [head * enclosed + pieces[0], *pieces[1:-1], pieces[-1] + tail * enclosed]
        lines = [deeper + line for line in lines]
        return lines if enclosed else [f"{indent}{head}(", *lines, f"{indent}){tail}"]
    return _inside_brackets(indent, head, value, tail)


def _pieces(text: str, width: int) -> list[str]:
    """A string as several that Python joins, cut behind spaces outside of an f-string's braces; [text] where it is none."""
    found = _STRING.fullmatch(text)
    if found is None or "\\N{" in text:
        return [text]
    letter, quote, inside = found.groups()
    pieces, unit = [""], ""
    for word in re.findall(r"[^ ]+ *| +", inside):
        unit += word
        if letter and unit.count("{") != unit.count("}"):
            continue
        if pieces[-1] and len(letter) + 2 + len(pieces[-1]) + len(unit) > width:
            pieces.append("")
        pieces[-1] += unit
        unit = ""
    pieces[-1] += unit
    return [f"{letter}{quote}{piece}{quote}" for piece in pieces]


def _inside_brackets(indent: str, head: str, value: str, tail: str) -> list[str]:
    """One pair of brackets opened, the one with most inside."""
    pairs = _brackets(value)
    if not pairs:
        return [indent + head + value + tail]
    start, end = max(pairs, key=lambda pair: pair[1] - pair[0])
    before, inside, after = value[: start + 1], value[start + 1 : end], value[end:]
    if not inside.strip():
        return [indent + head + value + tail]
    deeper = indent + "    "
    items = _items(inside)
    if len(deeper) + len(inside) <= COLUMNS:
        lines = [deeper + inside]
    else:
        alone = len(items) == 1 and not inside.rstrip().endswith(",")
        lines = [line for item in items for line in _item(deeper, item, "" if alone else ",")]
    first = [f"{indent}{head}{before}"]
    if len(first[0]) > COLUMNS and _brackets(value[:start]):  # what is called is a call
        first = _break(indent, head, value[:start], value[start], False)
    return [*first, *lines, *_break(indent, "", after + tail, "", True)]


def _item(indent: str, item: str, comma: str) -> list[str]:
    found = _ITEM.match(item)
    head = found.group() if found else ""
    return _break(indent, head, item[len(head) :], comma, True)


def _items(text: str) -> list[str]:
    """What stands between the commas outside of brackets; a lambda or a comprehension is one item."""
    cuts, depth, targets = [], 0, False
    for at, char in code_of(text):
        depth += (char in _OPEN) - (char in _CLOSE)
        if char == " " and not depth:
            targets = text.startswith(" for ", at) or (targets and not text.startswith(" in ", at))
        if char == "," and not depth and not targets:
            cuts.append(at)
    if not cuts or text.startswith("lambda"):
        return [text.strip()]
    bounds = [-1, *cuts, len(text)]
    items = [text[a + 1 : b].strip() for a, b in pairwise(bounds)]
    return _join_lambdas([item for item in items if item])


def _join_lambdas(items: Sequence[str]) -> list[str]:
    """`lambda a, b: …` was cut at the comma of its arguments."""
    out: list[str] = []
    for item in items:
        if out and out[-1].startswith("lambda") and ":" not in out[-1]:
            out[-1] += f", {item}"
        else:
            out.append(item)
    return out


def _operands(text: str) -> list[str]:
    """The text cut before its weakest operators outside of brackets."""
    if text.startswith("lambda"):
        return [text]
    outside, depth = [], 0
    for at, char in code_of(text):
        if char == " " and not depth:
            outside.append(at)
        depth += (char in _OPEN) - (char in _CLOSE)
    for operators in _OPERATORS:
        cuts = [at for at in outside if any(text.startswith(operator, at) for operator in operators)]
        if cuts:
            bounds = [0, *cuts, len(text)]
            return [text[a:b].strip() for a, b in pairwise(bounds)]
    return [text]


def _brackets(text: str) -> list[tuple[int, int]]:
    """Outermost pairs of brackets."""
    pairs, stack = [], []
    for at, char in code_of(text):
        if char in _OPEN:
            stack.append(at)
        elif char in _CLOSE and stack:
            start = stack.pop()
            if not stack:
                pairs.append((start, at))
    return pairs


def code_of(text: str) -> Iterator[tuple[int, str]]:
    """(position, character) of what stands outside of strings."""
    quote, at = "", 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif text.startswith(quote, at):
                at, quote = at + len(quote) - 1, ""
        elif char in "'\"":
            quote = char * 3 if text.startswith(char * 3, at) else char
            at += len(quote) - 1
        else:
            yield at, char
        at += 1
