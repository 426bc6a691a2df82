"""Bounded unrolling: a loop over what is as long as an open number says, zipped with a list, has at most as many trips as the list has
items, each under the test that there is one."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, KeysView, Sequence, ValuesView
from functools import partial
from typing import Any, NamedTuple

from gfx_ir.graph import Value
from gfx_ir.probing import is_module

from ..interfaces import Capturing
from ..python.iteration import refusal
from ..python.listed import ListedItems
from ..python.open_iterables import Combined, Mapped, OpenRange
from ..python.rows import holds_rows
from ..values.access import Access, Stop
from ..values.proxy import Proxy
from .peeling import ended
from .sources import Source, size_of

_MOST = 32
"""Of how many trips: each stands within the test of the one before."""


_FIXED = (list, tuple, range, str, dict, KeysView, ValuesView, ItemsView)
"""What Python itself goes over, in an order that it has."""


class _Items(NamedTuple):
    """What a loop goes over. `most`: how many items there are at most, None where nothing fixed says; `open`: what has the sizes that
    say so, too; `at`: gives an item by its position; `held`: the containers that it goes over, with their
    lengths."""

    most: int | None
    open: tuple[Any, ...]
    at: Callable[[int], Any]
    held: tuple[tuple[Any, int], ...] = ()


def run_beside(
    tracer: Capturing, iterable: Any, body: Callable[[Any], None], access: Access, stop: Stop | None
) -> bool:
    """Run a loop that a list bounds, trip by trip; False: it is none. `access`: to what the body assigns."""
    items = _items(tracer, iterable) if isinstance(iterable, Combined) else None
    if items is None or not items.open or items.most is None or items.most > _MOST:
        return False
    _run(tracer, items, 0, body, access, stop)
    return True


def _run(
    tracer: Capturing, items: _Items, at: int, body: Callable[[Any], None], access: Access, stop: Stop | None
) -> None:
    """The trips from a position on."""
    for held, length in items.held:
        if holds_rows(held) or len(held) != length:
            raise refusal(tracer, held)
    if at == items.most:
        return
    others = partial(_run, tracer, items, at + 1, body, access, stop)
    site = tracer.site

    def trip() -> None:
        body(items.at(at))
        tracer.site = site
        if not ended(tracer, stop, others, access):
            others()

    has = [partial(_has, tracer, part, at) for part in items.open]
    found = tracer.truths.truth(tracer.truths.and_(has[0](), has[1:]))
    if isinstance(found, Value):
        tracer.regions.branch(found, trip, None, access, "")
    elif found:
        trip()


def _has(tracer: Capturing, part: Any, at: int) -> Any:
    """Whether there is an item at a position."""
    return tracer.wrap(size_of(tracer, part)) > at


def _items(tracer: Capturing, iterable: Any) -> _Items | None:
    """What is known of the items of an iterable; None: not where each is."""
    if isinstance(iterable, _FIXED):
        known: Sequence = iterable if isinstance(iterable, Sequence) else tuple(iterable)
        return None if holds_rows(iterable) else _Items(len(known), (), known.__getitem__, ((iterable, len(known)),))
    if is_module(iterable) and hasattr(type(iterable), "__len__"):  # a list of layers
        layers = tuple(tracer.iteration.steps(iterable))
        return _Items(len(layers), (), layers.__getitem__, ((iterable, len(layers)),))
    if isinstance(iterable, Combined) and iterable.kind != "reversed":
        parts = [_items(tracer, part) for part in iterable.parts]
        known = [part for part in parts if part is not None]
        return _combined(iterable, known) if len(known) == len(parts) else None
    if isinstance(iterable, Mapped):
        inner = _items(tracer, iterable.source)
        return None if inner is None else inner._replace(at=lambda at: iterable.function(inner.at(at)))
    at = _places(tracer, iterable)
    source: Source | None = None if at is None else tracer.loop_sources.loop_source(iterable)
    if at is None or source is None or source.open_range:
        return None
    size = () if source.length is not None else (source.items[0],)
    return _Items(source.length, size, at)


def _places(tracer: Capturing, iterable: Any) -> Callable[[int], Any] | None:
    """What gives an item of an iterable of open length by its position, as a loop has it; None where nothing does."""
    if isinstance(iterable, OpenRange):
        return lambda at: iterable.start + iterable.step * at
    if type(iterable) is ListedItems:
        return lambda at: iterable.item(tracer, at)
    return partial(tracer.views.getitem, iterable) if type(iterable) is Proxy else None


def _combined(iterable: Combined, parts: list[_Items]) -> _Items:
    """Items of several, as long as there are of each; or one's with their numbers."""
    most = [part.most for part in parts if part.most is not None]
    size = tuple(item for part in parts for item in part.open)
    held = tuple(pair for part in parts for pair in part.held)
    if iterable.kind == "zip":
        return _Items(min(most, default=None), size, lambda at: tuple([part.at(at) for part in parts]), held)
    return _Items(min(most, default=None), size, lambda at: (iterable.start + at, parts[0].at(at)), held)
