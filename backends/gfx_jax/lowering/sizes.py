"""Sizes that hang on data, which a tracing compiler cannot have: a tensor as the bound of a slice, in a shape, or as a choice, and the
lengths of lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from gfx_ir.codegen.prepare.base import Emission, Lowering, order
from gfx_ir.codegen.prepare.traced import numbers_of_data
from gfx_ir.codegen.unrolling import Unrolling
from gfx_ir.control import hangs_on_data, has_lists, is_call, is_for, is_loop
from gfx_ir.dtypes import float32
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import REGISTRY, Trait, lookup
from gfx_ir.program import Program
from gfx_ir.rules import RAISED, infer
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

_PROBED = frozenset(("create", "shape"))
"""Families of ops whose arguments tell sizes: which of them do is asked of the shape rule."""
_SIZE = 6
_PROBE = LogicalTensor(float32, (_SIZE, _SIZE))
_BY_PYTHON = {lookup(op.control.on_data): op for op in REGISTRY.values() if op.control and op.control.on_data}
"""What data decide, decided by the target's Python, which runs only where data are at hand."""


class Sizes(Lowering):
    """Tests and loops around what has a size by data are run by Python, as JAX compiles none; it runs where data are at hand."""

    name = "sizes"

    def lower(self, program: Program, emission: Emission) -> None:
        """Let Python run the tests and loops in which a size is only known when the code runs, or a function that has such a size."""
        within, needing = _called_within(program, emission.unrolling), set[Graph]()
        for graph in order(program):
            if self._by_python(graph, program, emission.unrolling, graph in within, needing):
                needing.add(graph)

    def _by_python(
        self, graph: Graph, program: Program, unrolling: Unrolling, within: bool, needing: Collection[Graph]
    ) -> bool:
        """Whether a graph needs data that are at hand; `within`: a compiled test or loop calls it, `needing`: functions that do."""
        nodes, found = list(graph.walk()), False
        traced = numbers_of_data(nodes, unrolling)
        for node in nodes:
            around = list(_compiled(node, unrolling))
            if hangs_on_data(node) and _decides_length(node):
                found = True
                for owner in (*around, *(() if is_for(node) else (node,))):
                    owner.op = _BY_PYTHON.get(owner.op, owner.op)
            elif (around or within) and (
                (is_call(node) and program.functions[node.args[0]] in needing)
                or _is_sized_by_data(node)
                or _needs_data(node)
                or (traced and _needs_number(node, traced))
            ):
                found = True
                for owner in around:
                    owner.op = _BY_PYTHON[owner.op]
        return found


def _called_within(program: Program, unrolling: Unrolling) -> set[Graph]:
    """The functions that a compiled test or loop calls, and those that these call."""
    found = set[Graph]()
    for graph in reversed(order(program)):
        for node in graph.walk():
            if is_call(node) and (graph in found or any(_compiled(node, unrolling))):
                found.add(program.functions[node.args[0]])
    return found


def _decides_length(node: Node) -> bool:
    """Whether data decide how many items a list has that a test or loop gives."""
    if is_loop(node):
        return has_lists(node) and (not is_for(node) or node.arg("exit") is not None)
    return any(value.kind == "list" and value.uses for value in node.values)


def _compiled(node: Node, unrolling: Unrolling) -> Iterator[Node]:
    """The tests and loops around a node that no Python of the target runs."""
    owner = node.graph.owner if node.graph is not None else None
    while owner is not None:
        if hangs_on_data(owner) and not (is_for(owner) and unrolling.takes(owner)):
            yield owner
        owner = owner.graph.owner if owner.graph is not None else None


def _needs_data(node: Node) -> bool:
    """Whether a slice has a bound in a tensor, or a shape a size there, or Python reads what a tensor holds."""
    if any(map(_is_data, _bounds(node))) and not _keeps_shape(node):
        return True
    if node.op.traits & Trait.ORDERS or (node.op.control is not None and node.op.control.reads_data):
        return True
    if "index" in node.op.params and type(first := node.args[0]) is Value and first.kind == "list":
        return any(map(_is_data, node.args[1:]))
    return node.op.family in _PROBED and any(_tells_size(node, at) for at in range(len(node.args)))


