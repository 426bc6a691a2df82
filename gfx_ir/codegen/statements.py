"""Nodes as statements, and how a block of them ends."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..control import is_call, is_check, is_evaluation, is_loop, is_repeat, is_test
from ..graph import Graph, Node, Value
from ..op import Trait
from ..ops.effect import error_names
from ..regions import outputs_of
from ..source import Span
from ..trees import leaves, paths, tree_map
from .constants import name, names_in
from .context import Context
from .derivatives import given_by
from .expr import Expressions
from .logic import negate
from .names import temporary
from .nesting import Nested
from .plan import Plan
from .prepare.calls import derives
from .writer import Finish


class Statements(Expressions):
    """Statements of one function. `out` is the block being written; `prefer`: names for values, if they are free; `told`: nodes whose
    value the test of a loop has named already; `unset`: what loops carry for a return alone: a trip that returns sets it, and no
    other reads it."""

    def __init__(self, module: Context, plan: Plan) -> None:
        super().__init__(module, plan)
        self.out: list[ast.stmt] = []
        self.prefer: dict[Value, str] = {}
        self.told: set[Node] = set()
        self.unset: set[Value] = set()

    # ------------------------------------------------------------------ blocks
    def block(self, graph: Graph, finish: Finish, standing: Mapping[Value, Any] | None = None) -> Nested:
        """The statements of a graph and whether their end is never reached; `standing`: what values stand for in it besides."""
        outer, self.out = self.out, []
        around, self.standing = self.standing, {**self.standing, **(standing or {})}
        self.scope.begin()
        ended = yield self.fill_block(graph, finish)
        self.scope.end(graph)
        written, self.out = self.out, outer
        self.standing = around
        return written, ended

    def fill_block(self, graph: Graph, finish: Finish) -> Nested:
        """Write the statements of a graph into the current block; a test that ends it ends as it does on both sides."""
        tail = self.plan.tails.get(graph)
        for node in self.plan.order[graph]:
            if node is tail:
                return (yield (self.rest if node in self.plan.returned else self.control.branch)(node, finish))
            control = is_test(node) or is_loop(node) or is_repeat(node)
            ended = (yield self.control.statement(node)) if control else self.statement(node)
            if ended:
                return True
        return finish()

    def rest(self, test: Node, finish: Finish) -> Nested:
        """The other side of a test whose first side is returned by the loop before it."""
        region = test.regions[1]
        self.standing = {**self.standing, **stands(test, region)}
        return (yield self.fill_block(region, finish))

    def put(self, statement: ast.stmt, span: Span | None = None) -> None:
        """Add a statement to the current block."""
        if span is not None:
            statement.gfx_span = span  # type: ignore[attr-defined]
        self.out.append(statement)

    def assign(self, pairs: Sequence[tuple[str, ast.expr]], span: Span | None = None) -> None:
        """One parallel assignment; names that already hold their value are left out."""
        pairs = [(target, value) for target, value in pairs if not (type(value) is ast.Name and value.id == target)]
        if not pairs:
            return
        targets: list[ast.expr] = [ast.Name(target, ast.Store()) for target, _ in pairs]
        values = [value for _, value in pairs]
        if (
            len(pairs) == 1
            and isinstance(values[0], ast.IfExp)
            and pairs[0][0] in map(_named, (values[0].body, values[0].orelse))
        ):
            self.put(_where_it_changes(targets[0], values[0]), span)
        elif len(pairs) == 1:
            self.put(_counted(pairs[0][0], values[0]) or ast.Assign([targets[0]], values[0]), span)
        else:
            self.put(ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(values, ast.Load())), span)

    # ------------------------------------------------------------------ names
    def place(self, node: Node) -> tuple[Graph, int]:
        """The graph of a statement and its number there."""
        assert node.graph is not None
        return node.graph, self.plan.positions.index[node]

    def bind(self, value: Value, text: str) -> None:
        """The value is read by this name from now on."""
        self.bound[value] = name(text)
        self.scope.hold(text, value)

    def rebind(self, value: Value, text: str) -> None:
        """The same with a name that was free: what had it is dead."""
        self.scope.forget(text)
        self.bind(value, text)

    def choose(self, value: Value, graph: Graph, tick: int, avoid: Iterable[str] = ()) -> str:
        """A name for a value that is made at `tick`."""
        preferred = self.prefer.get(value)
        if preferred is not None and preferred not in avoid and self.scope.free(preferred, graph, tick):
            return preferred
        return self.scope.pick([value.name or temporary(value, self.plan.facts.is_boolean)], graph, tick, avoid)

    # ------------------------------------------------------------------ statements
    def statement(self, node: Node) -> bool:
        """Write one node; True where nothing after it is reached."""
        if node in self.told:
            return False
        if is_check(node):
            return self.check(node)
        if is_evaluation(node):
            self.evaluate(self.leaf(node.args[0]), node.span)
            return False
        if node in self.plan.writes.nodes:
            self.write_place(node)
            return False
        expression = self.build(node)
        if not any(self.plan.liveness.used(value) for value in node.values):
            self.put(ast.Expr(expression), node.span)
        elif len(node.values) == 1:
            graph, at = self.place(node)
            chosen = self.choose(node.value, graph, 2 * at)
            if not self.overwrite(node, chosen):
                self.assign([(chosen, expression)], node.span)
            self.rebind(node.value, chosen)
        elif derives(node):
            self.take_apart(node, given_by(self.module, node), expression)
        else:
            self.unpack(node, expression, self.shape_of(node))
        return False

    def evaluate(self, expression: ast.expr, span: Span | None) -> None:
        """An expression as a statement, if it does anything."""
        if not isinstance(expression, (ast.Name, ast.Constant)):
            self.put(ast.Expr(expression), span)

    def write_place(self, node: Node) -> None:
        """`x[i] = v`, or `x[i] += v`, where the variable is the node's own from here on."""
        index, value, sign = self.index(node.arg("index")), *self._change(node)
        graph, at = self.place(node)
        held = self.leaf(node.args[0])
        taken = names_in(index, value)
        text = held.id if isinstance(held, ast.Name) else ""
        chosen = self.choose(node.value, graph, 2 * at, taken - {text})
        self.assign([(chosen, held)], node.span)
        target = ast.Subscript(name(chosen), index, ast.Store())
        self.put(ast.AugAssign(target, sign, value) if sign else ast.Assign([target], value), node.span)
        self.rebind(node.value, chosen)

    def _change(self, node: Node) -> tuple[ast.expr, ast.operator | None]:
        """What is assigned, or what is added and so on to what stands there, with its operator."""
        if node.arg("accumulate"):
            return self.leaf(node.arg("value")), ast.Add()
        made = self.resolve(node.arg("value"))
        if type(made) is Value and made.node in self.plan.inside and self.module.backend.spells(made.node.op):
            spelled = self.module.template(made.node).tree(tree_map(self.plan.seen, made.node.args))
            if (
                isinstance(spelled, ast.BinOp)
                and self._reads(made.node.args[0], node)
                and type(made.node.args[1]) is int
            ):
                return self.leaf(made.node.args[1]), spelled.op
        return self.leaf(made), None

    def _reads(self, leaf: Any, write: Node) -> bool:
        """Whether a leaf is what stands where the write goes to."""
        value = self.resolve(leaf)
        if type(value) is not Value or not value.node.op.traits & Trait.READS_AT or value.node not in self.plan.inside:
            return False
        there, here = (tree_map(self.resolve, n.args[:2]) for n in (value.node, write))
        return there[0] is here[0] and there[1] == here[1]

    def overwrite(self, node: Node, text: str) -> bool:
        """Write `text += …` for a node in place of the variable `text`, where its op has an operator."""
        if node not in self.plan.in_place:
            return False
        args = tree_map(self.resolve, node.args)
        held, spelled = self.bound.get(args[0]), self.module.template(node).tree(self.seen(node))
        if not isinstance(spelled, ast.BinOp) or not isinstance(held, ast.Name) or held.id != text:
            return False
        self.put(ast.AugAssign(ast.Name(text, ast.Store()), spelled.op, self.leaf(args[1])), node.span)
        return True

    def shape_of(self, node: Node) -> list[tuple[tuple, Value]] | None:
        """Where in the result of a call its values stand; None where it is the flat tuple of them."""
        if not is_call(node):
            return None
        result = self.module.functions[node.args[0]].result
        return [(path, value) for (path, _), value in zip(paths(result), node.values)]

    def unpack(self, node: Node, expression: ast.expr, shape: list[tuple[tuple, Value]] | None) -> None:
        """Several values of one node: `a, b = …`, or accesses to a tree that gets a name."""
        graph, at = self.place(node)
        tick = 2 * at + 1
        if shape is not None and any(len(path) != 1 or type(path[0]) is not int for path, _ in shape):
            whole = self.scope.pick(["result"], graph, tick)
            self.assign([(whole, expression)], node.span)
            self._read_in(whole, shape)
            return
        self.targets(node.values, expression, graph, tick, node.span)

    def _read_in(self, whole: str, places: Iterable[tuple[tuple, Value]]) -> None:
        """The values are read in a tree that has this name, at these places."""
        for path, value in places:
            if self.plan.liveness.used(value):
                self.bind(value, whole)
                access: ast.expr = name(whole)
                for key in path:
                    access = self.part(access, key)
                self.bound[value] = access

    def take_apart(self, node: Node, given: Any, expression: ast.expr) -> None:
        """Assign what a node gives: tuples taken apart, dictionaries under names of their own, in which their values are read."""
        (graph, at), chosen = self.place(node), dict[str, Any]()

        def target(part: Any) -> ast.expr:
            if type(part) is tuple:
                return ast.Tuple([target(item) for item in part], ast.Store())
            text = "_"
            if any(self.plan.liveness.used(value) for value in leaves(part)):
                taken = chosen.keys()
                text = (
                    self.choose(part, graph, 2 * at + 1, taken)
                    if type(part) is Value
                    else self.scope.pick(["grads"], graph, 2 * at + 1, taken)
                )
                chosen[text] = part
            return ast.Name(text, ast.Store())

        self.put(ast.Assign([target(given)], expression), node.span)
        for text, part in chosen.items():
            self.scope.forget(text)
            self._read_in(text, paths(part))

    def targets(self, values: Sequence[Value | None], expression: ast.expr, graph: Graph, tick: int, span: Any) -> None:
        """`a, _, b = expression` for the values that are needed."""
        chosen: list[str] = []
        for value in values:
            needed = value is not None and self.plan.liveness.used(value)
            chosen.append(self.choose(value, graph, tick, chosen) if needed and value is not None else "_")
        if len(chosen) == 1:
            self.assign([(chosen[0], expression)], span)
        else:
            self.put(
                ast.Assign([ast.Tuple([ast.Name(text, ast.Store()) for text in chosen], ast.Store())], expression), span
            )
        for value, text in zip(values, chosen):
            if text != "_" and value is not None:
                self.rebind(value, text)

    # ------------------------------------------------------------------ ends
    def return_(self, result: Any) -> bool:
        """End a function with its result."""
        self.put(ast.Return(self.result(result)), self._place_of(result))
        return True

    def _place_of(self, result: Any) -> Span | None:
        """The user's place of a result that is computed where it is returned."""
        found = (self.resolve(leaf) for leaf in leaves(result) if type(leaf) is Value)
        inside = (value.node for value in found if type(value) is Value and value.node in self.plan.inside)
        return next((node.span for node in inside if node.span is not None), None)

    def result(self, result: Any) -> ast.expr:
        """A result tree; the values of one node as the call that gives them all."""
        whole = self._whole(result)
        records = self.module.records_of(result)
        if whole is not None:
            return records.whole(self.build(whole)) if records is not None else self.build(whole)
        return self.tree(result) if records is None else records.written(result, self.tree, self.part)

    def _whole(self, result: Any) -> Node | None:
        if type(result) is not tuple or not result:
            return None
        found = {self.resolve(leaf).node for leaf in leaves(result) if type(self.resolve(leaf)) is Value}
        node = next(iter(found), None)
        return node if len(found) == 1 and len(node.values) > 1 and node in self.plan.inside else None  # type: ignore[union-attr]

    def check(self, node: Node) -> bool:
        """`raise` where a condition does not hold."""
        test, message = self.resolve(node.arg("pred")), node.arg("message")
        error = node.arg("error") if "error" in node.op.params else None
        if test is True:
            return False
        if (type(test) is Value and test.is_tensor) or self._staged(node):
            made = self.control.check(node)
            if made is not None:
                self.put(ast.Expr(made), node.span)
                return False
        kind = self.module.use(error_names(error or "AssertionError")[0])
        several = message if type(message) is tuple else [] if message is None or message == "" else [message]
        told = [self.tree(part) for part in several] if type(message) is not list else [self.filled(*message)]
        raised = ast.Raise(ast.Call(name(kind), told, []) if told else name(kind), None)
        if test is False:
            self.put(raised, node.span)
            return True
        if kind == "AssertionError" and len(told) < 2:
            self.put(ast.Assert(self.test(test), told[0] if told else None), node.span)
        else:
            self.put(ast.If(self.test(test, False), [raised], []), node.span)
        return False

    def filled(self, text: str, *values: Any) -> ast.expr:
        """A format with what stands in it."""
        return ast.Call(ast.Attribute(ast.Constant(text), "format", ast.Load()), list(map(self.tree, values)), [])

    def _staged(self, node: Node) -> bool:
        """Whether the node stands in a function that the target calls when it likes: there `raise` would not wait."""
        owner = node.graph.owner if node.graph is not None else None
        while owner is not None and not self.module.functional(owner):
            owner = owner.graph.owner if owner.graph is not None else None
        return owner is not None


def stands(node: Node, region: Graph) -> dict[Value, Any]:
    """What the values of a test stand for on one of its sides."""
    return dict(zip(node.values, outputs_of(region.result, len(node.values))))


def _named(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else ""


def _where_it_changes(target: ast.expr, value: ast.IfExp) -> ast.stmt:
    """`if test: x = y` for an `x = y if test else x`."""
    assert isinstance(target, ast.Name)
    kept = _named(value.orelse) == target.id
    test, given = (value.test, value.body) if kept else (negate(value.test), value.orelse)
    return ast.If(test, [ast.Assign([target], given)], [])


def _counted(target: str, value: ast.expr) -> ast.stmt | None:
    """`n += 1` for an `n = n + 1` of Python numbers."""
    if not isinstance(value, ast.BinOp) or not getattr(value, "gfx_counts", False):
        return None
    again = isinstance(value.left, ast.Name) and value.left.id == target
    return ast.AugAssign(ast.Name(target, ast.Store()), value.op, value.right) if again else None
