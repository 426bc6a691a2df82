"""A program as a module: its functions in order, what they import, and the text."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from typing import Any

from ..backend import Backend
from ..control import hangs_on_data, is_test, makes_python
from ..errors import GfxError
from ..graph import Graph, Value
from ..program import Parameter, Program
from ..source import Span
from ..terms import Terms
from ..trees import leaves
from .argument_trees import Taken
from .context import Context
from .doc import docstring
from .emitted import Module
from .function import FunctionWriter
from .identifiers import usable
from .layout import lay_out
from .prepare.calls import own_gradients
from .static import static_arguments
from .style import Style
from .wrap import fitted


def emit(
    program: Program,
    backend: Backend,
    *,
    unroll: bool | int | None = None,
    comments: bool = False,
    mode: str = "python",
    max_trips: int | None = None,
) -> Module:
    """The program as source for a backend.

    `unroll`: how many trips of a loop over fixed numbers a functional target writes as a plain Python loop (True: any
    number, False: none; 16 unless told). `comments`: cite the user's lines. `mode`: "python", or "hop" for PyTorch's
    higher-order operators, which torch.export and fullgraph compilation take; they have no reverse mode for a loop that
    data ends. `max_trips`: how many trips a loop that data ends takes at most, so that JAX, whose open loops have no
    reverse mode, has one for it: the emitted source checks it. A loop whose test asks `n < stop` of a counter needs no
    such promise. Raises MissingOp, naming every op that the backend lacks.
    """
    style = getattr(backend, "style", None) if mode == "python" else getattr(backend, "modes", {}).get(mode)
    if not isinstance(style, Style):
        what = "style of source" if mode == "python" else f"{mode!r} spelling of control flow"
        raise GfxError(
            f"backend {backend.name!r} has no {what}", hint='mode="python" is the spelling that every backend has'
        )
    return ModuleWriter(Context(program, backend, style, unroll, max_trips)).module(comments)


class ModuleWriter:
    """Writes the functions of a program one after the other."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._wrapped: set[str] = set()
        self._written: dict[str, str] = {}

    def _wrappers(self, graph: Graph) -> list[str]:
        """What makes functions of their own gradient of the functions that were written before, for the calls in a graph."""
        texts = []
        for node in own_gradients(graph):
            forward, rule, _, mode, count, _ = node.args
            name = self.context.titles.with_gradient(forward)
            if name not in self._wrapped:
                self._wrapped.add(name)
                given = {
                    "name": name,
                    "forward": self.context.titles.function(forward),
                    "rule": self.context.titles.function(rule),
                }
                text = self.context.style.gradients[mode].format(**given, several="*" if count > 1 else "")
                texts.append(fitted(text))
                self.context.use(self.context.style.gradients["root"])
        return texts

    def _is_new(self, graph: Graph, definition: ast.FunctionDef) -> bool:
        """Whether no function before says the same; where one does, it is called instead."""
        told = ast.dump(ast.FunctionDef("", definition.args, definition.body, [], None))
        first = self._written.setdefault(told, definition.name)
        if first != definition.name:
            self.context.titles.call_instead(self.context.key(graph), first)
        return first == definition.name

    # ------------------------------------------------------------------ text
    def module(self, comments: bool) -> Module:
        """The whole module."""
        static = static_arguments(self.context.prepared, self.context.facts.flow)
        definitions: list[ast.stmt | str] = []
        terms: Terms | None = None
        for graph in self.context.order:
            is_entry = graph is self.context.prepared.entry
            params = self.context.summary.needs_params(graph)
            doc = self._doc(static) if is_entry else inspect.cleandoc(graph.doc)
            signature = self.context.arguments if is_entry else self._parameters(graph)
            name = self.context.titles.entry if is_entry else self.context.titles.function(self.context.key(graph))
            definition = FunctionWriter(self.context, graph).write(name, signature, doc, params)
            terms = self._terms(definition.args, params) if is_entry else terms
            self.context.helpers.call_builtins(definition)
            if is_entry or self._is_new(graph, definition):
                definitions += [*self._wrappers(graph), definition]
        lines: list[tuple[str, Span | None]] = [(line, None) for line in self.context.helpers.imports()]
        for text in self.context.helpers.sources():
            lines += [("", None), ("", None), *((line, None) for line in text.rstrip().split("\n"))]
        for written in definitions:
            lines += [("", None), ("", None)]
            if isinstance(written, str):
                lines += [(line, None) for line in written.splitlines()]
            else:
                lines += lay_out([written], 0, comments)
        while lines and not lines[0][0]:
            lines.pop(0)
        source = "\n".join(text for text, _ in lines) + "\n"
        places = [(number, span) for number, (_, span) in enumerate(lines, 1) if span is not None]
        fixed = tuple(
            p.name for p in self.context.signature() if p.fixed and p.tree is not None and p.name not in static
        )
        return Module(
            source, self.context.titles.entry, places, (*static, *fixed), self.context.titles.errors, terms=terms
        )

    def _terms(self, written: ast.arguments, params: bool) -> Terms:
        """What calls of the entry are held against."""
        names = [arg.arg for arg in (*written.posonlyargs, *written.args, *written.kwonlyargs)]
        own = {parameter.name for parameter in self.context.signature()}
        extra = [text for text in names if text not in own]
        leading, random = extra.pop(0) if params else "", "".join(extra)
        program, name = self.context.program, self.context.titles.entry
        return Terms(
            name,
            self.context.backend.name,
            self.context.signature(),
            program.guards,
            program.writes,
            program.params.keys(),
            leading=leading,
            random=random,
            shared=program.shared,
            records=program.records,
        )

    def _doc(self, static: Sequence[str]) -> str:
        style = self.context.style
        read = self._made_python() if style.control.compiled else []  # others run Python as it is
        return docstring(self.context.program, static, read, style)

    def _parameters(self, graph: Graph) -> list[Parameter]:
        """The arguments of a callee, each with a name of its own; leaves of one tree are in that tree."""
        out: list[Parameter] = []
        parts = self.context.trees.arguments(graph)
        taken = set(self.context.reserved)
        if self.context.summary.needs_params(graph) or not any(type(part) is Taken for part in parts):
            taken.add("params")
        for part in parts:
            tree: Any = part.tree(graph.placeholders) if isinstance(part, Taken) else graph.placeholders[part]
            text = part.name if isinstance(part, Taken) else tree.name
            text = own = text if text and usable(text) else "x"
            count = 1
            while text in taken:
                text, count = f"{own}_{count}", count + 1
            taken.add(text)
            out.append(Parameter(text, tree))
        return out

    def _made_python(self) -> list[Value]:
        """Tensors that are read in Python: made numbers of its own, or asked by its tests and loops."""
        nodes = [node for graph in self.context.order for node in graph.walk()]
        read = [leaf for node in nodes if makes_python(node) for leaf in leaves(node.args)]
        asked = [node.args[0] for node in nodes if is_test(node) and not hangs_on_data(node)]
        return [leaf for leaf in read if type(leaf) is Value] + [x for x in asked if type(x) is Value and x.is_tensor]
