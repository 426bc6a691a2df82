"""Terms of an emitted function: what its calls are held against, in a form that holds no graph and can be pickled."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from .admission import Admission, slotted
from .binding import Binding
from .errors import ArgumentError
from .loading import backend
from .program import Guard, Parameter, Slot
from .records import RESULT, Record, made, root_of


class Terms:
    """The arguments and guards of a program, written for a backend; `leading` names the argument that takes the tree of its
    parameters, `random` the one that takes the source of random numbers ("" where there is none); `shared` and `records` as a Program
    has them."""

    def __init__(
        self, name: str, owner: str, parameters: Sequence[Parameter], guards: Sequence[Guard], writes: Collection[str],
        params: Collection[str] = (), leading: str = "", random: str = "",
        shared: Mapping[tuple[int, ...], Sequence[str]] | None = None, records: Mapping[str, Record] | None = None,
    ) -> None:  # fmt: skip
        self.owner, self.leading, self.shared = owner, leading, dict(shared or {})
        own = [dataclasses.replace(parameter, tree=slotted(parameter.tree)) for parameter in parameters]
        kind = "positional" if any(parameter.kind == "positional" for parameter in own) else ""
        tree = [Parameter(leading, Slot("any"), kind=kind)] if leading else []
        self.binding = Binding(name, [*tree, *own], [random] if random else [])
        self.admission = Admission(own, guards, writes, params)
        self.records = {path: record for path, record in (records or {}).items() if root_of(path) != RESULT}
        self._recorded = set(map(root_of, self.records))

    def checked(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The emitted function fn, which takes what its author's takes, and raises GuardError for what it does not stand for."""
        binding, admission, owner = self.binding, self.admission, backend(self.owner)

        @functools.wraps(fn)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given, random = binding.bind(args, kwargs)
            if binding.random and random is None and owner.style.source:
                asked = f"{binding.random[0]}={owner.style.source}"
                raise ArgumentError(
                    f"{binding.name!r} draws random numbers, and is given no source", hint=f"pass {asked}"
                )
            admission.check(given, owner)
            return self.call(fn, given, random)

        return checked

    def call(self, fn: Callable[..., Any], given: Mapping[str, Any], random: Any = None) -> Any:
        """Call the emitted function with arguments that were admitted: it takes objects of named fields where its author's does."""
        if self.records:
            held = self._recorded
            given = {name: made(self.records, x, name) if name in held else x for name, x in given.items()}
        return self.binding.call(fn, given, random)

    def written(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The caller's own arrays, by what the state calls them, that the author's function writes: the emitted one gives what they become."""
        if not self.admission.writes:
            return {}
        given, _ = self.binding.bind(args, kwargs)
        return self.admission.written(given)
