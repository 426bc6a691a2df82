"""A backend's own arrays, and the functions of the standard's tables as attributes: what a namespace is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from .. import ops
from ..backend import Backend
from ..dtypes import DTYPES, DType
from ..errors import BackendError
from ..rules import building
from . import kinds
from .table import MAIN, VERSION, Function


class Applying(Protocol):
    """What runs the functions of a table."""

    def apply(self, function: Function, arguments: dict[str, Any]) -> Any:
        """The result of a call, its arguments by name."""


class Functions:
    """Functions of a table as attributes: the namespace itself, and its extensions `linalg` and `fft`."""

    def __init__(self, owner: Applying, table: Mapping[str, Function]) -> None:
        for function in table.values():
            setattr(self, function.name, _callable(owner, function))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class Native(Functions):
    """One backend: its dtypes and what it says of its own arrays. Subclasses say how functions are applied."""

    def __init__(self, on: Backend) -> None:
        self.backend = on
        super().__init__(self, MAIN)
        self.names = tuple(name for name in kinds.NAMES if name not in on.lacks)
        for name in self.names:
            setattr(self, name, DTYPES[name])

    def apply(self, function: Function, arguments: dict[str, Any]) -> Any:
        """The result of a call, its arguments by name."""
        raise NotImplementedError

    @contextmanager
    def running(self) -> Iterator[None]:
        """Inside, ops run on the backend."""
        with building(self.backend):
            yield

    def is_native(self, x: Any) -> bool:
        """Whether x is one of the backend's arrays."""
        return self.backend.is_tensor(x)

    def dtype_of(self, x: Any) -> DType:
        """Element type of one of the backend's arrays."""
        return self.backend.dtype_of(x)

    def shape_of(self, x: Any) -> tuple[int, ...]:
        """Shape of one of the backend's arrays."""
        return tuple(self.backend.shape_of(x))

    def default(self, kind: str) -> DType:
        """The dtype that the backend itself gives a number of this kind."""
        if kind == "u":
            return DTYPES[f"uint{self.default('i').bits}"]
        number: Any = {"b": False, "i": 0, "f": 0.0, "c": 0j}[kind]
        with self.running():
            return self.dtype_of(ops.as_tensor(number))

    def cast(self, x: Any, dtype: DType) -> Any:
        """x in this dtype."""
        return x if self.dtype_of(x) == dtype else self.made(ops.astype(x, dtype), dtype)

    def made(self, x: Any, dtype: DType) -> Any:
        """x, made to have this dtype. Raises BackendError where it has another (JAX in its mode of 32 bits)."""
        if self.dtype_of(x) != dtype:
            hint = "for JAX: jax.config.update('jax_enable_x64', True)"
            raise BackendError(f"{self.backend.name} gives {self.dtype_of(x)} in place of {dtype}", hint=hint)
        return x

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the first. Raises IndexError where there is none."""
        if not -rank <= axis < rank:
            raise IndexError(f"there is no axis {axis} of {rank}")
        return axis % rank

    def typed(self, x: Any, dtype: DType) -> Any:
        """An array or a number as an array of this dtype."""
        return self.cast(x, dtype) if self.is_native(x) else ops.full((), x, dtype=dtype)

    def device_of(self, x: Any) -> Any:
        """The device of one of the backend's arrays, as the framework names it."""
        return getattr(x, "device", "cpu")

    def unwrap(self, x: Any) -> Any:
        """The backend's own array. Raises TypeError for an array of another backend."""
        if x.__array_namespace__() is not self:
            raise TypeError(f"an array of {x.__array_namespace__()!r} among those of {self!r}: move it with asarray")
        return x.to_plain()


def _callable(owner: Applying, function: Function) -> Any:
    """The Python function of a row."""
    signature = function.signature

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return owner.apply(function, dict(bound.arguments))

    call.__name__ = call.__qualname__ = function.name
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = (
        f"`{function.name}` of the array API standard:"
        f" https://data-apis.org/array-api/{VERSION}/API_specification/{function.page}.html"
    )
    return call
