"""What a functional loop carries has one dtype: numbers of a lower kind that a trip leaves are cast to it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..dtypes import DType
from ..graph import Node
from ..infer.elements import declared
from ..python_numbers import is_number
from .agreement import BOTH
from .constants import name, parse
from .liveness import loop_results, placeholders
from .repeats import Repeats

_MAKE = {"i": int, "f": float, "c": complex}


class Casts(Repeats):
    """Numbers as arrays."""

    def typed(self, number: ast.expr, element: DType) -> ast.expr:
        """A number as an array of this dtype."""
        style = self.module.style
        made = parse(style.scalar.format(dtype=style.dtype(element.name), value="_"))
        assert isinstance(made, ast.Call)
        return ast.Call(self.module.free(made.func), [number], [])

    def of_kind(self, leaf: Any, kind: str | None) -> ast.expr:
        """A number as one of a higher kind."""
        if kind is None:
            return self.tree(leaf)
        if is_number(leaf):
            return self.tree(_MAKE[kind](leaf))
        return ast.BinOp(self.tree(leaf), ast.Mult(), ast.Constant(_MAKE[kind](1)))

    def _narrower(self, node: Node, at: int) -> str | None:
        return self.plan.agreement.cast(node, at) if self.module.style.control == "functional" else None

    def is_cast(self, node: Node, at: int) -> bool:
        """Whether a trip may leave another dtype than the loop carries, as a number of a lower kind has."""
        return self._narrower(node, at) is not None

    def trip_result(self, node: Node, at: int) -> ast.expr:
        """What a trip leaves in a carried value, in the dtype that the loop carries."""
        made = super().trip_result(node, at)
        kind, element = self._narrower(node, at), declared(node.values[at])
        if kind is None:
            return made
        if element is not None:
            loop, carried = self.plan.liveness.phis.get(self.plan.resolve(loop_results(node)[at]), (None, -1))
            is_cast = loop is node and carried >= 0 and declared(node.values[carried]) == element
            return made if is_cast else self.typed(made, element)
        if kind and kind != BOTH:
            return ast.BinOp(made, ast.Mult(), ast.Constant(_MAKE[kind](1)))
        phi = placeholders(node, node.regions[-1])[1][at]
        carry = self.value(phi)
        if kind == BOTH:  # what both promote to: `result_type` takes a traced number for an array
            if not self.plan.agreement.alike(loop_results(node)[at], phi):  # but not broadcast to both
                shape = ast.keyword("shape", ast.Tuple([], ast.Load()))
                carry = ast.Call(self._of_module("zeros_like"), [carry], [shape])
            return ast.Call(self._of_module("where"), [ast.Constant(True), made, carry], [])
        return ast.Call(self._of_module("asarray"), [made, ast.Attribute(carry, "dtype", ast.Load())], [])

    def _of_module(self, text: str) -> ast.expr:
        """A function of the target's module."""
        return ast.Attribute(self.module.free(name(self.module.style.module)), text, ast.Load())

    def read_dtypes(self, node: Node, carried: Sequence[int]) -> None:
        """The carried values whose dtype is asked for are read by the end of the body."""
        body = node.regions[-1]
        phis = placeholders(node, body)[1]
        for at in carried:
            if declared(node.values[at]) is None and self._narrower(node, at) in ("", BOTH):
                self.plan.liveness.users.setdefault(phis[at], [])
                self.plan.positions.last[body][phis[at]] = 2 * self.plan.positions.index[body.output]
