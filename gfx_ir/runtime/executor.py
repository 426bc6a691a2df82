"""Executor: interprets a Program on a backend, node by node. Control flow is Python's own, so every program runs."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import dtypes
from ..backend import Backend, backend
from ..build import HOST_OPERATORS
from ..dtypes import DType
from ..errors import ShapeError, VerifyError
from ..graph import Graph, Node, Value
from ..infer.walk import Walk
from ..op import lookup
from ..ops.effect import error_names
from ..program import Program
from ..public import function_of
from ..regions import is_range, join_path, results
from ..source import Span
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .plan import CONSTANT, VALUE, Step, steps

Handler = Callable[[Node, list[Any], str], Any]
_PYTHON = {"int": int, "float": float, "bool": bool, "str": str}
_NUMBERS = (bool, int, float, complex)


class Executor:
    """Runs programs on one backend: `Executor(backend)(program, args, params)`."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def __call__(self, program: Program, args: Sequence[Any], params: Mapping[str, Any] | None = None) -> Any:
        """The result for the data of the entry's placeholders, in order; `params` by path (None: the program's own).

        All arrays are the backend's. An error that a node raises carries the user's line as a note.
        """
        entry = program.entry
        if len(args) != len(entry.placeholders):
            raise VerifyError(f"{entry.name!r} takes {len(entry.placeholders)} arguments, not {len(args)}")
        run = _Run(self.backend, program, program.params if params is None else params)
        return run.graph(entry, args, "", run.finished)


