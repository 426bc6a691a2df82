"""Questions about a place in a function's syntax, asked before anything runs. Each answers False, True, or a name."""

from __future__ import annotations

import ast
import builtins
import linecache
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from gfx_ir.probing import cell_content, own_attribute

from ..calls.conversion import foreign
from ..calls.lifted import lifted_by
from ..rewrite.comprehensions import CONSUMERS, folds, takes_all
from ..rewrite.flow import LOOPS
from ..rewrite.packages import enterable
from ..rewrite.pipeline import ASYNC
from ..rewrite.scope_names import SCOPES, ScopeNames, assigned, own, plain_kinds
from ..values.called import called_name, compiled
from ..values.flavour import loaded_frameworks

_TESTS = (ast.If, ast.While, ast.For, ast.Match)
_BLOCKS = ("body", "orelse", "cases")
_NUMBERS = ("int", "float", "bool")
_UNKNOWN = object()
Answer = Callable[["Place"], "bool | str"]


@dataclass(frozen=True, slots=True)
class Place:
    """A node, and the nodes around it with the field of each that leads to it, outermost first."""

    node: Any
    around: tuple[tuple[ast.AST, str], ...]
    fn: types.FunctionType
    scopes: dict[ast.AST, ScopeNames] = field(default_factory=dict, compare=False)  # shared by all places of a function

    @property
    def names(self) -> ScopeNames:
        """The names of the function that the node is in."""
        scope = self.scope
        if scope not in self.scopes:
            self.scopes[scope] = ScopeNames(scope)
        return self.scopes[scope]

    @property
    def scope(self) -> ast.AST:
        """The function that the node is in."""
        return next((n for n, _ in reversed(self.around) if isinstance(n, SCOPES)), self.node)

    def blocks(self) -> Iterator[tuple[ast.AST, str]]:
        """The compound statements of its own function around it, innermost first."""
        for node, part in reversed(self.around):
            if isinstance(node, SCOPES):
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
            return cell_content((self.fn.__closure__ or ())[code.co_freevars.index(name)], _UNKNOWN)
        return self.fn.__globals__.get(name, getattr(builtins, name, _UNKNOWN))


# ---------------------------------------------------------------------- statements
def entered_async(place: Place) -> bool:
    """The function itself is async, not one in it."""
    return not place.around


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
    if isinstance(node, SCOPES):
        return False
    inner = in_loop or isinstance(node, LOOPS)
    return any(_jumps(child, inner) for child in ast.iter_child_nodes(node))


def has_handlers(place: Place) -> bool:
    return bool(place.node.handlers)


def under_test(place: Place) -> bool:
    return place.within(_TESTS)


def raise_in_try(place: Place) -> bool:
    tried = any(isinstance(n, (ast.Try, ast.TryStar)) and n.handlers and part == "body" for n, part in place.blocks())
    return tried and under_test(place)


def writes_global(place: Place) -> bool | str:
    return next((name for name in assigned([place.node]) if name in place.names.globals), False)


