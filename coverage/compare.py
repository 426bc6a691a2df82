"""Whether two results are the same: their leaves one by one, by dtype, shape and value."""

import dataclasses
from typing import Any

import ml_dtypes
import numpy as np

# (rtol, atol relative to the largest finite magnitude) by dtype: what two libraries' kernels for one function may differ in.
TOLERANCES = {
    "float64": (1e-6, 1e-9),
    "complex128": (1e-6, 1e-9),
    "float32": (1e-4, 1e-5),
    "complex64": (1e-4, 1e-5),
    "float16": (1e-2, 5e-3),
    "bfloat16": (4e-2, 2e-2),
    "complex32": (1e-2, 5e-3),
}
_WIDE = {"bfloat16": np.float32, "float16": np.float64, "float32": np.float64, "complex64": np.complex128}


@dataclasses.dataclass(frozen=True)
class Leaf:
    """An array of a result. `dtype` is the name common to all frameworks; "" for what Python numbers stand for."""

    dtype: str
    data: np.ndarray
    layout: str = "strided"


def flat(tree: Any) -> list[Any]:
    """The leaves of a result: Leaf for arrays and numbers, other objects as they are."""
    if isinstance(tree, dict):
        return [leaf for key in tree for leaf in flat(tree[key])]
    if isinstance(tree, (tuple, list)):
        return [leaf for item in tree for leaf in flat(item)]
    return [leaf_of(tree)]


def leaf_of(x: Any) -> Any:
    """A framework's array, NumPy's or a Python number as a Leaf."""
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        return Leaf("", np.asarray(x))
    if type(x).__module__.partition(".")[0] == "torch" and hasattr(x, "detach"):
        return _torch_leaf(x.detach())
    if hasattr(x, "__array__") and hasattr(x, "dtype"):
        data = np.asarray(x)
        return Leaf(data.dtype.name, data)
    return x


def _torch_leaf(x: Any) -> Leaf:
    name = str(x.dtype).removeprefix("torch.")
    layout = str(x.layout).removeprefix("torch.")
    if layout != "strided" or x.is_quantized:
        return Leaf(name, np.empty(0), layout if not x.is_quantized else "quantized")
    x = x.resolve_conj().resolve_neg()
    if name == "bfloat16":
        return Leaf(name, x.float().numpy().astype(ml_dtypes.bfloat16))
    if name == "complex32":
        return Leaf(name, x.cfloat().numpy())
    return Leaf(name, x.numpy())


def difference(want: Any, got: Any, loose: bool = False) -> str | None:
    """What differs between two results, or None. `loose`: random numbers, of which only the distribution is the same."""
    wanted, have = flat(want), flat(got)
    if len(wanted) != len(have):
        return f"{len(have)} results instead of {len(wanted)}"
    for at, (w, g) in enumerate(zip(wanted, have)):
        found = _leaf_difference(w, g, loose)
        if found is not None:
            return f"result {at}: {found}" if len(wanted) > 1 else found
    return None


def _leaf_difference(w: Any, g: Any, loose: bool) -> str | None:
    if not isinstance(w, Leaf) or not isinstance(g, Leaf):
        return (
            None
            if not isinstance(w, Leaf) and not isinstance(g, Leaf) and same_object(w, g)
            else f"{_said(g)} instead of {_said(w)}"
        )
    if w.layout != g.layout:
        return f"layout {g.layout} instead of {w.layout}"
    if w.dtype and w.dtype != g.dtype:
        return f"dtype {g.dtype or 'of Python'} instead of {w.dtype}"
    if w.data.shape != g.data.shape:
        return f"shape {g.data.shape} instead of {w.data.shape}"
    return _distribution(w.data, g.data) if loose else _values(w.data, g.data, w.dtype)


def _said(x: Any) -> str:
    return f"an array of shape {x.data.shape}" if isinstance(x, Leaf) else repr(x)


