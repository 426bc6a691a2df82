"""Comprehensions: one loop without a filter is a map over the iterable; others keep their form, their parts hooked.

What `sum`, `any` and `all` make of a generator expression of one loop is a fold over the iterable, with a filter or without; so is
`next` of one that filters. What takes all items of one that filters takes a list of them.
"""

from __future__ import annotations

import ast
import builtins
from typing import ClassVar

from .boolean import Boolean, only_truth
from .templates import LOAD, arguments, at, const, hook, load, store

HASHED = {ast.SetComp: "gfx_set", ast.DictComp: "gfx_dict"}
KINDS = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}
FOLDS = {"sum": 1, "next": 1, "any": 0, "all": 0}
"""What folds a generator expression, and how many arguments it takes behind that."""
CONSUMERS = frozenset(("max", "min", "list", "tuple", "set", "dict", "sorted", "len", *FOLDS))


def takes_all(name: str, call: ast.Call) -> bool:
    """Whether a builtin takes all items of a generator expression that filters or nests, its one argument, before it does anything else:
    not where it asks for keys in between."""
    gen, *more = call.args[0].generators
    between = name != "sorted" and any(keyword.arg == "key" for keyword in call.keywords)
    whole = (name == "sum" and more) or (name in CONSUMERS and name not in FOLDS and (gen.ifs or more))
    return bool(whole) and len(call.args) == 1 and not between


def folds(name: str, call: ast.Call) -> bool:
    """Whether a builtin folds the items of a generator expression, its first argument."""
    made, *more = call.args
    plain = not call.keywords and not any(isinstance(arg, ast.Starred) for arg in more)
    return plain and len(more) <= FOLDS.get(name, -1) and (name != "next" or bool(made.generators[0].ifs))


def structure(target: ast.expr) -> ast.expr | None:
    """'i', or ('i', ('a', '*b')), of an assignment target; None where it is not made of names."""
    if isinstance(target, ast.Name):
        return const(target.id)
    if isinstance(target, ast.Starred) and isinstance(target.value, ast.Name):
        return const("*" + target.value.id)
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = [structure(e) for e in target.elts]
        return None if None in parts else ast.Tuple(parts, LOAD)
    return None


def stored(target: ast.expr) -> list[str]:
    return [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def escapes(node: ast.expr) -> bool:
    """May a lambda or generator made by the element outlive it? Then all of them see the last value of the loop."""
    stack = [node]
    while stack:
        n = stack.pop()
        if isinstance(n, (ast.Lambda, ast.GeneratorExp)):
            return True
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in CONSUMERS:
            inner = [a.elt if isinstance(a, ast.GeneratorExp) else a for a in n.args]
            stack += [*inner, *(k.value for k in n.keywords)]
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Lambda):  # called where it stands
            stack += [n.func.body, *ast.iter_child_nodes(n.func.args), *n.args, *n.keywords]
        else:
            stack.extend(ast.iter_child_nodes(n))
    return False


