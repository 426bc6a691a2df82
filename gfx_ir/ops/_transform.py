"""Control row of function transformations: derivatives, batches and scans of a function that is a region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..control import Fail, Form
from ..cost import Counter, Estimate
from ..graph import Node
from ..infer.walk import Site, Walk
from ..interpreter import Interpreter
from ..regions import outputs_of
from ..types import LogicalTensor, item_type, slice_type
from ._control import Structural, closed, tuples

SCAN = "associative_scan"
GRAD = "grad"
KINDS = (GRAD, "jvp", "vmap", "jacrev", "jacfwd", SCAN)
_SEVERAL = ("jvp", "vmap", SCAN)
"""Those that give a value for each result of the function; the others derive its first result, for each input."""


def several(kind: str) -> bool:
    """Whether a transformation gives a value for each result of the function, not for each input."""
    return kind in _SEVERAL


class Transform(Structural):
    """What a transformation makes of a region. The framework that runs it makes it; NumPy has none."""

    form = Form.TRANSFORM
    free_text = ("kind",)

    def feeds(self, node: Node) -> tuple:
        kind, inputs, operands, _ = node.args
        return ((*inputs, *(inputs if kind == SCAN else ()), *operands),)

    def gives(self, node: Node) -> tuple:
        kind, inputs = node.args[:2]
        return (len(node.values) - len(inputs) if kind == GRAD else len(node.values) if several(kind) else 1,)

    def dtype_like(self, node: Node, at: int) -> Any:
        kind, inputs = node.args[:2]
        if kind == SCAN or (kind == GRAD and at < len(inputs)):
            return inputs[at]
        return node.regions[0].result[at - len(inputs) if kind == GRAD else at if several(kind) else 0]

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        kind, inputs, operands, given = args
        region = node.regions[0]

        def function(*inner: Any) -> Any:
            found = outputs_of(machine.graph(region, (*inner, *operands), prefix), len(region.result), node.span)
            return found if several(kind) else (found[0], tuple(found)) if kind == GRAD else found[0]

        return tuple(machine.backend.transformed(kind, function, inputs, given))

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        kind, inputs, operands, given = args
        taken = tuple([_of_function(kind, given, x) for x in inputs]) * (2 if kind == SCAN else 1)
        outs = walk.within(site, node, node.regions[0], (*taken, *operands), count=len(node.regions[0].result))
        if kind == SCAN:
            return tuple(inputs)
        if kind == GRAD:
            return (*inputs, *outs)
        if kind == "jvp":
            return outs
        if kind == "vmap":
            axis = next((type_.dims[:1] for type_ in inputs if _ranked(type_)), (None,))
            return tuple([_behind(axis, type_, type_) for type_ in outs])
        return tuple([_behind(outs[0].dims, type_, outs[0]) if _ranked(outs[0]) else None for type_ in inputs])

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        total = counter.total(site.children.get(node, []))
        return counter.noted(total, f"of `{node.args[0]}` the function alone is counted", node)

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        tuples(node, ("inputs", "operands", "given"), fail)
        kind, inputs, _, given = node.args
        if kind not in KINDS:
            fail(f"there is no transformation {kind!r}", f"there are: {' '.join(KINDS)}")
        if len(given) != (len(inputs) if kind == "jvp" else kind == SCAN):
            fail("the transformation jvp is given tangents, one for each input, a scan its axis, and no other anything")
        results = len(node.regions[0].result) if kind == GRAD else 0
        if not several(kind) and len(node.values) != len(inputs) + results:
            fail("it has a value for each input" + (", and for each result of its region" if results else ""))
        closed(node, fail)


def _ranked(type_: Any) -> bool:
    return isinstance(type_, LogicalTensor) and type_.dims is not None


def _of_function(kind: str, given: tuple, type_: Any) -> Any:
    """The type of what the function takes for an input: of a batch an item, of a scan a slice of as many elements as there may be."""
    if not _ranked(type_) or kind not in ("vmap", SCAN):
        return type_
    if kind == "vmap":
        return item_type(type_)
    return slice_type(type_, given[0], None)


def _behind(axes: tuple, type_: Any, like: Any) -> Any:
    """The type of a tensor with these axes in front of those of `type_`, of the dtype that `like` has."""
    if not isinstance(type_, LogicalTensor):
        return type_
    dims = None if type_.dims is None else (*axes, *type_.dims)
    return replace(like, dims=dims, strides=None, layout="any", id=None)
