"""What of a graph is needed, and by whom: the region placeholders that stand for outer values are seen through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control import is_data_test, is_data_while, is_for, is_given, is_loop, is_output, is_repeat, is_test
from ..graph import Graph, Node, Value
from ..reach import reached
from ..regions import outputs_of
from ..trees import leaves


def counted(node: Node) -> bool:
    """Whether a `for` goes over one range with step 1, without a break or stacked results: `lax.fori_loop`."""
    items = node.args[0]
    if node.arg("exit") is not None or len(items) != 1 or len(node.values) != len(node.arg("init")):
        return False
    return type(items[0]) is tuple and items[0][3] == 1


def single(node: Node) -> bool:
    """Whether the functional form of a test or loop is one value."""
    if is_for(node):
        return counted(node) and len(node.values) == 1
    return len(node.values) == 1


def pair(node: Node) -> bool:
    """Whether the functional form of a test or loop gives its values as a flat tuple."""
    if is_for(node) and not counted(node):
        return len(node.arg("init")) == 1 and len(node.values) == 2 and node.arg("exit") is None
    return True


class Liveness:
    """`live` nodes, `users` of each value (with repetition), and `alias`: what a placeholder of a region stands for."""

    def __init__(self, graph: Graph, effectful: Callable[[Node], bool]) -> None:
        self.alias: dict[Value, Any] = {}
        self.users: dict[Value, list[Node]] = {}
        self.live: set[Node] = set()
        self.late: set[tuple[Value, Node]] = set()
        self.phis: dict[Value, tuple[Node, int]] = {}
        self._carried: set[tuple[Node, int]] = set()
        self._todo: list[Value] = []
        roots = [node for node in self._scan(graph) if effectful(node)]
        self._use(graph.result, graph.output)
        for node in roots:
            self._need(node)
        while self._todo:
            self._process(self._todo.pop())

    def resolve(self, leaf: Any) -> Any:
        """The leaf, or what it stands for."""
        while type(leaf) is Value and leaf in self.alias:
            leaf = self.alias[leaf]
        return leaf

    def used(self, value: Value) -> bool:
        """Whether anything that is printed takes the value."""
        return value in self.users

    # ------------------------------------------------------------------ set up
    def _scan(self, graph: Graph) -> list[Node]:
        found = []
        for node in graph.walk():
            found.append(node)
            if is_test(node):
                for region in node.regions:
                    self.alias.update(zip(region.placeholders, node.args[1]))
            elif is_loop(node):
                self._scan_loop(node)
        return found

    def _scan_loop(self, node: Node) -> None:
        items = len(node.args[0]) if is_for(node) else 0
        carried = len(node.arg("init"))
        for region in node.regions:
            for at, value in enumerate(region.placeholders[: items + carried]):
                self.phis[value] = (node, at - items)
            self.alias.update(zip(region.placeholders[items + carried :], node.arg("operands")))
        self._share_keys(node)

    def _share_keys(self, node: Node) -> None:
        """A source of random numbers that a loop hands on as it is, as a generator is one for all draws, is that one."""
        results = loop_results(node)
        for at, init in enumerate(node.arg("init")):
            phis = [placeholders(node, region)[1][at] for region in node.regions]
            if node.values[at].kind == "key" and results[at] is phis[-1]:
                self.alias.update(dict.fromkeys((*phis, node.values[at]), init))

    # ------------------------------------------------------------------ spread
    def _use(self, tree: Any, user: Node, late: bool = False) -> None:
        for leaf in leaves(tree):
            value = self.resolve(leaf)
            if type(value) is not Value:
                continue
            if value not in self.users:
                self._todo.append(value)
            self.users.setdefault(value, []).append(user)
            if late:
                self.late.add((value, user))

    def _process(self, value: Value) -> None:
        if value in self.phis:
            node, at = self.phis[value]
            self._need(node)
            if at >= 0:
                self._carry(node, at)
            return
        node = value.node
        if node.graph is None or is_given(node):
            return
        self._need(node)
        at = value.index - 1
        if is_test(node):
            for region in node.regions:
                self._use(outputs_of(region.result, len(node.values))[at], region.output)
        elif is_loop(node):
            if at < len(node.arg("init")):
                self._carry(node, at)
            else:
                self._use(loop_results(node)[at], node.regions[-1].output)

    def _need(self, node: Node) -> None:
        while node not in self.live:
            self.live.add(node)
            if is_test(node):
                self._use(node.args[0], node)
            elif is_loop(node):
                self._need_loop(node)
            elif is_repeat(node):
                thread = dict(node.arg("thread"))
                for at, arg in enumerate(node.arg("args")):
                    self._use(arg, node, late=at not in thread)
            else:
                self._use(node.args, node)
            owner = node.graph.owner if node.graph is not None else None
            if owner is None:
                return
            node = owner

    def _need_loop(self, node: Node) -> None:
        if is_for(node):
            self._use(node.arg("items"), node, late=True)
        else:
            self._use(node.regions[0].result, node.regions[0].output)
        if node.arg("exit") is not None:
            self._carry(node, node.arg("exit"))

    def _carry(self, node: Node, at: int) -> None:
        if (node, at) not in self._carried:
            self._carried.add((node, at))
            self._use(node.arg("init")[at], node)
            self._use(loop_results(node)[at], node.regions[-1].output)

    def carried(self, node: Node) -> list[int]:
        """Positions of the carried values of a loop that are needed."""
        return [at for at in range(len(node.arg("init"))) if (node, at) in self._carried]


def tested(liveness: Liveness) -> set[Value]:
    """Values that a test asks for their truth, or compares, and bounds of ranges: of one element."""
    todo: list[Any] = []
    for node in liveness.live:
        if is_data_test(node):
            todo.append(node.args[0])
        elif is_data_while(node):
            todo.extend(outputs_of(node.regions[0].result, 1))
        elif is_for(node):
            todo.extend(bound for over in node.args[0] if type(over) is tuple for bound in over[1:])
    values = lambda leaves_: [leaf for leaf in map(liveness.resolve, leaves_) if type(leaf) is Value]
    return set(reached(values(todo), lambda x: values(x.node.args if x.node.op.family == "elementwise" else ())))


def begins(value: Value, loop: Node) -> bool:
    """Whether a loop carries on, under the same name, what this is before it."""
    if not is_loop(loop) or value not in loop.arg("init"):
        return False
    return placeholders(loop, loop.regions[-1])[1][loop.arg("init").index(value)].name == value.name


def changes_places(value: Value, end: Node, liveness: Liveness) -> bool:
    """Whether a trip, ended by `end`, leaves the value in a variable whose last value another one gets: `a, b = b, a + b`."""
    loop = end.graph.owner if is_output(end) and end.graph is not None else None
    if loop is None or not is_loop(loop) or end.graph is not loop.regions[-1]:
        return False
    results = [liveness.resolve(leaf) for leaf in loop_results(loop)]
    phis = placeholders(loop, loop.regions[-1])[1]
    carried = liveness.carried(loop)
    before = next((phis[at] for at in carried if results[at] is value), None)
    return before is not None and before.name == value.name and before in [results[at] for at in carried]


def loop_results(node: Node) -> tuple:
    """What the body of a loop returns: the carried values, then one value for each stacked result."""
    return outputs_of(node.regions[-1].result, len(node.values))


def placeholders(node: Node, region: Graph) -> tuple[list[Value], list[Value]]:
    """Placeholders of a loop's region: those of the items, those of the carried values."""
    items = len(node.args[0]) if is_for(node) else 0
    carried = len(node.arg("init"))
    return region.placeholders[:items], region.placeholders[items : items + carried]
