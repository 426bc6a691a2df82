"""What loops go over, where a counter or one array stands for Python's iterator."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ...control import is_output
from ...graph import Node, Value
from ..constants import name
from ..iterables import counts_rows
from ..statements import Statements
from .functions import Functions


class Items:
    """Rows and counters of the loops of one function."""

    def __init__(self, writer: Statements, functions: Functions, row: Callable[[ast.expr, str], ast.expr]) -> None:
        """`row` reads a row of a tensor at a counter."""
        self.writer, self.plan, self.module, self.functions, self.row = (
            writer,
            writer.plan,
            writer.module,
            functions,
            row,
        )

    def counter(self, node: Node, items: Sequence[Value], hints: Sequence[str | None]) -> str:
        closed = self.functions.closure(node.regions).closed | set(hints)
        wanted = [item.name for item, over in zip(items, node.args[0]) if type(over) is tuple and item.name]
        return next(text for text in (*wanted, "i", "j", "k", "at", "index_", "counter") if text not in closed)

    def over(self, part: Any) -> ast.expr:
        if type(part) is not tuple:
            return self.writer.tree(part)
        _, start, stop, step = part
        bounds = [stop] if start == 0 and step == 1 else [start, stop] if step == 1 else [start, stop, step]
        arange = ast.Attribute(self.module.free(name(self.module.style.module)), "arange", ast.Load())
        return ast.Call(arange, [self.writer.tree(bound) for bound in bounds], [])

    def length(self, over: Any) -> ast.expr:
        """How many trips an iterable is good for; none where it is negative."""
        if type(over) is not tuple:
            return ast.Subscript(
                ast.Attribute(self.writer.tree(over), "shape", ast.Load()), ast.Constant(0), ast.Load()
            )
        _, start, stop, step = over
        if start == 0 and step == 1:
            return self.writer.tree(stop)
        first, last, by = (self.writer.tree(part) for part in (start, stop, step))
        if step == 1:
            return ast.BinOp(last, ast.Sub(), first)
        return ast.UnaryOp(ast.USub(), ast.BinOp(ast.BinOp(first, ast.Sub(), last), ast.FloorDiv(), by))

    def lengths(self, node: Node) -> list[ast.expr]:
        """How many trips what a loop goes over is good for: one where all say the same; a range that counts rows says no more than these."""
        resolve, over = self.writer.resolve, node.args[0]
        found = [self.length(part) for part in over if not any(counts_rows(resolve, part, rows) for rows in over)]
        return found[:1] if len({ast.dump(length) for length in found}) == 1 else found

    def bind_items(self, node: Node, items: Sequence[Value], counter: str, targets: Sequence[str]) -> None:
        """The rows of this trip, as the first statements of the body."""
        for item, over in zip(items, node.args[0]):
            if not self.plan.liveness.used(item):
                continue
            if type(over) is tuple and over[1] == 0 and over[3] == 1:
                self.writer.bind(item, counter)
                continue
            if type(over) is tuple:
                scaled = (
                    name(counter) if over[3] == 1 else ast.BinOp(name(counter), ast.Mult(), self.writer.tree(over[3]))
                )
                source: ast.expr = ast.BinOp(self.writer.tree(over[1]), ast.Add(), scaled)
            else:
                source = self.row(self.writer.tree(over), counter)
            graph = item.node.graph
            assert graph is not None
            users = self.plan.users[item]
            only = users[0] if len(users) == 1 else None
            if only is not None and only.graph is graph and not only.regions and not is_output(only):
                self.writer.bound[item] = source
                continue
            text = self.writer.scope.pick([item.name, "row"], graph, 0, targets)
            self.writer.put(ast.Assign([ast.Name(text, ast.Store())], source))
            self.writer.bind(item, text)
