"""Functions that a framework's own tracer takes apart: gradients, batches and the like of functions in captured code.

The framework traces with arrays of its own. Where it calls a function of the captured code, that function is captured as a region
of its own, and what is emitted for the framework runs in its place; captured values that it closes over are further arguments.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.codegen import emit
from gfx_ir.control import Form
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Graph, Value
from gfx_ir.passes.inline import called_by
from gfx_ir.probing import closed_over, is_module, stated_name
from gfx_ir.program import Parameter, Program
from gfx_ir.rules import building
from gfx_ir.several_keys import Keys
from gfx_ir.source import Span
from gfx_ir.types import LogicalTensor

from ..heap.slots import Slot
from ..interfaces import Capturing
from ..python.attempts import Mark, attempt
from ..rewrite import is_converted
from ..values.proxy import HostProxy, Proxy, is_open
from .free_variables import held_objects, holding
from .function_transforms import transformed
from .making import Making
from .written_back import write_back

_STAGED = ("staged", "transform", "custom_rule")
_KEPT = ("grad", "value_and_grad")
"""What is called as the author calls it: what else a transformation computes is worth less than how it reads."""
_AT_EDGES = (
    "a gradient is the one of the framework that computes it, also at edges where each has its own, as of abs at 0; "
    "a capture with derive=True has JAX's"
)
_ASK = "give the capture example arguments or gfx.TensorSpec(shape, dtype); for @gfx.trace, specialize=True does so"


class _More(Exception):
    """The function that is being staged closes over values that are not among its arguments yet."""

    def __init__(self, values: list[Value]) -> None:
        self.values = values


class NotStaged(UnsupportedConstruct):
    """A call takes what the framework's own tracer cannot be given: `why` says what."""

    def __init__(self, name: str, why: str, span: Span | None, hint: str) -> None:
        super().__init__(
            f"GFX cannot capture what jax.grad, jax.vmap or their like make of {name!r}: {why}", span, hint
        )
        self.why = why


class Untyped(NotStaged):
    """A call takes tensors of which no type is known, which the framework's own tracer asks for."""


