"""Memory layout of NumPy's arrays: `x.strides` and `x.flags`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.types import LogicalTensor

Ask = Callable[[str], Any]


class Flags:
    """`x.flags` under capture: what tells the layout of the elements is answered, anything else refused."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def __getattr__(self, name: str) -> Any:
        answer = _FLAGS.get(name)
        if answer is None:
            raise UnsupportedConstruct(
                f"GFX cannot tell x.flags.{name}: whose memory an array is, is only known when the code runs",
                hint="decide it outside of the captured code",
            )
        return answer(self._ask)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, _SHORT.get(name, name.lower()))


_SHORT = {"C": "c_contiguous", "F": "f_contiguous", "FA": "farray", "CA": "carray"}
_FLAGS: dict[str, Callable[[Ask], Any]] = {
    "c_contiguous": lambda ask: ask("c_contiguous"),
    "contiguous": lambda ask: ask("c_contiguous"),
    "f_contiguous": lambda ask: ask("f_contiguous"),
    "fortran": lambda ask: ask("f_contiguous"),
    "fnc": lambda ask: ask("f_contiguous") and not ask("c_contiguous"),
    "forc": lambda ask: ask("f_contiguous") or ask("c_contiguous"),
}


def _strides(ask: Ask, type_: LogicalTensor) -> tuple[int, ...]:
    if type_.dtype is None:
        raise UnsupportedConstruct("GFX cannot tell x.strides, which counts bytes: the dtype of x is open")
    return tuple(step * type_.dtype.itemsize for step in ask("strides"))


def _flags(ask: Ask, type_: LogicalTensor) -> Flags:
    return Flags(ask)


ASKS = {"flags": _flags, "strides": _strides}
