"""Questions of JAX and of the code that it traces about open sizes, answered by the example while it is found out what is asked of them."""

from __future__ import annotations

from contextlib import ExitStack
from math import lcm
from typing import Any

from gfx_ir import host
from gfx_ir.bound import Bound
from gfx_ir.host import Dim
from gfx_ir.supposed import Supposed

from ..recorded.names import arrays_made, equality_asked, number_asked, order_asked, paths_of_sizes
from .symbolic import OpenSizes, names_of, sized, steps_of


class Answers:
    """Of one staging: `scope` has its sizes, and `supposed` keeps what is asked."""

    def __init__(self, scope: OpenSizes, supposed: Supposed) -> None:
        self.scope, self.supposed = scope, supposed

    def asked(self) -> ExitStack:
        """While questions are answered."""
        stack = ExitStack()
        stack.enter_context(equality_asked(self.equal))
        stack.enter_context(order_asked(self.at_least))
        stack.enter_context(number_asked(self.number))
        stack.enter_context(arrays_made(self.array))
        stack.enter_context(paths_of_sizes(self.size))
        return stack

    def equal(self, apart: Any, by_author: bool, must: bool) -> bool | None:
        """Whether what lies between two sizes is nothing; None: that is to be decided for all sizes, as where JAX itself asks of each
        whether it is 1. `must`: whether there is an error where it is something."""
        names = names_of(apart) if apart.scope is self.scope else set()
        value = self._value(apart, names)
        if value is None or (not by_author and (not must or value or self._of_one(apart, names))):
            return None
        if self._divided(apart, names):
            return not value
        if value:
            self._bounded(apart, names, value, 1)
        elif len(names) == 2 and self._one_size(apart, *sorted(names)):
            first, second = sorted(self._dims(names))
            self.supposed.one_size(first, second, must)
        elif pairs := self._several(apart, names):
            for pair in pairs:
                self.supposed.one_size(pair[0], pair[1], False)
        else:
            self.supposed.number(self._dims(names), must and not any(sign in str(apart) for sign in ("max", "min")))
        return not value

    def at_least(self, apart: Any) -> bool | None:
        """Whether what lies between two sizes is 0 or more; None: nothing is known of them."""
        names = names_of(apart) if apart.scope is self.scope else set()
        value = self._value(apart, names)
        if value is not None and not self._divided(apart, names):
            self._bounded(apart, names, value, 0)
        return None if value is None else value >= 0

    def number(self, size: Any) -> int | None:
        """A size that is asked to be a number."""
        names = names_of(size) if size.scope is self.scope else set()
        value = self._value(size, names)
        if value is not None:
            self.supposed.number(self._dims(names), len(names) == 1)
        return value

    def size(self, size: Any) -> int | None:
        """A size in the example, which nothing hangs on; None: nothing is known of it."""
        return self._value(size, names_of(size)) if size.scope is self.scope else None

    def array(self, size: Any) -> None:
        """A size that becomes an array, which code may take for a number."""
        if size.scope is self.scope:
            self.supposed.arrays |= self._dims(names_of(size))

    def _bounded(self, apart: Any, names: set[str], value: int, least: int) -> None:
        """Keep on which side of 0 an expression is: `least` or more, or less; where that is no bound of one size, two that the example has
        equal are one, and others numbers."""
        slope, above = self._slope(apart, names), value >= least
        if slope in (1, -1):
            end = ((least if above else -1) - self._at(apart, dict.fromkeys(names, 0))) * slope
            bound = Bound(least=max(end, 1)) if above == (slope > 0) else Bound(most=end)
            self.supposed.within(next(iter(self._dims(names))), bound)
        elif not value and len(names) == 2 and self._one_size(apart, *sorted(names)):
            first, second = sorted(self._dims(names))
            self.supposed.one_size(first, second, False)
        else:
            self.supposed.number(self._dims(names), False)

    def _slope(self, apart: Any, names: set[str]) -> int:
        """How much more an expression is where its one size is one more; 0: it has several, or not always as much."""
        if len(names) != 1 or any(type(self.scope.named[name]) is not Dim for name in names):
            return 0
        first, second, third = (self._at(apart, dict.fromkeys(names, at)) for at in (0, 1, 10))
        linear = third - first == 10 * (second - first) and not any(
            sign in str(apart) for sign in ("floordiv", "max", "min")
        )
        return second - first if linear else 0

    def _of_one(self, apart: Any, names: set[str]) -> bool:
        """Whether an expression lies between one size and 1."""
        at = [self._at(apart, dict.fromkeys(names, size)) for size in (1, 2)] if len(names) == 1 else [1, 1]
        return at[0] == 0 != at[1]

    def _one_size(self, apart: Any, first: str, second: str) -> bool:
        """Whether an expression is 0 where two sizes are equal, and nowhere else."""
        if any(type(self.scope.named[name]) is not Dim for name in (first, second)):
            return False
        sizes = [(1, 1), (2, 2), (3, 1), (1, 3), (2, 1)]
        at = [self._at(apart, self._over_steps({first: a, second: b})) for a, b in sizes]
        return at[0] == at[1] == 0 and at[2] == -at[3] == 2 * at[4] != 0

    def _several(self, apart: Any, names: set[str]) -> list[tuple[str, str]]:
        """Pairs of sizes, as large in the example, of which an expression is 0 where they are one, as in a * b - c * d; none: it is not."""
        if any(type(self.scope.named[name]) is not Dim for name in names):
            return []
        sizes = {name: (self.supposed.size(name) or 0) * self.supposed.step(name) for name in sorted(names)}
        firsts = {size: name for name, size in reversed(sizes.items())}
        for factor in (7, 11):
            if self._at(apart, self._over_steps({name: factor * size + 1 for name, size in sizes.items()})):
                return []
        return [(firsts[size], name) for name, size in sizes.items() if firsts[size] != name]

    def _divided(self, apart: Any, names: set[str]) -> bool:
        """Whether an expression is of sizes over what they were divided by: of these it is asked again, of multiples of that."""
        if "mod" in str(apart):
            for name, step in steps_of(apart).items():
                self.supposed.within(name, Bound(step=step))
        return "mod" in str(apart) or ("floordiv" in str(apart) and any(map(self.supposed.divided, names)))

    def _multiple(self, apart: Any, names: set[str]) -> bool:
        """Whether the example has multiples of what sizes of an expression are divided by."""
        if any(type(self.scope.named.get(name)) is not Dim for name in names):
            return False
        parts = [(self.supposed.size(name), step) for name, step in steps_of(apart).items() if name in names]
        return bool(parts) and all(size is not None and size % step == 0 for size, step in parts)

    def _value(self, apart: Any, names: set[str]) -> int | None:
        """An expression, of the sizes of the example; None where it has rests of divisions of others than multiples, or is of others."""
        if "mod" in str(apart) and not self._multiple(apart, names):
            return None
        dims = {dim for name in names for dim in host.atoms(self.scope.named[name])}
        sizes = {dim.name: self.supposed.size(dim.name) for dim in dims}
        known = {name: size for name, size in sizes.items() if size is not None}
        if not names or len(known) < len(sizes):
            return None
        return self._at(apart, {name: host.evaluate(self.scope.named[name], known) for name in names})

    def _over_steps(self, sizes: dict[str, int]) -> dict[str, int]:
        """Sizes in the same proportion, each over what the axis that has it is a multiple of."""
        steps = {name: self.supposed.step(name) for name in sizes}
        return {name: size * lcm(*steps.values()) // steps[name] for name, size in sizes.items()}

    def _at(self, apart: Any, sizes: dict[str, int]) -> int:
        return int(sized(apart, sizes))

    def _dims(self, names: set[str]) -> set[str]:
        return {dim.name for name in names for dim in host.atoms(self.scope.named[name])}