class Closure:
    """A function of the captured code, as the framework's own tracer calls it: on arrays of the framework's."""

    def __init__(self, tracer: Capturing, function: Callable[..., Any], backend: Backend) -> None:
        self.__name__: str = stated_name(function, type(function).__name__)
        self.tracer, self.function, self.backend = tracer, function, backend
        self.parts: dict[Any, _Part] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tracer, backend = self.tracer, self.backend
        leaves, rebuild = backend.flatten((args, kwargs))
        arrays = [leaf for leaf in leaves if backend.is_tensor(leaf)]
        key = tracer.graph, tuple(backend.type_of(x) if backend.is_tensor(x) else (type(x), x) for x in leaves)
        part = self.parts.get(key)
        if part is None:
            with backend.untraced(), building(tracer):
                part = self.parts[key] = _captured(self, leaves, rebuild)
        held = tracer.staged_values[-1]
        missing = [value for value in part.closed if value not in held]
        if missing:
            raise _More(missing)
        return part.rebuild(part.run(*arrays, *(held[value] for value in part.closed)))

    def called_in_capture(self, tracer: Capturing, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What the framework hands to other captured code, as `lax.custom_root` does to the solver, is entered there."""
        return tracer.calls.call(self.function, args, kwargs)


class Trial(Closure):
    """A function from outside of the captured code, which the framework's own tracer may run as it is; where it asks an
    array for its data, it is captured after all."""

    def __init__(self, tracer: Capturing, function: Callable[..., Any], backend: Backend) -> None:
        super().__init__(tracer, function, backend)
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.function(*args, **kwargs)
        except Exception as error:
            if not self.backend.asks_for_data(error):
                raise
        return super().__call__(*args, **kwargs)


class _Part:
    """A function captured for arguments of some types: what runs it, the values that it closes over, its result's tree."""

    def __init__(self, run: Callable[..., Any], closed: list[Value], rebuild: Callable[[Any], Any]) -> None:
        self.run, self.closed, self.rebuild = run, closed, rebuild


def _captured(closure: Closure, leaves: list[Any], rebuild: Callable[[Sequence[Any]], Any]) -> _Part:
    tracer, backend = closure.tracer, closure.backend
    with tracer.regions.opened(closure.__name__) as side:
        places = []
        for at, leaf in enumerate(leaves):
            if backend.is_tensor(leaf):
                leaf = Proxy(side.graph.add_placeholder(f"x{at}", "tensor", backend.type_of(leaf)), backend)
            places.append(leaf)
        args, kwargs = rebuild(places)
        result = tracer.calls.call(closure.function, args, kwargs)
        found, rebuild_result = backend.flatten(result)
        values = [tracer.unwrap(leaf) for leaf in found]
        side.graph.result = tuple(tracer.local(v) if isinstance(v, Value) else v for v in values)
    if side.written:
        raise tracer.error(
            f"GFX cannot capture this: {closure.__name__!r} changes {side.written[0][0].name!r}, which lives outside of it",
            "return what it computes (jax.grad has has_aux=True for it)",
        )
    own = {place.value for place in places if isinstance(place, Proxy)}
    outer = {placeholder: value for value, placeholder in side.captures.items()}
    closed = [outer[place] for place in side.graph.placeholders if place not in own]
    for place, value in zip((p for p in side.graph.placeholders if p not in own), closed):
        place.type = _known(tracer, value, closure.__name__)
    order = [place.value for place in places if isinstance(place, Proxy)]
    return _Part(_runnable(side.graph, order, tracer, backend), closed, rebuild_result)


def _runnable(graph: Graph, own: list[Value], tracer: Capturing, backend: Backend) -> Callable[..., Any]:
    """The region as a function of the framework: of its own arguments, then of what it closes over."""
    closed = [place for place in graph.placeholders if place not in own]
    signature = [Parameter(f"x{at}", value) for at, value in enumerate((*own, *closed))]
    graph.placeholders[:] = [*own, *closed]
    functions = called_by(graph, tracer.functions.graphs)
    program = Program(graph, functions, signature, {}, [], tracer.promotion, backend.name, level=1)
    return emit(program, backend, unroll=False).bare()


def _known(tracer: Capturing, value: Any, name: str) -> LogicalTensor:
    """The type of a value, without a dtype for keys of random numbers. Raises UnsupportedConstruct where it is open."""
    if type(value) is Keys and value.folds is not None:
        return LogicalTensor(None, (*(_known(tracer, value.folds.places.read(), name).dims or ()), *value.folds.sizes))
    if type(value) is Keys:
        inner = _known(tracer, tracer.unwrap(value[0]), name)
        return LogicalTensor(None, (len(value), *(inner.dims or ())))
    type_ = tracer.arrays.type_of(value)
    if type_ is not None and type_.dtype is not None and type_.dims is not None and None not in type_.dims:
        return LogicalTensor(type_.dtype, type_.dims, weak=type_.weak)
    if getattr(value, "kind", "") == "key" or (type_ is not None and type_.dtype is None and type_.dims == ()):
        return LogicalTensor(None, ())  # a key of random numbers
    tracer.libraries.leaves()
    called = getattr(value, "name", None)
    taken = repr(called) if called else "a value"
    raise Untyped(name, f"the type of {taken} that it takes is not known", tracer.place(), _ASK)


# ---------------------------------------------------------------- what capture calls
def transform(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function that makes functions (jax.grad, jax.vmap): it is called with what stands for those of the captured code."""
    backend = _owner(tracer, f)
    given = [Closure(tracer, x, backend) if _is_captured(backend, x) else _closures(tracer, backend, x) for x in args]
    return f(*given, **_closures(tracer, backend, kwargs))


def staged(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A call of what such a function made. A gradient is a transformation of the graph's own: the function stays one. What else is made,
    gradients with the option `derive`, and those that cannot be such, come in as the framework's own tracer records them, call by
    call; where no types are known, they are transformations of the graph's own, too."""
    backend = _owner(tracer, f)
    found = backend.transformation(f, args, kwargs)
    record = lambda _: recorded(tracer, backend, f, args, kwargs)
    if found is None:
        return record(None)
    own = lambda _: _of_its_own(tracer, backend, *found, args, kwargs)
    if found[0] not in _KEPT or tracer.options["derive"]:
        try:
            return attempt(tracer, record)
        except Untyped:
            return own(None)
    try:
        made = attempt(tracer, lambda mark: _natural(mark, own(mark)))
        if _AT_EDGES not in tracer.notes:
            tracer.notes.append(_AT_EDGES)
        return made
    except Exception:
        try:
            return attempt(tracer, record)
        except Untyped:
            return own(None)


def _natural(mark: Mark, made: Any) -> Any:
    """What a transformation gives, where no function that it derives brings a gradient of its own: frameworks differ in what a second
    derivative of such is."""
    tracer = mark.tracer
    for region in [region for node in mark.nodes() if node.op.form is Form.TRANSFORM for region in node.regions]:
        for graph in (region, *called_by(region, tracer.functions.graphs).values()):
            if any(node.op.form is Form.OWN_GRADIENT for node in graph.walk()):
                raise tracer.error(f"GFX cannot derive {region.name!r} by its rules alone", "derive it within jax.jit")
    return made


def _of_its_own(
    tracer: Capturing, backend: Backend, name: str, options: dict[str, Any], at_once: bool, args: tuple, kwargs: dict
) -> Any:
    """What a call gives as a transformation of the graph's own."""
    function = options["func"]
    given = {**options, "func": function.function if isinstance(function, Closure) else function}
    made = transformed(tracer, backend, name, given)
    return made if at_once else made(*args, **kwargs)


def recorded(tracer: Capturing, backend: Backend, f: Any, args: tuple, kwargs: dict, free: bool = False) -> Any:
    """A call as its framework's own tracer records it, made again here, call by call. `free`: whether f is code that runs there as a
    whole, with the objects of its free variables. Raises UnsupportedConstruct where the type of a tensor that it takes is not known."""
    name, site = stated_name(f, type(f).__name__), tracer.site
    if any(held.number for held in tracer.replaced.values()):
        why = "code counts its calls in a Python number, which JAX's own tracer reads and writes once"
        raise NotStaged(name, why, None, "make the number an argument and a result")
    objects, slots = held_objects(backend, f) if free else ([], [])
    leaves, rebuild = backend.flatten((_closures(tracer, backend, (f, args, kwargs)), objects))
    places = [at for at, leaf in enumerate(leaves) if _given(backend, leaf)]
    inputs = [_tensor(tracer, leaves[at], name) for at in places]
    closed: list[Value] = []
    while True:
        values = [*(x if type(x) is Keys else x.read() for x in inputs), *closed]
        run = functools.partial(_run, tracer, backend, name, leaves, rebuild, places, closed, slots)
        known = [_known(tracer, value, name) for value in values]
        if free:
            tracer.libraries.begins(known)
        try:
            with building(None):
                replay = backend.stage(run, known, tracer.stagings)
            break
        except _More as more:
            closed = [*closed, *more.values]

    tracer.site = site
    made, new = replay(Making(tracer, backend), [*inputs, *(tracer.wrap(value, backend) for value in closed)])
    write_back(tracer, (f, args, kwargs, objects), leaves, new)
    return made


def _run(
    tracer: Capturing, backend: Backend, name: str, leaves: list[Any], rebuild: Callable[[Sequence[Any]], Any],
    places: list[int], closed: list[Value], slots: list[tuple[Slot, int]], *arrays: Any,
) -> tuple[Any, dict[int, Any]]:  # fmt: skip
    """Call what is staged with the framework's own arrays in the places of captured ones: its result, and what it left in the places
    of others that it wrote."""
    filled = list(leaves)
    for at, array in zip(places, arrays):
        filled[at] = array
    given = (function, args, kwargs), objects = rebuild(filled)
    before = backend.shape_of_tree(given)
    tracer.staged_values.append(dict(zip(closed, arrays[len(places) :])))
    try:
        with holding(slots, objects):
            result = function(*args, **kwargs)
    finally:
        tracer.staged_values.pop()
    given = _usable(backend, given, lambda: rebuild(filled))
    after, _ = backend.flatten(given)
    alike = len(after) == len(filled) and backend.shape_of_tree(given) == before
    new = {at: now for at, (now, then) in enumerate(zip(after, filled)) if now is not then}
    if not alike or not new.keys() <= set(places) or not all(map(backend.is_tensor, new.values())):
        why = "it writes what is no array to an object that it is given, of which JAX's own tracer has a copy"
        raise NotStaged(name, why, None, "return what it computes")
    return _given_back(backend, result), new


def _given_back(backend: Backend, result: Any) -> Any:
    """What a call gave, with the functions that it was given where something stood for them, as in a model that it hands on."""
    leaves, rebuild = backend.flatten(result)
    if not any(isinstance(leaf, Closure) for leaf in leaves):
        return result
    return rebuild([leaf.function if isinstance(leaf, Closure) else leaf for leaf in leaves])


def _usable(backend: Backend, now: Any, fresh: Callable[[], Any]) -> Any:
    """What a call was given, as it leaves it: an object that is used up, as what the call gave takes its place, as it was (`fresh`)."""
    try:
        backend.flatten(now)
    except Exception:  # the object says so, where it is taken apart
        was = fresh()
        if type(now) is not type(was) or type(now) not in (tuple, list, dict):
            return was
        if isinstance(now, dict):
            return {key: _usable(backend, item, functools.partial(was.__getitem__, key)) for key, item in now.items()}
        return type(now)(_usable(backend, item, functools.partial(was.__getitem__, at)) for at, item in enumerate(now))
    return now


def _given(backend: Backend, leaf: Any) -> bool:
    """Whether a leaf is one of the arrays that staged code is given. A key that an object holds is a constant, like its numbers."""
    return is_open(leaf) or type(leaf) is Keys or (backend.is_tensor(leaf) and not backend.is_key(leaf))


def _owner(tracer: Capturing, f: Any) -> Backend:
    """The backend whose function of functions f is, or made f."""
    return next(b for b in tracer.arrays.frameworks() if _special(b, f))


def _special(backend: Backend, f: Any) -> bool:
    try:
        return backend.special.get(f) in _STAGED or backend.higher_order(f) in _STAGED
    except TypeError:
        return backend.higher_order(f) in _STAGED


def _tensor(tracer: Capturing, x: Any, name: str) -> Any:
    """A captured value as a tensor argument of a staged function; several keys as they are."""
    if isinstance(x, (Proxy, Keys)):
        return x
    if isinstance(x, HostProxy):
        tracer.libraries.leaves()
        hint = "give the number a fixed value at capture, or make it an array"
        raise NotStaged(name, "it takes a number that is only known when the emitted code runs", tracer.place(), hint)
    return tracer.arrays.array_proxy(x)


# ---------------------------------------------------------------- functions of the captured code
def _closures(tracer: Capturing, backend: Backend, tree: Any) -> Any:
    """The tree with a Closure in the place of each function that only the capture can run."""
    if type(tree) is Keys:
        return tree
    if isinstance(tree, tuple) and not hasattr(tree, "_fields"):
        return tuple(_closures(tracer, backend, item) for item in tree)
    if isinstance(tree, list):
        return [_closures(tracer, backend, item) for item in tree]
    if isinstance(tree, dict):
        return {key: _closures(tracer, backend, item) for key, item in tree.items()}
    if isinstance(tree, type) or not callable(tree) or is_open(tree):
        return tree
    found, rebuild = ([tree], None) if backend.higher_order(tree) is not None else backend.flatten(tree)
    if rebuild is not None and not (
        len(found) == 1 and found[0] is tree
    ):  # an object that is a tree, and can be called
        return rebuild([_closures(tracer, backend, leaf) for leaf in found])
    if is_module(tree) or (backend.higher_order(tree) is None and _holds_captured(tree, set())):
        return Closure(tracer, tree, backend)
    own = isinstance(tree, types.FunctionType) and backend.higher_order(tree) is None and not tracer.calls.lifted(tree)
    return Trial(tracer, tree, backend) if own else tree


def _is_captured(backend: Backend, x: Any) -> bool:
    """Whether an object that can be called is a tree of captured values."""
    return callable(x) and not isinstance(x, type) and not is_open(x) and any(map(is_open, backend.flatten(x)[0]))


def _holds_captured(x: Any, seen: set[int]) -> bool:
    """Whether a callable is code that capture rewrote, or reaches captured values: its framework alone cannot run it."""
    if is_open(x):
        return True
    if id(x) in seen or isinstance(x, (type, types.ModuleType, str, int, float, Graph)):
        return False
    seen.add(id(x))
    if isinstance(x, types.FunctionType) and is_converted(x.__code__):
        return True
    return any(_holds_captured(part, seen) for part in _parts(x))


def _parts(x: Any) -> Iterable[Any]:
    if isinstance(x, types.FunctionType):
        return [*closed_over(x), *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
    if isinstance(x, types.MethodType):
        return [x.__self__, x.__func__]
    if isinstance(x, functools.partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, dict):
        return x.values()
    if isinstance(x, (tuple, list, set, frozenset)):
        return x
    return list(getattr(x, "__dict__", {}).values())
