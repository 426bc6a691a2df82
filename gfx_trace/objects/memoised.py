"""Memoisation: what is computed once and kept under a key, as cached properties and `functools.cache` keep it.

The real objects keep nothing of a capture: what was computed is known to the part of the code that computed it. What computes it
may run again where data decides whether it ran before, if it writes nothing.
"""

from __future__ import annotations

import functools
import gc
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from gfx_ir.control import is_loop
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.probing import stated_name
from gfx_ir.trees import leaves

from ..heap.aliases import Doubt, doubt, mutable
from ..heap.contents import FIXED
from ..heap.journal import containers
from ..heap.links import Link
from ..interfaces import Capturing
from ..python.attempts import Mark
from ..values.proxy import HostProxy, Proxy, is_open

Wrapper: type = functools._lru_cache_wrapper
_MAY_BE = "two calls of a function that remembers its results may give one object"


class Kept(NamedTuple):
    """What was computed under a key, the graph of the part of the code that did, what its tensors held then, and where that was."""

    graph: Graph
    value: Any
    held: tuple[Any, ...]
    span: Any

    @property
    def written(self) -> bool:
        """Whether one of its tensors was written since."""
        return any(leaf.value is not value for leaf, value in zip(filter(mutable, leaves(self.value)), self.held))

    @property
    def in_loop(self) -> bool:
        """Whether a later trip of a loop asks for it again."""
        owners = []
        graph: Graph | None = self.graph
        while graph is not None and graph.owner is not None:
            owners.append(graph.owner)
            graph = graph.owner.graph
        return any(map(is_loop, owners))


class Memory:
    """What one memoising function remembers: `kept` by key, the last used last. `open`: keys hold numbers that only a run knows, or
    data decides which keys there are. `outside`: it was made before the capture, so other calls may have filled it; `cleared`: what
    they left there is forgotten."""

    def __init__(self, outside: bool) -> None:
        self.kept: dict[Any, list[Kept]] = {}
        self.outside, self.open, self.cleared = outside, False, False


