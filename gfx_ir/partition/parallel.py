"""Data-parallel execution: each device runs the whole program on its share of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..op import lookup
from ..program import Program
from ..runtime.call import Call
from ..runtime.device import Device
from ..runtime.dispatch import Dispatch
from ..runtime.transfer import holder, moved
from ..trees import leaves, unflatten
from .frozen import Frozen
from .independence import Rows
from .plan import partition


class Replicated:
    """`Replicated(program, ["jax", "jax:1"])(x)`: arguments that have the batch as their first axis are split evenly (`shared` names
    those that every device takes whole, by position), results are joined along it, on the first device. That no row hangs on another
    one is proven from the ops, or is the caller's word: `independent`."""

    def __init__(
        self,
        program: Program,
        devices: Sequence[str | Device],
        shared: Sequence[int] = (),
        independent: bool = False,
        **options: Any,
    ) -> None:
        self.frozen = [Frozen(partition(program, [one], **options)) for one in devices]
        self.streams = [next(iter(one.engines.values())).stream() for one in self.frozen]
        self.shared, self.independent = frozenset(shared), independent

    def __call__(self, *args: Any) -> Any:
        """The results for the whole batch. Raises ArgumentError where arguments do not have one batch, or rows may hang on each other."""
        shares, split = self._split(args), self._rows(args)
        waiting = [
            stream.submit(partial(one.run, share), Call())
            for one, stream, share in zip(self.frozen, self.streams, shares)
        ]
        found = [future.result() for future in waiting]
        flat = [list(leaves(tree)) for tree in found]
        return unflatten(
            found[0],
            iter(
                [
                    self._joined(parts) if one else parts[0]
                    for one, parts in zip(split or [True] * len(flat[0]), zip(*flat))
                ]
            ),
        )

    def _rows(self, args: Sequence[Any]) -> list[bool]:
        """For each leaf of the result whether it has rows; nothing where that is the caller's word."""
        rows, first = [at for at, x in enumerate(args) if self._is_split(at, x)], self.frozen[0]
        why, split = Rows(first.plan.program, rows, first.devices).proof(args) if not self.independent else ("", [])
        if why:
            what = f"a share of the batch may not give that share of the result: {why}"
            raise ArgumentError(
                what, hint="independent=True if it does; else run the program whole, or in stages: Pipeline"
            )
        return split

    def _split(self, args: Sequence[Any]) -> list[list[Any]]:
        batch = {x.shape[0] for at, x in enumerate(args) if self._is_split(at, x)}
        if len(batch) != 1:
            raise ArgumentError(
                f"the arguments have no batch in common: their first axes are {sorted(batch)}",
                hint="shared=(position, …)",
            )
        ends = np.linspace(0, batch.pop(), len(self.frozen) + 1).round().astype(int)
        spans = [(a, b) for a, b in pairwise(ends) if b > a] or [(0, 0)]
        return [[x[a:b] if self._is_split(at, x) else x for at, x in enumerate(args)] for a, b in spans]

    def _is_split(self, at: int, x: Any) -> bool:
        return at not in self.shared and bool(getattr(x, "shape", ()))

    def _joined(self, parts: Sequence[Any]) -> Any:
        devices = [one for frozen in self.frozen for one in frozen.devices]
        homes = [holder(x, devices) for x in parts]
        first = homes[0]
        if first is None:
            return parts[0]
        here = [x if home is None else moved(x, home, first) for x, home in zip(parts, homes)]
        concat = lookup("concat")
        return Dispatch(first).run(concat, concat.bind(here, axis=0))

    def close(self) -> None:
        """End streams and engines."""
        for stream in self.streams:
            stream.close()
        for frozen in self.frozen:
            frozen.close()
