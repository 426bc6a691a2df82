"""Value numbering: which values are the same by the way they are made, as ops, tests and calls hand them on: one stands for all."""

from __future__ import annotations

from typing import Any

from ..control import is_call, is_given
from ..dtypes import DType
from ..graph import Value
from ..trees import leaves, tree_map
from .fixpoint import Fixpoint
from .flow import Flow

_PLAIN = (bool, int, float, complex, str, DType, type(None), type(...))


class SameValues:
    """Answers for the values of a program."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._found = Fixpoint[Value | None](self._parts, self._one, None, None)
        self._first: dict[tuple[str, int, str], Value] = {}

    def of(self, value: Value) -> Value:
        """The one that stands for a value."""
        return self._found.of(value) or value

    def stands_for(self, new: Value, old: Value) -> None:
        """Note that a value takes the place of another one."""
        self._found.set(new, self.of(old))

    def _parts(self, value: Value) -> list[Value]:
        given = handed(value, self._flow)
        if given is not None:
            return [given[0]] if len(given) == 1 and type(given[0]) is Value else []
        own = value.node.regions or value.node.op.effect or is_given(value.node) or is_call(value.node)
        return [] if own else [leaf for leaf in leaves(value.node.args) if type(leaf) is Value]

    def _one(self, value: Value) -> Value:
        parts = self._parts(value)
        if not parts:
            return value
        if handed(value, self._flow) is not None:
            return self._found.now(parts[0]) or value
        told = tree_map(self._key, value.node.args)
        return self._first.setdefault((value.node.op.name, value.index, repr(told)), value)

    def _key(self, leaf: Any) -> Any:
        """What tells an argument from others: an array is only itself."""
        if type(leaf) is Value:
            return id(self._found.now(leaf))
        return (type(leaf).__name__, repr(leaf)) if isinstance(leaf, _PLAIN) else id(leaf)


def handed(value: Value, flow: Flow) -> list[Any] | None:
    """What a value is one of, as tests, loops and calls hand it on; None where an op makes it, or it is given."""
    source = flow.sources.get(value)
    return None if source is None or source.outside else source.leaves
