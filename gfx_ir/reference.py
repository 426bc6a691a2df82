"""The reference: every op by its NumPy definition. The fallback of every device, and what they are held to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from .backend import Backend
from .dtypes import DType, dtype
from .memory import Layout
from .op import OpDef, evaluate
from .rules import building
from .scans import associative_scan


class ReferenceBackend(Backend):
    """NumPy arrays, and `op.eval` for every op."""

    name = "reference"
    packages = ("numpy",)
    views = True
    promotion = "numpy"
    tensor_types = (np.ndarray, np.generic)

    def __init__(self) -> None:
        super().__init__((), {}, {})

    def dtype_of(self, x: Any) -> DType:
        """Element type of an array or of a NumPy dtype."""
        return dtype(x.dtype if isinstance(x, self.tensor_types) else x)

    def as_dtype(self, x: Any) -> DType | None:
        """The DType of a NumPy dtype or scalar type."""
        if isinstance(x, np.dtype) or (isinstance(x, type) and issubclass(x, (np.generic, ml_dtypes.bfloat16))):
            return dtype(np.dtype(x).name)
        return None

    def draws_from(self, x: Any) -> bool:
        """A generator of NumPy's, or two 64-bit words."""
        return isinstance(x, np.random.Generator) or (self.is_tensor(x) and x.shape == (2,) and x.dtype == np.uint64)

    def to_host(self, x: Any) -> Any:
        """The array itself."""
        return np.asarray(x)

    def from_host(self, x: Any) -> Any:
        """The array itself."""
        return np.asarray(x)

    def assign(self, x: Any, value: Any) -> None:
        """Write `value` into the array x."""
        x[...] = value

    def layout_of(self, x: Any) -> Layout | None:
        """Its strides, counted in elements; None where these do not divide them."""
        steps = [divmod(step, x.dtype.itemsize) for step in x.strides]
        return None if any(rest for _, rest in steps) else Layout(x.shape, tuple([step for step, _ in steps]))

    def native_dtype(self, dtype: DType) -> Any:
        """The NumPy dtype."""
        return dtype.numpy

    def transforming(self, kind: str) -> Callable[..., Any] | None:
        """Scans; NumPy derives and batches no functions."""
        return associative_scan if kind == "associative_scan" else None

    def run(self, op: OpDef, args: Sequence[Any]) -> Any:
        """Evaluate the op; one that holds regions or a foreign call raises MissingOp."""
        with building(None):
            return evaluate(op, args)

    def supports(self, op: OpDef) -> bool:
        """Whether the op has a definition: all but the structural ones."""
        return op.eval is not None or op.body is not None
