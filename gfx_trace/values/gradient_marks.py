"""Gradient marks: values that another's data was given to, or from which no gradient flows on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from gfx_ir.graph import Value
from gfx_ir.infer.gradients import marks, stops
from gfx_ir.op import Trait, active


@dataclass(frozen=True, eq=False)
class Left:
    """What a write under a mode that an open bool decides leaves: the data `of` a value, with the gradient of what was there."""

    of: Value
    old: Value
    mode: Any


@dataclass(frozen=True, eq=False)
class Fork:
    """What a mode that an open bool decides makes of a value: the data `of` that, with its gradient where operations are recorded.
    It is called, and put back, as the op of a view is: `take` makes it of what the view is of, `keep` of that and what is written."""

    of: Value
    take: Callable[[Value], Value]
    keep: Callable[[Value, Value], Value]
    name: ClassVar[str] = "stop_gradient"  # which it is where nothing is recorded
    traits: ClassVar[Trait] = Trait.GRADIENT

    def __call__(self, current: Value) -> Value:
        return self.take(current)

    def named(self, args: tuple) -> Value:
        """What it is made of."""
        return args[0]

    def put(self, current: Value, new: Value, index: int) -> Value:
        """What a write to it leaves in what it is made of."""
        return self.keep(current, new)


Mark = Fork | Left


def forked(value: Value) -> Fork | None:
    """What an undecided mode has made of another's data, where it made this."""
    mark = active.builder.record.marks.get(value)
    return mark if type(mark) is Fork else None


def data_of(value: Any) -> Any:
    """The value that has the same data, where one is marked with another's gradient."""
    while type(value) is Value:
        if marks(value.node.op) and not stops(value.node.op):
            value = value.node.args[1]
        elif (mark := active.builder.record.marks.get(value)) is not None:
            value = mark.of
        else:
            break
    return value


def unmarked(value: Any) -> Any:
    """The value that has the same data, without marks of gradients: what outlives the call has none."""
    while type(value) is Value and marks(value.node.op):
        value = value.node.args[-1]
    return value
