"""Open dictionaries: arguments annotated as `dict` that were not given, which have the keys that the code asks for by name; objects
given whose numbers stay open, those that the code counts in; and arrays given whose sizes do not, those that later calls find."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gfx_ir.errors import UnsupportedConstruct

T = TypeVar("T")
Keys = dict[str, tuple[Any, ...]]
"""Those that were asked for, or are counted in, or the axes of sizes that are kept, by the path of the argument."""
_MOST = 256


class KeyWanted(BaseException):
    """A key of an open dictionary was asked for, or a number of an object's is another one for the next call: capture again, where it
    has that, and the number is open. Or axes of an array, whose sizes are part of what the next call finds: capture again, where they
    are fixed. No handler of the author's is to take it."""

    def __init__(self, path: str, *keys: Any) -> None:
        self.path, self.keys = path, keys


def with_keys(capture: Callable[[Keys], T]) -> T:
    """What capture(keys) gives once it asks for no other key."""
    keys: Keys = {}
    while True:
        try:
            return capture(keys)
        except KeyWanted as wanted:
            found = keys.get(wanted.path, ())
            if len(found) == _MOST:
                what = (
                    f"GFX cannot capture this: it asks {wanted.path!r}, which was not given, for more than {_MOST} keys"
                )
                raise UnsupportedConstruct(what, None, "give it at capture") from None
            keys = {**keys, wanted.path: (*found, *wanted.keys)}


def fields_of(hint: Any) -> dict[str, Any] | None:
    """What a typed dictionary says of its keys; None of any other annotation."""
    return typing.get_type_hints(hint) if typing.is_typeddict(hint) else None


def is_dictionary(hint: Any) -> bool:
    """Whether an annotation says dict, or a mapping."""
    kind = typing.get_origin(hint) or hint
    return (
        isinstance(kind, type)
        and issubclass(kind, (dict, Mapping))
        and kind.__module__ in ("builtins", "collections.abc")
    )


def item_hint(hint: Any, unknown: Any) -> Any:
    """What an annotation says of the items of a dictionary."""
    given = typing.get_args(hint)
    return given[1] if len(given) == 2 and not isinstance(given[1], TypeVar) else unknown
