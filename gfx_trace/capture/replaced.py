"""State that replaces what calls find: an array; a Python number, for which an array without axes stands; None until a call fills it.

A capture takes what it finds for fixed, unless it is a parameter; where it turns out that calls replace it, it is captured again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import numpy as np

from gfx_ir.errors import CaptureError, OpenSizesRefused

from ..control.replacing import NUMBERS, Replaces
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
    held: dict[tuple, Any] = {}  # the arrays, by their slots: kept alive, so that ids stay their own
    paths: set[str] = set()
    refusal: Replaces | None = None
    with ExitStack() as standing:
        while True:
            try:
                return work(state)
            except Replaces as found:
                refusal = refusal or found
                new = [one for one in found.together if one.slot.id not in held]
                # at one path again: of an object that code which is not entered makes in each call
                anew = not paths.isdisjoint(one.path for one in new)
                if not new or anew or not all(map(_can_stand, new)):
                    raise next((one.wanted for one in new if one.wanted is not None), refusal) from None
                paths.update(one.path for one in new)
                for one in new:
                    array = held[one.slot.id] = _array(one)
                    if array is not one.before:
                        standing.enter_context(_stands_in(one.slot, array))
                    state = {**state, **_replaced(one, array)}
            except CaptureError as error:
                if refusal is None or isinstance(error, _TRIED_OTHERWISE):
                    raise
                raise refusal from error


def _can_stand(found: Replaces) -> bool:
    """Whether an array can stand for what is replaced: one that takes the place of None has the same sizes in each call."""
    if found.before is not None:
        return True
    sized = found.becomes is not None and all(type(dim) is int for dim in found.becomes[0].dims or ())
    return sized and found.wanted is None


def _array(found: Replaces) -> Any:
    """The array that is replaced, or stands for the number or the None that is."""
    if found.before is not None and type(found.before) not in NUMBERS:
        return found.before
    if found.becomes is None:
        return np.asarray(found.before)
    type_, owner = found.becomes
    assert type_.dtype is not None and type_.dims is not None
    before: Any = found.before
    if before is None:
        before = np.zeros([dim for dim in type_.dims if type(dim) is int])
    return owner.from_host(np.asarray(before).astype(type_.dtype.numpy))


def _replaced(found: Replaces, array: Any) -> State:
    """What is replaced, by the id of its array; where None stands at first also the flag that tells so."""
    if found.before is None:
        owner, dot, key = found.path.rpartition(".")
        there, flag = np.asarray(False), f"{owner}{dot}has_{key}"
        return {id(array): Replaced(found.path, None, there=there), id(there): Replaced(flag, False, bool)}
    number = type(found.before) if type(found.before) in NUMBERS and found.becomes is None else None
    return {id(array): Replaced(found.path, found.before, number)}


@contextmanager
def _stands_in(slot: Slot, array: Any) -> Iterator[None]:
    """Inside, an array stands where a number does, or None."""
    before = slot.get()
    slot.set(array)
    try:
        yield
    finally:
        slot.set(before)
