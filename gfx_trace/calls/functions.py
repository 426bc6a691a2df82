"""Functions that stay functions: one of the user's that is called is captured once for arguments of one kind, and called.

What is captured is only taken where a call of it does what the author's does: of what was there before its body writes nothing but
tensors that it is given and the state of the random numbers; it gives values of its own, what it is given, constants and containers
of these; what it reads from outside is as it was. Any other is expanded.
"""

from __future__ import annotations

import inspect
import types
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from gfx_ir.control import is_placeholder
from gfx_ir.errors import CaptureError, GfxError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.joins import agree
from gfx_ir.naming import called, free_name, identifier
from gfx_ir.op import lookup
from gfx_ir.passes.fingerprint import region_key
from gfx_ir.passes.outline import told_apart
from gfx_ir.source import docstring

from ..frameworks.grad_mode import CALLERS, GradMode
from ..heap.contents import writes
from ..heap.made import Outlives
from ..heap.reads import Reached, calls_nothing
from ..interfaces import Capturing
from ..python.draws import own_key
from ..values.lost import Lost
from ..values.proxy import HostProxy, Proxy
from ..values.raised import Raised
from .conversion import convert
from .kept import Idle, Kept, Share
from .outputs import Outputs
from .profiles import Profile, Profiles
from .signatures import Given, NoCall, Open, surely_fixed

_HOPELESS = 8
"""How often a capture of a function may come to nothing, for each one that did not, before it is always expanded."""
_IDLE = 2
"""The same of one that is given nothing open, as what reads a configuration."""
_ENDLESS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class RunsModule(GfxError):
    """A function calls a module: it is a part of the one whose forward runs, and the model's modules are the functions."""


