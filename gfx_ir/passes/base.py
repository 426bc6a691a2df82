"""Pass: one checked transformation of a program, with attributes of its own."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from ..attributes import Attribute
from ..errors import GfxError, VerifyError
from ..graph import Graph
from ..pause import collection_paused
from ..program import Program
from ..regions import with_regions
from ..verify import verify

ALL: tuple = ("*",)
"""As `preserves`: every derived attribute stays right."""


class PassError(GfxError):
    """A pass that cannot run on this program, or that left one that is broken or computes something else."""


@dataclass
class Context:
    """What one series of passes shares: `target`, the backend that it is for ("": any), and what ran so far.

    `checked`: whether programs are verified before and after each, and what each did is reported; `verified` is the version that
    was found well formed last, `tolerance` what the passes so far have of it; `inputs` are data for the entry's placeholders, a
    tuple each, where there are some at hand.
    """

    target: str = ""
    done: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    verified: Any = None
    tolerance: float | None = None
    inputs: list[Any] = field(default_factory=list)
    checked: bool = True


class Pass:
    """Subclass it, and say in `run` what is done to a program, in place; `apply` checks before and after.

    `requires` are graph attributes that the entry has to have, `preserves` the derived ones that stay right though the
    program changed (ALL: each). `needs` names attributes of the pass itself that have to be set, `takes` all others (None: any).
    `tolerance`: where results are off by more than what their own dtypes leave, the share of the largest number that they may be off by.
    """

    name = ""
    tolerance: float | None = None
    requires: tuple[Attribute, ...] = ()
    preserves: tuple = ()
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] | None = None

    def __init__(self, **attributes: Any) -> None:
        self._owned: dict[str, Any] = {}
        self._borrowed: dict[str, Any] = {}
        for name, value in attributes.items():
            self.set(name, value)

    # ------------------------------------------------------------------ its attributes
    def set(self, name: str, value: Any) -> Pass:
        """Give it an attribute of its own; returns the pass."""
        self._borrowed.pop(name, None)
        self._owned[name] = value
        return self

    def set_not_owned(self, name: str, value: Any) -> Pass:
        """Lend it an attribute: copies of the pass share it; returns the pass."""
        self._owned.pop(name, None)
        self._borrowed[name] = value
        return self

    def has(self, name: str) -> bool:
        """Whether an attribute was set."""
        return name in self._owned or name in self._borrowed

    def get(self, name: str, default: Any = None) -> Any:
        """The attribute; the default where it was never set."""
        return self._owned[name] if name in self._owned else self._borrowed.get(name, default)

    def copy(self) -> Pass:
        """Another of its kind, with copies of what it owns."""
        out = copy.copy(self)
        out._owned, out._borrowed = copy.deepcopy(self._owned), dict(self._borrowed)
        return out

    # ------------------------------------------------------------------ applying
    def run(self, program: Program, context: Context) -> bool:
        """Change the program in place; whether it did."""
        raise NotImplementedError

    @collection_paused()
    def apply(self, program: Program, context: Context | None = None) -> bool:
        """Run it on a program, in place; whether that changed. Raises PassError where it may not run, or broke something."""
        context = Context() if context is None else context
        self._check_before(program, context)
        before = program.version if context.checked else None
        try:
            changed = self.run(program, context)
        except Exception as error:
            told = self.failed(error, context)
            if told is error:
                raise
            raise told from error
        if context.checked and program.version != before and not changed:
            raise PassError(f"{self._told(context)} edited the program, and says that it did not")
        if changed:
            context.verified = None  # a slot may have been set, which is no edit that is counted
            self._verify(program, context, "left")
            self._drop_stale(program)
            context.tolerance = max((x for x in (context.tolerance, self.tolerance) if x is not None), default=None)
        context.done.append(self.name)
        return changed

    def failed(self, error: Exception, context: Context) -> Exception:
        """What is raised where `run` raised this."""
        if isinstance(error, GfxError):
            return PassError(f"{self._told(context)} failed: {error.what}", error.span, error.hint)
        return PassError(f"{self._told(context)} failed: {type(error).__name__}: {error}")

    def _check_before(self, program: Program, context: Context) -> None:
        known = None if self.takes is None else (*self.needs, *self.takes)
        other = [name for name in (*self._owned, *self._borrowed) if known is not None and name not in known]
        if other:
            hint = f"it has: {', '.join(known)}" if known else "it has none"
            raise PassError(f"{self._told(context)} has no attribute {other[0]!r}", hint=hint)
        missing = [name for name in self.needs if not self.has(name)]
        if missing:
            raise PassError(
                f"{self._told(context)} needs its attribute {missing[0]!r}", hint=f"pass_.set({missing[0]!r}, …)"
            )
        for key in self.requires:
            if not program.entry.has(key):
                hint = f"graph.set({key.name!r}, …), or let a pass run first that leaves it"
                raise PassError(f"{self._told(context)} needs the graph attribute {key.name!r}", hint=hint)
        self._verify(program, context, "was given")

    def _verify(self, program: Program, context: Context, what: str) -> None:
        if not context.checked or context.verified == program.version:
            return
        try:
            verify(program)
        except VerifyError as error:
            raise PassError(f"{self._told(context)} {what} a broken program: {error.what}", error.span) from error
        context.verified = program.version

    def _told(self, context: Context) -> str:
        return f"pass {self.name!r}" + (f", after {', '.join(context.done)}," if context.done else "")

    def holders(self, program: Program) -> list[Graph]:
        """The graphs whose derived attributes an edit makes stale."""
        return every_graph(program)

    def _drop_stale(self, program: Program) -> None:
        if self.preserves == ALL:
            return
        for graph in self.holders(program):
            for key in [*graph.own_attributes, *graph.lent_attributes]:
                if key.derived and key not in self.preserves:
                    graph.drop(key)


def every_graph(program: Program) -> list[Graph]:
    """The entry, the functions and all their regions; what a node holds comes after the graph that the node stands in."""
    return with_regions((program.entry, *program.functions.values()))
