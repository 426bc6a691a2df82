"""Partitions on JAX: jax.jit of emitted source, with donated arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax

from gfx_ir.backend import Backend
from gfx_ir.dtypes import dtype
from gfx_ir.errors import BackendError
from gfx_ir.program import Program
from gfx_ir.runtime.device import Executable
from gfx_ir.runtime.emitted import Emitted
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor


def compiled(program: Program, backend: Backend, donated: Sequence[int]) -> Executable:
    """The program under jax.jit; host values among its arguments are static. Raises BackendError where it cannot be traced."""
    if any(getattr(leaf, "kind", "tensor") != "tensor" for leaf in leaves(program.entry.result)):
        raise BackendError("it gives a host value, and what is traced gives arrays")
    emitted = Emitted(program, backend)
    first, ends = int(emitted.takes_params), program.entry.placeholders
    static = [first + at for at, value in enumerate(ends) if not value.is_tensor]
    given = [first + at for at in donated]
    jitted = jax.jit(emitted.fn, static_argnums=static, donate_argnums=given)
    types = [value.type for value in ends]
    pairs = _pairs(program, donated)
    if not static and all(isinstance(type_, LogicalTensor) and type_.known for type_ in types):
        _traced(jitted, emitted, program, backend)

    def run(args: Sequence[Any], params: Mapping[str, Any], buffers: Sequence[Any] | None) -> Sequence[Any]:
        given = emitted.arguments(args)
        return emitted.results(jitted(emitted.tree(params), *given) if emitted.takes_params else jitted(*given))

    return Executable(run, tuple(pairs), jitted, "jax.jit of source")


def _traced(jitted: Any, emitted: Emitted, program: Program, backend: Backend) -> None:
    """Trace it once, so that what cannot be traced shows now."""
    struct = lambda of, shape: jax.ShapeDtypeStruct(shape, backend.native_dtype(backend.held_as(of)))
    args = [struct(value.type.dtype, value.type.dims) for value in program.entry.placeholders]
    params = {path: struct(dtype(x.dtype), tuple(x.shape)) for path, x in program.params.items()}
    try:
        jitted.trace(emitted.tree(params), *args) if emitted.takes_params else jitted.trace(*args)
    except Exception as error:  # whatever JAX raises as it traces
        text = str(error).strip().partition("\n")[0]
        raise BackendError(f"jax.jit does not trace it: {type(error).__name__}: {text}") from error


def _pairs(program: Program, donated: Sequence[int]) -> list[tuple[int, int]]:
    """Which donated argument each result takes the memory of: the first of its type that is left, as XLA does."""
    entry = program.entry
    results = entry.result if type(entry.result) is tuple else (entry.result,)
    left, found = list(donated), []
    for at, leaf in enumerate(results):
        type_ = getattr(leaf, "type", None)
        for place in left:
            if isinstance(type_, LogicalTensor) and type_.known and _same(entry.placeholders[place].type, type_):
                found.append((place, at))
                left.remove(place)
                break
    return found


def _same(a: Any, b: LogicalTensor) -> bool:
    return isinstance(a, LogicalTensor) and (a.dtype, a.dims) == (b.dtype, b.dims)
