"""ControlWriter: how tests and loops are written; one for each way in which targets have them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..graph import Node
from .nesting import Nested

Finish = Callable[[], bool]
"""Writes the end of a block; True where nothing that follows is reached."""


class ControlWriter:
    """One function's tests and loops. A style names the class; the writer of a function makes one of it, for itself.

    `higher_order`: tests and loops that hang on data are functions which the target calls with functions; `compiled`: it traces
    the code first, so that whatever it computes with is an array, numbers too; `of_tensors`: what goes into its tests and loops and
    comes out of them is tensors of fixed dtypes alone.
    """

    higher_order = False
    compiled = False
    of_tensors = False

    def __init__(self, writer: Any) -> None:
        """`writer`: the Statements of the function."""
        raise NotImplementedError

    def statement(self, node: Node) -> Nested:
        """Write a test or loop as statements; what it gives is True where nothing behind it is reached."""
        raise NotImplementedError

    def expression(self, node: Node) -> ast.expr:
        """A test or loop as an expression."""
        raise NotImplementedError

    def ternary(self, node: Node, asked: bool = False) -> ast.expr:
        """A test as one expression of Python's; `asked`: it is only asked for its truth."""
        raise NotImplementedError

    def branch(self, node: Node, finish: Finish) -> Nested:
        """Write a test whose sides end as the block does."""
        raise NotImplementedError

    def init(self, node: Node, at: int) -> ast.expr:
        """What a loop starts from in a carried value."""
        raise NotImplementedError

    def trip_result(self, node: Node, at: int) -> ast.expr:
        """What a trip of a loop leaves in a carried value."""
        raise NotImplementedError

    def spelled(self, node: Node) -> ast.expr | None:
        """A node that is written otherwise here than its row says; None: as the row says."""
        return None

    def check(self, node: Node) -> ast.expr | None:
        """What raises an error that hangs on data, or that a function which the target calls raises; None: `raise` does."""
        return None
