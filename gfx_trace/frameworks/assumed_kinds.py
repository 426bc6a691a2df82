"""Kinds of numbers that a capture takes as given of its arguments: those of which a function of the author's takes what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.build import require_kinds
from gfx_ir.dtypes import DTYPES, NUMBERS, highest, kind_of, numbers
from gfx_ir.graph import Value
from gfx_ir.program import Guard

from ..interfaces import Capturing
from ..values.dtype_sources import PROBES, Dtypes, DtypeSources

_PYTHON = {"bool": DTYPES["bool"], "int": DTYPES["int64"], "float": DTYPES["float32"], "complex": DTYPES["complex64"]}
_BY_KIND = {dtype.kind: dtype for dtype in reversed(PROBES)}
_KINDS = tuple(NUMBERS)


class AssumedKinds:
    """`guards`: where they are noted; what a call takes is asked of `sources`."""

    def __init__(self, tracer: Capturing, sources: DtypeSources, guards: list[Guard]) -> None:
        self._tracer, self._sources, self._guards = tracer, sources, guards

    def take(self, call: str, given: Sequence[Any], kinds: str) -> None:
        """Take it as given that what a call gets promotes to one of these kinds, where that hangs on arguments. Raises where it
        surely does not. Under a test that tells dtypes apart the source checks it. Of Python's numbers alone nothing is."""
        floating = "f" in kinds and all(
            type(x) is Value and x.is_tensor and self._sources.is_floating(x) for x in given
        )
        if floating or not given:
            return
        made = [self._made(x) for x in given]
        names = frozenset[str]().union(*[found for found, _ in made])
        each = [[dtype.kind for dtype in found if dtype is not None] for found in zip(*[told for _, told in made])]
        taken = "".join(kind for kind, found in zip(_KINDS, each) if not found or highest(found) in kinds)
        subject = ", ".join(sorted(names))
        before = self._taken(subject)
        if set(before) <= set(taken):
            return
        left = "".join(kind for kind in before if kind in taken)
        if not left:
            require_kinds(call, highest(each[_KINDS.index(before[0])]), kinds)
        if not names:
            return
        if self._tracer.facts.dtype_tests and len(given) == 1:
            self._check(call, given[0], kinds)
        else:
            self._guards.append(Guard("kinds", subject, left, self._tracer.span()))

    def _made(self, x: Any) -> tuple[frozenset[str], Dtypes]:
        if type(x) is Value and x.is_tensor:
            return self._sources.probed(x)
        dtype = _PYTHON.get(x.kind) if type(x) is Value else _BY_KIND[kind_of(x)]
        return frozenset(), (dtype,) * len(PROBES)

    def _taken(self, subject: str) -> str:
        """What was taken as given of it before."""
        found = [guard.value for guard in self._guards if guard.kind == "kinds" and guard.subject == subject]
        return str(found[-1]) if found else "".join(_KINDS)

    def _check(self, call: str, x: Value, kinds: str) -> None:
        """The lines of the source that hold what a call gets against the lowest and the highest kind that it takes."""
        if kinds == "f":
            tests = [ops.is_floating(x)]
        else:
            low, high = _KINDS.index(kinds[0]), kinds[-1]
            tests = [ops.can_cast(ops.dtype_of(x), _BY_KIND[high])] if high != "c" else []
            if low:
                tests.append(self._tracer.host("not", ops.can_cast(ops.dtype_of(x), PROBES[low - 1])))
        for test in tests:
            if self._tracer.facts.decide(test) is not True:
                ops.check(test, f"{call} takes {numbers(kinds)}", "AssertionError")
                self._tracer.facts.assume(test, True)


def merged(guards: Sequence[Guard]) -> list[Guard]:
    """The guards; of those that tell the kinds of one argument the last, which is the narrowest."""
    last = {guard.subject: guard for guard in guards if guard.kind == "kinds"}
    return [guard for guard in guards if guard.kind != "kinds" or guard is last[guard.subject]]
