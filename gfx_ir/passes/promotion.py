"""Promotion as the framework has it that a program was written for, where a target promotes otherwise: for source and for runs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ..backend import Backend
from ..dtypes import DType
from ..graph import Graph
from ..infer.facts import Facts
from .agree import cast_whole_numbers, return_unsigned
from .promoted import promote_at_run, tell_filled


def keep_dtypes(graph: Graph, backend: Backend, rules: str, of_numbers: Iterable[str] = (), entry: bool = True) -> None:
    """Put casts into a graph and its regions. `rules`: those of the program; `of_numbers`: the ops that are a function of Python's
    where they take numbers alone; `entry`: whether the graph's result is that of the program."""
    told = partial(facts_of, graph, rules)
    open_ = cast_whole_numbers(graph, backend, rules, told())
    if entry:
        return_unsigned(graph, backend.promotion)
    if open_:
        promote_at_run(graph, backend, rules, partial(told, of_numbers))
    tell_filled(graph, backend, rules, partial(told, of_numbers))


def facts_of(graph: Graph, rules: str, of_numbers: Iterable[str] = (), assumed: DType | None = None) -> Facts:
    """What is known of the values of a graph. NumPy's functions of numbers give no number of Python's, whatever the target has."""
    return Facts([graph], {}, rules, of_numbers=() if rules == "numpy" else of_numbers, assumed=assumed)
