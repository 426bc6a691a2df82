"""Computations on `x[mask]` for a target whose shapes are fixed: on all of x, where the mask chooses what is used.

`y[m] = y[m] * 2` becomes `y = where(m, y * 2, y)`, and `x[m].sum()` becomes `sum(where(m, x, 0))`. What follows from a
selection element by element, from numbers and from other selections by the same mask is followed until it is written
back or summed up; a selection that goes anywhere else is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from gfx_ir.codegen.copying import substitute
from gfx_ir.codegen.prepare.base import HANDED, Emission, Lowering, facts_of
from gfx_ir.codegen.sides import outer
from gfx_ir.control import is_output
from gfx_ir.dtypes import bool_
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.facts import Facts
from gfx_ir.infer.same import SameValues
from gfx_ir.infer.shapes import Shapes
from gfx_ir.op import Trait, lookup
from gfx_ir.program import Program
from gfx_ir.reach import reached
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor


class Masked(Lowering):
    """Computations on a selection are ones on all, where the mask chooses."""

    name = "masked"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite the graph and its regions, of whose values `facts` tells. What is a mask by that has the type of one."""
        facts = facts_of(graph, program)
        found = {node: mask for node in graph.walk() if (mask := _mask(node, facts)) is not None}
        for mask in found.values():
            _tell(mask)
        if not any(node.op.traits & Trait.READS_AT for node in found):
            return
        masks = _Masks(graph, facts)
        for within, mask in list(masks.picks):
            selection = _Selection(within, masks, masks.picks[within, mask])
            if selection.whole:
                selection.rewrite()


def _tell(mask: Any) -> None:
    """Give a mask the type of one, and what it stands for outside of a region, too."""
    seen = None
    while mask is not seen and type(mask) is Value and mask.type is None:
        mask.type = LogicalTensor(bool_)
        seen, mask = mask, outer(mask)


class _Masks:
    """Which nodes of a graph select or write by one mask. `picks`: those that select, by their graph and mask."""

    def __init__(self, graph: Graph, facts: Facts) -> None:
        self.facts = facts
        self.same, self.shapes = SameValues(facts.flow), Shapes(facts)
        self.order: dict[Node, tuple[int, float]] = {}
        self.picks: dict[tuple[Graph, Value], list[Node]] = {}
        self._masks: dict[Node, Value] = {}
        for at, node in enumerate(graph.walk()):
            self.order[node] = at, inf
            mask = self._chosen_by(node)
            if mask is not None and node.graph is not None:
                self._masks[node] = one = self.same.of(mask)
                if node.op.traits & Trait.READS_AT:
                    self.picks.setdefault((node.graph, one), []).append(node)

    def _chosen_by(self, node: Node) -> Value | None:
        mask = _mask(node, self.facts)
        return mask if mask is not None and self._same_rank(mask, node.args[0]) else None

    def _same_rank(self, mask: Value, base: Value) -> bool:
        """Whether a mask has all the axes of what it selects from. It cannot have more of them, and has no less where all
        shapes that its base is broadcast from are among those that it is broadcast from."""
        known = [x.type.dims if isinstance(x.type, LogicalTensor) else None for x in (mask, base)]
        if all(dims is not None for dims in known):
            return len(known[0]) == len(known[1])  # type: ignore[arg-type]
        return self.shapes.within(base, mask)

    def alike(self, one: Node, other: Node) -> bool:
        """Whether two nodes select or write by the same mask."""
        return one in self._masks and self._masks[one] is self._masks.get(other)

    def insert(self, graph: Graph, made: Node, before: Node) -> None:
        """Put a node before another one."""
        graph.insert(made, before)
        self.order[made] = self.order[before][0], len(self.order)


def _mask(node: Node, facts: Facts) -> Value | None:
    """The booleans that a node selects by, or writes where they hold."""
    if not node.op.traits & (Trait.READS_AT | Trait.WRITES_AT):
        return None
    index = node.args[1]
    mask = index[0] if type(index) is tuple and len(index) == 1 else index
    base = node.args[0]
    if type(mask) is not Value or not mask.is_tensor or type(base) is not Value or not facts.is_boolean(mask):
        return None
    return mask


def _is_number(value: Value) -> bool:
    return isinstance(value.type, LogicalTensor) and value.type.dims == ()


def _is_total(node: Node) -> bool:
    op = node.op
    return bool(op.traits & Trait.TOTAL) or (op.total is not None and op.total(op.named(node.args)))


def _is_elementwise(node: Node) -> bool:
    return bool(node.op.traits & (Trait.ELEMENTWISE | Trait.TOTAL)) and len(node.values) == 1


def _reduces(node: Node) -> bool:
    """Whether a node makes one of all elements, to which elements of some value add nothing, or do not count."""
    return node.op.family == "reduce" and (node.op.neutral is not None or bool(node.op.traits & Trait.AVERAGES))


