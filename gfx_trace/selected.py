"""A tensor that a test chose: `u = v if x.sum() > 0 else w`. What is written to u is written to v or to w."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Value
from gfx_ir.op import active

from .aliases import Doubt, Lost, mutable, root_of
from .proxy import Proxy


class Selected(Doubt):
    """The base of a tensor that is one of two, by a test that is there: reading it chooses again once one was written.

    Where a side made a tensor of its own, a Proxy that nothing else holds stands for it.
    """

    __slots__ = ("test", "sides", "made", "proxy", "found")

    def __init__(self, proxy: Proxy, test: Value, sides: tuple[Any, Any], why: str) -> None:
        super().__init__(why)
        held = [side if side is not None else Proxy(proxy.value, proxy.backend) for side in sides]
        self.proxy, self.test, self.sides = proxy, test, held
        self.made = [side is None for side in sides]
        self.add((root, root.value) for root in (root_of(side) for side in sides if side is not None))
        self.found: dict[tuple[Any, Any], Any] = {self._now(): proxy.value}  # by what the sides hold

    def _now(self) -> tuple[Any, Any]:
        return self.sides[0].read(), self.sides[1].read()

    def read(self) -> None:
        """Let the tensor hold what the chosen side holds now."""
        now = self._now()
        value = self.found.get(now)
        if value is None or not active.builder.visible(value):
            value = self.found[now] = self._chosen(*now)
        if value is not self.proxy.value:
            self.proxy.restore(value)

    def _chosen(self, then: Any, other: Any) -> Any:
        """One of two values, as the test says."""
        tracer, backend = active.builder, self.proxy.backend
        test = tracer.wrap(tracer.here(self.test))
        return tracer.unwrap(tracer.ifexp(test, lambda: Proxy(then, backend), lambda: Proxy(other, backend)))

    def written(self, proxy: Proxy, new: Any) -> None:
        """Write to the side that was chosen; the other one keeps what it holds."""
        for at, side in enumerate(self.sides):
            if self.made[at]:
                side.write(new)
            else:
                old = side.read()
                side.write(self._chosen(*((new, old) if at == 0 else (old, new))))
        self.found[self._now()] = new
        proxy.restore(new)


def select(proxy: Proxy, test: Value, sides: tuple[Any, Any], why: str) -> bool:
    """Let a tensor that was joined from two sides be one of them, where each is a tensor from before the test, or one that
    the side made (None). False where that cannot be told."""
    if proxy.base is not None or not mutable(proxy) or proxy.backend is None or proxy.backend.numbers:
        return False
    roots = [root_of(side) for side in sides if side is not None]
    if any(type(root.base) is Lost or not mutable(root) for root in roots):
        return False
    proxy.base, proxy.seen = Selected(proxy, test, sides, why), 0
    return True
