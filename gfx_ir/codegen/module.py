"""A program as a module: which functions it has, their order, what they import, and the text."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence

from ..backend import Backend
from ..errors import GfxError, MissingOp
from ..graph import Graph, Node, Value
from ..infer.facts import Facts
from ..program import Parameter, Program
from ..public import function_of
from ..source import Span
from ..template import Template
from ..terms import Terms
from ..trees import leaves, tree_map
from .constants import parse
from .doc import docstring
from .emitted import Module
from .fitting import keep_shapes
from .function import FunctionWriter
from .helpers import Helpers
from .identifiers import usable
from .in_place import overwriting
from .layout import lay_out
from .liveness import Liveness
from .prepare import Prepared, prepare
from .prepare.inline import bottom_up, own_gradients
from .static import static_arguments
from .style import Style
from .summary import Summary
from .titles import Titles
from .unrolling import Unrolling
from .written import Writes


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
    return ModuleWriter(program, backend, style, unroll, max_trips).module(comments)


class ModuleWriter:
    """What the functions of one module share."""

    def __init__(
        self, program: Program, backend: Backend, style: Style, unroll: bool | int | None, max_trips: int | None = None
    ) -> None:
        self.program, self.backend, self.style = program, backend, style
        self.ordered = style.generator
        self.unrolling = Unrolling(unroll)
        self.prepared: Prepared = prepare(program, backend, style, self.unrolling, max_trips)
        self.functions = self.prepared.functions
        self.order = bottom_up(self.prepared.entry, self.functions)
        self.summary = Summary(self.order, self.functions, backend)
        over = backend.in_place if style.control == "python" else ()
        for graph in self.order:
            keep_shapes(graph, over, self.summary.is_overwritten, program.promotion)
        self.facts = Facts(
            [self.prepared.entry],
            self.functions,
            backend.promotion,
            self.functional,
            style.control != "python",
            style.of_numbers,
        )
        self.helpers = Helpers(backend, style)
        if program.params:
            self.summary.take_params(self.prepared.entry)
        self.titles = Titles(self.prepared, self.order, style, self.helpers)
        self.reserved = self.titles.reserved
        self._wrapped: set[str] = set()
        self.helpers.rename({parameter.name for parameter in self.signature()})

    # ------------------------------------------------------------------ facts about graphs
    def overwriting(self, graph: Graph, liveness: Liveness) -> set[Node]:
        """The nodes of a function that are written in place."""
        if self.style.control != "python":  # higher-order operators refuse writes, or spell them otherwise
            return set()
        return overwriting(graph, self.backend, liveness, self.facts, self.summary.is_overwritten)

    def writing(self, graph: Graph, liveness: Liveness) -> Writes:
        """The nodes of a function that write a part of a variable."""

        def spelled(node: Node) -> bool:
            found = self.backend.places.get(node.op.name) if self.style.control != "functional" else None
            if found is None:
                return False
            args = node.op.named(tree_map(liveness.resolve, node.args))
            args.index = tree_map(
                lambda leaf: 0 if self.facts.may_be_number(liveness.resolve(leaf)) else leaf, args.index
            )
            return bool(found(args))

        def own(value: Value) -> bool:  # where no number of its library stands for an array, what is written is none
            return self.summary.is_spare(value) and not (
                self.style.numbers is None and self.facts.may_be_number(liveness.resolve(value))
            )

        def authored(node: Node) -> bool:
            return node.in_place and self.program.promotion == "torch"

        return Writes(graph, liveness, spelled, own, self.functional, authored, self.facts.is_boolean)

    def functional(self, node: Node) -> bool:
        """Whether a test or loop is written by a higher-order function."""
        if self.style.control == "python" or node.op.name not in ("cond", "while", "for"):
            return False
        return not (node.op.name == "for" and self.unrolling.takes(node))

    def gives_tuple(self, node: Node) -> bool:
        """Whether a call returns the flat tuple of its values."""
        if node.op.name != "call":
            return False
        result = self.functions[node.args[0]].result
        return type(result) is tuple and len(result) == len(node.values) and all(type(leaf) is Value for leaf in result)

    def length(self, path: str) -> int | None:
        """Length of the list of parameters at a path of the function that is being written."""
        prefix = self.prepared.instances.get(self._writing, "")
        return self.prepared.lists.length(".".join(part for part in (prefix, path) if part))

    def signature(self) -> Sequence[Parameter]:
        """The entry's arguments."""
        return self.prepared.signature

    # ------------------------------------------------------------------ what is used
    def use(self, text: str, node: Node | None = None) -> str:
        """A free name of a spelling: a module, a helper or a builtin."""
        return self.helpers.use(text, node)

    def free(self, expression: ast.expr) -> ast.expr:
        """An expression of the style; the modules that it names are imported."""
        for inner in () if type(expression) is ast.Constant else ast.walk(expression):
            if type(inner) is ast.Name:
                inner.id = self.helpers.use(inner.id, None)
        return expression

    def spelling(self, node: Node, in_place: bool = False) -> Template | None:
        """How the backend spells the node's op, if by a row."""
        return (self.backend.in_place if in_place else self.backend.templates).get(node.op.name)

    def template(self, node: Node, in_place: bool = False) -> Template:
        """How the backend spells the node's op. Raises MissingOp."""
        found = self.spelling(node, in_place)
        if found is None:
            raise MissingOp(f"backend {self.backend.name!r} has no row for op {node.op.name!r}", node.span)
        return found

    def held(self, node: Node) -> str:
        """What the function of a call that no op stands for is called here. Raises MissingOp where the framework has no such function."""
        target = node.arg("target")
        function_of(self.backend, target)
        return self.style.called(target)

    def own_gradient(self, node: Node) -> ast.expr:
        """What is called where a function brings its own gradient."""
        return parse(self.style.applied.format(name=self.titles.with_gradient(node.args[0])))

    def _wrappers(self, graph: Graph) -> list[str]:
        """What makes functions of their own gradient of the functions that were written before, for the calls in a graph."""
        texts = []
        for node in own_gradients(graph):
            forward, rule, _, mode, count, _ = node.args
            name = self.titles.with_gradient(forward)
            if name not in self._wrapped:
                self._wrapped.add(name)
                given = {"name": name, "forward": self.titles.function(forward), "rule": self.titles.function(rule)}
                texts.append(self.style.gradients[mode].format(**given, several="*" if count > 1 else ""))
                self.use(self.style.gradients["root"])
        return texts

    # ------------------------------------------------------------------ text
    def module(self, comments: bool) -> Module:
        """The whole module."""
        static = static_arguments(self.prepared, self.facts.flow)
        definitions: list[ast.stmt | str] = []
        terms: Terms | None = None
        for graph in self.order:
            is_entry = graph is self.prepared.entry
            key = "" if is_entry else self.prepared.keys[graph]
            self._writing = key
            params = self.summary.needs_params(graph)
            doc = self._doc(static) if is_entry else inspect.cleandoc(graph.doc)
            signature = self.signature() if is_entry else [Parameter(text, v) for text, v in self._placeholders(graph)]
            name = self.titles.entry if is_entry else self.titles.function(key)
            definition = FunctionWriter(self, graph).write(name, signature, doc, params)
            terms = self._terms(definition.args, params) if is_entry else terms
            self.helpers.call_builtins(definition)
            definitions += [*self._wrappers(graph), definition]
        lines: list[tuple[str, Span | None]] = [(line, None) for line in self.helpers.imports()]
        for text in self.helpers.sources():
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
        fixed = tuple(p.name for p in self.signature() if p.fixed and p.tree is not None and p.name not in static)
        return Module(source, self.titles.entry, places, (*static, *fixed), self.titles.errors, terms=terms)

    def _terms(self, written: ast.arguments, params: bool) -> Terms:
        """What calls of the entry are held against."""
        names = [arg.arg for arg in (*written.posonlyargs, *written.args, *written.kwonlyargs)]
        own = {parameter.name for parameter in self.signature()}
        extra = [text for text in names if text not in own]
        leading, random = extra.pop(0) if params else "", "".join(extra)
        program, name = self.program, self.titles.entry
        return Terms(
            name, self.backend.name, self.signature(), program.guards, program.writes, leading=leading, random=random
        )

    def _doc(self, static: Sequence[str]) -> str:
        return docstring(self.program, static, self._made_python(), self.style)

    def _placeholders(self, graph: Graph) -> list[tuple[str, Value]]:
        """Argument names of a callee, each its own."""
        out: list[tuple[str, Value]] = []
        taken = set(self.reserved) | {"params"}
        for value in graph.placeholders:
            text = value.name if value.name and usable(value.name) else "x"
            count = 1
            while text in taken:
                text, count = f"{value.name or 'x'}_{count}", count + 1
            taken.add(text)
            out.append((text, value))
        return out

    def _made_python(self) -> list[Value]:
        """Tensors that are read in Python."""
        nodes = (node for graph in self.order for node in graph.walk() if node.op.name == "to_python")
        return [leaf for node in nodes for leaf in leaves(node.args) if type(leaf) is Value]
