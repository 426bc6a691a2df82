"""Functions of NumPy that are told where to put their result: `np.add(a, b, out=c)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..heap.aliases import array_is_written
from ..interfaces import Capturing
from ..values.called import called_name
from ..values.proxy import Proxy


def put_into(tracer: Capturing, f: Any, args: tuple, kwargs: dict, backend: Any) -> Proxy | None:
    """f(*args, out=x, **kwargs): x, which is written; by a ufunc at the places of `where` alone. None where there is no x."""
    if backend is None or not backend.numbers:
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
    array_is_written(target, "return arrays must be of ArrayType")
    tracer.calls.call(np.copyto, (target, made), places)
    return target


def _named(f: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a call, with what a ufunc is to write as `out`: it may stand behind what is computed with."""
    if not isinstance(f, np.ufunc) or len(args) <= f.nin:
        return args, dict(kwargs)
    return args[: f.nin], {**kwargs, "out": args[f.nin :]}
