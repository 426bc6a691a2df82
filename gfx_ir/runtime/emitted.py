"""Source of a program as a function of its arguments and parameters by path: what frameworks run of a partition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..backend import Backend
from ..codegen import Module, emit
from ..dtypes import DType
from ..errors import BackendError
from ..graph import Value
from ..param_tree import nest
from ..program import Program


class Emitted:
    """`fn` takes the tree of parameters first, where `takes_params`. `several`: it gives a tuple of results."""

    def __init__(self, program: Program, backend: Backend) -> None:
        self.module: Module = emit(program, backend)
        terms = self.module.terms
        if terms is not None and len(terms.binding.random) > 0:
            raise BackendError("it draws random numbers", hint="pass the key of the program's own framework")
        self.takes_params = terms is not None and bool(terms.leading)
        self.fn: Callable[..., Any] = self.module.bare()
        self.several = type(program.entry.result) is tuple
        self._hosts = any(not value.is_tensor for value in program.entry.placeholders)
        results = program.entry.result if self.several else (program.entry.result,)
        self._dtypes = frozenset(at for at, leaf in enumerate(results) if type(leaf) is Value and not leaf.is_tensor)
        self._native, self._told = backend.native_dtype, lambda x: backend.as_dtype(x) or x
        self._trees: tuple[Mapping[str, Any] | None, Any] = (None, None)

    def tree(self, params: Mapping[str, Any]) -> Any:
        """The parameters as the function takes them; made once for each mapping."""
        known, found = self._trees
        if known is not params:
            found = nest(params)
            self._trees = params, found
        return found

    def arguments(self, args: Sequence[Any]) -> Sequence[Any]:
        """Arguments as its source takes them: dtypes in the framework's own words."""
        if not self._hosts:
            return args
        return [self._native(x) if type(x) is DType else x for x in args]

    def results(self, found: Any) -> Any:
        """What it gave, as a sequence; dtypes in GFX's words."""
        found = found if self.several else (found,)
        if not self._dtypes:
            return found
        return [self._told(x) if at in self._dtypes else x for at, x in enumerate(found)]
