"""Data flow through regions and calls: which others each value is one of, where no op makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..control import is_call, is_for, is_loop, is_test
from ..graph import Graph, Node, Value
from ..regions import is_range
from ..trees import leaves


class Source(NamedTuple):
    """What a value is one of. `node`: the test or loop that decides which (None: it is just handed on); `outside`: it may be
    what is given from outside of the program, too; `runs`: a loop that has a trip in any case gives the last of them."""

    node: Node | None
    leaves: list[Any]
    outside: bool = False
    runs: bool = False

    def chosen(self, settles: Callable[[Node], bool]) -> list[Any]:
        """What may be there. `settles`: whether the target makes one value of those of a test or loop."""
        return self.leaves[-1:] if self.runs and self.node is not None and not settles(self.node) else self.leaves


class Flow:
    """The sources of the values of some graphs, each an entry, and of the functions that they call.

    `rows`: the loop that a value is the item of, and what it is a row of, or the range that it is a number of; `stacked`: of what
    a loop makes the array of what all its trips leave.
    """

    def __init__(self, graphs: Iterable[Graph], functions: Mapping[str, Graph]) -> None:
        self.sources: dict[Value, Source] = {}
        self.rows: dict[Value, tuple[Node, Any]] = {}
        self.stacked: dict[Value, Any] = {}
        self._functions = functions
        everything = [node for graph in (*graphs, *functions.values()) for node in graph.walk()]
        inside = _only_called(everything)
        for name, callee in functions.items():
            self.sources.update((value, Source(None, [], name not in inside)) for value in callee.placeholders)
        for node in everything:
            if is_test(node):
                self._branch(node)
            elif is_loop(node):
                self._loop(node)
            elif is_call(node) and node.args[0] in functions:
                self._call(node, functions[node.args[0]])

    def _branch(self, node: Node) -> None:
        for region in node.regions:
            self._hand(region.placeholders, node.args[1])
        sides = [outputs(region.result, len(node.values)) for region in node.regions]
        for value, *given in zip(node.values, *sides):
            self.sources[value] = Source(node, given)

    def _loop(self, node: Node) -> None:
        items = node.arg("items") if "items" in node.op.params else ()
        init, operands = node.arg("init"), node.arg("operands")
        first = len(items)
        left = outputs(node.regions[-1].result, len(node.values))
        for region in node.regions:
            self.rows.update((value, (node, item)) for value, item in zip(region.placeholders, items))
            carried = region.placeholders[first : first + len(init)]
            for value, before, after in zip(carried, init, left):
                self.sources[value] = Source(node, [before, after])
            self._hand(region.placeholders[first + len(init) :], operands)
        runs = _runs(node)
        for value, before, after in zip(node.values, init, left):
            self.sources[value] = Source(node, [before, after], runs=runs)
        self.stacked.update(zip(node.values[len(init) :], left[len(init) :]))

    def _call(self, node: Node, callee: Graph) -> None:
        for value, leaf in zip(callee.placeholders, node.args[2]):
            self.sources[value].leaves.append(leaf)
        self._hand(node.values, outputs(callee.result, len(node.values)))

    def _hand(self, values: Iterable[Value], given: Iterable[Any]) -> None:
        for value, leaf in zip(values, given):
            self.sources[value] = Source(None, [leaf])


def outputs(result: Any, count: int) -> list[Any]:
    """What of a graph's result stands for each value of the node that holds or calls it."""
    if type(result) in (tuple, list) and len(result) == count:
        return list(result)
    found = [result] if count == 1 else list(leaves(result))
    return found if len(found) == count else [leaf for leaf in found if type(leaf) is Value]


def _only_called(nodes: Iterable[Node]) -> set[str]:
    """The names of functions that calls give all their arguments: nothing else names them."""
    called, named = set[str](), set[str]()
    for node in nodes:
        if is_call(node):
            called.update([node.args[0]] if type(node.args[0]) is str else ())
        else:
            named.update(arg for arg in node.args if type(arg) is str)
    return called - named


def _runs(node: Node) -> bool:
    """Whether a loop has a trip in any case."""
    if not is_for(node):
        return False
    items = node.args[0]
    fixed = len(items) == 1 and is_range(items[0]) and all(type(bound) is int for bound in items[0][1:])
    return fixed and len(range(*items[0][1:])) > 0
