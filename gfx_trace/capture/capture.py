"""Capture of one target: bind arguments, run the rewritten function, close the graph."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gfx_ir.codegen import origin
from gfx_ir.errors import CaptureError, GfxError, UnsupportedConstruct
from gfx_ir.graph import Graph
from gfx_ir.naming import snake
from gfx_ir.passes.dce import keep_errors
from gfx_ir.passes.dead_arguments import drop_results
from gfx_ir.passes.gradient_stops import fewer_stops
from gfx_ir.passes.inline import called_by
from gfx_ir.passes.subtrees import callers_first
from gfx_ir.pause import collection_paused
from gfx_ir.probing import is_module, own_attribute, stated_name
from gfx_ir.program import Program
from gfx_ir.rules import building
from gfx_ir.source import Span, docstring

from ..calls.functions import Functions
from ..calls.kept import Share
from ..calls.modules import Mode, authors_own, register_root
from ..calls.single_calls import inline_single_calls
from ..control.nouns import with_article
from ..control.state import lasting_writes
from ..control.writes import Write
from ..frameworks.assumed_kinds import merged
from ..frameworks.holding import refuse_missing
from ..frameworks.libraries import NotEntered, Route, Routes
from ..heap.aliases import Undecided, WrittenConstant
from ..objects.attributes import own_function
from ..python.remembered import Left
from ..python.scopes import nested
from ..rewrite import is_converted
from ..rewrite.tracebacks import walk
from ..trace.arguments import Arguments, Bound
from ..trace.filled import hints_of
from ..trace.tracer import Tracer
from ..values.flavour import flavour_of, loaded_frameworks
from ..values.open_keys import Keys, with_keys
from ..values.open_sizes import Sizes
from .later_calls import as_later_calls
from .most_open import most_open
from .replaced import State, with_all_state
from .results import Made as Tree
from .results import Results

_EXPANDED = 1000
"""How many functions are entered at most where a capture is tried without calls."""


@dataclass
class Captured:
    """A program with what only the process that captured it knows: the target, and how its result is put together."""

    program: Program
    target: Any
    rebuild: Callable[[Any], Any] | None
    notes: list[str]
    slots: dict[str, Write]
    left: Left  # what a later call may find otherwise than the first
    returned: dict[str, str]  # arguments that are objects with tensors, by path: where the result has them
    modes: list[Mode] = field(default_factory=list)
    errors: dict[str, type] = field(default_factory=dict)
    held: dict[str, Any] = field(default_factory=dict)  # tensors of the target, by path, of which guards tell
    bound: dict[str, Any] = field(default_factory=dict)  # arrays that functools.partial bound to the target, by path


def capture(
    target: Any,
    args: tuple,
    kwargs: dict,
    *,
    asked: str | None = None,
    tracer_class: Callable[..., Tracer] = Tracer,
    **options: Any,
) -> Captured:
    """Capture `target`. See `symbolic_trace` for the arguments and errors."""
    target = _called(authors_own(loaded_frameworks(), target))

    rest = dict(options)
    dynamic, routes = rest.pop("dynamic", False), Routes()

    def with_sizes(sizes: Sizes | None) -> Captured:
        def by_route(route: Route) -> Captured:
            def with_these(keys: Keys) -> Captured:
                def with_state(state: State) -> Captured:
                    work = partial(_capture, target, args, kwargs, asked, tracer_class, rest, route, keys, sizes, state)
                    with suppress(WrittenConstant):
                        return _for_later_calls(partial(work, True), True)
                    return _for_later_calls(partial(work, False), False)

                return with_all_state(with_state)

            return with_keys(with_these)

        return routes.routed(by_route)

    if not dynamic or rest.get("strict"):
        return with_sizes(Sizes() if dynamic else None)
    return most_open(with_sizes, lambda made: made.program, lambda made, told: made.notes.extend(told))


def _for_later_calls(work: Callable[[Share], Captured], constants: bool) -> Captured:
    return as_later_calls(lambda: _with_functions(work), lambda: work(Share(on=False)), constants)


_SURER: tuple[dict[str, bool], ...] = ({}, {"refs": True}, {"trips": True})
"""What a capture knows more of than the one before, where that left undecided what a write changes."""


def _with_functions(work: Callable[[Share], Captured], surer: int = 0) -> Captured:
    """Capture, where functions stay functions. Where that is refused, `surer` ones decide what writes change; then all
    calls are expanded, unless that is work without end: more is known then of what each is given."""
    how = _SURER[surer]
    for share in (Share(**how), Share(doubts=False, **how)):
        try:
            return work(share)
        except Exception as error:
            if surer + 1 < len(_SURER) and isinstance(error, Undecided):
                with suppress(UnsupportedConstruct):
                    return _with_functions(work, surer + 1)
            if not _worth_trying(share, share.calls, error):
                raise
        if not share.doubtful:
            break
    return work(Share(on=False, **how))


def _worth_trying(share: Share, calls: int, error: Exception) -> bool:
    """Whether what was refused may be captured where so many calls are expanded."""
    return bool(calls) and share.entered <= _EXPANDED and not isinstance(error, (WrittenConstant, NotEntered))


def _called(target: Any) -> Any:
    """The method that a call of the target runs, where it is an object of a class of the user's; else the target."""
    call = own_function(own_attribute(type(target), "__call__"))
    return target if call is None or is_module(target) else types.MethodType(call, target)


