"""How computed tensors lie in memory: what PyTorch says of what its calls give, and what follows for views and arithmetic of that."""

from __future__ import annotations

import operator
from functools import reduce
from itertools import pairwise
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Lift
from gfx_ir.control import is_parameter
from gfx_ir.errors import OpenShape
from gfx_ir.graph import Node, Value
from gfx_ir.host import DimLike, add, bounds, divide, mul, product
from gfx_ir.memory import QUESTIONS, Layout, dense, exceeds
from gfx_ir.op import Trait
from gfx_ir.program import Guard
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing

_ROWS = QUESTIONS["c_contiguous"]


class Laid:
    """The tensors of one capture. `rows`: what a call gave as memory of its own, row by row; `twofold`: what may be a copy, too;
    `formats`: whether the code asked for another order of memory somewhere, of which nothing else here knows."""

    def __init__(self, tracer: Capturing) -> None:
        self._tracer = tracer
        self.rows = set[Value]()
        self.twofold = set[Value]()
        self.formats = False

    def gives(self, lift: Lift, result: Any) -> None:
        """Note what a call gives that lays it out row by row."""
        if type(result) is Value and (lift.rows is True or lift.rows(result)):  # type: ignore[operator]
            self.rows.add(result)

    def asked(self, value: Any) -> tuple[Value | None, Layout] | None:
        """`of`, which code asks: it hangs on what the tensor is computed of, so that no other call of a module does what this one does."""
        self._tracer.repeated.spoils()
        return self.of(value)

    def of(self, value: Any) -> tuple[Value | None, Layout] | None:
        """How a tensor lies in memory, and the tensor that is all of this memory, row by row; None in place of that: what it holds is not
        known. None where nothing tells. Raises OpenShape where it hangs on open sizes."""
        value = self._tracer.facts.root(value)
        dims = self._dims(value) if type(value) is Value else None
        if dims is None or self.formats:
            return None
        found = self._of(value, dims)
        if found is None or (value in self.twofold and not _ROWS(found[1])):
            return None
        return found

    def shares(self, result: Any, value: Any) -> bool | None:
        """Whether a call that copies where its result is no view of its argument gives a view, or the argument itself; None where
        nothing tells."""
        result, value = self._tracer.facts.root(result), self._tracer.facts.root(value)
        if type(result) is not Value or not (result is value or result.node.op.traits & Trait.IN_ORDER):
            return None
        try:
            under, seen = self.asked(value), self.asked(result)
            if under is None or seen is None or None in (under[0], seen[0]):
                return None
            return _ROWS(under[1]) if result is value else under[0] is seen[0]
        except OpenShape:
            return None

    def _of(self, value: Value, dims: tuple) -> tuple[Value | None, Layout] | None:
        tracer, node = self._tracer, value.node
        written = tracer.record.like.get(value)
        if written is not None:  # which lies where it lay before
            before = self.of(written)
            return before and (value if before[0] is tracer.facts.root(written) else None, before[1])
        own = dense(dims) if tracer.record.called.get(value, value) in self.rows else self._own(value, dims)
        if own is not None:
            return value, own
        if node.op.put is None or len(node.values) > 1 or not node.args or type(node.args[0]) is not Value:
            return None
        under = self.of(node.args[0])
        if under is None:
            return None
        seen = _viewed(node, under[1], dims, tracer.promotion)
        if seen is None and node.op.traits & Trait.IN_ORDER:  # a copy
            return value, dense(dims)
        return None if seen is None else (under[0], seen)

    def _own(self, value: Value, dims: tuple) -> Layout | None:
        """The layout of a tensor that is all of its memory, row by row, as it was given, or as it is computed, element by element, of such
        and of what is repeated of such; None of any other."""
        tracer, node = self._tracer, value.node
        if tracer.assumed.is_argument(value):
            return self._given(value, dims)
        if is_parameter(node):
            data = tracer.params[node.args[0]]
            owner = tracer.arrays.array_owner(data)
            return dense(dims) if owner is not None and owner.layout_of(data) == dense(dims) else None
        parts = [x for x in leaves(node.args) if type(x) is Value and x.is_tensor]
        picked = (
            node.op.traits & Trait.READS_AT and len(parts) > 1
        )  # by tensors: where these lie in order, so does what they pick
        if not (picked or node.op.traits & (Trait.ELEMENTWISE | Trait.CASTS | Trait.MOVES)) or len(node.values) > 1:
            return None
        lying = [found[1] for found in map(self.of, parts) if found is not None]
        if not parts or len(lying) < len(parts) or not all(map(_in_order, lying)):
            return None
        whole = not picked and all(x == dense(dims if x.shape else ()) for x in lying)
        return dense(dims) if whole else _sure(dims)

    def _given(self, value: Value, dims: tuple) -> Layout | None:
        """The layout of an argument, with guards, as `_own`."""
        assumed = self._tracer.assumed
        given = assumed.layouts.get(value)
        if (given is not None and not (_ROWS(given) and given.offset == 0)) or not assumed.rows(value):
            return None
        if 1 in dims and given == dense(dims):
            assumed.guard(Guard("strides", value.node.args[0], given.strides, self._tracer.span()))
            return given
        return _sure(dims)

    def _dims(self, value: Value) -> tuple | None:
        type_ = self._tracer.arrays.type_of(value)
        dims = type_.dims if type_ is not None else None
        return None if dims is None or None in dims else dims

    # ------------------------------------------------------------------ as the code gets it
    def numbers(self, value: Value, found: tuple[Value, Layout]) -> tuple[tuple[Any, ...], Any] | None:
        """The strides and the offset of a tensor as the code computes with them; None where no sizes give them."""
        told = [self._number(step, (found[0], value)) for step in (*found[1].strides, found[1].offset)]
        return None if None in told else (tuple(told[:-1]), told[-1])

    def _number(self, step: DimLike, of: tuple[Value, ...]) -> Any:
        """A number that is a multiple of how many elements the last axes of a tensor have."""
        if step is None or isinstance(step, int):
            return step
        for value in of:
            dims = self._dims(self._tracer.facts.root(value)) or ()
            for first in range(len(dims)):
                times = divide(step, product(dims[first:]))
                if isinstance(times, int):
                    sizes = [self._tracer.wrap(ops.size(value, axis)) for axis in range(first, len(dims))]
                    return reduce(operator.mul, sizes, times)
        return None


