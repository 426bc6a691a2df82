"""Use counts of random keys: what takes one key twice draws the same numbers, which one generator for all draws does not.

A program that does so has a generator for each key: of the seed, and of what the key was split into and folded with. None of them is
moved on, as each draw takes a copy. The generator that the entry is given is moved on once, or each call would draw the same; so it is
where other keys are no generators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...control import Form, calls_function, is_call, is_loop, is_output, is_placeholder, is_test
from ...dtypes import int64
from ...graph import Graph, Node, Value
from ...op import lookup
from ...program import Program
from ...reach import reached
from ...regions import outputs_of
from ...several_keys import seed_of
from .base import Emission, Lowering, order

_MADE = lookup("make_key")
_WORDS = lookup("constant")
_FOLDED = lookup("fold_in")
_WHOLE = lookup("randint")
_SEEDS = 1 << 32


class Uses(NamedTuple):
    """What a key is taken for in one run: how often for numbers or new keys, and what is folded into it."""

    taken: int = 0
    folded: tuple = ()

    def and_(self, other: Uses) -> Uses:
        return Uses(self.taken + other.taken, self.folded + other.folded)

    def or_(self, other: Uses) -> Uses:
        more = Counter(other.folded) - Counter(self.folded)
        return Uses(max(self.taken, other.taken), self.folded + tuple(more.elements()))

    def told(self, of: Callable[[Any], Any]) -> Uses:
        """The same with other values in the place of those that are folded into it."""
        return Uses(self.taken, tuple(map(of, self.folded)))


class RepeatedKeys(Lowering):
    """Gives each key a generator of its own where one is taken more than once."""

    name = "repeated_keys"

    def lower(self, program: Program, emission: Emission) -> None:
        """Rewrite the program, if any key is."""
        graphs = order(program)
        if not any(takes_key(node) for graph in graphs for node in graph.walk()):
            return
        keys = _Keys(program, graphs)
        before, generators = program.version, "one_generator" in emission.style.lowering
        of_data = list(map(_of_words, keys.all))
        for node in [node for graph in graphs for node in graph.walk() if node.op.form is Form.OWN_GRADIENT]:
            if generators:
                _take_seeds(node, keys.all)
        if program.version != before:
            keys = _Keys(program, graphs)
        if not any(of_data) and not keys.repeated():
            return
        for graph in graphs if generators else ():
            for node in [node for node in graph.walk() if takes_key(node)]:
                _set_apart(node, keys.once(node.args[0]))
        for place in program.entry.placeholders:
            if place in keys.all:
                _seed(place)


def takes_key(node: Node) -> bool:
    """Whether an op takes a key, as its first argument."""
    return node.op.params[:1] == ("key",) and type(node.args[0]) is Value


def is_derived(node: Node) -> bool:
    """Whether a node makes the generator of a key and whole numbers."""
    return node.op is _FOLDED and type(node.args[1]) is tuple


# ---------------------------------------------------------------------- counting
class _Keys:
    """The keys of a program."""

    def __init__(self, program: Program, graphs: Sequence[Graph]) -> None:
        self._program = program
        self._known: dict[Value, Uses] = {}
        nodes = [node for graph in graphs for node in graph.walk()]
        made_of: dict[Value, list[Any]] = {}
        for value, other in (pair for node in nodes for pair in self._handed(node)):
            made_of.setdefault(value, []).append(other)
        taken = [node.args[0] for node in nodes if takes_key(node)]
        found = reached(taken, lambda value: [x for x in made_of.get(value, ()) if type(x) is Value])
        self.all = dict.fromkeys(found)  # those of JAX's that are arrays of words among them

    def _handed(self, node: Node) -> Iterator[tuple[Value, Any]]:
        """What a node with regions, or a call, hands on: (what is given, what it stands for)."""
        callee = self._program.callee(node.args[0]) if is_call(node) else None
        if callee is not None:
            yield from zip(callee.placeholders, node.args[2])
            yield from zip(node.values, outputs_of(callee.result, len(node.values)))
        control = node.op.control
        if node.regions and control is not None:
            rows = control.carried(node).start  # of arrays, which a loop goes over
            for region, fed, gives in zip(node.regions, control.feeds(node), control.gives(node)):
                yield from list(zip(region.placeholders, fed or ()))[rows:]
                if gives == len(node.values):
                    yield from zip(node.values, outputs_of(region.result, gives))

    def repeated(self) -> bool:
        """Whether any key is taken twice, or folded twice with the same number, or taken and folded where it is a seed's."""
        for value in self.all:
            taken, folded = self._uses(value)
            if taken + (value.node.op is _MADE and bool(folded)) > 1 or len(set(folded)) < len(folded):
                return True
        return False

    def once(self, value: Value) -> bool:
        """Whether a key that a node makes is taken once, wherever it goes."""
        return not is_placeholder(value.node) and self._uses(value) == (1, ())

    def _uses(self, value: Value) -> Uses:
        found = self._known.get(value)
        if found is None:
            self._known[value] = Uses()  # what leads to itself adds nothing
            found = Uses()
            for node in value.uses:
                found = found.and_(self._by(node, value))
            self._known[value] = found
        return found

    def _by(self, node: Node, value: Value) -> Uses:
        """What a node takes a key for."""
        if takes_key(node) and node.args[0] is value:
            return Uses(folded=(node.args[1],)) if node.op is _FOLDED else Uses(1)
        if is_output(node):
            return self._given(node, value)
        if is_call(node):
            callee = self._program.callee(node.args[0])
            return Uses(1) if callee is None else self._fed(callee, node.args[2], value)
        if not node.regions:
            return Uses(1)
        assert node.op.control is not None
        found = Uses()
        for region, fed in zip(node.regions, node.op.control.feeds(node)):
            if fed is not None:
                uses = self._fed(region, fed, value, node.op.control.carried(node) if is_loop(node) else None)
                found = found.or_(uses) if is_test(node) else found.and_(uses)
        return found

    def _fed(self, graph: Graph, fed: Sequence[Any], value: Value, carried: range | None = None) -> Uses:
        """What a graph takes a key for that it is given. `carried`: that of a loop, whose trips change what stands up to there."""
        places = dict(zip(graph.placeholders, fed))
        changing = graph.placeholders[: carried.stop] if carried is not None else ()
        steady = {place: given for place, given in places.items() if place not in changing}
        found = Uses()
        for place, given in places.items():
            if given is value:
                uses = self._uses(place)
                found = found.and_(uses.and_(uses) if carried is not None and place in steady else uses)
        return found.told(lambda data: steady.get(data, object()) if type(data) is Value else data)

    def _given(self, end: Node, value: Value) -> Uses:
        """What is done with a key that a graph gives."""
        owner = end.graph.owner if end.graph is not None else None
        if end.graph is None or owner is None or not is_test(owner):
            return Uses(1)
        found = Uses()
        for given, result in zip(owner.values, outputs_of(end.graph.result, len(owner.values))):
            found = found.and_(self._uses(given)) if result is value else found
        return found