def same_object(w: Any, g: Any) -> bool:
    """Whether two objects that are no arrays say the same: None, strings, dtypes and devices."""
    return (
        w is g or (type(w) is type(g) and bool(w == g)) or str(w).rpartition(".")[2] == getattr(g, "__name__", str(g))
    )


def _values(w: np.ndarray, g: np.ndarray, dtype: str) -> str | None:
    if w.size == 0:
        return None
    dtype = dtype or ("float32" if w.dtype.kind == "f" else w.dtype.name)
    if dtype not in TOLERANCES:
        same = w == g
        return None if np.all(same) else f"{_share(~same)} elements differ"
    rtol, atol = TOLERANCES[dtype]
    w, g = w.astype(_WIDE.get(dtype, w.dtype)), g.astype(_WIDE.get(dtype, w.dtype))
    finite = np.isfinite(w)
    if not np.array_equal(finite, np.isfinite(g)):
        return f"{_share(finite != np.isfinite(g))} elements are NaN or infinite on one side only"
    if w.dtype.kind != "c" and not np.array_equal(w[~finite], g[~finite], equal_nan=True):
        return "NaN and infinity in other places"
    scale = max(1.0, float(np.max(np.abs(w[finite]), initial=0.0)))
    gap = np.abs(w[finite] - g[finite])
    off = gap > rtol * np.abs(w[finite]) + atol * min(scale, 100.0)
    return f"{_share(off)} values off, at most by {float(gap.max()):.3g} of {scale:.3g}" if off.any() else None


def no_less_exact(truth: Any, want: Any, got: Any) -> bool:
    """Whether no element of `got` is farther from the true result than that of `want`, beyond what their dtype allows.

    For results of half precision: sums that nearly cancel leave the rounding of their terms, which every library rounds in
    its own order. `truth` is the same call on the same data in double precision.
    """
    leaves = flat(truth), flat(want), flat(got)
    if len({len(part) for part in leaves}) > 1 or not all(isinstance(x, Leaf) for part in leaves for x in part):
        return False
    return all(_as_near(*parts) for parts in zip(*leaves))


def _as_near(truth: Leaf, want: Leaf, got: Leaf) -> bool:
    if want.dtype != got.dtype or not truth.data.shape == want.data.shape == got.data.shape:
        return False
    if want.dtype not in ("float16", "bfloat16"):
        return _values(want.data, got.data, want.dtype) is None
    t, w, g = (part.data.astype(np.float64) for part in (truth, want, got))
    rtol, atol = TOLERANCES[want.dtype]
    scale = max(1.0, float(np.max(np.abs(t), initial=0.0, where=np.isfinite(t))))
    with np.errstate(invalid="ignore", over="ignore"):
        own = np.where(np.isfinite(w), np.abs(w - t), 0.0)
        near = np.abs(g - t) <= own + rtol * np.abs(t) + atol * min(scale, 100.0)
        true = g == t.astype(got.data.dtype).astype(np.float64)  # infinite where the dtype does not reach
    return bool(np.all(near | true | (w == g) | (np.isnan(w) & np.isnan(g))))


def _share(mask: np.ndarray) -> str:
    return f"{int(np.sum(mask))} of {mask.size}"


def _distribution(w: np.ndarray, g: np.ndarray) -> str | None:
    """Medians and spreads of enough random numbers are near each other."""
    if w.size < 64 or w.dtype.kind not in "fiub":
        return None
    w, g = w.astype(np.float64).ravel(), g.astype(np.float64).ravel()
    a, b = np.quantile(w, [0.25, 0.5, 0.75]), np.quantile(g, [0.25, 0.5, 0.75])
    spread = max(a[2] - a[0], b[2] - b[0])
    if np.max(np.abs(a - b)) > 0.75 * spread + 0.1 * max(np.std(w), np.std(g)) + 1e-6:
        return f"quartiles {b.round(3).tolist()} instead of {a.round(3).tolist()}"
    return None
