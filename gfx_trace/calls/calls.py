"""What happens at a call: lifted, entered, answered at capture, or run as it is."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gfx_ir.backend import Lift
from gfx_ir.codegen import origin
from gfx_ir.op import OpDef
from gfx_ir.probing import is_module, own_attribute
from gfx_ir.stack import lengthen, shorten

from ..frameworks.grad_managers import standing_for
from ..frameworks.into import put_into
from ..heap.contents import FIXED, row_of
from ..heap.framework_state import GENERATORS
from ..heap.makers import made_by
from ..interfaces import Capturing
from ..objects.memoised import Wrapper
from ..objects.special_methods import IN_C, MeantMethod, SpecialMethod, accessor, bound_operands, meant
from ..python.draws import BoundDraw
from ..python.faults import cannot
from ..python.listed import SpreadItems
from ..python.scopes import open_recursion, values_of, without_end
from ..python.sequences import OpenList, Starred, spread
from ..rewrite.packages import enterable
from ..values.bound import BoundLift
from ..values.called import compiled, implementations
from ..values.gated import Gated, gates_in
from ..values.proxy import Unusable, is_open
from .builtin_calls import CALLING
from .constructing import construct, made_of
from .conversion import convert, converted
from .copying import handed_on
from .iterated import iterated
from .lifted import always_lifted, lifted_by
from .modules import FORWARDING, call_module, call_root
from .native import run_native
from .preconditions import call_emitted
from .records import initialise, initialised
from .recursion import Recursion
from .searches import searched
from .target_arrays import apart, bound_to, name_bound, name_closed_over
from .without_source import run_without_source

_FRAMES = 12
"""How many calls of Python's own a call of the author's takes."""
_CONTAINERS = frozenset((tuple, list, dict, set))
_TABLED = frozenset((types.BuiltinFunctionType, type))
"""What may always be lifted: functions in C, and classes."""
_MAKING = vars(type)["__call__"]
"""What makes an object of a class, where its metaclass does not say otherwise."""


class Calls:
    """The part of the Tracer that decides what a call becomes."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self.recursion = Recursion(tracer)
        self._deepest = sys.getrecursionlimit()  # which ends the author's code, too

    def call(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """Call f as the captured code would."""
        kind = type(f)
        if kind is types.FunctionType:
            return self._call_function(f, args, kwargs)
        if kind in self.tracer.module_classes:
            return call_module(self.tracer, f, args, kwargs)
        if kind in _TABLED and f in self.tracer.native:
            return self._apply_lifted(self.tracer.native[f], f, args, kwargs)
        if kind is BoundLift:
            put = put_into(self.tracer, f, args, kwargs, f.owner.backend) if "out" in kwargs else None
            if put is not None:
                return put
            found = self.tracer.apply(f.lift, (f.owner, *args), kwargs, f.owner.backend, f.function)
            return self._noted(f, args, kwargs, found)
        if kind is BoundDraw:
            return self.tracer.apply(f.lift, args, kwargs, f.backend)
        if kind is types.MethodType:
            return self._call_method(f, args, kwargs)
        if kind is Gated:
            return self.tracer.gates.resolve(f, lambda side: self.call(side, args, kwargs))
        if kind is Unusable:
            raise f.error
        if kind is MeantMethod or kind is SpecialMethod:
            return f(*args, **kwargs)
        if kind is type:
            return self._call_class(f, args, kwargs)
        return self._call_in_c(f, args, kwargs) if kind in IN_C else self._call_other(f, args, kwargs)

    def _call_function(self, f: types.FunctionType, args: tuple, kwargs: dict) -> Any:
        new = self.tracer.entered.get(f)
        if new is not None and new.__defaults__ is f.__defaults__:
            return self.enter(new, f, args, kwargs)
        if converted(f):
            return self.enter(f, f, args, kwargs)
        lifted = self.lifted(f)
        if lifted is not None:
            return self._apply_lifted(lifted, f, args, kwargs)
        emitted = origin(f)
        if emitted is not None:
            return call_emitted(self.tracer, emitted, self.call, args, kwargs)
        if self.tracer.is_leaf(f) or not enterable(f):
            implementing = implementations(f) if args else None
            if implementing is not None:
                return self.call(implementing(self.call(type, args[:1], {})), args, kwargs)
            found = self.tracer.managers.managed(f, args, kwargs)
            return run_native(self.tracer, f, args, kwargs) if found is NotImplemented else found
        record = initialised(f, args)
        if record is not None:
            return initialise(self.tracer, record, f, args, kwargs)
        new = convert(f, self.tracer)
        if self.tracer.libraries.builds(f):
            return self.tracer.libraries.call(f, args, kwargs, lambda: self.enter(new, f, args, kwargs))
        self.tracer.entered[f] = new
        return self.enter(new, f, args, kwargs)

    def call_spread(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """Call f with arguments of which some were spread by `*`; of an open tuple it may be known by f how many it has to give."""
        listed = next((x for x in args if type(x) is SpreadItems), None)
        if listed is not None and f is zip and len(args) == 1 and not kwargs:
            return self.tracer.iteration.made(iter(listed.columns(self.tracer)))
        if listed is not None:
            raise listed.error
        if Starred not in map(type, args):
            return self.call(f, args, kwargs)
        if f in (min, max) and len(args) == 1:
            return self.call(f, (self.tracer.wrap(args[0].value),), kwargs)
        lift = f.lift if type(f) is BoundLift else None if isinstance(f, types.MethodType) else self.lifted(f)
        lift = lift[0] if isinstance(lift, tuple) else lift
        if isinstance(lift, Lift) and any(
            p.kind is p.VAR_POSITIONAL for p in inspect.signature(lift.fn).parameters.values()
        ):
            return self.call(f, args, kwargs)
        own, function = 0, f.__init__ if isinstance(f, type) else f.forward if is_module(f) else f
        if isinstance(function, (types.MethodType, types.FunctionType)):
            own = isinstance(f, type) or isinstance(function, types.MethodType)
            function = own_attribute(function, "__func__", function)
        code: Any = own_attribute(function, "__code__")
        if code is None or code.co_flags & inspect.CO_VARARGS or function.__defaults__:
            return self.call(f, spread(self.tracer, args, -1), kwargs)
        named = sum(name in kwargs for name in code.co_varnames[: code.co_argcount])
        return self.call(f, spread(self.tracer, args, code.co_argcount - own - named), kwargs)

    def _call_method(self, f: types.MethodType, args: tuple, kwargs: dict) -> Any:
        owner, function = f.__self__, f.__func__
        if isinstance(owner, GENERATORS) and (shared := self.lifted(f)) is not None:  # what all code draws from
            return self._apply_lifted(shared, f, args, kwargs)
        standing = standing_for(self.tracer, owner)
        if standing is not None:
            return getattr(standing, function.__name__)(*args, **kwargs)
        if type(owner) is OpenList:
            return self.tracer.truths.placed(f, *args, **kwargs)
        if is_module(owner) and function.__name__ in FORWARDING:
            return call_module(self.tracer, owner, args, kwargs, own=False)
        if isinstance(function, types.FunctionType):
            return self._call_function(function, (owner, *args), kwargs)
        return self.call(function, (owner, *args), kwargs)

    def _call_class(self, f: type, args: tuple, kwargs: dict) -> Any:
        """Call a class that has no metaclass."""
        lazy = iterated(self.tracer, f, args, kwargs)
        if lazy is not None:
            return lazy
        asked = self.tracer.overloading.asked(f, args)
        if asked is not None:
            return self.call(asked, args, kwargs)
        lifted = self.lifted(f)
        if lifted is None:
            return construct(self.tracer, f, args, kwargs)
        if always_lifted(f, lifted):
            self.tracer.native[f] = lifted
        return self._apply_lifted(lifted, f, args, kwargs)

    def _call_in_c(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """Call a function or method in C."""
        special = meant(self.tracer, f, args)
        if special is not None and not kwargs:
            return special[0](self.tracer, *special[1])
        search = None if kwargs else searched(f, args)
        if search is not None:
            return search(self.tracer)
        asked = self.tracer.overloading.asked(f, args)
        if asked is not None:
            return self.call(asked, args, kwargs)
        owner = getattr(f, "__self__", None)
        lifted = None if _is_container(owner) else self.lifted(f)
        if lifted is not None:
            if always_lifted(f, lifted):
                self.tracer.native[f] = lifted
            return self._apply_lifted(lifted, f, args, kwargs)
        if issubclass(type(owner), type) and f == _MAKING.__get__(owner):
            return made_of(self.tracer, owner, args, kwargs)
        if type(owner) is Wrapper:
            return self.tracer.memoised.method(owner, f.__name__)
        function = accessor(f)
        if function is not None and args and args[0] is not None:
            return self.call(function, args[:1] if f.__name__ == "__get__" else args, kwargs)
        return run_native(self.tracer, f, args, kwargs)

    def _call_other(self, f: Any, args: tuple, kwargs: dict) -> Any:
        if is_open(f):
            raise cannot(self.tracer, f, "{} is not callable")
        if is_module(f) or hasattr(type(f), "named_modules"):
            return call_module(self.tracer, f, args, kwargs)
        if isinstance(f, OpDef):
            return self.tracer.apply(Lift(f.name, f), args, kwargs, self.tracer.backend)
        lifted = self.lifted(f)
        if lifted is not None:
            return self._apply_lifted(lifted, f, args, kwargs)
        return self._call_object(f, args, kwargs)

    def _call_object(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """Call a class, or an object that can be called, of which no row knows."""
        if isinstance(f, functools.partial):
            return self.call(f.func, (*f.args, *args), {**f.keywords, **kwargs})
        if isinstance(f, type):
            return construct(self.tracer, f, args, kwargs)
        if type(f) is Wrapper:
            return self.tracer.memoised.call(f, args, kwargs)
        getter = bound_operands(f) if len(args) == 1 and not kwargs else None
        if getter is not None:
            return getter(self.tracer, *args)
        instead = own_attribute(type(f), "called_in_capture")
        if instead is not None:
            return instead(f, self.tracer, args, kwargs)
        method = getattr(type(f), "__call__", None)  # noqa: B004 - the function itself is wanted
        if isinstance(method, types.FunctionType) and enterable(method):
            return self._call_function(method, (f, *args), kwargs)
        if method is not None and callable(own_attribute(method, "__wrapped__")) and hasattr(type(method), "__get__"):
            return self.call(type(method).__get__(method, f, type(f)), args, kwargs)  # a compiled method, bound
        inner = compiled(f)
        if inner is not None:
            return self.call(inner, *handed_on(self.tracer, f, args, kwargs))
        return self.tracer.libraries.call(f, args, kwargs, lambda: run_native(self.tracer, f, args, kwargs))

    def lifted(self, f: Any) -> Any:
        """What a callable is lifted by: a handler of a builtin, a framework's Lift, or None."""
        return lifted_by(f, self.tracer.arrays.frameworks())

    def _apply_lifted(self, lifted: Any, f: Any, args: tuple, kwargs: dict) -> Any:
        if not isinstance(lifted, tuple):
            own = args[:1] if f in CALLING else ()  # which way it is is asked with each call
            if gates_in(args[len(own) :]):  # whose class may have its own way
                use = lambda rest: self.call(f, (*own, *rest), kwargs)
                return self.tracer.gates.resolve_all(args[len(own) :], use)
            return self._noted(f, args, kwargs, lifted(self.tracer, f, args, kwargs))
        lift, backend = lifted
        if backend is not None and backend.numbers and not kwargs and self._in_numbers(f, args):
            found = f(*args)
            if isinstance(found, np.generic):
                return found
        put = put_into(self.tracer, f, args, kwargs, backend)
        return self._noted(f, args, kwargs, self.tracer.apply(lift, args, kwargs, backend, f)) if put is None else put

    def _in_numbers(self, f: Any, args: tuple) -> bool:
        """Whether code of a framework whose arrays are not NumPy's asks NumPy of fixed numbers alone, which may give another one."""
        if self.tracer.backend is None or self.tracer.backend.numbers:
            return False
        numbers: Any = args
        if type(f) is type(np.prod):  # a function of arrays, for which a list of numbers is one
            numbers = args[0] if len(args) == 1 else None
            if not isinstance(numbers, (tuple, list)):
                return False
        elif type(f) is not np.ufunc and not (isinstance(f, type) and issubclass(f, np.generic)):
            return False
        return all(type(x) in (int, float, bool) or isinstance(x, np.generic) for x in numbers)

    def _noted(self, f: Any, args: tuple, kwargs: dict, found: Any) -> Any:
        """What a call of a library's gives: containers in it are made by it."""
        found = self.tracer.arrays.in_graph(found)
        if type(found) in _CONTAINERS:
            for made in made_by(f, args, kwargs, found):
                self.tracer.journal.made.note(made)
        return found

    # ------------------------------------------------------------------ entering
    def call_entry(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Call the captured function itself: it is entered whatever package it is of, and opens no scope of its own."""
        if is_module(target):
            return call_root(self.tracer, target, args, kwargs)
        if isinstance(target, types.MethodType):
            return self.call_entry(target.__func__, (bound_to(self.tracer, target.__self__), *args), kwargs)
        if isinstance(target, functools.partial):
            names = inspect.signature(target.func).parameters
            positional, keywords = apart(self.tracer, (target.args, target.keywords))
            name_bound(self.tracer, {**dict(zip(names, positional)), **keywords})
            own, named = map(self.tracer.arrays.in_graph, (positional, tuple(keywords.values())))
            return self.call_entry(target.func, (*own, *args), {**dict(zip(keywords, named)), **kwargs})
        inner = compiled(target)
        if inner is not None:
            return self.call_entry(inner, *handed_on(self.tracer, target, args, kwargs))
        emitted = origin(target)
        if emitted is not None:
            return call_emitted(self.tracer, emitted, self.call_entry, args, kwargs)
        if not isinstance(target, types.FunctionType):
            return self.call(bound_to(self.tracer, target), args, kwargs)
        name_closed_over(self.tracer, target)
        if self.lifted(target) is None and not self.tracer.is_leaf(target):
            return self.tracer.libraries.target(
                target, args, kwargs, lambda: self._running(convert(target, self.tracer), target)(*args, **kwargs)
            )
        return self.call(target, args, kwargs)

    def enter(
        self, new: Callable[..., Any], f: types.FunctionType, args: tuple, kwargs: dict, expanded: bool = False
    ) -> Any:
        """Call `new`, which is the rewritten form of f; `expanded`: what it does is captured here, whatever was captured before."""
        functions, met = self.tracer.functions, self.tracer.arrays.in_graph
        if self.tracer.arrays.has_in_graph():  # `*`, `**` and code in C hand on what containers hold
            args, kwargs = tuple(map(met, args)), {name: met(x) for name, x in kwargs.items()}
        if not expanded and id(f.__code__) not in functions.hopeless:
            found = functions.call(new, f, args, kwargs)
            if found is not NotImplemented:
                return found
        functions.enters(f)
        site, within, depth = self.tracer.site, self.tracer.within, self.tracer.depth
        if self.recursion.is_open(f, args, kwargs):
            raise open_recursion(f.__name__, self.tracer.span())
        if depth > self._deepest:
            raise without_end(f, self.tracer.scopes.scope, self.tracer.span())
        opened: list[Any] = [within, site, None if site is None else site.f_lasti, f, args, kwargs]
        self.tracer.within = opened
        self.tracer.depth = depth + 1
        added, calls = lengthen(_FRAMES), self.recursion.entered(f, args, kwargs)
        result: Any = None
        try:
            result = self._running(new, f)(*args, **kwargs)
            return self.tracer.iteration.made(result) if type(result) is types.GeneratorType else result
        except RecursionError as error:
            raise without_end(f, self.tracer.scopes.scope_of(opened), self.tracer.span()) from error
        finally:
            calls.pop()
            shorten(added)
            self.tracer.within, self.tracer.site, self.tracer.depth = within, site, depth
            if len(opened) == 1:
                opened[0].left(values_of(result))

    def _running(self, new: Callable[..., Any], f: types.FunctionType) -> Callable[..., Any]:
        """What runs for a call of f, of which `new` is the rewritten form: f as it is where it has no source, and needs none."""
        return new if new is not f or converted(f) else functools.partial(run_without_source, self.tracer, f)

    def run_method(self, method: Any, args: tuple, kwargs: dict) -> Any:
        """Enter a method in the scope that is open: a module's forward is the module's scope."""
        function = own_attribute(method, "__func__")
        if function is None or not enterable(function):
            return self.call(method, args, kwargs)
        self.tracer.consulted.runs(function)
        self.tracer.depth += 1
        try:
            return self._running(convert(function, self.tracer), function)(method.__self__, *args, **kwargs)
        finally:
            self.tracer.depth -= 1


def _is_container(x: Any) -> bool:
    """Whether x is a container or constant of Python's, whose methods in C no framework has."""
    return x is not None and (type(x) in FIXED or row_of(type(x)) is not None)
