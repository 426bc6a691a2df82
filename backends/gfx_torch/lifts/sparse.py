"""Sparse tensors, which are dense in the graph: products with them, and how code makes them."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.lifting.ranks import most

from ..lifting import ask_rank, dtype_like, known_size, names, of_ranks, plain, refuse
from .matrices import addmm


def mm(mat1: Any, mat2: Any, reduce: Any = None) -> Any:
    """torch.sparse.mm."""
    plain("torch.sparse.mm", reduce=reduce)
    return ops.matmul(mat1, mat2)


def coo(indices: Any, values: Any, size: Any = None, *, requires_grad: Any = False, **kwargs: Any) -> Any:
    """torch.sparse_coo_tensor."""
    call = "torch.sparse_coo_tensor"
    plain(call, requires_grad=requires_grad)
    if size is None:
        refuse(f"{call} without a size, which hangs on its indices", "give the size")
    values = ops.as_tensor(values)
    dtype, indices = kwargs.get("dtype") or dtype_like(values), ops.as_tensor(indices)
    ask_rank(indices, 2, call)
    count = known_size(indices, 0)
    if count is None:
        refuse(f"{call} of indices of unknown size", "give the argument's shape: gfx.TensorSpec(shape, dtype)")
    where = tuple([ops.getitem(indices, at) for at in range(count)])
    return ops.index_put(ops.zeros(tuple(size), dtype=dtype), where, ops.astype(values, dtype), True)


LIFTS = {
    "torch.sparse.mm": of_ranks("sparse.mm", mm, 2, 2),
    "torch.sparse.addmm torch.sspaddmm Tensor.sspaddmm": most("torch.addmm", of_ranks("addmm", addmm, None, 2, 2), 2),
    names("smm"): of_ranks("smm", mm, 2, 2),
    "torch.sparse_coo_tensor": coo,
    "Tensor.coalesce Tensor.to_dense": lambda input, dtype=None, **kwargs: (
        input if dtype is None else ops.astype(input, dtype)
    ),
}
