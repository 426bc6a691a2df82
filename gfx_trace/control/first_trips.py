"""Trip tests: whether a loop that was staged had a first trip, computed where that is asked, of what there was before the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gfx_ir.codegen.copying import copy_nodes
from gfx_ir.graph import Value
from gfx_ir.trees import tree_map

from ..interfaces import Capturing
from .sides import Side
from .sources import Source, size_of

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
        values = {inner: tracer.local(x) if type(x) is Value else x for inner, x in begins.items()}
        before = set(values)
        copy_nodes(graph, tracer.graph, None, values)
        for old, new in values.items():
            if old not in before:
                tracer.record.copied(old, new)
        return values.get(found, found)

    return ran
