"""A graph as a function definition."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..errors import GfxError
from ..graph import Graph, Value, values_in
from ..program import Parameter
from ..trees import leaves, paths
from .constants import name
from .context import Context
from .hoist import hoist
from .identifiers import usable
from .joined import join
from .nesting import run
from .signature import Signature
from .statements import Statements

_ANNOTATED = ("int", "float", "bool", "str")


class FunctionWriter(Statements):
    """Writes one graph of the module."""

    def __init__(self, module: Context, graph: Graph) -> None:
        super().__init__(module, module.plan(graph))
        self.graph, self.control = graph, module.style.control(self)

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
        if not usable(text) and not (text == "_" and self._unread(parameter)):
            hint = "give it a name of its own: loops of the source assign it" if text == "_" else ""
            raise GfxError(f"{text!r} cannot be the name of an argument{' that is read' if hint else ''}", hint=hint)
        for path, leaf in paths(parameter.tree):
            if type(leaf) is not Value:
                continue
            access: ast.expr = name(text)
            for key in path:
                access = self.part(access, key)
            self.bound[leaf] = access
            self.scope.hold(text, leaf)
            if path:
                self.scope.closed |= {text}

    def _unread(self, parameter: Parameter) -> bool:
        """Whether nothing takes what an argument holds."""
        held = {leaf for leaf in leaves(parameter.tree) if type(leaf) is Value}
        return not any(leaf.uses for leaf in held) and held.isdisjoint(values_in((self.graph.result,)))

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
