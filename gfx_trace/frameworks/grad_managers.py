"""Managers of gradient modes: what `torch.no_grad()` and its kin give under capture, as managers, decorators and calls."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from gfx_ir import ops
from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..values.gated import Gated
from ..values.proxy import is_open
from .grad_mode import CALLERS, Change, GradMode, changed, undecided


class Manager:
    """What `torch.no_grad()` and its kin give under capture: a context manager and a decorator. `change`: the mode that it sets,
    given the one before."""

    def __init__(self, tracer: Capturing, change: Change) -> None:
        self.tracer, self.change = tracer, change
        self.before = tracer.gradients.mode

    def __enter__(self) -> None:
        gradients = self.tracer.gradients
        self.before = gradients.mode
        gradients.switch(self.tracer, changed(gradients.mode, self.change))

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
            return self.tracer.calls.call(f, args, kwargs)

    def _steps(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> Iterator[Any]:
        generator, sent = self.tracer.calls.call(f, args, kwargs), None
        try:
            while True:
                with self.clone():
                    found = generator.send(sent)
                sent = yield found
        except StopIteration as stop:
            return stop.value
        finally:
            generator.close()


def chosen(tracer: Capturing, gated: Gated) -> Manager | None:
    """The manager that an open test chooses; None where one of them is no manager of gradient modes."""
    changes = []
    for side in gated.sides:
        made = chosen(tracer, side) if type(side) is Gated else standing_for(tracer, side) or side
        if type(made) is not Manager and type(made) is not contextlib.nullcontext:
            return None
        changes.append(made.change if type(made) is Manager else lambda mode: mode)
    test, (one, other) = gated.test, changes
    return Manager(tracer, lambda mode: undecided(test, changed(mode, one), changed(mode, other)))


class _Setter(Manager):
    """What `torch.set_grad_enabled(mode)` gives: it sets the mode at once, and puts it back where it is a manager or a decorator."""

    def __init__(self, tracer: Capturing, change: Change) -> None:
        super().__init__(tracer, change)
        tracer.gradients.switch(tracer, changed(tracer.gradients.mode, change))

    def __enter__(self) -> None:
        gradients = self.tracer.gradients
        gradients.switch(self.tracer, changed(gradients.mode, self.change))

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        self.tracer.gradients.switch(self.tracer, self.before)
        return super().__call__(f)


# ---------------------------------------------------------------- what the capture answers
def _setting(tracer: Capturing, given: Any, made: Callable[[bool, GradMode], GradMode]) -> Change:
    """What sets a mode: by a bool, or by one of an open bool."""
    on = _enabled(tracer, given)
    if not isinstance(on, Value):
        return lambda mode: made(on, mode)
    return lambda mode: undecided(on, made(True, mode), made(False, mode))


def _enabled(tracer: Capturing, given: Any) -> bool | Value:
    """What a mode is set to: a bool, or an open one."""
    if not is_open(given):
        return bool(given)
    value = given.read()
    known = tracer.facts.decide(value) if type(value) is Value else bool(value)
    if known is None and (value.is_tensor or value.kind != "bool"):
        raise tracer.error(
            "GFX cannot convert this call: what it sets the gradient mode to is only known when the code runs",
            "give the argument at capture, or test it: `if train: …  else: with torch.no_grad(): …`",
        )
    return value if known is None else known


def _decorating(manager: Manager, args: tuple) -> Any:
    """The manager; or the function that it decorates, where that is all that is given."""
    return manager(args[0]) if args and callable(args[0]) and not is_open(args[0]) else manager


def no_grad(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.no_grad(), or `@torch.no_grad`."""
    return _decorating(Manager(tracer, lambda mode: GradMode((False, mode.inference))), args)


def enable_grad(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.enable_grad(), or `@torch.enable_grad`."""
    return _decorating(Manager(tracer, lambda mode: GradMode((True, mode.inference))), args)


def inference_mode(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.inference_mode(mode), or `@torch.inference_mode`. Leaving it, it enables gradients."""
    given = args[0] if args else kwargs.get("mode", True)
    function = callable(given) and not is_open(given)
    change = _setting(tracer, True if function else given, lambda on, mode: GradMode((not on, bool(on))))
    return _decorating(Manager(tracer, change), args if function else ())


def set_grad_enabled(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.set_grad_enabled(mode), a call or a manager."""

    given = args[0] if args else kwargs["mode"]
    value = given.read() if is_open(given) else given
    if type(value) is Value and tracer.facts.key(value) == tracer.gradients.asked:  # what the caller has
        return _Setter(tracer, lambda mode: GradMode.ENABLED_INFERENCE if mode.inference else GradMode((None, False)))
    return _Setter(tracer, _setting(tracer, given, lambda enabled, mode: GradMode((enabled, mode.inference))))


def is_grad_enabled(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.is_grad_enabled(): open where the caller's mode holds."""
    if tracer.gradients.in_rule:
        return False
    test = tracer.gradients.open_test(tracer)
    if test is not None:
        side = lambda: is_grad_enabled(tracer, f, args, kwargs)
        return tracer.regions.branch(tracer.local(test), side, side)
    enabled = tracer.gradients.current(tracer).enabled
    if enabled is not None:
        return enabled
    found = ops.gradients_enabled()
    tracer.gradients.asked = tracer.facts.key(found)
    return tracer.wrap(found)


def is_inference_mode_enabled(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.is_inference_mode_enabled(): open where the caller's mode holds."""
    mode = tracer.gradients.current(tracer)
    return tracer.wrap(ops.gradients_enabled(inference=True)) if mode is CALLERS else mode.inference


HANDLERS: dict[str, Callable[[Capturing, Any, tuple, dict], Any]] = {
    "no_grad": no_grad,
    "enable_grad": enable_grad,
    "inference_mode": inference_mode,
    "set_grad_enabled": set_grad_enabled,
    "is_grad_enabled": is_grad_enabled,
    "is_inference_mode_enabled": is_inference_mode_enabled,
}
_MANAGERS = frozenset(("no_grad", "enable_grad", "inference_mode", "set_grad_enabled"))


def standing_for(tracer: Capturing, made: Any) -> Manager | None:
    """What stands under capture for a manager that the framework itself made; None where it made none of gradient modes."""
    found = _manager_class(tracer, type(made))
    if found is None:
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


def _manager_class(tracer: Capturing, kind: type) -> str | None:
    """Which of the managers of gradient modes a class is that a framework has for them."""
    try:
        for backend in tracer.arrays.frameworks():
            name = backend.special.get(kind)
            if name is not None:
                return name if name in _MANAGERS else None
    except TypeError:  # a class that is no key of a table
        pass
    return None