def _capture(
    target: Any,
    args: tuple,
    kwargs: dict,
    asked: str | None,
    tracer_class: Callable[..., Tracer],
    options: dict[str, Any],
    route: Route,
    keys: Keys,
    sizes: Sizes | None,
    replaced: State,
    constants: bool,
    share: Share,
) -> Captured:
    """Capture, with small arrays from outside as constants or not, and functions that stay functions or not."""
    options = dict(options)
    emitted = origin(target)
    entered, target = target, target if emitted is None else emitted.bare()
    flavour = flavour_of(target, args, kwargs, asked)
    promotion = options.pop("promotion", None) or (flavour.rules() if flavour is not None else "array_api")
    function, name, documented = described(target)
    graph = Graph(name, docstring(documented.__doc__) if documented is not None else "")
    tracer = tracer_class(graph, flavour, promotion, options)
    tracer.functions, tracer.libraries.route = Functions(tracer, share), route
    tracer.scopes.scope.doc, tracer.constants, tracer.replaced = graph.doc, constants, replaced
    with building(tracer), collection_paused():
        root = own_attribute(target, "__self__", target)
        if is_module(root):
            register_root(tracer, root)
        signature = _signature(tracer, function)
        arguments = Arguments(tracer, sizes, keys)
        bound = arguments.bind(signature, hints_of(function), args, kwargs)
        tracer.stagings.sizes += [dim for p in graph.placeholders if p.type is not None for dim in p.type.dims or ()]
        tracer.static_types = not graph.placeholders or any(p.type is not None for p in graph.placeholders)
        (tree, rebuild), results, (state, left) = _traced(tracer, entered, bound, documented, sizes is not None)
        graph.result = (tree, {write.path: write.value for write in state}) if state else tree
        tracer.castable.state(graph)
    program = _program(tracer, graph, bound, promotion, state, results)
    program.shared = _shared(results, state)
    slots, modes = {w.path: w for w in state if w.slot is not None}, list(tracer.assumed.modes.values())
    notes = list(dict.fromkeys(tracer.notes))
    found = Captured(
        program, target, rebuild, notes, slots, left, results.returned, modes, tracer.raising.errors,
        tracer.assumed.held, tracer.bound_arrays
    )  # fmt: skip
    vars(tracer).clear()
    return found


