"""The row of a planned node, as the call that it is for arguments of the node's types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.graph import Node, Value
from gfx_ir.trees import leaves, tree_map


class RowCall:
    """The row of a node, found for the first arguments: those that follow have the same types."""

    def __init__(self, node: Node, backend: Backend) -> None:
        self.op, self.backend = node.op, backend
        self.template = backend.templates.get(node.op.name)
        self.simple = (
            node.op.control is None and node.op.family != "number" and self.template is not None and not node.in_place
        )
        self.simple &= all(type(a) is not Value or a.is_tensor for a in node.args)
        self.function: Callable[..., Any] | None = None
        self.converts = False

    def __call__(self, args: list[Any]) -> Any:
        if any(type(x) in (bool, int, float, complex) for x in args[: self.op.operands]):
            return self.backend.run(self.op, args)  # a number in the place of an array
        if self.function is None:
            template = self.template
            if template is None or not template.spells(args):
                return self.backend.run(self.op, args)
            self.converts = any(self.backend.convert(leaf) is not leaf for leaf in leaves(tuple(args)))
            self.function = template.function(args, self.backend.namespace)
        found = self.function(*(tree_map(self.backend.convert, tuple(args)) if self.converts else args))
        return found[0] if isinstance(found, (tuple, list)) else found
