"""Comprehensions: one loop without a filter is a map over the iterable; others keep their form, their parts hooked."""

from __future__ import annotations

import ast
from typing import ClassVar

from .boolean import Boolean
from .templates import LOAD, arguments, at, const, hook, load, store

KINDS = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}
CONSUMERS = frozenset(("sum", "any", "all", "max", "min", "list", "tuple", "set", "dict", "sorted", "len"))


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
        else:
            stack.extend(ast.iter_child_nodes(n))
    return False


class Comprehensions(Boolean):
    """Adds comprehensions and generator expressions."""

    def comprehension(self, node) -> ast.expr:
        gens = node.generators
        one = len(gens) == 1 and not gens[0].ifs and node.__class__ in KINDS
        names = structure(gens[0].target)
        if one and names is not None and not self.holds_walrus(node) and not escapes(node.elt):
            targets = stored(gens[0].target)
            starred = any(isinstance(n, ast.Starred) for n in ast.walk(gens[0].target))
            if not starred and len(set(targets)) == len(targets):
                return self.mapped(node, gens[0], names)
        return self.native(node)

    def mapped(self, node, gen: ast.comprehension, names: ast.expr) -> ast.expr:
        source = self.expr(gen.iter)
        kept, self.shadow = self.shadow, self.shadow | set(stored(gen.target))
        each = self.taking(gen.target, self.expr(node.elt), node)
        self.shadow = kept
        args = [each, source, const(KINDS[node.__class__]), names]
        return hook("gfx_map", args, node, self.left_by([node.elt], node))

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
        kept = self.shadow
        defined = set(self.defined)
        gens = []
        for g in node.generators:
            source = self.expr(g.iter)
            self.shadow = self.shadow | set(stored(g.target))
            g.iter = hook("gfx_iter", [source], g.iter)
            g.ifs = [hook("gfx_filter", [self.expr(x)], x) for x in g.ifs]
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
            node.key, node.value = self.expr(node.key), self.expr(node.value)
        else:
            node.elt = self.expr(node.elt)
        self.shadow, self.defined = kept, defined
        return node

    table: ClassVar[dict] = {
        **Boolean.table,
        **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), comprehension),
    }
