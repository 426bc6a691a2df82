"""Precondition: what was captured, called in code that is being captured, holds its arguments against what it took as given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gfx_ir import host
from gfx_ir.admission import Admission
from gfx_ir.codegen import Module
from gfx_ir.errors import GuardError
from gfx_ir.loading import backend
from gfx_ir.program import Guard
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing
from ..values.proxy import Proxy


def call_emitted(
    tracer: Capturing, emitted: Module, enter: Callable[..., Any], args: tuple, kwargs: dict[str, Any]
) -> Any:
    """What a call of an emitted function gives, which `enter` calls. Raises GuardError where what it took as given is known not to hold."""
    terms = emitted.terms
    assert terms is not None
    given, random = terms.binding.bind(args, kwargs)
    terms.admission.check(given, backend(terms.owner))
    _require(tracer, terms.admission, given)
    return terms.call(lambda *args, **kwargs: enter(emitted.bare(), args, kwargs), given, random)


def _require(tracer: Capturing, admission: Admission, given: Mapping[str, Any]) -> None:
    """Ask for what a capture took as given of arrays that are open here."""
    asked, sizes = _Asked(tracer), dict[str, Any]()
    for path, slot, x in admission.slots(given):
        if isinstance(x, Proxy):
            if isinstance(slot.type, LogicalTensor):
                asked.type(path, x, slot.type, sizes)
            for guard in admission.guards:
                if guard.subject == path:
                    asked.guard(guard, x)


class _Asked:
    """Questions that are answered at capture, or by the code when it runs."""

    def __init__(self, tracer: Capturing) -> None:
        self._tracer = tracer

    def type(self, path: str, x: Proxy, type_: LogicalTensor, sizes: dict[str, Any]) -> None:
        """Ask whether an array has the rank, the sizes and the dtype; `sizes`: of the dims that were met."""
        ask = partial(self._ask, f"{path}: {type_}")
        if type_.dtype is not None:
            known = self._tracer.record.dtype(x.read())
            ask(x.dtype == type_.dtype if known is None else known is type_.dtype)
        if type_.dims is None:
            return
        ask(x.ndim == len(type_.dims))
        for axis, dim in enumerate(type_.dims):
            size = x.shape[axis]
            if isinstance(dim, int):
                ask(size == dim)
            elif not isinstance(dim, host.Dim):
                self._computed(f"{path}: {type_}", dim, size, sizes)
            elif dim.name in sizes:
                ask(size == sizes[dim.name])
            else:
                sizes[dim.name] = size
                for bound in [size >= dim.min] if dim.min else []:
                    ask(bound)
                for bound in [size <= dim.max] if dim.max is not None else []:
                    ask(bound)

    def guard(self, guard: Guard, x: Proxy) -> None:
        """Ask whether what a guard says holds."""
        if guard.kind not in ("rank", "axes"):
            hint = "capture the function that this was captured of, as a part of this one"
            raise GuardError(f"the capture takes {guard} as given, which is not known of this call", hint=hint)
        self._ask(str(guard), x.ndim == guard.value if guard.kind == "rank" else x.ndim >= guard.value)

    def _computed(self, told: str, dim: Any, size: Any, sizes: dict[str, Any]) -> None:
        known = [atom.name for atom in host.atoms(dim)]
        if not all(type(sizes.get(name)) is int for name in known):
            hint = "capture it with Dims alone, or give this capture the sizes"
            raise GuardError(
                f"the capture is for {told}, and whether this call has a size of {dim} is not known", hint=hint
            )
        self._ask(told, size == host.evaluate(dim, sizes))

    def _ask(self, told: str, test: Any) -> None:
        what = f"the capture is for {told}"
        if test is False:
            raise GuardError(
                f"{what}, and the call has another one", hint="capture with dynamic=True, or with a TensorSpec of Dims"
            )
        if test is not True:
            self._tracer.raising.check(test, lambda: what)
