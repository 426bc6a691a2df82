"""jax.lax.associative_scan as one equation, of whatever length: JAX's own code of it is written for the number of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import batching

from gfx_ir.probing import stated_name

from ..recorded.names import calling
from .kept import by_equations, without_consts
from .replaying import Replaying
from .symbolic import OpenSizes

_OWN: Callable[..., Any] = lax.associative_scan.__wrapped__  # type: ignore[attr-defined]
_SCAN = Primitive("associative_scan")


def kept_scans(scope: OpenSizes) -> AbstractContextManager[None]:
    """While jax.lax.associative_scan writes one equation."""

    def scan(fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
        leaves, tree = jax.tree.flatten(elems)
        if not callable(fn) or not leaves:
            return _OWN(fn, elems, reverse, axis)
        arrays = [jnp.asarray(x) for x in leaves]
        along = range(arrays[0].ndim)[axis]
        _elements_shape_rule([x.shape[along] for x in arrays])

        def combine(*slices: Any) -> list[Any]:
            left, right = (jax.tree.unflatten(tree, half) for half in (slices[: len(arrays)], slices[len(arrays) :]))
            return jax.tree.leaves(fn(left, right))

        whole, item = (_traced(combine, arrays, along, size) for size in (scope.part(), 1))
        _result_dtype_rule(whole.out_avals, arrays)
        consts = [*whole.consts, *item.consts]
        params = {"whole": without_consts(whole), "item": without_consts(item), "held": len(whole.consts)}
        turned = (lambda x: lax.rev(x, (along,))) if reverse else (lambda x: x)
        name = stated_name(fn, "combine")
        found = _SCAN.bind(*consts, *map(turned, arrays), **params, axis=along, name=name)
        return jax.tree.unflatten(tree, map(turned, found))

    return calling(lax.associative_scan, scan)


def _elements_shape_rule(sizes: Sequence[Any]) -> None:
    """Raises ValueError where arrays have not all as many elements: open sizes are asked whether they are one."""
    if any(size != sizes[0] for size in sizes):
        raise ValueError(f"Array inputs to associative_scan must have the same first dimension: {sizes}")


def _result_dtype_rule(made: Sequence[Any], arrays: Sequence[Any]) -> None:
    if [x.dtype for x in made] != [x.dtype for x in arrays]:
        raise TypeError("lax.associative_scan: what fn gives has not the dtypes of what it takes")


def _slices(arrays: Sequence[Any], axis: int, size: Any) -> list[jax.ShapeDtypeStruct]:
    shapes = [(*x.shape[:axis], size, *x.shape[axis + 1 :]) for x in arrays]
    return [jax.ShapeDtypeStruct(shape, x.dtype, weak_type=x.weak_type) for shape, x in zip(shapes, arrays)]


def _traced(combine: Callable[..., Any], arrays: Sequence[Any], axis: int, size: Any) -> Any:
    return jax.make_jaxpr(combine)(*_slices(arrays, axis, size) * 2)


def _parts(args: Sequence[Any], params: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """What the function of slices holds, what that of single elements does, and the elements."""
    held, count = params["held"], len(params["whole"].out_avals)
    return list(args[:held]), list(args[held:-count]), list(args[-count:])


def _equations(*args: Any, **params: Any) -> list[Any]:
    """The scan as JAX's own operations: its own code where the number of elements is known, else one element after the other."""
    axis, (_, held, elems) = params["axis"], _parts(args, params)

    def of_one(*row: Any) -> list[Any]:
        found = jaxpr_as_fun(params["item"])(*held, *(jnp.expand_dims(x, axis) for x in row))
        return [jnp.squeeze(x, axis) for x in found]

    if not jax.export.is_symbolic_dim(elems[0].shape[axis]):
        several = jax.vmap(of_one, in_axes=axis, out_axes=axis)
        return list(_OWN(lambda left, right: several(*left, *right), elems, axis=axis))
    rows = [jnp.moveaxis(x, axis, 0) for x in elems]

    def following(before: list[Any], row: list[Any]) -> tuple[list[Any], list[Any]]:
        new = of_one(*before, *row)
        return new, new

    first, others = ([lax.slice_in_dim(x, *ends) for x in rows] for ends in ((0, 1), (1, None)))
    _, rest = lax.scan(following, [jnp.squeeze(x, 0) for x in first], others)
    return [jnp.moveaxis(jnp.concatenate((x, y)), 0, axis) for x, y in zip(first, rest)]


def _in_batch(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple[list[Any], list[int]]:
    """The scan of a batch: its axis is put first."""
    size = next(x.shape[dim] for x, dim in zip(args, dims) if dim is not None)
    moved = [x if dim is None else jnp.moveaxis(x, dim, 0) for x, dim in zip(args, dims)]
    fixed, own, elems = _parts(moved, params)
    elems = [
        x if dim is not None else jnp.broadcast_to(x, (size, *x.shape)) for x, dim in zip(elems, dims[-len(elems) :])
    ]
    outer = [None if dim is None else 0 for dim in dims]
    made = {}
    for key, held, axes in (("whole", fixed, outer[: len(fixed)]), ("item", own, outer[len(fixed) : -len(elems)])):
        inner = params[key]
        slices = [jax.ShapeDtypeStruct((size, *x.shape), x.dtype) for x in inner.in_avals[len(held) :]]
        mapped = jax.vmap(jaxpr_as_fun(inner), in_axes=(*axes, *(0 for _ in slices)))
        made[key] = jax.make_jaxpr(mapped)(*held, *slices)
    found = _SCAN.bind(*fixed, *own, *elems, **{**params, **made, "axis": params["axis"] + 1})
    return found, [0] * len(found)


by_equations(_SCAN, _equations)
_SCAN.def_abstract_eval(lambda *args, **params: _parts(args, params)[2])
batching.primitive_batchers[_SCAN] = _in_batch


def associative_scan(replay: Replaying, eqn: Any) -> Any:
    """The equation as a call."""
    held, _, elems = _parts(eqn.invars, eqn.params)
    held = list(map(replay.value, held))

    def combine(left: Sequence[Any], right: Sequence[Any]) -> tuple:
        return tuple(replay.run(eqn.params["whole"], [*held, *left, *right]))

    combine.__name__ = eqn.params["name"]
    return replay.call(lax.associative_scan, combine, tuple(map(replay.value, elems)), axis=eqn.params["axis"])
