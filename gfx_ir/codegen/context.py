"""Context: what the functions of one module share while they are written."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..backend import Backend
from ..control import hangs_on_data, is_call, is_for
from ..dtypes import default, framework_of
from ..errors import MissingOp
from ..graph import Graph, Node, Value
from ..infer.facts import Facts
from ..program import Parameter, Program
from ..public import function_of
from ..records import as_read
from ..template import Template
from ..trees import tree_map
from .argument_trees import ArgumentTrees
from .constants import parse
from .fitting import keep_shapes
from .helpers import Helpers
from .in_place import overwriting
from .liveness import Liveness
from .plan import Plan
from .planning import Planner
from .prepare import Prepared, prepare
from .prepare.base import HOSTED
from .prepare.calls import bottom_up
from .records import Records
from .style import Style
from .summary import Summary
from .titles import Titles
from .unrolling import Unrolling
from .written import Writes


class Context:
    """A program as a target has it, what is known of it, and what the module uses."""

    def __init__(
        self, program: Program, backend: Backend, style: Style, unroll: bool | int | None, max_trips: int | None = None
    ) -> None:
        self.program, self.backend, self.style = program, backend, style
        self.unrolling = Unrolling(unroll)
        self.doubles = default("f", program.promotion).bits > default("f", backend.promotion).bits  # numbers are, alone
        self.prepared: Prepared = prepare(program, backend, style, self.unrolling, max_trips)
        self.functions = self.prepared.functions
        entry = self.prepared.entry
        self.hosted: frozenset[Node] = entry.get(HOSTED) if entry.has(HOSTED) else frozenset()
        self.order = bottom_up(self.prepared.entry, self.functions)
        self.arguments = [self._as_read(parameter) for parameter in self.prepared.signature]
        self.trees = ArgumentTrees(self.prepared.entry, self.functions, self.arguments)
        self.summary = Summary(self.order, self.functions, backend)
        writes = backend.writes if backend.in_place and not style.control.higher_order else None
        for graph in self.order:
            keep_shapes(graph, writes, self.summary.is_overwritten, program.promotion)
        self.facts = Facts(
            [self.prepared.entry],
            self.functions,
            backend.promotion,
            self.functional,
            style.control.higher_order,
            style.of_numbers,
            gives_bytes=lambda node: (row := backend.rows.get(node.op.name)) is not None and row.bytes,
        )
        self.helpers = Helpers(backend, style)
        if program.params:
            self.summary.take_params(self.prepared.entry)
        self.titles = Titles(program, self.prepared, self.order, style, self.helpers)
        self.reserved = self.titles.reserved - self.helpers.rename({parameter.name for parameter in self.signature()})

    def _as_read(self, parameter: Parameter) -> Parameter:
        """An argument of the entry with the keys under which code reads what it holds."""
        if parameter.fixed:
            return parameter
        return replace(parameter, tree=as_read(self.program.records, parameter.tree, parameter.name))

    # ------------------------------------------------------------------ facts about graphs
    def plan(self, graph: Graph) -> Plan:
        """What is a statement, and what stands inside of one, in a function."""
        found = partial(self._overwriting, graph), partial(self._writing, graph)
        plan = Plan(graph, self.summary.effectful, self.functional, *found, self.facts, self.style.control)
        Planner(plan, self.gives_tuple, self.spelling, self.style.generator)
        return plan

    def _overwriting(self, graph: Graph, liveness: Liveness) -> set[Node]:
        """The nodes of a function that are written in place."""
        if self.style.control.higher_order:  # higher-order operators refuse writes, or spell them otherwise
            return set()
        return overwriting(graph, self.backend, liveness, self.facts, self.summary.is_overwritten)

    def _writing(self, graph: Graph, liveness: Liveness) -> Writes:
        """The nodes of a function that write a part of a variable."""

        def spelled(node: Node) -> bool:
            found = self.backend.places.get(node.op.name) if not self.style.control.compiled else None
            if found is None:
                return False
            args = node.op.named(tree_map(liveness.resolve, node.args))
            args.index = tree_map(
                lambda leaf: 0 if type(leaf) is Value and self.facts.may_be_number(leaf) else leaf, args.index
            )
            return bool(found(args))

        def own(value: Value) -> bool:  # where no number of its library stands for an array, what is written is none
            return self.summary.is_spare(value) and not (
                self.style.numbers is None and self.facts.may_be_number(liveness.resolve(value))
            )

        def authored(node: Node) -> bool:
            return node.in_place and framework_of(self.program.promotion) == "torch"

        return Writes(graph, liveness, spelled, own, self.functional, authored, self.facts.is_boolean)

    def functional(self, node: Node) -> bool:
        """Whether a test or loop is written by a higher-order function."""
        if not self.style.control.higher_order or not hangs_on_data(node):
            return False
        return not (is_for(node) and self.unrolling.takes(node))

    def gives_tuple(self, node: Node) -> bool:
        """Whether a call returns the flat tuple of its values."""
        if not is_call(node):
            return False
        result = self.functions[node.args[0]].result
        return type(result) is tuple and len(result) == len(node.values) and all(type(leaf) is Value for leaf in result)

    def key(self, graph: Graph) -> str:
        """The name of a function in the program; "" for the entry."""
        return self.prepared.keys.get(graph, "")

    def length(self, graph: Graph, path: str) -> int | None:
        """Length of the list of parameters at a path of a function."""
        prefix = self.prepared.instances.get(self.key(graph), "")
        return self.prepared.lists.length(".".join(part for part in (prefix, path) if part))

    def records_of(self, result: Any) -> Records | None:
        """The classes of which objects are in a result, where it is the entry's."""
        return self.titles.records if self.program.records and result is self.prepared.entry.result else None

    def signature(self) -> Sequence[Parameter]:
        """The entry's arguments."""
        return self.prepared.signature

    # ------------------------------------------------------------------ what is used
    def use(self, text: str, node: Node | None = None) -> str:
        """A free name of a spelling: a module, a helper or a builtin."""
        return self.helpers.use("np" if text == self.style.module and node in self.hosted else text, node)

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

    def finished(self, node: Node, made: ast.expr) -> ast.expr:
        """The expression of a node as the backend's row finishes it."""
        row = self.backend.rows.get(node.op.name)
        return made if row is None or row.finish is None else row.finish(made)

    def held(self, node: Node) -> str:
        """What the function of a call that no op stands for is called here. Raises MissingOp where the framework has no such function."""
        target = node.arg("target")
        function_of(self.backend, target)
        return self.style.called(target)

    def written(self, node: Node) -> tuple[str, ...]:
        """The arguments that such a call writes."""
        backend = self.backend
        return tuple(name for name, writes in backend.written_by(backend.find(node.arg("target"))).items() if writes)

    def own_gradient(self, node: Node) -> ast.expr:
        """What is called where a function brings its own gradient."""
        return parse(self.style.applied.format(name=self.titles.with_gradient(node.args[0])))