class _Run:
    """One run: the plans of its graphs, its parameters."""

    def __init__(self, backend: Backend, program: Program, params: Mapping[str, Any]) -> None:
        self.backend, self.program, self.params = backend, program, params
        self.plans: dict[Graph, list[Step]] = {}
        self.handlers: dict[str, Handler] = {
            "cond": self._branch, "host_if": self._branch, "while": self._while, "host_while": self._while,
            "for": self._for, "host_for": self._for, "call": self._call, "host": self._host,
            "to_python": self._to_python, "print": self._print, "check": self._check,
            "size": lambda node, args, prefix: self.shape(args[0])[args[1]],
            "sizes": self._sizes,
            "shape": lambda node, args, prefix: self.shape(args[0]),
            "rank": lambda node, args, prefix: len(self.shape(args[0])),
            "numel": self._numel,
            "dtype_of": lambda node, args, prefix: self.dtype(args[0]),
            "is_floating": lambda node, args, prefix: self.dtype(args[0]).kind == "f",
            "is_none": lambda node, args, prefix: args[0] is None,
            "holder": self._holder,
            "custom_gradient": lambda node, args, prefix: self.graph(node.regions[0], args[0], prefix)[: args[3]],
        }  # fmt: skip

    # ------------------------------------------------------------------ graphs
    def graph(
        self, graph: Graph, inputs: Sequence[Any], prefix: str, finish: Callable[[Value, Any], Any] | None = None
    ) -> Any:
        """The result of a graph, its parameters under `prefix`; each value in it goes through `finish`."""
        plan = self.plans.get(graph)
        if plan is None:
            plan = self.plans[graph] = steps(graph)
        env: dict[Value, Any] = dict(zip(graph.placeholders, inputs))
        for path, value in graph.parameters.items():
            env[value] = self._parameter(join_path(prefix, path))
        for step in plan:
            node = step.node
            args = [a if way == CONSTANT else env[a] if way == VALUE else _filled(a, env) for way, a in step.fills]
            try:
                out = self._node(node, args, prefix)
            except Exception as error:
                _annotate(error, node.span)
                raise
            env.update(zip(node.values, out))
            for value in step.frees:
                env.pop(value, None)
        if finish is not None:
            env = {value: finish(value, data) for value, data in env.items()}
        return _filled(graph.result, env)

    def finished(self, value: Value, data: Any) -> Any:
        """A tensor value of the entry as an array: loops carry Python numbers as such (unknown dtype: the default)."""
        if type(data) not in _NUMBERS or value.kind != "tensor" or value.node.op.name == "placeholder":
            return data
        known = value.type.dtype if isinstance(value.type, LogicalTensor) else None
        return self.backend.run(lookup("as_tensor"), (data, known, None))

    def _parameter(self, path: str) -> Any:
        try:
            return self.params[path]
        except KeyError:
            raise VerifyError(f"the parameters lack {path!r}") from None

    def _node(self, node: Node, args: list[Any], prefix: str) -> Sequence[Any]:
        """The data of a node's values."""
        handler = self.handlers.get(node.op.name)
        out = handler(node, args, prefix) if handler is not None else self._run(node, args)
        values = node.values
        if len(values) != 1:
            if values and len(out) != len(values):
                raise ShapeError(f"{node.op.name} gave {len(out)} values, and {len(values)} were captured", node.span)
            return out if values else ()
        # An op with one part gives a sequence of it; a host value may be a tuple itself.
        if isinstance(out, (tuple, list)) and (node.regions or node.op.name == "call" or values[0].is_tensor):
            (out,) = out
        return (out,)

    def _run(self, node: Node, args: list[Any]) -> Any:
        try:
            return self.backend.run(node.op, args)
        except TypeError:
            arrays = self._with_arrays(node, args)
            if arrays is None:
                raise
            return self.backend.run(node.op, arrays)

    def _with_arrays(self, node: Node, args: list[Any]) -> list[Any] | None:
        """The arguments with the Python numbers among tensor values made arrays, for functions that take no numbers."""
        at = [k for k, a in enumerate(node.args) if type(a) is Value and a.is_tensor and type(args[k]) in _NUMBERS]
        if not at:
            return None
        strong = [(self.dtype(leaf), False) for leaf in leaves(args) if self.backend.is_tensor(leaf)]
        out = list(args)
        for k in at:
            kind, _ = dtypes.result_type([*strong, (self.dtype(args[k]), True)], self.program.promotion)
            out[k] = self.backend.run(lookup("as_tensor"), (args[k], kind, None))
        return out

    # ------------------------------------------------------------------ control flow
    def truth(self, x: Any) -> bool:
        """Whether a test holds."""
        return bool(x)

    def _branch(self, node: Node, args: list[Any], prefix: str) -> Sequence[Any]:
        region = node.regions[0 if self.truth(args[0]) else 1]
        return results(self.graph(region, args[1], prefix), len(node.values), node.span)

    def _while(self, node: Node, args: list[Any], prefix: str) -> Sequence[Any]:
        carried, operands, exit_ = args
        test, body = node.regions
        while not self._left(carried, exit_) and self.truth(self.graph(test, (*carried, *operands), prefix)):
            carried = results(self.graph(body, (*carried, *operands), prefix), len(node.values), node.span)
        return carried

    def _left(self, carried: Sequence[Any], exit_: int | None) -> bool:
        return exit_ is not None and self.truth(carried[exit_])

    def _for(self, node: Node, args: list[Any], prefix: str) -> Sequence[Any]:
        items, carried, operands, exit_ = args
        body, count = node.regions[0], len(carried)
        stacks: list[list[Any]] = [[] for _ in node.values[count:]]
        for row in zip(*map(self._rows, items)):
            if self._left(carried, exit_):
                break
            out = results(self.graph(body, (*row, *carried, *operands), prefix), len(node.values), node.span)
            carried = out[:count]
            for stack, item in zip(stacks, out[count:]):
                stack.append(item)
        if stacks and not stacks[0]:
            return (*carried, *self._no_rows(node, args, prefix))
        return (*carried, *map(self._stacked, stacks))

    def _rows(self, item: Any) -> Iterator[Any]:
        if is_range(item):
            yield from range(*(int(end) for end in item[1:]))
            return
        getitem = lookup("getitem")
        for at in range(self.shape(item)[0]):
            yield self.backend.run(getitem, (item, at))

    def _stacked(self, rows: list[Any]) -> Any:
        as_tensor = lookup("as_tensor")
        parts = [self.backend.run(as_tensor, (row, None, None)) if isinstance(row, _NUMBERS) else row for row in rows]
        return self.backend.run(lookup("stack"), (parts, 0))

    def _no_rows(self, node: Node, args: list[Any], prefix: str) -> list[Any]:
        """Stacked results of a loop without trips: of the shapes that a trip would have given."""
        found = []
        walk = Walk(self.program)
        types = tuple(tree_map(self.type, arg) for arg in args)
        for type_ in walk.for_types(node, types, prefix)[len(args[1]) :]:
            if type_.dims is None or type_.dtype is None or not all(isinstance(d, int) for d in type_.dims[1:]):
                what = "a loop without trips stacks rows of a shape that only a trip would tell"
                raise ShapeError(what, node.span, "check for the empty case before the loop")
            found.append(self.backend.run(lookup("zeros"), ((0, *type_.dims[1:]), type_.dtype, None)))
        return found

    def _call(self, node: Node, args: list[Any], prefix: str) -> Sequence[Any]:
        callee = self.program.callee(node.args[0])
        if callee is None:
            raise VerifyError(f"there is no function {node.args[0]!r} in the program", node.span)
        result = self.graph(callee, args[2], join_path(prefix, args[1]))
        return results(result, len(node.values), node.span)

    # ------------------------------------------------------------------ host values
    def shape(self, x: Any) -> tuple[int, ...]:
        """Shape of an array or number."""
        return self.backend.shape_of(x) if self.backend.is_tensor(x) else ()

    def dtype(self, x: Any) -> DType:
        """Element type of an array or number."""
        if self.backend.is_tensor(x):
            return self.backend.dtype_of(x)
        return dtypes.default(dtypes.kind_of(x), self.program.promotion)

    def type(self, x: Any) -> Any:
        """What inference knows of data."""
        return LogicalTensor(self.dtype(x), self.shape(x)) if self.backend.is_tensor(x) else x

    def _sizes(self, node: Node, args: list[Any], prefix: str) -> Sequence[Any]:
        found = self.shape(args[0])
        if len(found) != args[1]:
            raise ShapeError(f"a shape of {len(found)} sizes is taken apart into {args[1]}", node.span)
        return found if len(node.values) != 1 else found[0]  # type: ignore[return-value]

    def _numel(self, node: Node, args: list[Any], prefix: str) -> int:
        out = 1
        for size in self.shape(args[0]):
            out *= size
        return out

    def _host(self, node: Node, args: list[Any], prefix: str) -> Any:
        return HOST_OPERATORS[args[0]](*args[1])

    def _to_python(self, node: Node, args: list[Any], prefix: str) -> Any:
        x, kind = args
        data = self.backend.to_host(x) if self.backend.is_tensor(x) else x
        return _PYTHON[kind](data) if kind in _PYTHON else getattr(data, "tolist", lambda: data)()

    # ------------------------------------------------------------------ effects
    def _holder(self, node: Node, args: list[Any], prefix: str) -> Any:
        """A call that no op stands for, on the framework that it came from."""
        framework, target, given, named, *_ = args
        owner = self.backend if framework == self.backend.name else backend(framework)
        fn = function_of(owner, target)
        moved = lambda leaf: (
            self._moved(leaf, self.backend, owner) if self.backend.is_tensor(leaf) else owner.convert(leaf)
        )
        out = fn(*tree_map(moved, tuple(given)), **tree_map(moved, named))
        back = [self._moved(part, owner, self.backend) for part in ((out,) if owner.is_tensor(out) else out)]
        return back if len(node.values) > 1 else back[0]

    @staticmethod
    def _moved(x: Any, source: Backend, target: Backend) -> Any:
        return x if source is target else target.from_host(source.to_host(x))

    def _print(self, node: Node, args: list[Any], prefix: str) -> tuple:
        values, end, stream = args
        print(*values, end=end, file=sys.stderr if stream == "stderr" else None)
        return ()

    def _check(self, node: Node, args: list[Any], prefix: str) -> tuple:
        passed, message, error = args
        if not self.truth(passed):
            if type(message) is list:
                message = message[0].format(*message[1:])
            told = message if type(message) is tuple else () if message is None else (message,)
            raise getattr(builtins, error_names(error)[1])(*tree_map(self.backend.convert, told))
        return ()


def _filled(tree: Any, env: Mapping[Value, Any]) -> Any:
    return tree_map(lambda leaf: env[leaf] if type(leaf) is Value else leaf, tree)


def _annotate(error: Exception, span: Span | None) -> None:
    """Add the user's line to an error; of the calls around it each line once."""
    if span is None:
        return
    note = f"in {span.place()}" + (f": {span.text}" if span.text else "")
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
