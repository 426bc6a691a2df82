"""What the functions of a module, and the exception classes that it defines, are called."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Sequence

from ..control import is_check
from ..graph import Graph
from ..ops.effect import error_names
from ..program import Program
from .helpers import Helpers
from .identifiers import BUILTINS, function_name, usable
from .prepare import Prepared
from .prepare.calls import own_gradients
from .records import Records
from .style import Style


class Titles:
    """`entry`: what the entry is called; `errors`: exception classes of the author's own, by what they are called here;
    `reserved`: names that no variable may have."""

    def __init__(
        self, program: Program, prepared: Prepared, order: Sequence[Graph], style: Style, helpers: Helpers
    ) -> None:
        """`order`: the functions, callees first."""
        self._functions: dict[str, str] = {}
        self._own: dict[str, str] = {}  # functions with a gradient of their own, by what computes them
        self._counts: dict[str, int] = {}
        self.errors: dict[str, str] = {}
        arguments = {parameter.name for parameter in prepared.signature}
        self._taken = set(style.imports) | set(BUILTINS) | set(dir(builtins)) | set(helpers.names) | arguments
        self._taken |= {"params", "carry", "NamedTuple"}
        own = function_name(prepared.entry.name or "f")
        self.entry = self._take(own, {own} if own in arguments else ())
        for graph in order:
            if graph is not prepared.entry:
                key = prepared.keys[graph]
                self._functions[key] = self._take(function_name(graph.name or key))
        for graph in order:
            for node in own_gradients(graph):
                if node.args[0] not in self._own:
                    self._own[node.args[0]] = self._take(style.named(node.args[2]))
        self._name_errors(order, helpers)
        self.records = Records(program, prepared.signature, prepared.entry.result, style.array, self._take)
        helpers.define_records(self.records.sources())
        named = {self.entry, *self.records.names, *self._functions.values(), *self._own.values(), *self.errors}
        self.reserved = frozenset(set(style.imports) | set(BUILTINS) | helpers.names | named)

    def function(self, callee: str) -> str:
        """What a function of the program is called."""
        return self._functions[callee]

    def call_instead(self, callee: str, other: str) -> None:
        """Call another function, which says the same, in the place of one of the program."""
        self._functions[callee] = other

    def with_gradient(self, forward: str) -> str:
        """What a function is called that brings its own gradient, by what computes it."""
        return self._own[forward]

    def item(self, path: str) -> str | None:
        """What to call an element of a list of parameters: `blocks` → `block`, if that is nothing else."""
        last = re.sub(r"\d+$", "", path.rpartition(".")[2])
        for ending, instead in (("ies", "y"), ("sses", "ss"), ("s", "")):
            if last.endswith(ending) and not last.endswith("ss" if ending == "s" else "\0"):
                text = last[: -len(ending)] + instead
                return text if usable(text) and text not in self.reserved else None
        return None

    def _name_errors(self, order: Iterable[Graph], helpers: Helpers) -> None:
        """Exception classes of the author's own that the program raises: the module defines each."""
        texts = dict.fromkeys(n.arg("error") for graph in order for n in graph.walk() if is_check(n))
        for name, base in map(error_names, filter(None, texts)):
            if name != base:
                called = self._take(name)
                self.errors[called] = name
                helpers.define(name, called, base)

    def _take(self, text: str, free: Iterable[str] = ()) -> str:
        """The text, or one like it that nothing else is called; `free`: what is taken by what it may hide."""
        if text in self._taken and text not in free:
            text = self._unlike(text if text not in dir(builtins) else f"{text}_")
        self._taken.add(text)
        return text

    def _unlike(self, text: str) -> str:
        """The text, with a number behind it where something is called that already."""
        if text not in self._taken:
            return text
        before = f"{text}_" if text[-1:].isdigit() else text
        count = self._counts.get(before, 2)
        while f"{before}{count}" in self._taken:
            count += 1
        self._counts[before] = count
        return f"{before}{count}"
