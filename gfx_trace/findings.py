"""Questions about a place in a function's syntax, asked before anything runs. Each answers False, True, or a name."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .called import called_name
from .calls import foreign, lifted_by
from .conversion import enterable
from .flavour import loaded_frameworks

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_TESTS = (ast.If, ast.While, ast.For, ast.Match)
_LOOPS = (ast.While, ast.For)
_BLOCKS = ("body", "orelse", "cases")
_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
_NUMBERS = ("int", "float", "bool")
_UNKNOWN = object()
Answer = Callable[["Place"], "bool | str"]


@dataclass(frozen=True, slots=True)
class Place:
    """A node, and the nodes around it with the field of each that leads to it, outermost first."""

    node: Any
    around: tuple[tuple[ast.AST, str], ...]
    fn: types.FunctionType

    @property
    def scope(self) -> ast.AST:
        """The function that the node is in."""
        return next((n for n, _ in reversed(self.around) if isinstance(n, _SCOPES)), self.node)

    def blocks(self) -> Iterator[tuple[ast.AST, str]]:
        """The compound statements of its own function around it, innermost first."""
        for node, part in reversed(self.around):
            if isinstance(node, _SCOPES):
                return
            yield node, part

    def within(self, kinds: tuple[type, ...], parts: tuple[str, ...] = _BLOCKS) -> bool:
        """Whether it stands in a block of such a statement."""
        return any(isinstance(n, kinds) and part in parts for n, part in self.blocks())

    def meaning(self, node: ast.AST) -> Any:
        """What `a` or `a.b.c` stands for now, where a variable of the function's own does not hide it; else unknown."""
        attrs = []
        while isinstance(node, ast.Attribute):
            attrs.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.fn.__code__.co_varnames + self.fn.__code__.co_cellvars:
            return _UNKNOWN
        found = self._free(node.id)
        for attr in reversed(attrs):
            found = vars(found).get(attr, _UNKNOWN) if isinstance(found, (types.ModuleType, type)) else _UNKNOWN
        return found

    def _free(self, name: str) -> Any:
        code = self.fn.__code__
        if name in code.co_freevars:
            cell = (self.fn.__closure__ or ())[code.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:  # not yet assigned
                return _UNKNOWN
        return self.fn.__globals__.get(name, getattr(builtins, name, _UNKNOWN))


# ---------------------------------------------------------------------- statements
def entered_async(place: Place) -> bool:
    """The function itself is async, not one in it."""
    return not place.around


def own(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a node, without the functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES):
            yield from own(child)


def around_yield(place: Place) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own(place.node))


def over_fixed_container(place: Place) -> bool:
    """`for` over a display, a text, or the items of a dictionary."""
    source = place.node.iter
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        return source.func.attr in ("items", "keys") and not source.args
    return isinstance(source, (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.Constant))


def over_range(place: Place) -> bool:
    source = place.node.iter
    return isinstance(source, ast.Call) and place.meaning(source.func) is range


def early(place: Place) -> bool:
    """A return that other statements may follow."""
    return any(isinstance(n, (*_TESTS, ast.Try, ast.TryStar)) for n, _ in place.blocks())


def jumps_from_finally(place: Place) -> bool | str:
    jumps = any(_jumps(s, False) for s in place.node.finalbody)
    return jumps and getattr(place.scope, "name", "lambda")


def _jumps(node: ast.AST, in_loop: bool) -> bool:
    if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not in_loop):
        return True
    if isinstance(node, _SCOPES):
        return False
    inner = in_loop or isinstance(node, _LOOPS)
    return any(_jumps(child, inner) for child in ast.iter_child_nodes(node))


def has_handlers(place: Place) -> bool:
    return bool(place.node.handlers)


def under_test(place: Place) -> bool:
    return place.within(_TESTS)


def raise_in_try(place: Place) -> bool:
    tried = any(isinstance(n, (ast.Try, ast.TryStar)) and n.handlers and part == "body" for n, part in place.blocks())
    return tried and under_test(place)


def writes_global(place: Place) -> bool | str:
    declared = {name for n in own(place.scope) if isinstance(n, ast.Global) for name in n.names}
    return next((name for name in _assigned([place.node]) if name in declared), False)


