"""einops: its functions and layers, captured as the ops that their patterns say."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from gfx_ir import ops
from gfx_ir.backend import Backend, Lift
from gfx_ir.errors import MissingOp
from gfx_ir.lifting import axis_patterns as patterns
from gfx_ir.op import active
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy
from .conversion import convert


class _Meant(NamedTuple):
    """A call: what is built of these arguments, and whether it may copy where it could be a view."""

    build: Callable[..., Any]
    args: tuple
    kwargs: dict[str, Any]
    copies: bool = False


def _arranged(tensor: Any, pattern: Any, reduction: Any, sizes: dict[str, Any]) -> _Meant | None:
    found = patterns.parsed(pattern, "sum" if callable(reduction) else reduction, tuple(sizes))
    if found is None:
        return None
    how = partial(_own, reduction) if callable(reduction) else reduction
    name = reduction if reduction in ("rearrange", "repeat") else "reduce"
    call = f"einops.{name} {pattern!r}"
    build = lambda x, /, **sizes: patterns.rearranged(x, found, how, sizes, call, pattern if _kept() else "")
    return _Meant(build, (tensor,), sizes, patterns.merges(found))


def _kept() -> bool:
    """Whether calls of einops stay such."""
    tracer: Any = active.builder
    return bool(tracer.options["einops"])


def _own(reduction: Callable[..., Any], x: Any, axes: tuple[int, ...]) -> Any:
    """A reduction of the caller's own, entered."""
    tracer: Any = active.builder
    return tracer.unwrap(tracer.calls.call(reduction, (tracer.wrap(x, tracer.backend), axes), {}))


def _product(*args: Any) -> _Meant | None:
    *tensors, pattern = args
    equation = patterns.subscripts(pattern)
    return None if equation is None else _Meant(lambda *x: ops.einsum(equation, x), tuple(tensors), {})


def _packed(tensors: Any, pattern: Any) -> _Meant | None:
    found = patterns.around(pattern)
    if found is None or not isinstance(tensors, (list, tuple)) or not tensors:
        return None
    return _Meant(lambda *x: patterns.packed(x, *found, f"einops.pack {pattern!r}"), tuple(tensors), {})


def _unpacked(tensor: Any, packed_shapes: Any, pattern: Any) -> _Meant | None:
    found = patterns.around(pattern)
    if found is None or not isinstance(packed_shapes, (list, tuple)) or not all(map(_is_shape, packed_shapes)):
        return None
    return _Meant(
        lambda x, shapes: patterns.unpacked(x, shapes, *found, f"einops.unpack {pattern!r}"),
        (tensor, packed_shapes),
        {},
    )


def _is_shape(x: Any) -> bool:
    """Whether x is a shape of which no size is left to be found out."""
    if isinstance(x, (list, tuple)):
        return not any(type(size) is int and size == -1 for size in x)
    return type(x) is HostProxy


_CALLS: dict[tuple[str, str], Callable[..., _Meant | None]] = {
    ("einops.einops", "rearrange"): lambda tensor, pattern, **sizes: _arranged(tensor, pattern, "rearrange", sizes),
    ("einops.einops", "repeat"): lambda tensor, pattern, **sizes: _arranged(tensor, pattern, "repeat", sizes),
    ("einops.einops", "reduce"): lambda tensor, pattern, reduction, **sizes: _arranged(
        tensor, pattern, reduction, sizes
    ),
    ("einops.einops", "einsum"): _product,
    ("einops.packing", "pack"): _packed,
    ("einops.packing", "unpack"): _unpacked,
    ("einops.layers", "RearrangeMixin._apply_recipe"): lambda self, x: _layer(self, x),
    ("einops.layers", "ReduceMixin._apply_recipe"): lambda self, x: _layer(self, x),
}
_LAYERS = frozenset((("einops.layers.torch", "Rearrange"), ("einops.layers.torch", "Reduce")))


def _layer(layer: Any, x: Any) -> _Meant | None:
    return _arranged(x, layer.pattern, getattr(layer, "reduction", "rearrange"), layer.axes_lengths)


def _known(f: Any, table: Any) -> tuple[str, str] | None:
    """The entry of a table that is about a function or class."""
    key = f.__module__, f.__qualname__
    return key if key in table and attrgetter(key[1])(sys.modules[key[0]]) is f else None


def pattern_call(f: Any) -> Callable[..., Any] | None:
    """The handler of a function of einops; None for any other callable."""
    key = _known(f, _CALLS) if type(f) is types.FunctionType else None
    return None if key is None else partial(_handled, _CALLS[key])


def _handled(meaning: Callable[..., _Meant | None], tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A call of such a function; where it is none that patterns tell, or is about no array, its own code is entered."""
    try:
        meant = meaning(*args, **kwargs)
    except TypeError:  # arguments that it does not take: its own code says so
        meant = None
    owner = None if meant is None else _owner(tracer, meant.args)
    if meant is None or owner is None:
        return tracer.calls.enter(convert(f, tracer), f, args, kwargs)
    lift = Lift(f"einops.{f.__name__}", meant.build, copies="maybe" if meant.copies else False)
    return tracer.apply(lift, meant.args, meant.kwargs, owner)


def _owner(tracer: Capturing, tree: Any) -> Backend | None:
    """The framework of the first array among these."""
    for leaf in leaves(tree):
        owner = leaf.backend if type(leaf) is Proxy else tracer.arrays.array_owner(leaf)
        if owner is not None:
            return owner
    return None


def pattern_layer(kind: type) -> Lift | None:
    """The row of a layer of einops; None for any other class of modules."""
    return None if _known(kind, _LAYERS) is None else Lift(f"einops.{kind.__name__}", _of_layer, copies=_copies)


def _copies(layer: Any, x: Any) -> bool | str:
    meant = _layer(layer, x)
    return "maybe" if meant is not None and meant.copies else False


def _of_layer(layer: Any, x: Any) -> Any:
    meant = _layer(layer, x)
    if meant is None:  # what the layer was made with was a pattern
        raise MissingOp(f"GFX has no row for a layer with the pattern {layer.pattern!r}")
    return meant.build(*meant.args, **meant.kwargs)