class Memoised:
    """The memories of a capture."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self.memories: dict[int, tuple[Any, Memory]] = {}  # by the id of their function, which is held
        self.lasting: list[Proxy] = []  # tensors that a function remembers beyond the call
        self.properties: dict[tuple[int, str], tuple[Any, list[Kept]]] = {}  # by object, which is held, and name

    def made(self, f: Any) -> None:
        """Native code made f: a function that remembers begins empty."""
        if type(f) is Wrapper:
            self.memories[id(f)] = f, Memory(outside=False)

    def memory(self, f: Any) -> Memory:
        """What a function remembers."""
        return self.memories.setdefault(id(f), (f, Memory(outside=True)))[1]

    def call(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """f(*args, **kwargs) of what functools.cache or lru_cache made."""
        memory, rules = self.memory(f), f.cache_parameters()
        before = answered(f, args, kwargs) if _remembers(f, memory) else _NOTHING
        if before is not _NOTHING:
            return before
        key, open_ = self._key(args, kwargs, rules["typed"])
        compute = lambda: self.tracer.calls.call(f.__wrapped__, args, kwargs)
        find = lambda: self._of(memory.kept.get(key, ()))
        found = self.tracer.native_methods.run((*args, *kwargs.values()), find)
        if found is not None:
            memory.kept[key] = memory.kept.pop(key)
            return found.value
        memory.open = memory.open or open_
        others = [kept.value for some in memory.kept.values() for kept in some] if memory.open else []
        once = not (memory.outside or self.tracer.stack or others or key in memory.kept)
        made = compute() if once else self.unwritten(compute, f"call of {_name(f)!r}, which remembers its results")
        for other in others:
            self._may_be_one(made, other)
        if memory.outside:  # which every later call finds as this one leaves it
            self.tracer.journal.links.never_alone(containers(made), made)
            self.lasting += [leaf for leaf in leaves(made) if mutable(leaf)]
        if rules["maxsize"] != 0:
            memory.kept.setdefault(key, []).append(self._kept(made))
        if rules["maxsize"] is not None and len(memory.kept) > rules["maxsize"]:
            memory.open = memory.open or bool(self.tracer.stack)
            if not memory.open:
                del memory.kept[next(iter(memory.kept))]
        return made

    def method(self, f: Any, name: str) -> Any:
        """f.cache_clear() and f.cache_info()."""
        memory = self.memory(f)
        if name == "cache_info" or memory.open or self.tracer.stack:
            what = "GFX does not know how often it was called" if name == "cache_info" else "data decides when"
            raise self.tracer.error(f"GFX cannot convert this call of {_name(f)}.{name}: {what}", "leave it out")
        memory.kept.clear()
        memory.cleared = True

    def once(self, kept: list[Kept], compute: Callable[[], Any], what: str) -> Any:
        """What is kept already for the part of the code that asks, or else is computed."""
        found = self._of(kept)
        if found is not None:
            return found.value
        made = self.unwritten(compute, what) if self.tracer.stack or kept else compute()
        kept.append(self._kept(made))
        return made

    def _kept(self, made: Any) -> Kept:
        held = tuple([leaf.value for leaf in leaves(made) if mutable(leaf)])
        return Kept(self.tracer.graph, made, held, self.tracer.span())

    def check(self) -> None:
        """At the end of a capture: what data decides when it was computed, and asks for again, was not written between."""
        alike = [*(some for _, memory in self.memories.values() for some in memory.kept.values())]
        for some in [*alike, *(some for _, some in self.properties.values())]:
            for one in some:
                if one.written and (len(some) > 1 or one.in_loop):
                    raise UnsupportedConstruct(
                        "GFX cannot convert this write: a function remembers the tensor, and data decides when it was computed first",
                        one.span,
                        "compute it before the test, loop or capture, or write to a copy: x.clone()",
                    )

    def unwritten(self, compute: Callable[[], Any], what: str) -> Any:
        """What is computed, where data, or another call, decides whether this is the first time: so it must write nothing."""
        tracer, mark, site = self.tracer, Mark(self.tracer), self.tracer.site
        tracer.journal.open()
        try:
            made = compute()
            tracer.site = site
            wrote = bool(tracer.journal.frames[-1]) or any(map(self._lasts, mark.nodes()))
        finally:
            tracer.journal.keep()
        if wrote:
            why = "it writes, or draws random numbers, the first time, and it is not known when that is"
            raise tracer.error(f"GFX cannot convert this {what}: {why}", "compute it before the test, loop or capture")
        return made

    def _lasts(self, node: Node) -> bool:
        """Whether a node, or one in its regions, has an effect that is another one the second time."""
        inside = [inner for region in node.regions for inner in region.walk()]
        return any(map(self.tracer.raising.lasts, (node, *inside)))

    def _of(self, kept: Iterable[Kept]) -> Kept | None:
        """What was kept by a part of the code that is still open, and was not taken back."""
        graphs = self.tracer.graphs
        return next((one for one in kept if any(one.graph is g for g in graphs) and _stands(one.value)), None)

    def _key(self, args: tuple, kwargs: dict, typed: bool) -> tuple[Any, bool]:
        """(key, whether data decides which others it equals). A tensor's key is the tensor itself, a number's its value in the graph."""
        given = [x for x in _in_tuples((*args, *kwargs.values())) if is_open(x)]
        numbers = [x for x in given if type(x) is HostProxy or x.weak]
        for x in given:
            if not any(x is number for number in numbers):
                hash(x)  # Python's TypeError, where it has none
        open_ = bool(numbers) or any(isinstance(x.base, Doubt) for x in given if type(x) is Proxy)
        named = {name: self._part(x) for name, x in kwargs.items()}
        return functools._make_key(tuple([self._part(x) for x in args]), named, typed), open_

    def _part(self, x: Any) -> Any:
        """What stands for an argument in a key; a tuple is told by its items."""
        if isinstance(x, tuple) and any(is_open(item) for item in _in_tuples(x)):
            return tuple(map(self._part, x))
        if not is_open(x):
            return x
        number = type(x) is HostProxy or x.weak
        return (_NUMBER, self.tracer.facts.key(x.value)) if number else Same(x)

    def _may_be_one(self, made: Any, other: Any) -> None:
        """Two results of which data decides whether they are one object: a write to one is refused where the other is read."""
        tensors = [leaf for leaf in leaves(other) if mutable(leaf)]
        for leaf in leaves(made):
            if mutable(leaf):
                doubt(leaf, tensors, _MAY_BE, add=True)
        held = containers(made, other)
        if id(made) in held and id(other) in held:
            self.tracer.journal.links.add(Link(made, other, None))


def _remembers(f: Any, memory: Memory) -> bool:
    """Whether a function still has what calls before the capture left there: none of the capture's own has taken its place."""
    if not memory.outside or memory.cleared:
        return False
    found = f.cache_info()
    return not memory.kept or found.maxsize is None or found.currsize + len(memory.kept) <= found.maxsize


def answered(f: Any, args: tuple, kwargs: dict) -> Any:
    """The constant that a function of `functools` remembers of a call before the capture, as each later call of the program finds it;
    _NOTHING where it has none: an array is computed again, as it belongs into the graph.

    CPython's `lru_cache` shows its garbage collector the dictionary of its results and the object that stands in their keys before
    arguments given by name."""
    if f.cache_parameters()["typed"] or not all(type(x) in FIXED for x in _in_tuples((*args, *kwargs.values()))):
        return _NOTHING
    held, own = gc.get_referents(f), getattr(f, "__dict__", None)
    named = [part for mark in held if type(mark) is object for part in (mark, *itertools.chain(*kwargs.items()))]
    key = args[0] if len(args) == 1 and type(args[0]) in (str, int) and not kwargs else (*args, *(kwargs and named))
    if not any(type(table) is dict and table is not own and key in table for table in held):
        return _NOTHING
    found = f(*args, **kwargs)
    return found if all(type(x) in FIXED for x in _in_tuples((found,))) else _NOTHING


def _name(f: Any) -> str:
    """What it is called; a partial has no name."""
    return stated_name(f, type(f.__wrapped__).__name__)


def _in_tuples(items: tuple) -> Iterator[Any]:
    """What stands in tuples, and in tuples of them."""
    for item in items:
        yield from _in_tuples(item) if isinstance(item, tuple) else (item,)


_NOTHING = object()
"""What is given where nothing is remembered."""
_NUMBER = object()
"""Tells in a key what follows it as the structure of a number that only a run knows."""


class Same:
    """A part of a key that equals itself alone, whatever `==` of what it stands for does."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return type(other) is Same and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)


def _stands(value: Any) -> bool:
    """Whether nothing of a result was taken back since."""
    values = [leaf.value for leaf in leaves(value) if is_open(leaf)]
    return all(value.node.graph is not None for value in values if isinstance(value, Value))
