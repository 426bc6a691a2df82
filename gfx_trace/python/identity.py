"""Identity: whether two names stand for one object of Python's, where one of them is open."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from gfx_ir.control import is_placeholder
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import NUMBERS
from gfx_ir.infer.flow import Flow
from gfx_ir.infer.number_conditions import SURE
from gfx_ir.op import Trait
from gfx_ir.program import Guard
from gfx_ir.python_numbers import NUMBER_CLASSES, OF_LETTERS
from gfx_ir.trees import leaves

from ..heap.aliases import memory, share
from ..interfaces import Capturing
from ..rewrite.packages import framework
from ..values.numpy_numbers import number_when
from ..values.proxy import Captured, HostProxy, Proxy, is_open, number_kinds

_BOOLEAN = frozenset(("bool",))
_TEXTS = ("str", "any")
_MAY_BE_TRUE = frozenset(("bool", "any"))
_HANDS_ON = Trait.CASTS | Trait.IN_ORDER | Trait.PERMUTES | Trait.MOVES | Trait.SELECTS | Trait.GRADIENT | Trait.JOINS


def check_which(tracer: Capturing, items: Iterable[Any], alone: bool = True) -> None:
    """Before Python hashes or compares objects that are equal to none but themselves. Raises UnsupportedConstruct where a test or a loop
    leaves one of several in the place of one of these; not `alone`: if that may be another of them."""
    links = tracer.journal.links
    doubtful = [x for x in items if type(x).__eq__ is object.__eq__ and x in links]
    if doubtful and (alone or any(a is not b and links.connected(a, b) for a, b in combinations(doubtful, 2))):
        raise _left_open(tracer)


def one_object(tracer: Capturing, a: Any, b: Any) -> Any:
    """a is b. Raises UnsupportedConstruct where that hangs on a test or a loop, which leave the one object or the other.

    Of booleans there is one each; which whole numbers are one object is up to the interpreter."""
    tracer.repeated.compares(a, b)
    if a is b:
        return True
    if not (is_open(a) or is_open(b)):
        links = tracer.journal.links
        if a in links and b in links and links.connected(a, b):
            raise _left_open(tracer)
        return False
    if type(a) is type(b) is Proxy and _handed_through(tracer, a, b):
        raise tracer.error(
            "GFX cannot tell whether these are one object: one is made of the other, and frameworks hand an array through as it is "
            "where nothing has to be done",
            "compare what they hold, or keep a flag of your own",
        )
    truth = next((x for x in (a, b) if type(x) is bool), None)
    other = b if a is truth else a
    if truth is not None and (found := _is_truth(tracer, other, truth)) is not None:
        return found
    singles = [_of_numpy(tracer, x) for x in (a, b)]
    if all(singles):
        if singles[0] == singles[1] == _BOOLEAN:
            return tracer.wrap(a == b)
        if type(a) is not type(b) and singles[0] & singles[1]:
            raise _left_open(tracer)
    kinds = [number_kinds(x) for x in (a, b)]
    if kinds[0] == kinds[1] == _BOOLEAN:
        return tracer.wrap(a == b) if truth is None else other if truth else tracer.truths.not_(other)
    if kinds[0] & kinds[1]:
        raise tracer.error(
            "GFX cannot tell whether these are one object: numbers are only known when the emitted code runs",
            "compare them with ==, or take bool(…)",
        )
    if any(isinstance(x, str) for x in (a, b)) and any(type(x) is HostProxy and x.kind in _TEXTS for x in (a, b)):
        raise tracer.error(
            "GFX cannot tell whether these are one object: which equal texts are is up to the interpreter",
            "compare them with ==",
        )
    if all(isinstance(x, (Captured, *NUMBER_CLASSES)) for x in (a, b)) and _meet(tracer, a, b):
        raise _left_open(tracer)
    return _given_once(tracer, a, b)


def _is_truth(tracer: Capturing, x: Any, truth: bool) -> Any:
    """Whether a value that a test leaves of several classes is True, or is False. None: it is of one."""
    if type(x) is HostProxy:
        kinds = tracer.record.host_kinds.ask(tracer.facts.root(x.value))
        several = x.value.kind == "any" or len(kinds) > 1
        return (
            tracer.wrap(tracer.host("is", x.value, truth)) if several and not kinds.isdisjoint(_MAY_BE_TRUE) else None
        )
    if type(x) is not Proxy or not isinstance(x.value, Value):
        return None
    kinds = tracer.record.kinds_of(x.value)
    if "bool" not in kinds or kinds == _BOOLEAN:
        return None
    raise _left_open(tracer)


def _of_numpy(tracer: Capturing, x: Any) -> frozenset[str]:
    """The kinds that a number of NumPy's may be of, which has one object for each boolean; none for what is no such number."""
    if isinstance(x, np.bool_):
        return _BOOLEAN
    if type(x) is not Proxy or number_when(x) is None or x.weak:
        return frozenset()
    dtype = tracer.record.dtype(x.read())
    sure = number_when(x) == SURE and dtype is not None
    return frozenset((OF_LETTERS[dtype.kind],)) if sure and dtype is not None else NUMBERS


