"""What the tensors that a loop carries share memory with: each other, or tensors from outside of the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gfx_ir.graph import Graph

from .aliases import Doubt, doubt, mutable, reached, root_of
from .carried import Carried
from .proxy import Proxy


class CarriedAliases:
    """Found after a pass over the body.

    In the next trip a variable is what the body left in it, in the first trip what it was before the loop.
    """

    def __init__(self, carried: Sequence[Carried], graph: Graph) -> None:
        self.carried = [c for c in carried if mutable(c.entered) or mutable(c.out)]
        entered = {id(c.entered): c for c in self.carried}
        self.written = any(type(c.entered) is Proxy and c.entered.value is not c.inner for c in self.carried)
        self.outside: dict[int, list[Proxy]] = {}  # tensors from outside that each may be
        self.tokens: dict[int, list[Any]] = {}  # what it shares with others that have the same
        self.uses: dict[Any, list[Carried]] = {}
        self.follows: dict[int, Carried] = {}  # the variable whose tensor it takes over
        for c in self.carried:
            outside = [root_of(c.init)] if type(c.init) is Proxy else []
            tokens: list[Any] = [("before", id(root)) for root in outside]
            if type(c.out) is Proxy:
                root = root_of(c.out)
                tokens.append(("after", id(root)))
                if isinstance(root.base, Doubt):
                    tokens += [("after", id(root_of(held))) for held, _ in root.base.others]
                if id(root) in entered:
                    self.follows[id(c)] = entered[id(root)]
                else:
                    outside += reached(root, graph)
            self.outside[id(c)], self.tokens[id(c)] = outside, tokens
            for token in tokens:
                self.uses.setdefault(token, []).append(c)
        self.any = any(self.outside.values()) or any(len(found) > 1 for found in self.uses.values())

    def apply(self, which: str, why: str) -> None:
        """Put the doubts on what stands for the carried tensors: `entered` in the body, `result` behind the loop."""
        for c in self.carried:
            proxy = getattr(c, which)
            if not mutable(proxy):
                continue
            others = list(self._outside(c))
            for token in self.tokens[id(c)]:
                others += [p for o in self.uses[token] if o is not c and type(p := getattr(o, which)) is Proxy]
            doubt(proxy, others, why.format(c.name))

    def _outside(self, carried: Carried) -> list[Proxy]:
        found: list[Proxy] = []
        seen: set[int] = set()
        at: Carried | None = carried
        while at is not None and id(at) not in seen:
            seen.add(id(at))
            found += self.outside[id(at)]
            at = self.follows.get(id(at))
        return found
