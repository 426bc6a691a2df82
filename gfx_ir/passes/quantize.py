"""Post-training quantization: weights in 8 bits, per channel, and what they are multiplied by, rounded to as many steps.

Source: Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference",
arXiv:1712.05877; symmetric, as Wu et al., arXiv:2004.09602, advise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..control import is_parameter
from ..dtypes import DTYPES, DType, dtype
from ..graph import Graph, Node, Value
from ..infer import retype
from ..interpreter import Interpreter
from ..op import lookup
from ..program import Program
from ..reference import ReferenceBackend
from ..regions import join_path, with_regions
from ..types import LogicalTensor
from .base import Context, Pass
from .params import data_of, like, prefixes_of, sink_parameters, users_of_parameters

_INT8 = DTYPES["int8"]
_MOST = 127


class Quantize(Pass):
    """Stores weights of contractions that nothing else takes as int8, with a scale for each channel of the result.

    Attribute `inputs`: data for the entry's placeholders (one tuple, or a list of them; else what the series is validated
    with). Their largest numbers at each contraction are the range of what it multiplies, which is rounded to 255 steps and
    summed as whole numbers; without data weights alone are. Each factor is off by half a step at most: by 1/254 of its
    range. Weights that a function takes under several paths are so each for itself. It needs types.
    """

    name = "quantize"
    tolerance = 0.1

    def run(self, program: Program, context: Context) -> bool:
        given = self.get("inputs", context.inputs)
        inputs = given if isinstance(given, list) else [given]
        sunk = sink_parameters(program)
        found = _sites(program)
        ranges = _ranges(program, {site.node: site.place for site in found}, inputs)
        for site in found:
            _Rewrite(program, site, ranges).run()
        if found:
            retype(program)
        return sunk or bool(found)


@dataclass(frozen=True)
class _Site:
    """A contraction: where in its arguments what is multiplied stands, and the prefixes that its graph is called with."""

    node: Node
    graph: Graph
    place: int
    weight: Value
    dtype: DType
    prefixes: tuple[str, ...]

    def paths(self, ending: str = "") -> list[str]:
        """Where its weight stands, for each prefix; or what stands beside that."""
        path = self.weight.node.args[0] + ending
        return [join_path(prefix, path) for prefix in self.prefixes]


# ---------------------------------------------------------------------- what can be quantized
def _sites(program: Program) -> list[_Site]:
    prefixes = prefixes_of(program)
    users = users_of_parameters(prefixes)
    found = []
    for root, under in prefixes.items():
        for graph in with_regions((root,)):
            found += [
                site for node in graph if (site := _site(program, graph, node, under)) and _own(program, site, users)
            ]
    return found


def _site(program: Program, graph: Graph, node: Node, prefixes: Sequence[str]) -> _Site | None:
    row = node.op.contraction
    if row is None or row.channels is None or node.in_place:
        return None
    x, weight = [node.arg(name) for name in row.factors]
    if type(x) is not Value or type(weight) is not Value or x is weight or not is_parameter(weight.node):
        return None
    path = join_path(prefixes[0], weight.node.args[0]) if prefixes else ""
    if path not in program.params or not isinstance(x.type, LogicalTensor):
        return None
    element = dtype(data_of(program.params[path]).dtype)
    if element.kind != "f" or element.bits < 32 or x.type.dtype != element:
        return None
    return _Site(node, graph, node.op.params.index(row.factors[0]), weight, element, tuple(prefixes))


def _own(program: Program, site: _Site, users: Counter[str]) -> bool:
    """Whether nothing else takes or writes the weight, of two axes at least, and its name is free for scales."""
    for path, scale, range_ in zip(site.paths(), site.paths("_scale"), site.paths("_input_scale")):
        if path in program.writes or users[path] != 1 or {scale, range_} & program.params.keys():
            return False
        data = data_of(program.params[path])
        if data.ndim < 2 or dtype(data.dtype) != site.dtype or not np.isfinite(data).all():
            return False
    return True


# ---------------------------------------------------------------------- calibration
class _Observer(Interpreter):
    """Runs a program, and keeps the largest number of what some nodes multiply, for each prefix of theirs."""

    def __init__(self, program: Program, watched: dict[Node, int]) -> None:
        params = {path: data_of(x) for path, x in program.params.items()}
        super().__init__(ReferenceBackend(), program, params)
        self.watched = watched
        self.largest: dict[tuple[Node, str], float] = {}

    def node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        """The data of a node's values."""
        at = self.watched.get(node)
        if at is not None:
            found = float(np.abs(np.asarray(args[at], np.float64)).max(initial=0.0))
            self.largest[node, prefix] = max(found, self.largest.get((node, prefix), 0.0))
        return super().node(node, args, prefix)