def _targets(node: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def stores(kind: type[ast.expr]) -> Answer:
    """Whether an assignment writes to an item, or to an attribute."""
    return lambda place: any(isinstance(n, kind) and isinstance(n.ctx, ast.Store)  # type: ignore[attr-defined]
                             for target in _targets(place.node) for n in ast.walk(target))  # fmt: skip


def starred_target(place: Place) -> bool:
    return any(isinstance(n, ast.Starred) for target in place.node.targets for n in ast.walk(target))


# ---------------------------------------------------------------------- variables
def _had_before(place: Place, name: str) -> bool:
    return place.names.before(name, place.node.lineno)


def _read_behind(place: Place, name: str) -> bool:
    return place.names.read_after(name, place.node.end_lineno)


def _goes_on(stmts: list) -> bool:
    return not stmts or not isinstance(stmts[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue))


def one_branch(place: Place) -> bool | str:
    """A variable that one side of an if defines, and that is read behind it."""
    body, orelse = place.node.body, place.node.orelse
    if not (_goes_on(body) and _goes_on(orelse)):
        return False
    one = sorted(set(assigned(body)) ^ set(assigned(orelse)))
    return next((n for n in one if _read_behind(place, n) and not _had_before(place, n)), False)


def kinds_differ(place: Place) -> bool | str:
    """A variable that is None, a text or a function in one side only, and that is read behind the if."""
    sides = [plain_kinds(part) for part in (place.node.body, place.node.orelse)]
    names = [n for n in {**sides[0], **sides[1]} if sides[0].get(n) != sides[1].get(n)]
    both = set(assigned(place.node.body)) & set(assigned(place.node.orelse))
    return next((n for n in names if _read_behind(place, n) and (n in both or _had_before(place, n))), False)


def none_before(place: Place) -> bool | str:
    """A variable that is None when a loop begins, and that the loop assigns."""
    kind = lambda name: place.names.kind(name, place.node.lineno)
    return next((n for n in assigned(place.node.body) if kind(n) is type(None)), False)


def of_loop(place: Place) -> bool | str:
    """A variable that only a loop defines, read behind it."""
    made = assigned(place.node.body) + (assigned([place.node.target]) if isinstance(place.node, ast.For) else [])
    return next((n for n in made if _read_behind(place, n) and not _had_before(place, n)), False)


def compares(*kinds: type[ast.cmpop]) -> Answer:
    return lambda place: isinstance(place.node.ops[0], kinds)


# ---------------------------------------------------------------------- calls
def calls(*names: str) -> Answer:
    """Whether a builtin of these names is called; which one."""

    def answer(place: Place) -> bool | str:
        name = getattr(place.node.func, "id", None)
        return name if name in names and place.meaning(place.node.func) is getattr(builtins, name) else False

    return answer


def folded(place: Place) -> bool:
    """A generator expression of one loop that a builtin folds."""
    taken = _taken(place)
    return taken is not None and len(place.node.generators) == 1 and folds(*taken)


def listed(place: Place) -> bool:
    """A list comprehension that filters, or a generator expression of which a builtin takes all items."""
    filters = any(gen.ifs for gen in place.node.generators)
    taken = _taken(place)
    return filters and (isinstance(place.node, ast.ListComp) or (taken is not None and takes_all(*taken)))


def _taken(place: Place) -> tuple[str, ast.Call] | None:
    """The builtin that is called with a generator expression, and the call."""
    outer = place.around[-1][0] if place.around else None
    if not isinstance(outer, ast.Call) or not outer.args or outer.args[0] is not place.node:
        return None
    name = calls(*CONSUMERS)(replace(place, node=outer))
    return (name, outer) if isinstance(name, str) else None


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
    return ast.unparse(func.value) if place.within((*LOOPS, ast.If)) else False


def calls_itself(place: Place) -> bool | str:
    return place.node.func.id if place.meaning(place.node.func) is place.fn else False


def _kind(place: Place) -> tuple[Any, str]:
    """The Python function or framework callable that a call calls, and its name."""
    f = place.meaning(place.node.func)
    f = own_attribute(f, "__func__", f)
    if f is _UNKNOWN or not callable(f) or lifted_by(f, loaded_frameworks()) is not None:
        return None, ""
    inner = compiled(f)
    return (f, called_name(f)) if inner is None else (inner, called_name(inner))


def without_row(place: Place) -> bool | str:
    f, name = _kind(place)
    return name if f is not None and not enterable(f) and foreign(f, loaded_frameworks()) else False


def calls_async(place: Place) -> bool | str:
    f, _ = _kind(place)
    return f.__name__ if enterable(f) and bool(f.__code__.co_flags & ASYNC) else False


def without_source(place: Place) -> bool | str:
    f, _ = _kind(place)
    return f.__name__ if enterable(f) and not linecache.getlines(f.__code__.co_filename, f.__globals__) else False


def enters(place: Place) -> bool | str:
    f, _ = _kind(place)
    if isinstance(f, type) and enterable(f.__init__):
        return f.__name__
    return f.__name__ if enterable(f) else False
