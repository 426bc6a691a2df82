"""Guards of one argument: what the capture took as given of an array beside its type, held against what a call gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from .backend import Backend
from .errors import GuardError
from .memory import QUESTIONS
from .program import Guard
from .python_numbers import NUMBER_CLASSES


def _rank(guard: Guard, held: Any, owner: Backend) -> None:
    if owner.is_tensor(held) and len(owner.shape_of(held)) != guard.value:
        raise GuardError(
            f"the capture takes {guard} as given, and the call has {len(owner.shape_of(held))} dimensions",
            guard.span, "capture with a TensorSpec of this rank",
        )  # fmt: skip


def _axes(guard: Guard, held: Any, owner: Backend) -> None:
    found = len(owner.shape_of(held)) if owner.is_tensor(held) else 0
    if found < guard.value and (owner.is_tensor(held) or isinstance(held, NUMBER_CLASSES)):
        raise GuardError(
            f"the capture takes {guard} as given, and the call has {found} dimensions",
            guard.span, "capture with an argument of this rank",
        )  # fmt: skip


def _layout(guard: Guard, held: Any, owner: Backend) -> None:
    layout = owner.layout_of(held) if owner.is_tensor(held) else None
    found = guard.value if layout is None else QUESTIONS[guard.kind](layout)
    if found != guard.value:
        raise GuardError(
            f"the capture takes it as given that {guard}, and the call has {Guard(guard.kind, guard.subject, found)}",
            guard.span, "call with a tensor that lies in memory as that of the capture did, or capture again with this one",
        )  # fmt: skip


def _number(guard: Guard, held: Any, owner: Backend) -> None:
    if isinstance(held, np.ndarray):
        raise GuardError(
            f"the capture takes it as given that {guard}, and the call has an array, which is written in place", guard.span,
            "call with x[()], or give an array at capture",
        )  # fmt: skip


def _class(guard: Guard, held: Any, owner: Backend) -> None:
    found = owner.class_of(held) if owner.is_tensor(held) else ""
    if found and found != guard.value:
        what = f"the capture takes it as given that {guard}, whose class the code asks for, and the call has a {found}"
        raise GuardError(what, guard.span, "capture with an argument of this class")


def _device(guard: Guard, held: Any, owner: Backend) -> None:
    if owner.is_tensor(held) and owner.device_kinds and str(owner.device_of(held)) != guard.value:
        what = f"the capture takes it as given that {guard}, and the call has a tensor on {owner.device_of(held)}"
        raise GuardError(what, guard.span, "capture with a tensor on this device")


def _requires_grad(guard: Guard, held: Any, owner: Backend) -> None:
    if owner.is_tensor(held) and owner.trained(held) not in (None, guard.value == "True"):
        what = f"the capture takes it as given that {guard}, and the call has a tensor of which this does not hold"
        raise GuardError(what, guard.span, "capture with a tensor that requires gradients, or with one that does not")


CHECKS = {
    "rank": _rank, "axes": _axes, "number": _number, "class": _class, "device": _device, "requires_grad": _requires_grad,
    **dict.fromkeys(QUESTIONS, _layout),
}  # fmt: skip
"""By the kind of guard: what raises GuardError where it does not hold."""
