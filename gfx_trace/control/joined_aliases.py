"""What the tensors that a test joins share memory with: they are those of one side or the other, or of each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gfx_ir.graph import Value
from gfx_ir.infer.abstract import Kinds
from gfx_ir.infer.number_conditions import SURE

from ..heap.aliases import Doubt, doubt, in_doubt, kin_of, memory, mutable, reached, share, surely_array
from ..interfaces import Capturing
from ..values.either import MOST_WAYS, Either, Number, Source, be_either, root_of, roots, turned, ways
from ..values.numpy_numbers import scalar
from ..values.proxy import Proxy, is_open, number_kinds
from .sides import Side


class Joined:
    """An output of the node to be: its position, the user's name for it, what each side has there, and what stands for it behind the test."""

    __slots__ = ("position", "name", "backend", "weak", "sides", "proxy")

    def __init__(self, position: int, name: str, backend: Any) -> None:
        self.position, self.name, self.backend = position, name, backend
        self.weak: Kinds = frozenset()
        self.sides: tuple = ()
        self.proxy: Any = None


class JoinedAliases:
    """Found once the node exists: a joined tensor is one of two where both are known, and in doubt where not.

    What a side made itself stands as a hidden tensor, for all that the side left of it.
    """

    def __init__(self, tracer: Capturing, test: Value, sides: Sequence[Side], joined: Sequence[Joined]) -> None:
        self.tracer, self.test, self.sides = tracer, test, sides
        self.joined = [j for j in joined if mutable(j.proxy)]
        self.uses: dict[tuple[int, int], list[Joined]] = {}  # by side and tensor
        self.made: dict[tuple[int, int], Proxy] = {}  # what stands for a tensor of a side's own
        held = [(at, x, j) for j in self.joined for at, x in enumerate(j.sides) if type(x) is Proxy]
        self.kin = Counter(key for at, x, _ in held for key in self._kin(at, x))
        for at, x, j in held:
            for item in self._memory(at, x):
                self.uses.setdefault((at, id(item)), []).append(j)

    def _kin(self, at: int, x: Proxy) -> set[tuple[int, int]]:
        """What a side left, by what it may share memory with."""
        return {(at, id(kin_of(root))) for root in roots(x)}

    def _memory(self, at: int, x: Proxy) -> list[Proxy]:
        """The tensors whose memory one has, or may have together with another that is joined."""
        return memory(x) if any(self.kin[key] > 1 for key in self._kin(at, x)) else roots(x)

    def apply(self) -> None:
        """Give each joined tensor its base."""
        doubted = []
        for j in self.joined:
            sources = self._sources(j)
            if sources is None:
                doubted.append(j)
            else:
                be_either(j.proxy, self.test, sources, unsure=[s for s, x in zip(sources, j.sides) if turned(x)])
        for j in doubted:
            self._doubt(j)

    def _doubt(self, joined: Joined) -> None:
        others: list[Proxy] = []
        for at, x in enumerate(joined.sides):
            if type(x) is Proxy:
                others += reached(x, self.sides[at].graph if self.sides else None)
                users = [other for item in self._memory(at, x) for other in self.uses[at, id(item)]]
                others += [other.proxy for other in users if other is not joined]
        doubt(joined.proxy, others, f"{joined.name!r} is another tensor on each side of a test")
        if isinstance(joined.proxy.base, Doubt):
            joined.proxy.base.chosen = True

    # ------------------------------------------------------------------ one of two
    def _sources(self, joined: Joined) -> tuple[Source, Source] | None:
        """The tensors, or the tensor and the number, that it is one of. None: one of them is not known."""
        if not self.sides:
            return None
        found = [self._number(at, x) or self._source(joined, at, x) for at, x in enumerate(joined.sides)]
        then, otherwise = found
        if then is None or otherwise is None or ways(then) + ways(otherwise) > MOST_WAYS:
            return None
        return then, otherwise

    def _number(self, at: int, x: Any) -> Number | None:
        """A number of a side as it is known behind the test."""
        kinds = number_kinds(x)
        if not kinds and (type(x) is not Proxy or scalar(x) != SURE):
            return None
        return self._behind(Number(x, kinds))

    def _source(self, joined: Joined, at: int, x: Any) -> Proxy | None:
        """A tensor of a side as it is known behind the test."""
        if not surely_array(x):
            return None
        root = root_of(x)
        if in_doubt(x):
            return None
        own = [item for item in roots(root) if self._is_own(at, item)]
        if not own:
            return x if all(self.tracer.gates.visible(item.value) for item in roots(root)) else None
        if any(other is not joined for item in own for other in self.uses[at, id(item)]):
            return self._shared(at, x, root)
        if type(root.base) is not Either:
            return Proxy(joined.proxy.value, joined.backend)
        return self._either(joined, at, x)

    def _is_own(self, at: int, root: Proxy) -> bool:
        """Whether a side made a tensor."""
        return isinstance(root.value, Value) and root.value.node.graph is self.sides[at].graph

    def _either(self, joined: Joined, at: int, x: Proxy) -> Proxy | None:
        """What a test inside of the side chose: one of two behind it as well."""
        base = x.base
        if type(base) is not Either:  # a view of such
            return None
        found = [self._behind(x) if type(x) is Number else self._source(joined, at, x) for x in base.sources]
        then, otherwise = found
        if then is None or otherwise is None:
            return None
        made = Proxy(joined.proxy.value, joined.backend)
        unsure = [new for new, x in zip(found, base.sources) if share([x], base.unsure)]
        be_either(made, base.test, (then, otherwise), unsure=unsure)
        return made

    def _behind(self, number: Number) -> Number:
        """A number that a test inside of a side chose, as it is known behind that side."""
        value = number.given.value if is_open(number.given) else None
        known = not isinstance(value, Value) or self.tracer.gates.visible(value)
        return number if known else Number(None, number.kinds)

    def _shared(self, at: int, x: Proxy, root: Proxy) -> Proxy | None:
        """A tensor of a side's own that several names stand for, or a view of it."""
        if type(root.base) is Either:
            return None
        found = self.made.get((at, id(root)))
        if found is None:
            whole = next((j for j in self.uses[at, id(root)] if j.sides[at] is root), None)
            if whole is None:
                return None
            found = self.made[at, id(root)] = Proxy(whole.proxy.value, whole.backend)
        return found if x is root else self._view(x, root, found)

    def _view(self, x: Proxy, root: Proxy, found: Proxy) -> Proxy:
        """The view x of a root, as one of what stands for the root."""
        base: Any = found if x.base is root else self._view(x.base, root, found)
        made = Proxy(x.value, x.backend)
        made.base, made.derive, made.put, made.seen = base, x.derive, x.put, -1
        return made
