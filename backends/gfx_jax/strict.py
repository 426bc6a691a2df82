"""Functions of jax.lax take the dtypes that they name: they promote nothing, and each is asked itself whether it takes these."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import jax

from gfx_ir.build import assumptions
from gfx_ir.dtypes import DTYPES, NUMBERS, DType
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

_OF_KINDS = dict(zip(NUMBERS, (DTYPES[name] for name in ("bool", "uint8", "int32", "float32", "complex64"))))
_SHAPES: tuple[tuple[int, ...], ...] = ((2,), (2, 2), (), (2, 2, 2))


class Strict:
    """What functions of jax.lax take, as far as they were asked."""

    def __init__(self) -> None:
        self._taken: dict[Any, str | None] = {}

    def asked(self, target: Any, name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The lift `fn` of a function, which refuses arrays of dtypes that the function does not take."""

        @functools.wraps(fn)
        def lift(*args: Any, **kwargs: Any) -> Any:
            arrays = [leaf for leaf in leaves((args, kwargs)) if type(leaf) is Value]
            if arrays and all(leaf.is_tensor for leaf in arrays):
                self._check(target, name, (args, kwargs), arrays)
            return fn(*args, **kwargs)

        return lift

    def _check(self, target: Any, name: str, given: tuple, arrays: list[Value]) -> None:
        types = {x: x.type for x in arrays}
        open_ = [x for x, type_ in types.items() if not isinstance(type_, LogicalTensor) or type_.dtype is None]
        if not open_:
            if len({(type_.dtype, type_.weak) for type_ in types.values()}) > 1 or arrays[0].type.dtype.kind != "f":
                why = self._refused(target, given, {x: type_.dtype for x, type_ in types.items()}, arrays)
                if why:
                    raise UnsupportedConstruct(f"{name}: {why}", hint="cast what it gets first: x.astype(dtype)")
            return
        assumed = assumptions()
        if assumed is None or len(open_) != len(types):
            return
        each = {kind: dict.fromkeys(types, dtype) for kind, dtype in _OF_KINDS.items()}
        if not self._refused(target, given, each["f"], arrays) or not self._refused(target, given, each["i"], arrays):
            taken = "".join(kind for kind in NUMBERS if not self._refused(target, given, each[kind], arrays))
            if taken and not {"i", "f"}.issubset(taken):
                assumed.kinds(name, list(types), taken)

    def _refused(self, target: Any, given: tuple, dtypes: Mapping[Value, DType], arrays: list[Value]) -> str | None:
        """What the function says of arrays of these dtypes; None where it takes them."""
        told = tuple([dtypes[leaf] if type(leaf) is Value else _told(leaf) for leaf in leaves(given)])
        key = target, told, tuple([x.type.dims if isinstance(x.type, LogicalTensor) else None for x in arrays])
        if key not in self._taken:
            self._taken[key] = _answer(target, given, dtypes, arrays)
        return self._taken[key]


def _told(leaf: Any) -> Any:
    """What a function asks of an argument that is no array of the graph."""
    if getattr(type(leaf), "__hash__", None) is None:
        return type(leaf), getattr(leaf, "dtype", None), getattr(leaf, "shape", None)
    return type(leaf), leaf


def _answer(target: Any, given: tuple, dtypes: Mapping[Value, DType], arrays: list[Value]) -> str | None:
    """Ask it; where shapes are open, of some, until one is found at which it takes floating-point numbers."""
    for shapes in _shapes(arrays):
        if _error(target, given, dict.fromkeys(arrays, _OF_KINDS["f"]), shapes) is None or _known(arrays):
            return _error(target, given, dtypes, shapes)
    return None


def _known(arrays: Iterable[Value]) -> bool:
    dims = [x.type.dims if isinstance(x.type, LogicalTensor) else None for x in arrays]
    return all(sizes is not None and all(type(size) is int for size in sizes) for sizes in dims)


def _shapes(arrays: list[Value]) -> Iterable[dict[Value, tuple]]:
    if _known(arrays):
        return [{x: x.type.dims for x in arrays}]
    return [dict.fromkeys(arrays, shape) for shape in _SHAPES]


def _error(target: Any, given: tuple, dtypes: Mapping[Value, DType], shapes: Mapping[Value, tuple]) -> str | None:
    def struct(x: Value) -> Any:
        weak = isinstance(x.type, LogicalTensor) and x.type.weak
        dtype = jax.dtypes.canonicalize_dtype(dtypes[x].numpy)
        return jax.ShapeDtypeStruct(shapes[x], dtype, weak_type=weak)

    order = list(shapes)

    def call(*xs: Any) -> Any:
        put = dict(zip(order, xs))
        args, kwargs = tree_map(lambda leaf: _native(put, leaf), given)
        return target(*args, **kwargs)

    try:
        jax.eval_shape(call, *map(struct, order))
    except TypeError as error:
        return str(error).partition("\n")[0]
    except Exception:  # what is wrong besides dtypes the lift tells
        return None
    return None


def _native(put: Mapping[Value, Any], leaf: Any) -> Any:
    if type(leaf) is Value:
        return put[leaf]
    return leaf.numpy if type(leaf) is DType else leaf
