"""State that replaces what calls find: an array, or a Python number, for which an array without axes stands.

A capture takes what it finds for fixed, unless it is a parameter; where it turns out that calls replace it, it is captured again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import numpy as np

from gfx_ir.errors import CaptureError, OpenSizesRefused

from ..control.state import NUMBERS, Replaces
from ..frameworks.libraries import NotEntered
from ..heap.slots import Replaced, Slot

T = TypeVar("T")
State = Mapping[int, Replaced]
"""Arrays that calls replace, by id."""
_TRIED_OTHERWISE = (OpenSizesRefused, NotEntered)
"""Refusals after which a capture is tried with other sizes, or by another route."""


def with_all_state(work: Callable[[State], T]) -> T:
    """What work(state) gives once all that calls replace is state. Raises the refusal of the first of these where the code does more
    with it than a program can with what only its calls decide."""
    state: dict[int, Replaced] = {}
    slots: set[tuple] = set()
    refusal: Replaces | None = None
    with ExitStack() as standing:
        while True:
            try:
                return work(state)
            except Replaces as found:
                refusal = refusal or found
                if found.slot.id in slots:
                    raise refusal from None
                slots.add(found.slot.id)
                array, kind = _array(found), type(found.before)
                if kind in NUMBERS:
                    standing.enter_context(_stands_in(found.slot, array))
                number = kind if kind in NUMBERS and found.becomes is None else None
                state = {
                    **state,
                    id(array): Replaced(found.slot.key if isinstance(found.slot.key, str) else "constant", number),
                }
            except CaptureError as error:
                if refusal is None or isinstance(error, _TRIED_OTHERWISE):
                    raise
                raise refusal from error


def _array(found: Replaces) -> Any:
    """The array that is replaced, or stands for the number that is."""
    if type(found.before) not in NUMBERS:
        return found.before
    array = np.asarray(found.before)
    if found.becomes is None:
        return array
    type_, owner = found.becomes
    assert type_.dtype is not None
    return owner.from_host(array.astype(type_.dtype.numpy))


@contextmanager
def _stands_in(slot: Slot, array: Any) -> Iterator[None]:
    """Inside, an array stands where a number does."""
    number = slot.get()
    slot.set(array)
    try:
        yield
    finally:
        slot.set(number)
