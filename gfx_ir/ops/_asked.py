"""Control rows of what only a run knows of an array: its shape, its dtype, whether it is None."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..control import Form
from ..cost import Counter, Estimate
from ..errors import ShapeError
from ..graph import Node
from ..infer.joins import Maybe
from ..infer.walk import Site, Walk
from ..interpreter import Interpreter
from ..rules import OPEN
from ._control import Structural


class Plain(Structural):
    """Types and costs are those of the op's own rules; only `run` is the row's."""

    worded = False

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        return walk.plain(node, args)

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        return counter.plain(node, site)


class Asked(Plain):
    """A question about one array, answered from what the interpreter sees of it: `answer(machine, *args)`."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self.answer = answer

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        return (self.answer(machine, *args),)


class IsNone(Asked):
    """Whether an optional value is None: what a walk knows of one says it, too."""

    worded = True
    form = Form.NONE_TEST

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        return (OPEN if args[0] is OPEN or isinstance(args[0], Maybe) else args[0] is None,)


class Sizes(Plain):
    """A shape taken apart."""

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        found = machine.shape(args[0])
        if len(found) != args[1]:
            raise ShapeError(f"a shape of {len(found)} sizes is taken apart into {args[1]}", node.span)
        return found
