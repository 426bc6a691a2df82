"""The Python array API standard, eagerly, on any backend: `array_api("torch").sin(x)` runs what the op's row names."""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import ops
from ..backend import Backend
from ..dtypes import DType
from ..loading import backend
from ..op import lookup
from ..python_numbers import NUMBER_CLASSES
from . import kinds
from .arrays import Array
from .bodies import BODIES
from .info import Info
from .native import Functions, Native
from .table import CONSTANTS, FFT, LINALG, MAIN, VERSION, Function

_ARRAYS = ("x", "x1", "x2", "arrays")
_OPERANDS = ("x", "x1", "x2", "min", "max")


@functools.cache
def array_api(name: str) -> Namespace:
    """The namespace of the array API standard on the backend of that name: "numpy", "torch", "jax".

    Its arrays hold the backend's own (`to_plain` gives them), and its functions run on them at once. Raises
    BackendError where the backend is not installed. Source: https://data-apis.org/array-api/2024.12/
    """
    return Namespace(backend(name))


class Namespace(Native):
    """What the standard asks of a namespace, on one backend."""

    def __init__(self, on: Backend) -> None:
        super().__init__(on)
        self.linalg, self.fft = Functions(self, LINALG), Functions(self, FFT)
        self.e, self.inf, self.nan, self.newaxis, self.pi = math.e, math.inf, math.nan, None, math.pi
        self.__array_api_version__ = VERSION

    def __repr__(self) -> str:
        return f"array_api({self.backend.name!r})"

    def __dir__(self) -> list[str]:
        return sorted((*MAIN, *CONSTANTS, *self.names, "linalg", "fft", "__array_namespace_info__"))

    def __array_namespace_info__(self) -> Info:
        """What the backend can do, its dtypes and devices."""
        return Info(self)

    # ------------------------------------------------------------------ calls
    def apply(self, function: Function, arguments: dict[str, Any]) -> Any:
        """The result of a call, its arguments by name."""
        for name in _ARRAYS:
            if function.kinds and name in arguments:
                self._check(function, arguments[name])
        with self.running():
            given = self._native(arguments)
            if function.elementwise or "x2" in given:
                given = self._alike(function, given)
            place = given.get("device")
            found = self._result(function, given)
        if place is not None and found is not None:
            found = self._placed(found, place)
        return self.wrapped(found)

    def _result(self, function: Function, given: dict[str, Any]) -> Any:
        body = BODIES.get(function.name)
        if body is not None:
            return body(self, **given)
        op = lookup(function.name)
        found = op(**given)
        wanted = given.get("dtype")
        return found if not isinstance(wanted, DType) else self.made(found, wanted)

    def _check(self, function: Function, given: Any) -> None:
        """Raise TypeError where an argument is no array, or of a dtype that the function does not take."""
        several = isinstance(given, (tuple, list))
        for x in given if several else (given,):
            if isinstance(x, Array):
                if x.dtype.kind not in function.kinds:
                    raise TypeError(f"{function.name} does not take arrays of {x.dtype}")
            elif several or not isinstance(x, NUMBER_CLASSES) or function.name not in _MIXED:
                raise TypeError(f"{function.name} takes arrays of {self!r}, not {type(x).__name__}")

    def _native(self, tree: Any) -> Any:
        """A tree of arguments with the backend's own arrays."""
        if isinstance(tree, Array):
            return self.unwrap(tree)
        if isinstance(tree, dict):
            return {key: self._native(item) for key, item in tree.items()}
        if isinstance(tree, (tuple, list)):
            return type(tree)([self._native(item) for item in tree])
        if isinstance(tree, slice):
            return slice(*map(self._native, (tree.start, tree.stop, tree.step)))
        return tree

    def wrapped(self, found: Any) -> Any:
        """A result with arrays of the namespace."""
        if self.is_native(found):
            return Array(found, self)
        if isinstance(found, tuple) and hasattr(found, "_fields"):
            return type(found)(*map(self.wrapped, found))
        return type(found)(map(self.wrapped, found)) if isinstance(found, (tuple, list)) else found

    def _alike(self, function: Function, given: dict[str, Any]) -> dict[str, Any]:
        """Arguments of an elementwise function in the dtype that the standard promotes theirs to."""
        values = {name: given[name] for name in _OPERANDS if given.get(name) is not None}
        arrays = [self.dtype_of(x) for x in values.values() if self.is_native(x)]
        wanted = kinds.promoted(arrays, [x for x in values.values() if not self.is_native(x)])
        wanted = arrays[0] if function.name == "clip" else wanted  # bounds do not widen what is clipped
        return {**given, **{name: self.typed(x, wanted) for name, x in values.items()}}

    def _placed(self, found: Any, place: Any) -> Any:
        """The result on a device."""
        if place == self.device_of(found) or str(place) == str(self.device_of(found)):
            return found
        with self.running():
            return ops.to_device(found, place)


_MIXED = {name for name, fn in MAIN.items() if fn.elementwise} | {"where", "result_type"}
