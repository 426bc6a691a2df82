"""What the variables of a function are, and what each statement reads and writes (for liveness).

A block's summary is found once, bottom up; liveness then costs one step a statement, loops included: for a loop with
body (gen, kill) the variables live at its head are gen(test) | gen(body) | live after it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from .flow import SCOPES, TRY, falls

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True)
class Use:
    """Reads and writes of some code. `gen`: read before written; `kill`: written on every way through; `maybe`:
    by a walrus, which may not run."""

    gen: set[str] = field(default_factory=set)
    kill: set[str] = field(default_factory=set)
    assigned: dict[str, None] = field(default_factory=dict)
    maybe: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    calls: bool = False


@dataclass(slots=True)
class Variables:
    """The variables of one user function."""

    params: list[str] = field(default_factory=list)
    assigned: dict[str, None] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    written_inside: set[str] = field(default_factory=set)
    order: dict[str, int] = field(default_factory=dict)
    locals: set[str] = field(default_factory=set)
    yields: bool = False

    def close(self) -> None:
        outer = self.globals | self.nonlocals
        self.locals = (set(self.params) | set(self.assigned)) - outer
        self.written_inside &= self.locals | self.nonlocals
        for name in [*self.params, *self.assigned]:
            self.order.setdefault(name, len(self.order))


def declared(args: ast.arguments) -> list[ast.arg]:
    nodes = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return [*nodes, *filter(None, (args.vararg, args.kwarg))]


def parameters(args: ast.arguments) -> list[str]:
    return [a.arg for a in declared(args)]


def _annotations(node: ast.FunctionDef | ast.Lambda) -> list[ast.expr | None]:
    """They stand outside of the function, like its defaults: dispatch by classes asks for them."""
    return [getattr(node, "returns", None), *(a.annotation for a in declared(node.args))]


def free_names(node: ast.AST) -> tuple[set[str], set[str]]:
    """Names that a nested scope reads from, and writes to, the functions around it."""
    found = node.__dict__.get("free")
    if found is None:
        found = node.free = _free(node)
    return found


def _free(node: ast.AST) -> tuple[set[str], set[str]]:
    if isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef)):  # kept as it is: whatever it names
        reads = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return reads, {n for d in ast.walk(node) if isinstance(d, ast.Nonlocal) for n in d.names}
    own = Variables(params=parameters(node.args))
    use = Use()
    scan(node.body if isinstance(node.body, list) else [node.body], use, own)
    own.assigned.update(use.assigned)
    own.close()
    reads = (use.gen | own.captured | set(use.assigned)) - own.locals - own.globals
    if isinstance(node, ast.FunctionDef) and node.name not in own.captured:
        node.calls_itself = node.name in reads
    return reads, (own.nonlocals | own.written_inside) - own.locals


def scan(nodes: Iterable[ast.AST], use: Use, of: Variables) -> None:
    """Add the reads and writes of expressions and simple statements (of whole bodies, for a nested function)."""
    stack = list(nodes)
    stack.reverse()
    while stack:
        node = stack.pop()
        kind = node.__class__
        if kind is ast.Name:
            if node.ctx.__class__ is ast.Load:
                use.gen.add(node.id)
            else:
                use.assigned[node.id] = None
                if node.ctx.__class__ is ast.Del:  # which fails where there is nothing to delete: a read
                    use.deleted.add(node.id)
                    use.gen.add(node.id)
        elif kind is ast.Constant:
            continue
        elif kind in SPECIAL:
            stack.extend(reversed(SPECIAL[kind](node, use, of)))
        else:
            use.calls = use.calls or kind is ast.Call
            own = node.__dict__
            children: list = []
            for name in node._fields:
                value = own.get(name)
                if value.__class__ is list:
                    children += [v for v in value if isinstance(v, ast.AST)]
                elif isinstance(value, ast.AST) and value._fields:
                    children.append(value)
            stack.extend(reversed(children))


def _nested(node: ast.AST, use: Use, of: Variables) -> list:
    reads, writes = free_names(node)
    use.gen |= reads
    of.written_inside |= writes
    if not isinstance(node, ast.Lambda):
        use.assigned[node.name] = None
    itself = {node.name} if node.__dict__.get("calls_itself") else set()
    of.captured |= (reads - itself) | writes
    args = getattr(node, "args", None)
    outside = (
        [*args.defaults, *args.kw_defaults, *_annotations(node)]
        if args
        else [*node.bases, *(k.value for k in node.keywords)]
    )
    return [n for n in [*getattr(node, "decorator_list", ()), *outside] if n is not None]


def _comprehension(node: ast.AST, use: Use, of: Variables) -> list:
    """Its own scope, but for walruses; a generator may run later, so that what it reads is captured."""
    inner, own = Use(), Variables()
    first, *others = node.generators
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    scan([*elements, *first.ifs, *(x for g in others for x in [g.iter, *g.ifs])], inner, own)
    targets = Use()
    scan([g.target for g in node.generators], targets, own)
    reads = inner.gen - set(targets.assigned)
    use.gen |= reads
    use.assigned.update(inner.assigned)
    use.maybe |= inner.maybe
    use.calls = use.calls or inner.calls
    of.captured |= own.captured - set(targets.assigned)
    of.written_inside |= own.written_inside | set(inner.assigned)
    if isinstance(node, ast.GeneratorExp):
        of.captured |= reads
    return [first.iter]


def _bound(node: ast.AST, use: Use, of: Variables) -> list:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        use.assigned.update({(a.asname or a.name.split(".")[0]): None for a in node.names})
    elif isinstance(node, ast.Pass):
        use.assigned.update({n: None for n in [node.__dict__.get("binds")] if n})
    elif isinstance(node, ast.Global):
        of.globals.update(node.names)
    elif isinstance(node, ast.Nonlocal):
        of.nonlocals.update(node.names)
    return []


def _handler(node: ast.ExceptHandler, use: Use, of: Variables) -> list:
    if node.name:
        use.assigned[node.name] = None
    return [*filter(None, [node.type]), *node.body]


def _delete(node: ast.Delete, use: Use, of: Variables) -> list:
    if not node.__dict__.get("done"):
        return node.targets
    name = node.targets[0].id
    use.assigned[name] = None
    use.deleted.add(name)
    return []


def _yield(node: ast.Yield | ast.YieldFrom, use: Use, of: Variables) -> list:
    of.yields = True
    return [node.value] if node.value is not None else []


def _augmented(node: ast.AugAssign, use: Use, of: Variables) -> list:
    if isinstance(node.target, ast.Name):
        use.gen.add(node.target.id)
    return [node.target, node.value]


def _walrus(node: ast.NamedExpr, use: Use, of: Variables) -> list:
    use.assigned[node.target.id] = None
    use.maybe.add(node.target.id)
    return [node.value]


SPECIAL = {
    ast.NamedExpr: _walrus,
    **dict.fromkeys(SCOPES, _nested),
    **dict.fromkeys(COMPREHENSIONS, _comprehension),
    **dict.fromkeys((ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal), _bound),
    ast.ExceptHandler: _handler,
    ast.Delete: _delete,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.AugAssign: _augmented,
}


class Summaries:
    """Summaries of the statements of one function, after its early exits were lowered."""

    def __init__(self, of: Variables) -> None:
        self.of = of

    def block(self, stmts: list) -> Use:
        """The summary of a block: last statement first."""
        total = Use()
        uses = [self.statement(s) for s in stmts]
        for use in uses:
            total.assigned.update(use.assigned)
            total.deleted |= use.deleted
            total.calls = total.calls or use.calls
        for use in reversed(uses):
            total.gen = use.gen | (total.gen - use.kill)
            total.kill = total.kill | use.kill
        return total

    def statement(self, s: ast.stmt) -> Use:
        use = s.__dict__.get("use")
        if use is None:
            if isinstance(s, ast.If):
                use = self.if_(s)
            elif isinstance(s, (ast.While, ast.For)):
                use = self.loop(s)
            elif isinstance(s, (ast.With, *TRY)):
                use = self.protected(s)
            else:
                use = self.simple(s)
            s.use = use
        return use

    def simple(self, s: ast.stmt) -> Use:
        use = Use()
        scan([s], use, self.of)
        use.kill = set(use.assigned) - use.maybe
        return use

    def test(self, nodes: list) -> Use:
        """A summary of expressions and targets, none of which surely writes."""
        use = Use()
        scan(nodes, use, self.of)
        return use

    def if_(self, s: ast.If) -> Use:
        use = self.test([s.test])
        blocks = [self.block(s.body), self.block(s.orelse)]
        ends = [b.kill for b, stmts in zip(blocks, (s.body, s.orelse)) if falls(stmts)]
        for b in blocks:
            self.add(use, b)
        use.kill = set.intersection(*ends) if ends else set()
        return use

    def add(self, use: Use, more: Use) -> None:
        use.gen |= more.gen
        use.assigned.update(more.assigned)
        use.deleted |= more.deleted
        use.calls = use.calls or more.calls

    def loop(self, s: ast.While | ast.For) -> Use:
        body = self.block(s.body)
        use = Use()
        if isinstance(s, ast.For):
            scan([s.iter], use, self.of)
            head = Use()
            scan([s.target], head, self.of)
            targets = {n.id for n in ast.walk(s.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            s.test_use, s.targets = head, targets
            s.head = head.gen | (body.gen - targets)
        else:
            s.test_use, s.targets = self.test([s.test]), set()
            s.head = s.test_use.gen | body.gen
        s.head = s.head | set(s.__dict__.get("stop", ()))
        s.body_use = body
        for part in (s.test_use, body):
            self.add(use, Use(assigned=part.assigned, deleted=part.deleted, calls=part.calls))
        use.gen |= s.head
        if s.orelse:
            self.add(use, self.block(s.orelse))
        return use

    def protected(self, s: ast.stmt) -> Use:
        """with and try: any statement in them may be the last one that runs."""
        use = Use()
        if isinstance(s, ast.With):
            scan([n for item in s.items for n in (item.context_expr, item.optional_vars) if n], use, self.of)
            self.add(use, self.block(s.body))
            return use
        for h in s.handlers:
            if h.type is not None:
                scan([h.type], use, self.of)
            body = self.block(h.body)
            body.gen.discard(h.name)  # bound and deleted by Python, and copied at once: never live around it
            self.add(use, body)
        for part in (s.body, s.orelse, s.finalbody):
            self.add(use, self.block(part))
        return use