# ---------------------------------------------------------------------- rewriting
def _set_apart(node: Node, once: bool) -> None:
    """Let what takes a key leave its generator as it is, where it is not taken `once`."""
    key = node.args[0]
    if node.op is _FOLDED:
        node.set_args((key, (node.args[1],)))
    elif {value.kind for value in node.values} == {"key"}:  # it is split
        count = len(node.values)
        for at, value in enumerate(node.values):
            value.replace_by(_derived(node, key, (count, at), value.name))
        node.graph.erase(node)  # type: ignore[union-attr]
    elif not once:
        node.set_args((_derived(node, key, ()), *node.args[1:]))


def _derived(node: Node, key: Value, words: tuple, name: str | None = None) -> Value:
    made = _before(node, _FOLDED, (key, words), "key")
    made.name = name
    return made


def _of_words(value: Value) -> bool:
    """Let what is handed on as a key be the key of the seed that its two words are; whether these are data, of which a seed may be made twice."""
    node, graph = value.node, value.graph
    if value.kind != "tensor" or graph is None or (_is_handed(value) if is_placeholder(node) else _hands(node)):
        return False
    number = seed_of(node.args[0]) if node.op is _WORDS else None
    users = [user for user in value.users() if takes_key(user) or _hands(user)]
    _make(value, users, lambda first: _two_words(first, value) if number is None else number)
    return number is None


def _make(value: Value, users: Sequence[Node], seed: Callable[[Node], Any]) -> None:
    """Let users of a value take the key of a seed, which stands before the first of them."""
    first = next((node for node in value.graph or () if node in users), None)
    if first is not None:
        key = _before(first, _MADE, (seed(first),), "key")
        for user in users:
            user.replace_input(value, key)


def _itself(seed: Value, first: Node) -> Value:
    return seed


def _two_words(first: Node, words: Value) -> Value:
    high, low = (_before(first, "astype", (_before(first, "getitem", (words, at)), int64)) for at in (0, 1))
    return _before(first, "bitwise_or", (_before(first, "bitwise_left_shift", (high, 32)), low))


def _take_seeds(node: Node, keys: Container[Value]) -> None:
    """Let a function that brings its own gradient take a seed for each key: its rule may draw the same numbers again, and no rule takes
    or is left a generator."""
    forward, rule = node.regions
    for at, key in enumerate(node.arg("inputs")):
        place = forward.placeholders[at]
        if type(key) is not Value or not (key in keys or place in keys or "key" in (key.kind, place.kind)):
            continue
        node.replace_input(key, _before(node, _WHOLE, (key, (), 0, _SEEDS, int64)))
        again = rule.placeholders[at : at + 1]
        if node.arg("mode") == "vjp":
            left = zip(rule.placeholders, forward.result[node.arg("count") :])
            again = [own for own, x in left if x is place]
        for own in (place, *again):
            own.kind = "tensor"
            _make(own, [user for user in own.users() if not is_output(user)], partial(_itself, own))


def _hands(node: Node) -> bool:
    """Whether a node hands on what it is given."""
    return bool(node.regions) or calls_function(node) or is_output(node)


def _is_handed(place: Value) -> bool:
    """Whether an argument of a graph is what is handed to it, and no row of that."""
    owner = place.graph.owner if place.graph is not None else None
    control = owner.op.control if owner is not None else None
    return (
        control is None or place.graph is None or place.graph.placeholders.index(place) >= control.carried(owner).start
    )


def _seed(place: Value) -> None:
    """The generator that the entry is given makes the seed of another one."""
    users = place.users()
    first = next(node for node in place.graph or () if node in users)
    seed = _before(first, _WHOLE, (place, (), 0, _SEEDS, int64))
    key = _before(first, _MADE, (seed,), "key")
    key.name = place.name
    for node in users:
        node.replace_input(place, key)


def _before(node: Node, op: Any, args: tuple, kind: str = "tensor") -> Value:
    assert node.graph is not None
    op = lookup(op) if isinstance(op, str) else op
    return node.graph.insert(Node(op, op.bind(*args), (kind,), node.span), node).value