def _targets(node: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def stores(kind: type[ast.expr]) -> Answer:
    """Whether an assignment writes to an item, or to an attribute."""
    return lambda place: any(isinstance(n, kind) and isinstance(n.ctx, ast.Store)  # type: ignore[attr-defined]
                             for target in _targets(place.node) for n in ast.walk(target))  # fmt: skip


def starred_target(place: Place) -> bool:
    return any(isinstance(n, ast.Starred) for target in place.node.targets for n in ast.walk(target))


# ---------------------------------------------------------------------- variables
def _assigned(nodes: list) -> list[str]:
    """Names that some statements assign, in order."""
    found = [n for s in nodes for n in (s, *own(s)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(n.id for n in found))


def _before(place: Place) -> set[str]:
    """Names with a value when the statement begins: arguments, and what earlier lines or the loops around it assign."""
    scope, line = place.scope, place.node.lineno
    names = {n.arg for n in ast.walk(scope.args) if isinstance(n, ast.arg)} if hasattr(scope, "args") else set()
    stores_ = [n for n in own(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return names | {n.id for n in stores_ if n.lineno < line}


def _read_after(place: Place) -> set[str]:
    end = place.node.end_lineno
    return {n.id for n in ast.walk(place.scope) if isinstance(n, ast.Name) and _loads(n) and n.lineno > end}


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, (ast.Load, ast.Del))


def _goes_on(stmts: list) -> bool:
    return not stmts or not isinstance(stmts[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue))


def one_branch(place: Place) -> bool | str:
    """A variable that one side of an if defines, and that is read behind it."""
    body, orelse = place.node.body, place.node.orelse
    if not (_goes_on(body) and _goes_on(orelse)):
        return False
    one = set(_assigned(body)) ^ set(_assigned(orelse))
    return next(iter(sorted(one & _read_after(place) - _before(place))), False)


def kinds_differ(place: Place) -> bool | str:
    """A variable that is None, a text or a function in one side only, and that is read behind the if."""
    sides = [_plain_kinds(part) for part in (place.node.body, place.node.orelse)]
    names = [n for n in {**sides[0], **sides[1]} if sides[0].get(n) != sides[1].get(n)]
    known = _before(place) | (set(_assigned(place.node.body)) & set(_assigned(place.node.orelse)))
    return next((n for n in names if n in known and n in _read_after(place)), False)


def _plain_kinds(stmts: list) -> dict[str, type]:
    """Names that the statements of a block leave as None, a text or a function."""
    kinds: dict[str, type] = {}
    for s in stmts:
        for name in _assigned([s]):
            kinds.pop(name, None)
        value = s.value if isinstance(s, ast.Assign) else None
        plain = isinstance(value, ast.Lambda) or (
            isinstance(value, ast.Constant) and isinstance(value.value, (str, type(None)))
        )
        if plain and isinstance(s.targets[0], ast.Name):
            kinds[s.targets[0].id] = type(value.value) if isinstance(value, ast.Constant) else types.FunctionType
    return kinds


def none_before(place: Place) -> bool | str:
    """A variable that is None when a loop begins, and that the loop assigns."""
    line = place.node.lineno
    earlier = [s for s in own(place.scope) if isinstance(s, ast.Assign) and s.lineno < line]
    kinds = _plain_kinds(sorted(earlier, key=lambda s: s.lineno))
    return next((n for n in _assigned(place.node.body) if kinds.get(n) is type(None)), False)


def of_loop(place: Place) -> bool | str:
    """A variable that only a loop defines, read behind it."""
    made = _assigned(place.node.body) + (_assigned([place.node.target]) if isinstance(place.node, ast.For) else [])
    after, before = _read_after(place), _before(place)
    return next((n for n in made if n in after and n not in before), False)


def compares(*kinds: type[ast.cmpop]) -> Answer:
    return lambda place: isinstance(place.node.ops[0], kinds)


# ---------------------------------------------------------------------- calls
def calls(*names: str) -> Answer:
    """Whether a builtin of these names is called; which one."""

    def answer(place: Place) -> bool | str:
        name = getattr(place.node.func, "id", None)
        return name if name in names and place.meaning(place.node.func) is getattr(builtins, name) else False

    return answer


def folded(place: Place) -> bool | str:
    """A generator expression of one loop that sum, any or all takes."""
    outer = place.around[-1][0] if place.around else None
    taken = isinstance(outer, ast.Call) and outer.args[0] is place.node and not outer.keywords
    if not taken or len(place.node.generators) != 1:
        return False
    return calls("sum", "any", "all")(replace(place, node=outer))


_STREAMS = ("None", "sys.stdout", "sys.stderr")


def print_options(place: Place) -> bool | str:
    elsewhere = any(k.arg == "file" and ast.unparse(k.value) not in _STREAMS for k in place.node.keywords)
    keywords = ", ".join(k.arg for k in place.node.keywords if k.arg is not None)
    return keywords if elsewhere and calls("print")(place) else False


def asks_for_number(place: Place) -> bool | str:
    method = isinstance(place.node.func, ast.Attribute) and place.node.func.attr == "item" and not place.node.args
    return method or calls(*_NUMBERS)(place)


def append_in_loop(place: Place) -> bool | str:
    func = place.node.func
    if not isinstance(func, ast.Attribute) or func.attr not in ("append", "extend", "insert"):
        return False
    return ast.unparse(func.value) if place.within((*_LOOPS, ast.If)) else False


def calls_itself(place: Place) -> bool | str:
    return place.node.func.id if place.meaning(place.node.func) is place.fn else False


def _kind(place: Place) -> tuple[Any, str]:
    """The Python function or framework callable that a call calls, and its name."""
    f = place.meaning(place.node.func)
    f = getattr(f, "__func__", f)
    if f is _UNKNOWN or not callable(f) or lifted_by(f, loaded_frameworks()) is not None:
        return None, ""
    inner = getattr(f, "__wrapped__", None)
    f = inner if isinstance(inner, types.FunctionType) and not isinstance(f, types.FunctionType) else f
    return f, called_name(f)


def without_row(place: Place) -> bool | str:
    f, name = _kind(place)
    return name if f is not None and not enterable(f) and foreign(f, loaded_frameworks()) else False


def calls_async(place: Place) -> bool | str:
    f, _ = _kind(place)
    return f.__name__ if enterable(f) and bool(f.__code__.co_flags & _ASYNC) else False


def without_source(place: Place) -> bool | str:
    f, _ = _kind(place)
    return f.__name__ if enterable(f) and not linecache.getlines(f.__code__.co_filename, f.__globals__) else False


def enters(place: Place) -> bool | str:
    f, _ = _kind(place)
    if isinstance(f, type) and enterable(f.__init__):
        return f.__name__
    return f.__name__ if enterable(f) else False