class _Selection:
    """What is computed from selections by one mask; `whole`: it ends in writes by that mask and in reductions alone."""

    def __init__(self, graph: Graph, masks: _Masks, picks: list[Node]) -> None:
        self.graph, self.masks, self.first = graph, masks, picks[0]
        self.mask: Value = _mask(picks[0], masks.facts)  # type: ignore[assignment]
        self.members: dict[Value, None] = {}
        self.ends: list[Node] = []
        self.filled: set[Value] = set()
        self.whole = True
        self.members.update(dict.fromkeys(reached([node.value for node in picks], self._made_of)))
        self.whole = self.whole and all(map(self._meets, self.members)) and not any(map(self._into, self.ends))

    def _made_of(self, value: Value) -> Iterator[Value]:
        """What is computed from a value element by element, or from the number that it is."""
        for user in value.uses if self.whole else ():
            if user.graph is not self.graph or is_output(user) or user.regions:
                self.whole = False
            elif self._ends(user, value):
                self.ends.append(user)
            elif _is_elementwise(user):
                if not _is_total(user):
                    self.filled.add(user.value)
                yield user.value
            else:
                self.whole = False

    def _meets(self, value: Value) -> bool:
        """Whether all that a value is computed from are selections and numbers."""
        others = [leaf for leaf in leaves(value.node.args) if type(leaf) is Value and leaf.is_tensor]
        return bool(value.node.op.traits & Trait.READS_AT) or all(
            leaf in self.members or _is_number(leaf) for leaf in others
        )

    def _into(self, end: Node) -> bool:
        """Whether a write is one into what is itself selected."""
        return bool(end.op.traits & Trait.WRITES_AT) and end.args[0] in self.members

    def _ends(self, user: Node, value: Value) -> bool:
        if user.op.traits & Trait.WRITES_AT:
            written = not user.arg("accumulate") and user.args[2] is value
            return written and self.masks.alike(user, self.first)
        if not _reduces(user) or user.args[0] is not value:
            return False
        return all(arg in (None, False) for arg in user.args[1:])

    # ------------------------------------------------------------------ the same on all elements
    def rewrite(self) -> None:
        """Put the computations on all elements in the place of those on the selected ones."""
        dense: dict[Value, Any] = {}
        ordered = sorted(self.members, key=lambda value: self.masks.order[value.node])
        for value in ordered:
            node = value.node
            if node.op.traits & Trait.READS_AT:
                dense[value] = node.args[0]
                continue
            mapped = dict(dense)
            if value in self.filled:
                taken = [x for x in dict.fromkeys(leaves(node.args)) if type(x) is Value and x in dense]
                mapped.update((x, self._fill(x, dense[x], node)) for x in taken)
            args = substitute(node.args, mapped)
            dense[value] = self._add(node.op.name, args, node, value)
        for node in dict.fromkeys(self.ends):
            self._finish(node, dense)
        for value in reversed(ordered):
            self.graph.erase(value.node)

    def _fill(self, value: Value, dense: Any, node: Node) -> Value:
        """The same elements, and 1 in the place of those that the mask leaves out: most functions are defined there."""
        return self._add("where", (self.mask, dense, True if self.masks.facts.is_boolean(value) else 1), node, value)

    def _finish(self, node: Node, dense: dict[Value, Any]) -> None:
        if node.op.traits & Trait.WRITES_AT:
            base, new = node.args[0], dense[node.args[2]]
            made = self._add("where", (self.mask, self._cast(new, base, node), base), node, node.value)
        else:
            averages = node.op.traits & Trait.AVERAGES
            neutral = 0 if averages else node.op.neutral
            chosen = self._add("where", (self.mask, dense[node.args[0]], neutral), node, node.args[0])
            if averages:
                total, count = (self._add("sum", lookup("sum").bind(x), node, None) for x in (chosen, self.mask))
                made = self._add("divide", (total, count), node, node.value)
            else:
                made = self._add(node.op.name, (chosen, *node.args[1:]), node, node.value)
        made.name = node.value.name
        self.masks.same.stands_for(made, node.value)
        self.masks.shapes.stands_for(made, node.value)
        node.value.replace_by(made)
        self.graph.erase(node)

    def _cast(self, new: Any, base: Value, node: Node) -> Any:
        """What is written has the dtype of what it is written to."""
        ours, theirs = (x.type if type(x) is Value else None for x in (new, base))
        if not isinstance(ours, LogicalTensor) or not isinstance(theirs, LogicalTensor) or theirs.dtype is None:
            return new
        return new if ours.dtype == theirs.dtype else self._add("astype", (new, theirs.dtype), node, base)

    def _add(self, op: str, args: tuple, before: Node, like: Value | None) -> Value:
        """A node with the dtype of one value and the shape of the mask, where it gives no single number."""
        found = lookup(op)
        made = Node(found, found.bind(*args), ("tensor",), before.span)
        self.masks.insert(self.graph, made, before)
        known = like.type if like is not None else None
        if isinstance(known, LogicalTensor) and isinstance(self.mask.type, LogicalTensor):
            dims = known.dims if _reduces(made) or (found.sign == "/" and known.dims == ()) else self.mask.type.dims
            made.value.type = LogicalTensor(known.dtype, dims, weak=known.weak)
        return made.value
