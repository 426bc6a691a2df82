"""Executor: runs Programs on one backend, node by node. Control flow is Python's own, so every program runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ..backend import Backend
from ..control import is_placeholder
from ..copies import copy_program
from ..dtypes import framework_of
from ..errors import VerifyError
from ..graph import Value
from ..infer.facts import Facts
from ..infer.handed import Handed
from ..interpreter import Interpreter
from ..op import lookup
from ..passes.promotion import keep_dtypes
from ..program import Program
from ..python_numbers import NUMBER_CLASSES
from ..types import LogicalTensor


class Executor:
    """Runs programs on one backend: `Executor(backend)(program, args, params)`."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._agreed: tuple[Program, tuple, Program] | None = None

    def __call__(self, program: Program, args: Sequence[Any], params: Mapping[str, Any] | None = None) -> Any:
        """The result for the data of the entry's placeholders, in order; `params` by path (None: the program's own).

        All arrays are the backend's. An error that a node raises carries the user's line as a note.
        """
        program = self.under_own_rules(program)
        entry = program.entry
        if len(args) != len(entry.placeholders):
            raise VerifyError(f"{entry.name!r} takes {len(entry.placeholders)} arguments, not {len(args)}")
        run = Interpreter(self.backend, program, program.params if params is None else params)
        return run.graph(entry, args, "", _Finish(self.backend, program))

    def under_own_rules(self, program: Program) -> Program:
        """The program, with casts where the backend promotes dtypes otherwise than the framework it was written for."""
        if framework_of(program.promotion) == self.backend.promotion:
            return program
        before = self._agreed
        if before is None or before[0] is not program or before[1] != program.version:
            copy = copy_program(program)
            handed = Handed(copy.entry, copy.functions, copy.promotion, across=True)
            for graph in copy.graphs:
                keep_dtypes(graph, self.backend, copy.promotion, handed, graph is copy.entry)
            before = self._agreed = (program, program.version, copy)
        return before[2]


class _Finish:
    """What a run gives for a value of the entry: an array where plain Python has one, of data that the run has as a number."""

    def __init__(self, backend: Backend, program: Program) -> None:
        self.backend, self.program = backend, program

    @cached_property
    def facts(self) -> Facts:
        """What is known of the program's values."""
        return Facts([self.program.entry], self.program.functions, self.program.promotion)

    def __call__(self, value: Value, data: Any) -> Any:
        """A tensor value as an array: loops carry numbers as such (unknown dtype: the default). A number of Python's stays one."""
        if type(data) not in NUMBER_CLASSES or value.kind != "tensor" or is_placeholder(value.node):
            return data
        if self.facts.is_number(value):
            return data
        known = value.type.dtype if isinstance(value.type, LogicalTensor) else None
        return self.backend.run(lookup("as_tensor"), (data, known, None))
