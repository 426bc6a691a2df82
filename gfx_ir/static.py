"""Static arguments: which kinds of constants a parameter takes, told by its name or by its default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dtypes import DType
from .graph import Value
from .op import OpDef
from .trees import leaves

Takes = Callable[[Any], bool]


def misfit(op: OpDef, args: tuple) -> str:
    """What is wrong with the static arguments of a node, "" where nothing is. Of ops that users added their authors know."""
    for param, arg in zip(op.params, args) if not op.added else ():
        what, takes = _BY_NAME.get(param) or _BY_DEFAULT.get(type(op.defaults.get(param)), _ANYTHING)
        for leaf in leaves(arg):
            if leaf is not None and not takes(leaf):
                return f"its {param} is {what}, and not {leaf!r}"
    return ""


def _dtype(leaf: Any) -> bool:
    return type(leaf) is DType or (type(leaf) is Value and not leaf.is_tensor)


def _whole(leaf: Any) -> bool:
    return type(leaf) is Value or (hasattr(leaf, "__index__") and type(leaf) is not bool) or not _constant(leaf)


def _flag(leaf: Any) -> bool:
    return not isinstance(leaf, (str, DType)) and (not isinstance(leaf, (int, float, complex)) or leaf in (0, 1))


def _constant(leaf: Any) -> bool:
    """Whether it is one of Python's own constants, or a dtype."""
    return isinstance(leaf, (bool, int, float, complex, str, DType))


_ANYTHING: tuple[str, Takes] = "anything", lambda leaf: True
_NUMBER: tuple[str, Takes] = "a number", lambda leaf: not isinstance(leaf, (str, DType))
_WHOLE: tuple[str, Takes] = "made of whole numbers", _whole
_BY_NAME: dict[str, tuple[str, Takes]] = {
    "dtype": ("a dtype", _dtype),
    "device": ("a place", lambda leaf: not isinstance(leaf, (bool, int, float, complex, DType))),
    "axis": _WHOLE,
    "axes": _WHOLE,
    "shape": _WHOLE,
}
_BY_DEFAULT: dict[type, tuple[str, Takes]] = {
    bool: ("True or False", _flag),
    int: _NUMBER,
    float: _NUMBER,
    str: ("a text", lambda leaf: type(leaf) is not DType),
}
