"""Expressions other than tests: calls, access, displays, f-strings, lambdas."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import ClassVar

from gfx_ir.probing import own_attribute

from .context import Context
from .scopes import parameters
from .templates import LOAD, at, const, hook, load


class Calls(Context):
    """Rewrites expressions. Nodes are changed in place where they stay."""

    def expr(self, node: ast.expr) -> ast.expr:
        kind = node.__class__
        if kind is ast.Constant:
            return node
        method = self.table.get(kind)
        return method(self, node) if method is not None else self.inside(node)

    def inside(self, node: ast.expr) -> ast.expr:
        """The same expression, its parts rewritten."""
        own = node.__dict__
        for name in node._fields:
            value = own.get(name)
            if value.__class__ is list:
                own[name] = self.exprs(value)
            elif isinstance(value, ast.expr):
                own[name] = self.expr(value)
        return node

    def exprs(self, nodes: list) -> list:
        return [self.expr(n) if isinstance(n, ast.expr) else n for n in nodes]

    # ---- calls

    def call(self, node: ast.Call) -> ast.expr:
        if node.__dict__.get("done"):
            return node
        func = node.func
        if self.looks_at_frames(func):
            return self.inside(node)
        if isinstance(func, ast.Name):
            special = self.frame_builtin(node, func.id) if func.id in FRAME_BUILTINS else None
            if special is not None:
                return special
            callee = self.load(func, call=True)
        else:
            callee = self.expr(func)
        args = self.exprs(node.args)
        for k in node.keywords:
            value = self.expr(k.value)
            k.value = value if k.arg is not None else hook("gfx_starstar", [value], value)
        spread = any(isinstance(arg, ast.Starred) for arg in args)
        return hook("gfx_spread" if spread else "gfx_call", [callee, *args], node, node.keywords)

    def looks_at_frames(self, func: ast.expr) -> bool:
        """A function that acts on the frame of its caller, a debugger first of all: it is called by the user's own code."""
        names = []
        while isinstance(func, ast.Attribute):
            names.append(func.attr)
            func = func.value
        if not isinstance(func, ast.Name) or not self.is_global(func.id):
            return False
        found = self.module.find(".".join([func.id, *reversed(names)]))
        return (own_attribute(found, "__module__"), own_attribute(found, "__name__")) in FRAME_FUNCTIONS

    def starred(self, node: ast.Starred) -> ast.expr:
        node.value = hook("gfx_star", [self.expr(node.value)], node)
        return node

    def display(self, node: ast.Tuple | ast.List | ast.Set) -> ast.expr:
        """A tuple, list or set; `*` in it may spread what is of open length."""
        spread = any(isinstance(item, ast.Starred) for item in node.elts)
        node.elts = self.exprs(node.elts)
        for item in node.elts if not isinstance(node, ast.Set) else ():
            if isinstance(item, ast.Starred) and isinstance(item.value, ast.Call):
                item.value.func = at(load("gfx_items"), item)
        if isinstance(node, ast.Set) and not all(isinstance(item, ast.Constant) for item in node.elts):
            return hook("gfx_set", [at(ast.List(node.elts, LOAD), node)], node)
        if spread:
            return hook("gfx_display", [node], node)
        return node if isinstance(node, ast.Tuple) else self.made(node)

    def made(self, node: ast.expr) -> ast.expr:
        """A mutable container that the code makes here."""
        return hook("gfx_made", [node], node)

    def frame_builtin(self, node: ast.Call, name: str) -> ast.expr | None:
        """Builtins that look at the frame of their caller, which a hook would change."""
        if not self.is_global(name) or self.module.value(name) is not getattr(builtins, name):
            return None
        if name == "super" and not node.args and self.first_arg:
            return hook("gfx_call", [node.func, load("__class__"), load(self.first_arg)], node)
        if name == "globals":
            return node
        if name in ("locals", "vars") and not node.args:
            return self.locals_dict(node)
        if name in ("eval", "exec") and len(node.args) == 1:
            env = hook("globals", [], node)
            return hook("gfx_call", [node.func, *self.exprs(node.args), env, self.locals_dict(node)], node)
        return None

    def locals_dict(self, node: ast.expr) -> ast.expr:
        names = [n for n in self.ordered(self.vars.locals & self.defined) if n not in self.fresh.made]
        return at(ast.Dict([const(n) for n in names], [load(n) for n in names]), node)

    def lambda_(self, node: ast.Lambda) -> ast.expr:
        if node.__dict__.get("done"):
            return node
        args = node.args
        args.defaults, args.kw_defaults = self.exprs(args.defaults), self.exprs(args.kw_defaults)
        kept = self.shadow, self.first_arg
        names = parameters(args)
        inner = {n.target.id for n in ast.walk(node.body) if isinstance(n, ast.NamedExpr)}
        self.shadow = self.shadow | {*names, *inner}
        self.first_arg = names[0] if names else ""
        node.body = self.expr(node.body)
        if args.kwarg is not None:  # the dictionary of `**` is made by the call
            parts = [hook("gfx_made", [load(args.kwarg.arg)], node), node.body]
            node.body = at(ast.Subscript(at(ast.Tuple(parts, LOAD), node), const(1), LOAD), node)
        self.shadow, self.first_arg = kept
        return node

    # ---- names, attributes, items

    def attribute(self, node: ast.Attribute) -> ast.expr:
        attrs, root = [node.attr], node.value
        while isinstance(root, ast.Attribute):
            attrs.append(root.attr)
            root = root.value
        if isinstance(root, ast.Name) and self.is_global(root.id) and root.id not in self.vars.globals:
            if self.module.static(".".join([root.id, *reversed(attrs)])):
                return node
        return hook("gfx_getattr", [self.expr(node.value), const(node.attr)], node)

    def subscript(self, node: ast.Subscript) -> ast.expr:
        return hook("gfx_getitem", [self.expr(node.value), self.key(node.slice)], node)

    def key(self, node: ast.expr) -> ast.expr:
        """What stands between the brackets."""
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            return hook("gfx_slice", [const(None) if e is None else self.expr(e) for e in ends], node)
        if isinstance(node, ast.Tuple):
            node.elts = [self.key(e) for e in node.elts]
            return node
        return self.expr(node)

    # ---- texts, displays

    def joined(self, node: ast.JoinedStr) -> ast.expr:
        return hook("gfx_fstr", [self.part(v) for v in node.values], node)

    def part(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.FormattedValue):
            return node
        spec: ast.expr = const("")
        if node.format_spec is not None:
            values = node.format_spec.values
            plain = all(isinstance(v, ast.Constant) for v in values)
            spec = const("".join(v.value for v in values)) if plain else self.joined(node.format_spec)
        letter = const(chr(node.conversion) if node.conversion > 0 else None)
        return at(ast.Tuple([self.expr(node.value), letter, spec], LOAD), node)

    def binary(self, node: ast.BinOp) -> ast.expr:
        """`"..." % x` makes a text; other operators are the operands' own. Of lists, dictionaries and sets some make others."""
        self.inside(node)
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and type(node.left.value) is str:
            return hook("gfx_percent", [node.left, node.right], node)
        joins = [const(True)] if _may_join(node) else []
        node.left, node.right = self.operand(node.left, joins), self.operand(node.right, joins)
        return node

    def operand(self, node: ast.expr, joins: Sequence[ast.expr] = ()) -> ast.expr:
        """An operand (rewritten): it may be of a class with operators of its own, and with `joins` a container."""
        if isinstance(node, ast.Constant) or not (joins or self.module.overloads):
            return node
        return hook("gfx_operand", [node, *joins], node)

    def dict_(self, node: ast.Dict) -> ast.expr:
        for i, (k, v) in enumerate(zip(node.keys, node.values)):
            if k is None:
                node.values[i] = hook("gfx_starstar", [self.expr(v)], v)
            else:
                node.keys[i], node.values[i] = self.expr(k), self.expr(v)
        if None in node.keys or all(isinstance(k, ast.Constant) for k in node.keys):
            return self.made(node)
        pairs = [at(ast.Tuple([k, v], LOAD), v) for k, v in zip(node.keys, node.values)]
        return hook("gfx_dict", [at(ast.List(pairs, LOAD), node)], node)

    def walrus(self, node: ast.NamedExpr) -> ast.expr:
        name = node.target.id
        node.value = self.named(name, self.expr(node.value), node.value)
        self.define(name)
        return node

    table: ClassVar[dict] = {
        ast.Call: call, ast.Starred: starred, ast.Lambda: lambda_, ast.Name: lambda self, n: self.load(n),
        ast.Attribute: attribute, ast.Subscript: subscript, ast.JoinedStr: joined, ast.Dict: dict_,
        ast.NamedExpr: walrus, ast.BinOp: binary, ast.Tuple: display, ast.List: display, ast.Set: display,
    }  # fmt: skip


def _may_join(node: ast.BinOp) -> bool:
    """Whether an operator may make a container of others: put lists together, repeat one, merge dictionaries, cut sets."""
    if not isinstance(node.op, (ast.Add, ast.Mult, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)):
        return False
    given = [type(part.value) for part in (node.left, node.right) if isinstance(part, ast.Constant)]
    return all(kind is int and isinstance(node.op, ast.Mult) for kind in given)


FRAME_FUNCTIONS = frozenset((
    ("builtins", "breakpoint"), ("pdb", "set_trace"), ("sys", "_getframe"), ("inspect", "currentframe"), ("inspect", "stack"),
))  # fmt: skip
FRAME_BUILTINS = frozenset(("super", "globals", "locals", "vars", "eval", "exec"))
