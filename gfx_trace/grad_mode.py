"""Gradient modes: whether operations are recorded for automatic differentiation, as `torch.no_grad` and its kin switch it.

The mode is part of the state of a capture: regions restore it, tests join it. Where nothing is recorded, what an operation takes
stands behind `stop_gradient`, and what an in-place write leaves has the gradient of what was there (`straight_through`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

from gfx_ir import ops
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.types import LogicalTensor

from .gradient_marks import data_of
from .proxy import HostProxy, Proxy

if TYPE_CHECKING:
    from .tracer import Tracer


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


class Undecided:
    """The mode behind a test whose sides leave different ones."""

    __slots__ = ("test", "sides")

    def __init__(self, test: Value, sides: tuple[Any, Any]) -> None:
        self.test, self.sides = test, sides


class Gradients:
    """The gradient mode of a capture, and the values through which no gradient flows."""

    def __init__(self) -> None:
        self.mode: GradMode | Undecided = CALLERS
        self.still: set[Value] = set()
        self.standing: dict[
            int, tuple[Any, Manager]
        ] = {}  # managers of the framework's own, and what stands for them, by id

    def current(self, tracer: Tracer) -> GradMode:
        """The mode here. Raises UnsupportedConstruct where a test on captured data decides it."""
        found = self._possible(tracer, self.mode)
        if all(mode is found[0] or alike(mode, found[0]) for mode in found):
            return found[0]
        raise tracer.error(
            "GFX cannot tell whether gradients are recorded here: a test on captured data sets the gradient mode",
            "use `with torch.no_grad():` inside the branch, or set the mode on both sides",
        )

    def _possible(self, tracer: Tracer, mode: Any) -> list[GradMode]:
        if not isinstance(mode, Undecided):
            return [mode]
        known = tracer.facts.decide(mode.test)
        sides = mode.sides if known is None else (mode.sides[0 if known else 1],)
        return [found for side in sides for found in self._possible(tracer, side)]

    def switch(self, tracer: Tracer, mode: Any) -> None:
        """Set the mode, as a write that regions undo and tests join."""
        if mode is not self.mode:
            tracer.journal.record(self, None, "mode", "the gradient mode", tracer.span())
            self.mode = mode

    def check_left(self, tracer: Tracer) -> None:
        """Raises UnsupportedConstruct where the captured code has switched gradients off and leaves them so."""
        if self.current(tracer).records:
            return
        slot = next((slot for slot in tracer.journal.frames[0].values() if slot.kind == "mode"), None)
        raise UnsupportedConstruct(
            "GFX cannot convert this call: the gradient mode that it sets outlives the captured function",
            None if slot is None else slot.span,
            "use it as a manager (`with torch.no_grad():`), or put back what `torch.is_grad_enabled()` gave",
        )

    def taken(self, tracer: Tracer, leaf: Any) -> Any:
        """An argument of an operation as the mode has it: where nothing is recorded, no gradient flows through it."""
        if type(leaf) is not Value or not leaf.is_tensor or self._still(leaf):
            return leaf
        found = ops.stop_gradient(tracer.local(leaf))
        self.still.add(found)
        return found

    def kept(self, tracer: Tracer, old: Any, new: Any) -> Any:
        """What an in-place write leaves: where nothing is recorded, the new data with the gradient of the old."""
        if (
            self.mode is CALLERS
            or self.current(tracer).records
            or type(old) is not Value
            or type(new) is not Value
            or new is old
        ):
            return new
        if not (old.is_tensor and new.is_tensor) or not self.moves(tracer, old):
            return new
        return ops.straight_through(tracer.local(old), data_of(tracer.local(new)))

    def _still(self, value: Value) -> bool:
        return value in self.still or value.node.op.name == "stop_gradient"

    def moves(self, tracer: Tracer, value: Value) -> bool:
        """Whether a gradient may flow through a value."""
        root = tracer.facts.root(value)
        element = value.type.dtype if isinstance(value.type, LogicalTensor) else None
        if self._still(value) or self._still(root) or (element is not None and element.kind not in "fc"):
            return False
        held = tracer.params.get(root.node.args[0]) if root.node.op.name == "parameter" else None
        return bool(getattr(held, "requires_grad", True))


def alike(a: Any, b: Any) -> bool:
    """Whether two modes are one where gradients are enabled for the caller."""
    if not isinstance(a, GradMode) or not isinstance(b, GradMode):
        return False
    return a.inference is b.inference and (a.enabled is False) is (b.enabled is False)


class Manager:
    """What `torch.no_grad()` and its kin give under capture: a context manager and a decorator. `change`: the mode that it sets,
    given the one before."""

    def __init__(self, tracer: Tracer, change: Callable[[GradMode], GradMode]) -> None:
        self.tracer, self.change = tracer, change
        self.before = tracer.gradients.mode

    def __enter__(self) -> None:
        gradients = self.tracer.gradients
        self.before = gradients.mode
        gradients.switch(self.tracer, self.change(gradients.current(self.tracer)))

    def __exit__(self, *error: Any) -> None:
        self.tracer.gradients.switch(self.tracer, self.before)

    def clone(self) -> Manager:
        """A manager of its own for each call of what is decorated."""
        return Manager(self.tracer, self.change)

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """The function with this mode inside; a generator has it while it runs, and not between."""

        @functools.wraps(f)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            return self.calling(f, args, kwargs)

        return decorated

    def calling(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """What a call of the function gives that this decorates."""
        if inspect.isgeneratorfunction(f):
            return self.tracer.iteration.made(self._steps(f, args, kwargs))
        with self.clone():
            return self.tracer.call(f, args, kwargs)

    def _steps(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> Iterator[Any]:
        generator, sent = self.tracer.call(f, args, kwargs), None
        try:
            while True:
                with self.clone():
                    found = generator.send(sent)
                sent = yield found
        except StopIteration as stop:
            return stop.value
        finally:
            generator.close()


class _Setter(Manager):
    """What `torch.set_grad_enabled(mode)` gives: it sets the mode at once, and puts it back where it is a manager or a decorator."""

    def __init__(self, tracer: Tracer, change: Callable[[GradMode], GradMode]) -> None:
        super().__init__(tracer, change)
        tracer.gradients.switch(tracer, change(tracer.gradients.current(tracer)))

    def __enter__(self) -> None:
        gradients = self.tracer.gradients
        gradients.switch(self.tracer, self.change(gradients.current(self.tracer)))

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        self.tracer.gradients.switch(self.tracer, self.before)
        return super().__call__(f)


# ---------------------------------------------------------------- what the capture answers
def _enabled(tracer: Tracer, given: Any) -> bool | None:
    """What a mode is set to: a bool, or None for what the caller of the captured function has."""
    if not isinstance(given, (Proxy, HostProxy)):
        return bool(given)
    value = given.read()
    if type(value) is Value and tracer.facts.root(value).node.op.name == "gradients_enabled":
        return None
    known = tracer.facts.decide(value) if type(value) is Value else bool(value)
    if known is None:
        raise tracer.error(
            "GFX cannot convert this call: what it sets the gradient mode to is only known when the code runs",
            "give the argument at capture, or test it: `if train: …  else: with torch.no_grad(): …`",
        )
    return known


def _decorating(manager: Manager, args: tuple) -> Any:
    """The manager; or the function that it decorates, where that is all that is given."""
    return manager(args[0]) if args and callable(args[0]) and not isinstance(args[0], (Proxy, HostProxy)) else manager


def no_grad(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.no_grad(), or `@torch.no_grad`."""
    return _decorating(Manager(tracer, lambda mode: GradMode((False, mode.inference))), args)


