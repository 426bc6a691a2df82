"""What the values of a function come from, and which of them may be Python numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..graph import Value
from .control import IFS, LOOPS
from .copying import outputs_of
from .liveness import Liveness, loop_results
from .numbers import ARITHMETIC, is_number, runs


class MaybeNumbers:
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness) -> None:
        self.liveness = liveness
        self._maybe: dict[Value, bool] = {}

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
        leaf = self.liveness.resolve(leaf)
        if self._told(leaf) is None:
            self._settle(leaf)
        return bool(self._told(leaf))

    def _told(self, leaf: Any) -> bool | None:
        """Whether the leaf may be a number, where that is known."""
        value = self.liveness.resolve(leaf)
        if type(value) is not Value:
            return is_number(value)
        return self._maybe.get(value) if value.is_tensor else value.kind in ("int", "float", "bool")

    def _settle(self, root: Value) -> None:
        """Tell of all that the root comes from: what nothing shows to be a number is none. One source of a carried value or
        of an output is enough, arithmetic asks for all."""
        lacks: dict[Value, float] = {}
        takers: dict[Value, list[Value]] = {}
        todo, found = [root], []
        while todo:
            value = todo.pop()
            if value in lacks:
                continue
            sources, counts = self.sources(value), self._counts(value)
            parts = value.node.args if sources is None and value.node.op.name in ARITHMETIC else sources or ()
            told = [self._told(part) for part in parts]
            open_ = [self.liveness.resolve(part) for part, known in zip(parts, told) if known is None]
            if sources is not None:
                lacks[value] = 0 if True in told else 1
            else:
                lacks[value] = 0 if counts else len(open_) if parts and False not in told else math.inf
            if lacks[value] == 0:
                found.append(value)
            elif lacks[value] < math.inf:
                todo.extend(open_)
                for part in open_:
                    takers.setdefault(part, []).append(value)
        while found:
            value = found.pop()
            if value not in self._maybe:
                self._maybe[value] = True
                for taker in takers.get(value, ()):
                    lacks[taker] -= 1
                    found.extend([taker] if lacks[taker] <= 0 else [])
        for value in lacks:
            self._maybe.setdefault(value, False)

    def _counts(self, value: Value) -> bool:
        """Whether a value is the index of a loop over a range."""
        node, at = self.liveness.phis.get(value, (value.node, 0))
        return at < 0 and type(node.args[0][at]) is tuple
