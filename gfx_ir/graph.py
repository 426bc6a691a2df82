"""Value, Node, Graph: an ordered, doubly linked list of nodes with use-def and def-use chains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from . import rules
from .applied import Applied, Functions, Typed
from .attributes import Attributed
from .edges import UNBOUND, Input, Output
from .errors import GfxError, VerifyError
from .ids import Id
from .op import OpDef, lookup
from .source import Span
from .text import to_text
from .trees import leaves, map_parts, parts_of, tree_map


class Value(Typed):
    """An output of a node. `uses` counts, for each node that takes it, how often. `id` is its own; over calls it is kept."""

    __slots__ = ("node", "index", "name", "uses", "_id")
    id = Id()

    def __init__(self, node: Node, index: int, kind: str, name: str | None = None, type: Any = None) -> None:
        self.node, self.index, self.kind, self.name, self.type = node, index, kind, name, type
        self.uses: dict[Node, int] = {}

    @property
    def graph(self) -> Graph | None:
        """The graph that it belongs to."""
        return self.node.graph

    def users(self) -> list[Node]:
        """The nodes that take it."""
        return list(self.uses)

    def replace_by(self, other: Any) -> None:
        """Let every user take `other` (a Value or a constant) instead."""
        for node in self.users():
            node.replace_input(self, other)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or f'%{self.index}'} of {self.node.op.name}>"


class Node(Applied):
    """One application of an op. `args` is a tuple along the op's parameters: a tree of Values and constants.

    `values` are outputs 1…; output 0 is the state-change signal, which an effect names that stands `after` it, and any node that
    `waits` for it: control dependencies, which `dependence.order` adds. A node with regions holds one closed Graph for each of its
    op's `regions`. `in_place`: written over its first argument, whose dtype and shape its value has. `device`: its place, or "".
    """

    __slots__ = ("regions", "after", "waits", "graph", "prev", "next", "in_place", "_id", "device")
    id = Id()
    values: tuple[Value, ...]

    def __init__(
        self, op: OpDef, args: tuple | None = None, kinds: tuple[str, ...] | None = None, span: Span | None = None,
        regions: tuple[Graph, ...] = (),
    ) -> None:  # fmt: skip
        if args is None:  # what it takes is bound later
            args = tuple([op.defaults.get(name, UNBOUND) for name in op.params])
        self.op, self.args, self.regions, self.span, self.in_place, self.device = op, args, regions, span, False, ""
        self.after: Node | None = None
        self.waits: tuple[Node, ...] = ()
        self.graph: Graph | None = None
        self.prev: Node | None = None
        self.next: Node | None = None
        if kinds is None:
            kinds = op.kinds if type(op.kinds) is tuple else _kinds(op, args)
        if len(kinds) == 1:  # nearly always
            self.values = (Value(self, 1, kinds[0]),)
        else:
            self.values = tuple([Value(self, at, kind) for at, kind in enumerate(kinds, 1)])

    @property
    def value(self) -> Value:
        """Its only value."""
        (only,) = self.values
        return only

    @property
    def inputs(self) -> list[Input]:
        """Its inputs that are bound to Values or unbound, in order; `bind` on one rebinds it."""
        found = (leaf for leaf in leaves(self.args) if type(leaf) is Value or leaf is UNBOUND)
        return [Input(self, at, leaf) for at, leaf in enumerate(found)]

    @property
    def outputs(self) -> list[Output]:
        """The signal and the values."""
        return [Output(self, 0, None), *(Output(self, v.index, v) for v in self.values)]

    def arg(self, name: str) -> Any:
        """The argument of that name."""
        return self.args[self.op.params.index(name)]

    def set_args(self, args: tuple) -> None:
        """Change the arguments, uses kept right."""
        filled = type(self.op.kinds) is not tuple and UNBOUND in leaves(self.args) and UNBOUND not in leaves(args)
        if self.graph is None:
            self.args = args
        else:
            _drop_uses(self)
            self.args = args
            _add_uses(self, values_in(args))
            self.graph.edited()
        if filled:  # how many values it has may hang on what it takes
            made = [Value(self, at, kind) for at, kind in enumerate(self.op.output_kinds(args), 1)]
            self.values = (*self.values[: len(made)], *made[len(self.values) :])

    def set_input(self, position: int, value: Any) -> None:
        """Bind another value to the input at `position` of `inputs`."""
        seen = iter(range(len(self.inputs)))

        def swap(leaf: Any) -> Any:
            return value if (type(leaf) is Value or leaf is UNBOUND) and next(seen) == position else leaf

        self.set_args(tree_map(swap, self.args))

    def replace_input(self, old: Value, new: Any) -> None:
        """Take `new` wherever it took `old`."""
        self.set_args(tree_map(lambda leaf: new if leaf is old else leaf, self.args))

    def forward(
        self, promotion: str = "torch", program: Functions | None = None, prefix: str = ""
    ) -> tuple[Value, ...]:
        """Infer types, set them on its values and return these (lazy: nothing is computed)."""
        for value, type_ in zip(self.values, self.infer_output_shape(promotion, program, prefix)):
            value.type = None if type_ is rules.OPEN else type_
        if self.graph is not None:
            self.graph.edited()
        return self.values

    def __repr__(self) -> str:
        return f"<Node {self.op.name}>"


def _kinds(op: OpDef, args: tuple) -> tuple[str, ...]:
    """The kinds of the values of a node, as far as they are known where what it takes is bound later."""
    try:
        return op.output_kinds(args)
    except (GfxError, TypeError):
        if UNBOUND in leaves(args):
            return ()
        raise


values_in: Callable[[tuple], list[Value]] = partial(parts_of, Value)  # those in arguments, left to right
map_values: Callable[[Callable[[Value], Any], tuple], tuple] = partial(
    map_parts, Value
)  # arguments with fn applied to each


def filled(tree: Any, held: Mapping[Value, Any]) -> Any:
    """A tree with what stands for each Value in its place."""
    return tree_map(lambda leaf: held[leaf] if type(leaf) is Value else leaf, tree)


def replace_values(replaced: Mapping[Value, Any]) -> None:
    """Let every user of some values take others instead, each user once."""
    for node in dict.fromkeys([user for value in replaced for user in value.uses]):
        node.set_args(tree_map(lambda leaf: replaced.get(leaf, leaf) if type(leaf) is Value else leaf, node.args))


def values_among(leaves: Iterable[Any]) -> list[Value]:
    """Those among leaves."""
    return [leaf for leaf in leaves if type(leaf) is Value]


def _add_uses(node: Node, values: list[Value]) -> None:
    """Count a node's uses of its inputs."""
    for value in values:
        uses = value.uses
        uses[node] = uses[node] + 1 if node in uses else 1


