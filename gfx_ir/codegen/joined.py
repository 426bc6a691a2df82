"""Statements that are one: what their author assigned at once, and a list that a comprehension makes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from .constants import names_in
from .layout import expression, text_of
from .wrap import COLUMNS

_INDENT = 4
Names = frozenset[str]


def join(body: Sequence[ast.stmt], depth: int = 1, later: Names = frozenset()) -> list[ast.stmt]:
    """The statements of a block, and of the blocks in it, with those joined that are one; `depth`: how far it is indented, `later`:
    what is read behind it."""
    out: list[ast.stmt] = []
    for statement, behind in zip(body, _read_behind(body, later)):
        within = behind
        if isinstance(statement, (ast.For, ast.While)):  # behind a trip stands the next one
            within |= _read(statement, behind)
        for field in ("body", "orelse"):
            if getattr(statement, field, None):
                setattr(statement, field, join(getattr(statement, field), depth + 1, within))
        made = _together(out[-1], statement, COLUMNS - depth * _INDENT, behind) if out else None
        if made is not None:
            out[-1] = made
        else:
            out.append(statement)
    return out


def _read_behind(body: Sequence[ast.stmt], later: Names) -> list[Names]:
    """For each statement of a block the names that are read behind it, as it leaves them (live variables)."""
    found = [later]
    for statement in reversed(body[1:]):
        found.append(_read(statement, found[-1]))
    return found[::-1]


def _read(statement: ast.stmt, later: Names) -> Names:
    """The names that a statement, or what stands behind it, reads as they were before."""
    if isinstance(statement, (ast.For, ast.While, ast.If)):
        head = statement.iter if isinstance(statement, ast.For) else statement.test
        live = later | _first_read(statement.body, later) | _first_read(statement.orelse, later)
        return live | names_in(head)
    if isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets):
        return (later - names_in(*statement.targets)) | names_in(statement.value)
    return later | _names(statement)


def _names(statement: ast.AST) -> set[str]:
    """The names in a statement. Those in a function are kept with it, as each of those that it stands in asks for them."""
    found = getattr(statement, "gfx_names", None)
    if found is None:
        found, parts = set(), [*ast.iter_child_nodes(statement)]
        for part in parts:
            if isinstance(part, ast.Name):
                found.add(part.id)
            elif isinstance(part, ast.FunctionDef):
                found |= _names(part)
            else:
                parts += ast.iter_child_nodes(part)
        if isinstance(statement, ast.FunctionDef):
            statement.gfx_names = found  # type: ignore[attr-defined]
    return found


def _first_read(body: Sequence[ast.stmt], later: Names) -> Names:
    """The names that a block, or what stands behind it, reads as they were before."""
    return _read(body[0], _read_behind(body, later)[0]) if body else later


def _together(first: ast.stmt, second: ast.stmt, width: int, behind: Names) -> ast.stmt | None:
    """Both statements as one on a line, None where they stay two."""
    if not isinstance(first, ast.Assign):
        return None
    if _read_once(first, second, width, behind):
        return second
    made = _comprehension(first, second) or _at_once(first, second)
    return made if made is not None and len(text_of(made)) <= width else None


# ---------------------------------------------------------------- a, b = x, y
def _at_once(first: ast.Assign, second: ast.stmt) -> ast.Assign | None:
    """`a = x` and `b = y` as one assignment, where its author's is one of `a, b, …`."""
    if not isinstance(second, ast.Assign):
        return None
    span = getattr(first, "gfx_span", None)
    if span is None or "," not in span.text:
        return None
    targets, values = _parts(first.targets[0]), _parts(first.value)
    names = names_in(*targets)
    if len(targets) != len(values) or type(second.targets[0]) is ast.Tuple or names_in(second.value) & names:
        return None
    wanted = _assigned_in(span.text)
    targets = [*targets, second.targets[0]]
    if len(targets) > len(wanted) or [ast.dump(target) for target in targets] != wanted[: len(targets)]:
        return None
    made = ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple([*values, second.value], ast.Load()))
    made.gfx_span = span  # type: ignore[attr-defined]
    return made


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _assigned_in(text: str) -> list[str]:
    """The targets of the tuple that the author's line of a statement assigns, if it does."""
    try:
        line = ast.parse(text).body[0]
    except SyntaxError:  # one line of several
        return []
    if not isinstance(line, ast.Assign) or type(line.targets[0]) is not ast.Tuple or type(line.value) is not ast.Tuple:
        return []
    return [ast.dump(target) for target in line.targets[0].elts]


# ---------------------------------------------------------------- [… for row in rows]
def _comprehension(empty: ast.Assign, loop: ast.stmt) -> ast.Assign | None:
    """`outs = []` and a loop that does nothing but append to it."""
    if not isinstance(loop, ast.For):
        return None
    target, step = empty.targets[0], loop.body[0]
    if not isinstance(target, ast.Name) or not isinstance(empty.value, ast.List) or empty.value.elts:
        return None
    if len(loop.body) > 1 or loop.orelse or not isinstance(step, ast.Expr) or not isinstance(step.value, ast.Call):
        return None
    appended, function = step.value.args, step.value.func
    if not isinstance(function, ast.Attribute) or function.attr != "append" or len(appended) != 1:
        return None
    if not isinstance(function.value, ast.Name) or function.value.id != target.id:
        return None
    inside = [node for part in (loop.iter, appended[0]) for node in ast.walk(part)]
    if target.id in names_in(appended[0]) | names_in(loop.iter) or any(isinstance(n, ast.NamedExpr) for n in inside):
        return None
    each = ast.comprehension(loop.target, loop.iter, [], 0)
    made = ast.Assign(empty.targets, ast.ListComp(appended[0], [each]))
    made.gfx_span = getattr(loop, "gfx_span", None)  # type: ignore[attr-defined]
    return made


def _read_once(first: ast.Assign, second: ast.stmt, width: int, behind: Names) -> bool:
    """Put the comprehension in the place where the second statement reads its list, if it fits, and nothing else reads it."""
    if not isinstance(first.value, ast.ListComp):
        return False
    where: Any = second.test if isinstance(second, ast.If) else second
    if isinstance(second, (ast.For, ast.While, ast.FunctionDef)):
        return False
    text = ast.unparse(first.targets[0])
    if isinstance(second, ast.If):
        behind = behind | _first_read(second.body, behind) | _first_read(second.orelse, behind)
    if text in behind and not _assigns(second, text):
        return False
    reads = [node for node in ast.walk(where) if isinstance(node, ast.Name) and node.id == text]
    if [type(node.ctx) for node in reads if isinstance(node.ctx, ast.Load)] != [ast.Load]:
        return False
    before = expression(where) if isinstance(where, ast.expr) else text_of(where)
    if len(before) - len(text) + len(expression(first.value)) > width:
        return False
    put = _Put(text, first.value)
    if isinstance(second, ast.If):  # what its blocks call so is another list
        second.test = put.visit(second.test)
    else:
        put.visit(second)
    return True


def _assigns(statement: ast.stmt, text: str) -> bool:
    """Whether a statement gives a name to something else, as of `outs = stack(outs)`."""
    return isinstance(statement, ast.Assign) and text in names_in(*statement.targets)


class _Put(ast.NodeTransformer):
    """An expression in the place of a name."""

    def __init__(self, text: str, value: ast.expr) -> None:
        self.text, self.value = text, value

    def visit_Name(self, node: ast.Name) -> Any:
        return self.value if node.id == self.text and isinstance(node.ctx, ast.Load) else node
