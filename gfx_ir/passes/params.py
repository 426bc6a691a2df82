"""Parameters of a program: their data, whatever framework it is of, and how many nodes take each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..control import is_parameter
from ..dtypes import DType
from ..graph import Graph, Node, Value
from ..loading import owner_of, to_host
from ..op import Trait
from ..program import Program
from ..reach import reached
from ..regions import join_path, with_regions
from ..verify import instances
from .base import every_graph
from .moves import fewer_operands


def data_of(x: Any) -> np.ndarray:
    """As NumPy."""
    return np.asarray(to_host(x))


def like(original: Any, data: np.ndarray) -> Any:
    """New data as an array of the framework that another is of."""
    owner = owner_of(original)
    return data if owner is None else owner.from_host(data)


def prefixes_of(program: Program) -> dict[Graph, list[str]]:
    """Where the parameters of each graph of a program stand: a prefix for each call with a path of its own."""
    found: dict[Graph, list[str]] = {}
    for graph, prefix in instances(program):
        found.setdefault(graph, []).append(prefix)
    return found


def users_of_parameters(prefixes: Mapping[Graph, list[str]]) -> Counter[str]:
    """How many nodes take each parameter of a program, whose graphs have their parameters under these prefixes."""
    users: Counter[str] = Counter()
    for graph, found in prefixes.items():
        for inner in (graph, *[region for node in graph.walk() for region in node.regions]):
            for path, value in inner.parameters.items():
                for prefix in found:
                    users[join_path(prefix, path)] += len(value.uses)
    return users


def sink_parameters(program: Program) -> bool:
    """Let regions that sum products take parameters by themselves, rather than be handed them; whether that changed any."""
    changed = False
    for graph in every_graph(program):  # what is around a region comes before it
        for node in graph:
            if "operands" in node.op.params and node.regions and _contracts(node):
                changed |= _sink(node)
    return changed


def _contracts(node: Node) -> bool:
    return any(inner.op.contraction is not None for region in with_regions(node.regions) for inner in region)


def _sink(node: Node) -> bool:
    operands = node.arg("operands")
    found = [at for at, x in enumerate(operands) if type(x) is Value and is_parameter(x.node)]
    for at in found:
        for region in node.regions:
            place = region.placeholders[at - len(operands)]
            if place.uses:
                place.replace_by(region.add_parameter(operands[at].node.args[0], operands[at].type))
    changed = bool(found) and fewer_operands(node)
    for value in [operands[at] for at in found]:
        path, graph = value.node.args[0], value.graph
        if graph is not None and not value.uses and graph.parameters.get(path) is value:
            del graph.parameters[path]
            graph.edited()
    return changed


def convert_parameters(program: Program, few: DType, wide: DType) -> None:
    """Let parameters that every node takes in a cast to `few` be of that dtype, and the casts go. One that is tied, or taken in
    several places, is converted where all agree."""
    casts: dict[Value, Node] = {}
    paths: dict[Value, list[str]] = {}
    values: dict[str, list[Value]] = {}
    bad: list[Value] = []
    for graph, prefixes in prefixes_of(program).items():
        for inner in with_regions((graph,)):
            for path, value in inner.parameters.items():
                paths[value] = [join_path(prefix, path) for prefix in prefixes]
                for full in paths[value]:
                    values.setdefault(full, []).append(value)
                if any(_kept(program, full, wide) for full in paths[value]) or not _only_cast(value, few, casts):
                    bad.append(value)
    spoilt = set(reached(bad, lambda value: [other for full in paths[value] for other in values[full]]))
    for full, found in values.items():
        if spoilt.isdisjoint(found):
            original = program.params[full]
            program.params[full] = like(original, data_of(original).astype(few.numpy))
    for value, node in casts.items():
        if value not in spoilt and node.graph is not None:
            node.value.replace_by(value)
            node.graph.erase(node)


def _kept(program: Program, path: str, dtype: DType) -> bool:
    """Whether a parameter has another dtype, or is written."""
    return path in program.writes or path not in program.params or data_of(program.params[path]).dtype != dtype.numpy


def _only_cast(value: Value, dtype: DType, casts: dict[Value, Node]) -> bool:
    """Whether one node alone takes a parameter, and casts it to that dtype."""
    users = value.users()
    good = len(users) == 1 and bool(users[0].op.traits & Trait.CASTS) and users[0].args[1] == dtype
    if good:
        casts[value] = users[0]
    return good
