"""jax.ops.segment_sum and its like: the rows of an array, reduced by the segments that they are of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.build import dtype_of, host
from gfx_ir.op import OpDef, lookup

from ..ops._lift import ask_rank, refuse
from .windows import neutral


def _segment(name: str, reduce: str, two: OpDef) -> Callable[..., Any]:
    call = f"jax.ops.{name}"

    def lift(
        data: Any, segment_ids: Any, num_segments: Any = None, indices_are_sorted: bool = False,
        unique_indices: bool = False, bucket_size: Any = None, mode: Any = None, **options: Any,
    ) -> Any:  # fmt: skip
        refuse(call, bucket_size=bucket_size, mode=mode, **options)
        dtype = dtype_of(data)
        if num_segments is None or dtype is None or dtype.kind not in "iuf" or ask_rank(segment_ids, call) != 1:
            refuse(f"{call} but of numbers of a known dtype, a vector of segments and num_segments", data=data)
        more = tuple(range(1, ask_rank(data, call)))
        held = ops.logical_and(ops.greater_equal(segment_ids, 0), ops.less(segment_ids, num_segments))
        at = ops.where(held, segment_ids, num_segments)  # one more segment takes the rows of none
        sizes = (host("+", num_segments, 1), *(ops.size(data, axis) for axis in more))
        found = ops.full(sizes, neutral(two, data), dtype=dtype)
        at = ops.broadcast_to(ops.expand_dims(at, more), lookup("shape")(data)) if more else at
        return ops.getitem(ops.scatter_reduce(found, at, data, 0, reduce), slice(None, -1))

    return lift


SEGMENTS = {
    "jax.ops.segment_sum": _segment("segment_sum", "sum", ops.add),
    "jax.ops.segment_prod": _segment("segment_prod", "prod", ops.multiply),
    "jax.ops.segment_min": _segment("segment_min", "amin", ops.minimum),
    "jax.ops.segment_max": _segment("segment_max", "amax", ops.maximum),
}
