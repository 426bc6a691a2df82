"""What follows from an op's row for given arguments: types of the outputs, bytes, operations.

Arguments are trees in which every Value is replaced by its type: a LogicalTensor, or for a host value that value itself
(a number, a size expression, a dtype), OPEN where it is not known. A composite op is run on these types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import host
from .errors import GfxError, ShapeError
from .op import OpDef, Trait, active
from .trees import has_part, leaves
from .types import LogicalTensor

UNKNOWN = LogicalTensor()
OPEN = type("Open", (), {"__repr__": lambda self: "OPEN"})()
"""Stands for a host value that is not known: None is a value of its own (`axis=None`, a new axis in an index)."""

RAISED = (GfxError, TypeError, ValueError, IndexError, AttributeError)
"""What a rule raises of arguments that it does not take, or of which it would have to know more."""


class Typing:
    """A builder that makes no nodes: ops called on types give types."""

    def __init__(self, rules: str) -> None:
        self.rules = rules

    def add(self, op: OpDef, args: tuple) -> Any:
        """Apply an op to types."""
        types = infer(op, args, self.rules)
        return types if len(types) != 1 else types[0]


class Costing(Typing):
    """The same, and what the ops cost is added up."""

    def __init__(self, rules: str) -> None:
        super().__init__(rules)
        self.operations: Any = 0
        self.bytes: Any = 0

    def add(self, op: OpDef, args: tuple) -> Any:
        """Apply an op to types."""
        types = infer(op, args, self.rules)
        self.operations = plus(self.operations, compute(op, args, types, self.rules))
        self.bytes = plus(self.bytes, memory(op, args, types, self.rules))
        return types if len(types) != 1 else types[0]


@contextmanager
def building(builder: Any) -> Iterator[Any]:
    """Make `builder` the one that op calls on this thread go to (None: evaluate them)."""
    before, active.builder = active.builder, builder
    try:
        yield builder
    finally:
        active.builder = before


def _selected(op: OpDef, args: tuple) -> LogicalTensor:
    """What the traits of an op tell of its results, where its rule is not asked: elements of its first argument have the dtype of that."""
    first = args[0] if args and op.traits & Trait.SELECTS else None
    if type(first) is not LogicalTensor or first.weak:
        return UNKNOWN
    if op.traits & Trait.SHAPE_OF_FIRST:
        return LogicalTensor(first.dtype, first.dims)
    ranked = op.traits & Trait.RANK_OF_FIRST and first.dims is not None
    return LogicalTensor(first.dtype, (None,) * len(first.dims or ()) if ranked else None)


def infer(op: OpDef, args: tuple, rules: str) -> tuple:
    """Types of the outputs 1… of `op` on arguments of these types."""
    if op.body is not None:
        with building(Typing(rules)):
            out = op.body(*args)
    elif op.infer is not None and (hasattr(op.infer, "takes_open") or not has_part(args, OPEN)):
        out = op.infer(op.named(args), rules)
    else:
        told = _selected(op, args)
        return tuple(told if kind == "tensor" else OPEN for kind in op.output_kinds(args))
    found = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    for type_ in found:
        for dim in (type_.dims if isinstance(type_, LogicalTensor) else None) or ():
            if type(dim) is int and dim < 0:
                raise ShapeError(f"a shape has no negative size, and this would be {type_.dims}")
    return found


def infer_at(op: OpDef, args: tuple, rules: str, span: Any) -> tuple:
    """`infer`; an error names the op, the types of its arguments and the user's line, also where these are of a kind that its
    rule does not read."""
    try:
        return infer(op, args, rules)
    except ShapeError as error:
        if error.span is not None:
            raise
        types = ", ".join(str(leaf) for leaf in leaves(args) if isinstance(leaf, LogicalTensor))
        told = type(error)(f"{op.name}: {error.what} (arguments: {types})", span, error.hint)
        told.certain = error.certain
        raise told from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"{op.name}: it does not take {', '.join(map(str, args))} ({error})"
        raise ShapeError(what, span, f"it takes: {', '.join(op.params)}") from error


def compute(op: OpDef, args: tuple, types: Sequence[Any], rules: str) -> Any:
    """Floating-point operations, as a size expression; None where a size is unknown."""
    if op.body is not None:
        with building(Costing(rules)) as builder:
            op.body(*args)
        return builder.operations
    if op.compute is not None:
        return op.compute(op.named(args), tuple(types))
    total: Any = 0
    for type_ in types:
        total = plus(total, type_.size() if isinstance(type_, LogicalTensor) else 0)
    return total


def memory(op: OpDef, args: tuple, types: Sequence[Any], rules: str) -> Any:
    """Bytes that the outputs (of a composite: its inner values too) take; None where a size is unknown."""
    if op.body is not None:
        with building(Costing(rules)) as builder:
            op.body(*args)
        return builder.bytes
    if op.memory is not None:
        return op.memory(op.named(args), tuple(types))
    total: Any = 0
    for type_ in types:
        if isinstance(type_, LogicalTensor):
            size = type_.size()
            known = size is not None and type_.dtype is not None
            total = plus(total, host.mul(size, type_.dtype.itemsize) if known else None)  # type: ignore[arg-type,union-attr]
    return total


def plus(a: host.DimLike | None, b: host.DimLike | None) -> host.DimLike | None:
    """a + b, None where one is unknown."""
    return None if a is None or b is None else host.add(a, b)
