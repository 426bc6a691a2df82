"""What the rewriter knows while it walks one function: variables, scopes, and which variables surely hold a value."""

from __future__ import annotations

import ast
import builtins
import weakref
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FunctionType, ModuleType

from gfx_ir.errors import GfxError
from gfx_ir.probing import own_attribute

from .match import HELPERS
from .names import Fresh, own_name
from .scopes import Summaries, Variables
from .templates import (
    arguments,
    assign,
    at,
    const,
    function,
    hook,
    load,
    loads_tuple,
    store,
    thunk,
)

INTERNAL = {
    **HELPERS,
    "gfx_slice": slice,
    "gfx_Error": GfxError,
    "gfx_get_nothing": lambda: (),
    "gfx_set_nothing": lambda values: None,
}
FRAMEWORKS = ("torch", "jax", "numpy", "scipy")
DATA = ("parameters", "shape", "__array__", "__jax_array__", "__len__")
OPTIMIZED = 1  # inspect.CO_OPTIMIZED: set for functions, not for the bodies of classes
MISSING = object()


def meaning(name: str, names: Mapping[str, object]) -> object:
    """What a global name stands for; MISSING where it is neither the module's nor a builtin's."""
    found = names.get(name, MISSING)
    return getattr(builtins, name, MISSING) if found is MISSING else found


def kind_of(value: object) -> object:
    """What the rewriting goes by: a module itself, of anything else its class."""
    return value if isinstance(value, ModuleType) else type(value)


class Module:
    """What is known of the names of the file around a function, at the time of its conversion. `overloads`: whether operands may be
    of classes with operators of their own; where the function defines a class, they may."""

    def __init__(self, fn: FunctionType) -> None:
        self.names, self.free = fn.__globals__, frozenset(fn.__code__.co_freevars)
        self.file, self.flags = fn.__code__.co_filename, fn.__code__.co_flags
        self.overloads = any(isinstance(c, CodeType) and not c.co_flags & OPTIMIZED for c in fn.__code__.co_consts)
        self.known: dict[str, bool] = {}
        self.asked: dict[str, weakref.ref] = {}

    def value(self, name: str) -> object:
        found = meaning(name, self.names)
        self.asked[name] = weakref.ref(kind_of(found))
        return found

    def find(self, dotted: str) -> object:
        """What `a.b.c` names, through modules alone; MISSING where that is nothing."""
        root, *attrs = dotted.split(".")
        value = self.value(root)
        for attr in attrs:
            value = vars(value).get(attr, MISSING) if isinstance(value, ModuleType) else MISSING
        return value

    def static(self, dotted: str) -> bool:
        """Does `a.b.c` name a module, class or plain callable, reached through modules alone?"""
        found = self.known.get(dotted)
        if found is None:
            value = self.find(dotted)
            found = self.known[dotted] = value is not MISSING and holds_no_data(value)
        return found


def holds_no_data(value: object) -> bool:
    """Modules, classes, functions and the frameworks' own callables and dtypes: nothing to capture in them."""
    kind = type(value)
    if isinstance(value, (ModuleType, type, FunctionType)) or kind.__module__ == "builtins":
        return callable(value) or isinstance(value, ModuleType)
    if kind.__name__ == "_lru_cache_wrapper":
        return True
    home = own_attribute(value, "__module__") if callable(value) else kind.__module__
    if str(home).partition(".")[0] not in FRAMEWORKS or any(hasattr(kind, name) for name in DATA):
        return False
    return callable(value) or kind.__name__ == "dtype"


class Frame:
    """A function of the rewritten code: the variables bound in it, and those to bind first of all."""

    def __init__(self, owned: set[str], parent: Frame | None = None) -> None:
        self.owned, self.parent = owned, parent
        self.init: dict[str, None] = {}


