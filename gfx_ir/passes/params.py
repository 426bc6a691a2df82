"""Parameters of a program: their data, whatever framework it is of, and how many nodes take each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..graph import Graph
from ..loading import loaded
from ..program import Program
from ..regions import join_path
from ..verify import instances


def data_of(x: Any) -> np.ndarray:
    """As NumPy."""
    for owner in loaded():
        if owner.is_tensor(x):
            return np.asarray(owner.to_host(x))
    return np.asarray(x)


def like(original: Any, data: np.ndarray) -> Any:
    """New data as an array of the framework that another is of."""
    for owner in loaded():
        if owner.is_tensor(original):
            return owner.from_host(data)
    return data


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
