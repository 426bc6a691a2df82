"""Loops over lists of parameters: `for block in params["blocks"]: x = block(…)`; over numbered names `params[f"block_{n}"]`."""

from __future__ import annotations

import ast
from typing import Any

from ...graph import Node, Value
from ..constants import name, names_in
from ..statements import Statements


class Repeats:
    """Runs of calls with one list element after the other."""

    def __init__(self, writer: Statements) -> None:
        self.writer, self.plan, self.module = writer, writer.plan, writer.module

    def statement(self, node: Node) -> None:
        """Calls that go over a list of parameters, each with the result of the one before."""
        callee, path, start, stop, args, thread, stem = node.args
        graph, number = self.writer.place(node)
        starts = {output: at for at, output in reversed(thread)}
        chosen: dict[int, str] = {}
        for value in node.values:
            output = value.index - 1
            if output in starts:
                chosen[output] = self._threaded(node, value, starts[output], chosen)
        self.writer.assign(
            [(chosen[output], self.writer.tree(args[at])) for output, at in sorted(starts.items())], node.span
        )
        threaded = dict(thread)
        given = [name(chosen[threaded[at]]) if at in threaded else self.writer.tree(arg) for at, arg in enumerate(args)]
        for value in node.values:
            if value.index - 1 not in chosen and self.plan.liveness.used(value):
                chosen[value.index - 1] = self.writer.choose(value, graph, 2 * number, chosen.values())
        held = names_in(*given)
        hints = ["n"] if stem else [self.module.titles.item(path), "layer"]
        layer = self.writer.scope.pick(hints, graph, 2 * number, held | set(chosen.values()))
        own: ast.expr = name(layer)
        if stem:
            key = ast.JoinedStr([ast.Constant(stem), ast.FormattedValue(own, -1)])
            own = ast.Subscript(self.writer.path(path), key, ast.Load())
        made = ast.Call(name(self.module.titles.function(callee)), [own, *given], [])
        targets: list[ast.expr] = [ast.Name(chosen.get(at, "_"), ast.Store()) for at in range(len(node.values))]
        body = ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())], made)
        over = self._numbers(start, stop) if stem else self._list(path, start, stop)
        self.writer.put(ast.For(ast.Name(layer, ast.Store()), over, [body], []), node.span)
        for at, text in chosen.items():
            self.writer.bind(node.values[at], text)

    def _threaded(self, node: Node, value: Value, at: int, chosen: dict[int, str]) -> str:
        """The variable that goes from trip to trip."""
        graph, number = self.writer.place(node)
        init: Any = self.writer.resolve(node.args[4][at])
        read = self.writer.bound.get(init) if type(init) is Value else None
        hints = [
            self.writer.prefer.get(value),
            value.name,
            read.id if isinstance(read, ast.Name) else None,
            self.module.functions[node.args[0]].placeholders[at].name,
        ]
        return self.writer.scope.pick(hints, graph, 2 * number, chosen.values())

    def _numbers(self, start: int, stop: int) -> ast.expr:
        """The numbers that the names of what is gone over end with."""
        return ast.Call(name("range"), [*([ast.Constant(start)] if start else []), ast.Constant(stop)], [])

    def _list(self, path: str, start: int, stop: int) -> ast.expr:
        """The list of parameters at the path, or the part of it that is gone over."""
        source = self.writer.path(path)
        length = self.module.length(self.plan.graph, path)
        if start == 0 and stop == length:
            return source
        upper = None if stop == length else ast.Constant(stop)
        return ast.Subscript(source, ast.Slice(ast.Constant(start) if start else None, upper), ast.Load())
