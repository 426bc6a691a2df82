"""Tensors that are one of two, as a test says: `u = v if t else w`, written as `u[1] = 0`.

Such a tensor reads what the chosen one holds, and a write to it writes the chosen one, under the same test. One of the two may be a
number: `u += 1` makes another one of it, and writes the tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import Kinds
from gfx_ir.op import active

from .gated import usable
from .proxy import Proxy

MOST_WAYS = 8
"""Of how many tensors one may be without being in doubt: what stands for a write to it grows with their number."""


class Number:
    """A source that is a number: the one that is `given`, or what the tensor is that it is a source of, of these `kinds`."""

    __slots__ = ("given", "kinds")

    def __init__(self, given: Any, kinds: Kinds) -> None:
        self.given, self.kinds = given, kinds

    def of(self, tensor: Proxy) -> Any:
        """The number, in a part of the code in which it is what the tensor is."""
        if self.given is not None:
            return self.given
        return Proxy(ops.positive(active.builder.gates.here(tensor.value)), tensor.backend, self.kinds)


Source = Proxy | Number


class Either:
    """The base of a tensor that is `sources[0]` where `test` holds, and else `sources[1]`; `proxy`: that tensor.

    `test`: a value, or what computes it where it is asked. `loop`: the one that carries the tensor, where one does. `unsure`: sources
    that may be numbers; `of_number`: whether the tensor may."""

    __slots__ = ("test", "sources", "roots", "ways", "held", "loop", "unsure", "of_number", "proxy")

    def __init__(
        self,
        test: Value | Callable[[], Any],
        sources: tuple[Source, Source],
        proxy: Proxy,
        loop: Any,
        unsure: Sequence[Any],
    ) -> None:
        self.test, self.sources, self.loop, self.unsure, now = test, sources, loop, unsure, proxy.value
        self.proxy = proxy
        tensors = [source for source in sources if type(source) is Proxy]
        self.roots = tuple({id(root): root for source in tensors for root in roots(source)}.values())
        self.ways, self.of_number = sum(map(ways, sources)), any(map(self._may_be_number, sources))
        self.held = (self._values(), now)  # what the roots held, and what the tensor was then

    def _may_be_number(self, source: Source) -> bool:
        base = root_of(source).base if type(source) is Proxy else None
        if type(source) is Number:
            return True
        return base.of_number if type(base) is Either else any(source is x for x in self.unsure)

    @property
    def version(self) -> int:
        """That of what was written last: versions grow."""
        return max((root.version for root in self.roots), default=0)  # numbers alone: nobody writes them in place

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
            here = active.builder.gates.here
            read = lambda source: here(now) if type(source) is Number else source.read()
            found = self.chosen(lambda source: Proxy(read(source), self.proxy.backend))
            usable(found)  # no value is of both their types
            return found.value
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
        self.chosen(lambda source: _write(source, new))
        proxy.restore(builder.gradients.kept(builder, proxy.value, new))
        proxy.seen = self.version

    def chosen(self, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of the source that the test chooses, decided where the test is known."""
        builder = active.builder
        then, otherwise = self.sources
        test, known = self.asked()
        if known is not None:
            builder.facts.chosen.append(self.proxy)
            return use(then if known else otherwise)
        return builder.regions.branch(test, lambda: use(then), lambda: use(otherwise))

    def asked(self) -> tuple[Any, bool | None]:
        """The test, as a value that can be read here, and whether it is known to hold."""
        builder = active.builder
        test = self.test() if callable(self.test) else builder.gates.asked(self.test)
        return test, builder.facts.decide(test) if type(test) is Value else test

    def _values(self) -> tuple:
        return tuple(root.value for root in self.roots)


def _write(source: Any, new: Value) -> None:
    if type(source) is Number:
        raise active.builder.raising.error(TypeError("a number is written in place, where a test left one"), None)
    source.write(new)


def ways(source: Source) -> int:
    """How many tensors it is one of, as tests say: each is a branch of every write to it."""
    base = root_of(source).base if type(source) is Proxy else None
    return base.ways if type(base) is Either else 1


def turned(x: Any) -> bool:
    """Whether a tensor may be a number of Python's on another way to it, as far as is known of its value."""
    return (
        type(x) is Proxy
        and not x.array
        and type(x.base) is not Either
        and active.builder.record.may_be_python(x, x.value)
    )


def carrier(proxy: Proxy) -> Any:
    """The loop that carries a tensor which is one of two behind it; None for any other."""
    base = root_of(proxy).base
    return base.loop if type(base) is Either else None


def be_either(
    proxy: Proxy,
    test: Value | Callable[[], Any],
    sources: tuple[Source, Source],
    loop: Any = None,
    unsure: Sequence[Any] = (),
) -> None:
    """Let `proxy` be one of two; `loop`: the one that carries it; `unsure`: those of the two that may be numbers."""
    base = Either(test, sources, proxy, loop, unsure)
    proxy.base, proxy.derive, proxy.seen = base, base.derive, base.version


def root_of(proxy: Proxy) -> Proxy:
    """The tensor that a view is a view of."""
    while type(proxy.base) is Proxy:
        proxy = proxy.base
    return proxy


def meet(x: Any, y: Any, alike: Callable[[Proxy, Proxy], bool]) -> bool:
    """Whether two are tensors that are `alike`, on some way that the tests may go by which they are one of several."""
    if type(x) is not Proxy or type(y) is not Proxy:
        return False
    one, other = root_of(x).base, root_of(y).base
    if type(one) is type(other) is Either and one.test is other.test:
        return any(meet(*sources, alike) for sources in zip(one.sources, other.sources))
    if type(one) is Either:
        return any(meet(source, y, alike) for source in one.sources)
    if type(other) is Either:
        return any(meet(x, source, alike) for source in other.sources)
    return alike(x, y)


def roots(proxy: Proxy) -> list[Proxy]:
    """The tensors that hold the memory of one: its root, or those of what it may be as a test says."""
    root = root_of(proxy)
    return list(root.base.roots) if type(root.base) is Either else [root]