def _handed_through(tracer: Capturing, a: Proxy, b: Proxy) -> bool:
    """Whether a function may have given one of two tensors for the other: they have data and number of axes in common."""
    ranks = [tracer.record.rank_of(x.read()) for x in (a, b)]
    if None not in ranks and ranks[0] != ranks[1]:
        return False
    if all(x.backend is not None and not x.backend.views for x in (a, b)):
        flow = Flow(tracer.graphs, tracer.functions.graphs)
        return not _handed_on(tracer, flow, a.read()).isdisjoint(_handed_on(tracer, flow, b.read()))
    return share(memory(a), memory(b))


def _handed_on(tracer: Capturing, flow: Flow, value: Any) -> set[Value]:
    """A value of a framework that writes nothing in place, and those whose elements it may have, as they are."""
    found: set[Value] = set()
    left = [value]
    while left:
        value = left.pop()
        root = tracer.facts.root(value) if type(value) is Value else None
        if root is None or root in found:
            continue
        found.add(root)
        source, node = flow.sources.get(root), root.node
        if source is not None:
            left += source.leaves
        elif node.op.put is not None or node.op.traits & _HANDS_ON:
            left += leaves(node.args[:1])
    return found


def identity(tracer: Capturing, x: Proxy) -> int:
    """id(x), also as the hash of what is found by it. Arguments that are asked for it are one object or several as at the capture,
    with guards. Raises UnsupportedConstruct where a test or a loop leaves one of several objects."""
    objects, more = _objects(tracer, Flow(tracer.graphs, {}), x)
    if more or len(objects) > 1:
        raise _left_open(tracer)
    known = tracer.assumed.identified
    if x.base is None and tracer.assumed.is_argument(x.read()):
        first = known.setdefault(x.read(), x)
        return id(
            next((other for other in known.values() if other is not first and _given_once(tracer, first, other)), first)
        )
    return id(x)


def _given_once(tracer: Capturing, a: Any, b: Any) -> bool:
    """Whether two arguments are one object, as at the capture, with a guard: code of a framework's own only takes a shorter way by it."""
    values = [x.read() for x in (a, b) if type(x) is Proxy and x.base is None]
    if len(values) < 2 or not all(map(tracer.assumed.is_argument, values)):
        return False
    if tracer.site is not None and framework(tracer.site.f_globals.get("__name__", "")):
        return False
    first, second = map(tracer.assumed.given.get, values)
    one = first is not None and first is second
    subject, other = (value.node.args[0] for value in values)
    tracer.assumed.guard(Guard("same" if one else "distinct", subject, other, tracer.span()))
    return one


def _left_open(tracer: Capturing) -> UnsupportedConstruct:
    return tracer.error(
        "GFX cannot tell whether these are one object: a test or a loop that data decides leaves one of several",
        "compare what the objects hold, or keep a flag of your own",
    )


def _meet(tracer: Capturing, a: Any, b: Any) -> bool:
    """Whether a test or a loop may have left one object for both."""
    flow = Flow(tracer.graphs, {})
    (first, open_a), (second, open_b) = (_objects(tracer, flow, x) for x in (a, b))
    joined = open_a or open_b or len(first) > 1 or len(second) > 1
    return joined and (open_a or open_b or not first.isdisjoint(second))


def _objects(tracer: Capturing, flow: Flow, x: Any) -> tuple[set[Any], bool]:
    """What a name may stand for: values that ops make, and numbers; whether a loop that is not closed yet may leave more."""
    found: set[Any] = set()
    seen: set[Value] = set()
    left = [x.read() if is_open(x) else x]
    more = False
    while left:
        leaf = left.pop()
        if type(leaf) is not Value:
            found.add((type(leaf), leaf) if isinstance(leaf, NUMBER_CLASSES) else id(leaf))
            continue
        root = tracer.facts.root(leaf)
        if root in seen:
            continue
        seen.add(root)
        source = flow.sources.get(root)
        if source is not None:
            left += source.leaves
        elif is_placeholder(root.node) and not tracer.assumed.is_argument(root):
            more = True
        else:
            found.add(root)
    return found, more