class Context:
    """State of the walk. `defined`: surely bound here; `shadow`: names of lambdas and comprehensions around;
    `beneath`: variables of the function that a comprehension around assigns, one scope further down."""

    def __init__(self, module: Module, fresh: Fresh, parent: Context | None = None) -> None:
        self.module, self.fresh, self.parent = module, fresh, parent
        self.vars = Variables()
        self.summaries = Summaries(self.vars)
        self.frame = Frame(set())
        self.defined: set[str] = set()
        self.shadow: frozenset[str] = frozenset()
        self.beneath: frozenset[str] = frozenset()
        self.kept_live: frozenset[str] = frozenset()
        self.pre: list[ast.stmt] = []
        self.first_arg = ""
        self.name = ""
        self.is_generator = False

    # ---- variables

    def ordered(self, names) -> list[str]:
        order = self.vars.order
        return sorted(names, key=lambda n: order.get(n, len(order)))

    def need_bound(self, name: str) -> None:
        """Code that may run before `name` is assigned reads it: bind it at the start of the function that owns it."""
        frame = None if name in self.defined else self.frame
        while frame is not None and name not in frame.owned:
            frame = frame.parent
        if frame is not None:
            frame.init[name] = None
        elif name in self.vars.nonlocals and name not in self.defined:
            owner = self.owner(name)
            if owner is not None:
                owner.need_bound(name)

    def define(self, name: str) -> None:
        if name not in self.shadow and name not in self.vars.globals:
            self.defined.add(name)

    def named(self, name: str, value: ast.expr, place: ast.AST, plain: bool = False) -> ast.expr:
        """The value to be assigned to a variable, through the hook that such a write calls; `plain`: it takes no name."""
        if name in self.vars.globals and name not in self.shadow:
            return hook("gfx_global_write", [const(name), value], place)
        if name in self.beneath or (name in self.vars.nonlocals and name not in self.shadow):
            return hook("gfx_nonlocal", [const(name), thunk(load(name)), value], place)
        ours = plain or name in self.fresh.made
        return value if ours and name not in self.shadow else hook("gfx_name", [const(name), value], place)

    def owner(self, name: str) -> Context | None:
        """The enclosing rewritten function that a free name belongs to."""
        outer = self.parent
        while outer is not None and name not in outer.vars.locals:
            outer = outer.parent
        return outer

    def load(self, node: ast.Name, call: bool = False) -> ast.expr:
        """A variable read; `call`: it stands for the function to be called."""
        name = node.id
        if name in self.shadow or name in self.defined or name in self.fresh.made or name in INTERNAL:
            return node
        if name in self.vars.locals:
            self.need_bound(name)
            return hook("gfx_read", [const(name), node], node)
        outer = None if name in self.vars.globals else self.owner(name)
        if outer is not None:
            return node if name in outer.defined else hook("gfx_read", [const(name), node], node)
        if call or (name not in self.module.free and name not in self.vars.globals and self.module.static(name)):
            return node
        return hook("gfx_load", [const(name), node], node)

    def is_global(self, name: str) -> bool:
        """Does the name mean the module's or a builtin's?"""
        if name in self.shadow or name in self.vars.locals or name in self.module.free:
            return False
        return name in self.vars.globals or (name not in self.vars.nonlocals and self.owner(name) is None)

    # ---- functions of the rewritten code

    def inits(self, frame: Frame, params: set[str], place: ast.AST) -> list:
        """Assignments that bind variables before anything may read them."""
        names = [n for n in frame.init if n not in params]
        return [assign(n, hook("gfx_undefined", [const(n)], place), place) for n in names]

    def declarations(self, names, place: ast.AST) -> list:
        """global and nonlocal lines for assigned names that the function does not own."""
        glob = [n for n in names if n in self.vars.globals]
        outer = [n for n in names if n not in self.vars.globals]
        kinds = ((ast.Global, glob), (ast.Nonlocal, outer))
        return [at(kind(found), place) for kind, found in kinds if found]

    def local_function(self, name, args, body, place, outer=()) -> ast.FunctionDef:
        return function(name, args, self.declarations(outer, place) + body, place)

    def access(self, names: list, setter: str, place: ast.AST) -> tuple[list, list]:
        """(definition of set, [get, set, names]) for the variables of a statement."""
        for n in names:
            self.need_bound(n)
        if not names:
            return [], [load("gfx_get_nothing"), load("gfx_set_nothing"), self.labelled(())]
        targets = ast.Tuple([store(n) for n in names], ast.Store())
        body = [at(ast.Assign([targets], load("gfx_values")), place)]
        made = self.local_function(setter, arguments(["gfx_values"]), body, place, names)
        return [made], [thunk(loads_tuple(names)), load(setter), self.labelled(names)]

    def labelled(self, names: Iterable[str]) -> ast.Tuple:
        """The names of variables, for a hook: the user's as they are, and those of the rewriter as no user can write them."""
        return ast.Tuple([const(own_name(n) if n in self.fresh.made else n) for n in names], ast.Load())

    def later(self, node: ast.expr, base: str) -> ast.expr:
        """A callable of no arguments for an expression."""
        return self.deferred(lambda: self.expr(node), [node], node, base)

    def deferred(self, make: Callable[[], ast.expr], nodes: list, place: ast.expr, base: str) -> ast.expr:
        """A callable of no arguments: a lambda, or a function above the statement where a walrus is in `nodes`."""
        if not any(map(self.holds_walrus, nodes)):
            return at(thunk(make()), place)
        targets = self.walrus_targets(nodes)
        for n in targets:
            self.need_bound(n)
        value, before = self.apart(make)
        name = self.fresh(base)
        body = [*before, at(ast.Return(value), place)]
        self.pre.append(self.local_function(name, arguments(), body, place, targets))
        return at(load(name), place)

    def walrus_targets(self, nodes: list) -> list[str]:
        """Variables of the function, or globals, that expressions assign."""
        found = [n.target.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
        return [n for n in dict.fromkeys(found) if n in self.vars.order or n in self.vars.globals]

    def left_by(self, nodes: list, place: ast.expr) -> list[ast.keyword]:
        """What a hook needs to join the variables that operands assign, themselves or in local functions that they call;
        nothing where they assign none."""
        walrus = any(map(self.holds_walrus, nodes))
        assigned = self.walrus_targets(nodes) if walrus else []
        if self.vars.written_inside and any(isinstance(n, ast.Call) for node in nodes for n in ast.walk(node)):
            assigned = self.ordered({*assigned, *self.vars.written_inside})
        if not assigned:
            return []
        names = [n for n in assigned if n not in self.vars.globals]
        made, access = self.access(names, self.fresh("set"), place)
        self.pre += made
        parts = ast.Tuple(access, ast.Load())
        at(parts, place)
        return [ast.keyword("access", parts)]

    def apart(self, make: Callable) -> tuple:
        """What `make` gives, and the statements that must run right before it."""
        kept, self.pre = self.pre, []
        value = make()
        before, self.pre = self.pre, kept
        return value, before

    def holds_walrus(self, node: ast.AST) -> bool:
        return self.fresh.walrus and any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))

    def expr(self, node: ast.expr) -> ast.expr:
        raise NotImplementedError
