"""How wide a node is when it is printed: decides what is still written inside one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control import calls_function, is_check, is_host, is_output, is_parameter, is_test
from ..dtypes import DType
from ..graph import Node, Value
from ..template import Template
from ..trees import leaves, tree_map

DEPTH = 8
WIDTH = 104
_SHORT_NAME = 3


class Widths:
    """Columns of nodes, from the spellings of a target."""

    def __init__(
        self, template: Callable[[Node], Template | None], resolve: Callable[[Any], Any], seen: Callable[[Any], Any]
    ) -> None:
        """`seen`: a leaf as a spelling sees it."""
        self.template, self.resolve, self.seen = template, resolve, seen

    def node(self, node: Node) -> tuple[int, set[Value]]:
        """Columns of the node with a name in the place of every value; the values that stand more than once in its spelling, where an
        expression would be computed as often."""
        if is_output(node):
            return 7 + self.tree(node.args[0]), set()
        if calls_function(node):
            return len(str(node.args[0])) + 8 + self.tree(node.arg("args")) + self.path(str(node.args[1] or "")), set()
        if is_host(node):
            return 3 * len(node.args[1]) + self.tree(node.args[1]), set()
        if is_test(node) or is_check(node):
            return 6 + self.tree(node.args[0]), set()
        template = self.template(node)
        if template is None:
            return len(node.op.name) + 6 + (self.tree(node.args[0]) if node.args else 0), set()
        own, names = template.columns(tree_map(self.seen, node.args))
        given = list(zip(node.op.params, node.args))
        several = [] if node.regions else [arg for text, arg in given if names[text] > 1]
        repeated = {leaf for leaf in map(self.resolve, leaves(several)) if type(leaf) is Value}
        return own + sum(names[text] * self.tree(arg) for text, arg in given), repeated

    def tree(self, tree: Any) -> int:
        """Columns of a literal."""
        kind = type(tree)
        if kind is slice:  # as colons
            parts = [part for part in (tree.start, tree.stop, tree.step) if part is not None]
            return 1 + (tree.step is not None) + sum(map(self.tree, parts))
        if kind in (tuple, list, dict):
            items = [*tree, *tree.values()] if kind is dict else tree
            return 2 + sum(self.tree(item) + 2 for item in items)
        return self.leaf(tree)

    def leaf(self, leaf: Any) -> int:
        """Columns of a value by its name, or of a constant."""
        leaf = self.resolve(leaf)
        if type(leaf) is not Value:
            return len(leaf.name) + 4 if type(leaf) is DType else len(repr(leaf))
        if is_parameter(leaf.node):
            return self.path(leaf.node.args[0])
        return len(leaf.name) if leaf.name else _SHORT_NAME

    @staticmethod
    def path(path: str) -> int:
        """Columns of an entry of the parameter tree."""
        return 6 + len(path) + 3 * (path.count(".") + 1)
