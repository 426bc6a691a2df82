"""Interpreter: what graphs, and single nodes, give on the data of one backend. The op's row, or its control row, says how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from . import dtypes
from .backend import Backend
from .control import calls_python
from .dtypes import DType
from .errors import ShapeError, VerifyError
from .graph import Graph, Node, Value, filled
from .op import Trait, lookup
from .plan import CONSTANT, VALUE, Step, steps
from .program import Program
from .python_numbers import NUMBER_CLASSES, OPERATORS, function
from .regions import join_path
from .source import Span
from .trees import leaves
from .types import LogicalTensor


class Counting(Protocol):
    """What counts the bytes that are held."""

    level: int

    def took(self, node: Node, results: Sequence[Any]) -> None:
        """Note what a node gave. Raises where it is too much."""

    def gave(self, node: Node, result: Any) -> None:
        """Note that a result is held no longer."""


class Interpreter:
    """One run: the plans of its graphs, its parameters by path. `program` (None: none at hand) has the functions."""

    def __init__(self, backend: Backend, program: Program | None, params: Mapping[str, Any]) -> None:
        self.backend, self.program, self.params = backend, program, params
        self.promotion = program.promotion if program is not None else backend.promotion
        self.plans: dict[Graph, list[Step]] = {}
        self.meter: Counting | None = None

    # ------------------------------------------------------------------ graphs
    def graph(
        self, graph: Graph, inputs: Sequence[Any], prefix: str, finish: Callable[[Value, Any], Any] | None = None
    ) -> Any:
        """The result of a graph, its parameters under `prefix`; each value in it goes through `finish`."""
        plan = self.plans.get(graph)
        if plan is None:
            plan = self.plans[graph] = steps(graph)
        env: dict[Value, Any] = dict(zip(graph.placeholders, inputs))
        meter = self.meter
        level = meter.level if meter is not None else 0
        for path, value in graph.parameters.items():
            env[value] = self.parameter(join_path(prefix, path))
        for step in plan:
            node = step.node
            args = [a if way == CONSTANT else env[a] if way == VALUE else filled(a, env) for way, a in step.fills]
            try:
                out = self.node(node, args, prefix)
            except Exception as error:
                _annotate(error, node.span)
                raise
            env.update(zip(node.values, out))
            if meter is not None:
                meter.took(node, out)
            for value in step.frees:
                if meter is None:
                    env.pop(value, None)
                else:
                    meter.gave(value.node, env.pop(value, None))
        if meter is not None:  # what is left is the result, which is whoever's asked for it
            meter.level = level
        if finish is not None:
            env = {value: finish(value, data) for value, data in env.items()}
        return filled(graph.result, env)

    def parameter(self, path: str) -> Any:
        """The data of a parameter."""
        try:
            return self.params[path]
        except KeyError:
            raise VerifyError(f"the parameters lack {path!r}") from None

    def node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        """The data of a node's values."""
        values, control = node.values, node.op.control
        out = self._run(node, args) if control is None else control.run(self, node, args, prefix)
        if len(values) != 1:
            if len(out) != len(values) and values:
                raise ShapeError(f"{node.op.name} gave {len(out)} values, and {len(values)} were captured", node.span)
            return out if values else ()
        # An op with one part gives a sequence of it; a host value may be a tuple itself.
        if control is None and isinstance(out, (tuple, list)) and values[0].is_tensor:
            (out,) = out
        if node.in_place and node.op.traits & Trait.ELEMENTWISE and self.shape(out) != self.shape(args[0]):
            shapes = " and ".join(map(str, (self.shape(args[0]), self.shape(out))))
            what = f"the array that is written in place and what is written have the shapes {shapes}"
            raise ShapeError(what, hint="make a new array: x = x + y")
        return out if control is not None else (out,)

    def _run(self, node: Node, args: Sequence[Any]) -> Any:
        operator = OPERATORS.get(node.op.name)
        if operator is not None and all(type(arg) in NUMBER_CLASSES for arg in args):
            return operator(*args)
        if node.op.family == "number":
            return self._number(node, args)
        try:
            return self.backend.run(node.op, args)
        except TypeError:
            arrays = self._with_arrays(node, args)
            if arrays is None:
                raise
            return self.backend.run(node.op, arrays)

    def _number(self, node: Node, args: Sequence[Any]) -> Any:
        """A number of Python's; in the framework's own tracer, what the op's row gives."""
        if calls_python(node):
            return function(args[0]).run(*args[1])
        made = self.backend.run(node.op, args)
        if not self.backend.is_tensor(made):
            return made
        try:
            return self.backend.to_host(made).item()
        except Exception as error:
            if not self.backend.asks_for_data(error):
                raise
            return made

    def _with_arrays(self, node: Node, args: Sequence[Any]) -> list[Any] | None:
        """The arguments with the Python numbers among tensor values made arrays, for functions that take no numbers."""
        at = [
            k for k, a in enumerate(node.args) if type(a) is Value and a.is_tensor and type(args[k]) in NUMBER_CLASSES
        ]
        if not at:
            return None
        strong = [(self.dtype(leaf), False) for leaf in leaves(args) if self.backend.is_tensor(leaf)]
        out = list(args)
        for k in at:
            kind, _ = dtypes.result_type([*strong, (self.dtype(args[k]), True)], self.promotion)
            out[k] = self.backend.run(lookup("as_tensor"), (args[k], kind, None))
        return out

    # ------------------------------------------------------------------ what control rows ask
    def truth(self, x: Any) -> bool:
        """Whether a test holds."""
        return bool(x)

    def callee(self, node: Node) -> Graph:
        """The graph that a call names."""
        return called(self.program, node)

    def shape(self, x: Any) -> tuple[int, ...]:
        """Shape of an array or number."""
        return self.backend.shape_of(x) if self.backend.is_tensor(x) else ()

    def dtype(self, x: Any) -> DType:
        """Element type of an array or number."""
        if self.backend.is_tensor(x):
            return self.backend.dtype_of(x)
        return dtypes.default(dtypes.kind_of(x), self.promotion)

    def type(self, x: Any) -> Any:
        """What inference knows of data."""
        return LogicalTensor(self.dtype(x), self.shape(x)) if self.backend.is_tensor(x) else x


def called(program: Program | None, node: Node) -> Graph:
    """The graph that a call names. Raises VerifyError where there is no such function, or no program to look in."""
    target = node.args[0]
    if isinstance(target, Graph) and program is None:
        return target
    if program is None:
        hint = "give it the program that the function belongs to: program=..."
        raise VerifyError(f"the call of {target!r} cannot be followed", node.span, hint)
    found = program.callee(target)
    if found is None:
        raise VerifyError(f"there is no function {target!r} in the program", node.span)
    return found


def _annotate(error: Exception, span: Span | None) -> None:
    """Add the user's line to an error; of the calls around it each line once."""
    if span is None:
        return
    note = f"in {span.place()}" + (f": {span.text}" if span.text else "")
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
