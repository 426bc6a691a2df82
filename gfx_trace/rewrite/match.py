"""`match` as if/elif on isinstance, len, equality and item access, so that the hooks see each test."""

from __future__ import annotations

import abc
import ast
import builtins
from collections.abc import Mapping, Sequence

from .templates import LOAD, any_of, assign, at, const, deep_copy, load

SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class PatternSequence(abc.ABC):  # noqa: B024  # isinstance alone asks it
    """The classes whose instances a sequence pattern takes: the test is an isinstance, which knows open shapes."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return issubclass(other, Sequence) and not issubclass(other, (str, bytes, bytearray))


def class_arg(value: object, cls: type, index: int) -> object:
    """What the positional sub-pattern `index` of a class pattern looks at."""
    if issubclass(cls, SELF_MATCHING) and "__match_args__" not in vars(cls) and index == 0:
        return value
    args = getattr(cls, "__match_args__", ())
    if index >= len(args):
        raise TypeError(f"{cls.__name__}() accepts {len(args)} positional sub-patterns ({index + 1} given)")
    return getattr(value, args[index])


def mapping_rest(value: Mapping, keys: tuple) -> dict:
    """What `**rest` of a mapping pattern binds."""
    return {k: v for k, v in value.items() if k not in keys}


# Bound in the rewritten code under these names, whatever the user's own names are.
HELPERS = {
    "gfx_isinstance": isinstance,
    "gfx_len": len,
    "gfx_list": list,
    "gfx_hasattr": hasattr,
    "gfx_Mapping": Mapping,
    "gfx_Sequence": PatternSequence,
    "gfx_class_arg": class_arg,
    "gfx_mapping_rest": mapping_rest,
}


class Matcher:
    """Lowers one match statement; `desugar` copies the user's expressions and bodies."""

    def __init__(self, desugar, node: ast.Match) -> None:
        self.desugar, self.node = desugar, node
        self.place: ast.AST = node

    def lowered(self) -> list:
        subject = self.desugar.fresh("subject")
        first = assign(subject, self.desugar.copy(self.node.subject), self.node)
        rest: list = []
        for case in reversed(self.node.cases):
            self.place = case.pattern
            binds: dict[str, ast.expr] = {}
            tests = self.tests(case.pattern, self.load(subject), binds)
            # The user's name is given, so that the value is named after it.
            stores = [at(ast.Assign([ast.Name(n, ast.Store())], e), self.place) for n, e in binds.items()]
            body = self.desugar.block(case.body)
            if case.guard is None:
                rest = self.branch(tests, stores + body, rest)
                continue
            flag = self.desugar.fresh("guard")
            guard = assign(flag, self.desugar.copy(case.guard), self.place)
            fails = [assign(flag, const(False), self.place)]
            inner = at(ast.If(any_of([flag], self.place), body, rest), self.place)
            rest = [*self.branch(tests, [*stores, guard], fails), inner]
        return [first, *rest]

    def branch(self, tests: list, body: list, rest: list) -> list:
        if not tests:
            return body
        test = tests[0] if len(tests) == 1 else at(ast.BoolOp(ast.And(), tests), self.place)
        return [at(ast.If(test, body, rest), self.place)]

    def load(self, name: str) -> ast.expr:
        return at(load(name), self.place)

    def call(self, name: str, *args: ast.expr) -> ast.expr:
        return at(ast.Call(self.load(name), [deep_copy(a) for a in args], []), self.place)

    def compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        return at(ast.Compare(deep_copy(left), [op], [deep_copy(right)]), self.place)

    def item(self, value: ast.expr, key: ast.expr) -> ast.expr:
        return at(ast.Subscript(deep_copy(value), key, LOAD), self.place)

    def const(self, value: object) -> ast.expr:
        return at(const(value), self.place)

    def tests(self, p: ast.pattern, value: ast.expr, binds: dict) -> list:
        """Tests, all of which must hold; `binds` collects what the names of the pattern stand for."""
        return getattr(self, p.__class__.__name__)(p, value, binds)

    def MatchValue(self, p, value, binds) -> list:
        return [self.compare(value, ast.Eq(), self.desugar.copy(p.value))]

    def MatchSingleton(self, p, value, binds) -> list:
        return [self.compare(value, ast.Is(), self.const(p.value))]

    def MatchAs(self, p, value, binds) -> list:
        tests = self.tests(p.pattern, value, binds) if p.pattern is not None else []
        if p.name is not None:
            binds[self.desugar.mangle(p.name)] = deep_copy(value)
        return tests

    def MatchOr(self, p, value, binds) -> list:
        sides = []
        for alternative in p.patterns:
            found: dict[str, ast.expr] = {}
            sides.append((self.tests(alternative, value, found), found))
        if any(not tests for tests, _ in sides):
            binds.update(next(found for tests, found in sides if not tests))
            return []
        both = [t[0] if len(t) == 1 else at(ast.BoolOp(ast.And(), t), self.place) for t, _ in sides]
        for name in sides[0][1]:
            chosen = sides[-1][1][name]
            for test, (_, found) in reversed(list(zip(both[:-1], sides[:-1]))):
                chosen = at(ast.IfExp(deep_copy(test), found[name], chosen), self.place)
            binds[name] = chosen
        return [at(ast.BoolOp(ast.Or(), both), self.place)]

    def MatchSequence(self, p, value, binds) -> list:
        count = len(p.patterns)
        star = next((i for i, q in enumerate(p.patterns) if isinstance(q, ast.MatchStar)), None)
        length = self.call("gfx_len", value)
        if star is None:
            size = self.compare(length, ast.Eq(), self.const(count))
        else:
            size = self.compare(length, ast.GtE(), self.const(count - 1))
        tests = [self.call("gfx_isinstance", value, self.load("gfx_Sequence")), size]
        for i, q in enumerate(p.patterns):
            if i == star:
                if q.name is not None:
                    stop = self.const(i - count + 1) if i < count - 1 else None
                    part = at(ast.Slice(self.const(i), stop, None), self.place)
                    binds[self.desugar.mangle(q.name)] = self.call("gfx_list", self.item(value, part))
                continue
            index = i if star is None or i < star else i - count
            tests += self.tests(q, self.item(value, self.const(index)), binds)
        return tests

    def MatchMapping(self, p, value, binds) -> list:
        tests = [self.call("gfx_isinstance", value, self.load("gfx_Mapping"))]
        for key, q in zip(p.keys, p.patterns):
            tests.append(self.compare(self.desugar.copy(key), ast.In(), value))
            tests += self.tests(q, self.item(value, self.desugar.copy(key)), binds)
        if p.rest is not None:
            keys = at(ast.Tuple([self.desugar.copy(k) for k in p.keys], LOAD), self.place)
            binds[self.desugar.mangle(p.rest)] = self.call("gfx_mapping_rest", value, keys)
        return tests

    def MatchClass(self, p, value, binds) -> list:
        tests = [self.call("gfx_isinstance", value, self.desugar.copy(p.cls))]
        plain = isinstance(p.cls, ast.Name) and self.desugar.is_builtin(p.cls.id)
        builtin = getattr(builtins, p.cls.id) if plain else None
        for i, q in enumerate(p.patterns):
            if builtin in SELF_MATCHING:
                part = value
            else:
                part = self.call("gfx_class_arg", value, self.desugar.copy(p.cls), self.const(i))
            tests += self.tests(q, part, binds)
        for attr, q in zip(p.kwd_attrs, p.kwd_patterns):
            attr = self.desugar.mangle(attr)
            tests.append(self.call("gfx_hasattr", value, self.const(attr)))
            tests += self.tests(q, at(ast.Attribute(deep_copy(value), attr, LOAD), self.place), binds)
        return tests
