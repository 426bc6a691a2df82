"""if, while, for, with and try: blocks become local functions that the hooks call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import ClassVar

from .boolean import only_truth
from .comprehensions import structure
from .context import Frame
from .flow import falls, yields
from .scope_names import own
from .scopes import Use
from .statements import Statements
from .templates import (
    LOAD,
    any_of,
    arguments,
    assign,
    at,
    const,
    deep_copy,
    hook,
    load,
    statement,
    store,
    thunk,
)  # fmt: skip

_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)


class ControlFlow(Statements):
    """Adds blocks. `live`: names that may be read after a statement."""

    def block(self, stmts: list, live: set) -> list:
        lives = []
        for s in reversed(stmts):
            lives.append(live)
            use = self.summaries.statement(s)
            live = use.gen | (live - use.kill) if falls(s) else use.gen
        kept, out = self.pre, []
        for s in stmts:
            self.pre = []
            new = self.statements[s.__class__](self, s, lives.pop())
            out += self.pre
            out += new
        self.pre = kept
        return out

    def shared(self, assigned: Iterable[str], live: set) -> list[str]:
        """Which of the assigned variables outlive the block (in order): they belong to the function around it."""
        of = self.vars
        keep = live | of.captured | self.kept_live | of.nonlocals
        return self.ordered(n for n in assigned if n in keep and n not in of.globals)

    def assigned(self, use: Use) -> dict[str, None]:
        """What a block may assign, itself or through local functions that it calls."""
        return {**use.assigned, **dict.fromkeys(self.vars.written_inside)} if use.calls else {**use.assigned}

    def generated(self, name: str, place: ast.AST, use, names: list, fill: Callable, params: Iterable = ()):
        """A local function for a block. Variables that it assigns are its own unless in `names`; those that it reads
        first arrive as defaults."""
        outside = self.vars.globals | self.vars.nonlocals | set(names)
        own = {n for n in use.assigned if n not in outside}
        carried = self.ordered(n for n in own if n in use.gen and n not in params)
        for n in carried:
            self.need_bound(n)
        kept_frame, before = self.frame, self.defined
        self.frame = Frame(own | set(params), self.frame)
        self.defined = before - (own - set(carried))
        body = fill()
        after = self.defined
        head = self.inits(self.frame, {*params, *carried}, place)
        self.frame, self.defined = kept_frame, before
        outer = [n for n in self.ordered(use.assigned) if n not in own]
        made = self.local_function(name, arguments(params, carried), head + body, place, outer)
        return made, after

    # ---- if

    def if_(self, s: ast.If, live: set) -> list:
        if s.__dict__.get("native"):
            return self.native_if(s, live)
        test = self.expr(only_truth(s.test))
        if self.holds_walrus(s.test):
            kept = self.fresh("test")
            self.pre.append(assign(kept, test, s))
            test = at(load(kept), s)
        live = set() if s.__dict__.get("returns", False) else live
        names = self.shared(self.assigned(s.use), live)
        with self.fresh.lent("then", "else", "set") as lent:
            return self._if(s, test, live, names, lent)

    def _if(self, s: ast.If, test: ast.expr, live: set, names: list, lent: list[str]) -> list:
        returns = s.__dict__.get("returns", False)
        then, orelse, setter = lent
        out, access = self.access(names, setter, s)
        before = set(self.defined)
        made, ends = [], []
        for name, stmts in ((then, s.body), (orelse, s.orelse)):
            if not stmts and name is orelse:
                ends.append(before)
                continue
            use = self.summaries.block(stmts)
            side, after = self.generated(name, s, use, names, lambda part=stmts: self.block(part, live))
            made.append(side)
            if falls(stmts):
                ends.append(after)
        self.defined = (before - set(names)) | (set.intersection(*ends) & set(names) if ends else before)
        args = [test, load(then), load(orelse) if s.orelse else const(None), *access]
        call = hook("gfx_if_ret" if returns else "gfx_if", args, s)
        return [*out, *made, at(ast.Return(call), s) if returns else statement(call)]

    # ---- loops

    def stop(self, s: ast.stmt) -> ast.expr:
        """What ends a loop from within: a test, the flags that it asks, and the variables of what is returned then."""
        flags = s.__dict__.get("stop")
        if not flags:
            return const(None)
        parts = [thunk(self.expr(any_of(flags, s))), self.labelled(flags), self.labelled(s.returned)]
        return at(ast.Tuple(parts, ast.Load()), s)

    def while_(self, s: ast.While, live: set) -> list:
        if s.__dict__.get("native"):
            return self.native_loop(s, live)
        with self.fresh.lent("body", "test", "set") as lent:
            return self._while(s, live, lent)

    def _while(self, s: ast.While, live: set, lent: list[str]) -> list:
        body_name, test_name, setter = lent
        head = s.head | live
        names = self.shared(self.assigned(s.use), head | set(s.test_use.assigned))
        out, access = self.access(names, setter, s)
        before = self.defined - s.use.deleted
        self.defined = set(before)
        test, hoisted = self.apart(lambda: self.expr(only_truth(s.test)))
        if hoisted or s.test_use.assigned:
            lines = [*hoisted, at(ast.Return(test), s.test)]
            out.append(self.local_function(test_name, arguments(), lines, s.test, s.test_use.assigned))
            test = load(test_name)
        else:
            test = at(thunk(test), s.test)
        after = set(self.defined)
        body, _ = self.generated(body_name, s, s.body_use, names, lambda: self.block(s.body, head))
        self.defined = after
        seen = self.shared(s.test_use.assigned, live)
        inner = [n for n in s.test_use.assigned if n not in seen and n not in self.vars.globals]
        keywords = [ast.keyword("inner", value=self.labelled(inner))] if inner else []
        call = hook("gfx_while", [test, load(body_name), *access, self.stop(s)], s, keywords)
        return [*out, body, statement(call)]

    def for_(self, s: ast.For, live: set) -> list:
        if s.__dict__.get("native"):
            return self.native_loop(s, live)
        backwards = _is_backwards(s.iter)
        source = self.expr(s.iter)
        if backwards and isinstance(source, ast.Call):  # which nothing but the loop takes
            source = hook("gfx_backwards", source.args, source)
        with self.fresh.lent("body", "set") as lent:
            return self._for(s, source, live, lent)

    def _for(self, s: ast.For, source: ast.expr, live: set, lent: list[str]) -> list:
        body_name, setter = lent
        head = s.head | live
        names = self.shared(self.assigned(s.use), head)
        out, access = self.access(names, setter, s)
        self.defined = self.defined - s.use.deleted
        target = s.target
        direct = isinstance(target, ast.Name) and target.id not in names and target.id in self.vars.locals
        item = target.id if direct else self.fresh("item")
        use = self.loop_use(s)

        def fill() -> list:
            if direct:
                self.define(item)
                return self.block(s.body, head)
            value = at(load(item), target)
            plain = isinstance(target, ast.Name)
            return [*self.hoisting(lambda: self.bind(target, value, target, plain)), *self.block(s.body, head)]

        body, _ = self.generated(body_name, s, use, names, fill, [item])
        label = structure(target) or self.labels(target)
        call = hook("gfx_for", [source, load(body_name), *access, self.stop(s), label], s)
        return [*out, body, statement(call)]

    def loop_use(self, s: ast.For):
        """The summary of a loop's target and body together."""
        use = self.summaries.block(s.body)
        use.gen = (use.gen - s.targets) | s.test_use.gen
        use.assigned = {**s.test_use.assigned, **use.assigned}
        return use

    def hoisting(self, make: Callable[[], list]) -> list:
        new, before = self.apart(make)
        return before + new

    def labels(self, target: ast.expr) -> ast.expr:
        """What to call the parts of a target that is not made of names alone."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return ast.Tuple([self.labels(e) for e in target.elts], ast.Load())
        name = getattr(target, "attr", None) or getattr(target, "id", None)
        return const(name or getattr(getattr(target, "value", None), "id", "item"))

    # ---- with, try

    def with_(self, s: ast.With, live: set) -> list:
        before: list = []
        for item in s.items:
            item.context_expr = hook("gfx_enter", [self.expr(item.context_expr)], item.context_expr)
            if item.optional_vars is None:
                continue
            target, item.optional_vars = item.optional_vars, None
            if isinstance(target, ast.Name) and target.id not in self.vars.globals | self.vars.nonlocals:
                item.optional_vars = target
                self.define(target.id)
                continue
            kept = self.fresh("entered")
            item.optional_vars = store(kept)
            before += self.hoisting(lambda t=target, k=kept: self.bind(t, at(load(k), t), t))
        entered = set(self.defined)
        s.body = [*self.closing(s), *before, *self.protected(s.body, live, live)] or [ast.Pass()]
        self.defined = entered - s.use.deleted
        return [s]

    def protected(self, stmts: list, live: set, kept_live: set) -> list:
        """A block that an exception may leave anywhere: `kept_live` is read then."""
        kept, self.kept_live = self.kept_live, self.kept_live | kept_live
        out = self.block(stmts, live)
        self.kept_live = kept
        return out

    def closing(self, s: ast.With | ast.Try, *caught: ast.expr) -> list:
        """What a block with a `yield` begins with, of which code runs where the generator is closed in it."""
        return [at(ast.Expr(hook("gfx_closing", [*caught], s)), s)] if self.is_generator and yields(s) else []

    def try_(self, s: ast.Try, live: set) -> list:
        block = self.summaries.block
        last = block(s.finalbody)
        end = last.gen | live
        handled = set().union(*(block(h.body).gen for h in s.handlers)) | end
        before = set(self.defined)
        clean = before - s.use.deleted
        closing = self.closing(s, *([] if s.finalbody else [self.caught(s)]))
        body = [*closing, *self.protected(s.body, block(s.orelse).gen | end, handled)]
        orelse = self.protected(s.orelse, end, end)
        ends = [self.defined] if falls(s.body) and falls(s.orelse) else []
        clauses: list = []
        if s.handlers and not (self.is_generator and s.__dict__.get("native")):
            taking = []
            for h in s.handlers:
                self.defined = set(clean)
                clauses += (made := self.raising_clause(h))
                taking.append(load(made[0].name) if made else const(None))
            item = ast.withitem(hook("gfx_handlers", [self.caught(s), at(ast.Tuple(taking, LOAD), s)], s), None)
            body = [at(ast.With([item], body or [ast.Pass()]), s)]
        for h in s.handlers:
            self.defined = set(clean)
            goes_on = falls(h.body)
            h.body = self.protected(h.body, end, end) or [ast.Pass()]
            if goes_on:
                ends.append(self.defined)
        self.defined = set(clean)
        s.finalbody = s.finalbody and (self.block(s.finalbody, live) or [ast.Pass()])
        added = self.defined - clean
        self.defined = (set.intersection(*ends) if ends else clean) - (last.deleted - self.defined) | added
        s.body, s.orelse = body or [ast.Pass()], orelse
        if s.handlers and isinstance(s, ast.Try):  # a refusal is not for the user's own clauses to catch
            s.handlers.insert(0, at(ast.ExceptHandler(load("gfx_Error"), None, [at(ast.Raise(), s)]), s))
        return [*clauses, s]

    def raising_clause(self, h: ast.ExceptHandler) -> list:
        """An except clause that ends with a raise in any case, as a function of what it takes: where a test decides whether there is
        an error, it is run on that side. None where it does anything else, or reads a variable before it assigns it."""
        use = self.summaries.block(h.body)
        taken = h.name or self.fresh("error")
        inside = [n for s in h.body for n in (s, *own(s))]
        if (
            falls(h.body)
            or any(isinstance(n, _LEAVES) for n in inside)
            or not self.vars.nonlocals.isdisjoint(use.assigned)
            or not self.vars.globals.isdisjoint(use.assigned)
            or any(name in use.gen and name != taken for name in use.assigned)
        ):
            return []
        name, body = self.fresh("clause"), [deep_copy(statement) for statement in h.body]
        kept, self.kept_live = self.kept_live, set()
        made, _ = self.generated(name, h, use, [], lambda: self.block(body, set()), [taken])
        self.kept_live = kept
        return [made]

    @staticmethod
    def caught(s: ast.Try) -> ast.Lambda:
        """What the clauses of a `try` catch, to be asked for where something is raised."""
        kinds = [deep_copy(h.type) if h.type is not None else load("BaseException") for h in s.handlers]
        return thunk(at(ast.Tuple(kinds, LOAD), s))

    # ---- in generators: what holds a yield

    def native_if(self, s: ast.If, live: set) -> list:
        s.test = hook("gfx_static", [self.expr(s.test), const("yield")], s.test)
        before, ends = self.defined, []
        for part in ("body", "orelse"):
            stmts = getattr(s, part)
            self.defined = set(before)
            setattr(s, part, self.block(stmts, live) or ([ast.Pass()] if part == "body" else []))
            if falls(stmts):
                ends.append(self.defined)
        self.defined = set.intersection(*ends) if ends else before
        return [s]

    def native_loop(self, s: ast.While | ast.For, live: set) -> list:
        head: list = []
        if isinstance(s, ast.For):
            s.iter = hook("gfx_iter", [self.expr(s.iter)], s.iter)
        before = self.defined = self.defined - s.use.deleted
        if isinstance(s, ast.For):
            item = self.fresh("item")
            target, s.target = s.target, store(item)
            self.defined = set(before)
            plain = isinstance(target, ast.Name)
            head = self.hoisting(lambda: self.bind(target, at(load(item), target), target, plain))
        else:
            test, hoisted = self.apart(lambda: self.expr(s.test))
            s.test = hook("gfx_static", [test, const("yield")], s.test)
            self.pre += hoisted
        after_test = set(self.defined) if isinstance(s, ast.While) else set(before)
        s.body = [*head, *self.block(s.body, live)] or [ast.Pass()]
        self.defined = set(after_test)
        s.orelse = self.block(s.orelse, live)
        self.defined = after_test
        return [s]

    statements: ClassVar[dict] = {
        **Statements.statements,
        ast.If: if_, ast.While: while_, ast.For: for_, ast.With: with_, ast.Try: try_, ast.TryStar: try_,
    }  # fmt: skip


def _is_backwards(source: ast.expr) -> bool:
    """Whether an expression is `reversed(x)`, whatever that stands for."""
    named = isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == reversed.__name__
    return named and len(source.args) == 1 and not source.keywords and not isinstance(source.args[0], ast.Starred)
