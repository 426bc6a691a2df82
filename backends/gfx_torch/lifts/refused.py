"""Functions of PyTorch that have no counterpart, each with the reason and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..lifting import refuse

_SPARSE = "is about sparse tensors, which NumPy and JAX have not"
_REASONS = {
    (_SPARSE, "work with the dense tensor: x.to_dense()"): (
        "torch.sparse.mm torch.sparse.sampled_addmm torch.sparse.addmm torch.sparse.sum torch.sparse.softmax"
        " torch.sparse.log_softmax torch.sparse.spsolve Tensor.to_sparse"
    ),
    (
        "is a hash of PyTorch's own, over 64 unsigned bits, which JAX has only by a setting",
        "hash the bytes on the host",
    ): ("torch.hash_tensor"),
}


def _refusing(call: str, reason: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(f"{call} {reason}; it has no counterpart", hint)

    return lift


LIFTS = {name: _refusing(name, *reason) for reason, names in _REASONS.items() for name in names.split()}
