"""Statements without blocks of their own: assignments, del, assert, raise, nested definitions."""

from __future__ import annotations

import ast
from typing import ClassVar

from .boolean import only_truth
from .comprehensions import Comprehensions, stored, structure
from .templates import (
    SYMBOLS,
    assign,
    at,
    const,
    hook,
    load,
    statement,
    store,
)

SIMPLE = (ast.Name, ast.Constant)


class Statements(Comprehensions):
    """Each method takes a statement and the names live after it, and gives the statements that replace it."""

    # ---- binding

    def bind(self, target: ast.expr, value: ast.expr, place: ast.AST, plain: bool = False) -> list:
        """Give `value` (rewritten) to a target."""
        if isinstance(target, ast.Name):
            return [self.bind_name(target.id, value, place, plain)]
        if isinstance(target, (ast.Tuple, ast.List)):
            return self.unpack(target, value, place)
        if isinstance(target, ast.Starred):
            return self.bind(target.value, value, place)
        before: list = []
        if not self.simple(target.value) or not self.simple(getattr(target, "slice", None)) or self.fresh.walrus:
            if not isinstance(value, SIMPLE):  # Python evaluates the value before the object and the key
                kept = self.fresh("value")
                before, value = [assign(kept, value, place)], at(load(kept), place)
        owner = self.expr(target.value)
        if isinstance(target, ast.Attribute):
            return [*before, statement(hook("gfx_setattr", [owner, const(target.attr), value], place))]
        return [*before, statement(hook("gfx_setitem", [owner, self.key(target.slice), value], place))]

    def bind_name(self, name: str, value: ast.expr, place: ast.AST, plain: bool) -> ast.stmt:
        value = self.named(name, value, place, plain)
        self.define(name)
        return assign(name, value, place)

    def simple(self, node: ast.expr | None) -> bool:
        """Is its evaluation free of effects, so that it may happen earlier, later or twice?"""
        if isinstance(node, ast.Slice):
            return all(map(self.simple, (node.lower, node.upper, node.step)))
        if isinstance(node, ast.Tuple):
            return all(map(self.simple, node.elts))
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.operand, ast.Constant)
        return node is None or isinstance(node, SIMPLE)

    def unpack(self, target: ast.Tuple | ast.List, value: ast.expr, place: ast.AST) -> list:
        names = structure(target)
        leaves = stored(target)
        outside = self.vars.globals | self.vars.nonlocals
        if names is not None and not outside.intersection(leaves):
            new = at(ast.Assign([target], hook("gfx_unpack", [value, names], place)), place)
            for name in leaves:
                self.define(name)
            return [new, *self.rests(target, place)]
        later: list[tuple[ast.expr, str]] = []
        parts = [self.leaf(e, later) for e in target.elts]
        shape = ast.Tuple([p[1] for p in parts], ast.Load())
        new = ast.Assign([ast.Tuple([p[0] for p in parts], ast.Store())], hook("gfx_unpack", [value, shape], place))
        out = [at(new, place), *self.rests(new.targets[0], place)]
        for leaf, name in later:
            out += self.bind(leaf, at(load(name), place), place)
        return out

    def rests(self, target: ast.expr, place: ast.AST) -> list:
        """What starred names of a target get, as the list that it is: it may be of open length."""
        found = [n.value.id for n in ast.walk(target) if isinstance(n, ast.Starred) and isinstance(n.value, ast.Name)]
        return [assign(name, hook("gfx_display", [at(load(name), place)], place), place) for name in found]

    def leaf(self, target: ast.expr, later: list) -> tuple[ast.expr, ast.expr]:
        """A temporary for each part of a target (all are unpacked first, then stored in order), and its label."""
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = [self.leaf(e, later) for e in target.elts]
            return ast.Tuple([p[0] for p in parts], ast.Store()), ast.Tuple([p[1] for p in parts], ast.Load())
        if isinstance(target, ast.Starred):
            inner, label = self.leaf(target.value, later)
            return ast.Starred(inner, ast.Store()), const("*" + getattr(label, "value", "rest"))
        name = self.fresh("part")
        later.append((target, name))
        label = getattr(target, "attr", None) or getattr(target, "id", None)
        return store(name), const(label or "_")  # an item has no name of its own

    # ---- statements

    def assign(self, s: ast.Assign, live: set) -> list:
        value = self.expr(s.value)
        plain = isinstance(s.value, (ast.Constant, ast.Lambda))
        if s.__dict__.get("done"):
            name = s.targets[0].id
            self.define(name)
            return [assign(name, value, s)]
        if len(s.targets) == 1:
            if isinstance(s.value, ast.IfExp) and isinstance(s.targets[0], ast.Name) and isinstance(value, ast.Call):
                value.keywords.append(ast.keyword("name", const(s.targets[0].id)))
            return self.bind(s.targets[0], value, s, plain)
        out = []
        if not isinstance(value, ast.Constant):
            kept = self.fresh("value")
            out, value = [assign(kept, value, s)], load(kept)
        for target in s.targets:
            again = const(value.value) if isinstance(value, ast.Constant) else load(value.id)
            out += self.bind(target, at(again, s), s, plain)
        return out

    def aug_assign(self, s: ast.AugAssign, live: set) -> list:
        symbol = const(SYMBOLS[type(s.op)])
        if isinstance(s.target, ast.Name):
            old = self.load(at(load(s.target.id), s.target))
            new = hook("gfx_inplace", [symbol, old, self.expr(s.value)], s)
            return [self.bind_name(s.target.id, new, s, False)]
        out: list = []
        owner = self.once(s.target.value, out)
        if isinstance(s.target, ast.Attribute):
            where, names = [const(s.target.attr)], ("gfx_getattr", "gfx_setattr")
        else:
            where, names = [self.once(s.target.slice, out)], ("gfx_getitem", "gfx_setitem")
        old = hook(names[0], [owner(), *(w() if callable(w) else w for w in where)], s.target)
        new = hook("gfx_inplace", [symbol, old, self.expr(s.value)], s)
        return [*out, statement(hook(names[1], [owner(), *(w() if callable(w) else w for w in where), new], s))]

    def once(self, node: ast.expr, out: list):
        """A maker of expressions for a value that is evaluated one time."""
        first = self.key(node)
        if self.simple(node) and not self.fresh.walrus and isinstance(first, SIMPLE):
            return lambda: at(load(first.id) if isinstance(first, ast.Name) else const(first.value), node)
        kept = self.fresh("kept")
        out.append(assign(kept, first, node))
        return lambda: at(load(kept), node)

    def delete(self, s: ast.Delete, live: set) -> list:
        out: list = []
        targets = list(s.targets)
        while targets:
            t = targets.pop(0)
            if isinstance(t, (ast.Tuple, ast.List)):
                targets[:0] = t.elts
            elif isinstance(t, ast.Attribute):
                out.append(statement(hook("gfx_delattr", [self.expr(t.value), const(t.attr)], s)))
            elif isinstance(t, ast.Subscript):
                out.append(statement(hook("gfx_delitem", [self.expr(t.value), self.key(t.slice)], s)))
            elif t.id in self.vars.globals:
                out.append(at(ast.Delete([t]), s))
            else:
                if t.id not in self.defined and not s.__dict__.get("done"):  # it fails if there is nothing to delete
                    out.append(statement(self.load(at(load(t.id), t))))
                self.defined.discard(t.id)
                out.append(assign(t.id, hook("gfx_undefined", [const(t.id)], s), s))
        return out

    def assert_(self, s: ast.Assert, live: set) -> list:
        test = self.expr(only_truth(s.test))
        kept = set(self.defined)
        text = self.later(s.msg, "message") if s.msg is not None else const(None)
        self.defined = kept
        return [statement(hook("gfx_assert", [test, text], s))]

    def raise_(self, s: ast.Raise, live: set) -> list:
        if s.exc is not None:
            parts = [self.expr(n) for n in (s.exc, s.cause) if n is not None]
            s.exc, s.cause = hook("gfx_raise", parts, s), None
            return [s]
        return [statement(hook("gfx_raise_again", [], s)), s]

    def return_(self, s: ast.Return, live: set) -> list:
        if s.value is not None:
            s.value = self.expr(s.value)
        return [s]

    def expression(self, s: ast.Expr, live: set) -> list:
        s.value = self.expr(s.value)
        return [s]

    def import_(self, s: ast.Import | ast.ImportFrom, live: set) -> list:
        for a in s.names:
            self.define(a.asname or a.name.split(".")[0])
        return [s]

    def class_(self, s: ast.ClassDef | ast.AsyncFunctionDef, live: set) -> list:
        self.define(s.name)
        return [s]

    def as_it_is(self, s: ast.stmt, live: set) -> list:
        return [s]

    def nothing(self, s: ast.stmt, live: set) -> list:
        return []

    def function_def(self, s: ast.FunctionDef, live: set) -> list:
        out: list = []
        decorators = []
        for d in s.decorator_list:
            kept = self.fresh("decorator")
            out.append(assign(kept, self.expr(d), d))
            decorators.append((kept, d))
        s.decorator_list = []
        s.args.defaults, s.args.kw_defaults = self.exprs(s.args.defaults), self.exprs(s.args.kw_defaults)
        self.define(s.name)
        out.append(self.nested(s))
        for kept, d in reversed(decorators):
            out.append(assign(s.name, hook("gfx_call", [load(kept), load(s.name)], d), d))
        return out

    def nested(self, s: ast.FunctionDef) -> ast.FunctionDef:
        """The definition with its body rewritten."""
        raise NotImplementedError

    statements: ClassVar[dict] = {
        ast.Assign: assign, ast.AugAssign: aug_assign, ast.Delete: delete, ast.Assert: assert_, ast.Raise: raise_,
        ast.Return: return_, ast.Expr: expression, ast.Import: import_, ast.ImportFrom: import_,
        ast.ClassDef: class_, ast.AsyncFunctionDef: class_, ast.FunctionDef: function_def,
        ast.Break: as_it_is, ast.Continue: as_it_is, ast.Pass: nothing, ast.Global: nothing, ast.Nonlocal: nothing,
    }  # fmt: skip
