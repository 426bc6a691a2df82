"""Programs whose calls belong to several frameworks: run node by node, where no one source could be written."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.control import is_holder
from gfx_ir.graph import Node, Value
from gfx_ir.program import Program
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import paths

from ..frameworks.params import moved


def held(program: Program) -> Iterator[Node]:
    """The calls that no op stands for, of all functions of a program."""
    return (node for graph in program.graphs for node in graph.walk() if is_holder(node))


def of_others(program: Program, owner: Backend) -> bool:
    """Whether a program holds calls of another framework, so that no source for this one can be written."""
    return any(node.arg("framework") != owner.name for node in held(program))


def arguments(program: Program, given: Mapping[str, Any], random: Any = None) -> list[Any]:
    """Data of the entry's placeholders, in order, for arguments by name; `random` for what draws random numbers."""
    data: dict[Value, Any] = {}
    for parameter in program.arguments():
        for keys, leaf in paths(parameter.tree):
            if type(leaf) is Value:
                data[leaf] = functools.reduce(operator.getitem, keys, given[parameter.name])
    return [data.get(value, random) for value in program.entry.placeholders]


def interpret(program: Program, owner: Backend, given: Mapping[str, Any], random: Any) -> Any:
    """Run on a framework; arrays go to another and back for the calls that are its own."""
    params = {path: moved(x, owner) for path, x in program.params.items()}
    return Executor(owner)(program, arguments(program, given, random), params)
