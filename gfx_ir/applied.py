"""Application of an op: the op, its arguments and its values, and what its row says of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from . import rules
from .dtypes import default
from .edges import UNBOUND
from .errors import ShapeError
from .op import OpDef, Trait, evaluate
from .python_numbers import KINDS
from .source import Span
from .trees import leaves, tree_map
from .types import LogicalTensor


class Typed:
    """A value. `kind` is "tensor" or a host kind; `type` its LogicalTensor or host value, once known."""

    __slots__ = ("kind", "type")

    kind: str
    type: Any

    @property
    def is_tensor(self) -> bool:
        """Whether it is data on a device when the emitted code runs (or None, for an optional one)."""
        return self.kind == "tensor" or self.kind == "optional"


class Functions(Protocol):
    """What calls and parameters are resolved by: a Program."""

    params: dict[str, Any]

    def callee(self, target: Any) -> Any:
        """The function that a call names, or None."""


class Applied:
    """An op, its arguments (a tuple along its parameters: a tree of values and constants) and its results.

    Its rules are methods. `program` (for calls and parameters) has the functions and the data, `prefix` is the path under
    which the parameters of its graph stand there.
    """

    __slots__ = ("op", "args", "values", "span", "_meta")

    op: OpDef
    args: tuple
    values: Sequence[Typed]
    span: Span | None

    @property
    def name(self) -> str:
        """What it is called: as its first value that has a name, else as its op."""
        values: Sequence[Any] = self.values
        return next((str(value.name) for value in values if value.name), self.op.name)

    @property
    def users(self) -> list[Any]:
        """The nodes that take its values, each once."""
        values: Sequence[Any] = self.values
        return list(dict.fromkeys(user for value in values for user in value.uses))

    @property
    def input_nodes(self) -> list[Any]:
        """The nodes whose values it takes, each once."""
        taken: list[Any] = [leaf for leaf in leaves(self.args) if isinstance(leaf, Typed)]
        return list(dict.fromkeys(leaf.node for leaf in taken))

    @property
    def draws(self) -> bool:
        """Whether it, or what it holds or calls, takes a key of random numbers or makes one."""
        taken = [leaf for leaf in leaves(self.args) if isinstance(leaf, Typed)]
        return self.op.draws or any(value.kind == "key" for value in (*taken, *self.values))

    @property
    def meta(self) -> dict[str, Any]:
        """Notes of whoever works on it; copies carry them, files do not."""
        try:
            return self._meta
        except AttributeError:
            self._meta: dict[str, Any] = {}
            return self._meta

    def noted_as(self, other: Applied) -> None:
        """Take over the notes of another one."""
        found = getattr(other, "_meta", None)
        if found:
            self._meta = dict(found)

    def eval(self, *inputs: Any, program: Functions | None = None, prefix: str = "") -> Any:
        """Host values in (one for each of `inputs`), host values out (a value, or the tuple of several), by the reference: of
        what it holds and calls, too. Raises ShapeError where there are more or fewer."""
        taken = sum(isinstance(leaf, Typed) or leaf is UNBOUND for leaf in leaves(self.args))
        if taken != len(inputs):
            raise ShapeError(f"{self.op.name} takes {taken} values here, and {len(inputs)} are given", self.span)
        items = iter(inputs)
        args = tree_map(lambda a: next(items) if isinstance(a, Typed) or a is UNBOUND else a, self.args)
        if self.op.control is not None:
            return self.op.control.eval(self, args, program, prefix)
        with rules.building(None):
            out = evaluate(self.op, args)
        return tuple(out) if type(out) is list and len(self.values) != 1 else out

    def types(self) -> tuple:
        """The arguments with the type of each value in its place."""
        return tree_map(_type_of, self.args)

    def infer_output_shape(self, promotion: str = "torch", program: Functions | None = None, prefix: str = "") -> tuple:
        """Types of its values from the types of its inputs, under the promotion rules. Raises ShapeError."""
        if self.op.control is not None:
            return self.op.control.types(self, promotion, program, prefix)
        return rules.infer_at(self.op, operands(self.op, self.args, self.types(), promotion), promotion, self.span)

    def memory_estimate(self, promotion: str = "torch", program: Functions | None = None, prefix: str = "") -> Any:
        """Bytes that its values (and those of what it holds or calls) take, as a size expression (None: unknown)."""
        if self.op.control is not None:
            total = self.op.control.estimate(self, promotion, program, prefix)
            return None if total.unknown else total.bytes
        return rules.memory(self.op, self.types(), self._value_types(promotion), promotion)

    def compute_estimate(self, promotion: str = "torch", program: Functions | None = None, prefix: str = "") -> Any:
        """Floating-point operations, of a loop for its trips where their number is known (None: unknown)."""
        if self.op.control is not None:
            total = self.op.control.estimate(self, promotion, program, prefix)
            return None if total.unknown else total.operations
        return rules.compute(self.op, self.types(), self._value_types(promotion), promotion)

    def _value_types(self, promotion: str) -> tuple:
        if all(value.type is not None for value in self.values):
            return tuple([value.type for value in self.values])
        return self.infer_output_shape(promotion)


def operands(op: OpDef, own: tuple, types: tuple, promotion: str) -> tuple:
    """The types of an op's arguments; of a number of Python's that is open its kind, where it is an operand as arrays are."""
    if not op.traits & Trait.ELEMENTWISE:
        return types
    return tuple([_kind_of(arg, promotion) if known is rules.OPEN else known for arg, known in zip(own, types)])


def _kind_of(arg: Any, promotion: str) -> Any:
    kind = arg.kind if isinstance(arg, Typed) else None
    return LogicalTensor(default(kind[0], promotion), (), weak=True) if kind in KINDS else rules.OPEN


def _type_of(leaf: Any) -> Any:
    if not isinstance(leaf, Typed):
        return leaf
    if leaf.type is None:
        return rules.UNKNOWN if leaf.is_tensor else rules.OPEN
    return leaf.type
