"""Rows of tables: torch.nn.functional's calls in terms of ops."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Written
from gfx_ir.build import host
from gfx_ir.lifting.ranks import just

from ..lifting import BOOL, ask_rank, plain, refuse
from .layers import Lifts
from .measures import order


def embedding(
    input: Any,
    weight: Any,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Any:
    """F.embedding. padding_idx, scale_grad_by_freq and sparse only concern gradients of the weight."""
    settings = (_counted(weight, padding_idx), bool(scale_grad_by_freq))
    if max_norm is None:
        return ops.embedding(input, weight, *settings)
    weight, found = bounded_rows(input, weight, max_norm, norm_type)
    return Written(ops.embedding(input, found, *settings), {"weight": weight})


def _counted(weight: Any, index: Any) -> Any:
    """A row's number; one that counts from the last row counted from the first."""
    return host("+", ops.size(weight, 0), index) if isinstance(index, int) and index < 0 else index


def bounded_rows(input: Any, weight: Any, max_norm: Any, norm_type: Any) -> tuple[Any, Any]:
    """The weight with the rows that input numbers made no longer than max_norm: as it is written, and as what its gradients
    go through as if it had been so from the beginning."""
    long = ops.vector_norm(weight, axis=-1, keepdims=True, ord=order(norm_type))
    none = ops.zeros((ops.size(weight, 0), 1), dtype=BOOL, device=ops.device_of(weight))
    used = ops.index_put(none, ops.reshape(input, (-1,)), True)
    scale = ops.divide(max_norm, ops.add(long, 1e-7))
    made = ops.where(ops.logical_and(used, ops.greater(long, max_norm)), ops.multiply(weight, scale), weight)
    return made, ops.add(weight, ops.stop_gradient(ops.subtract(made, weight)))


def torch_embedding(
    weight: Any, indices: Any, padding_idx: Any = -1, scale_grad_by_freq: Any = False, sparse: Any = False
) -> Any:
    """torch.embedding."""
    padding = None if isinstance(padding_idx, int) and padding_idx < 0 else padding_idx
    return embedding(indices, weight, padding, None, 2.0, scale_grad_by_freq, sparse)


def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2,
    scale_grad_by_freq: Any = False,
    mode: str = "mean",
    sparse: Any = False,
    per_sample_weights: Any = None,
    include_last_offset: Any = False,
    padding_idx: Any = None,
) -> Any:
    """F.embedding_bag. padding_idx leaves rows out; sparse only concerns gradients of the weight, and scale_grad_by_freq, by
    which PyTorch divides those of some rows by how often another row is meant, is refused."""
    plain("F.embedding_bag", scale_grad_by_freq=scale_grad_by_freq)
    padding_idx = _counted(weight, padding_idx)
    if ask_rank(input, 2, "F.embedding_bag") == 2:
        offsets = None
    elif offsets is None:
        refuse("F.embedding_bag of a vector needs offsets")
    settings = (offsets, mode, per_sample_weights, bool(include_last_offset), padding_idx)
    if max_norm is None:
        return ops.embedding_bag(input, weight, *settings)
    weight, found = bounded_rows(input, weight, max_norm, norm_type)
    return Written(ops.embedding_bag(input, found, *settings), {"weight": weight})


EMBEDDING: Lifts = {"F.embedding": just("torch.embedding", embedding, None, 2), "torch.embedding": torch_embedding}
EMBEDDING_BAG: Lifts = {"F.embedding_bag": embedding_bag}


def segment_reduce(
    data: Any, reduce: str, *, lengths: Any = None, indices: Any = None, offsets: Any = None, axis: int = 0,
    unsafe: bool = False, initial: Any = None,
) -> Any:  # fmt: skip
    """torch.segment_reduce, of pieces of the first axis."""
    given = lengths if offsets is None else offsets
    if indices is not None or given is None or axis != 0 or ask_rank(given, 1, "torch.segment_reduce") != 1:
        refuse("torch.segment_reduce has a counterpart for lengths or offsets of the first axis", "move the axis first")
    if offsets is not None:
        lengths = ops.subtract(ops.getitem(offsets, slice(1, None)), ops.getitem(offsets, slice(None, -1)))
    return ops.segment_reduce(data, lengths, reduce, initial)


SEGMENT_REDUCE = {"torch.segment_reduce": segment_reduce}
