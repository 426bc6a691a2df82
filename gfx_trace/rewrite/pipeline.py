"""One function through all steps: copy, early exits, summaries, the walk; then the wrapping that gives it its cells."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection
from types import CodeType, FunctionType

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.source import Span

from .context import INTERNAL, Context, Frame, Module
from .control_flow import ControlFlow
from .desugar import Desugar
from .early_exit import EarlyExit
from .names import Fresh
from .parse import Definition
from .scopes import Use, declared, parameters, scan
from .templates import HOOKS, arguments, at, fill_places, function, hook, load, loads_tuple, statement, thunk

ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
HOOK_NAMES = frozenset((*HOOKS, *INTERNAL, "gfx_values"))


class Rewriter(ControlFlow):
    """Rewrites one user function, and the functions defined in it."""

    def __init__(self, module: Module, fresh: Fresh, node: ast.FunctionDef, parent: Context | None = None) -> None:
        super().__init__(module, fresh, parent)
        self.node, self.name = node, node.name

    def run(self) -> ast.FunctionDef:
        node, of = self.node, self.vars
        body, doc = node.body, []
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body, doc = (body[1:], body[:1]) if isinstance(body[0].value.value, str) else (body, [])
        everything = Use()
        scan(body, everything, of)  # code that is never reached makes variables local, too
        exits = EarlyExit(self.fresh, self.module.file, self.name)
        self.is_generator = of.yields
        body = exits.generator(body) if self.is_generator else exits.tail(body)
        of.params = parameters(node.args)
        live = self.summaries.block(body).assigned
        of.assigned = {**live, **everything.assigned}
        of.close()
        if self.is_generator:  # its blocks may be left and entered again: every variable lives on
            of.captured |= of.locals
        first = [*node.args.posonlyargs, *node.args.args]
        self.first_arg = first[0].arg if first else ""
        self.frame, self.defined = Frame(set(of.locals)), set(of.params)
        self.frame.init.update((n, None) for n in everything.assigned if n in of.locals and n not in live)
        new = self.block(body, set())
        lines = self.declarations(sorted(of.globals | of.nonlocals), node)
        lines += self.made_here(node)
        node.body = [*doc, *lines, *self.inits(self.frame, set(of.params), node), *new] or [ast.Pass()]
        return node

    def made_here(self, node: ast.FunctionDef) -> list[ast.stmt]:
        """What a call makes before its body runs, and functions in it may write: variables, and the dictionary of `**`."""
        shared, rest = self.ordered(self.vars.written_inside & self.vars.locals), node.args.kwarg
        lines = [statement(hook("gfx_variables", [thunk(loads_tuple(shared))], node))] if shared else []
        return lines if rest is None else [*lines, statement(hook("gfx_made", [load(rest.arg)], node))]

    def nested(self, s: ast.FunctionDef) -> ast.FunctionDef:
        return Rewriter(self.module, self.fresh, s, self).run()


def refuse_async(fn: FunctionType) -> None:
    code = fn.__code__
    if code.co_flags & ASYNC:
        span = Span(code.co_filename, code.co_firstlineno, code.co_name)
        what = f"GFX cannot convert this async function: {code.co_name!r}"
        raise UnsupportedConstruct(what, span, "Write a plain def.")


def rewritten(fn: FunctionType, found: Definition, module: Module) -> ast.FunctionDef:
    """The definition of `fn` that was found, rewritten: without decorators, defaults and annotations. `module` is what is around it."""
    refuse_async(fn)
    fresh = Fresh(names_of(fn.__code__))
    clash = HOOK_NAMES & fresh.used
    if clash:
        span = Span(fn.__code__.co_filename, fn.__code__.co_firstlineno, fn.__code__.co_name)
        raise UnsupportedConstruct(f"GFX keeps the name {min(clash)!r} for itself", span, "Rename the variable.")
    fresh.used.update(HOOK_NAMES)
    node = as_function(Desugar(found, fresh, fn).copy(found.node))
    return Rewriter(module, fresh, node).run()


def names_of(code: CodeType) -> set[str]:
    """Every name that the function and those in it use."""
    names = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    return names.union(*(names_of(c) for c in code.co_consts if isinstance(c, CodeType)))


def as_function(node: ast.AST) -> ast.FunctionDef:
    """The bare function; a lambda becomes one that returns its body."""
    if isinstance(node, ast.Lambda):
        back = at(ast.Return(node.body), node.body)
        node = at(ast.FunctionDef("lambda_", node.args, [back], [], None), node)
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    node.lineno, node.decorator_list = first, []  # a code object starts at its first decorator
    node.args.defaults, node.args.kw_defaults, node.returns = [], [None] * len(node.args.kwonlyargs), None
    for arg in declared(node.args):
        arg.annotation = None
    return node


def factory(node: ast.FunctionDef, free: Collection[str]) -> ast.Module:
    """A module with one function around `node`, whose parameters are the hooks and the variables of its closure."""
    own = [] if node.name in free else [ast.Global([node.name])]  # or it would find itself there, not in its module
    outer = function("factory", arguments([*HOOKS, *INTERNAL, *free]), [*own, node], node)
    tree = ast.Module([outer], [])
    fill_places(tree)
    return tree
