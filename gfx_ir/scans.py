"""Scans by functions that are associative, of NumPy's arrays. Emitted source contains what it needs."""

import numpy as np


def associative_scan(fn, elems, axis=0):
    """What fn, which is associative, makes of the elements up to each one along an axis. It combines two
    slices of elems, an array or a tuple of some; the earlier elements come first."""
    if not isinstance(elems, tuple):
        return associative_scan(lambda left, right: (fn(*left, *right),), (elems,), axis)[0]

    def part(x, first, end=None, step=1):
        return x[(slice(None),) * axis + (slice(first, end, step),)]

    def woven(even, odd):
        found = np.empty_like(
            even, shape=(*even.shape[:axis], even.shape[axis] + odd.shape[axis], *even.shape[axis + 1 :])
        )
        part(found, 0, None, 2)[...] = even
        part(found, 1, None, 2)[...] = odd
        return found

    if len({x.shape[axis] for x in elems}) > 1:
        raise ValueError("the arrays of elems have not all as many elements")

    def scan(xs):
        size = xs[0].shape[axis]
        if size < 2:
            return xs
        odd = scan(fn(tuple(part(x, 0, size - 1, 2) for x in xs), tuple(part(x, 1, None, 2) for x in xs)))
        later = fn(tuple(part(x, 0, (size - 1) // 2) for x in odd), tuple(part(x, 2, None, 2) for x in xs))
        return tuple(woven(np.concatenate((part(x, 0, 1), y), axis), z) for x, y, z in zip(xs, later, odd))

    return scan(elems)
