"""What Python itself asks of captured values: a truth, a number, a text, a copy. It runs now, and the value comes later."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Protocol

from gfx_ir import ops
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import NUMBERS, SCALAR, Abstract
from gfx_ir.op import active
from gfx_ir.source import Span

from ..rewrite import is_converted
from .facts import Facts
from .proxy import NeedsPython, Proxy, is_open


class _Tracer(Protocol):
    facts: Facts
    site: FrameType | None

    def place(self) -> Span | None: ...

    def error(self, what: str, hint: str = "") -> GfxError: ...


class PythonUse:
    """Answers where the answer is known, else refuses; counts what code that is not entered asked for and may throw away."""

    def __init__(self, tracer: _Tracer) -> None:
        self._tracer = tracer
        self.refusals = 0  # how often code that is not entered asked for a number that is open
        self.shown_values = 0  # how many texts Python made of captured values
        self.streams = sys.stdout, sys.stderr  # to which the code around prints

    def truth(self, x: Any) -> bool:
        """bool(x) in code that was not rewritten: only what is known can be answered."""
        known = self._tracer.facts.decide(x.read())
        if known is not None:
            return known
        self.refusals += not is_converted(sys._getframe(2).f_code)
        raise self._tracer.error(
            f"GFX cannot convert this test: native code asks for the truth of {_called(x)}",
            "the code around it has no source that can be rewritten; make the test a function of your own",
        )

    def number(self, x: Any, what: str) -> int:
        """A number that Python itself needs."""
        if not is_open(x):
            return x
        self.refusals += not is_converted(sys._getframe(2).f_code)
        why = f"{what} needs {_called(x)}, which is only known when the emitted code runs"
        raise NeedsPython(
            "use of data", why, self._tracer.place(), "give the argument a fixed value or shape at capture"
        )

    def text(self, x: Any) -> str:
        """Text of an open value, which would freeze it."""
        self.refusals += not is_converted(sys._getframe(2).f_code)
        why = f"a text needs {_called(x)}, which is only known when the emitted code runs"
        raise NeedsPython("text", why, self._tracer.place())

    def copy(self, x: Proxy, deep: bool = False) -> Any:
        """What copy.copy, or `deep` copy.deepcopy, make of a tensor: of numbers the same, of arrays that nothing writes another object.
        A deep copy of one that code writes is a tensor of its own, without the other's history."""
        owner = x.backend
        if x.weak:
            return x
        if owner is not None and not owner.views:
            return Proxy(x.read(), owner)
        if owner is not None and owner.numbers:
            kinds = active.builder.record.kinds_of(x.value)
            if kinds <= NUMBERS | {SCALAR}:
                return x
            made = Proxy(ops.copy(x.read()), owner)
            active.builder.record.put(made.value, Abstract(kinds))  # of a number another one, unlike np.copy
            return made
        if deep and owner is not None:
            return Proxy(ops.copy(ops.stop_gradient(x.read())), owner)
        raise self._tracer.error("GFX cannot convert this copy of a tensor", "write x.clone(), or x.detach().clone()")

    def shows(self, x: Any, frame: FrameType) -> None:
        """Python makes a text of a captured value. In the author's own code that is refused, other code may throw the text away."""
        if is_converted(frame.f_code):
            self._tracer.site = frame
            self.text(x)
        self.shown_values += 1


def _called(x: Any) -> str:
    value = x.value
    name = getattr(value, "name", None)
    return f"{name!r}" if name else f"the result of {value.node.op.name!r}" if isinstance(value, Value) else repr(value)
