"""The catalogue: `ops.sin(x)` applies the op `sin`; recorded under a builder, else evaluated on NumPy data."""

from __future__ import annotations

from ..families import tables
from ..op import REGISTRY, OpDef, lookup

tables(__name__, __path__, "FAMILY")  # which registers their ops
# The families `shape` and `fft` bear the name of an op: `ops.shape`, `ops.fft` mean the op.
globals().update({_family: REGISTRY[_family] for _family in ("shape", "fft") if _family in REGISTRY})


def __getattr__(name: str) -> OpDef:
    if name.startswith("__") or name.removesuffix("_") not in REGISTRY:
        raise AttributeError(f"there is no op {name!r}")
    return lookup(name.removesuffix("_"))


def __dir__() -> list[str]:
    return sorted(REGISTRY)
