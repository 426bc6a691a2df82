"""Trips beside a staged loop: the first, run before it where only that changes the kind or shape of what the loop carries (peeling); a
test that is run before it and ends its body (rotation); those that are left where one may have ended it; and whether there was any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gfx_ir.codegen.copying import copy_nodes
from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.trees import tree_map

from ..interfaces import Capturing
from ..python.listed import ListedItems
from ..python.open_iterables import Combined, Mapped, OpenRange
from ..values.access import Access, Stop
from ..values.proxy import Proxy
from ..values.raised import Raised
from .sides import Side
from .sources import Source, size_of


def divides(iterable: Any) -> bool:
    """Whether the first item of what a loop goes over can be taken from the others."""
    if isinstance(iterable, Combined):
        parts = iterable.parts
        return all(map(divides, parts)) and (iterable.kind != "reversed" or isinstance(parts[0], Proxy))
    if isinstance(iterable, Mapped):
        return divides(iterable.source)
    return isinstance(iterable, (range, OpenRange, ListedItems, Proxy))


def divided(tracer: Capturing, iterable: Any) -> tuple[Any, Any]:
    """The first item of what a loop goes over that has one, and what is left."""
    if isinstance(iterable, range):
        return iterable[0], iterable[1:]
    if isinstance(iterable, OpenRange):
        return iterable.start, OpenRange(iterable.start + iterable.step, iterable.stop, iterable.step)
    if isinstance(iterable, ListedItems):
        return iterable.item(tracer, 0), iterable.cut(tracer, slice(1, None))
    if isinstance(iterable, Proxy):
        return tracer.views.getitem(iterable, 0), tracer.views.getitem(iterable, slice(1, None))
    if isinstance(iterable, Mapped):
        first, others = divided(tracer, iterable.source)
        return iterable.function(first), Mapped(iterable.function, others)
    if iterable.kind == "reversed":
        (part,) = iterable.parts
        return tracer.views.getitem(part, -1), Combined("reversed", (tracer.views.getitem(part, slice(None, -1)),))
    firsts, others = zip(*[divided(tracer, part) for part in iterable.parts])
    if iterable.kind == "zip":
        return firsts, Combined("zip", others)
    return (iterable.start, *firsts), Combined("enumerate", others, iterable.start + 1)


def stops_open(tracer: Capturing, body: Callable[[], None], access: Access, stop: Stop | None) -> bool:
    """Whether a trip of the body leaves its break flag open; nothing is left of the trip."""
    before = access.get()
    with tracer.regions.opened("trial"), tracer.decided.kept():
        try:
            body()
            found = isinstance(tracer.truths.truth(stop()), Value)
        except (Raised, UnsupportedConstruct):  # what cannot be converted here may be where the loop is staged
            found = True
    access.set(before)
    return found


def ended(tracer: Capturing, stop: Stop | None, rest: Callable[[], None], access: Access) -> bool:
    """Whether a loop ends here. Where that is open it does, and `rest` goes on where none of the trips before ended it: what one that did
    gave back is there if it did, and only then."""
    flag = False if stop is None else tracer.truths.truth(stop())
    if not isinstance(flag, Value):
        return bool(flag)

    def known() -> None:
        access.set(tuple([tracer.gates.known(x) for x in access.get()]))

    def going_on() -> None:
        known()
        rest()

    tracer.regions.branch(flag, known, going_on, access, "")
    return True


def peel(
    tracer: Capturing,
    iterable: Any,
    body: Callable[[Any], None],
    loop: Callable[[Any], None],
    stop: Stop | None,
    access: Access,
) -> None:
    """The first trip, and the loop of the others. `access`: to the variables that the loop assigns."""
    first, others = divided(tracer, iterable)
    site = tracer.site
    body(first)
    tracer.site = site
    rest = lambda: loop(others)
    if not ended(tracer, stop, rest, access):
        rest()


def peel_if_any(tracer: Capturing, source: Source, refusal: CaptureError, *peeled: Any) -> None:
    """The same where an open number says whether there is a first trip, on which hangs what the loop leaves then. `peeled`: the
    arguments of `peel`. Raises `refusal` where that cannot be captured either, as where data says so."""
    try:
        found = of_for(tracer, source)()
        if found is True:  # as the bounds of a size tell
            peel(tracer, *peeled)
            return
        if type(found) is not Value or found.is_tensor:
            raise refusal
        tracer.regions.branch(found, lambda: peel(tracer, *peeled), None, peeled[-1], "")
    except UnsupportedConstruct:
        raise refusal from None


Trip = Callable[[], Any]
"""Gives whether there was a first trip: True, False, or a Value."""


def of_for(tracer: Capturing, source: Source) -> Trip:
    """Whether a loop over items has any."""

    items = source.items  # these alone: what else a loop knows keeps the author's objects alive

    def has(item: Any) -> Any:
        here = tree_map(lambda leaf: tracer.gates.here(leaf) if type(leaf) is Value else leaf, item)
        return tracer.wrap(size_of(tracer, here)) > 0

    return lambda: tracer.truths.truth(tracer.truths.and_(has(items[0]), [partial(has, item) for item in items[1:]]))


def of_while(tracer: Capturing, side: Side, found: Any, first: Sequence[Any]) -> Trip | None:
    """Whether the test of a loop held at first, with what it carries as it was before; None: asking again would have effects."""
    if any(map(tracer.raising.acts, side.graph.walk())):
        return None
    graph, captured = side.graph, {placeholder: outer for outer, placeholder in side.captures.items()}
    begins = {**dict(zip(graph.placeholders, first)), **captured}

    def ran() -> Any:
        values = {inner: tracer.local(tracer.gates.here(x)) if type(x) is Value else x for inner, x in begins.items()}
        before = set(values)
        copy_nodes(graph, tracer.graph, None, values)
        for old, new in values.items():
            if old not in before:
                tracer.record.copied(old, new)
        return values.get(found, found)

    return ran


def rotated(tracer: Capturing, test: Any, body: Any, access: Access, stop: Stop | None) -> tuple[Any, Any, Access]:
    """Run the test once; test, body and access of the loop that is left, whose test asks one more variable."""
    running: list[Any] = [False]
    asking = access.beside("running", lambda: running[0], lambda value: running.__setitem__(0, value))

    def end() -> None:
        running[0] = False

    def again() -> None:
        running[0] = tracer.truths.bool_(test())

    def advance() -> None:
        done = False if stop is None else tracer.truths.truth(stop())
        if isinstance(done, Value):
            tracer.regions.branch(done, end, again, asking, "")
        elif done:
            end()
        else:
            again()

    def trip() -> None:
        body()
        advance()

    advance()
    return (lambda: running[0]), trip, asking
