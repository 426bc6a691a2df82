"""The catalogue: `ops.sin(x)` applies the op `sin`; recorded under a builder, else evaluated on NumPy data."""

from __future__ import annotations

from ..op import REGISTRY, OpDef, lookup
from . import (
    alignment,
    arrange,
    bags,
    bits,
    casts,
    channels_last,
    control,
    convolution,
    create,
    decompose,
    effect,
    elementwise,
    fft,
    index,
    linalg,
    loss,
    margin,
    nn,
    norm,
    number,
    packed,
    pooling,
    random,
    recurrent,
    reduce,
    resize,
    sampling,
    search,
    shape,
    signals,
    special,
    spectra,
    statistics,
    transposed,
)

FAMILIES = (
    elementwise,
    casts,
    bits,
    number,
    special,
    reduce,
    statistics,
    signals,
    shape,
    linalg,
    decompose,
    nn,
    norm,
    convolution,
    channels_last,
    pooling,
    recurrent,
    packed,
    bags,
    alignment,
    loss,
    transposed,
    resize,
    sampling,
    margin,
    index,
    create,
    random,
    fft,
    spectra,
    arrange,
    search,
    control,
    effect,
)
# The families `shape` and `fft` bear the name of an op: `ops.shape`, `ops.fft` mean the op.
globals().update({_family: REGISTRY[_family] for _family in ("shape", "fft") if _family in REGISTRY})


def __getattr__(name: str) -> OpDef:
    if name.startswith("__") or name.removesuffix("_") not in REGISTRY:
        raise AttributeError(f"there is no op {name!r}")
    return lookup(name.removesuffix("_"))


def __dir__() -> list[str]:
    return sorted(REGISTRY)
