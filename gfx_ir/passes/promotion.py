"""Promotion as the framework has it that a program was written for, where a target promotes otherwise: for source and for runs."""

from __future__ import annotations

from functools import partial

from ..backend import Backend
from ..graph import Graph
from ..infer.handed import Handed
from ..types import LogicalTensor
from .agree import cast_whole_numbers, return_unsigned
from .promoted import promote_at_run, tell_filled
from .running import widen_running


def keep_dtypes(graph: Graph, backend: Backend, rules: str, handed: Handed, entry: bool = True) -> None:
    """Put casts into a graph and its regions. `rules`: those of the program; `handed`: what its graphs hand each other; `entry`:
    whether the graph's result is that of the program."""
    told = partial(handed.facts, graph)
    open_ = cast_whole_numbers(graph, backend, rules, told())
    if entry:
        return_unsigned(graph, backend.promotion)
    if open_:
        promote_at_run(graph, backend, rules, partial(told, handed.numbers))
    tell_filled(graph, backend, rules, partial(told, handed.numbers))
    widen_running(graph, backend, rules, partial(told, handed.numbers))
    if entry:
        _count_as_arrays(graph)


def _count_as_arrays(graph: Graph) -> None:
    """Arrays that a program is given, or holds, are such: their dtypes count also where those that nodes make of them give way, as JAX's
    weak ones do, which no other framework has."""
    for value in (*graph.placeholders, *graph.parameters.values()):
        if value.is_tensor and isinstance(value.type, LogicalTensor) and value.type.weak:
            value.type = value.type.with_(weak=False)
