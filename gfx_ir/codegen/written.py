"""Which indexed writes are written as such, `x[i] = v`, and which copy: a write is in place where nobody can tell.

A value that is written is memory of its own, and nothing reads what it was before behind the write: no other variable, no
view, no list, no caller. Memory is followed through tests and loops, which hand it on (`x` before a loop, on each trip and
behind it).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..control import is_for, is_loop, is_output, is_test
from ..graph import Graph, Node, Value
from ..op import Trait
from ..regions import outputs_of
from ..trees import leaves
from ..types import LogicalTensor
from .liveness import Liveness, loop_results, placeholders


class Use(NamedTuple):
    """One use of a value: by which node, and whether that takes over its memory."""

    node: Node
    takes: bool


class Writes:
    """`nodes`: the writes in place; `apart` tells which expressions may not be moved behind one."""

    def __init__(self, graph: Graph, liveness: Liveness, spelled: Callable[[Node], bool], own: Callable[[Value], bool],
                 functional: Callable[[Node], bool], authored: Callable[[Node], bool],
                 boolean: Callable[[Value], bool]) -> None:  # fmt: skip
        """`spelled`: whether the target writes this node as a statement; `own`: whether a value is memory of its own;
        `authored`: whether the author wrote in place, so that gradients are as they were; `boolean`: whether a value
        is surely one."""
        self.liveness, self._own, self._functional = liveness, own, functional
        found = [n for n in graph.walk() if n in liveness.live and n.op.traits & Trait.WRITES_AT and spelled(n)]
        self._found = {n for n in found if not any(map(functional, _owners(n)))}
        self._authored, self._boolean = authored, boolean
        self.nodes: set[Node] = set()
        self._bad: set[Value] = set()
        self._views: dict[Value, Value] = {}
        self._cells: dict[Value, Value] = {}
        self._at: dict[Node, int] = {}
        self._written: dict[tuple[Graph, Value], list[int]] = {}
        self._touched: dict[Node, frozenset[Value]] = {}
        if self._found:
            self._join(graph)
            self._settle()

    # ------------------------------------------------------------------ memory that is handed on
    def _cell(self, value: Value) -> Value:
        found, passed = self._cells.setdefault(value, value), []
        while found is not value:
            passed.append(value)
            value, found = found, self._cells[found]
        self._cells.update(dict.fromkeys(passed, found))
        return found

    def _tie(self, a: Any, b: Any) -> None:
        """What is handed on is the same memory; a constant among it is none."""
        a, b = self.liveness.resolve(a), self.liveness.resolve(b)
        if type(a) is Value and type(b) is Value:
            self._cells[self._cell(a)] = self._cell(b)
        else:
            self._bad.update(x for x in (a, b) if type(x) is Value)

    def _join(self, graph: Graph) -> None:
        for node in graph.walk():
            if node not in self.liveness.live or self._functional(node):
                continue
            if node in self._found:
                self._tie(node.args[0], node.value)
            elif is_test(node):
                for at, value in enumerate(node.values):
                    if self.liveness.used(value):
                        for region in node.regions:
                            self._tie(value, outputs_of(region.result, len(node.values))[at])
            elif is_loop(node):
                for at in self.liveness.carried(node):
                    phis = [placeholders(node, region)[1][at] for region in node.regions]
                    for other in (node.arg("init")[at], *phis, loop_results(node)[at]):
                        self._tie(node.values[at], other)

    def _settle(self) -> None:
        """Keep the writes to memory that is its own and used in one line."""
        cells = {self._cell(node.value) for node in self._found}
        bad = {self._cell(value) for value in self._bad}
        authored = dict.fromkeys(cells, True)
        for node in self._found:
            authored[self._cell(node.value)] &= self._authored(node)
        for value in [v for v in self._cells if self._cell(v) in cells]:
            cell = self._cell(value)
            if cell not in bad and not (self._handed(value) or self._own(value)):
                bad.add(cell)
            elif cell not in bad and not self._linear(value, authored[cell]):
                bad.add(cell)
        self.nodes = {node for node in self._found if self._cell(node.value) not in bad}
        self._cells = {v: self._cell(v) for v in list(self._cells) if self._cell(v) in cells - bad}
        self._cells.update((v, self._cells[of]) for v, of in self._views.items() if of in self._cells)
        self._number()

    def _handed(self, value: Value) -> bool:
        """Whether the value is memory that a write, test or loop hands on."""
        node, at = self.liveness.phis.get(value, (value.node, value.index - 1))
        if is_loop(node) and not self._functional(node):
            return 0 <= at < len(node.arg("init"))
        return node in self._found or (is_test(node) and not self._functional(node))

    # ------------------------------------------------------------------ uses
    def _linear(self, value: Value, authored: bool) -> bool:
        """Whether the memory is handed on once on every path, behind all that reads it."""
        uses = self._uses(value, authored)
        assert value.node.graph is not None
        return uses is not None and self._ordered(value.node.graph, uses)

    def _uses(self, value: Value, authored: bool) -> list[Use] | None:
        """Uses of the value and of what may share its memory; None where one of them may keep it."""
        found: list[Use] = []
        todo, seen = [(value, True)], {value}
        while todo:
            part, whole = todo.pop()
            users = self.liveness.users.get(part, [])
            for user in dict.fromkeys(users):
                taken = self._takes(part, user)
                if taken > 1 or (taken and (not whole or users.count(user) > 1)):
                    return None
                if user in self._found and self.liveness.resolve(user.args[2]) is part and not _one_place(part, user):
                    return None
                if not authored and not self._harmless(part, user):
                    return None
                found.append(Use(user, bool(taken)))
                shared = () if taken else self._shared(part, user)
                if shared is None:
                    return None
                todo += [(result, False) for result in shared if result not in seen]
                seen.update(shared)
                self._views.update(dict.fromkeys(shared, value))
        return found

    def _takes(self, value: Value, user: Node) -> int:
        """How often the user takes over the memory."""
        return sum(self.liveness.resolve(leaf) is value for leaf in self._handed_by(user))

    def _handed_by(self, user: Node) -> list[Any]:
        if user in self._found:
            return [user.args[0]]
        if is_loop(user) and not self._functional(user):
            return [user.arg("init")[at] for at in self.liveness.carried(user)]
        owner = user.graph.owner if is_output(user) and user.graph is not None else None
        if owner is None or self._functional(owner):
            return []
        if is_loop(owner):
            results = loop_results(owner)
            return [results[at] for at in self.liveness.carried(owner)] if user.graph is owner.regions[-1] else []
        given = outputs_of(user.graph.result, len(owner.values))  # type: ignore[union-attr]
        return [given[at] for at, output in enumerate(owner.values) if self.liveness.used(output)]

    def _shared(self, value: Value, user: Node) -> tuple[Value, ...] | None:
        """Results of the user that may share the value's memory; None: something else keeps it."""
        op = user.op
        if is_output(user):
            assert user.graph is not None
            return () if self._ends(user, value) else None
        if op.traits & Trait.APART or is_test(user):
            return ()
        if is_loop(user) and self._functional(user):
            return user.values
        if is_for(user) and not self._functional(user):
            items = placeholders(user, user.regions[-1])[0]
            return tuple(i for i, over in zip(items, user.args[0]) if self.liveness.resolve(over) is value)
        return None if is_loop(user) or op.effect else user.values

    def _ends(self, output: Node, value: Value) -> bool:
        """Whether the end of a graph only hands a value back, or asks for it."""
        owner = output.graph.owner  # type: ignore[union-attr]
        if owner is None:
            return True
        return is_loop(owner) and not self._functional(owner) and output.graph is not owner.regions[-1]

    def _harmless(self, value: Value, user: Node) -> bool:
        """Whether no gradient asks what the value was."""
        op = user.op
        if is_output(user) or is_test(user) or is_loop(user):
            return True
        kept = () if not op.index else user.arg(op.index) if user in self._found else user.args[1:]
        if op.traits & Trait.UNSAVED and value not in self._resolved(kept):
            return True
        return all(map(self._whole, self._resolved(user.args)))

    def _resolved(self, tree: Any) -> list[Value]:
        found = [self.liveness.resolve(leaf) for leaf in leaves(tree) if type(leaf) is Value]
        return [leaf for leaf in found if type(leaf) is Value and leaf.is_tensor]

    def _whole(self, value: Value) -> bool:
        """Whether a value has no gradient, as it is of whole numbers or booleans."""
        known = value.type
        whole = isinstance(known, LogicalTensor) and known.dtype is not None and known.dtype.kind in "biu"
        return whole or self._boolean(value)

    # ------------------------------------------------------------------ order
    def _ordered(self, home: Graph, uses: list[Use]) -> bool:
        """Whether memory is taken over at one place of a graph, behind its other uses."""
        placed = [(self._statement(use.node, home), use) for use in uses]
        takers = {node for node, use in placed if use.takes}
        if not takers:
            return True
        if len(takers) > 1:
            return False
        taker = takers.pop()
        last = self._position(taker)
        if any(node is not taker and self._position(node) > last for node, _ in placed):
            return False
        at = [use for node, use in placed if node is taker and use.node is not taker]
        if any(use.node is taker and use.takes for _, use in placed):
            return not at
        if is_loop(taker) or self._functional(taker):
            return False
        inside = [[use for use in at if self._within(use.node, region)] for region in taker.regions]
        return all(self._ordered(region, found) for region, found in zip(taker.regions, inside))

    def _statement(self, node: Node, home: Graph) -> Node:
        """The node of `home` in which a node stands."""
        while node.graph is not home:
            assert node.graph is not None and node.graph.owner is not None
            node = node.graph.owner
        return node

    def _within(self, node: Node, region: Graph) -> bool:
        graph = node.graph
        while graph is not None and graph is not region:
            graph = graph.owner.graph if graph.owner is not None else None
        return graph is region

    def _position(self, node: Node) -> int:
        if node not in self._at:
            assert node.graph is not None
            self._at.update((inner, at) for at, inner in enumerate(node.graph))
            self._at[node.graph.output] = node.graph.count
        return self._at[node]

    # ------------------------------------------------------------------ expressions
    def _number(self) -> None:
        """Where memory is written, for each graph around a write, in order."""
        met: set[tuple[Node, Value]] = set()
        for node in self.nodes:
            cell = self._cells[node.value]
            inner: Node | None = node
            while inner is not None and (inner, cell) not in met:
                met.add((inner, cell))
                assert inner.graph is not None
                self._written.setdefault((inner.graph, cell), []).append(self._position(inner))
                inner = inner.graph.owner
        for places in self._written.values():
            places.sort()

    def reads(self, node: Node, inside: Iterable[Node]) -> None:
        """Note what memory the expression of a node reads, with that of the nodes inside it."""
        if not self.nodes:
            return
        found = {cell for inner in inside for cell in self._touched.get(inner, ())}
        for value in self._taken(node):
            if value in self._cells:
                found.add(self._cells[value])
        if found:
            self._touched[node] = frozenset(found)

    def _taken(self, node: Node) -> list[Value]:
        found = [self.liveness.resolve(leaf) for leaf in leaves(node.args) if type(leaf) is Value]
        found += [self.liveness.resolve(r) for region in node.regions for r in leaves(region.result)]
        return [value for value in found if type(value) is Value]

    def apart(self, value: Value, user: Node) -> bool:
        """Whether a value stands in a variable before its user: one that is written, a write, what is written before that."""
        node = value.node
        if node in self.nodes or (user in self.nodes and self.liveness.resolve(user.args[0]) is value):
            return True
        if node not in self._touched:
            return False
        assert node.graph is not None
        first, last = self._position(node), self._position(user)
        written = (self._written.get((node.graph, cell), []) for cell in self._touched[node])
        return any(bisect_left(places, last) > bisect_right(places, first) for places in written)


def _one_place(view: Value, write: Node) -> bool:
    """Whether a view of what is written lies where the write goes to, or apart from it: their indices differ in integers alone.
    PyTorch takes no write whose value overlaps with its target."""
    if not view.node.op.traits & Trait.READS_AT:
        return False
    there, here = (i if type(i) is tuple else (i,) for i in (view.node.args[1], write.args[1]))
    return len(there) == len(here) and all(map(_alike, there, here))


def _alike(one: Any, other: Any) -> bool:
    whole = [type(i) is int or getattr(i, "kind", "") == "int" for i in (one, other)]
    return all(whole) or (not any(whole) and one == other)


def _owners(node: Node) -> Iterator[Node]:
    """The tests and loops that a node stands in."""
    graph = node.graph
    while graph is not None and graph.owner is not None:
        yield graph.owner
        graph = graph.owner.graph
