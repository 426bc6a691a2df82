"""Dtypes that hang on the way that a program takes: a target that holds one dtype has no answer to what the author's code has there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from ...control import host_operator
from ...dtypes import DTYPES, DType, int32, int64, uint64
from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...infer.abstract import ARRAYS
from ...infer.elements import tensors
from ...infer.facts import Facts
from ...infer.flow import Source
from ...infer.handed import Handed
from ...op import Trait
from ...program import Program
from ...trees import leaves
from ...types import LogicalTensor
from .base import Emission, Lowering

_ONE_WIDTH = ({int64, int32}, {uint64, DTYPES["uint32"]})


class OpenDtypes(Lowering):
    """Dtypes are refused that hang on the way which the program takes."""

    name = "open_dtypes"

    def lower(self, program: Program, emission: Emission) -> None:
        """Refuse what asks for such a dtype, and what joins several. Raises UnsupportedConstruct."""
        handed = Handed(program.entry, program.functions, program.promotion)
        for graph in program.graphs:
            _check_open(graph, emission.style.name)
            if program.promotion != "jax":  # whose own code asks JAX itself
                _check_widths(graph, emission.style.name)
            _check_joined(graph, emission.style.name, partial(handed.facts, graph))


def _check_open(graph: Graph, name: str) -> None:
    """Raise UnsupportedConstruct where code asks for the dtype of what a typed capture knows by its shape alone."""
    for node in graph.walk():
        for value in node.values:
            if value.kind == "dtype" and any(map(_is_open, node.args)) and _is_asked(value):
                raise UnsupportedConstruct(
                    f"GFX cannot write this dtype as {name} source: it hangs on how often a loop runs, and {name} holds one dtype",
                    node.span,
                    "cast the tensor before the loop, or run it as PyTorch or NumPy source",
                )


def _check_widths(graph: Graph, name: str) -> None:
    """Raise UnsupportedConstruct where code tells 64 bits from 32: whole numbers of either have 32 unless the target is told."""
    for node in graph.walk():
        if host_operator(node) not in ("==", "!=", "in", "not in"):
            continue
        held = list(leaves(node.args[1]))
        named = {leaf for leaf in held if isinstance(leaf, DType)}
        if any(type(leaf) is Value for leaf in held) and any(len(named & both) == 1 for both in _ONE_WIDTH):
            found = " or ".join(sorted(leaf.name for leaf in named))
            raise UnsupportedConstruct(
                f"GFX cannot write this test for {found} as {name} source: whole numbers of 64 bits have 32 there, unless it is told otherwise",
                node.span,
                "ask for both: x.dtype in (torch.int64, torch.int32); or give the argument's dtype at capture",
            )


def _check_joined(graph: Graph, name: str, told: Callable[[], Facts]) -> None:
    """Raise UnsupportedConstruct where a test or loop decides the dtype of a result: a number gives way to what it meets, and so does
    an array of JAX's that is weak, where the array in its place would not."""
    nodes = list(graph.walk())
    if not any(node.regions for node in nodes):
        return
    facts = told()
    for value, source in facts.flow.sources.items():
        if source.node is not None and value.is_tensor and _give_way(source, facts):
            raise _error(_called(value), value.node, name, _dtypes(facts, source.leaves))
    for node in nodes:
        if not node.regions and any(len(facts.elements(leaf)) > 1 for leaf in tensors(node)):
            _check_made(node, facts, name)


def _give_way(source: Source, facts: Facts) -> bool:
    """Whether arrays of several dtypes come together, one of which gives way to what it meets."""
    arrays = [leaf for leaf in source.leaves if facts.kinds(leaf) == ARRAYS]
    return len(_dtypes(facts, arrays)) > 1 and any(map(facts.may_be_weak, arrays))


def _check_made(node: Node, facts: Facts, name: str) -> None:
    """An op of what may be of several dtypes has to make one of them, unless it takes arrays that are of several themselves, or is a
    mark of gradients: that hands on what it takes, a number as a number."""
    if node.op.traits & Trait.GRADIENT or any(len(_strong(facts, leaf)) > 1 for leaf in tensors(node)):
        return
    for value in node.values:
        found = _dtypes(facts, [value]) if facts.kinds(value) == ARRAYS else _strong(facts, value)
        if value.is_tensor and len(found) > 1:
            raise _error(_called(value), node, name, found)


def _strong(facts: Facts, leaf: Value) -> set[DType]:
    """The dtypes that it may have as an array that gives way to nothing."""
    return {dtype for dtype, weak in facts.elements(leaf) if dtype is not None and not weak}


def _dtypes(facts: Facts, found: Iterable[object]) -> set[DType]:
    return {dtype for leaf in found for dtype, _ in facts.elements(leaf) if dtype is not None}


def _called(value: Value) -> str:
    return repr(value.name) if value.name else "the result"


def _error(what: str, node: Node, name: str, found: set[DType]) -> UnsupportedConstruct:
    several = " or ".join(sorted(map(str, found)))
    return UnsupportedConstruct(
        f"GFX cannot write this as {name} source: {what} is {several}, by the way that a test or loop takes, and {name} holds one dtype",
        node.span,
        "cast what is joined there to one dtype",
    )


def _is_open(leaf: object) -> bool:
    known = leaf.type if type(leaf) is Value else None
    return isinstance(known, LogicalTensor) and known.dtype is None and known.dims is not None


def _is_asked(value: Value) -> bool:
    """Whether a dtype is handed on, or anything but tensors is made of it."""
    return any(_hands_on(node) or not all(made.is_tensor for made in node.values) for node in value.uses)


def _hands_on(node: Node) -> bool:
    """Whether a node is what a graph ends with, or may hand on what it takes."""
    return bool(node.regions) or node.graph is None or node is node.graph.output
