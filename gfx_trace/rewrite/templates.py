"""Builders of the pieces of rewritten code, and the names of the hooks that it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

HOOKS = (
    "gfx_call gfx_spread gfx_star gfx_items gfx_display gfx_set gfx_dict gfx_starstar gfx_getattr gfx_setattr gfx_delattr gfx_getitem gfx_setitem "
    "gfx_delitem gfx_undefined gfx_returned gfx_read gfx_name gfx_inplace gfx_is gfx_in gfx_not gfx_truth gfx_and gfx_or gfx_ifexp gfx_static "
    "gfx_fstr gfx_percent gfx_unpack gfx_load gfx_global_write gfx_nonlocal gfx_if gfx_if_ret gfx_while gfx_for gfx_assert gfx_raise gfx_raise_again "
    "gfx_handlers gfx_operand gfx_compared gfx_enter gfx_iter gfx_backwards gfx_filter gfx_map gfx_kept gfx_flat gfx_fold gfx_generator "
    "gfx_yield_from gfx_closing gfx_made gfx_variables"
).split()

LOAD, STORE = ast.Load(), ast.Store()
SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&",
}  # fmt: skip


def at(node: ast.AST, place: ast.AST) -> ast.AST:
    """`node`, standing where `place` stands in the user's file."""
    node.lineno, node.col_offset = place.lineno, place.col_offset
    node.end_lineno, node.end_col_offset = place.end_lineno, place.end_col_offset
    return node


def load(name: str) -> ast.Name:
    return ast.Name(name, LOAD)


def store(name: str) -> ast.Name:
    return ast.Name(name, STORE)


def const(value: object) -> ast.Constant:
    return ast.Constant(value)


def hook(name: str, args: list, place: ast.AST, keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    """A call of a hook. `done` tells the rewriter that it is not the user's call."""
    node = ast.Call(load(name), args, list(keywords))
    node.done = True
    return at(node, place)


def loads_tuple(names: Iterable[str]) -> ast.Tuple:
    return ast.Tuple([load(n) for n in names], LOAD)


def arguments(names: Iterable[str] = (), defaults: Iterable[str] = ()) -> ast.arguments:
    """Plain parameters; those of `defaults` come last and take the outer variable of their name."""
    late = list(defaults)
    return ast.arguments([], [ast.arg(n) for n in [*names, *late]], None, [], [], None, [load(n) for n in late])


def thunk(body: ast.expr) -> ast.Lambda:
    """An expression to be evaluated later, or never."""
    return ast.Lambda(arguments(), body)


def function(name: str, args: ast.arguments, body: list, place: ast.AST, outer: Iterable[str] = ()) -> ast.FunctionDef:
    """A local function standing for a block; `outer` are the variables that it assigns outside of itself."""
    outer = list(outer)
    lines = [ast.Nonlocal(outer)] if outer else []
    return at(ast.FunctionDef(name, args, lines + (body or [ast.Pass()]), [], None), place)


def assign(name: str, value: ast.expr, place: ast.AST) -> ast.Assign:
    """A plain assignment that the rewriter made."""
    node = ast.Assign([store(name)], value)
    node.done = True
    return at(node, place)


def statement(value: ast.expr) -> ast.Expr:
    return at(ast.Expr(value), value)


def any_of(names: Sequence[str], place: ast.AST) -> ast.expr:
    """The test that one of some flags is set (source form: still to be rewritten)."""
    nodes = [at(load(n), place) for n in names]
    return nodes[0] if len(nodes) == 1 else at(ast.BoolOp(ast.Or(), nodes), place)


def none_of(names: Sequence[str], place: ast.AST) -> ast.expr:
    return at(ast.UnaryOp(ast.Not(), any_of(names, place)), place)


def deep_copy(node: ast.AST) -> ast.AST:
    """A copy of the whole tree, as it is."""
    new = node.__class__()
    new.__dict__.update(node.__dict__)  # places too
    for field in node._fields:
        value = new.__dict__.get(field)
        if value.__class__ is list:
            new.__dict__[field] = [deep_copy(v) if isinstance(v, ast.AST) else v for v in value]
        elif isinstance(value, ast.AST) and value._fields:
            new.__dict__[field] = deep_copy(value)
    return new


def fill_places(root: ast.AST) -> None:
    """Give every node without a place the place of its parent (ast.fix_missing_locations, without recursion)."""
    stack: list[tuple[Any, tuple]] = [(root, (1, 0, 1, 0))]
    while stack:
        node, place = stack.pop()
        own = node.__dict__
        if "lineno" in own:
            place = own["lineno"], own["col_offset"], own["end_lineno"], own["end_col_offset"]
        elif "lineno" in node._attributes:
            own["lineno"], own["col_offset"], own["end_lineno"], own["end_col_offset"] = place
        for field in node._fields:
            value = own.get(field)
            if value.__class__ is list:
                stack += [(child, place) for child in value if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST) and value.__dict__:  # but for what says how a name is used
                stack.append((value, place))
