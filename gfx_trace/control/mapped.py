"""Comprehensions over what is of open length, rows of a tensor or whole numbers; and those that filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..python.attempts import attempt
from ..python.listed import ListedItems
from ..python.open_iterables import Combined, Stepped
from ..python.rows import append_item
from ..python.sequences import OpenList, empty, joined
from ..values.access import Access
from ..values.proxy import NeedsPython

if TYPE_CHECKING:
    from .sources import Source

_WHOLE = ("int", "bool")


def mapped(
    tracer: Capturing, function: Callable[[Any], Any], iterable: Any, source: Source | None, target: Any, access: Access
) -> Any:
    """[function(item) for item in iterable]: a list that stands as one tensor of rows; over numbers it may hold numbers, too."""
    if source is None or source.length is not None or set(source.kinds) != {"int"}:
        return _rows(tracer, function, iterable, target, access)
    before = access.get()
    try:
        return attempt(tracer, lambda mark: _rows(tracer, function, iterable, target, access, sizes=True))
    except (NeedsPython, UnsupportedConstruct) as error:
        access.set(before)
        try:
            return attempt(tracer, lambda mark: _sizes(tracer, function, iterable, target, access))
        except (NeedsPython, UnsupportedConstruct):
            raise error from None


def _rows(
    tracer: Capturing,
    function: Callable[[Any], Any],
    iterable: Any,
    target: Any,
    access: Access,
    sizes: bool = False,
) -> list[Any]:
    """`sizes`: whole numbers are those of a shape, if they can."""
    outs: list[Any] = tracer.journal.made.note([])

    def body(item: Any) -> None:
        append_item(tracer, outs, function(item))

    tracer.loops.for_(iterable, body, access, None, target)
    if sizes and any(type(x) is ListedItems and x.kind in _WHOLE for x in outs):
        raise NeedsPython("comprehension", "it holds whole numbers", tracer.span())
    return outs


def kept(
    tracer: Capturing,
    function: Callable[[Any], Any],
    keeps: Callable[[Any], Any],
    iterable: Any,
    source: Source | None,
    target: Any,
    access: Access,
) -> list[Any]:
    """[function(item) for item in iterable if keeps(item)]: of open length where an open test filters, or the iterable is."""
    outs: list[Any] = tracer.journal.made.note([])
    body = _filtered(tracer, keeps, lambda item: append_item(tracer, outs, function(item)), access)
    if source is None and not isinstance(iterable, (Combined, Stepped)):
        for item in tracer.iteration.steps(iterable):
            body(item)
        return outs
    if source is not None and source.length is not None:
        before = access.get()
        try:
            return attempt(
                tracer,
                lambda mark: tracer.journal.made.note(
                    [function(x) for x in tracer.iteration.steps(iterable) if _fixed(tracer, keeps(x))]
                ),
            )
        except _Open:
            access.set(before)
    tracer.loops.for_(iterable, body, access, None, target)
    return outs


def flat(
    tracer: Capturing,
    function: Callable[[Any], Any],
    keeps: Callable[[Any], Any] | None,
    iterable: Any,
    source: Source | None,
    target: Any,
    access: Access,
) -> list[Any]:
    """[x for item in iterable if keeps(item) for x in function(item)]: the lists that the items give, one behind the other."""
    outs: list[Any] = tracer.journal.made.note([])
    body = _filtered(tracer, keeps, lambda item: tracer.calls.call(outs.extend, (function(item),), {}), access)
    if isinstance(iterable, (Combined, Stepped)) or (source is not None and source.length is None):
        tracer.loops.for_(iterable, body, access, None, target)
    else:
        for item in tracer.iteration.steps(iterable):
            body(item)
    return outs


def _filtered(
    tracer: Capturing, keeps: Callable[[Any], Any] | None, add: Callable[[Any], Any], access: Access
) -> Callable[[Any], None]:
    """What a trip does: add(item), where the filter keeps it."""

    def body(item: Any) -> None:
        test = keeps is None or tracer.truths.truth(keeps(item))
        if isinstance(test, Value):
            tracer.regions.branch(test, lambda: add(item), None, access, "")
        elif test:
            add(item)

    return body


class _Open(Exception):
    """A filter is open: what it lets through is told by a loop."""


def _fixed(tracer: Capturing, test: Any) -> bool:
    found = tracer.truths.truth(test)
    if isinstance(found, Value):
        raise _Open
    return bool(found)


def _sizes(tracer: Capturing, function: Callable[[Any], Any], iterable: Any, target: Any, access: Access) -> OpenList:
    grown = lambda found, item: joined(tracer, found, (function(item),))
    return OpenList(tracer.loops.fold(iterable, grown, empty(tracer), "sizes", target, access))
