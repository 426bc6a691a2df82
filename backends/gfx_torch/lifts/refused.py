"""Functions of PyTorch that have no counterpart, each with the reason and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from gfx_ir.errors import UnsupportedConstruct

from ..lifting import refuse

_SPARSE = "is about sparse tensors, which NumPy and JAX have not"
_REASONS = {
    (_SPARSE, "work with the dense tensor: x.to_dense()"): (
        "torch.sparse.sampled_addmm torch.sparse.sum torch.sparse.softmax"
        " torch.sparse.log_softmax torch.sparse.spsolve Tensor.to_sparse"
    ),
    (_SPARSE, "make the dense tensor: torch.zeros(size).index_put(tuple(indices), values, accumulate=True)"): (
        "torch.sparse_compressed_tensor torch.sparse_csr_tensor torch.sparse_csc_tensor torch.sparse_bsr_tensor"
        " torch.sparse_bsc_tensor"
    ),
    (
        "is a hash of PyTorch's own, over 64 unsigned bits, which JAX has only by a setting",
        "hash the bytes on the host",
    ): ("torch.hash_tensor"),
}
_OUTLIVING = {
    (
        "writes a setting of PyTorch's own, which outlives the call",
        "set it before the capture, outside of the captured function",
    ): (
        "torch.set_default_dtype torch.set_default_device torch.set_default_tensor_type torch.use_deterministic_algorithms"
        " torch.set_deterministic_debug_mode torch.set_float32_matmul_precision torch.set_flush_denormal torch.set_num_threads"
        " torch.set_num_interop_threads torch.set_warn_always torch.set_printoptions torch.autograd.set_detect_anomaly"
    ),
    (
        "writes the state of PyTorch's own generator, and draws of a capture take their numbers from one that is handed in",
        "seed the generator that the call is given: generator=torch.Generator().manual_seed(0), or key=jax.random.key(0)",
    ): (
        "torch.manual_seed torch.seed torch.set_rng_state"
        " torch.random.fork_rng torch.cuda.manual_seed torch.cuda.manual_seed_all torch.cuda.seed"
        " torch.cuda.seed_all torch.cuda.set_rng_state torch.mps.manual_seed torch.xpu.manual_seed"
    ),
}
OUTLIVING = frozenset(name for names in _OUTLIVING.values() for name in names.split())
"""Functions that write what outlives the call: not even a test may call them."""


def _refusing(call: str, reason: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(f"{call} {reason}; it has no counterpart", hint)

    return lift


def _keeping_out(call: str, reason: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        raise UnsupportedConstruct(f"GFX cannot convert {call}: it {reason}", hint=hint)

    return lift


LIFTS = {name: _refusing(name, *reason) for reason, names in _REASONS.items() for name in names.split()}
LIFTS |= {name: _keeping_out(name, *reason) for reason, names in _OUTLIVING.items() for name in names.split()}
