"""A fresh copy of a definition in a smaller language.

Private names are mangled, annotations of variables dropped, `match` spelled as if/elif, handlers' names made plain variables.
Classes and async functions inside are copied as they are: their functions are converted when they are called.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from types import FunctionType

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.source import Span

from .match import Matcher
from .names import Fresh
from .parse import Definition
from .templates import assign, deep_copy, load


class Desugar:
    """Copies one definition."""

    def __init__(self, found: Definition, fresh: Fresh, fn: FunctionType) -> None:
        self.private = found.private.lstrip("_") if found.private else None
        self.root, self.fresh, self.globals = found.node, fresh, fn.__globals__
        self.file, self.name = fn.__code__.co_filename, fn.__code__.co_name
        self.handlers: dict[type, Callable] = {
            ast.Name: self.name_, ast.Attribute: self.attribute, ast.arg: self.arg, ast.FunctionDef: self.function,
            ast.AnnAssign: self.ann_assign, ast.Match: self.match, ast.ClassDef: self.as_it_is,
            ast.AsyncFunctionDef: self.as_it_is, ast.ExceptHandler: self.handler, ast.Global: self.declaration,
            ast.Nonlocal: self.declaration, ast.alias: self.alias, ast.AsyncFor: self.refuse,
            ast.AsyncWith: self.refuse, ast.Await: self.refuse, ast.comprehension: self.comprehension,
            ast.NamedExpr: self.walrus,
        }  # fmt: skip

    def copy(self, node: ast.AST) -> ast.AST:
        handler = self.handlers.get(node.__class__)
        return handler(node) if handler is not None else self.plain(node)

    def plain(self, node: ast.AST) -> ast.AST:
        new = node.__class__()
        own = new.__dict__
        own.update(node.__dict__)
        for field in node._fields:
            value = own.get(field)
            if value.__class__ is list:
                own[field] = self.block(value) if value and isinstance(value[0], ast.stmt) else self.items(value)
            elif isinstance(value, ast.AST) and value._fields:
                own[field] = self.copy(value)
        return new

    def items(self, values: list) -> list:
        return [self.copy(v) if isinstance(v, ast.AST) and v._fields else v for v in values]

    def block(self, stmts: list) -> list:
        """Statements; one may become several."""
        out: list = []
        for s in stmts:
            new = self.copy(s)
            out.extend(new) if new.__class__ is list else out.append(new)
        return out

    def mangle(self, name: str | None) -> str | None:
        if name is None:
            return None
        if name.startswith("__") and self.private and not name.endswith("__") and "." not in name:
            return f"_{self.private}{name}"
        return name

    def name_(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.mangle(node.id), node.ctx), node)

    def attribute(self, node: ast.Attribute) -> ast.Attribute:
        return ast.copy_location(ast.Attribute(self.copy(node.value), self.mangle(node.attr), node.ctx), node)

    def arg(self, node: ast.arg) -> ast.arg:
        hint = None if node.annotation is None else self.copy(node.annotation)
        return ast.copy_location(ast.arg(self.mangle(node.arg), hint), node)

    def alias(self, node: ast.alias) -> ast.alias:
        bound = node.asname or node.name
        mangled = self.mangle(bound)
        return ast.copy_location(ast.alias(node.name, mangled if node.asname or mangled != bound else None), node)

    def is_builtin(self, name: str) -> bool:
        """Is that the builtin, and nothing of the function's or the module's own?"""
        nodes = ast.walk(self.root)
        own = any(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in nodes)
        return not own and name not in self.globals and hasattr(builtins, name)

    def function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        new = self.plain(node)
        new.name, new.type_comment = self.mangle(node.name), None
        return new

    def declaration(self, node: ast.Global | ast.Nonlocal) -> ast.stmt:
        return ast.copy_location(type(node)([self.mangle(n) for n in node.names]), node)

    def ann_assign(self, node: ast.AnnAssign) -> ast.stmt:
        target = self.copy(node.target)
        if node.value is not None:
            return ast.copy_location(ast.Assign([target], self.copy(node.value)), node)
        if isinstance(target, ast.Name) and node.simple:  # a bare `x: int` makes x a local variable without a value
            new = ast.copy_location(ast.Pass(), node)
            new.binds = target.id
            return new
        return ast.copy_location(ast.Pass(), node)

    def as_it_is(self, node: ast.stmt) -> ast.stmt:
        new = deep_copy(node)
        new.name = self.mangle(node.name)
        return new

    def handler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        """`except E as e:` is spelled with a variable of ours, since Python deletes that one at the end."""
        new = self.plain(node)
        if node.name is not None:
            new.name, name = self.fresh("caught"), self.mangle(node.name)
            gone = ast.copy_location(ast.Delete([ast.copy_location(ast.Name(name, ast.Del()), node)]), node)
            gone.done = True
            new.body = [assign(name, load(new.name), node), *new.body, gone]
        return new

    def match(self, node: ast.Match) -> list:
        return Matcher(self, node).lowered()

    def comprehension(self, node: ast.comprehension) -> ast.comprehension:
        return self.refuse(node.target) if node.is_async else self.plain(node)

    def walrus(self, node: ast.NamedExpr) -> ast.NamedExpr:
        self.fresh.walrus = True
        return self.plain(node)

    def refuse(self, node: ast.AST) -> ast.AST:
        span = Span(self.file, node.lineno, self.name)
        raise UnsupportedConstruct(f"GFX cannot convert this async code in {self.name!r}", span, "Write a plain def.")
