"""Buckets: calls of many sizes share a few compilations, their batch padded to the next size of a bucket and the results cut again.

That is done only where it is proven from the ops that no result of a row hangs on another row: then padding changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..op import lookup
from ..runtime.call import Call
from ..runtime.dispatch import Dispatch
from ..runtime.transfer import holder
from ..trees import tree_map
from .frozen import Frozen
from .independence import Rows


def power_of_two(size: int) -> int:
    """The next power of two."""
    return 1 << max(0, size - 1).bit_length()


RULES: Mapping[str, Callable[[int], int]] = {"exact": lambda size: size, "pow2": power_of_two}


class Bucketed:
    """`Bucketed(frozen, "pow2", rows=[0])(x)`: the arguments at the positions `rows` have one batch as their first axis.

    `sizes`: "exact", "pow2", or a function of a size that gives the bucket's. Where independence of rows is not proven (`why`
    tells for what node), every size is its own bucket.
    """

    def __init__(self, frozen: Frozen, sizes: str | Callable[[int], int], rows: Sequence[int]) -> None:
        rule = RULES.get(sizes) if isinstance(sizes, str) else sizes
        if rule is None:
            raise ArgumentError(
                f"there are no buckets {sizes!r}", hint=f"there are: {', '.join(RULES)}, or a function of a size"
            )
        self.frozen, self.rule, self.rows = frozen, rule, frozenset(rows)
        self._known = Rows(frozen.plan.program, rows, frozen.devices)

    def why(self, *args: Any) -> str:
        """Why calls of these types are not padded; "": they are."""
        return self._known.proof(args)[0]

    def __call__(self, *args: Any) -> Any:
        """The result. Raises ArgumentError where the arguments at `rows` have not one batch in common."""
        sizes = {args[at].shape[0] for at in self.rows}
        if len(sizes) != 1:
            raise ArgumentError(f"the arguments have no batch in common: {sorted(sizes)}")
        (size,) = sizes
        bucket = self.rule(size) if size else size  # there is no row to pad with
        if bucket < size:
            raise ArgumentError(f"a bucket of {bucket} rows does not hold {size}")
        if bucket == size or self._known.proof(args)[0]:
            return self.frozen.run(args, Call())
        padded = [self._resized(x, bucket) if at in self.rows else x for at, x in enumerate(args)]
        found = self.frozen.run(padded, Call())
        has_rows = iter(self._known.proof(args)[1])
        return tree_map(lambda x: self._cut(x, size) if next(has_rows) else x, found)

    def _resized(self, x: Any, size: int) -> Any:
        """With the last row again, so often: numbers that the program takes anyway."""
        home = holder(x, self.frozen.devices)
        assert home is not None
        run = Dispatch(home).run
        take, count = lookup("take"), x.shape[0]
        index = home.from_host(_last_again(count, size))
        return run(take, take.bind(x, index, axis=0))

    def _cut(self, x: Any, size: int) -> Any:
        home = holder(x, self.frozen.devices)
        getitem = lookup("getitem")
        return x if home is None else Dispatch(home).run(getitem, getitem.bind(x, slice(None, size)))


def _last_again(count: int, size: int) -> np.ndarray:
    return np.minimum(np.arange(size), count - 1)
