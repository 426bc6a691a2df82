"""Repeated modules: what a module does that is like one that was called before is recorded as that was, with its own tensors.

The nodes of a call stand for those of another one where both modules hold the same but for their tensors and for constants that the
code did not ask for, what they are given is of one kind, and what the code reads from elsewhere is as it was; and where the call did
nothing but compute: it wrote nothing that was there before it, and no code in C was given a module.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from gfx_ir.control import is_parameter, is_placeholder
from gfx_ir.errors import CaptureError
from gfx_ir.graph import Graph, Node, Value, values_in
from gfx_ir.probing import is_module
from gfx_ir.source import Scope

from ..heap.contents import MODULE_TABLES, WITHOUT_PARTS, attributes_of
from ..heap.correspondence import OF_THE_CAPTURE, Correspondence
from ..heap.reads import Reached
from ..interfaces import Capturing
from ..values.facts import Known
from ..values.proxy import HostProxy, Proxy
from .outputs import Outputs
from .signatures import Given, NoCall
from .twins import Twins

Run = Callable[[Any, tuple, dict], Any]
_HOPELESS = 8
"""How many modules of a kind, each unlike those before it, are compared with these."""
_TENSORS = MODULE_TABLES[:2]
_PLAIN = WITHOUT_PARTS | {Proxy, HostProxy, FunctionType, BuiltinFunctionType, type}
"""What leads to no module."""
_OF_CODE = (inspect.signature, inspect.getfullargspec, inspect.getsource, inspect.unwrap, inspect.ismethod, callable)
"""What asks a method for its code alone."""


@dataclass(eq=False)
class Called:
    """A call of a module that was captured: `nodes`, in `graph`, under the scope `outer`; `places`, the positions of what is `given`, by
    its values; `closed`, what the nodes take from outside beside that; `result`, as a tree of `outputs`; `drawn`, the key from
    which it drew random numbers, and the one that it left.

    `reached`: what the code read, and could write; `met`: what beside modules holds modules that it came to. `replaced`: up to which
    write to a tensor; `entered`: how many functions."""

    module: Any
    given: Given
    graph: Graph
    outer: Scope
    reached: Reached
    nodes: list[Node] = field(default_factory=list)
    places: dict[Value, int] = field(default_factory=dict)
    closed: list[Value] = field(default_factory=list)
    outputs: Any = None
    result: Any = None
    drawn: tuple[Value, ...] = ()
    met: dict[int, Any] = field(default_factory=dict)
    entered: int = 0
    replaced: int = 0
    spoilt: bool = False


class Repeated:
    """The calls of modules in one capture, and which of them others may repeat."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self._kinds: dict[int, Hashable] = {}  # what modules are made of, by id
        self._counts: Counter[Hashable] = Counter()
        self._kept: dict[Hashable, list[Called]] = {}
        self._open: list[tuple[Called, Hashable]] = []
        self._missed: Counter[Hashable] = Counter()  # how many calls of a kind, in a row, were like none before
        self._apart = set[Hashable]()  # kinds of which no call stands for others
        self._alone = False  # whether modules have other tensors in the place of their own

    def registers(self, module: Any) -> None:
        """Note of what a model and the modules in it are made."""
        self._kind_of(module)

    @contextmanager
    def alone(self, alone: bool) -> Iterator[None]:
        """Where modules have other tensors than their own (`alone`), no call stands for others."""
        before, self._alone = self._alone, self._alone or alone
        try:
            yield
        finally:
            self._alone = before

    def spoils(self) -> None:
        """Note that no other call does what those do that are open."""
        for called, _ in self._open:
            called.spoilt = True

    def gives(self, f: Any, *given: Any) -> None:
        """Note what code that is not entered is given: it may ask a module for anything, and which one it is."""
        if self._open and not _PLAIN.issuperset(map(type, given)) and any(map(_leads_to_module, given)):
            if not any(f is one for one in _OF_CODE):
                self.spoils()

    def meets(self, found: Any, holder: Any = None) -> Any:
        """Note what the code comes to: a module, or a list of such, is to be held by what the module that is called holds (`holder`)."""
        if self._open and type(found) not in _PLAIN and _leads_to_module(found):
            for called, _ in self._open:
                called.met[id(holder)] = holder
        return found

    def compares(self, a: Any, b: Any) -> None:
        """Note that the code asks whether a module is another one, or a tensor."""
        if self._open and ((is_module(a) and is_module(b)) or type(a) is type(b) is Proxy):
            self.spoils()

    def call(self, module: Any, args: tuple, kwargs: dict, run: Run) -> Any:
        """What run(module, args, kwargs) gives: recorded as that of a module like it, where one was called."""
        kind, tracer = self._kind_of(module), self.tracer
        if not self._may_repeat(module, kind):
            return run(module, args, kwargs)
        try:
            given = Given(tracer, tracer.functions.profiles, type(module).forward, args, kwargs)
        except (NoCall, CaptureError):  # what an argument holds may be undecided
            return run(module, args, kwargs)
        key = kind, tracer.functions.mode(), tracer.quiet, given.key, tuple(map(self._whose, given.held))
        for called in self._kept.get(key, ()):
            like = self._like(called, module, given)
            if like is not None:
                self._missed[kind] = 0
                return self._again(called, given, like)
        reached = Reached([module, *given.objects], tracer.journal)
        with self._recorded(Called(module, given, tracer.graph, tracer.scopes.scope, reached), kind) as called:
            found = called.result = run(module, args, kwargs)
        self._missed[kind] += 1
        if called.spoilt or self._missed[kind] > _HOPELESS:
            self._apart.add(kind)
        else:
            self._kept.setdefault(key, []).append(called)
        return found

    def _again(self, called: Called, given: Given, like: Correspondence) -> Any:
        """What a call gives that another one stands for; it reads and comes to what that did, where it stands."""
        self.tracer.functions.share.entered += called.entered
        self.tracer.consulted.again(called.reached.reads)
        for held in (like.there[holder] for holder in called.met):
            for around, _ in self._open:
                around.met[id(held)] = held
        return Twins(self.tracer, called, given, like).result()

    # ------------------------------------------------------------------ which modules
    def _kind_of(self, module: Any) -> Hashable:
        """What tells modules apart at a glance: their class, the types of their tensors and the kinds of the modules in them."""
        found = self._kinds.get(id(module))
        if found is None:
            self._kinds[id(module)] = id(module)  # of one that holds itself
            own = attributes_of(module)
            tensors = [(name, _type_of(x)) for table in _TENSORS for name, x in (own.get(table) or {}).items()]
            inner = [(name, self._kind_of(x)) for name, x in (own.get("_modules") or {}).items() if x is not None]
            found = self._kinds[id(module)] = hash((type(module), *tensors, *inner))
            self._counts[found] += 1
        return found

    def _whose(self, value: Value) -> Value | None:
        """The argument or parameter that a value is, of which the code may ask more than of what is computed."""
        root = self.tracer.facts.root(value)
        return root if is_parameter(root.node) or is_placeholder(root.node) else None

    def _may_repeat(self, module: Any, kind: Hashable) -> bool:
        """Whether there are others like a module, beside those in one around it, and its class says what a call does."""
        counts, tracer = self._counts, self.tracer
        if self._alone:
            return False
        if counts[kind] < 2:
            counts[kind] += 1  # one that is called again is like itself
            return False
        if kind in self._apart or (self._open and counts[kind] <= counts[self._open[-1][1]]):
            return False
        special = tracer.raising.handlers or tracer.staged_values or tracer.decomposing or tracer.own_rules
        if special or tracer.gradients.ruled or tracer.facts.dtype_tests or tracer.functions.mode() is None:
            return False
        return type(type(module).forward) is FunctionType and "forward" not in attributes_of(module)

    # ------------------------------------------------------------------ what a call did
    @contextmanager
    def _recorded(self, called: Called, kind: Hashable) -> Iterator[Called]:
        """Record a call: what it added, asked for and read; it is spoilt where it did more than that."""
        tracer, graph, journal, facts = self.tracer, called.graph, self.tracer.journal, self.tracer.facts
        last, count, replaced, key = graph.last, graph.count, len(journal.replaced), self._key()
        state, entered, before = self._state(), tracer.functions.share.entered, facts.known
        facts.known = known = Known(before, [])
        self._open.append((called, kind))
        try:
            with tracer.consulted.watched(called.reached.reads):
                yield called
        finally:
            self._open.pop()
            if facts.known is known:
                before.update(known)
                facts.known = before
        called.entered = tracer.functions.share.entered - entered
        called.nodes, called.replaced = _behind(graph, last), len(journal.replaced)
        called.spoilt |= (
            bool(known.asked)
            or any(map(_leads_to_module, called.reached.reads.held()))
            or any(map(_leads_to_module, called.given.objects))
            or state != self._state()
            or (last is not None and last.graph is not graph)
            or len(called.nodes) != graph.count - count
            or any(node.regions for node in called.nodes)
            or bool(called.reached.written())
            or not self._told(called, set(journal.replaced[replaced:]), key)
        )

    def _key(self) -> Any:
        """What random numbers are drawn from next; None: none was drawn yet."""
        return None if self.tracer.key is None else self.tracer.key.read()

    def _state(self) -> tuple:
        """What only grows where a call does more than to compute."""
        tracer = self.tracer
        return (
            tracer.gradients.mode, len(tracer.missing), len(tracer.own_leaves), len(tracer.derived), tracer.effects.noted()[1],
            len(tracer.stack), tracer.graph,
        )  # fmt: skip

    def _told(self, called: Called, replaced: set[Value], key: Any) -> bool:
        """Whether the result and what the nodes take is told, and nothing was written but tensors that the call made, and the `key`
        from which it drew."""
        nodes, left = set(called.nodes), self._key()
        if left is not key:
            first = [key] if key is not None else [x for x in replaced if x.kind == "key" and is_placeholder(x.node)]
            if len(first) != 1 or left.node not in nodes:
                return False
            called.drawn = first[0], left
        if not all(value.node in nodes for value in replaced.difference(called.drawn)):
            return False
        given = dict(enumerate(called.given.containers))
        called.outputs = Outputs(self.tracer.facts, nodes.__contains__, called.given.values, given)
        try:
            called.result = called.outputs.of(called.result)
        except NoCall:
            return False
        if not all(map(called.reached.made, called.outputs.containers.values())):
            return False
        root = self.tracer.facts.root
        called.places = {root(value): at for at, value in enumerate([*called.given.held, *called.drawn[:1]])}
        taken = dict.fromkeys(value for node in called.nodes for value in values_in(node.args))
        called.closed = [value for value in taken if value.node not in nodes and root(value) not in called.places]
        return len(called.places) == len(called.given.held) + bool(called.drawn)

    # ------------------------------------------------------------------ which calls it stands for
    def _like(self, called: Called, module: Any, given: Given) -> Correspondence | None:
        """How a module corresponds to one that was called, where the nodes of that call do what a call of this one does."""
        tracer, like = self.tracer, Correspondence()
        there = called.graph is tracer.graph and all(node.graph is called.graph for node in called.nodes)
        if not (there and called.reached.reads.hold() and like.of(called.module, module)):
            return None
        if not all(tracer.is_leaf(a) is tracer.is_leaf(b) for a, b in like.modules):
            return None
        asked = called.reached.reads.asked
        if any(place in asked or (place[0], None) in asked for place in like.differ):
            return None
        if not (called.met.keys() <= like.there.keys() and self._untouched(called, like)):
            return None
        return like if self._tensors_are_apart(called, given, like) else None

    def _untouched(self, called: Called, like: Correspondence) -> bool:
        """Whether nothing that the code can come to was written since the call, and nothing of the other module ever."""
        touched = self.tracer.journal.touched
        return touched.isdisjoint(map(id, like.there.values())) and called.reached.untouched()

    def _tensors_are_apart(self, called: Called, given: Given, like: Correspondence) -> bool:
        """Whether what the nodes take beside what is given is as it was, is none of that and shares no memory with it; the tensors of
        both modules are as they were before the capture."""
        tracer, root = self.tracer, self.tracer.facts.root
        taken = given.memory()
        own = [tracer.known[id(x)] for pair in like.tensors for x in pair if id(x) in tracer.known]
        if not all(x.base is None and type(x.value) is Value and is_parameter(x.value.node) for x in own):
            return False
        if not taken.isdisjoint(x.value for x in own) or not taken.isdisjoint(map(root, called.closed)):
            return False
        journal, computed = tracer.journal, [x for x in called.closed if not is_parameter(root(x).node)]
        if computed and called.replaced != len(journal.replaced):  # it may be a view of what was written
            return False
        return all(x.node.graph is not None and x not in journal.overwritten for x in called.closed)


def _type_of(x: Any) -> Hashable:
    if x is None or isinstance(x, OF_THE_CAPTURE):
        return ()
    try:
        return x.dtype, tuple(x.shape)
    except RuntimeError:  # it has none yet
        return ("open",)


def _behind(graph: Graph, last: Node | None) -> list[Node]:
    """The nodes of a graph behind one of them."""
    node, found = graph.first if last is None else last.next, list[Node]()
    while node is not None:
        found.append(node)
        node = node.next
    return found


def _leads_to_module(x: Any) -> bool:
    """Whether x is a module, or a method of one, or holds one."""
    if type(x) is MethodType:
        x = x.__self__
    kind = type(x)
    if kind in _PLAIN:
        return False
    if issubclass(kind, (list, tuple, set, frozenset)):
        return any(map(_leads_to_module, x))
    if issubclass(kind, dict):
        return any(map(_leads_to_module, x.values())) or any(map(_leads_to_module, x))
    return is_module(x)
