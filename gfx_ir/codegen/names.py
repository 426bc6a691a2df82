"""Which name a value gets.

Three rules hold in every function that is printed. A name is taken again only where the value that had it is dead. A
name never hides a module, a builtin that is called, or a function of the module. A nested function never assigns a name
that it closes over.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..graph import Graph, Value
from ..naming import is_name
from .control import LOOPS

if TYPE_CHECKING:
    from .plan import Plan

BUILTINS = frozenset(
    "abs bool bytes complex dict enumerate float int isinstance len list max min print range reversed round slice str"
    " sum tuple type zip".split()
) | {name for name in dir(builtins) if name[0].isupper()}
_TEMPORARIES = {
    "mean": "mean", "var": "variance", "std": "std", "softmax": "weights", "argmax": "index", "argmin": "index",
    "size": "n", "numel": "n", "rank": "n", "shape": "shape", "arange": "positions", "split_key": "key", "topk": "top", "topk_total": "top",
    "dtype_of": "dtype", "sort": "ordered", "log_softmax": "log_probs", "mse_loss": "loss", "cross_entropy": "loss",
}  # fmt: skip
_KINDS = {"int": "n", "float": "value", "bool": "flag", "str": "text", "shape": "shape", "dtype": "dtype", "key": "key"}


def usable(text: object) -> bool:
    """Whether the text may name a variable."""
    return isinstance(text, str) and is_name(text) and not keyword.iskeyword(text) and text != "_" and text[:2] != "__"


def snake(text: str) -> str:
    """A function's name from a class's: `GPTBlock` → `gpt_block`; other names stay."""
    text = re.sub(r"\W", "_", text.rpartition(".")[2])
    if text[:1].isupper():
        text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text).lower()
    return text if usable(text) else f"f_{text}".rstrip("_")


def temporary(value: Value, is_boolean: Callable[[Value], bool]) -> str:
    """What to call a value that its author gave no name."""
    node = value.node
    if node.op.name == "begin_list" or (node.op.name in ("for", "host_for") and value.index > len(node.arg("init"))):
        return "outs"
    if node.op.name in LOOPS:
        return "done" if value.index - 1 == node.arg("exit") else "value"
    return _TEMPORARIES.get(value.node.op.name) or _KINDS.get(value.kind) or ("test" if is_boolean(value) else "h")


class Scope:
    """The names of one printed function. `reserved` are never assigned, nor `closed`: they are read from outside."""

    def __init__(self, plan: Plan, reserved: frozenset[str], closed: Iterable[str] = ()) -> None:
        self.plan, self.reserved, self.closed = plan, reserved, frozenset(closed)
        self._holders: dict[str, list[Value]] = {}
        self._counts: dict[str, int] = {}

    def free(self, name: str, graph: Graph, tick: int) -> bool:
        """Whether a value that is made in `graph` at `tick` may have the name."""
        if not usable(name) or name in self.reserved or name in self.closed:
            return False
        holders = self._holders.get(name)
        if not holders:
            return True
        return all(self.plan.positions.dead(value, graph, tick) for value in holders)

    def forget(self, name: str, graph: Graph) -> None:
        """The values of this graph that had the name are dead for good: all that follows stands behind them."""
        holders = self._holders.get(name)
        if holders:
            holders[:] = [value for value in holders if value.node.graph is not graph]

    def hold(self, name: str, value: Value) -> None:
        """Give the value the name."""
        self._holders.setdefault(name, []).append(value)

    def pick(self, hints: Iterable[str | None], graph: Graph, tick: int, avoid: Iterable[str] = ()) -> str:
        """The first of `hints` that is free, else the last usable one with a number behind it."""
        avoid = set(avoid)
        found = [hint for hint in hints if hint and usable(hint)] or ["h"]
        for hint in found:
            if hint not in avoid and self.free(hint, graph, tick):
                return hint
        base = found[0]
        count = 1
        while f"{base}_{count}" in avoid or not self.free(f"{base}_{count}", graph, tick):
            count = count + 1 if count < 8 else max(count, self._counts.get(base, 8)) + 1
        if count >= 8:
            self._counts[base] = count
        return f"{base}_{count}"
