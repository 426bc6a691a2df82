"""Which dtypes JAX's functions take: each is asked, by tracing it for arrays of them."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Hashable
from types import ModuleType
from typing import Any

import jax

from gfx_ir.build import assumptions, surely_boolean
from gfx_ir.dtypes import DType, bool_
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.lifting.words import known_dtype
from gfx_ir.types import LogicalTensor

from .mode import x64

_ASKED: tuple[ModuleType, ...] = (jax.numpy, jax.lax, jax.nn)
_PROBES = {"b": "bool", "u": "uint8", "i": "int32", "f": "float32", "c": "complex64"}
_EXACT = frozenset(filter(callable, (getattr(jax.lax, name) for name in dir(jax.lax) if not name.startswith("_"))))
"""Functions that promote nothing: their numbers are arrays of the dtype beside them wherever JAX's own tracer has written the call."""
_COMMON = frozenset("if")
"""A function that takes these is not asked of open dtypes: whoever leaves them open means numbers."""
_DIMS = (2, 2)  # of an array whose shape is open


def refusing(fn: Callable[..., Any], name: str, target: Any) -> Callable[..., Any]:
    """The lift `fn` of a function of JAX's, which refuses arrays of dtypes that the function does not take."""
    own = getattr(target, "__name__", "")
    if not own or not any(getattr(module, own, None) is target for module in _ASKED):
        return fn
    asks_open = target in _EXACT  # jax.numpy takes whole numbers wherever it takes fractions

    @functools.wraps(fn)
    def lift(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        tensors = [x for x in given if type(x) is Value and x.is_tensor]
        dtypes = list(map(_dtype, tensors))
        if None not in dtypes:
            said = _said(target, given, tuple(kwargs), "") if any(dtype.kind != "f" for dtype in dtypes) else ""  # type: ignore[union-attr]
            if said:
                raise UnsupportedConstruct(f"{name}: {said}", hint="cast what it gets first: x.astype(dtype)")
        elif asks_open:
            _assume(target, name, given, tuple(kwargs), [x for x, dtype in zip(tensors, dtypes) if dtype is None])
        return fn(*args, **kwargs)

    return lift


def _assume(target: Any, name: str, given: tuple, names: tuple[str, ...], tensors: list[Value]) -> None:
    """Take arrays of open dtypes to be of the kinds that the function takes, where these are not the common ones."""
    assumed = assumptions()
    if assumed is None or not any(_said(target, given, names, _PROBES[kind]) for kind in _COMMON):
        return
    taken = "".join(kind for kind, dtype in _PROBES.items() if not _said(target, given, names, dtype))
    if taken:
        assumed.kinds(name, tensors, taken)


def _said(target: Any, given: tuple, names: tuple[str, ...], dtype: str) -> str:
    """What the function says of the dtypes that it is given, `dtype` where they are open. "" where it takes them, or where it takes
    none in their place, so that it is not the dtypes that it says something of."""
    specs = [spec for x in given if (spec := _spec(x, dtype)) is not None]
    if len(specs) < len(given) or (target in _EXACT and any(spec[1] in (int, float) for spec in specs)):
        return ""
    said = _asked(target, tuple(specs), names, x64())
    others = (
        tuple(("array", probe, *spec[2:]) if spec[0] == "array" else spec for spec in specs)
        for probe in _PROBES.values()
    )
    return said if said and not all(_asked(target, other, names, x64()) for other in others) else ""


def _spec(x: Any, dtype: str) -> tuple | None:
    """An argument, to be told apart from others: an array by its dtype and shape; None for what stands for neither array nor constant."""
    if type(x) is not Value:
        return ("constant", type(x), x) if isinstance(x, Hashable) else None
    if not x.is_tensor:
        return None
    known = x.type if isinstance(x.type, LogicalTensor) else LogicalTensor(None)
    found = _dtype(x)
    dims = (None,) * len(_DIMS) if known.dims is None else known.dims
    sizes = tuple(dim if type(dim) is int else _DIMS[0] for dim in dims)
    return ("array", dtype if found is None else found.name, sizes, known.weak)


def _dtype(x: Value) -> DType | None:
    """The dtype of an array where it is known; what a comparison gave is boolean in any case."""
    return known_dtype(x) or (bool_ if surely_boolean(x) else None)


@functools.lru_cache(maxsize=4096)
def _asked(target: Any, specs: tuple, names: tuple[str, ...], wide: bool) -> str:
    """The first line of the error that a function raises; "" where it raises none. The last arguments are passed by `names`;
    `wide`: in which mode it is asked."""
    arrays = [jax.ShapeDtypeStruct(spec[2], spec[1], weak_type=spec[3]) for spec in specs if spec[0] == "array"]

    def called(*of: jax.Array) -> Any:
        waiting = iter(of)
        args = [next(waiting) if spec[0] == "array" else spec[2] for spec in specs]
        first = len(args) - len(names)
        return target(*args[:first], **dict(zip(names, args[first:])))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            jax.eval_shape(called, *arrays)
    except (TypeError, ValueError) as error:
        return str(error).partition("\n")[0] or type(error).__name__
    except Exception:  # of shapes that are not those of the call, and of values: the call itself raises it
        return ""
    return ""
