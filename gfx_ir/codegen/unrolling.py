"""Which loops over fixed numbers a functional target writes as plain Python loops, which its tracer unrolls."""

from __future__ import annotations

from ..control import has_lists, is_data_test, is_data_while
from ..graph import Node

_FEW = 16


class Unrolling:
    """Loops of at most `limit` trips. Unless asked for, one whose body tests data stays: a staged test a trip costs more.

    A loop is decided once, by its body as it is then: what is made of the tests in it goes by that.
    """

    def __init__(self, option: bool | int | None) -> None:
        self.limit = _FEW if option is None else 10**9 if option is True else int(option)
        self.asked = option is not None
        self._decided: dict[Node, bool] = {}

    def takes(self, node: Node) -> bool:
        """Whether a loop (`for`, `host_for`) stays Python's: it goes over few fixed numbers and to its end, or has lists of tensors
        of several shapes."""
        found = self._decided.get(node)
        if found is None:
            few = self._few(node) and (self.asked or not self._tests_data(node))
            found = self._decided[node] = few or has_lists(node)
        return found

    def _few(self, node: Node) -> bool:
        items = node.args[0]
        if node.arg("exit") is not None or len(items) != 1 or type(items[0]) is not tuple:
            return False
        bounds = items[0][1:]
        return all(type(bound) is int for bound in bounds) and len(range(*bounds)) <= self.limit

    def _tests_data(self, node: Node) -> bool:
        return any(is_data_test(inner) or is_data_while(inner) for inner in node.regions[0].walk())
