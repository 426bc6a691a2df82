"""Tensors whose value is undecided, since something was written that may have been theirs."""

from __future__ import annotations

from typing import Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.infer.number_conditions import Conditions
from gfx_ir.op import active

from .proxy import Proxy


class Lost:
    """The base of a tensor, `of`, whose value is undecided. `result`: what `x[i] += y` made, which it puts back, and where.

    It was not written after all where what is `harmless` holds: conditions under which what was written is a number of its own.
    `loop`: the one that carries what was written. `before`: what was its base.
    """

    __slots__ = ("of", "error", "result", "before", "harmless", "loop")
    version = 0

    def __init__(
        self, of: Proxy, error: UnsupportedConstruct, before: Any, result: Any, harmless: Conditions | None, loop: Any = None
    ) -> None:  # fmt: skip
        self.of, self.error, self.before = of, error, before
        self.result, self.harmless, self.loop = result, harmless, loop

    def settled(self) -> bool:
        """Whether what was written can be taken for a number of its own."""
        return self.harmless is not None and bool(active.builder.assumed.ranks(self.harmless))

    def give_back(self) -> None:
        """The tensor is what it was."""
        active.builder.journal.record(self.of, None, "base")
        self.of.base = self.before

    def read(self) -> None:
        """An error, unless the tensor proves to be as it was."""
        if not self.settled():
            raise self.error
        self.give_back()
        if self.before is not None:
            self.before.read()

    def written(self, proxy: Proxy, new: Any) -> None:
        """An error, unless the tensor proves to be as it was."""
        if not self.settled():
            raise self.error
        self.give_back()
        proxy.write(new)
