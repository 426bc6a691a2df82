"""Functions that are told where to put their result: `np.add(a, b, out=c)`, `F.normalize(x, out=y)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gfx_ir.types import LogicalTensor

from ..heap.aliases import array_is_written
from ..heap.chains import is_alone
from ..interfaces import Capturing
from ..values.called import called_name
from ..values.proxy import Proxy


def put_into(tracer: Capturing, f: Any, args: tuple, kwargs: dict, backend: Any) -> Proxy | None:
    """f(*args, out=x, **kwargs): x, which is written; by a ufunc at the places of `where` alone. None where there is no x."""
    if backend is None or not backend.views:
        return None
    args, kwargs = _named(f, args, kwargs)
    out = kwargs.pop("out", None)
    if out is None:
        return None
    places = {"where": kwargs.pop("where")} if isinstance(f, np.ufunc) and "where" in kwargs else {}
    target = out[0] if type(out) is tuple and len(out) == 1 else out
    if type(target) is not Proxy and tracer.arrays.array_owner(target) is not None:
        target = tracer.arrays.array_proxy(target)
    made = tracer.calls.call(f, args, kwargs)
    if type(target) is not Proxy or type(made) is not Proxy:
        raise tracer.error(f"GFX cannot convert out= of {called_name(f)}", "assign the result instead")
    if not backend.numbers:
        return _into_tensor(tracer, f, target, made)
    array_is_written(target, "return arrays must be of ArrayType")
    tracer.calls.call(np.copyto, (target, made), places)
    return target


def _into_tensor(tracer: Capturing, f: Any, target: Proxy, made: Proxy) -> Proxy:
    """A tensor, which is written where it is of the result's type: one of other sizes would be made anew in its memory, which is no
    matter where nothing else has seen it."""
    own, type_ = (tracer.arrays.type_of(x.read()) for x in (target, made))
    if own is not None and type_ is not None and own.dtype is type_.dtype is not None and is_alone(target, None):
        target.write(made.read())
        return target
    if _whole(own) is None or _whole(own) != _whole(type_):
        what = f"GFX cannot convert out= of {called_name(f)} where it does not know that the tensor is of the result's type"
        raise tracer.error(what, "assign the result instead")
    tracer.views.setitem(target, ..., made)
    return target


def _whole(type_: LogicalTensor | None) -> tuple | None:
    """Sizes and element type, where all of them are known."""
    if type_ is None or type_.dtype is None or type_.dims is None or None in type_.dims:
        return None
    return (*type_.dims, type_.dtype)


def _named(f: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a call, with what a ufunc is to write as `out`: it may stand behind what is computed with."""
    if not isinstance(f, np.ufunc) or len(args) <= f.nin:
        return args, dict(kwargs)
    return args[: f.nin], {**kwargs, "out": args[f.nin :]}
