"""Executor: runs Programs on one backend, node by node. Control flow is Python's own, so every program runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..backend import Backend
from ..errors import VerifyError
from ..interpreter import Interpreter
from ..program import Program


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
        run = Interpreter(self.backend, program, program.params if params is None else params)
        return run.graph(entry, args, "", run.finished)
