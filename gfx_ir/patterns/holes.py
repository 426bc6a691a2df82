"""Hole: an argument of a pattern while its function is run. What the function asks it, both answers are followed."""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

from ..edges import UNBOUND
from ..errors import GfxError
from ..types import LogicalTensor


class PatternError(GfxError):
    """A function that is no pattern as it stands, or a replacement that does not fit."""


class Path(Protocol):
    """One way through a pattern's function: what was answered so far."""

    def truth(self, hole: Hole) -> bool:
        """Whether it is taken for true on this way."""

    def compared(self, hole: Hole, how: str, other: Any) -> bool:
        """Whether a comparison is taken to hold on this way; how: an operator of Python's."""

    def type_of(self, hole: Hole) -> Any:
        """The type that it is taken to have on this way."""


class Hole:
    """It stands for any value or constant, for the same one wherever it stands; one without a name for any at all.

    A test of it is answered both ways, each a variant of the pattern. Arithmetic gives a hole without a name, computed `of`
    an argument. `given`: what it stands for has this type.
    """

    __slots__ = ("name", "default", "path", "of", "given")
    kind = "tensor"

    def __init__(
        self,
        path: Path | None,
        name: str = "",
        default: Any = UNBOUND,
        of: str = "",
        given: LogicalTensor | None = None,
    ) -> None:
        self.path, self.name, self.default, self.of, self.given = path, name, default, of or name, given

    @property
    def type(self) -> Any:
        """Its type, for the rules that look at one."""
        return self.given if self.given is not None or self.path is None else self.path.type_of(self)

    @property
    def ndim(self) -> int:
        """Its rank, for bodies that take one."""
        if self.given is None or self.given.rank is None:
            raise PatternError(
                f"the pattern asks for the rank of {self.of!r}", hint="give that: anything(LogicalTensor(...))"
            )
        return self.given.rank

    # ------------------------------------------------------------------ tests
    def __bool__(self) -> bool:
        return True if self.path is None else self.path.truth(self)

    def __eq__(self, other: object) -> bool:
        return self is other or (self.path is not None and self.path.compared(self, "==", other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return self._ordered("<", other)

    def __le__(self, other: Any) -> bool:
        return self._ordered("<=", other)

    def __gt__(self, other: Any) -> bool:
        return self._ordered(">", other)

    def __ge__(self, other: Any) -> bool:
        return self._ordered(">=", other)

    def _ordered(self, how: str, other: Any) -> bool:
        return self.path is not None and self.path.compared(self, how, other)

    __hash__ = object.__hash__

    # ------------------------------------------------------------------ arithmetic
    def _computed(self, *others: Any) -> Hole:
        return Hole(self.path, of=self.of)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __abs__ = _computed

    # ------------------------------------------------------------------ what only a given argument can do
    def _refused(self, *args: Any) -> NoReturn:
        raise NeedsArgument(self.of)

    def __getattr__(self, name: str) -> NoReturn:
        raise NeedsArgument("" if name in Hole.__slots__ else self.of)

    __len__ = __iter__ = __getitem__ = __index__ = __int__ = __float__ = __complex__ = _refused

    def __repr__(self) -> str:
        return self.name or "_"


class NeedsArgument(PatternError, AttributeError):
    """The function needs an argument itself: it goes over it, or takes it as a number or a text. `name`: which."""

    def __init__(self, name: str) -> None:
        hint = f"give it: pattern(function, {name or 'name'}=...); holes may stand in it"
        super().__init__(f"the pattern goes over its argument {name!r}, or takes it as a number or a text", hint=hint)
        self.name = name  # only now: AttributeError has one, too
