"""A graph as a function definition."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..control import is_for, is_test
from ..errors import GfxError
from ..graph import Graph, Node, Value
from ..program import Parameter
from ..trees import leaves, paths
from .constants import name
from .hoist import hoist
from .identifiers import usable
from .joined import join
from .liveness import counted
from .names import Scope
from .nesting import Nested, run
from .operators import Operators
from .plan import Plan
from .signature import Signature

if TYPE_CHECKING:
    from .module import ModuleWriter

_ANNOTATED = ("int", "float", "bool", "str")


class FunctionWriter(Operators):
    """Writes one graph of the module."""

    def __init__(self, module: ModuleWriter, graph: Graph) -> None:
        self.module = module
        rules = (module.summary.effectful, module.functional, module.gives_tuple, module.spelling)
        overwriting, writing = partial(module.overwriting, graph), partial(module.writing, graph)
        deferred = module.style.control == "functional"
        self.plan = Plan(graph, *rules, overwriting, writing, module.ordered, module.facts, self.hop, deferred)
        self.out: list[ast.stmt] = []
        self.prefer: dict[Value, str] = {}
        self.told: set[Node] = set()
        self.unset: set[Value] = set()
        self.bound: dict[Value, ast.expr] = {}
        self.root: ast.expr = name("params")
        self.scope = Scope(self.plan, module.reserved)
        self.graph = graph

    def write(self, text: str, signature: Sequence[Parameter], doc: str, params: bool) -> ast.FunctionDef:
        """The definition under the name `text`."""
        arguments = self._arguments(signature, params)
        body, _ = run(self.block(self.graph, self._end))
        if params:
            body = hoist(body, self.root, set(self._taken(body)) | self.module.reserved)
        body = join(body)
        if doc:
            body.insert(0, ast.Expr(ast.Constant(doc)))
        return ast.FunctionDef(text, arguments, body or [ast.Pass()], [], None)

    def _end(self) -> bool:
        if self.graph.result is None and self.out:
            return False
        return self.return_(self.graph.result)

    def _taken(self, body: list[ast.stmt]) -> list[str]:
        found = [inner.id for statement in body for inner in ast.walk(statement) if isinstance(inner, ast.Name)]
        inner = (part for statement in body for part in ast.walk(statement))
        return found + [
            part.arg if isinstance(part, ast.arg) else part.name
            for part in inner
            if isinstance(part, (ast.arg, ast.FunctionDef))
        ]

    # ------------------------------------------------------------------ signature
    def _arguments(self, parameters: Sequence[Parameter], params: bool) -> ast.arguments:
        """The signature; every placeholder is bound to its argument, or its place in the argument's tree."""
        signature = Signature(parameters, self.tree)
        names = {parameter.name for parameter in parameters}
        self.root = name(next(text for text in ("params", "weights", "params_") if text not in names))
        if params:
            signature.lead(self.root.id)
            self.scope.reserved |= {self.root.id}
        for parameter in parameters:
            self._bind(parameter)
            signature.take(parameter, self._annotation(parameter))
        bound = {leaf for parameter in parameters for leaf in leaves(parameter.tree) if type(leaf) is Value}
        for value in self.graph.placeholders:
            if value not in bound:
                self._extra(value, signature)
        return signature.out

    def _bind(self, parameter: Parameter) -> None:
        """Let the leaves of an argument stand where they are found in it."""
        text = parameter.name
        if not usable(text):
            raise GfxError(f"{text!r} cannot be the name of an argument")
        for path, leaf in paths(parameter.tree):
            if type(leaf) is not Value:
                continue
            access: ast.expr = name(text)
            for key in path:
                access = ast.Subscript(access, self.constant(key), ast.Load())
            self.bound[leaf] = access
            self.scope.hold(text, leaf)
            if path:
                self.scope.closed |= {text}

    def _annotation(self, parameter: Parameter) -> ast.expr | None:
        """Arguments that are Python numbers say so: it decides what a capture of the source takes them for."""
        if parameter.annotation in _ANNOTATED:
            return name(parameter.annotation)
        kind = getattr(parameter.tree, "kind", None)
        optional = parameter.default is None
        return name(kind) if kind in _ANNOTATED and not optional and type(parameter.default) is not float else None

    def _extra(self, value: Value, signature: Signature) -> None:
        """A placeholder outside of the signature: the source of random numbers comes last."""
        hint = self.module.style.key if value.kind == "key" else value.name
        text = self.scope.pick([hint, "x"], self.graph, 0, signature.names())
        self.bind(value, text)
        signature.follow(text)

    # ------------------------------------------------------------------ control flow
    def control(self, node: Node) -> ast.expr:
        """A test or loop as an expression."""
        if node in self.plan.ternary:
            return self.ternary(node)
        if is_test(node):
            return self.functional_if(node)
        return self.functional_loop(node)

    def control_statement(self, node: Node) -> Nested:
        """A test or loop as statements; what it gives is True where nothing behind it is reached."""
        op = node.op.name
        if op == "repeat_calls":
            self.repeat(node)
        elif node in self.plan.ternary or (op == "cond" and self.module.functional(node)):
            self._assign_outputs(node, [v for v in node.values if self.plan.liveness.used(v)])
        elif is_test(node):
            return (yield self.if_statement(node))
        elif not self.module.functional(node):
            yield self.python_loop(node)
        elif is_for(node) and not counted(node) and node.arg("exit") is None:
            self._assign_scan(node)
        else:
            self._assign_outputs(node, self.loop_values(node))
        return False

    def _assign_outputs(self, node: Node, values: Sequence[Value | None]) -> None:
        expression = self.control(node)
        graph, at = self.place(node)
        if not any(value is not None and self.plan.liveness.used(value) for value in values):
            self.put(ast.Expr(expression), node.span)
        else:
            self.targets(values, expression, graph, 2 * at + 1, node.span)

    def _assign_scan(self, node: Node) -> None:
        """`(a, b), outs = lax.scan(…)`."""
        expression = self.control(node)
        graph, at = self.place(node)
        chosen: list[tuple[Value, str]] = []

        def target(tree: Any) -> ast.expr:
            if type(tree) is tuple:
                return ast.Tuple([target(item) for item in tree], ast.Store())
            text = "_"
            if tree is not None and self.plan.liveness.used(tree):
                text = self.choose(tree, graph, 2 * at + 1, [text for _, text in chosen])
                chosen.append((tree, text))
            return ast.Name(text, ast.Store())

        self.put(ast.Assign([target(tuple(self.scan_targets(node)))], expression), node.span)
        for value, text in chosen:
            self.bind(value, text)
