"""What stands for a tensor that only a loop makes, before it does: zeros like what the first trip would make of what is there.

Where types are known at capture zeros of that type do. Where they are not, the nodes that make the tensor are computed once
more before the loop; of these nothing but dtype and shape is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gfx_ir import ops
from gfx_ir.errors import GfxError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.trees import leaves, tree_map

from .proxy import Proxy

if TYPE_CHECKING:
    from .carries import Carries
    from .regions import Side
    from .tracer import Tracer

_IFS = frozenset(("cond", "host_if"))
_LOOPS = frozenset(("while", "for", "host_while", "host_for"))


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
    zeros = like.node.op.name == "zeros_like" and like.graph is carries.tracer.graph
    return carries.tracer.wrap(like if zeros else ops.zeros_like(like), value.backend)


class StandIns:
    """Values of the same type before a loop for those of its body."""

    def __init__(self, carries: Carries, side: Side) -> None:
        self.tracer: Tracer = carries.tracer
        self.carries = carries
        self.alias: dict[Value, Any] = {inner: outer for outer, inner in side.captures.items()}
        self.phis = {carried.inner: carried for carried in carries.slots}
        self.made: dict[Value, Any] = {}
        if carries.source is not None:
            self._rows(carries.source.items, carries.append_items)

    def of(self, leaf: Any) -> Any:
        """A value of this type, or the number that it is. Raises Unknown."""
        if type(leaf) is not Value:
            return leaf
        if leaf in self.made:
            return self.made[leaf]
        if leaf in self.alias:
            found = self.of(self.alias[leaf])
        elif leaf in self.phis:
            found = self._carried(leaf)
        elif self.tracer.visible(leaf):
            found = self.tracer.local(leaf)
        else:
            found = self._computed(leaf)
        self.made[leaf] = found
        return found

    def _carried(self, phi: Value) -> Any:
        """What it is before the loop; of a number that becomes a tensor, what it becomes."""
        carried = self.phis[phi]
        if isinstance(carried.before, Value):
            return self.tracer.local(carried.before)
        self.made[phi] = carried.before
        return carried.before if carried.weak else self.of(self.carries.read(carried.out))

    def _computed(self, value: Value) -> Any:
        node = value.node
        if node.op.name in _IFS:
            return self._side(node, value.index - 1)
        if node.op.name in _LOOPS:
            return self._loop(node, value.index - 1)
        if node.op.name == "placeholder":
            return self._given(value)
        keyed = any(leaf.kind == "key" for leaf in leaves(node.args) if type(leaf) is Value)
        if node.op.effect or node.regions or keyed or node.op.name in ("parameter", "to_python"):
            raise Unknown
        args = tree_map(self.of, node.args)
        if not all(self.tracer.facts.there(leaf) for leaf in leaves(args) if type(leaf) is Value):
            raise Unknown  # the body asks first
        made = node.op(*args)
        return made[value.index - 1] if isinstance(made, tuple) else made

    def _given(self, placeholder: Value) -> Any:
        """What a placeholder of a test's side, or of a loop inside of this one, stands for outside."""
        graph = placeholder.node.graph
        owner = graph.owner if graph is not None else None
        if graph is None or owner is None:
            raise Unknown
        if owner.op.name in _IFS:
            return self.of(owner.args[1][graph.placeholders.index(placeholder)])
        self._enter(owner, graph)
        if placeholder not in self.alias and placeholder not in self.made:
            raise Unknown
        return self.of(placeholder)

    def _enter(self, loop: Node, region: Graph) -> None:
        """A region of a loop inside of this one in its first trip."""
        items = loop.args[0] if loop.op.name in ("for", "host_for") else ()
        self._rows(items, region.placeholders[: len(items)])
        self.alias.update(zip(region.placeholders[len(items) :], [*loop.arg("init"), *loop.arg("operands")]))

    def _side(self, node: Node, at: int) -> Any:
        """What either side of a test gives: a tensor, if one does."""
        found: list[Any] = []
        for region in node.regions:
            try:
                found.append(self.of(region.result[at]))
            except Unknown:
                continue
        known = [x for x in found if x is not None]
        if not known:
            raise Unknown
        return next((x for x in known if isinstance(x, Value)), known[0])

    def _loop(self, node: Node, at: int) -> Any:
        """What a loop inside of this one begins with; of a number, what a trip makes of it."""
        init, body = node.arg("init"), node.regions[-1]
        if at >= len(init):
            raise Unknown
        first = self.of(init[at])
        if isinstance(first, Value):
            return first
        self._enter(node, body)
        return self.of(body.result[at])

    def _rows(self, over: Any, items: Any) -> None:
        """What the first trip goes over."""
        for part, item in zip(over, items):
            if isinstance(part, tuple):
                self.made[item] = part[1] if isinstance(part[1], int) else 0
            else:
                self.made[item] = ops.getitem(self.of(part), 0)
