"""What the lifts of all families share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.build import rank_of
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.op import active
from gfx_ir.ops import _seen

Lifted = Callable[..., Any]


def refuse(call: str, **options: Any) -> None:
    """Raise MissingOp where an option is given (is not None) that no op can express."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise MissingOp(f"GFX has no row for {call} with {', '.join(given)}=", hint="leave it out, or compute it apart")


def expect(call: str, name: str, value: Any, *allowed: Any) -> None:
    """Raise MissingOp where an option has a value other than these."""
    if not any(value is a or (type(value) is type(a) and value == a) for a in allowed):
        raise MissingOp(f"GFX has no row for {call} with {name}={value!r}", hint=f"it covers {name}={allowed[0]!r}")


def element(dtype: Any) -> Any:
    """A dtype argument: a DType, None, an open dtype, or a name. Raises MissingOp for what is none of these."""
    if isinstance(dtype, str):
        if dtype not in DTYPES:
            raise MissingOp(f"GFX knows no dtype {dtype!r}", hint=f"it knows {', '.join(DTYPES)}")
        return DTYPES[dtype]
    if dtype is None or isinstance(dtype, (DType, Value)):
        return dtype
    raise MissingOp(f"GFX knows no dtype {dtype!r}", hint=f"it knows {', '.join(DTYPES)}")


def unary(op: Any) -> Lifted:
    """The lift of a function of one array; options that frameworks add must be left out."""

    def lift(x: Any, **options: Any) -> Any:
        refuse(op.name, **options)
        return op(x)

    return lift


def binary(op: Any) -> Lifted:
    """The lift of a function of two arrays."""

    def lift(x1: Any, x2: Any, **options: Any) -> Any:
        refuse(op.name, **options)
        return op(x1, x2)

    return lift


def swapped(op: Any) -> Lifted:
    """The lift of a reflected operator: `x.__rsub__(y)` is `y - x`."""
    return lambda x, other: op(other, x)


def plain(x: Any) -> bool:
    """Whether x may be a Python number when the code runs, which has no methods of an array."""
    return _seen.is_plain(x)


def whole(x: Any) -> bool:
    """Whether x is known to hold integers or truth values, which functions of jax.lax do not take as floats."""
    found = _seen.dtype(x) if isinstance(x, Value) else getattr(x, "dtype", None)
    return isinstance(x, int) or (found is not None and found.kind in "biu")


def rank(x: Any) -> int | None:
    """The rank of an argument where it is known; that of a parameter is, by its data."""
    found = _seen.rank(x)
    if found is None and isinstance(x, Value) and x.node.op.name == "parameter":
        found = getattr(getattr(active.builder, "params", {}).get(x.node.args[0]), "ndim", None)
    return found


def ask_rank(x: Any, why: str, assumed: int | None = None) -> int:
    """The rank of x. Where it is open: `assumed`, under a guard if the capture can hold one; else an error."""
    found = rank(x)
    assume = getattr(active.builder, "assume_rank", None)
    if found is None and assumed is not None and assume is not None:
        assume(x, assumed)
        return assumed
    return rank_of(x, why) if found is None else found


def literal(*values: Any) -> bool:
    """Whether these are plain integers (or sequences of them) that a spelling can write out."""
    for value in values:
        if isinstance(value, (tuple, list)):
            if not literal(*value):
                return False
        elif type(value) is not int:
            return False
    return True


def each(values: Any, count: int) -> tuple:
    """One number for each axis. Raises MissingOp for numbers that are only known when the code runs."""
    if not literal(tuple(values)):
        refuse("windows whose sizes are open", sizes=values)
    return tuple(values) * (count if len(values) == 1 else 1)
