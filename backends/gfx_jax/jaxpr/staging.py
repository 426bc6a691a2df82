"""What JAX's own tracer makes of a function: a jaxpr, whose equations become calls of public functions of JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import jax
import jax.numpy as jnp

from gfx_ir.errors import BackendError, CaptureError, GfxError, OpenSizesRefused
from gfx_ir.making import Making, Replayed, Stagings
from gfx_ir.supposed import current
from gfx_ir.types import LogicalTensor

from ..recorded import Functions, kind_of, recording
from ..recorded.names import (
    as_equations,
    bounds_asked,
    equality_asked,
    lengths_of_arrays,
    permutations_of_sizes,
    ranges_of_floats,
    sizes_of_axes,
)
from .gradients import NEEDS_VALUES, kept_gradients
from .kept import Apart
from .moved import SEVERAL
from .replay import Replay
from .scans import kept_scans
from .supposing import Answers
from .symbolic import OpenSizes, bounds_of, symbolic


def stage(fn: Callable[..., Any], types: Sequence[LogicalTensor], functions: Functions, kept: Stagings) -> Replayed:
    """The jaxpr of fn on arrays of these types, as what makes its calls again: those of `functions` as they were, where the record of
    Python's calls beside it tells them. `kept`: of the same capture.

    Raises CaptureError where fn asks an array for its data, and BackendError for a type that JAX makes narrower.
    """
    result: Apart | None = None
    scope = _scope(types, kept)

    def recorded(*arrays: Any) -> list[Any]:
        nonlocal result
        result = Apart(fn(*arrays))
        return result.arrays()

    try:
        supposed = current.get()
        asked = equality_asked() if supposed is None else Answers(scope, supposed).asked()
        with (
            recording(functions, kind_of) as record,
            as_equations(),
            lengths_of_arrays(),
            ranges_of_floats(),
            sizes_of_axes(),
            permutations_of_sizes(),
            bounds_asked(bounds_of),
            _kept_calls(scope, kept.derive),
            asked,
        ):
            closed = jax.make_jaxpr(recorded)(*(_struct(type_, scope) for type_ in types))
    except GfxError:
        raise
    except NEEDS_VALUES as error:
        what = f"GFX cannot capture this: JAX's own tracer asks for data: {_first_line(error)}"
        raise CaptureError(what, hint="use lax.cond, lax.while_loop or jnp.where in the function") from error
    except (TypeError, ValueError, NotImplementedError, jax.errors.InconclusiveDimensionOperation) as error:
        refusal = _refusal(error, types, scope)
        if refusal is None:
            raise
        raise refusal from error

    def replay(making: Making, values: Sequence[Any]) -> Any:
        assert result is not None
        made = Replay(making, record)
        return result.rebuilt(made.run(closed, values), made.sized)

    return replay


@contextmanager
def _kept_calls(scope: OpenSizes, derive: bool) -> Iterator[None]:
    """While functions of functions that have ops write one equation each."""
    with kept_scans(scope), nullcontext() if derive else kept_gradients():
        yield


def _scope(types: Sequence[LogicalTensor], kept: Stagings) -> OpenSizes:
    """What stands for the open sizes of types: what stood for them before in the same capture, if that takes them all."""
    sizes = [dim for type_ in types for dim in type_.dims or ()]
    known = kept.made or [OpenSizes(kept.sizes)]
    scope = next((scope for scope in known if scope.takes(sizes)), None) or OpenSizes(sizes)
    kept.made[:] = dict.fromkeys([*known, scope])
    return scope


def _refusal(error: Exception, types: Sequence[LogicalTensor], scope: OpenSizes) -> GfxError | None:
    """What is told of an error of JAX's own tracer; None where nothing of the types is open, so that it is the code's own."""
    keys = [type_ for type_ in types if type_.dtype is None]
    if not all(type_.known for type_ in types if type_ not in keys):
        what = f"GFX cannot capture this: JAX's own tracer refuses open sizes: {_first_line(error)}"
        hint = (
            "say which sizes are equal, with one gfx.Dim in their gfx.TensorSpecs, or multiples, as gfx.Dim('h') * 32; "
            "or give arguments of fixed shape"
        )
        return OpenSizesRefused(what, hint=hint, within=scope.within(str(error)))
    if not keys:
        return None
    what = (
        f"GFX cannot capture this: JAX's own tracer does not take the keys of random numbers so: {_first_line(error)}"
    )
    return CaptureError(what, hint=SEVERAL)


def _struct(type_: LogicalTensor, scope: OpenSizes) -> jax.ShapeDtypeStruct:
    """What stands for an array of a type; one without a dtype is of keys of random numbers."""
    assert type_.dims is not None
    if type_.dtype is None:
        keys = tuple(type_.dims)
        fixed = all(type(dim) is int for dim in keys)
        return jax.ShapeDtypeStruct(keys if fixed else symbolic(keys, scope), jax.random.key(0).dtype)
    given = jnp.dtype(type_.dtype.numpy)
    own = jax.dtypes.canonicalize_dtype(given)
    if own != given and type_.dtype.kind not in "iu":  # whole numbers are JAX's own, as jnp.arange makes them
        raise BackendError(
            f"JAX is not set to 64-bit types, and would make {type_.dtype} narrower",
            hint='call jax.config.update("jax_enable_x64", True), or give arguments of 32-bit types',
        )
    dims = tuple(type_.dims) if type_.known else symbolic(type_.dims, scope)
    return jax.ShapeDtypeStruct(dims, own, weak_type=type_.weak)


def _first_line(error: Exception) -> str:
    """What an error says in its first line; all of it, where that line announces the others, which tell of sizes."""
    first, _, others = str(error).partition("\n")
    return " ".join((first, *others.split())) if first.endswith(":") else first
