"""Batches (vmap) of NumPy's, which has none of its own: the function of each item in turn."""

import numpy as np


def vmap(fn):
    """The function of each item along the first axes of its arguments: what fn gives for them, stacked."""

    def mapped(*xs):
        found = [fn(*items) for items in zip(*xs)]
        if not found:  # nothing says how large its results are but one of them
            one = fn(*(np.zeros(x.shape[1:], x.dtype) for x in xs))
            parts = [np.asarray(part)[None][:0] for part in (one if isinstance(one, tuple) else (one,))]
            return tuple(parts) if isinstance(one, tuple) else parts[0]
        if isinstance(found[0], tuple):
            return tuple(np.stack(part) for part in zip(*found))
        return np.stack(found)

    return mapped
