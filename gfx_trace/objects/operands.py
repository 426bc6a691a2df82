"""Operands of Python's operators on tensors: what an op takes for them, and what Python says where it takes none."""

from __future__ import annotations

from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType, bool_, float64
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.number_conditions import SURE
from gfx_ir.op import OpDef, lookup
from gfx_ir.python_numbers import METHODS, OPEN

from ..interfaces import Capturing
from ..python.faults import EQUAL, class_name, no_operator, not_given
from ..values.numpy_numbers import number_when, scalar
from ..values.proxy import HostProxy, Proxy, Undefined, Unusable
from ..values.spoken import Spoken

_ASTYPE = lookup("astype")
_REFLECTED = {getattr(np, op): f"__r{name}__" for name, op in METHODS.items() if hasattr(np, op)}
"""What Python asks the right operand of, by the function of NumPy's that stands for the operator."""


class Operands:
    """What stands beside a tensor in an operation of Python's."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def operand(self, other: Any, backend: Backend | None = None) -> Any:
        """The right-hand operand of a Python operator as an argument of an op; NotImplemented where it cannot be one. `backend`: whose
        array the left one is."""
        kind = type(other)
        if kind is Proxy and other.backend is not backend:
            number = self.beside(other, backend)
            if number is not other:
                return self.operand(number)
        if kind is Proxy:
            return other.value if other.base is None else other.read()
        if kind is int or kind is float or kind is bool or kind is complex:
            return other
        if kind is HostProxy:
            return NotImplemented if backend is not None and other.value.kind == "str" else other.value
        if isinstance(other, Unusable):
            raise other.error
        if kind is Undefined or other is None or isinstance(other, (str, list, tuple, dict)):
            return NotImplemented
        if isinstance(other, np.generic) and backend is not None:
            return self.operand(self.beside(other, backend))
        converted = self.tracer.unwrap(other)
        return NotImplemented if converted is other and not isinstance(other, (np.generic, int, float)) else converted

    def as_array(self, sign: str, x: Proxy, other: Any) -> Any:
        """What stands beside an array of NumPy's, which takes a list or tuple for an array; anything else as it is. A number of NumPy's
        may be how often one is repeated."""
        if (
            type(other) not in (list, tuple)
            or x.backend is None
            or not x.backend.numbers
            or class_name(self.tracer, x) is None
        ):
            return other
        if x.weak or not_given(x) or (sign == "*" and number_when(x) is not None):
            return other
        return self.tracer.calls.call(np.asarray, (other,), {})

    def beside(self, x: Any, backend: Backend | None) -> Any:
        """x; where it is a fixed number or an array of NumPy's, what that is beside arrays of a framework."""
        if backend is None or backend.numbers:
            return x
        if type(x) is Proxy and x.backend is not None and scalar(x) is not None:
            held = self.tracer.record.content(x.value)
            if isinstance(held, np.ndarray) and not held.ndim:
                return backend.beside(held[()])
            if scalar(x) == SURE and type(backend.beside(np.float32(0))) is float:
                return self.tracer.wrap(ops.item(x.read()), backend)
        if type(x) is Proxy and x.backend is not None and x.backend.numbers:
            type_ = self.tracer.arrays.type_of(x.value)
            dtype = None if type_ is None else type_.dtype
            narrow = None if dtype is None else backend.beside_as(dtype)
            return x if narrow is dtype else Proxy(self.tracer.add(_ASTYPE, (x.read(), narrow)), backend)
        return backend.beside(x) if isinstance(x, np.generic) else x

    def reflected(self, ufunc: np.ufunc, operands: tuple) -> Any:
        """What `number * x` gives of a number of NumPy's and an array of another framework, which has the say: NumPy hands it over."""
        method, x = _REFLECTED.get(ufunc), operands[-1]
        if method is None or type(x) is not Proxy or not isinstance(operands[0], np.generic):
            return NotImplemented
        return NotImplemented if x.backend is None or x.backend.numbers else getattr(x, method)(operands[0])

    def speaker(self, other: Any, owner: Backend | None) -> Backend | None:
        """By whose rules an operator goes: where an array of NumPy's stands beside a tensor of another framework, NumPy computes."""
        if type(other) is not Proxy:
            return self.tracer.arrays.array_owner(other) if isinstance(other, np.ndarray) else owner
        numbers = other.backend is not None and other.backend.numbers and number_when(other) is None
        return other.backend if numbers else owner

    def rules(self, backend: Backend | None) -> str:
        """By which rules arrays of a framework promote: those of the program, but of NumPy's own in code of another framework that keeps
        their dtypes."""
        own = self.tracer.backend
        if backend is None or not backend.numbers or own is None or own.numbers or own.beside_as(float64) != float64:
            return self.tracer.promotion
        return backend.promotion

    def spoken(self, op: OpDef, operands: tuple, backend: Backend | None) -> tuple:
        """What an op takes where arrays of a framework are meant, cast so that these promote by its rules."""
        rules = self.rules(backend)
        if rules == self.tracer.promotion:
            return operands
        return Spoken(self.tracer.record, self.tracer.castable.sources, rules).taken(op, operands, self._cast)

    def _cast(self, x: Any, dtype: DType) -> Value:
        number = type(x) is not Value or self.tracer.record.weak(x)
        made: Value = (ops.as_tensor if number else ops.astype)(x, dtype)
        return made

    def check_operands(self, op: OpDef, operands: tuple, backend: Backend) -> None:
        """Raise UnsupportedConstruct where the framework's operator does not take arrays of these dtypes."""
        try:
            backend.operators[op.name](operands)
        except UnsupportedConstruct as error:
            error.span = error.span or self.tracer.span()
            raise

    def no_operand(self, sign: str, a: Any, b: Any) -> Any:
        """What Python makes of an operator on a tensor and something that is none; of an argument that was not given nothing is known."""
        x, other = (a, b) if type(a) is Proxy else (b, a)
        whole = x.weak in ("int", "bool", OPEN) or not (x.weak or x.backend is None or x.backend.numbers)
        if sign == "*" and whole and isinstance(other, (str, bytes, list, tuple)):
            self.tracer.python.number(x, f"how often a {type(other).__name__} is repeated")
        self.check_given(x, other)
        if (
            sign in EQUAL
            and other is None
            and number_when(x) in (None, SURE)
            and class_name(self.tracer, x) is not None
        ):
            return self._unlike(x, sign == "!=")
        return no_operator(self.tracer, sign, a, b)

    def _unlike(self, x: Proxy, answer: bool) -> Any:
        """Whether what a framework has there is, or is not, None: NumPy asks each element of an array."""
        if x.weak or x.backend is None or not x.backend.numbers:
            return NotImplemented
        return answer if number_when(x) == SURE else Proxy(ops.full_like(x.read(), answer, bool_), x.backend)

    def check_given(self, x: Proxy, other: Any) -> None:
        """Raises where an argument that was not given meets what no tensor is used with: it may be no tensor."""
        name, kind = not_given(x), class_name(self.tracer, other)
        if not name:
            return
        raise self.tracer.error(
            f"GFX cannot convert this operation: {name!r} was not given, so it stands for a tensor, and it meets a {kind}",
            f"annotate it in the signature (`{name}: {kind}`) if it is one, or give it at capture ({name}=...)",
        )