def enable_grad(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.enable_grad(), or `@torch.enable_grad`."""
    return _decorating(Manager(tracer, lambda mode: GradMode((True, mode.inference))), args)


def inference_mode(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.inference_mode(mode), or `@torch.inference_mode`. Leaving it, it enables gradients."""
    given = args[0] if args else kwargs.get("mode", True)
    function = callable(given) and not isinstance(given, (Proxy, HostProxy))
    on = True if function else _enabled(tracer, given)
    return _decorating(Manager(tracer, lambda mode: GradMode((not on, bool(on)))), args if function else ())


def set_grad_enabled(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.set_grad_enabled(mode), a call or a manager."""
    enabled = _enabled(tracer, args[0] if args else kwargs["mode"])
    inference = tracer.gradients.current(tracer).inference
    made = GradMode.ENABLED_INFERENCE if inference and enabled is None else GradMode((enabled, inference))
    return _Setter(tracer, lambda mode: made)


def is_grad_enabled(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.is_grad_enabled(): open where the caller's mode holds."""
    enabled = tracer.gradients.current(tracer).enabled
    return tracer.wrap(ops.gradients_enabled()) if enabled is None else enabled


def is_inference_mode_enabled(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.is_inference_mode_enabled(): open where the caller's mode holds."""
    mode = tracer.gradients.current(tracer)
    return tracer.wrap(ops.gradients_enabled(inference=True)) if mode is CALLERS else mode.inference


HANDLERS: dict[str, Callable[[Tracer, Any, tuple, dict], Any]] = {
    "no_grad": no_grad,
    "enable_grad": enable_grad,
    "inference_mode": inference_mode,
    "set_grad_enabled": set_grad_enabled,
    "is_grad_enabled": is_grad_enabled,
    "is_inference_mode_enabled": is_inference_mode_enabled,
}


def standing_for(tracer: Tracer, made: Any) -> Manager | None:
    """What stands under capture for a manager that the framework itself made; None where it made none of gradient modes."""
    try:
        found = next((name for backend in tracer.frameworks() if (name := backend.special.get(type(made)))), None)
    except TypeError:  # a class that is no key of a table
        return None
    if found not in ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled"):
        return None
    known = tracer.gradients.standing.get(id(made))
    if known is None:
        mode = getattr(made, "mode", None)
        if found == "set_grad_enabled":
            standing = Manager(tracer, lambda before: GradMode((bool(mode), before.inference)))
        else:
            standing = HANDLERS[found](tracer, type(made), () if mode is None else (mode,), {})
        known = tracer.gradients.standing[id(made)] = made, standing
    return known[1]
