"""Functions of PyTorch that have no counterpart, each with the reason and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..lifting import refuse

_BACKWARD = "is a step of PyTorch's own backward pass"
_SPARSE = "is about sparse tensors, which NumPy and JAX have not"
_REASONS = {
    (_SPARSE, "work with the dense tensor: x.to_dense()"): (
        "torch.sparse.mm torch.sparse.sampled_addmm torch.sparse.addmm torch.sparse.sum torch.sparse.softmax"
        " torch.sparse.log_softmax torch.sparse.spsolve"
    ),
    (_BACKWARD, "capture the function itself, and differentiate what GFX emits"): (
        "torch.ops.aten.max_pool2d_with_indices_backward.default torch.ops.aten.native_dropout_backward.default"
    ),
    ("reduces pieces whose lengths are data", "use x.scatter_reduce or x.index_add"): "torch.segment_reduce",
}


def _refusing(call: str, reason: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(f"{call} {reason}; it has no counterpart", hint)

    return lift


LIFTS = {name: _refusing(name, *reason) for reason, names in _REASONS.items() for name in names.split()}
