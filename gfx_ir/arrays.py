"""Arrays of a framework: what they are, and how their data goes to the host and comes from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import DType
from .errors import BackendError
from .memory import Layout, dense
from .types import LogicalTensor


class Arrays:
    """What both ends of a backend, and devices, ask of arrays."""

    name = ""
    views = False
    """Whether slices and transposes share memory with their base, and in-place operators write."""
    numbers = False
    """Whether an index that leaves no axis gives a number of its own, not a view of one place."""
    ordered_writes = False
    """Whether a write in place that takes elements which it writes itself hangs on the order in which they are written."""
    read_only: frozenset[str] = frozenset()
    """Ops whose views its code cannot write."""
    hashes = False
    """Whether its arrays can be keys: PyTorch's are, each by its identity."""
    promotion = "array_api"
    """The rules of promotion that its source is written for."""
    tensor_types: tuple[type, ...] = ()
    shape_type: type = tuple
    """What its arrays' shapes are: a class of tuples, which in captured code are plain ones, as their sizes may be open."""
    lacks: tuple[str, ...] = ()
    """Dtypes that the framework has in name, and next to no functions of."""

    def is_tensor(self, x: Any) -> bool:
        """Whether x is one of the framework's arrays."""
        return isinstance(x, self.tensor_types)

    def dtype_of(self, x: Any) -> DType:
        """Element type of an array, or of a framework dtype object."""
        raise NotImplementedError

    def as_dtype(self, x: Any) -> DType | None:
        """The DType that a framework object stands for (`torch.float32`, `jnp.float32`, `np.dtype`), None where it is no dtype."""
        raise NotImplementedError

    def is_key(self, x: Any) -> bool:
        """Whether an array is one key of random numbers, which has no dtype that others know."""
        return False

    def words_of(self, x: Any) -> tuple:
        """The numbers that such a key is made of."""
        raise NotImplementedError

    def shows_traced(self, text: str) -> bool:
        """Whether a text that was printed while the framework's own tracer ran shows an array, which is another in each call."""
        return True

    def draws_from(self, x: Any) -> bool:
        """Whether x is what the framework draws random numbers from: a key, or a generator of its own."""
        return False

    def shape_of(self, x: Any) -> tuple[int, ...]:
        """Shape of an array."""
        return tuple(x.shape)

    def layout_of(self, x: Any) -> Layout | None:
        """How an array lies in memory: row by row, unless code of the framework can tell. None where elements have no strides."""
        return dense(self.shape_of(x))

    def array_class(self) -> type:
        """The class of the arrays that its functions make."""
        return self.tensor_types[0]

    def class_of(self, x: Any) -> str:
        """The name of an array's class, where there are some that are derived from that of arrays; "" elsewhere."""
        return ""

    def member(self, name: str) -> Any:
        """What that class, or one of its numbers', has by a name; None: nothing."""
        return getattr(self.array_class(), name, None)

    def device_of(self, x: Any) -> Any:
        """The device that x names, or where the array x is; of None that of new arrays. None where code has no use for it."""
        return None

    def share(self, x: Any, y: Any) -> bool:
        """Whether a write to one of two arrays may be seen in the other, as far as that is told in reasonable time."""
        if x is y:
            return True
        try:
            return np.shares_memory(self.placed(x), self.placed(y), max_work=_MAX_WORK)  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True

    def memory(self, x: Any) -> Any:
        """Which memory an array lies in: views in that of their base. None where that is not told."""
        return id(x)

    def copied(self, x: Any) -> Any:
        """An array of the same elements, in memory of its own."""
        return x

    def placed(self, x: Any) -> Any:
        """An array of NumPy's that lies in the host's memory as x does in its own, beside others of the same memory."""
        return self.to_host(x)

    def extent(self, x: Any) -> tuple[int, int]:
        """Where the memory of an array begins and ends, or that of which it is a part; those of two that share some overlap."""
        return np.lib.array_utils.byte_bounds(self.to_host(x))

    def within(self, part: Any, whole: Any, held: Any) -> Any:
        """What `part` is of `whole`, of `held`, which has the same elements: the same memory where that is so there. None where it is
        no part, or no such view can be made."""
        return None

    def held_as(self, dtype: DType) -> DType:
        """The dtype that arrays of the framework have in the place of this one, as it is set."""
        return dtype

    def beside_as(self, dtype: DType) -> DType:
        """The dtype of an array of NumPy's where its functions and operators take it: that of fractions is narrower where it holds it so."""
        return self.held_as(dtype) if dtype.kind in "fc" else dtype

    def to_host(self, x: Any) -> Any:
        """The array's data as NumPy."""
        raise NotImplementedError

    def from_host(self, x: Any) -> Any:
        """NumPy data as an array of the framework."""
        raise NotImplementedError

    def assign(self, x: Any, value: Any) -> None:
        """Write `value` into the array x in place. Raises BackendError where arrays are immutable."""
        raise BackendError(f"{self.name} arrays cannot be written", hint="take the new value from the returned state")

    def hand_back(self, x: Any, value: Any) -> None:
        """Write into an argument x what a call made of it."""
        self.assign(x, value)

    def type_of(self, x: Any) -> LogicalTensor:
        """The type of an array of the framework, or of what stands for one in its own tracer."""
        return LogicalTensor(self.dtype_of(x), self.shape_of(x))

    def native_dtype(self, dtype: DType) -> Any:
        """The framework's own object for a dtype."""
        raise NotImplementedError

    def convert(self, leaf: Any) -> Any:
        """A constant of the IR as the framework takes it (dtypes); anything else as it is."""
        return self.native_dtype(leaf) if type(leaf) is DType else leaf


_MAX_WORK = 10_000
