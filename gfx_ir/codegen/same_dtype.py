"""Which values have one dtype, be it known or not: what is made like another has its dtype, and arithmetic of those keeps it."""

from __future__ import annotations

from typing import Any

from ..graph import Value
from .control import ALIKE, IFS, LOOPS
from .copying import outputs_of
from .liveness import Liveness, loop_results
from .numbers import STEPS, strong

_LIKE = frozenset(("zeros_like", "ones_like", "full_like", "empty_like"))
_KEEPS = frozenset(("add", "subtract", "multiply"))


def same_dtype(a: Any, b: Any, liveness: Liveness) -> bool:
    """Whether two values surely have one dtype."""
    known = strong(liveness.resolve(a)), strong(liveness.resolve(b))
    if None not in known:
        return known[0] == known[1]
    found = _makers(a, liveness, frozenset())
    return len(found) == 1 and None not in found and found == _makers(b, liveness, frozenset())


def _makers(leaf: Any, liveness: Liveness, asked: frozenset[Value]) -> set[Any]:
    """The values from which the leaf has its dtype; what a loop makes of itself alone (it is `asked` already) says nothing."""
    value = liveness.resolve(leaf)
    if type(value) is not Value or value in asked:
        return set() if type(value) is Value else {None}
    sources = _sources(value, liveness) if len(asked) < STEPS else []
    return {found for source in sources for found in _makers(source, liveness, asked | {value})} if sources else {value}


def _sources(value: Value, liveness: Liveness) -> list[Any]:
    """Values whose dtype the value has, if they all have one; none where it has its own. Whole numbers take what they meet."""
    node, at = liveness.phis.get(value, (value.node, value.index - 1))
    op = node.op.name
    if op in ("for", "host_for") and at < 0:
        return [node.args[0][value.node.graph.placeholders.index(value)]]  # type: ignore[union-attr]
    if op in LOOPS:
        return (
            [node.arg("init")[at], loop_results(node)[at]] if at < len(node.arg("init")) else [loop_results(node)[at]]
        )
    if op in IFS:
        return [outputs_of(region.result, len(node.values))[at] for region in node.regions]
    if op in ALIKE or (op in _LIKE and node.arg("dtype") is None):
        return [node.args[0]]
    if op in _KEEPS:
        numbers = [arg for arg in node.args if type(arg) is int]
        return [arg for arg in node.args if type(arg) is not int] if len(numbers) < 2 else []
    return []
