"""Python's operators on what stands for values: each becomes an op of the same meaning, or is asked of the Tracer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops, python_numbers
from gfx_ir.op import OpDef
from gfx_ir.python_numbers import COMPARING_METHODS, METHODS

from ..values.gated import Gated
from ..values.here import here
from ..values.proxy import Captured, HostProxy, Proxy, number_kinds
from .compared import Compared, Operand
from .plain import combined

SYMBOLS = {**python_numbers.SYMBOLS, "@": "matmul"}
"""The ops of Python's signs between two operands."""
_OF_OPS = {op: sign for sign, op in SYMBOLS.items()}
SIGNS = {name: _OF_OPS[op] for name, op in (*METHODS.items(), *COMPARING_METHODS.items())}
"""Python's signs between two operands, by what their special methods are called."""
UNARY = {"neg": ("neg", "negative"), "pos": ("+", "positive"), "invert": ("~", "bitwise_invert"), "abs": ("abs", "abs")}


def _tensor_binary(sign: str, op: OpDef, swapped: bool) -> Callable[[Any, Any], Any]:
    def method(x: Proxy, other: Any) -> Any:
        builder = here()
        if other.__class__ is Operand or other.__class__ is Gated:
            return NotImplemented
        other = builder.operands.as_array(sign, x, other.items if other.__class__ is Compared else other)
        operand = builder.operands.operand(other, x.backend)
        if operand is NotImplemented:
            return builder.operands.no_operand(sign, *((other, x) if swapped else (x, other)))
        value = x.value if x.base is None else x.read()
        if type(other) is Proxy and other.backend is not x.backend:
            number = builder.operands.beside(x, other.backend)
            if number is not x:
                return _tensor_binary(sign, op, not swapped)(other, number)
        operands = (operand, value) if swapped else (value, operand)
        own = number_kinds(x)
        theirs = own and number_kinds(other)
        owner = x.backend if theirs or not own or type(other) is not Proxy else other.backend
        if not theirs and owner is not None and op.name in owner.operators:
            builder.operands.check_operands(op, operands, owner)
        made = builder.add(op, builder.operands.spoken(op, operands, builder.operands.speaker(other, owner)))
        kinds = (
            combined(builder, op.name, operands, (theirs, own) if swapped else (own, theirs), made) if theirs else ""
        )
        return Proxy(made, owner, kinds)

    return method


def _host_binary(sign: str, op: OpDef, swapped: bool) -> Callable[[Any, Any], Any]:
    def method(x: HostProxy, other: Any) -> Any:
        builder = here()
        if isinstance(other, (Proxy, Operand, Compared, Gated)):
            return NotImplemented
        return (
            builder.host_values.host_binary(sign, op, other, x)
            if swapped
            else builder.host_values.host_binary(sign, op, x, other)
        )

    return method


def _tensor_inplace(sign: str) -> Callable[[Any, Any], Any]:
    def method(x: Proxy, other: Any) -> Any:
        return here().views.inplace(sign, x, other)

    return method


def _unary(sign: str, op: OpDef) -> Callable[[Any], Any]:
    def method(x: Any) -> Any:
        return here().views.unary(sign, op, x)

    return method


def _install() -> None:
    for name, op_name in {**METHODS, **COMPARING_METHODS}.items():
        op, sign = getattr(ops, op_name), SIGNS[name]
        setattr(Proxy, f"__{name}__", _tensor_binary(sign, op, False))
        setattr(HostProxy, f"__{name}__", _host_binary(sign, op, False))
        if name in METHODS:
            setattr(Proxy, f"__r{name}__", _tensor_binary(sign, op, True))
            setattr(HostProxy, f"__r{name}__", _host_binary(sign, op, True))
            setattr(Proxy, f"__i{name}__", _tensor_inplace(sign))
    for name, (sign, op_name) in UNARY.items():
        setattr(Captured, f"__{name}__", _unary(sign, getattr(ops, op_name)))


_install()
