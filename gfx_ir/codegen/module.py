"""A program as a module: which functions it has, their order, what they import, and the text."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Sequence

from ..backend import Backend
from ..errors import GfxError, MissingOp
from ..graph import Graph, Node, Value
from ..infer.facts import Facts
from ..ops.effect import error_names
from ..program import Parameter, Program
from ..public import function_of
from ..source import Span
from ..template import Template
from ..terms import Terms
from ..trees import leaves, tree_map
from .constants import parse
from .doc import docstring
from .emitted import Module
from .function import FunctionWriter
from .helpers import Helpers
from .in_place import gives_spare, overwriting, spare
from .layout import lay_out
from .liveness import Liveness
from .names import BUILTINS, snake, usable
from .prepare import Prepared, prepare
from .prepare.inline import bottom_up, own_gradients
from .static import static_arguments
from .style import Style
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
        self.facts = Facts(
            [self.prepared.entry],
            self.functions,
            backend.promotion,
            self.functional,
            style.control != "python",
            style.of_numbers,
        )
        self.helpers = Helpers(backend, style)
        self.order = bottom_up(self.prepared.entry, self.functions)
        self.reserved: frozenset[str] = frozenset()
        self._effects: dict[Graph, bool] = {}
        self._params: dict[Graph, bool] = {}
        self._spare: dict[Graph, bool] = {}
        self._names: dict[str, str] = {}
        self._wrapped: set[str] = set()
        self._own: dict[str, str] = {}  # functions with a gradient of their own, by what computes them
        self.errors: dict[str, str] = {}  # exception classes of the author's own, by what they are called here
        self._summarise()
        self._name_functions()
        self.helpers.rename({parameter.name for parameter in self.signature()})

    # ------------------------------------------------------------------ facts about graphs
    def _summarise(self) -> None:
        for graph in self.order:
            nodes = list(graph.walk())
            called = [self.functions[node.args[0]] for node in nodes if node.op.name in ("call", "repeat_calls")]
            self._params[graph] = (
                bool(graph.parameters)
                or any(node.op.name == "repeat_calls" for node in nodes)
                or any(self._params[callee] for callee in called)
            )
            if graph is self.prepared.entry:
                self._params[graph] = self._params[graph] or bool(self.program.params)
            self._spare[graph] = gives_spare(graph, self._is_spare)
            self._effects[graph] = any(
                node.op.effect or node.op.name in ("check", "print", "holder") for node in nodes
            ) or any(self._effects[callee] for callee in called)

    def effectful(self, node: Node) -> bool:
        """Whether the node does more than give its values."""
        if node.op.effect:
            return True
        if node.op.name in ("call", "repeat_calls"):
            return self._effects[self.functions[node.args[0]]]
        return any(
            inner.op.effect or (inner.op.name in ("call", "repeat_calls") and self.effectful(inner))
            for r in node.regions
            for inner in r.walk()
        )

    def _is_spare(self, value: Value) -> bool:
        return spare(value, self.backend, lambda callee: self._spare[self.functions[callee]])

    def overwriting(self, graph: Graph, liveness: Liveness) -> set[Node]:
        """The nodes of a function that are written in place."""
        if self.style.control != "python":  # higher-order operators refuse writes, or spell them otherwise
            return set()
        return overwriting(graph, self.backend, liveness, self.facts, self._is_spare)

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
            return self._is_spare(value) and not (
                self.style.numbers and self.facts.may_be_number(liveness.resolve(value))
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

    def needs_params(self, callee: str) -> bool:
        """Whether a function takes the parameter tree."""
        return self._params[self.functions[callee]]

    def length(self, path: str) -> int | None:
        """Length of the list of parameters at a path of the function that is being written."""
        prefix = self.prepared.instances.get(self._writing, "")
        return self.prepared.lists.length(".".join(part for part in (prefix, path) if part))

    # ------------------------------------------------------------------ names
    def _name_functions(self) -> None:
        arguments = {parameter.name for parameter in self.signature()}
        taken = set(self.style.imports) | set(BUILTINS) | set(dir(builtins)) | set(self.helpers.names) | arguments
        taken |= {"params", "carry"}
        entry = self.prepared.entry
        own = snake(entry.name or "f")
        self.entry_name = self._unique(own, taken - {own} if own in arguments else taken)
        taken.add(self.entry_name)
        for graph in self.order:
            if graph is not entry:
                key = self.prepared.keys[graph]
                self._names[key] = self._unique(snake(graph.name or key), taken)
                taken.add(self._names[key])
        for graph in self.order:
            for node in own_gradients(graph):
                name = self.style.named(node.args[2])
                if node.args[0] not in self._own:
                    self._own[node.args[0]] = self._unique(name, taken)
                    taken.add(self._own[node.args[0]])
        self._name_errors(taken)
        named = {self.entry_name, *self._names.values(), *self._own.values(), *self.errors}
        self.reserved = frozenset(set(self.style.imports) | set(BUILTINS) | self.helpers.names | named)

    def _name_errors(self, taken: set[str]) -> None:
        """Exception classes of the author's own that the program raises: the module defines each."""
        texts = dict.fromkeys(n.arg("error") for graph in self.order for n in graph.walk() if n.op.name == "check")
        for name, base in map(error_names, filter(None, texts)):
            if name != base:
                called = self._unique(name, taken)
                taken.add(called)
                self.errors[called] = name
                self.helpers.define(name, called, base)

    @staticmethod
    def _unique(text: str, taken: set[str]) -> str:
        if text not in taken:
            return text
        text = text if text not in dir(builtins) else f"{text}_"
        count = 2
        while f"{text}{count}" in taken and count:
            count += 1
        return text if text not in taken else f"{text}{'_' if text[-1:].isdigit() else ''}{count}"

    def function(self, callee: str) -> str:
        """What a function of the program is called."""
        return self._names[callee]

    def item_name(self, path: str) -> str | None:
        """What to call an element of a list: `blocks` → `block`, if that is nothing else."""
        last = re.sub(r"\d+$", "", path.rpartition(".")[2])
        for ending, instead in (("ies", "y"), ("sses", "ss"), ("s", "")):
            if last.endswith(ending) and not last.endswith("ss" if ending == "s" else "\0"):
                text = last[: -len(ending)] + instead
                return text if usable(text) and text not in self.reserved else None
        return None

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
        return parse(self.style.applied.format(name=self._own[node.args[0]]))

    def _wrappers(self, graph: Graph) -> list[str]:
        """What makes functions of their own gradient of the functions that were written before, for the calls in a graph."""
        texts = []
        for node in own_gradients(graph):
            forward, rule, _, mode, count, _ = node.args
            name = self._own[forward]
            if name not in self._wrapped:
                self._wrapped.add(name)
                given = {"name": name, "forward": self._names[forward], "rule": self._names[rule]}
                texts.append(self.style.gradients[mode].format(**given, several="*" if count > 1 else ""))
                self.use(self.style.gradients["root"])
        return texts

    # ------------------------------------------------------------------ text
    def module(self, comments: bool) -> Module:
        """The whole module."""
        static = static_arguments(self.prepared)
        definitions: list[ast.stmt | str] = []
        terms: Terms | None = None
        for graph in self.order:
            is_entry = graph is self.prepared.entry
            key = "" if is_entry else self.prepared.keys[graph]
            self._writing = key
            doc = self._doc(static) if is_entry else inspect.cleandoc(graph.doc)
            signature = self.signature() if is_entry else [Parameter(text, v) for text, v in self._placeholders(graph)]
            name = self.entry_name if is_entry else self._names[key]
            definition = FunctionWriter(self, graph).write(name, signature, doc, self._params[graph])
            terms = self._terms(definition.args, self._params[graph]) if is_entry else terms
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
        return Module(source, self.entry_name, places, (*static, *fixed), self.errors, terms=terms)

    def _terms(self, written: ast.arguments, params: bool) -> Terms:
        """What calls of the entry are held against."""
        names = [arg.arg for arg in (*written.posonlyargs, *written.args, *written.kwonlyargs)]
        own = {parameter.name for parameter in self.signature()}
        extra = [text for text in names if text not in own]
        leading, random = extra.pop(0) if params else "", "".join(extra)
        program, name = self.program, self.entry_name
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
