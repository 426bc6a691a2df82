"""What stands for an object whose class has operators of its own, where converted code hands it to an operator."""

from __future__ import annotations

from typing import Any


class Operand:
    """An object of a class with operators of its own, as an operand."""

    __slots__ = ("object",)
    __array_ufunc__ = None  # NumPy's arrays leave the operator to it

    def __init__(self, x: Any) -> None:
        self.object = x

    def __str__(self) -> str:
        return str(self.object)

    def __repr__(self) -> str:
        return repr(self.object)

    def __int__(self) -> int:
        return int(self.object)

    def __float__(self) -> float:
        return float(self.object)