def needs_numbers_of(node: Node) -> Iterator[Value]:
    """The tensors in which a slice has a bound, a shape a size or a call an axis, those whose elements tell how many a result has, and
    that result."""
    if node.regions:
        return
    yield from (
        leaf for name, arg in zip(node.op.params, node.args) if _is_axis(name) for leaf in leaves(arg) if _is_data(leaf)
    )
    if _is_sized_by_data(node):
        yield from filter(_is_data, leaves(node.args))
        yield from node.values
    if not _keeps_shape(node):
        yield from filter(_is_data, _bounds(node))
    if node.op.family in _PROBED:
        for at, (name, arg) in enumerate(zip(node.op.params, node.args)):
            if name == "shape" or _tells_size(node, at):
                yield from filter(_is_data, leaves(arg))


def _is_sized_by_data(node: Node) -> bool:
    """Whether the result has a size that the sizes of the arguments do not tell."""
    if node.op.infer is None or node.regions or not any(map(_is_data, leaves(node.args))):
        return False
    try:
        made = infer(node.op, tree_map(_probe, node.args), "jax")
    except RAISED:
        return False
    return any(isinstance(type_, LogicalTensor) and None in (type_.dims or ()) for type_ in made)


def _probe(leaf: Any) -> Any:
    """A type like that of a value, whose sizes are known, and a number in the place of one of Python's."""
    if type(leaf) is Value and leaf.kind == "int":
        return _SIZE
    if not _is_data(leaf):
        return leaf
    known = leaf.type if isinstance(leaf.type, LogicalTensor) else _PROBE
    dims = _PROBE.dims if known.dims is None else tuple(n if type(n) is int else _SIZE for n in known.dims)
    return LogicalTensor(known.dtype or float32, dims)


def _is_data(leaf: Any) -> bool:
    return type(leaf) is Value and leaf.is_tensor


def _bounds(node: Node) -> Iterator[Any]:
    """The ends of slices in the index of a node."""
    for arg in node.args[1:]:
        for item in arg if type(arg) is tuple else (arg,):
            if type(item) is slice:
                yield from (item.start, item.stop, item.step)


def _needs_number(node: Node, traced: set[Value]) -> bool:
    """Whether a compiler needs the number itself of host values that are data: as a bound of a slice, an axis, or what tells sizes."""

    def is_data(leaf: Any) -> bool:
        return type(leaf) is Value and leaf in traced

    if node.regions or not any(map(is_data, leaves(node.args))):
        return False
    if any(map(is_data, _bounds(node))):
        return True
    return any(
        any(map(is_data, leaves(arg))) and (_is_axis(name) or (node.op.family in _PROBED and _sizes(node, at, is_data)))
        for at, (name, arg) in enumerate(zip(node.op.params, node.args))
    )


def _is_axis(name: str) -> bool:
    return name.startswith("axis")


def _keeps_shape(node: Node) -> bool:
    """Whether the result has the shape of the first argument whatever the bounds are, as that of a write of a number has."""
    return _shape(node, 1, 2) == (_PROBE.dims,)


def _tells_size(node: Node, at: int) -> bool:
    """Whether the shape of the result hangs on what an argument holds: with other numbers in it there are other sizes."""
    return any(map(_is_data, leaves(node.args[at]))) and _sizes(node, at, _is_data)


def _sizes(node: Node, at: int, kind: Callable[[Any], bool]) -> bool:
    found = [_shape(node, at, number, kind) for number in (2, 3)]
    return found[0] != found[1]


def _shape(node: Node, at: int, number: int, kind: Callable[[Any], bool] = _is_data) -> Any:
    def probe(leaf: Any) -> Any:
        return _PROBE if _is_data(leaf) else leaf

    args = [
        tree_map(lambda leaf: number if kind(leaf) else leaf, arg) if i == at else tree_map(probe, arg)
        for i, arg in enumerate(node.args)
    ]
    try:
        return tuple(type_.dims for type_ in infer(node.op, tuple(args), "jax") if isinstance(type_, LogicalTensor))
    except RAISED:
        return None
