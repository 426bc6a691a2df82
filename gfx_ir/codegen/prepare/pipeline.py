"""The printer's own copy of a program, lowered for its target by the passes that the target lists."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...backend import Backend
from ...copies import copy_graph
from ...errors import VerifyError, debugging
from ...graph import Graph
from ...passes import Optimize
from ...plan import need_bound
from ...program import Parameter, Program
from ...verify import verify
from ..copying import substitute
from ..style import Style
from ..unrolling import Unrolling
from .base import LOWERINGS, Emission
from .calls import bottom_up
from .numbered import Lists, instances_of, paths_of


@dataclass
class Prepared:
    """A program that the printer may change. `keys`: the name of each function's graph; `instances`: the full path of
    the parameters of one call of each function; `lists`: lengths of the numbered lists of the parameter tree."""

    entry: Graph
    functions: dict[str, Graph]
    signature: list[Parameter]
    keys: dict[Graph, str]
    instances: dict[str, str]
    lists: Lists


def prepare(
    program: Program, backend: Backend, style: Style, unrolling: Unrolling, max_trips: int | None = None
) -> Prepared:
    """Copy and rewrite a program for printing; loops that `unrolling` takes stay Python's. A functional target's loops
    that data ends become ones of `max_trips` trips."""
    values: dict[Any, Any] = {}
    entry = _copied(program.entry, values)
    signature = [replace(parameter, tree=substitute(parameter.tree, values)) for parameter in program.arguments()]
    functions = {key: _copied(graph, {}) for key, graph in program.functions.items()}
    copied = replace(program, entry=entry, functions=functions, signature=signature)
    folder = os.environ.get("GFX_DUMP")
    checked = (folder is not None or debugging()) and _is_sound(copied)
    emission = emission_of(copied, backend, style, unrolling, max_trips, checked)
    dump = Path(folder) / f"{style.name}_source" if folder else None
    Optimize([LOWERINGS.get(name) for name in style.lowering], dump=dump).run(copied, emission)
    _number_less(copied)
    return Prepared(
        entry,
        functions,
        signature,
        {graph: key for key, graph in functions.items()},
        emission.instances,
        emission.lists,
    )


def _copied(graph: Graph, values: dict[Any, Any]) -> Graph:
    """A copy whose effects keep their order by where they stand alone, as passes that erase some leave it. Raises VerifyError where an
    input is not bound."""
    made = copy_graph(graph, values, fresh=True)
    for node in made.walk():
        need_bound(node)
        node.after = None
    return made


def _number_less(program: Program) -> None:
    """Functions whose names have a number because of one that is printed in the place of its call by now have none."""
    reached = [graph for graph in bottom_up(program.entry, program.functions) if graph is not program.entry]
    names = {program.entry.name, *(graph.name for graph in reached)}
    for graph in reached:
        name, _, number = (graph.name or "").rpartition("_")
        if number.isdigit() and name in program.functions and name not in names:
            names.add(name)
            graph.name = name


def emission_of(
    program: Program, backend: Backend, style: Style, unrolling: Unrolling, max_trips: int | None, checked: bool
) -> Emission:
    """What the passes over a program share that is written for a target; its own copy is theirs."""
    instances = instances_of(program.entry, program.functions)
    lists = Lists([*program.params, *paths_of(program.entry, program.functions, instances)])
    return Emission(
        style.name, checked=checked, backend=backend, style=style, unrolling=unrolling, max_trips=max_trips, lists=lists,
        instances=instances,
    )  # fmt: skip


def _is_sound(program: Program) -> bool:
    """Whether a program was well formed before any pass had it: what is not is written as far as it can be."""
    try:
        verify(program)
    except VerifyError:
        return False
    return True
