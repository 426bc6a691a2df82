"""Values of a device: eager, or lazy expressions; as what runs ops, and as a namespace of the array API standard."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..array_api.namespace import Namespace
from ..backend import Backend
from ..dtypes import DType
from ..edges import UNBOUND
from ..errors import DeviceError
from ..graph import Node
from ..graph import Value as GraphValue
from ..op import OpDef, Point
from ..trees import BRANCHES, tree_map
from ..types import LogicalTensor
from .application import Application
from .device import Device
from .devices import REFERENCE, device
from .dispatch import Dispatch
from .expression import UNSET as EMPTY
from .expression import Deferred, Evaluator, Expression, users_line
from .transfer import moved
from .value import UNSET, Value

HOST = device(REFERENCE)


class Values(Backend):
    """`Values("torch")` makes values on a device and applies ops to them: input shapes, output shapes, the device's implementation
    or the fallback (see Dispatch). `lazy`: what ops give is computed once it is asked for, of data as it was when they were called:
    values have a copy of it.

    An executor runs a program on it: lazily, only what tests and results ask for is computed.
    """

    def __init__(self, on: Device | str, lazy: bool = False, on_fault: str = "raise") -> None:
        super().__init__((), {}, {})
        self.place = device(on) if isinstance(on, str) else on
        self.name, self.promotion, self.lazy = self.place.name, self.place.promotion, lazy
        self.dispatch = Dispatch(self.place, on_fault)
        self.evaluator = Evaluator(self.dispatch)
        self._lock = threading.RLock()
        self._others: dict[Device, Values] = {}

    @functools.cached_property
    def xp(self) -> ValueNamespace:
        """The array API standard, on its values."""
        return ValueNamespace(self)

    # ------------------------------------------------------------------ data
    def __call__(self, x: Any) -> Value:
        """A value of data: NumPy's, this device's own, a number or list, or what speaks DLPack."""
        if isinstance(x, Value):
            return x.to(self.place)
        if self.place.holds(x):
            return Value(self, self.place.copied(x) if self.lazy else x)
        if hasattr(x, "__dlpack__") and not isinstance(x, (np.ndarray, np.generic)):
            x = np.from_dlpack(x)
        x = HOST.in_layout(x, None)
        return Value(self, self.place.from_host(np.array(x) if self.lazy else np.asarray(x)))

    def is_tensor(self, x: Any) -> bool:
        return isinstance(x, Value)

    def dtype_of(self, x: Any) -> DType:
        return x.dtype  # type: ignore[no-any-return]

    def shape_of(self, x: Any) -> tuple[int, ...]:
        return x.shape  # type: ignore[no-any-return]

    def type_of(self, x: Any) -> LogicalTensor:
        return x.type  # type: ignore[no-any-return]

    def as_dtype(self, x: Any) -> DType | None:
        return x if type(x) is DType else None

    def native_dtype(self, dtype: DType) -> Any:
        return dtype

    def to_host(self, x: Any) -> Any:
        return x.to_plain()

    def from_host(self, x: Any) -> Any:
        return Value(self, self.place.from_host(np.asarray(x)))

    def moved(self, value: Value, target: Device | str) -> Value:
        """A value on another device; what is an expression is evaluated, as it is data that moves."""
        there = device(target) if isinstance(target, str) else target
        if there is self.place:
            return value
        other = self._others.get(there)
        if other is None:
            other = self._others[there] = Values(there, self.lazy, self.dispatch.on_fault)
        return Value(other, moved(value.data(), self.place, there))

    # ------------------------------------------------------------------ run
    def run(self, op: OpDef, args: Sequence[Any]) -> Any:
        """What an op gives on values. Raises DeviceError where they lie on several devices."""
        if self.lazy:
            return self._defer(op, tuple(args))
        given = []
        for x in args:
            kind = type(x)
            if kind is Value:
                if x.builder.place is not self.place:
                    raise self._elsewhere(op, x)
                given.append(x._data if x._data is not UNSET else x.data())
            else:
                given.append(x if kind not in BRANCHES and kind is not np.ndarray else tree_map(self._own, x))
        found = self.dispatch.run(op, given)
        return Value(self, found) if type(found) in self.dispatch.arrays else self._wrapped(found)

    def _own(self, leaf: Any) -> Any:
        if type(leaf) is Value:
            if leaf.builder.place is not self.place:
                raise self._elsewhere(None, leaf)
            return leaf.data()
        return self.place.from_host(leaf) if isinstance(leaf, np.ndarray) and not self.place.holds(leaf) else leaf

    def _elsewhere(self, op: OpDef | None, x: Value) -> DeviceError:
        what = f"{op.name} takes" if op is not None else "an op takes"
        return DeviceError(
            f"{what} values of {self.name}, and one lies on {x.device.name}", hint=f"move it: x.to({self.name!r})"
        )

    def _wrapped(self, found: Any) -> Any:
        if isinstance(found, (tuple, list)):
            return type(found)([self._wrapped(part) for part in found])
        return Value(self, found) if self.dispatch.is_tensor(found) else found

    # ------------------------------------------------------------------ lazily
    def _defer(self, op: OpDef, args: tuple) -> Any:
        """An expression, where its results are tensors of known shapes; else it is computed now."""
        span = users_line()
        deferred = tree_map(self._deferred, args)
        application = Application(op, deferred, span)
        kinds = op.output_kinds(deferred)
        types = application.result_types(self.promotion) if set(kinds) == {"tensor"} else ()
        known = all(isinstance(type_, LogicalTensor) and type_.known for type_ in types)
        if (
            not types
            or not known
            or op.point is Point.PYTHON
            or len(types) != len(kinds)
            or any(leaf is None for leaf in args[: op.operands])
        ):
            given = tree_map(lambda leaf: leaf.data() if type(leaf) is Value else self._own(leaf), args)
            return self._wrapped(self.dispatch.run(op, given))
        found = Expression(self, op, deferred, types, span).forward()
        return found[0] if len(found) == 1 else found

    def _deferred(self, leaf: Any) -> Any:
        if type(leaf) is not Value:
            is_array = isinstance(leaf, np.ndarray) and leaf.ndim
            return self._deferred(self(leaf)) if is_array else leaf
        if leaf.builder.place is not self.place:
            raise self._elsewhere(None, leaf)
        if leaf.pending is not None:
            return leaf.pending
        leaf.pending = made = Deferred(leaf.type, data=leaf._data)
        return made

    def future(self, deferred: Deferred) -> Value:
        """The Value of a result that is to come."""
        made = Value(self, pending=deferred)
        deferred.hand_over(made)
        return made

    def evaluate(self, deferred: Deferred) -> Any:
        """The data of a result."""
        with self._lock:
            if deferred.data is EMPTY:
                self.evaluator.run(deferred)
            return deferred.data


def bind(node: Node, *inputs: Value) -> Expression:
    """A node of a graph on values, in the order of its inputs; its `forward()` gives futures of its outputs.

    Raises DeviceError without any value, ShapeError where their types do not fit.
    """
    if not inputs:
        raise DeviceError(f"{node.op.name} is bound to one value at least")
    builder: Values = inputs[0].builder
    given = iter(inputs)
    args = tree_map(lambda leaf: next(given) if leaf is UNBOUND or type(leaf) is GraphValue else leaf, node.args)
    deferred = tree_map(builder._deferred, args)
    types = Application(node.op, deferred, node.span).result_types(builder.promotion)
    return Expression(builder, node.op, deferred, types, node.span or users_line())


class ValueNamespace(Namespace):
    """The functions of the standard on Values: they take and give them as they are."""

    def __init__(self, on: Values) -> None:
        super().__init__(on)

    def unwrap(self, x: Any) -> Any:
        return x

    def wrapped(self, found: Any) -> Any:
        return found

    def _native(self, tree: Any) -> Any:
        return tree

    def _check(self, function: Any, given: Any) -> None:
        for x in given if isinstance(given, (tuple, list)) else (given,):
            if isinstance(x, Value) and x.dtype.kind not in function.kinds:
                raise TypeError(f"{function.name} does not take values of {x.dtype}")

    def device_of(self, x: Any) -> Any:
        return x.device.name
