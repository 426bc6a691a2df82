"""What stands for a tensor that only a loop makes, before it does: zeros like what the first trip would make of what is there.

Where types are known at capture zeros of that type do. Where they are not, the nodes that make the tensor are computed once
more before the loop; of these nothing but dtype and shape is used.
"""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.control import is_for, is_given, is_loop, is_placeholder, is_test, makes_python
from gfx_ir.errors import GfxError
from gfx_ir.graph import Graph, Node, Value, values_in
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.op import Trait
from gfx_ir.trees import tree_map

from ..interfaces import Capturing
from ..values.proxy import Proxy
from .carries import Carries
from .sides import Side


class Unknown(Exception):
    """Nothing before the loop has this type."""


def stand_in(carries: Carries, side: Side, value: Proxy) -> Any:
    """Zeros of the dtype and shape that `value` has at the end of a loop's body, made before the loop; None: nothing can tell."""
    found = value.value
    if not isinstance(found, Value) or found.kind != "tensor":
        return None
    try:
        like = StandIns(carries, side).of(found)
    except (Unknown, GfxError):  # what the first trip would compute need not be possible at all
        return None
    if not isinstance(like, Value):
        return None
    made = ops.zeros_like(like)
    again = made.node.op is like.node.op and made.node.op.traits & Trait.IDEMPOTENT
    if again and like.graph is carries.tracer.graph:
        made = like
    if found.type is None:  # it may be a number as well as this
        made.type = None
    return carries.tracer.wrap(made, value.backend)


class StandIns:
    """Values of the same type before a loop for those of its body."""

    def __init__(self, carries: Carries, side: Side) -> None:
        self.tracer: Capturing = carries.tracer
        self.carries = carries
        self.alias: dict[Value, Any] = {inner: outer for outer, inner in side.captures.items()}
        self.phis = {carried.inner: carried for carried in carries.slots}
        self.rows: dict[Value, Any] = {}  # what loops go over, by what stands for an item of it
        self._found = Question(self._made)
        if carries.source is not None:
            self.rows.update(zip(carries.append_items, carries.source.items))

    def of(self, leaf: Any) -> Any:
        """A value of this type, or the number that it is. Raises Unknown."""
        return self._found.ask(leaf) if type(leaf) is Value else leaf

    def _ask(self, leaf: Any) -> Rule:
        return (yield self._found, leaf) if type(leaf) is Value else leaf

    def _made(self, value: Value) -> Rule:
        if value in self.rows:
            return (yield from self._first_row(self.rows[value]))
        if value in self.alias:
            return (yield from self._ask(self.alias[value]))
        if value in self.phis:
            return (yield from self._carried(value))
        if self.tracer.gates.visible(value):
            return self.tracer.local(value)
        node = value.node
        if is_test(node):
            return (yield from self._side(node, value.index - 1))
        if is_loop(node):
            return (yield from self._loop(node, value.index - 1))
        if is_placeholder(node):
            return (yield from self._given(value))
        return (yield from self._computed(value))

    def _first_row(self, over: Any) -> Rule:
        """What the first trip has of what a loop goes over."""
        if isinstance(over, tuple):
            return over[1] if isinstance(over[1], int) else 0
        return ops.getitem((yield from self._ask(over)), 0)

    def _carried(self, phi: Value) -> Rule:
        """What it is before the loop; of a number that becomes a tensor, what it becomes."""
        carried = self.phis[phi]
        if isinstance(carried.before, Value):
            return self.tracer.local(carried.before)
        self._found.known[phi] = carried.before
        return carried.before if carried.weak else (yield from self._ask(self.carries.read(carried.out)))

    def _computed(self, value: Value) -> Rule:
        node = value.node
        acts = self.tracer.raising.acts(node)
        if acts or node.regions or node.draws or is_given(node) or makes_python(node):
            raise Unknown
        held = dict[Value, Any]()
        for leaf in values_in(node.args):
            held[leaf] = yield self._found, leaf
            self.tracer.assumed.require_also(leaf, held[leaf])
        if not all(self.tracer.facts.there(leaf) for leaf in held.values() if type(leaf) is Value):
            raise Unknown  # the body asks first
        made = self.tracer.gates.repeated(
            node, tree_map(lambda leaf: held[leaf] if type(leaf) is Value else leaf, node.args)
        )
        return made[value.index - 1]

    def _given(self, placeholder: Value) -> Rule:
        """What a placeholder of a test's side, or of a loop inside of this one, stands for outside."""
        graph = placeholder.node.graph
        owner = graph.owner if graph is not None else None
        if graph is None or owner is None:  # a test that left nothing to join has no node
            origin = self.tracer.facts.origin.get(placeholder)
            if origin is None:
                raise Unknown
            return (yield from self._ask(origin))
        if is_test(owner):
            return (yield from self._ask(owner.args[1][graph.placeholders.index(placeholder)]))
        self._enter(owner, graph)
        return (yield from self._made(placeholder))

    def _enter(self, loop: Node, region: Graph) -> None:
        """A region of a loop inside of this one in its first trip."""
        items = loop.args[0] if is_for(loop) else ()
        self.rows.update(zip(region.placeholders, items))
        self.alias.update(zip(region.placeholders[len(items) :], [*loop.arg("init"), *loop.arg("operands")]))

    def _side(self, node: Node, at: int) -> Rule:
        """What either side of a test gives: a tensor, if one does."""
        found: list[Any] = []
        for region in node.regions:
            try:
                found.append((yield from self._ask(region.result[at])))
            except Unknown:
                continue
        known = [x for x in found if x is not None]
        if not known:
            raise Unknown
        tensors = [x for x in known if isinstance(x, Value)]
        told = {self.tracer.record.dtype(x) for x in tensors}
        if len(tensors) == 2 and len(told) == 2:  # what carries either has the dtype of both together
            return ops.add(*tensors)
        return tensors[0] if tensors else known[0]

    def _loop(self, node: Node, at: int) -> Rule:
        """What a loop inside of this one begins with; of a number, what a trip makes of it."""
        init, body = node.arg("init"), node.regions[-1]
        if at >= len(init):
            raise Unknown
        first = yield from self._ask(init[at])
        if isinstance(first, Value):
            return first
        self._enter(node, body)
        return (yield from self._ask(body.result[at]))