class Comprehensions(Boolean):
    """Adds comprehensions and generator expressions."""

    def comprehension(self, node) -> ast.expr:
        gens = node.generators
        if node.__class__ in KINDS and not gens[0].ifs and self.itemwise(node):
            source = self.expr(gens[0].iter)
            each = self.of_item(gens[0].target, node.elt, node)
            args = [each, source, const(KINDS[node.__class__]), structure(gens[0].target)]
            return hook("gfx_map", args, node, self.left_by([node.elt], node))
        if isinstance(node, ast.ListComp) and self.itemwise(node):
            source = self.expr(gens[0].iter)
            each = self.of_item(gens[0].target, node.elt, node)
            args = [each, self.keeps(gens[0], node), source, structure(gens[0].target)]
            return hook("gfx_kept", args, node, self.left_by([node.elt, *gens[0].ifs], node))
        if isinstance(node, ast.ListComp) and len(gens) > 1:
            return self.of_loops(node)
        return self.native(node)

    def of_loops(self, node: ast.ListComp) -> ast.expr:
        """A list comprehension of several loops: the lists that the inner ones make, one behind the other."""
        gen, *inner = node.generators
        each = at(ast.ListComp(node.elt, inner), node)
        if not self.itemwise(at(ast.ListComp(each, [gen]), node)):
            return self.native(node)
        source = self.expr(gen.iter)
        keeps = self.keeps(gen, node) if gen.ifs else const(None)
        args = [self.of_item(gen.target, each, node), keeps, source, structure(gen.target)]
        return hook("gfx_flat", args, node, self.left_by([each, *gen.ifs], node))

    def keeps(self, gen: ast.comprehension, place: ast.AST) -> ast.expr:
        """The filters of a comprehension as a function of the item."""
        test = gen.ifs[0] if len(gen.ifs) == 1 else at(ast.BoolOp(ast.And(), gen.ifs), place)
        return self.of_item(gen.target, only_truth(test), place)

    def itemwise(self, node) -> bool:
        """One loop over names, whose parts can be functions of an item."""
        gen, *more = node.generators
        if more or gen.is_async or structure(gen.target) is None or (self.shadow and self.holds_walrus(node)):
            return False
        targets = stored(gen.target)
        starred = any(isinstance(n, ast.Starred) for n in ast.walk(gen.target))
        return not starred and len(set(targets)) == len(targets) and not any(map(escapes, (node.elt, *gen.ifs)))

    def of_item(self, target: ast.expr, part: ast.expr, place: ast.AST) -> ast.Lambda:
        """A part of a comprehension as a function of the item."""
        if self.holds_walrus(part):
            return self.taking(target, self.assigning(stored(target), part, place), place)
        kept, self.shadow = self.shadow, self.shadow | set(stored(target))
        made = self.taking(target, self.expr(part), place)
        self.shadow = kept
        return made

    def assigning(self, items: list[str], part: ast.expr, place: ast.AST) -> ast.Call:
        """A call of a local function for a part of a comprehension that assigns variables of the function, given the items."""
        targets = self.walrus_targets([part])
        for name in targets:
            self.need_bound(name)
        kept = self.defined, self.beneath
        self.defined, self.beneath = self.defined | set(items), self.beneath | set(targets)
        value, before = self.apart(lambda: self.expr(part))
        self.defined, self.beneath = kept
        name = self.fresh("item")
        body = [*before, at(ast.Return(value), place)]
        self.pre.append(self.local_function(name, arguments(items), body, place, targets))
        return at(ast.Call(load(name), [load(item) for item in items], []), place)

    def consumer(self, node: ast.Call) -> ast.expr:
        """A call; sum, any and all of a generator expression are folds."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in CONSUMERS or not node.args or not isinstance(node.args[0], ast.GeneratorExp):
            return self.call(node)
        made, *more = node.args
        own = self.is_global(name) and self.module.value(name) is getattr(builtins, name)
        if own and takes_all(name, node):
            node.args = [at(ast.ListComp(made.elt, made.generators), made)]
        if not own or not folds(name, node) or not self.itemwise(made):
            return self.call(node)
        (gen,), elt = made.generators, made.elt
        callee, source = self.load(node.func, call=True), self.expr(gen.iter)
        each: ast.expr = self.of_item(gen.target, elt, node)
        keeps = self.keeps(gen, node) if gen.ifs else const(None)
        args = [callee, source, each, keeps, structure(gen.target), *self.exprs(more)]
        return hook("gfx_fold", args, node, self.left_by([elt, *gen.ifs], node))

    def taking(self, target: ast.expr, body: ast.expr, place: ast.AST, outermost: bool = True) -> ast.Lambda:
        """A lambda of one item; nested tuples are taken apart by lambdas of their parts."""
        if isinstance(target, ast.Name):
            return at(ast.Lambda(arguments([target.id]), body), place)
        item = self.fresh("item")
        params = []
        for e in target.elts:
            if isinstance(e, ast.Name):
                params.append(e.id)
            else:
                inner = self.taking(e, body, place, False)
                params.append(inner.args.args[0].arg)
                body = inner.body
        parts: ast.expr = at(load(item), place)
        if outermost:
            parts = hook("gfx_unpack", [parts, structure(target)], place)
        inside = ast.Call(ast.Lambda(arguments(params), body), [ast.Starred(parts, LOAD)], [])
        return at(ast.Lambda(arguments([item]), at(inside, place)), place)

    def native(self, node) -> ast.expr:
        kept, beneath = self.shadow, self.beneath
        defined = set(self.defined)
        if self.holds_walrus(node):
            self.beneath = beneath | {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
        gens = []
        for g in node.generators:
            source = self.expr(g.iter)
            self.shadow = self.shadow | set(stored(g.target))
            g.iter = hook("gfx_iter", [source], g.iter)
            g.ifs = [hook("gfx_filter", [self.expr(only_truth(x))], x) for x in g.ifs]
            gens.append(g)
            names = structure(g.target)
            if names is not None and isinstance(names, ast.Tuple):
                item = self.fresh("item")
                parts = hook("gfx_unpack", [at(load(item), node), names], node)
                ifs, g_target = g.ifs, g.target
                gens[-1] = ast.comprehension(at(store(item), node), g.iter, [], 0)
                gens.append(ast.comprehension(g_target, at(ast.Tuple([parts], LOAD), node), ifs, 0))
        node.generators = gens
        if isinstance(node, ast.DictComp):
            made = at(ast.Tuple([self.expr(node.key), self.expr(node.value)], LOAD), node)
        else:
            made = node.elt = self.expr(node.elt)
        self.shadow, self.defined, self.beneath = kept, defined, beneath
        if node.__class__ in HASHED:
            return hook(HASHED[node.__class__], [at(ast.ListComp(made, gens), node)], node)
        return hook("gfx_generator", [node], node) if isinstance(node, ast.GeneratorExp) else self.made(node)

    def yield_from(self, node: ast.YieldFrom) -> ast.expr:
        node.value = hook("gfx_yield_from", [self.expr(node.value)], node.value)
        return node

    table: ClassVar[dict] = {
        **Boolean.table,
        ast.Call: consumer,
        ast.YieldFrom: yield_from,
        **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), comprehension),
    }
