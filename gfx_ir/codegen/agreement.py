"""Agreement on one dtype: what a target asks for that settles the values of a test, and what a loop carries, itself.

A carried value that starts as `0` is a number until a trip makes it an array; a test may give a number on one side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..control import is_open_host
from ..errors import UnsupportedConstruct
from ..graph import Node, Value
from ..infer.carried import Carried
from ..infer.elements import declared
from ..infer.facts import Facts
from ..infer.ranks import FirstAxes
from ..infer.shapes import Shapes
from ..python_numbers import is_number
from ..types import LogicalTensor
from .liveness import Liveness, loop_results

ORDER = "bifc"
BOTH = "both"  # the dtype that a carried value and what a trip leaves promote to


class Agreement:
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness, facts: Facts, shapes: Shapes) -> None:
        self.liveness, self.facts, self.shapes = liveness, facts, shapes
        self._axes = FirstAxes(facts.flow, facts.settles)
        self._dependence: dict[Node, Carried] = {}

    def kind(self, leaf: Any) -> str | None:
        """Kind of what is weak for sure (computed from Python numbers alone) or a boolean, the highest that it may have; else None."""
        return self.facts.weak_kind(self.liveness.resolve(leaf))

    def loose(self, leaf: Any) -> bool:
        """Whether there may be a number, or an array of a number's dtype: what it is joined with decides."""
        return self.facts.may_be_weak(self.liveness.resolve(leaf))

    def _is_boolean(self, leaf: Any) -> bool:
        return self.facts.is_boolean(self.liveness.resolve(leaf))

    def _lowest(self, leaf: Any) -> str | None:
        return self.facts.lowest_kind(self.liveness.resolve(leaf))

    # ------------------------------------------------------------------ loops
    def narrower(self, leaf: Any, than: Value) -> str | None:
        """Kind of `than` where the leaf is a number of a lower kind, as an index is beside a float; "" where `than` is an array."""
        if not self.loose(leaf):
            return None
        element = declared(than)
        if element is not None and element.kind == "b":  # nothing is less, and True is no number beside an array
            return None
        whole = self.facts.whole_kind(than) if element is None else element.kind.replace("u", "i")
        if whole is None:
            return None if self.loose(than) or self.facts.whole_kind(self.liveness.resolve(leaf)) is None else ""
        own = self._lowest(leaf)
        if own is None and element is not None:
            return whole
        return whole if own is not None and ORDER.index(own) < ORDER.index(whole) else None

    def cast(self, node: Node, at: int, result: Any) -> str | None:
        """What a trip's result is cast to: a kind of numbers, "" for an array's dtype, BOTH; None where it has that dtype."""
        if at == node.arg("exit"):
            return None
        found = self.narrower(result, node.values[at])
        if found is None and not is_open_host(node):
            return BOTH if self.lags(node, at, result) or self.apart(node, at, result) else None
        # A loop of Python's own may carry a number in an array's place.
        return None if found == "" and is_open_host(node) and declared(node.values[at]) is None else found

    def lags(self, node: Node, at: int, result: Any) -> bool:
        """Whether a trip puts what may be a number in the place of a value that it does not come from: while a loop around this
        one is being settled, or in a later trip of Python's own, it may be of a lower kind than that value."""
        if (
            self._is_boolean(node.values[at])
            or not self.loose(result)
            or self.facts.whole_kind(node.values[at]) is not None
        ):
            return False
        return not self._depends(node).surely(loop_results(node)[at], at)

    def apart(self, node: Node, at: int, result: Any) -> bool:
        """Whether a trip of a loop puts a tensor in the place of a value that has nothing to do with it, so that their dtypes
        may differ, `last = x[0]` and then `last = count`; or a number in that of an array of a lower kind."""
        if at == node.arg("exit") or declared(node.values[at]) is not None:
            return False
        init, kind = self.liveness.resolve(node.arg("init")[at]), self.kind(result)
        before = declared(init)
        if before is not None and kind is not None and self.widened(node, at) is None:
            return ORDER.index(kind) > ORDER.index(before.kind.replace("u", "i"))
        if type(result) is not Value or not result.is_tensor:
            return False
        if self.widths_differ(init, node.values[at]):
            return True
        if self._is_boolean(result) or self.facts.of(result).first:
            return False
        if self._depends(node).types(loop_results(node)[at], at):
            return self.facts.origins.has_default(result)
        return self.facts.origins.apart(init, result) if type(init) is Value else isinstance(init, float)

    def widened(self, node: Node, at: int) -> str | None:
        """The kind of number that trips make of a number of a lower kind from before the loop; None: they do not."""
        if at == node.arg("exit"):
            return None
        init, after = self.liveness.resolve(node.arg("init")[at]), self.kind(node.values[at])
        before = self.kind(init)
        if before is None and self.loose(init):  # an index may be a number or none
            before = self.facts.whole_kind(init)
        before = before and self._lowest(init)
        wider = before is not None and after is not None and ORDER.index(after) > ORDER.index(before)
        return after if wider else None

    def widths_differ(self, one: Any, other: Any) -> bool:
        """Whether two tensors of known types may be of two dtypes of one kind: one of them is of either, or both are."""
        types = [value.type if type(value) is Value and value.is_tensor else None for value in (one, other)]
        first, second = types
        if not isinstance(first, LogicalTensor) or not isinstance(second, LogicalTensor) or first.weak or second.weak:
            return False
        return first.dtype != second.dtype or (first.dtype is None and not self.facts.origins.same(one, other))

    def settles_late(self, node: Node) -> bool:
        """Whether a carried number changes dtype only after several trips, since it follows another one."""
        carried = self.liveness.carried(node)
        init = [self.liveness.resolve(leaf) for leaf in node.arg("init")]
        numbers = {at for at in carried if is_number(init[at]) and at != node.arg("exit")}
        others = [at for at in carried if at not in numbers and self.widened(node, at) is None]
        if any(self._widens(init[at], node.values[at]) for at in others):
            return True
        arrays = {at for at in numbers if self.kind(node.values[at]) is None and declared(node.values[at]) is None}
        if any(isinstance(init[at], bool) and not self._is_boolean(node.values[at]) for at in arrays):
            return True  # no target takes a boolean for a number on its own
        if len(arrays) < 2:
            return False
        made = {at: self._depends(node).made_of(loop_results(node)[at]) for at in arrays}
        return any(other != at and other in arrays for at in made for other in made[at])

    def growing(self, node: Node) -> list[Value]:
        """Values of a loop that are a number before it and may become an array with axes."""
        init, results = node.arg("init"), loop_results(node)
        numbers = [at for at in self.liveness.carried(node) if is_number(self.liveness.resolve(init[at]))]
        grown = [at for at in numbers if self.shapes.may_have_axes(self.liveness.resolve(results[at]))]
        return [node.values[at] for at in grown if at != node.arg("exit")]

    def alike(self, first: Any, second: Any) -> bool:
        """Whether two values have one shape for all inputs."""
        return self.shapes.alike(self.liveness.resolve(first), self.liveness.resolve(second))

    def _widens(self, init: Any, result: Value) -> bool:
        """Whether a loop may make more of what is no literal, and so is not cast by the target itself."""
        if declared(result) is not None or not self.loose(init):
            return False
        return self.kind(init) is None or self.kind(result) is None

    def _depends(self, node: Node) -> Carried:
        found = self._dependence.get(node)
        if found is None:
            found = self._dependence[node] = Carried(node, self.facts.flow, self.facts.settles)
        return found

    # ------------------------------------------------------------------ tests
    def sides_differ(self, first: Any, second: Any) -> bool:
        """Whether the sides of a test may differ in dtype only because one is a Python number."""
        one, other = self.liveness.resolve(first), self.liveness.resolve(second)
        if one is other:
            return False
        if self.widths_differ(one, other):
            return True
        loose = self.loose(one), self.loose(other)
        kinds = self.kind(one), self.kind(other)
        if kinds[0] != kinds[1] and (any(loose) or None not in kinds):
            return True
        if self._is_boolean(one) != self._is_boolean(other) and (
            self.facts.of(one).first or self.facts.of(other).first
        ):
            return True
        return any(loose) and (kinds[0] is None or self._is_mixed(one) or self._is_mixed(other))

    def check_axes(self, node: Node, sides: Sequence[Sequence[Any]], target: str) -> None:
        """Raise UnsupportedConstruct where the sides of a test are known to have different numbers of axes: numbers have none."""
        for pair in zip(*sides):
            one, other = (self._axes.of(self.liveness.resolve(leaf)) for leaf in pair)
            if one.differ(other):
                first, second = (axes.least if axes.least else axes.most for axes in (one, other))
                what = f"GFX cannot write this test as {target} source: one side gives {first} axes, and the other one {second}"
                raise UnsupportedConstruct(
                    what, node.span, "give both sides one shape, or run it as PyTorch or NumPy source"
                )

    def unrelated(self, first: Any, second: Any) -> bool:
        """Whether two tensors have nothing to do with each other, so that their dtypes may differ."""
        one, other = self.liveness.resolve(first), self.liveness.resolve(second)
        if type(one) is not Value or type(other) is not Value or (self._is_boolean(one) and self._is_boolean(other)):
            return False
        return self.facts.origins.apart(one, other)

    def same(self, first: Any, second: Any) -> bool:
        """Whether two values surely have one dtype, be it known or not."""
        return self.facts.origins.same(self.liveness.resolve(first), self.liveness.resolve(second))

    def _is_mixed(self, leaf: Any) -> bool:
        """Whether a value comes from a test or loop of Python's own that gives numbers of two kinds, as one of them."""
        kind = self.kind(leaf)
        return kind is not None and self._lowest(leaf) not in (None, kind)