def _drop_uses(node: Node) -> None:
    """Count them no longer."""
    for value in values_in(node.args):
        value.uses.pop(node, None)


class Graph(Attributed):
    """Nodes in order, with placeholders, parameters and a result.

    `result` is a tree of Values and constants. Placeholders and parameters are Values of nodes outside the list.
    A graph that a node holds is a Region: closed, what it takes from outside arrives through its placeholders.
    `version` tells whether it was edited; who sets a slot of a value or node directly says so: `edited()`.
    """

    __slots__ = (
        "name", "placeholders", "parameters", "first", "last", "count", "doc", "dirty", "_version", "_output", "owner",
    )  # fmt: skip

    def __init__(self, name: str = "", doc: str = "") -> None:
        super().__init__()
        self.name, self.doc = name, doc
        self.placeholders: list[Value] = []
        self.parameters: dict[str, Value] = {}
        self.first: Node | None = None
        self.last: Node | None = None
        self.count = self._version = 0
        self.dirty = True
        self.owner: Node | None = None
        self._output = Node(lookup("output"), (None,))
        self._output.graph = self

    def __iter__(self) -> Iterator[Node]:
        node = self.first
        while node is not None:
            following = node.next
            yield node
            node = following

    def __len__(self) -> int:
        return self.count

    # ------------------------------------------------------------------ ends
    def add_placeholder(self, name: str, kind: str = "tensor", type: Any = None, span: Span | None = None) -> Value:
        """A new argument, last."""
        value = self._outside("placeholder", (name,), kind, name, type, span)
        self.placeholders.append(value)
        return value

    def add_parameter(self, path: str, type: Any = None) -> Value:
        """The parameter of that path, made at first use."""
        found = self.parameters.get(path)
        if found is None:
            found = self._outside("parameter", (path,), "tensor", path.rpartition(".")[2], type, None)
            self.parameters[path] = found
        return found

    def _outside(self, op: str, args: tuple, kind: str, name: str, type: Any, span: Span | None) -> Value:
        node = Node(lookup(op), args, (kind,), span)
        node.graph = self
        value = node.values[0]
        value.name, value.type = name, type
        self.edited()
        return value

    @property
    def result(self) -> Any:
        """The tree that it returns."""
        return self._output.args[0]

    @result.setter
    def result(self, tree: Any) -> None:
        self._output.set_args((tree,))

    @property
    def output(self) -> Node:
        """The node that takes the result; it stands outside the list."""
        return self._output

    def outputs(self) -> list[Any]:
        """Leaves of the result."""
        return list(leaves(self.result))

    # ------------------------------------------------------------------ list
    def append(self, node: Node) -> Node:
        """Add a node at the end."""
        return self.insert(node, None)

    def insert(self, node: Node, before: Node | None, taken: list[Value] | None = None) -> Node:
        """Add a node before another one (None: at the end). O(1). `taken`: the Values in its arguments, of who has them."""
        if node.graph is not None:
            raise VerifyError(f"{node.op.name} already stands in a graph")
        self._link(node, before)
        _add_uses(node, values_in(node.args) if taken is None else taken)
        return node

    def _link(self, node: Node, before: Node | None) -> None:
        node.graph = self
        previous = self.last if before is None else before.prev
        node.prev, node.next = previous, before
        if previous is None:
            self.first = node
        else:
            previous.next = node
        if before is None:
            self.last = node
        else:
            before.prev = node
        self.count += 1
        for region in node.regions:
            region.owner = node
        if not self.dirty:
            self.edited()

    def erase(self, node: Node) -> None:
        """Remove a node that nobody uses. O(1). Raises VerifyError where one of its values is used."""
        for value in node.values:
            if value.uses:
                raise VerifyError(f"{value!r} is still used by {value.users()[0]!r}", node.span)
        self.detach(node)

    def detach(self, node: Node) -> None:
        """Take a node out of the list, its values' users left as they are (to insert it again elsewhere)."""
        if node.graph is not self:
            raise VerifyError(f"{node.op.name} does not stand in graph {self.name!r}")
        _drop_uses(node)
        self._release(node)

    def release_nodes(self) -> list[Node]:
        """Take all nodes out of the list, and the result away; returns them in order, each to be inserted wherever one likes."""
        found, self.result = list(self), None
        for node in found:
            self.detach(node)
        return found

    def adopt(self, node: Node) -> None:
        """Move a node of another graph to the end of this one; it takes what it took. O(1)."""
        assert node.graph is not None
        node.graph._release(node)
        self._link(node, None)

    def _release(self, node: Node) -> None:
        self._unlink(node, node)
        node.graph = node.prev = node.next = None
        self.count -= 1
        self.edited()

    def discard(self, first: Node, last: Node) -> None:
        """Take a run of nodes out of the list for good: they give up their values, so that no circle keeps them until garbage is collected."""
        self._unlink(first, last)
        node, after = first, last.next
        while node is not after:
            _drop_uses(node)
            following, node.values = node.next, ()
            node.graph = node.prev = node.next = None
            self.count -= 1
            node = following  # type: ignore[assignment]
        self.edited()

    def _unlink(self, first: Node, last: Node) -> None:
        """Let what stands around some nodes stand together."""
        before, after = first.prev, last.next
        if before is None:
            self.first = after
        else:
            before.next = after
        if after is None:
            self.last = before
        else:
            after.prev = before

    # ------------------------------------------------------------------ versions
    def edited(self) -> None:
        """Say that it changed: its version is another one, that of the graphs around a region, too."""
        graph: Graph | None = self
        while graph is not None and not graph.dirty:  # what is around a dirty region is dirty
            graph.dirty = True
            graph = graph.owner.graph if graph.owner is not None else None

    @property
    def version(self) -> int:
        """Rises when it, or a region within, was edited since it was last read."""
        stack = [self] if self.dirty else []
        while stack:
            graph = stack.pop()
            graph.dirty, graph._version = False, graph._version + 1
            stack.extend([region for node in graph for region in node.regions if region.dirty])
        return self._version

    def walk(self) -> Iterator[Node]:
        """Every node, those of regions after the node that holds them."""
        stack = [self.first]
        while stack:
            node = stack.pop()
            while node is not None:
                yield node
                if node.regions:
                    stack.append(node.next)
                    stack.extend([region.first for region in reversed(node.regions)])
                    break
                node = node.next

    def __str__(self) -> str:
        return to_text(self)

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {self.count} nodes>"
