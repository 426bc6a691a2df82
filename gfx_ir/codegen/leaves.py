"""Values, constants and trees of them as expressions."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ..control import is_parameter
from ..errors import GfxError
from ..graph import Node, Value
from ..records import Field
from ..regions import join_path
from ..trees import BRANCHES
from . import constants
from .constants import call, name
from .context import Context
from .names import Scope
from .plan import Plan


class Leaves:
    """What one function reads. `bound`: how a value that has been assigned is read; `standing`: what values stand for in the
    block that is being written, as those of a test do on each of its sides."""

    def __init__(self, module: Context, plan: Plan) -> None:
        self.module, self.plan = module, plan
        self.bound: dict[Value, ast.expr] = {}
        self.standing: Mapping[Value, Any] = {}
        self.root: ast.expr = name("params")
        self.scope = Scope(plan.positions, module.reserved)

    def resolve(self, leaf: Any) -> Any:
        """The leaf, or what it stands for."""
        standing, alias = self.standing, self.plan.liveness.alias
        while type(leaf) is Value:
            if leaf in standing:
                leaf = standing[leaf]
            elif leaf in alias:
                leaf = alias[leaf]
            else:
                break
        return leaf

    def build(self, node: Node) -> ast.expr:
        """A node as an expression."""
        raise NotImplementedError

    def leaf(self, leaf: Any) -> ast.expr:
        """A Value or a constant; the tree that an output of a test stands for."""
        leaf = self.resolve(leaf)
        if type(leaf) is Value:
            return self.value(leaf)
        return self.tree(leaf) if type(leaf) in BRANCHES else self.constant(leaf)

    def constant(self, leaf: Any) -> ast.expr:
        """A constant; the modules that it names are imported."""
        return self.module.free(constants.leaf(leaf, self.module.style))

    def part(self, whole: ast.expr, key: Any) -> ast.expr:
        """What an argument, or a part of it, has under a key."""
        if type(key) is Field:
            return ast.Attribute(whole, key.name, ast.Load())
        return ast.Subscript(whole, self.constant(key), ast.Load())

    def tree(self, tree: Any) -> ast.expr:
        """A tree of Values and constants as a literal."""
        kind = type(tree)
        if kind is tuple:
            return ast.Tuple([self.tree(item) for item in tree], ast.Load())
        if kind is list:
            return ast.List([self.tree(item) for item in tree], ast.Load())
        if kind is dict:
            return ast.Dict([self.constant(key) for key in tree], [self.tree(item) for item in tree.values()])
        if kind is slice:
            whole = [tree.start, tree.stop, tree.step]
            parts = whole if tree.step is not None else whole[:2] if tree.start is not None else whole[1:2]
            return call("slice", *[self.tree(part) for part in parts])
        return self.leaf(tree)

    def index(self, tree: Any) -> ast.expr:
        """A tree in square brackets, where slices are written with colons."""
        if type(tree) is tuple:
            if len(tree) == 1 and type(tree[0]) is not tuple:
                return self.index(tree[0])
            return ast.Tuple([self._index_item(item) for item in tree], ast.Load())
        return self._index_item(tree)

    def _index_item(self, item: Any) -> ast.expr:
        if type(item) is slice:
            return ast.Slice(
                *[None if part is None else self.tree(part) for part in (item.start, item.stop, item.step)]
            )
        return self.tree(item)

    def value(self, value: Value) -> ast.expr:
        """How a value is read: its name, or the expression that stands in its place."""
        found = self.bound.get(value)
        if found is not None:
            return found
        node = value.node
        if is_parameter(node):
            return self.path(node.args[0])
        if (node in self.plan.inside or node in self.plan.always) and len(node.values) == 1:
            return self.build(node)
        raise GfxError(f"{value!r} is taken before it is computed", node.span)

    def path(self, path: str | None, root: ast.expr | None = None, above: str = "") -> ast.expr:
        """An entry of the parameter tree, or of the subtree that `root` is: by position in a list, by name in a dictionary."""
        out, parts = self.root if root is None else root, (path or "").split(".")
        for at, part in enumerate(parts):
            if part:
                owner = join_path(above, ".".join(parts[:at]))
                listed = self.module.length(self.plan.graph, owner) is not None
                out = ast.Subscript(out, ast.Constant(int(part) if listed else part), ast.Load())
        return out