def _shared(results: Results, state: list[Write]) -> dict[tuple[int, ...], tuple[str, ...]]:
    """The paths of what is written in place that results stand for, by their places."""
    paths = {id(write.array): write.path for write in state if write.array is not None}
    found = {place: tuple([paths[id(x)] for x in held if id(x) in paths]) for place, held in results.shared.items()}
    return {place: written for place, written in found.items() if written}


def _program(
    tracer: Tracer, graph: Graph, bound: Bound, promotion: str, state: list[Write], results: Results
) -> Program:
    """The captured graph with the functions that it calls."""
    functions = called_by(graph, tracer.functions.graphs)
    fewer_stops(graph, functions)
    for captured, calls in ((graph, []), *callers_first(graph, functions)):
        drop_results(captured, [call for call in calls if call.graph is not None])
        keep_errors(captured, tracer.raising.raised_by, tracer.raising.may_fail, tracer.raising.acts)
    functions = inline_single_calls(graph, functions, tracer.functions.authors, tracer.functions.flat)
    return Program(
        graph, functions, bound.signature, _used(tracer, graph, state), merged(tracer.assumed.guards), promotion,
        tracer.backend.name if tracer.backend is not None else "numpy", [write.path for write in state],
        1 if tracer.static_types else 0, bound.records | results.records,
    )  # fmt: skip


def _traced(
    tracer: Tracer, target: Any, bound: Bound, documented: Any, dynamic: bool
) -> tuple[Tree, Results, tuple[list[Write], Left]]:
    """Run the code under the tracer: its result's tree, how that is put together again, its records, and what was written."""
    place, around = None, sys.exception()
    try:
        with tracer.iteration.closing():
            result = run(tracer, target, bound)
        tracer.gradients.check_left(tracer)
        place = tracer.span()
        tracer.journal.links.clear()
        outside = tracer.journal.outside()
        results = Results(tracer)
        made_of = results.tree(result)
        if dynamic:
            results.counted()
        given = tracer.given_objects
        back = [held for held in tracer.kept if id(held) in given and given[id(held)][0] in results.returned]
        tracer.memoised.check()
        state = lasting_writes(tracer, target, (bound.args, bound.kwargs), outside, back, Results(tracer).tree)
    except Exception as error:
        refuse_missing(tracer)
        if isinstance(error, GfxError) and error.span is None:
            error.span = place or tracer.span() or _defined_at(documented)
        if (refusal := _hidden(error, around)) is not None:
            raise refusal from None
        if not isinstance(error, (GfxError, WrittenConstant)):
            if _left_a_region(tracer, error):
                raise _under_a_test(tracer, error) from error
            if tracer.assumed.guards and not tracer.static_types:
                raise _as_assumed(tracer, error) from error
        raise
    finally:
        tracer.journal.undo()
    refuse_missing(tracer)
    return made_of, results, state


def _hidden(error: BaseException, around: BaseException | None) -> GfxError | None:
    """The refusal on whose way out a `finally` of the user's, or a manager's end, failed, as it found what the code had not come to.
    `around`: what was being handled when the code began."""
    context, found = error.__context__, None
    while context is not None and context is not around:
        handled = context.__traceback__
        if isinstance(context, GfxError) and handled is not None and is_converted(handled.tb_frame.f_code):
            found = context
        context = context.__context__
    return found


def _left_a_region(tracer: Tracer, error: BaseException | None) -> bool:
    """Whether an error comes of one that is raised only where a test, a loop or another function's call gets to it."""
    while error is not None and error is not tracer.regions.escaped:
        error = error.__context__
    return error is not None


def _under_a_test(tracer: Tracer, error: Exception) -> UnsupportedConstruct:
    """The refusal of code that fails where it may never be reached: what Python raises there, Python alone can say when."""
    hint = "GFX captures what stands under a traced test whether it holds or not: mend it, or test on what is known at capture"
    return _failing(tracer, error, "and whether it is reached may hang on data", hint)


