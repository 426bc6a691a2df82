"""Tensors that are one of two, as a test says: `u = v if t else w`, written as `u[1] = 0`.

Such a tensor reads what the chosen one holds, and a write to it writes the chosen one, under the same test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.op import active

from .proxy import Proxy

MOST_WAYS = 8
"""Of how many tensors one may be without being in doubt: what stands for a write to it grows with their number."""


class Either:
    """The base of a tensor that is `sources[0]` where `test` holds, and else `sources[1]`; `now`: what that is at present.

    `test`: a value, or what computes it where it is asked. `loop`: the one that carries the tensor, where one does."""

    __slots__ = ("test", "sources", "roots", "ways", "held", "loop")

    def __init__(
        self, test: Value | Callable[[], Any], sources: tuple[Proxy, Proxy], now: Value, loop: Any = None
    ) -> None:
        self.test, self.sources, self.loop = test, sources, loop
        self.roots = tuple({id(root): root for source in sources for root in roots(source)}.values())
        self.ways = sum(map(ways, sources))
        self.held = (self._values(), now)  # what the roots held, and what the tensor was then

    @property
    def version(self) -> int:
        """That of what was written last: versions grow."""
        return max(root.version for root in self.roots)

    def read(self) -> None:
        """An error, where it is undecided what one of the sources holds."""
        for root in self.roots:
            if root.base is not None:
                root.base.read()

    def derive(self, _: Any) -> Value:
        """The tensor, of what the sources hold now. In a region that was left, and that hands nothing on, it is what it was."""
        values, now = self.held
        same = all(a is b for a, b in zip(values, self._values()))
        if same and active.builder.gates.visible(now):
            return now
        try:
            return self._chosen(lambda source: Proxy(source.read(), source.backend)).value
        except UnsupportedConstruct:
            if same:
                return now
            raise

    def written(self, proxy: Proxy, new: Value) -> None:
        """The tensor is written: the chosen source is."""
        if new.name is None:
            new.name = proxy.value.name
        builder = active.builder
        builder.record.written(new, proxy.value)
        self._chosen(lambda source: source.write(new))
        proxy.restore(builder.gradients.kept(builder, proxy.value, new))
        proxy.seen = self.version

    def _chosen(self, use: Callable[[Proxy], Any]) -> Any:
        """What `use` makes of the source that the test chooses, decided where the test is known."""
        builder = active.builder
        then, otherwise = self.sources
        test, known = self.asked()
        if known is not None:
            return use(then if known else otherwise)
        return builder.regions.branch(test, lambda: use(then), lambda: use(otherwise))

    def asked(self) -> tuple[Any, bool | None]:
        """The test, as a value that can be read here, and whether it is known to hold."""
        builder = active.builder
        test = self.test() if callable(self.test) else builder.gates.here(self.test)
        return test, builder.facts.decide(test) if type(test) is Value else test

    def _values(self) -> tuple:
        return tuple(root.value for root in self.roots)


def ways(proxy: Proxy) -> int:
    """How many tensors it is one of, as tests say: each is a branch of every write to it."""
    base = root_of(proxy).base
    return base.ways if type(base) is Either else 1


def carrier(proxy: Proxy) -> Any:
    """The loop that carries a tensor which is one of two behind it; None for any other."""
    base = root_of(proxy).base
    return base.loop if type(base) is Either else None


def be_either(proxy: Proxy, test: Value | Callable[[], Any], sources: tuple[Proxy, Proxy], loop: Any = None) -> None:
    """Let `proxy` be one of two tensors; `loop`: the one that carries it."""
    base = Either(test, sources, proxy.value, loop)
    proxy.base, proxy.derive, proxy.seen = base, base.derive, base.version


def root_of(proxy: Proxy) -> Proxy:
    """The tensor that a view is a view of."""
    while type(proxy.base) is Proxy:
        proxy = proxy.base
    return proxy


def roots(proxy: Proxy) -> list[Proxy]:
    """The tensors that hold the memory of one: its root, or those of what it may be as a test says."""
    root = root_of(proxy)
    return list(root.base.roots) if type(root.base) is Either else [root]
