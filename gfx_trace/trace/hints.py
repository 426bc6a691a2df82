"""What annotations of arguments say: tensors, numbers of Python's, records, lists and tuples of these."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Collection, Iterable, MutableSequence, Sequence
from typing import Any, NamedTuple

import numpy as np

PLAIN = {int: "int", float: "float", bool: "bool", str: "str"}
_TENSORS = frozenset("Tensor LongTensor FloatTensor BoolTensor IntTensor Array ArrayLike ndarray NDArray".split())
"""What annotations call a tensor."""
_EMPTY = inspect.Parameter.empty
_SEQUENCES = (list, tuple, Sequence, MutableSequence, Collection, Iterable)
"""What annotations call a list, or take one for."""


def hints_of(f: Any) -> dict[str, Any]:
    """Annotations of a function or class, evaluated where they can be."""
    try:
        return typing.get_type_hints(f)
    except (NameError, TypeError, AttributeError, SyntaxError):
        return dict(getattr(f, "__annotations__", {}))


class SequenceOf(NamedTuple):
    """What an annotation says of a list or tuple: the `items` where it tells each, else None and what every `item` is."""

    kind: type
    items: tuple[Any, ...] | None
    item: Any


def sequence_of(hint: Any) -> SequenceOf | None:
    """What an annotation says of a list, a tuple or another sequence; None of any other annotation."""
    kind, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind is tuple and inner and inner[-1] is not ...:
        return SequenceOf(tuple, inner, None)
    if kind not in _SEQUENCES:
        return None
    return SequenceOf(tuple if kind is tuple else list, None, inner[0] if inner else None)


def is_generator(hint: Any) -> bool:
    """Whether an annotation says np.random.Generator."""
    return hint is np.random.Generator or hint in ("np.random.Generator", "numpy.random.Generator")


def options_of(hint: Any) -> list[Any]:
    """What an annotation allows: one of several, or itself."""
    return list(typing.get_args(hint)) if typing.get_origin(hint) in (typing.Union, types.UnionType) else [hint]


def kind_of_hint(hint: Any, default: Any, frameworks: Any) -> str | None:
    """Kind of the value of an argument that stays open; None: it takes its default."""
    options = options_of(hint)
    optional = default is None or type(None) in options
    options = [option for option in options if option is not type(None)]
    if any(is_tensor_hint(option, frameworks) for option in options):
        return "optional" if optional else "tensor"
    if options == [typing.Any] or options == [object]:
        return "tensor" if default is _EMPTY else ("optional" if default is None else PLAIN.get(type(default)))
    if len(options) == 1 and options[0] in PLAIN:
        if optional:
            return None
        return PLAIN[options[0]]
    return "tensor" if default is _EMPTY else None


def is_tensor_hint(option: Any, frameworks: Any) -> bool:
    """Whether an annotation says a tensor."""
    name = option if isinstance(option, str) else getattr(option, "__name__", "")
    if name in _TENSORS:
        return True
    known = isinstance(option, type) and option is not object
    return known and any(issubclass(t, option) for b in frameworks for t in b.tensor_types)


def shown_hint(hint: Any) -> str:
    """What a signature keeps of an annotation."""
    return hint.__name__ if hint in (int, float, bool, str) else ""