def _ranges(program: Program, watched: dict[Node, int], inputs: Sequence[Any]) -> dict[tuple[Node, str], float]:
    observer = _Observer(program, watched)
    for data in inputs:
        if data is not None:
            with np.errstate(all="ignore"):
                observer.graph(program.entry, tuple(data), "")
    return observer.largest


# ---------------------------------------------------------------------- rewriting
class _Rewrite:
    """One contraction on whole numbers, or with its weight made floating-point numbers again where no range is known."""

    def __init__(self, program: Program, site: _Site, ranges: dict[tuple[Node, str], float]) -> None:
        self.program, self.site, self.node = program, site, site.node
        row = site.node.op.contraction
        assert row is not None and row.channels is not None
        self.row, self.channels = row, row.channels
        self.ranges = [ranges.get((site.node, prefix), np.inf) for prefix in site.prefixes]

    def run(self) -> None:
        """Quantize the data of each prefix, then the nodes of the graph."""
        known = bool(np.isfinite(self.ranges).all())
        for path, scale, step, largest in zip(
            self.site.paths(), self.site.paths("_scale"), self.site.paths("_input_scale"), self.ranges
        ):
            self._data(path, scale, step if known else "", largest)
        weight = self.site.weight
        if isinstance(weight.type, LogicalTensor):
            weight.type = weight.type.with_(dtype=_INT8)
        self._whole() if known else self._weight_alone()

    def _data(self, path: str, scale: str, step: str, largest: float) -> None:
        """Whole numbers for a weight, and the steps: of the weight alone, or (`step`) of the products and of what is multiplied."""
        original = self.program.params[path]
        data = data_of(original)
        others = tuple([axis for axis in range(data.ndim) if axis != self.channels % data.ndim])
        steps = np.abs(data).max(axis=others, keepdims=True, initial=0.0) / _MOST
        steps[steps == 0.0] = 1.0
        self._put(path, original, np.round(data / steps).astype(np.int8))
        if step:
            own = largest / _MOST or 1.0
            behind = (1,) * (data.ndim - 2 if self.row.before_places else 0)
            self._put(scale, original, (steps * own).reshape(-1, *behind).astype(data.dtype))
            self._put(step, original, np.asarray(own, data.dtype))
        else:
            self._put(scale, original, steps.astype(data.dtype))

    def _put(self, path: str, original: Any, data: np.ndarray) -> None:
        self.program.params[path] = like(original, data)

    def _parameter(self, ending: str) -> Value:
        """A parameter beside the weight, with the type that all prefixes agree on."""
        types = {
            LogicalTensor(self.site.dtype, data_of(self.program.params[path]).shape) for path in self.site.paths(ending)
        }
        type_ = types.pop() if len(types) == 1 else LogicalTensor(self.site.dtype)
        return self.site.graph.add_parameter(self.site.weight.node.args[0] + ending, type_)

    def _add(self, op: str, *args: Any) -> Value:
        row = lookup(op)
        made = Node(row, row.bind(*args), None, self.node.span)
        return self.site.graph.insert(made, self.node).value

    def _weight_alone(self) -> None:
        whole = self._add("astype", self.site.weight, self.site.dtype)
        weight = self._add("multiply", whole, self._parameter("_scale"))
        self._change({self.row.factors[1]: weight})

    def _whole(self) -> None:
        first, second = self.row.factors
        steps = self._add("divide", self.node.arg(first), self._parameter("_input_scale"))
        x = self._add("clip", self._add("round", steps), -_MOST, _MOST)
        weight = self._add("astype", self.site.weight, self.site.dtype)
        bias = self.node.arg(self.row.bias) if self.row.bias else None
        self._change({first: x, second: weight, **({self.row.bias: None} if self.row.bias else {})})
        value, users = self.node.value, self.node.value.users()
        rest = self.node.next
        scaled = Node(lookup("multiply"), (value, self._parameter("_scale")), None, self.node.span)
        made = self.site.graph.insert(scaled, rest)
        if bias is not None:
            made = self.site.graph.insert(
                Node(lookup("add"), (made.value, self._behind(bias, rest)), None, self.node.span), rest
            )
        made.value.name, value.name = value.name, None
        made.value.type = value.type
        for user in users:
            user.replace_input(value, made.value)

    def _behind(self, bias: Any, before: Node | None) -> Any:
        """A bias for each channel of the result, where that has places behind its channels."""
        if not self.row.before_places:
            return bias
        rank = data_of(self.program.params[self.site.paths()[0]]).ndim
        shape = (-1, *[1] * (rank - 2))
        return self.site.graph.insert(Node(lookup("reshape"), (bias, shape), None, self.node.span), before).value

    def _change(self, args: dict[str, Any]) -> None:
        self.node.set_args(tuple([args.get(name, arg) for name, arg in zip(self.node.op.params, self.node.args)]))
