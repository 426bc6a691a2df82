"""Rules for derivatives under construction: closed regions, with what they take from outside as arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.control import is_placeholder
from gfx_ir.graph import Graph, Node, Value, values_in
from gfx_ir.naming import identifier
from gfx_ir.trees import tree_map

from ..interfaces import Capturing
from ..values.proxy import Proxy
from ..values.raised import Raised


class Rule:
    """A region under construction: its own placeholders, and what it captures from outside."""

    def __init__(self, tracer: Capturing, name: str, backend: Backend, refuse: Callable[[str], Any]) -> None:
        self.tracer, self.backend, self.name, self.refuse = tracer, backend, name, refuse
        self.own: list[Value] = []
        self.graph = Graph(name)
        self.captured: dict[Value, Value] = {}

    def argument(self, like: Any, name: str, given: Value | None = None) -> Proxy:
        """A new argument, of the type of a value. The one that is `given` for it is no other tensor where code closes over it, nor
        where it is given twice."""
        made = self.tracer.graph.add_placeholder(identifier(name or "x"), "tensor", getattr(like, "type", None))
        self.own.append(made)
        if type(like) is Value:
            self.tracer.assumed.beside[made] = like
        if given is None:
            return Proxy(made, self.backend)
        self.tracer.facts.alias(made, given)
        return Proxy(self.tracer.captures.setdefault(given, made), self.backend)

    def run(self, compute: Callable[[], list[Any]], own_objects: Sequence[Any] = ()) -> None:
        """Fill the region; `compute` gives its results."""
        try:
            with self.tracer.regions.opened(self.name) as side:
                results = compute()
                side.graph.result = tuple(self.tracer._local(leaf) for leaf in results)
        except Raised as found:  # the call raises it
            raise self.tracer.raising.error(found.error, None) from None
        changed = [slot.object for slot, value in side.written if slot.kind != "base" and value is not slot.old]
        if any(all(held is not known for known in own_objects) for held in changed):
            raise self.refuse("a write to what lives outside of it")
        self.graph = side.graph
        inside = dict(side.captures)
        for value, place in side.captures.items():
            if place not in self.own and not value.is_tensor and self._made_again(value, inside):
                place.replace_by(inside[value])
                self.graph.placeholders.remove(place)
        outer = {placeholder: value for value, placeholder in inside.items()}
        self.captured = {outer[place]: place for place in self.graph.placeholders if place not in self.own}

    def _made_again(self, value: Value, inside: dict[Value, Value]) -> bool:
        """Whether an open number from outside is one of tensors' sizes: then it is computed of these here, as `inside` has them."""
        found = _of_tensors(value)
        first = next(iter(self.graph), None)
        for made in found or ():
            if made in inside and made is not value:
                continue
            if made.is_tensor:
                inside[made] = self.graph.add_placeholder(made.name or "x", "tensor", made.type)
                continue
            taken = tree_map(lambda leaf: inside[leaf] if type(leaf) is Value else leaf, made.node.args)
            node = Node(made.node.op, taken, tuple([output.kind for output in made.node.values]), made.node.span)
            inside[made] = self.graph.insert(node, first).values[made.node.values.index(made)]
            inside[made].type = made.type
        return found is not None

    def arrange(self, closed: Sequence[Value], at: int) -> list[Value]:
        """Make `closed` arguments that stand behind the first `at` of its own; their placeholders."""
        places = [
            self.captured.get(value) or self.graph.add_placeholder(value.name or "x", "tensor", value.type)
            for value in closed
        ]
        self.graph.placeholders[:] = [*self.own[:at], *places, *self.own[at:]]
        return places


def _of_tensors(number: Value) -> list[Value] | None:
    """What an open number is computed of, in order, from tensors to itself; None where it hangs on a number that was given."""
    found: dict[Value, None] = {}
    waiting = [(number, False)]
    while waiting:
        value, counted = waiting.pop()
        if counted or value.is_tensor:
            found[value] = None
        elif is_placeholder(value.node) or value.node.regions:
            return None
        elif value not in found:
            waiting.append((value, True))
            waiting += [(taken, False) for taken in values_in(value.node.args)]
    return list(found)
