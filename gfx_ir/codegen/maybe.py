"""What the values of a function come from, and which of them may be Python numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph import Value
from ..infer.facts import Facts
from .control import IFS, LOOPS
from .copying import outputs_of
from .liveness import Liveness, loop_results
from .numbers import runs


class MaybeNumbers:
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness, kinds: Facts) -> None:
        self.liveness, self.kinds = liveness, kinds

    def sources(self, value: Value) -> Sequence[Any] | None:
        """What a carried value, or an output of a test or loop, comes from; None for other values."""
        phi = self.liveness.phis.get(value)
        node, at = phi if phi is not None else (value.node, value.index - 1)
        if phi is not None and at < 0:  # an item of a loop
            return None
        if node.op.name in LOOPS and at < len(node.arg("init")):
            init, result = node.arg("init")[at], loop_results(node)[at]
            return [result] if phi is None and runs(node) else [init, result]
        if node.op.name in IFS:
            return [outputs_of(region.result, len(node.values))[at] for region in node.regions]
        return None

    def maybe_number(self, leaf: Any) -> bool:
        """Whether the leaf may be a Python number where a plain loop or test computes it."""
        return self.kinds.may_be_number(self.liveness.resolve(leaf))

    def is_number(self, leaf: Any) -> bool:
        """Whether the leaf is surely one."""
        return self.kinds.is_number(self.liveness.resolve(leaf))

    def _counts(self, value: Value) -> bool:
        """Whether a value is the index of a loop over a range."""
        node, at = self.liveness.phis.get(value, (value.node, 0))
        return at < 0 and type(node.args[0][at]) is tuple