def _sure(dims: tuple) -> Layout:
    """The layout of a tensor that lies row by row, of which nothing tells the steps along axes of one place."""
    made = dense(dims)
    several = [(bounds(size)[0] or 0) > 1 for size in dims]
    return Layout(dims, tuple([step if more else None for step, more in zip(made.strides, several)]))


def _in_order(layout: Layout) -> bool:
    """Whether the elements of each axis lie further apart than those of the axes behind it, repeated ones and single ones left out."""
    steps = [step for size, step in zip(layout.shape, layout.strides) if step not in (0, None) and size != 1]
    return all(exceeds(before, step) for before, step in pairwise(steps))


def _viewed(node: Node, under: Layout, dims: tuple, rules: str) -> Layout | None:
    """The layout of a view whose axes are those of what it looks at, in another order or in part, without some of one place or with new
    ones; None where none tells."""
    args = node.op.named(node.args)
    if dims == under.shape and node.op.traits & (Trait.IN_ORDER | Trait.STRETCHES):
        return under
    if node.op.traits & Trait.STRETCHES:
        shape, strides = ((0,) * (len(dims) - len(part)) + part for part in (under.shape, under.strides))
        if any(a != b and a not in (0, 1) for a, b in zip(shape, dims)):
            return None
        return Layout(dims, tuple([step if a == b else 0 for a, b, step in zip(shape, dims, strides)]), under.offset)
    if (
        node.op.traits & Trait.PERMUTES and node.op.infer is not None
    ):  # what becomes of the sizes becomes of the strides
        args.x = LogicalTensor(dims=under.strides)
        return Layout(dims, node.op.infer(args, rules).dims, under.offset)
    if node.op.traits & Trait.READS_AT:
        return _indexed(args.index if type(args.index) is tuple else (args.index,), under, dims)
    if type(getattr(args, "axis", None)) is not int:
        return under.viewed(dims) if node.op.traits & Trait.IN_ORDER else None
    at, strides = args.axis % max(len(dims), len(under.shape)), under.strides
    if len(dims) < len(under.shape):
        return Layout(dims, (*strides[:at], *strides[at + 1 :]), under.offset)
    new = _times(strides[at], under.shape[at]) if at < len(strides) else 1
    return Layout(dims, (*strides[:at], new, *strides[at:]), under.offset)


def _times(step: Any, by: DimLike) -> Any:
    return None if step is None else mul(step, by)


def _indexed(index: tuple, under: Layout, dims: tuple) -> Layout | None:
    """The layout of what numbers, slices and None take that are known."""
    dots = [at for at, item in enumerate(index) if item is Ellipsis] or [len(index)]
    if len(dots) > 1:
        return None
    rest = len(under.shape) - sum(item is not None and item is not Ellipsis for item in index)
    strides: list[Any] = []
    offset: DimLike = under.offset
    axes = zip((*under.shape, 1), (*under.strides, 1))
    size, step = next(axes)
    for item in (*index[: dots[0]], *(slice(None),) * rest, *index[dots[0] + 1 :]):
        if item is None:
            strides.append(_times(step, size))
            continue
        start, by = (item.start or 0, item.step or 1) if type(item) is slice else (item, 0)
        if type(start) is not int or type(by) is not int:
            return None
        if by and start and not (isinstance(size, int) and -size <= start <= size):
            return None
        if start and step is None:
            return None
        offset = add(offset, mul(step, start if start > 0 else add(size, start))) if start else offset
        strides += [_times(step, by)] if by else []
        size, step = next(axes)
    return Layout(dims, tuple(strides), offset)
