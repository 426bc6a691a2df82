"""Interprocedural facts: what the functions of a program are called with and give back, for rewrites of one graph after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..control import is_call
from ..dtypes import DTYPES, DType, int64
from ..graph import Graph, Value
from ..types import LogicalTensor
from .fact import Fact
from .facts import Facts

FLOATS = tuple(DTYPES[name] for name in ("float16", "float32", "float64"))
"""The dtypes that open arguments are assumed to have: source is exact where they have one of these, or whole numbers."""


class Handed:
    """The facts of each graph of a program, with those of what the others hand it as they were when this was made.

    `numbers`: whether functions of numbers give numbers of Python's where dtypes are promoted: NumPy's do not, whatever the target has.
    """

    def __init__(
        self,
        entry: Graph,
        functions: Mapping[str, Graph],
        rules: str,
        of_numbers: bool = False,
        across: bool = False,
    ) -> None:
        """`rules`: those of the program; `of_numbers`: as Facts has it;
        `across`: whether the target promotes otherwise, so that facts are asked for assumed dtypes."""
        self.numbers, self._rules, self._of_numbers = rules != "numpy", rules, of_numbers
        self._known: dict[tuple[bool, DType | None], dict[Value, Fact]] = {}
        values = list(_open(entry, functions))
        promoted = self._of_numbers and self.numbers
        assumed = (*FLOATS, int64) if across else ()
        for asked in (
            {(False, None), (self._of_numbers, None), *((promoted, dtype) for dtype in assumed)} if values else ()
        ):
            facts = Facts([entry], functions, rules, of_numbers=asked[0], assumed=asked[1])
            self._known[asked] = {value: facts.of(value) for value in values}

    def facts(self, graph: Graph, numbers: bool = False, assumed: DType | None = None) -> Facts:
        """What is known of the values of a graph as it is now. `numbers`: with `of_numbers`; `assumed`: the dtype that arguments and
        parameters have where they are told none."""
        of_numbers = self._of_numbers and numbers
        handed = self._known[of_numbers, assumed] if self._known else None
        return Facts([graph], {}, self._rules, of_numbers=of_numbers, assumed=assumed, handed=handed)


def _open(entry: Graph, functions: Mapping[str, Graph]) -> Iterator[Value]:
    """What functions take and calls give, as far as its type does not tell that it is an array, which has axes, and its dtype."""
    for graph in functions.values():
        yield from (value for value in graph.placeholders if not _told(value))
    for graph in (entry, *functions.values()):
        for node in graph.walk():
            if is_call(node) and node.args[0] in functions:
                yield from (value for value in node.values if not _told(value))


def _told(value: Value) -> bool:
    known = value.type
    return not value.is_tensor or (isinstance(known, LogicalTensor) and known.dtype is not None and bool(known.dims))
