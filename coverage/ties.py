"""Results that hold places of equal values: PyTorch leaves open which of them is given, so the values there decide."""

from typing import Any

import numpy as np

from compare import difference, flat, leaf_of

# Where `dim` stands among the arguments, by operator.
_DIM = {"sort": 1, "argsort": 1, "topk": 2, "kthvalue": 2, "mode": 1, "median": 1, "nanmedian": 1}


def axis_of(name: str, args: tuple, kwargs: dict[str, Any]) -> int | None:
    """The axis along which places are given, or None where the results of this call are fixed."""
    if name not in _DIM or kwargs.get("stable"):
        return None
    at = _DIM[name]
    axis = kwargs.get("dim", args[at] if len(args) > at else None)
    if axis is None and name in ("median", "nanmedian"):
        return None
    return axis if type(axis) is int else -1


def tied_difference(x: Any, axis: int, want: Any, got: Any) -> str | None:
    """What differs between two results whose last part is places along `axis` of x."""
    wanted, have = flat(want), flat(got)
    if len(wanted) != len(have) or wanted[-1].dtype != have[-1].dtype or wanted[-1].data.shape != have[-1].data.shape:
        return difference(want, got)
    data = leaf_of(x).data
    values = [_at(data, part[-1].data, axis) for part in (wanted, have)]
    return difference(want[0], got[0]) if len(wanted) == 2 and difference(want[0], got[0]) else difference(*values)


def _at(x: np.ndarray, places: np.ndarray, axis: int) -> np.ndarray:
    if x.ndim == 0:
        return np.where(places == 0, x, np.zeros_like(x) - 1)
    if places.ndim < x.ndim:
        places = np.expand_dims(places, axis)
    return np.take_along_axis(x, places, axis)
