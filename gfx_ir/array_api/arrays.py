"""The array object of the standard: a backend's own array, and operators that go through the namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..dtypes import DType
from ..python_numbers import COMPARING_METHODS, METHODS, NUMBER_CLASSES
from . import kinds
from .native import Native
from .table import VERSION

UNARY = {"abs": "abs", "neg": "negative", "pos": "positive", "invert": "bitwise_invert"}


class Array:
    """An array of a namespace. No two arrays share what is written: `x[i] = v` changes x alone.

    Source: https://data-apis.org/array-api/2024.12/API_specification/array_object.html
    """

    __slots__ = ("_data", "_xp")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Any, xp: Native) -> None:
        self._data, self._xp = data, xp

    def to_plain(self) -> Any:
        """The backend's own array."""
        return self._data

    def __array_namespace__(self, *, api_version: str | None = None) -> Native:
        """The namespace whose array this is. Raises ValueError for a later version of the standard."""
        if api_version is not None and not "2021.12" <= api_version <= VERSION:
            raise ValueError(f"this is the array API standard {VERSION}, not {api_version}")
        return self._xp

    def __repr__(self) -> str:
        return f"Array({self._data!r})"

    # ------------------------------------------------------------------ attributes
    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._xp.dtype_of(self._data)

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each axis."""
        return self._xp.shape_of(self._data)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def device(self) -> Any:
        """Where it lies, as the backend says it."""
        return self._xp.device_of(self._data)

    @property
    def T(self) -> Array:
        """A matrix with its axes swapped. Raises ValueError for other ranks."""
        if self.ndim != 2:
            raise ValueError(f"T is of matrices, not of {self.ndim} axes: use mT or permute_dims")
        return self.mT

    @property
    def mT(self) -> Array:
        """The last two axes swapped. Raises ValueError for less than two."""
        if self.ndim < 2:
            raise ValueError(f"mT is of matrices, not of {self.ndim} axes")
        return self._xp.matrix_transpose(self)  # type: ignore[no-any-return]

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """The array on a device. Raises BackendError where the backend does not know it."""
        if stream is not None:
            raise ValueError("there are no streams here")
        return self._xp.asarray(self, device=device)  # type: ignore[no-any-return]

    # ------------------------------------------------------------------ to Python
    def _number(self, kind: type, allowed: str) -> Any:
        if self.shape:
            raise TypeError(f"only an array of no axes becomes a number, not one of shape {self.shape}")
        if self.dtype.kind not in allowed:
            raise TypeError(f"an array of {self.dtype} becomes no {kind.__name__}")
        return kind(self._xp.backend.to_host(self._data)[()])

    def __bool__(self) -> bool:
        return self._number(bool, "biufc")  # type: ignore[no-any-return]

    def __int__(self) -> int:
        return self._number(int, "biuf")  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._number(float, "biuf")  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return self._number(complex, "biufc")  # type: ignore[no-any-return]

    def __index__(self) -> int:
        return self._number(int, "iu")  # type: ignore[no-any-return]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of no axes has no length")
        return self.shape[0]

    def __dlpack__(self, **options: Any) -> Any:
        """The backend's own capsule."""
        return self._data.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        """Type and number of its device."""
        return self._data.__dlpack_device__()

    # ------------------------------------------------------------------ reading and writing
    def __getitem__(self, key: Any, /) -> Array:
        with self._xp.running():
            return Array(ops.getitem(self._data, self._key(key)), self._xp)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        given = self._xp.unwrap(value) if isinstance(value, Array) else value
        known = [self.dtype, value.dtype] if isinstance(value, Array) else [self.dtype]
        wanted = kinds.promoted(known, [] if isinstance(value, Array) else [value])
        if wanted != self.dtype:
            raise TypeError(f"{wanted} does not go into an array of {self.dtype}")
        with self._xp.running():
            given = self._xp.typed(given, wanted)
            self._data = ops.index_put(self._data, self._key(key), given)

    def _key(self, key: Any) -> Any:
        """An index with the backend's own arrays. Raises IndexError where it points outside, which JAX would not."""
        items = key if isinstance(key, tuple) else (key,)
        taken = sum(_axes(item) for item in items)
        if taken > self.ndim:
            raise IndexError(f"{taken} indices into {self.ndim} axes")
        at, made = 0, []
        for item in items:
            if item is Ellipsis:
                at += self.ndim - taken
            elif isinstance(item, int) and not isinstance(item, bool):
                if not -self.shape[at] <= item < self.shape[at]:
                    raise IndexError(f"index {item} is outside of axis {at}, of size {self.shape[at]}")
            at += _axes(item)
            made.append(self._xp.unwrap(item) if isinstance(item, Array) else item)
        return tuple(made) if isinstance(key, tuple) else made[0]


def _axes(item: Any) -> int:
    """How many axes an item of an index takes."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, Array) and item.dtype.kind == "b" else 1


# ---------------------------------------------------------------- operators
def _binary(name: str, swapped: bool = False) -> Callable[[Array, Any], Any]:
    def method(self: Array, other: Any, /) -> Any:
        if not isinstance(other, (Array, *NUMBER_CLASSES)) or (name == "matmul" and not isinstance(other, Array)):
            return NotImplemented
        x1, x2 = (other, self) if swapped else (self, other)
        return getattr(self._xp, name)(x1, x2)

    return method


def _in_place(name: str) -> Callable[[Array, Any], Any]:
    def method(self: Array, other: Any, /) -> Any:
        found = _binary(name)(self, other)
        if found is NotImplemented:
            return found
        if found.shape != self.shape or found.dtype != self.dtype:
            what = f"{found.dtype} of shape {found.shape}"
            raise TypeError(f"{what} does not go into an array of {self.dtype} of shape {self.shape}")
        self._data = found.to_plain()
        return self

    return method


def _unary(name: str) -> Callable[[Array], Any]:
    return lambda self: getattr(self._xp, name)(self)


def _named(method: Any, name: str) -> Any:
    method.__name__, method.__qualname__ = name, f"Array.{name}"
    return method


for _short, _name in METHODS.items():
    setattr(Array, f"__{_short}__", _named(_binary(_name), f"__{_short}__"))
    setattr(Array, f"__r{_short}__", _named(_binary(_name, swapped=True), f"__r{_short}__"))
    setattr(Array, f"__i{_short}__", _named(_in_place(_name), f"__i{_short}__"))
for _short, _name in COMPARING_METHODS.items():
    setattr(Array, f"__{_short}__", _named(_binary(_name), f"__{_short}__"))
for _short, _name in UNARY.items():
    setattr(Array, f"__{_short}__", _named(_unary(_name), f"__{_short}__"))
