"""A row, which is one op in one backend, and a lift, which is one framework call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from .errors import UnsupportedConstruct
from .source import declared_at
from .template import Own, Spelling

_NUMBERS = frozenset(
    "shape newshape new_shape new_sizes sizes axis axes axis1 axis2 dimensions permutation source destination shift reps "
    "pad_width indices_or_sections slice_sizes broadcast_dimensions".split()
)
"""Parameters of frameworks' functions that are sizes, axes or places of them."""


class Lift:
    """A framework call → ops. `fn` has the framework's own signature, takes Values and constants, and calls ops.

    `writes`: the call writes its first argument in place; `fn` returns the new value of it. Where only some calls do
    (`inplace=True`), it is a function of the call's arguments. `reshapes`: it writes how the tensor looks at its memory alone.
    `silent`: a call that writes gives None. `copies`: its result never shares memory with its argument although the op it becomes
    could ("maybe": it may, which is decided by strides), or a function of the call's arguments that tells. `array`: its
    result is an array also without axes, where a framework that has numbers of its own gives one for other calls.
    `records`: where it gives its argument, gradients of that are recorded from there on. `rows`: what it gives is memory of its own, row by
    row, or which of that is. `at`: file:line of where it is declared.
    """

    __slots__ = ("name", "fn", "writes", "copies", "silent", "array", "at", "reshapes", "records", "rows", "_places")

    def __init__(
        self, name: str, fn: Callable[..., Any], writes: bool | Callable[..., bool] = False,
        copies: bool | str | Callable[..., bool | str] = False, silent: bool = False, at: str = "", reshapes: bool = False,
        records: bool = False, rows: bool | Callable[[Any], bool] = False,
    ) -> None:  # fmt: skip
        self.name, self.fn, self.writes, self.copies, self.silent = name, fn, writes, copies, silent
        self.array, self.at, self.reshapes, self.records, self.rows = False, at, reshapes, records, rows
        self._places: list[bool] | None = None

    def takes_numbers(self, place: int | str) -> bool:
        """Whether the argument at a place, or of a name, is made of sizes or axes: an array of them stands for its numbers."""
        if isinstance(place, str):
            return place in _NUMBERS
        if self._places is None:
            named = inspect.signature(self.fn).parameters.values()
            self._places = [x.name in _NUMBERS for x in named if x.kind is not inspect.Parameter.KEYWORD_ONLY]
        return bool(self._places) and self._places[min(place, len(self._places) - 1)]

    def __repr__(self) -> str:
        return f"Lift({self.name})"


class Written:
    """What a lift gives for a call that writes arguments besides its first: the result, and new values by argument."""

    __slots__ = ("result", "values")

    def __init__(self, result: Any, values: Mapping[str, Any]) -> None:
        self.result, self.values = result, values


class OpenParts:
    """Results whose number is open: `unpack(count)` makes them, once the code unpacks them into so many names. `made` is told
    of them: by then, what they are views of may have been written."""

    __slots__ = ("unpack", "made", "_error")

    def __init__(self, unpack: Callable[[int], tuple], error: Exception) -> None:
        self.unpack, self._error = unpack, error
        self.made: Callable[[Any], None] = lambda parts: None

    def _refuse(self, *args: Any) -> Any:
        raise self._error

    __iter__ = __len__ = __getitem__ = _refuse


class OpenRows:
    """A tuple of the rows of one tensor, of which it is open how many there are: whoever takes it for a tuple is refused. `each`: what
    is made of a row, which then stands in a list."""

    __slots__ = ("tensor", "each")

    def __init__(self, tensor: Any, each: Callable[[Any], Any] | None = None) -> None:
        self.tensor, self.each = tensor, each

    def _refuse(self, *args: Any) -> Any:
        raise UnsupportedConstruct(
            "GFX cannot use the rows of a tensor here: how many there are is open",
            hint="give the argument's shape at capture: gfx.TensorSpec(shape, dtype)",
        )

    __iter__ = __len__ = __getitem__ = _refuse


@dataclass(frozen=True)
class Row:
    """One op in one backend: how it is spelled, and which framework names become it.

    `emit` is a Template spelling (None: the op's body is printed, or for NumPy its reference; a function's "" says so of
    these arguments); `keep` names keywords to write even when they equal the op's default. `lift` maps blank-separated
    names ("torch.sum Tensor.sum", "jnp.sum Array.sum"; a bare `Tensor.`/`Array.`/`ndarray.` prefix is a method, and one
    ending in `@` an attribute, as in "Tensor.T@") to a function in the framework's own signature. `copies` names those of
    them whose result never shares memory. `own` names keywords that are left out where they have the value that the target
    takes on its own (see Template). `missing` is the reason why this backend lacks the op.

    `in_place` is the spelling that overwrites the first argument and gives it back; `spare`: the result is always
    memory of its own, which the op's backward does not read, so that such a spelling may overwrite it. `place` is the
    spelling of what the op writes where it may write its first argument, left of `= value`, or "" for arguments for which it
    has none. `finish` makes of the expression what stands there in the end. `narrow` tells
    which output (from 1) has positions of 32 bits where the op gives them 64, in any mode of the target; `truths`: the argument that
    has to hold booleans there, where other frameworks take any number that is not 0 for true; `bytes`: what
    it calls gives bytes of bytes, where the op gives booleans; `hashed`:
    arguments whose numbers the target hashes: they are to be Python's; `alike`: arguments that have the dtype of the result there, where
    other frameworks promote them. `at`: file:line of the row.
    """

    op: str
    emit: Spelling | None = None
    lift: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    keep: Sequence[str] = ()
    copies: Sequence[str] = ()
    missing: str = ""
    own: Own = field(default_factory=dict)
    in_place: str = ""
    spare: bool = False
    place: Callable[[SimpleNamespace], str] | None = None
    finish: Callable[[Any], Any] | None = None
    narrow: int = 0
    truths: str = ""
    bytes: bool = False
    hashed: Sequence[str] = ()
    alike: Sequence[str] = ()
    at: str = field(default_factory=declared_at, compare=False)
