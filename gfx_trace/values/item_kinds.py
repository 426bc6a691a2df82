"""Kinds of what stands in a list that is one value: tensors, numbers of Python's, tuples, lists of known length and dictionaries of
these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gfx_ir.python_numbers import OPEN

from .number_rows import number_kind
from .proxy import Proxy


class Fields(NamedTuple):
    """The kinds of what stands in a dictionary, by its keys."""

    keys: tuple[str, ...]
    kinds: tuple[Any, ...]


class Items(NamedTuple):
    """The kinds of what stands in a list, in their order."""

    kinds: tuple[Any, ...]


def item_kind(x: Any) -> Any:
    """The kind of the number of Python's that an item is, OPEN where that is one of several, "" for a tensor, a tuple, Items or Fields of
    such for a tuple, list or dictionary; None for anything else."""
    if type(x) in (tuple, list) or (type(x) is dict and all(type(key) is str for key in x)):
        kinds = tuple(map(item_kind, x.values() if type(x) is dict else x))
        if None in kinds:
            return None
        return kinds if type(x) is tuple else Items(kinds) if type(x) is list else Fields(tuple(x), kinds)
    return number_kind(x) or ("" if type(x) is Proxy else None)


def joint_kind(a: Any, b: Any) -> Any:
    """The kind of an item that is of the one or the other; None where there is none."""
    if a == b or a is None or b is None:
        return a if a == b else None
    if type(a) is not type(b) or (type(a) is not str and len(a) != len(b)):
        return None
    if type(a) is str:
        return OPEN if a and b else None
    if type(a) is Items:
        kinds = joint_kind(a.kinds, b.kinds)
        return None if kinds is None else Items(kinds)
    if type(a) is Fields:
        kinds = joint_kind(a.kinds, b.kinds)
        return None if kinds is None or a.keys != b.keys else Fields(a.keys, kinds)
    kinds = tuple(map(joint_kind, a, b))
    return None if None in kinds else kinds


def holds_containers(kind: Any) -> bool:
    """Whether items are, or hold, lists or dictionaries."""
    return type(kind) in (Items, Fields) or (type(kind) is tuple and any(map(holds_containers, kind)))


def each_tensor(x: Any, f: Callable[[Proxy], Any]) -> Any:
    """An item with f(tensor) in the place of each of its tensors."""
    if type(x) in (tuple, list):
        return type(x)([each_tensor(item, f) for item in x])
    if type(x) is dict:
        return {key: each_tensor(item, f) for key, item in x.items()}
    return f(x) if type(x) is Proxy else x


def tensors_in(x: Any) -> Iterator[Proxy]:
    """The tensors of an item."""
    if type(x) is Proxy:
        yield x
    elif type(x) in (tuple, list, dict):
        for item in x.values() if type(x) is dict else x:
            yield from tensors_in(item)


def containers_in(x: Any) -> Iterator[Any]:
    """The lists and dictionaries of an item."""
    if type(x) in (list, dict):
        yield x
    for item in (x.values() if type(x) is dict else x) if type(x) in (tuple, list, dict) else ():
        yield from containers_in(item)