class Functions:
    """The functions of one capture that are called."""

    def __init__(self, tracer: Capturing, share: Share) -> None:
        self.tracer, self.share = tracer, share
        self.profiles = Profiles(tracer.record, tracer.castable)
        self.graphs: dict[str, Graph] = {}
        self._equal: dict[Hashable, str] = {}  # their names, by what they do
        self.authors: dict[str, str] = {}  # what the author calls each
        self.flat: set[str] = set()  # which take and give as many values as the author's
        self._kept: dict[Any, Kept | None] = {}
        self._failed: Counter[types.CodeType] = Counter()
        self._codes: list[types.CodeType] = []  # whose ids these are
        self.hopeless: set[int] = set()  # ids of the code of functions that are always expanded
        self._idle: Counter[types.CodeType] = Counter()  # how often one computed nothing, given nothing open
        self._bodies = 0  # how many functions are being captured, each in the one before

    def enters(self, f: types.FunctionType) -> None:
        """Note that the body of f is captured: what it reads from outside decides what it does."""
        self.share.entered += 1
        self.tracer.consulted.runs(f)

    def call(self, new: Callable[..., Any], f: types.FunctionType, args: tuple, kwargs: dict) -> Any:
        """What a call of f, whose rewritten form is `new`, gives; NotImplemented where it has to be expanded."""
        idle = self._idle.get(f.__code__, 0) >= _IDLE
        if idle and surely_fixed(f, args, kwargs):
            return NotImplemented
        if not self.share.on or f.__code__.co_flags & _ENDLESS or writes(f.__name__):
            return self.expand(f)
        mode = self.mode()
        if mode is None or self.tracer.scopes.is_own_forward(f, args):
            return NotImplemented
        try:
            given = Given(self.tracer, self.profiles, f, args, kwargs)
        except (NoCall, CaptureError):  # what an argument holds may be undecided
            return NotImplemented
        if idle and not given.values:
            return NotImplemented
        key = mode, given.key
        kept = self._kept.get(key)
        if key not in self._kept or (kept is not None and not kept.holds(self.tracer)):
            self._kept[key] = None  # where it calls itself
            found = self._captured(new, f, given, args, kwargs)
            if isinstance(found, Idle):
                return found.result
            kept = self._kept[key] = found
        if kept is None or not kept.is_apart(self.tracer, given) or not kept.lets_out(self.tracer):
            return NotImplemented
        self.tracer.consulted.again(kept.reached.reads)
        self.share.calls += bool(kept.name)
        self.share.doubtful += kept.outputs.doubts
        self.share.entered += kept.entered
        return self._called(kept, given)

    def runs_module(self) -> None:
        """Note that a module is called. Raises RunsModule where a function around is being captured: it has to be expanded."""
        if self._bodies:
            raise RunsModule("a function that calls a module is a part of the model")

    def asks_class(self, value: Any) -> None:
        """Note that the code asks for the class of an array. Raises UnsupportedConstruct for what a function is given that is being
        captured: only who calls it knows, so that it is expanded."""
        root = self.tracer.facts.root(value) if self._bodies and type(value) is Value else None
        if root is not None and is_placeholder(root.node) and not self.tracer.assumed.is_argument(root):
            raise self.tracer.error("GFX cannot tell the class of what a function is given")

    def expand(self, f: types.FunctionType) -> Any:
        """Note that a function is always expanded."""
        self._codes.append(f.__code__)
        self.hopeless.add(id(f.__code__))
        return NotImplemented

    def mode(self) -> Hashable:
        """What tells the gradient mode; None: data decides."""
        mode = self.tracer.gradients.mode
        if mode is CALLERS:
            return "caller's"
        return (mode.enabled, mode.inference) if type(mode) is GradMode else None

    # ------------------------------------------------------------------ what is captured
    def _captured(
        self, new: Callable[..., Any], f: types.FunctionType, given: Given, args: tuple, kwargs: dict
    ) -> Kept | Idle | None:
        """f captured on the graph of the whole capture, for arguments like these; what this call of it gave, where it did nothing but
        Python's work; None where it has to be expanded."""
        entered, reached = self.share.entered, Reached(given.objects, self.tracer.journal)
        self._bodies += 1
        try:
            with self.tracer.consulted.watched(reached.reads), self._or_nothing():
                with self._alone(f.__name__) as side:
                    places: list[Open] = list(map(self._place, given.values, given.held, given.profiles, given.names))
                    key = self.tracer.key = Proxy(side.graph.add_placeholder("key", "key"), self.tracer.backend)
                    own = list(side.graph.placeholders)
                    filled = given.filled(places)
                    function = filled(f)
                    arguments = tuple(map(filled, args)), {name: filled(x) for name, x in kwargs.items()}
                    if function is not f:
                        new = function if new is f else convert(function, self.tracer)
                    found = self.tracer.calls.enter(new, function, *arguments, expanded=True)
                    idle = not (given.values or self._left_something(side))
                    outputs = Outputs(self.tracer.facts, _of_graph(side.graph), places, filled.made)
                    result = found if idle else self._result(found, outputs, [*places, key], own)
                self._check(side, outputs, reached, idle)
        except RunsModule:
            self.expand(f)
            return None
        except (Exception, Raised) as error:  # which its expansion raises again, at its place
            self._came_to_nothing(f, given, type(error) is Outlives)
            return None
        finally:
            self._bodies -= 1
            entered, self.share.entered = self.share.entered - entered, entered
        if idle:
            self._came_to_nothing(f, given)
            self.share.entered += entered
            return Idle(result)
        self._failed[f.__code__] -= _HOPELESS
        if not given.values:
            self._idle[f.__code__] -= _HOPELESS
        graph, closed, name = side.graph, list[Value](), ""
        if key.value is own[-1]:
            graph.placeholders.remove(own.pop())
        if self._acts(side, outputs):
            closed = _from_outside(side, own)
            graph.result = tuple(outputs.values) if len(outputs.values) > 1 else next(iter(outputs.values), None)
            name = self._named(f, graph)
            if given.flat(args, kwargs) and outputs.flat(result, len(given.values)):
                self.flat.add(name)
        reached.since = len(self.tracer.journal.log)
        return Kept(graph, name, closed, outputs, result, reached, entered)

    def _left_something(self, side: Any) -> bool:
        """Whether a body computed, wrote to what was there before it, or made an iterator, which is its region's."""
        return bool(
            side.graph.count
            or side.captures
            or self.tracer.journal.frames[-1]
            or self.tracer.iteration.has_made(side.graph)
        )

    def _result(self, found: Any, outputs: Outputs, places: list[Open], own: list[Value]) -> Any:
        """What a body gives and writes, as outputs of its graph: `own` are its placeholders, as which `places` began. Raises NoCall."""
        result = outputs.of(found)
        if not all(map(self._is_settled, outputs.containers.values())):
            raise NoCall
        for at, (place, value) in enumerate(zip(places, own)):
            if type(place) is Proxy and place.value is not value:
                outputs.written(at, place)
            if type(place) is Proxy and type(place.base) is Lost:
                raise NoCall
        return result

    def _came_to_nothing(self, f: types.FunctionType, given: Given, outlives: bool = False) -> None:
        """Note that a capture of f did; `outlives`: as it writes, which it will do again."""
        self._failed[f.__code__] += _HOPELESS // _IDLE if outlives else 1
        if not given.values:
            self._idle[f.__code__] += 1
        failed = self._failed[f.__code__]
        if failed >= _HOPELESS or (failed > 0 and given.alone and calls_nothing(f)):
            self.expand(f)

    def _is_settled(self, x: Any) -> bool:
        """Whether all that a container holds says what it is: no test decides which keys it has, or which container it may be."""
        return x not in self.tracer.journal.links and not self.tracer.effects.is_unsure(x)

    @contextmanager
    def _or_nothing(self) -> Iterator[None]:
        """Capture what may not be what its calls do: nothing is left of it then."""
        tracer = self.tracer
        assumed, notes, noted = tracer.assumed.state(), len(tracer.notes), tracer.effects.noted()
        try:
            yield
        except BaseException:
            tracer.assumed.back(assumed)
            tracer.effects.back(noted)
            del tracer.notes[notes:]
            raise

    @contextmanager
    def _alone(self, name: str) -> Any:
        """Capture a body by itself, whose facts hold at each of its calls; yields its Side."""
        tracer, missing = self.tracer, dict(self.tracer.missing)
        known, tests, site, escaped = tracer.facts.known, tracer.facts.dtype_tests, tracer.site, tracer.regions.escaped
        tracer.facts.known, key, handlers = {}, tracer.key, tracer.raising.handlers
        tracer.raising.handlers = []
        tracer.journal.made.functions.append(len(tracer.journal.made))
        try:
            with tracer.arrays.outermost(), tracer.regions.opened(name) as side:
                yield side
            if len(tracer.missing) > len(missing):  # they are told where it is expanded
                raise NoCall
        finally:
            tracer.journal.made.functions.pop()
            tracer.facts.known, tracer.facts.dtype_tests, tracer.site, tracer.regions.escaped = (
                known,
                tests,
                site,
                escaped,
            )
            tracer.key, tracer.raising.handlers = key, handlers
            tracer.missing.clear()
            tracer.missing.update(missing)

    def _check(self, side: Any, outputs: Outputs, reached: Reached, idle: bool) -> None:
        """Raises NoCall where a call of what was captured would not do what the author's does, or would compute what nobody takes;
        `idle`: it did Python's work alone, given nothing open."""
        if idle and not side.links:
            return
        if any(slot.kind != "mode" or slot.old is not value for slot, value in side.written):
            raise NoCall
        closed = all(value.node.graph is not None for value in side.captures)
        acts = self._acts(side, outputs) or not any(map(self.tracer.raising.matters, side.graph.walk()))
        texts = any(
            type(value) is Value and value.kind == "str" for value in outputs.values
        )  # told where they are used
        if not (acts and closed) or texts or (outputs.doubts and not self.share.doubts):
            raise NoCall
        if not all(map(reached.is_not, outputs.containers.values())):
            raise NoCall

    def _acts(self, side: Any, outputs: Outputs) -> bool:
        """Whether a call of a body computes or does anything; of one that does not, what it gives is all there is."""
        return bool(outputs.values) or any(map(self.tracer.raising.acts, side.graph.walk()))

    def _place(self, x: Open, value: Value, told: Profile, name: str) -> Open:
        """What stands for an open value in the body: of its type, and with all that is known of it."""
        made = self.tracer.graph.add_placeholder(name, told.kind, told.type)
        made.name = value.name
        self.profiles.tell(made, told)
        return Proxy(made, x.backend) if type(x) is Proxy else HostProxy(made, x.backend, x.taken)

    def _named(self, f: types.FunctionType, graph: Graph) -> str:
        """The name of the function of the program that does what a graph does: for arguments of another kind it may be the same."""
        failing = tuple(map(self.tracer.raising.may_fail, graph.walk()))
        given = tuple(map(told_apart, graph.placeholders))
        key = f.__code__, given, region_key(graph), failing
        known = self._equal.get(key)
        if known is None:
            name = identifier(self._called_here(f))
            known = self._equal[key] = free_name(name, (*self.graphs, self.tracer.outermost.name))
            self.authors[known] = name
            graph.name, graph.doc = known, docstring(f.__doc__)
            self.graphs[known] = graph
        else:
            agree(self.graphs[known], graph, self.tracer.promotion)
        return known

    def _called_here(self, f: types.FunctionType) -> str:
        """What the author calls a function: one without a name by that of the variable that holds it where it is called."""
        here = self.tracer.site.f_locals if f.__name__ == "<lambda>" and self.tracer.site is not None else {}
        return next((name for name, held in here.items() if held is f and name.isidentifier()), called(f.__qualname__))

    # ------------------------------------------------------------------ calls
    def _called(self, kept: Kept, given: Given) -> Any:
        tracer, outputs = self.tracer, kept.outputs
        if not kept.name:
            return outputs.given(kept.result, (), given.values, given.containers)
        draws = any(at == len(given.values) for at, _ in outputs.writes)
        values: list[Open] = [*given.values, own_key(tracer)] if draws else given.values
        drawn = [own_key(tracer).read()] if draws else []
        taken = tuple(tracer.local(value) for value in (*given.held, *drawn, *kept.closed))
        node = Node(lookup("call"), (kept.name, "", taken), tuple([v.kind for v in outputs.values]), tracer.span())
        tracer.graph.insert(node, None)
        made: list[Open] = []
        for at, (value, inner, like) in enumerate(zip(node.values, outputs.values, outputs.like)):
            value.name, value.type = outputs.names.get(at), inner.type
            self.profiles.follow(value, inner)
            made.append(
                Proxy(value, like.backend) if type(like) is Proxy else HostProxy(value, like.backend, like.taken)
            )
        for at, own in outputs.writes:
            written = values[at]
            assert type(written) is Proxy
            written.write(node.values[own])
        return outputs.given(kept.result, made, given.values, given.containers)


def _of_graph(graph: Graph) -> Callable[[Node], bool]:
    return lambda node: node.graph is graph


def _from_outside(side: Any, own: list[Value]) -> list[Value]:
    """What a body takes from outside, beside what it is given: no argument of the author's has the names of these."""
    outer = {placeholder: value for value, placeholder in side.captures.items()}
    found = [place for place in side.graph.placeholders if place not in own]
    for place in found:
        place.node.set_args(("", *place.node.args[1:]))
    return [outer[place] for place in found]
