"""Gated values: what a variable holds after a test that is undecided, by which way it went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gfx_ir.errors import CaptureError, UnsupportedConstruct

from .access import said
from .here import here
from .proxy import Undefined, Unusable


class Gated:
    """`then` where `test` holds, else `otherwise`: objects that no graph holds, each a Gated again, *absent* (Undefined) or an *error*
    (Unusable).

    `total`: `then` is there whether the test holds or not, as what a loop carries is; the test is carried beside it. `error`: why its
    leaves cannot be one value of a graph, where a test on data decides; all that can be asked then is which of them are true.
    `whole`: whether all leaves are values. `none`: the answers that were given to whether it is None.
    """

    __slots__ = ("test", "then", "otherwise", "name", "total", "error", "whole", "none", "__weakref__")

    def __init__(
        self, test: Any, then: Any, otherwise: Any, name: str, total: bool = False, error: CaptureError | None = None
    ) -> None:
        self.test, self.then, self.otherwise = test, then, otherwise
        self.name, self.total = name, total
        self.none: list[Any] = []
        inner = [leaf for leaf in (then, otherwise) if type(leaf) is Gated]
        self.error = error or next((leaf.error for leaf in inner if leaf.error is not None), None)
        lacking = any(isinstance(leaf, (Undefined, Unusable)) for leaf in (then, otherwise))
        self.whole = not lacking and all(leaf.whole for leaf in inner)

    @property
    def sides(self) -> tuple[Any, Any]:
        """What it holds on either way."""
        return self.then, self.otherwise

    def side(self, truth: bool) -> Any:
        """What it holds where the test is known."""
        return self.then if truth else self.otherwise

    @property
    def refusal(self) -> CaptureError:
        """The error of reading it where the test is undecided."""
        for leaf in self.sides:
            if isinstance(leaf, Unusable):
                return leaf.error
            if type(leaf) is Gated and not leaf.whole:
                return leaf.refusal
        return self.error if self.whole and self.error is not None else _absent(self.name)


def _absent(name: str) -> UnsupportedConstruct:
    what = f"read: {said(name)} is defined in only one branch"
    return UnsupportedConstruct(f"GFX cannot convert this {what}", None, f"define {name!r} before the `if`")


def defined_by(flag: Any, value: Any, name: str) -> Gated:
    """A variable that a loop defines, if it runs: its value, and the flag that tells whether it was defined."""
    return Gated(flag, value, Undefined.variable(name), name, total=True)


def is_total(x: Any) -> bool:
    """Whether x is a variable that a loop defines, if it runs."""
    return type(x) is Gated and x.total


def lacks(x: Any) -> bool:
    """Whether x is, or on some way is, no value."""
    return issubclass(type(x), (Undefined, Unusable)) or (type(x) is Gated and (not x.whole or x.error is not None))


def usable(*held: Any) -> None:
    """Raises the error of the first of these that is no value here."""
    for x in held:
        if isinstance(x, Unusable):
            raise x.error
        if type(x) is Gated and lacks(x):
            raise x.refusal


def undecided(x: Gated) -> CaptureError:
    """The error of a use that has to know which of them it is."""
    usable(x)
    return UnsupportedConstruct(
        f"GFX cannot convert this use: a test that is open until the code runs decides what {said(x.name)} is",
        here().span(),
        "use it on each side of the test",
    )


class GatedItems(Unusable):
    """What stands first in a list for its items, where an open test says which these are. Whatever does not know it is refused."""

    __slots__ = ("gated",)

    def __init__(self, gated: Gated) -> None:
        self.gated = gated
        super().__init__(
            UnsupportedConstruct(
                "GFX cannot use a list whose items an open test decides in this way",
                None,
                "use it on each side of the test",
            )
        )


def gate_of(x: Any) -> Gated | None:
    """The gated value that x is, or the gated list that a list is; None for any other object."""
    kind = type(x)
    if kind is Gated:
        return x  # type: ignore[no-any-return]
    if kind is not list or not x or type(x[0]) is not GatedItems:
        return None
    found, behind = x[0].gated, x[1:]
    if any(type(item) is GatedItems for item in behind):
        raise x[0].error
    return Gated(found.test, [*found.then, *behind], [*found.otherwise, *behind], found.name)


def gates_in(given: Sequence[Any]) -> bool:
    """Whether one of the arguments of a call is gated, or a gated list."""
    if _GATING.isdisjoint(map(type, given)):
        return False
    return any(gate_of(x) is not None for x in given)


_GATING = frozenset((Gated, list))
