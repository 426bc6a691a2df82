"""What a program writes that outlives a call, and which of it cannot be told apart: arrays that stand at two places, of which one is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.control import is_given
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value

from ..heap.aliases import memory
from ..heap.journal import is_held
from ..heap.slots import Slot
from ..interfaces import Capturing
from ..values.lost import Lost
from ..values.proxy import Proxy


@dataclass(frozen=True)
class Write:
    """One thing that the program writes: its path, its new value, and the slot of the real object (None: an array, by its path)."""

    path: str
    value: Any
    slot: Slot | None = None
    param: str | None = None  # the parameter that stands for what the slot held
    first: UnsupportedConstruct | None = None  # what to raise where a later call, which finds it written, is another
    kept: bool = True  # whether it is state of the program; what each call would write again, and is fixed, is not
    owner: Backend | None = None  # whose tensor it is
    rebuild: Callable[[Any], Any] | None = None  # makes the object again whose tensors `value` is
    there: str | None = None  # the parameter that tells whether the slot holds anything but None
    before: Any = None  # what the slot held before the first call, where that is a parameter
    array: Proxy | None = None  # the tensor that is written in place


def check_alone(tracer: Capturing, writes: list[Write], roots: tuple) -> None:
    """Raises where the next call finds what a write replaces at another place that the code met: one parameter stands for both."""
    for slot, array in (
        (write.slot, tracer.params[write.param]) for write in writes if write.slot and write.param in tracer.params
    ):
        twice = id(array) in tracer.met_twice or tracer.places.get(id(array), slot.place) != slot.place
        if twice or (id(array) in tracer.met_within and is_held(array, tracer.consulted.by_name, *roots)):
            raise UnsupportedConstruct(
                f"GFX cannot convert this write: the tensor that {slot.name!r} held before is met elsewhere, too, where the next call still finds it",
                slot.span, "write into it in place, or let each place have a tensor of its own",
            )  # fmt: skip


def check_told_apart(tracer: Capturing, writes: list[Write]) -> None:
    """Raises where a write puts an array from outside, or a view of it, at a second place, and calls write in place what one of the two
    holds: in the graph of the next call each stands for itself."""
    in_place = {id(write.array) for write in writes if write.array is not None}
    put = [(write, root) for write in writes if write.slot for root in _from_outside(tracer, write.slot.get())]
    left = {write.slot.place for write in writes if write.slot is not None}
    for write, root in put if in_place else ():
        assert write.slot is not None
        array, own = tracer.arrays.held_array(root), tracer.known.get(id(write.slot.old))
        moves = array is not None and tracer.places.get(id(array)) in left and sum(at is root for _, at in put) == 1
        if not moves and ((id(root) in in_place and write.param in tracer.params) or id(own) in in_place):
            raise UnsupportedConstruct(
                f"GFX cannot convert this write: {write.slot.name!r} gets a tensor that stands elsewhere, too, and that a call writes in place",
                write.slot.span, "put a copy there (`.clone()`, `.copy()`), or make a new tensor: x = x + 1, not x += 1",
            )  # fmt: skip


def _from_outside(tracer: Capturing, value: Any) -> list[Proxy]:
    """The tensors from outside whose memory a tensor has, or may have."""
    return [root for root in memory(value) if is_outside(tracer, root)] if type(value) is Proxy else []


def is_outside(tracer: Capturing, proxy: Proxy) -> bool:
    """Whether a tensor is an argument or a parameter, written in place or not."""
    first = tracer.journal.frames[0].get((id(proxy), "proxy", None))
    held = first.old if first is not None else proxy.value
    return isinstance(held, Value) and is_given(held.node)


def check_decided(tracer: Capturing, slot: Slot) -> None:
    """An argument or parameter may not be left undecided: the caller sees it."""
    if type(slot.object.base) is Lost and is_outside(tracer, slot.object):
        slot.object.base.read()


def check_apart(tracer: Capturing, writes: list[Write]) -> None:
    """Raises where what is written to one array from outside is seen in another that the code met, as in a view of a buffer: each
    stands for itself in the graph."""
    written = [tracer.params[write.path] for write in writes if write.path in tracer.params]
    ids = {id(x) for x in written}
    if not ids:
        return
    placed = [(tracer.arrays.array_owner(x), x) for x in tracer.kept]
    spans = [(*owner.extent(x), owner, x) for owner, x in placed if owner is not None and owner.views]
    last: list[tuple] = []
    for span in sorted(spans, key=lambda span: span[:2]):
        start, _, owner, x = span
        last = [other for other in last if other[1] > start]
        for _, _, _, y in last:
            if x is not y and not ids.isdisjoint((id(x), id(y))) and owner.share(x, y):
                name = next(name for name, held in tracer.params.items() if held is x or held is y)
                raise UnsupportedConstruct(
                    f"GFX cannot convert this write: another tensor that the code uses shares the memory of {name!r}, and would see it",
                    tracer.span(), "use a view that is made in the captured code, or a copy",
                )  # fmt: skip
        last.append(span)
