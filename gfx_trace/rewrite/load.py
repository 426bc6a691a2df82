"""From a rewritten definition to a function: code objects, cells, and the cache of conversions."""

from __future__ import annotations

import ast
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from types import CellType, CodeType, FunctionType

from gfx_ir.errors import CaptureError, GfxError
from gfx_ir.source import Span
from gfx_ir.stack import longer

from .context import INTERNAL, OPTIMIZED, Module, kind_of, meaning
from .parse import FUTURE, MARK, definition, is_converted
from .pipeline import ASYNC, factory, rewritten
from .templates import HOOKS

MADE = ("then_", "else_", "body_", "test_", "operand_", "side_", "message_", "clause_")
_CALLS = 12
"""How many calls within each other it takes to rewrite a test within a test."""


class Conversion:
    """What all functions that share a code object share: the new code, and where each cell comes from.

    The code goes by what its global names stood for: `fits` asks whether they still do, or do so in another module.
    """

    __slots__ = ("asked", "code", "closures", "plan", "ref")

    def __init__(self, fn: FunctionType, forget, overloads: bool) -> None:
        free, module = list(fn.__code__.co_freevars), Module(fn)
        module.overloads |= overloads
        self.code = new_code(fn, free, module)
        self.plan = tuple(free.index(n) if n in free else n for n in self.code.co_freevars)
        self.closures: OrderedDict[int, tuple] = OrderedDict()
        self.asked = tuple(module.asked.items())
        self.ref = weakref.ref(fn.__code__, forget)

    def fits(self, names: Mapping[str, object]) -> bool:
        return all(kind() is kind_of(meaning(name, names)) for name, kind in self.asked)


def new_code(fn: FunctionType, free: list[str], module: Module) -> CodeType:
    """The rewritten code of a function; its free variables are the hooks and those of `free` that it uses."""
    code = fn.__code__
    try:
        found = definition(fn)
        with _room(found.node):
            tree = factory(rewritten(fn, found, module), free)
            made = compile(tree, code.co_filename, "exec", flags=code.co_flags & FUTURE, dont_inherit=True)
            outer = next(c for c in made.co_consts if isinstance(c, CodeType))
            inner = next(c for c in outer.co_consts if isinstance(c, CodeType))
            return marked(inner, code.co_name, code.co_qualname)
    except RecursionError as error:
        span = Span(code.co_filename, code.co_firstlineno, code.co_name)
        what = f"GFX cannot convert {code.co_name!r}: it, and the loops and calls around it, nest deeper than Python's stack has room for"
        raise CaptureError(what, span, "Let fewer loops and functions stand within each other.") from error


def _room(root: ast.AST) -> AbstractContextManager[None]:
    """A stack for rewriting a function: for what nests in it, and for each test, which may end up within the one before it."""
    tests, deepest = 0, 0
    level = [root]
    while level:
        tests, deepest = tests + sum(type(node) is ast.If for node in level), deepest + 1
        held = [value for node in level for value in vars(node).values()]
        inner = [item for value in held if type(value) is list for item in value]
        level = [x for x in (*held, *inner) if isinstance(x, ast.AST) and x._fields]
    return longer(_CALLS * (tests + deepest))


def marked(code: CodeType, name: str, qualname: str, mark: bool = True) -> CodeType:
    """The code with its mark, and the qualified names that its functions had in the user's file.

    Classes and async functions stay as the user wrote them, so what is in them has no mark.
    """
    consts = list(code.co_consts)
    inside = f"{qualname}.<locals>"
    if not code.co_flags & OPTIMIZED:  # the body of a class, which assigns its qualified name
        inside = consts[0] = qualname
    for i, c in enumerate(consts):
        if isinstance(c, CodeType):
            ours = c.co_name.startswith(MADE) and c.co_name.rpartition("_")[2].isdigit()
            known = mark and c.co_flags & OPTIMIZED and not c.co_flags & ASYNC
            whose = (
                (name, qualname) if ours else (c.co_name, f"{inside}.{c.co_name}")
            )  # a block is no function of the user's
            consts[i] = marked(c, *whose, bool(known))
    if mark:
        consts.append(MARK)
    return code.replace(co_consts=tuple(consts), co_name=name, co_qualname=qualname)


