"""Gradient modes: whether operations are recorded for automatic differentiation, as `torch.no_grad` and its kin switch it.

The mode is part of the state of a capture: regions restore it, tests join it. Where nothing is recorded, what an operation takes
stands behind `stop_gradient`, and what an in-place write leaves has the gradient of what was there (`straight_through`).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from gfx_ir import ops
from gfx_ir.control import is_parameter, is_placeholder
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.gradients import is_exact, stops

from ..interfaces import Capturing
from ..values.gated import Gated
from ..values.gradient_marks import Fork, Left, data_of


class GradMode(Enum):
    """(whether gradients are enabled, None: as the caller has it; whether inference mode is on)."""

    CALLERS = None, False
    ON = True, False
    OFF = False, False
    INFERENCE = False, True
    ENABLED_INFERENCE = True, True

    @property
    def enabled(self) -> bool | None:
        """What `torch.is_grad_enabled()` says; None: what it says where the function is called."""
        return self.value[0]

    @property
    def inference(self) -> bool:
        """What `torch.is_inference_mode_enabled()` says."""
        return self.value[1]

    @property
    def records(self) -> bool:
        """Whether operations are recorded. Where the caller has switched that off, it is off for all of the result."""
        return self.enabled is not False and not self.inference


CALLERS = GradMode.CALLERS
"""The mode in which every capture begins."""


Change = Callable[[GradMode], Any]
"""What a manager makes of the mode before it: a GradMode, or one that is gated."""


def changed(mode: Any, change: Change) -> Any:
    """The mode that `change` makes of a mode; of one that hangs on a test, of either."""
    if type(mode) is not Gated:
        return change(mode)
    return undecided(mode.test, changed(mode.then, change), changed(mode.otherwise, change))


def undecided(test: Value, then: Any, otherwise: Any) -> Gated:
    """The mode behind a test whose sides leave different ones, or that an open bool has set."""
    return Gated(test, then, otherwise, "the gradient mode")


class Gradients:
    """The gradient mode of a capture. Under which one a value was made, and whose data it has, its record tells."""

    def __init__(self) -> None:
        self.mode: GradMode | Gated = CALLERS
        self.asked: Any = None  # the key of what asks for the caller's mode, once the code has
        self.ruled: list[
            tuple[Any, int]
        ] = []  # of functions with a gradient of their own whose code runs: the mode, and how deep
        self.standing: dict[int, tuple[Any, Any]] = {}  # managers of the framework's, and what stands for them, by id

    def current(self, tracer: Capturing) -> GradMode:
        """The mode here. Raises UnsupportedConstruct where a test on captured data decides it."""
        found = self._possible(tracer, self.mode)
        if all(mode is found[0] or alike(mode, found[0]) for mode in found):
            return found[0]
        raise tracer.error(
            "GFX cannot tell whether gradients are recorded here: a test on captured data sets the gradient mode",
            "use `with torch.no_grad():` inside the branch, or set the mode on both sides",
        )

    def _possible(self, tracer: Capturing, mode: Any) -> list[GradMode]:
        if type(mode) is not Gated:
            return [mode]
        known = tracer.facts.decide(mode.test)
        sides = mode.sides if known is None else (mode.side(known),)
        return [found for side in sides for found in self._possible(tracer, side)]

    def switch(self, tracer: Capturing, mode: Any) -> None:
        """Set the mode, as a write that regions undo and tests join."""
        if mode is not self.mode:
            tracer.journal.record(self, None, "mode", "the gradient mode", tracer.span())
            self.mode = mode

    def check_left(self, tracer: Capturing) -> None:
        """Raises UnsupportedConstruct where the captured code has switched gradients off and leaves them so."""
        if self.current(tracer).records:
            return
        slot = next((slot for slot in tracer.journal.frames[0].values() if slot.kind == "mode"), None)
        raise UnsupportedConstruct(
            "GFX cannot convert this call: the gradient mode that it sets outlives the captured function",
            None if slot is None else slot.span,
            "use it as a manager (`with torch.no_grad():`), or put back what `torch.is_grad_enabled()` gave",
        )

    @property
    def in_rule(self) -> bool:
        """Whether the code of a function with a gradient of its own runs, in which PyTorch records nothing, and has set no mode itself."""
        return bool(self.ruled) and self.mode is self.ruled[-1][0]

    def made_in_rule(self, tracer: Capturing, value: Value) -> bool:
        """Whether the code of the innermost such function has computed a value."""
        graphs = [*(graph for graph, _ in tracer.stack), tracer.graph][self.ruled[-1][1] :]
        return not is_placeholder(value.node) and any(value.node.graph is graph for graph in graphs)

    def unrecorded(self, tracer: Capturing, work: Callable[[], Any]) -> Any:
        """What work() gives, as the code of such a function, in the region that is open."""
        self.ruled.append((self.mode, len(tracer.stack)))
        try:
            return work()
        finally:
            self.ruled.pop()

    def open_test(self, tracer: Capturing) -> Value | None:
        """The open bool that decides the mode here; None where the mode is known, or a test on tensors decides it."""
        mode = self.mode
        while type(mode) is Gated and (known := tracer.facts.decide(mode.test)) is not None:
            mode = mode.side(known)
        possible = self._possible(tracer, mode)
        if len({found.records for found in possible}) == 1 or type(mode) is not Gated or mode.test.is_tensor:
            return None
        return mode.test

    def taken(self, tracer: Capturing, leaf: Any) -> Any:
        """An argument of an operation as the mode has it: where nothing is recorded, no gradient flows through it."""
        if type(leaf) is not Value or not leaf.is_tensor or _still(tracer, leaf):
            return leaf
        test = self.open_test(tracer)
        if test is not None:
            if self._as_mode_has_it(tracer, leaf):
                return leaf
            return self._fork(tracer, test, leaf)
        if self.current(tracer).records:
            return leaf
        stopped = lambda: ops.stop_gradient(tracer.local(leaf))
        if tracer.facts.there(leaf):
            return stopped()
        return tracer.unwrap(tracer.regions.branch(ops.is_none(leaf), lambda: None, lambda: tracer.wrap(stopped())))

    def _as_mode_has_it(self, tracer: Capturing, value: Value) -> bool:
        """Whether a gradient flows through a value where an undecided mode records, and through none where it does not."""
        return tracer.record.mode_of(value) is self.mode or not self.moves(tracer, value)

    def _fork(self, tracer: Capturing, test: Value, leaf: Value) -> Value:
        """An argument of an operation in a mode that an open bool decides."""
        mode, found = self.mode, self._forked(tracer, test, lambda: self.taken(tracer, tracer.local(leaf)))
        tracer.record.made_in(mode, [found])
        tracer.record.marks[found] = Fork(
            leaf,
            lambda current: self.within(mode, self.taken, tracer, current),
            lambda current, new: self.within(mode, self.kept, tracer, current, new),
        )
        return found

    def _forked(self, tracer: Capturing, test: Value, use: Callable[[], Any]) -> Any:
        """What `use` gives in each of the modes that an open bool decides between."""
        side = lambda: tracer.wrap(use())
        return tracer.unwrap(tracer.regions.branch(tracer.gates.here(test), side, side))

    def recorded(self, derive: Callable[[Any], Any], current: Any) -> Any:
        """What a view shows of its base. The gradient is what the steps of the view leave of it, whatever the mode where it is read."""
        return derive(current) if self.mode is CALLERS else self.within(CALLERS, derive, current)

    def within(self, mode: Any, use: Callable[..., Any], *args: Any) -> Any:
        """What `use` gives in a mode."""
        before = self.mode
        self.mode = mode
        try:
            return use(*args)
        finally:
            self.mode = before

    def made(self, tracer: Capturing, values: list[Value]) -> None:
        """Note what an operation gave in this mode."""
        if type(self.mode) is Gated and self.open_test(tracer) is not None:
            tracer.record.made_in(self.mode, values)
        elif not (mode := self.current(tracer)).records:
            tracer.record.made_in(mode, values)

    def kept(self, tracer: Capturing, old: Any, new: Any) -> Any:
        """What an in-place write leaves: where nothing is recorded, the new data with the gradient of the old."""
        if self.mode is CALLERS or type(old) is not Value or type(new) is not Value or new is old:
            return new
        test = self.open_test(tracer)
        if test is not None:
            mark = tracer.record.marks.get(new)
            done = type(mark) is Left and mark.old is old and mark.mode is self.mode
            if done or (self._as_mode_has_it(tracer, old) and self._as_mode_has_it(tracer, new)):
                return new
            found = self._forked(tracer, test, lambda: self.kept(tracer, tracer.local(old), tracer.local(new)))
            tracer.record.marks[found] = Left(new, old, self.mode)
            return found
        if self.current(tracer).records or not (old.is_tensor and new.is_tensor):
            return new
        if not self.moves(tracer, old):
            return ops.stop_gradient(tracer.local(new)) if self.moves(tracer, new) else new
        return ops.straight_through(tracer.local(old), data_of(tracer.local(new)))

    def moves(self, tracer: Capturing, value: Value) -> bool:
        """Whether a gradient may flow through a value."""
        root = tracer.facts.root(value)
        if _still(tracer, value):
            return False
        held = tracer.params.get(root.node.args[0]) if is_parameter(root.node) else None
        return bool(getattr(held, "requires_grad", True))


def _still(tracer: Capturing, value: Value) -> bool:
    """Whether no gradient flows through a value, whoever calls."""
    made_in = tracer.record.mode_of(value)
    stopped = isinstance(made_in, GradMode) and not made_in.records
    if is_exact(value) or tracer.record.is_boolean(value, number=True):
        return True
    return stopped or any(stops(made.node.op) for made in (value, tracer.facts.root(value)))


def alike(a: Any, b: Any) -> bool:
    """Whether two modes are one where gradients are enabled for the caller."""
    if not isinstance(a, GradMode) or not isinstance(b, GradMode):
        return False
    return a.inference is b.inference and (a.enabled is False) is (b.enabled is False)
