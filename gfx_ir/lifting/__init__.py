"""What the lifts of several backends share: words for all of them, and what NumPy and jax.numpy mean alike."""

from .words import Dialect, Lifted, ask_rank, element, expect, kind_of, literal, rank, swapped, unknown_dtype

__all__ = [
    "Dialect", "Lifted", "ask_rank", "element", "expect", "kind_of", "literal", "rank", "swapped", "unknown_dtype",
]  # fmt: skip
