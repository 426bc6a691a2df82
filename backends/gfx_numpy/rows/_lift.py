"""What the lifts of all families share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.build import rank_of
from gfx_ir.defaults import dtype_for
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.op import active
from gfx_ir.ops import _seen
from gfx_ir.trees import leaves

Lifted = Callable[..., Any]
# Options of functions and ufuncs, with the values that say nothing (None for those not named).
_SILENT = {
    "where": (True, None), "casting": ("same_kind", "unsafe"), "order": ("K", "C", None), "subok": (True, False),
    "device": (None, "cpu"), "copy": (True, None), "keepdims": (False, None), "norm": (None, "backward"),
}  # fmt: skip


def refuse(call: str, **options: Any) -> None:
    """Raise MissingOp where an option is given whose meaning no op can express."""
    for name, value in options.items():
        silent = _SILENT.get(name, (None,))
        if not any(value is s or (type(value) is type(s) and value == s) for s in silent):
            raise MissingOp(f"GFX has no row for {call} with {name}=", hint="leave it out, or compute it apart")


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


def tensor(x: Any, dtype: Any = None) -> Any:
    """What np.asarray makes of x: an array as it is, a list of numbers or arrays joined into one."""
    if isinstance(x, Value) and x.is_tensor:
        return x if dtype is None else ops.astype(x, dtype)
    if isinstance(x, (list, tuple)):
        inside = [leaf for leaf in leaves(x) if isinstance(leaf, Value)]
        if not inside:
            return ops.constant(_frozen(x), dtype or dtype_for(x, "numpy"))
        if any(leaf.is_tensor for leaf in inside):
            joined = ops.stack(tuple(tensor(item) if isinstance(item, (list, tuple)) else item for item in x))
            return joined if dtype is None else ops.astype(joined, dtype)
    return ops.as_tensor(x, dtype=dtype or dtype_for(x, "numpy"))


def _frozen(x: Any) -> Any:
    return tuple(map(_frozen, x)) if isinstance(x, (list, tuple)) else x


def as_array(x: Any) -> Any:
    """An argument that may be a list in place of an array; arrays and numbers stay as they are."""
    return tensor(x) if isinstance(x, (list, tuple)) else x


def unary(op: Any) -> Lifted:
    """The lift of a ufunc of one array."""

    def lift(x: Any, /, **options: Any) -> Any:
        refuse(f"np.{op.name}", **options)
        return op(as_array(x))

    return lift


def binary(op: Any) -> Lifted:
    """The lift of a ufunc of two arrays."""

    def lift(x1: Any, x2: Any, /, **options: Any) -> Any:
        refuse(f"np.{op.name}", **options)
        return op(as_array(x1), as_array(x2))

    return lift


def swapped(op: Any) -> Lifted:
    """The lift of a reflected operator: `x.__rsub__(y)` is `y - x`."""
    return lambda x, other: op(as_array(other), x)


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
    """Whether these are plain integers, or sequences of them."""
    for value in values:
        if isinstance(value, (tuple, list)):
            if not literal(*value):
                return False
        elif type(value) is not int:
            return False
    return True