class Cells:
    """One cell a hook, for each mapping of hooks."""

    def __init__(self, hooks: Mapping[str, object]) -> None:
        self.hooks = hooks
        self.cells = {n: CellType(v) for n, v in INTERNAL.items()}
        self.cells.update((n, CellType(hooks[n])) for n in HOOKS if n in hooks)

    def of(self, name: str) -> CellType:
        if name not in self.cells:
            raise GfxError(f"GFX has no hook named {name!r}")
        return self.cells[name]


class Cache:
    """Conversions by code object (weakly: an entry goes when the code does)."""

    KEPT = 8  # mappings of hooks whose cells are kept

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.entries: dict[tuple[int, bool], Conversion] = {}
        self.cells: OrderedDict[int, Cells] = OrderedDict()

    def conversion(self, fn: FunctionType, overloads: bool) -> Conversion:
        key = id(fn.__code__), overloads
        with self.lock:
            found = self.entries.get(key)
            if found is None or not found.fits(fn.__globals__):
                found = self.entries[key] = Conversion(fn, partial(self.forget, key), overloads)
        return found

    def forget(self, key: tuple[int, bool], gone: weakref.ref) -> None:
        """Drop the entry of a code object that is no more (another may have its id by now)."""
        found = self.entries.get(key)
        if found is not None and found.ref is gone:
            del self.entries[key]

    def closure(self, found: Conversion, hooks: Mapping[str, object]) -> tuple:
        """The cells of the hooks; an int where a cell of the function's own belongs."""
        with self.lock:
            cells = self.cells.get(id(hooks))
            if cells is None or cells.hooks is not hooks:
                cells = self.cells[id(hooks)] = Cells(hooks)
                while len(self.cells) > self.KEPT:
                    gone, _ = self.cells.popitem(last=False)
                    for entry in self.entries.copy().values():
                        entry.closures.pop(gone, None)
            made = tuple(p if isinstance(p, int) else cells.of(p) for p in found.plan)
            found.closures[id(hooks)] = made
            return made


CACHE = Cache()


def convert(fn: FunctionType, hooks: Mapping[str, object], overloads: bool = False) -> FunctionType:
    """`fn` rewritten so that its calls, tests and accesses go through `hooks` (see HOOKS); otherwise like `fn`. `overloads`: its
    operands may be of classes with operators of their own, and go through `gfx_operand`.

    Raises NoSource where there is no text, CaptureError where the file has changed or the function is async.
    """
    code = fn.__code__
    found = CACHE.entries.get((id(code), overloads))
    if found is None or not found.fits(fn.__globals__):
        if is_converted(code):
            return fn
        found = CACHE.conversion(fn, overloads)
    closure = found.closures.get(id(hooks))
    if closure is None:
        closure = CACHE.closure(found, hooks)
    own = fn.__closure__
    if own is not None:
        closure = tuple([own[c] if c.__class__ is int else c for c in closure])
    new = FunctionType(found.code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    return _dressed(new, fn)


def _dressed(new: FunctionType, fn: FunctionType) -> FunctionType:
    """Give the new function what the old one carries."""
    if fn.__kwdefaults__:
        new.__kwdefaults__ = fn.__kwdefaults__
    if new.__qualname__ != fn.__qualname__:
        new.__qualname__ = fn.__qualname__
    if new.__module__ != fn.__module__:
        new.__module__ = fn.__module__
    if new.__doc__ is not fn.__doc__:
        new.__doc__ = fn.__doc__
    if fn.__dict__:
        new.__dict__.update(fn.__dict__)
        new.__dict__.pop("__wrapped__", None)
    return new


def converted_source(fn: FunctionType) -> str:
    """The text of the rewritten definition, for reading."""
    found = definition(fn)
    with _room(found.node):
        tree = factory(rewritten(fn, found, Module(fn)), fn.__code__.co_freevars)
        return ast.unparse(tree.body[0].body[-1])