def _as_assumed(tracer: Tracer, error: Exception) -> UnsupportedConstruct:
    """The refusal of code that fails where something is as the capture took it, and may not fail elsewhere."""
    taken = ", ".join(map(str, tracer.assumed.guards))
    return _failing(tracer, error, f"where {taken}, which the capture takes as given", "give the arguments at capture")


def _failing(tracer: Tracer, error: Exception, where: str, hint: str) -> UnsupportedConstruct:
    what = f"GFX cannot convert this code: it fails ({type(error).__name__}: {error}), {where}"
    places = [(frame, lasti) for frame, lasti, _ in walk(error.__traceback__) if is_converted(frame.f_code)]
    span = tracer.scopes.scope.span(places[-1][0].f_code, places[-1][1]) if places else tracer.span()
    return UnsupportedConstruct(what, span, hint)


def _defined_at(function: Any) -> Span | None:
    """Where a function begins: for errors that no line of it raises."""
    code = own_attribute(function, "__code__")
    return Span(code.co_filename, code.co_firstlineno, function.__name__) if code is not None else None


def _used(tracer: Tracer, graph: Graph, state: list[Write]) -> dict[str, Any]:
    """The parameters that the graph reads or writes: the code may have asked for more."""
    names = {path for path, value in graph.parameters.items() if value.uses} | {write.path for write in state}
    return {name: array for name, array in tracer.params.items() if name in names}


def _signature(tracer: Tracer, function: Any) -> inspect.Signature:
    """The signature of a target; a function of a framework's own has none to go by, and no code to capture."""
    if not callable(function):
        raise CaptureError(
            f"GFX cannot capture {with_article(type(function).__name__)}",
            hint="give it a function, a model or another callable",
        )
    if not isinstance(function, (types.FunctionType, types.MethodType)) and isinstance(
        tracer.calls.lifted(function), tuple
    ):
        name = stated_name(function, "f")
        raise CaptureError(
            f"{name!r} is a function of the framework's own",
            hint=f"capture a function that calls it: lambda x: {name}(x)",
        )
    try:
        return inspect.signature(_passed_on(function))
    except ValueError as error:
        raise CaptureError(str(error), hint="capture a Python function that calls it") from error


def _passed_on(function: Any) -> Any:
    """What has the signature: of an object that stands for a function, and passes on whatever it is called with, that function."""
    owner = own_attribute(function, "__self__")
    if not isinstance(function, types.MethodType) or own_attribute(owner, "__wrapped__") is None:
        return function
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    return owner if kinds == {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} else function


def run(tracer: Tracer, target: Any, bound: Bound) -> Any:
    """Run the target under the tracer."""
    try:
        return tracer.calls.call_entry(target, tuple(bound.args), bound.kwargs)
    except GfxError as error:
        if error.span is None:
            error.span = tracer.span()
        raise
    except RecursionError as error:
        raise nested(tracer.scopes.scope.name, tracer.span()) from error


def described(target: Any) -> tuple[Any, str, Any]:
    """(what has the signature, the graph's name, what has the docstring) of a target."""
    if is_module(target):
        library = type(target).__module__.startswith("torch.")  # its docstring is not the user's
        return (
            target.forward,
            snake(type(target).__name__, type(target).__module__),
            None if library else type(target).forward,
        )
    inner = target
    while isinstance(inner, functools.partial):
        inner = inner.func
    given = stated_name(target) if inner is not target else None
    if given is not None:
        return target, given, None
    owner = own_attribute(inner, "__self__")
    if isinstance(inner, types.MethodType):
        inner = inner.__func__
    unwrapped = own_attribute(inner, "__wrapped__")
    if not isinstance(inner, types.FunctionType) and unwrapped is not None:
        found = described(unwrapped)
        return found if inner is target else (target, *found[1:])
    name = stated_name(inner) or snake(type(inner).__name__)
    name = stated_name(owner) or snake(type(owner).__name__) if name == "__call__" else name
    return target, "f" if name == "<lambda>" else name, inner if isinstance(inner, types.FunctionType) else None
