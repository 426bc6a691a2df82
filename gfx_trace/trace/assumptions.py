"""Guards: what a capture takes as given of its arguments, so that it holds for every other that is like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.control import is_placeholder
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import Terms
from gfx_ir.infer.number_conditions import Conditions
from gfx_ir.memory import Layout
from gfx_ir.program import Guard

from ..frameworks.assumed_kinds import AssumedKinds
from ..interfaces import Capturing
from ..python.laid import Laid


class Assumptions:
    """`guards`: what was taken as given, in its order; `depths`: how many axes an argument has at least, as the code indexes it."""

    def __init__(self, tracer: Capturing) -> None:
        self._tracer = tracer
        self.guards: list[Guard] = []
        self.depths: dict[Value, int] = {}
        self.deepened: list[tuple[Value, int | None]] = []  # what `depths` held before, in its order
        self.devices: dict[Value, Any] = {}  # on which device the arrays that were given are, for frameworks that ask
        self.beside: dict[Value, Value] = {}  # what rules for derivatives take, and what that lies beside
        self.layouts: dict[Value, Layout] = {}  # how those that were given as arrays lie in memory
        self.laid = Laid(tracer)
        self.given: dict[Value, Any] = {}  # these arrays themselves, of whose class code may ask
        self.identified: dict[Value, Any] = {}  # arguments of which the code asked which object they are
        self.modes: dict[int, Any] = {}  # modules whose `training` the code asked for
        self.held: dict[str, Any] = {}  # tensors of a model, by path, of which guards tell
        self._required: dict[Value, int] = {}  # ranks that were taken as given, by what the values stand for
        self._rank_checks: dict[Value, tuple] = {}  # the check of a value, the rank, and for which call

    def rank(self, value: Any, rank: int) -> bool:
        """Take the rank of an argument as given, with a guard. False where `value` is no argument, so that nothing can be guarded."""
        return self._take("rank", value, rank)

    def axes(self, value: Any, least: int) -> bool:
        """Take it as given that an argument has so many axes at least, with a guard. False where `value` is no argument."""
        return self._take("axes", value, least)

    def ranks(self, conditions: Conditions) -> bool:
        """Take it as given that what is a number of NumPy's under these conditions is one, with guards. False where it cannot be."""
        return all(self.number(x) if rank is None else self.rank(x, rank) for x, rank in conditions)

    def ranks_given(self, conditions: Conditions | None) -> bool:
        """Whether conditions were taken as given, all of them ranks of arguments."""
        given = {(guard.subject, guard.value) for guard in self.guards if guard.kind == "rank"}
        root = self._tracer.facts.root
        return bool(conditions) and all(
            value is not None and is_placeholder(root(value).node) and (root(value).node.args[0], rank) in given
            for value, rank in conditions or ()
        )

    def has_axes(self, terms: Terms) -> bool:
        """Whether the greatest of some ranks is one or more, or can be taken for that."""
        if any(k is not None and k < 0 for _, k in terms):
            return True
        least = sorted(
            (k + 1, argument.node.args[0], argument) for argument, k in terms if argument is not None and k is not None
        )
        return any(self.axes(argument, axes) for axes, _, argument in least)

    def deepen(self, conditions: Conditions | None) -> None:
        """Note that what would be a number under these conditions is none: the code indexes it."""
        for value, axes in conditions or ():
            if value is not None and axes is not None and len(conditions or ()) == 1:
                self._at_least(value, axes + 1)

    def _at_least(self, value: Value, axes: int) -> None:
        before = self.depths.get(value)
        if before is None or before < axes:
            self.deepened.append((value, before))
            self.depths[value] = axes

    def state(self) -> tuple[int, int]:
        """A point that `back` comes back to."""
        return len(self.guards), len(self.deepened)

    def back(self, state: tuple[int, int]) -> None:
        """Take back what was taken as given since."""
        guards, deepened = state
        del self.guards[guards:]
        while len(self.deepened) > deepened:
            value, before = self.deepened.pop()
            if before is None:
                del self.depths[value]
            else:
                self.depths[value] = before

    def kinds(self, call: str, given: Sequence[Any], kinds: str) -> None:
        """Take it as given that what a call gets is of these kinds of numbers, with guards. Raises where it surely is not."""
        AssumedKinds(self._tracer, self._tracer.castable.sources, self.guards).take(call, given, kinds)

    def number(self, value: Any) -> bool:
        """Take an argument for a number of NumPy's, with a guard."""
        return self._take("number", value, "number of NumPy's")

    def rows(self, value: Any) -> bool:
        """Take an argument to be all of its memory, row by row, with guards. False where `value` is no argument."""
        return self._take("c_contiguous", value, True) and self._take("offset", value, 0)

    def is_argument(self, value: Any) -> bool:
        """Whether a value is a tensor that the captured function takes. What a loop carries is none, nor has its region an owner
        while it is made."""
        own = isinstance(value, Value) and is_placeholder(value.node) and value.graph is self._tracer.outermost
        return own and value.is_tensor

    def _take(self, kind: str, value: Any, what: Any) -> bool:
        root = self._tracer.facts.root(value) if isinstance(value, Value) else value
        if not self.is_argument(root):
            return False
        guard = Guard(kind, root.node.args[0], what, self._tracer.span())
        if kind == "rank" and what < self.depths.get(root, 0):
            return False
        if kind == "axes":
            if any(g.kind == "rank" and g.subject == guard.subject and g.value < what for g in self.guards):
                return False
            self._at_least(root, what)
        if kind == "rank" and any(
            g.kind == kind and g.subject == guard.subject and g.value != what for g in self.guards
        ):
            return False
        self.guard(guard)
        return True

    def guard(self, guard: Guard) -> None:
        """Take something as given."""
        if guard not in self.guards:
            self.guards.append(guard)

    def _follows_from(self, value: Value) -> tuple[Value, int]:
        """The argument whose rank, less so many axes, is that of the value; the value itself where there is no such argument."""
        ranks = self._tracer.record.ranks_of(value) or ()
        terms = [term for alternative in ranks for term in alternative]
        argument, less = terms[0] if len(ranks) == len(terms) == 1 else (None, None)
        return (value, 0) if argument is None or less is None else (argument, less)

    def require_rank(self, value: Value, rank: int, why: str) -> int:
        """Take a rank as given for a call that means something else at other ranks: a guard where it follows from an argument's, and
        a line of the source that checks it. The rank: the one that follows from the ops, or was taken before, where there is one."""
        known = self._tracer.record.rank_of(value)
        if known is not None:
            return known
        argument, less = self._follows_from(value)
        least = max(rank + less, min(rank, 1))  # an argument is an array, too
        rank = max(self._required.setdefault(self._tracer.facts.root(argument), least) - less, 0)
        self.rank(argument, rank + less)
        value = self._tracer.local(value)
        check, *_ = self._rank_checks.get(value, (None,))
        if check is None or check.graph is None:  # none yet, or the attempt that made it was taken back
            told = f"{why.partition(' ')[0]}: captured for {rank} axes"
            ops.check(self._tracer.host("==", ops.rank(value), rank), told, "AssertionError")
            self._rank_checks[value] = self._tracer.graph.last, rank, why
            self._tracer.facts.ranked(argument, rank + less)
        return rank

    def require_also(self, value: Value, other: Any) -> None:
        """Require of another value the rank that a call required of this one."""
        found = self._rank_checks.get(value)
        if found is not None and type(other) is Value:
            _, rank, why = found
            self.require_rank(other, rank, why)
