"""What a program says and its target is not told: places where it has none, dtypes of numbers among arrays; and what
the target must be told because its own answer is another: the width of positions."""

from __future__ import annotations

from ...control import hangs_on_data, is_loop, is_output
from ...defaults import dtype_for
from ...dtypes import DType, bool_, framework_of, int64
from ...edited import put_before, set_arg
from ...graph import Graph, Node, Value
from ...infer.elements import declared, tensors
from ...op import Trait, lookup
from ...program import Program
from ...trees import leaves
from ...types import LogicalTensor
from .base import Emission, Lowering

_TOLD = frozenset(("shape", "dtype", "device"))


class Untold(Lowering):
    """What the target is not told is left out, and what it must be told is said."""

    name = "untold"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Drop these from the graph and its regions."""
        backend, rules = emission.backend, program.promotion
        places = getattr(getattr(backend, "style", None), "places", False)
        told = _joined(graph) if backend.promotion == "jax" else None
        for node in list(graph.walk()):
            if not places and "device" in node.op.params:
                _unplace(node)
            if told is not None and framework_of(rules) == "jax":
                _tell(node, told)
            elif framework_of(rules) == "torch" and backend.promotion == "jax" and node.op.traits & Trait.OF_NUMBERS:
                _weaken(node, "bifc" if told is None else "bi")
            row = backend.rows.get(node.op.name) if framework_of(rules) != backend.promotion else None
            if row is not None and row.narrow:
                _widen(node.values[row.narrow - 1])
            if row is not None and row.truths:
                _ask_truths(node, row.truths)


def _widen(found: Value) -> None:
    """Cast positions to the target's widest integer, unless they are used as an index only."""
    node, graph = found.node, found.node.graph
    users = [user for user in found.users() if not _indexes(user, found)]
    if not users or graph is None:
        return
    wide = Node(lookup("astype"), (found, int64), ("tensor",), node.span)
    graph.insert(wide, node.next)
    wide.value.type = found.type
    for user in users:
        user.replace_input(found, wide.value)
    wide.value.name, found.name = found.name, None


def _ask_truths(node: Node, name: str) -> None:
    """Compare an argument with 0 that may hold other numbers than booleans."""
    given = node.arg(name)
    if type(given) is Value and given.is_tensor and getattr(given.type, "dtype", None) is not bool_:
        set_arg(node, name, put_before(node, "not_equal", given, 0))


def _indexes(user: Node, positions: Value) -> bool:
    if not user.op.index:
        return False
    others = (arg for param, arg in zip(user.op.params, user.args) if param != user.op.index)
    return not any(leaf is positions for leaf in leaves(tuple(others)))


def _joined(graph: Graph) -> DType | None:
    """The one dtype of floats where the sides of a test, or the trips of a loop, meet in values of known dtypes.

    JAX refuses sides of different dtypes, and what a dtype that is left out means depends on its mode: then it is said.
    """
    floats: set[DType] = set()
    joins = False
    for node in graph.walk():
        joins = joins or hangs_on_data(node)
        for value in node.values:
            if value.is_tensor:
                known = value.type if isinstance(value.type, LogicalTensor) else LogicalTensor()
                if known.dtype is None:
                    return None
                if known.dtype.kind in "fc" and not known.weak:
                    floats.add(known.dtype)
    return floats.pop() if joins and len(floats) == 1 else None


def _tell(node: Node, float_: DType) -> None:
    """Write the dtype of a tensor that JAX would make in the dtype of its mode."""
    if "dtype" in node.op.params and node.arg("dtype") is None and node.op.family == "create":
        known = node.value.type
        if "x" in node.op.params and isinstance(known, LogicalTensor) and known.dtype is not None:
            if declared(node.arg("x")) == known.dtype:  # made like an array of that dtype
                return
        if isinstance(known, LogicalTensor) and known.dtype is not None:
            if not known.weak or known.dtype.kind == float_.kind:
                set_arg(node, "dtype", float_ if known.weak else known.dtype)


def _unplace(node: Node) -> None:
    device = node.arg("device")
    if node.op.traits & Trait.MOVES:
        node.value.replace_by(node.args[0])
        if node.graph is not None:
            node.graph.erase(node)
    elif device is not None:
        set_arg(node, "device", None)


def _weaken(node: Node, kinds: str) -> None:
    """torch lets a tensor of no axes take part in promotion by its kind alone: JAX does so where no dtype is given.
    What is returned, or carried by a loop, keeps its dtype, and so does a fraction beside whole numbers."""
    fraction = getattr(declared(node.value), "kind", "") in ("f", "c")
    for user in node.value.users():
        beside = {getattr(declared(leaf), "kind", "") for leaf in tensors(user) if leaf is not node.value}
        whole = fraction and beside and beside <= {"b", "i", "u"}
        if whole or is_output(user) or _carries(user, node.value):
            return
    (number,) = (arg for param, arg in zip(node.op.params, node.args) if param not in _TOLD)
    element = node.arg("dtype")
    scalar = not isinstance(number, (tuple, list)) and ("shape" not in node.op.params or node.arg("shape") == ())
    if (
        scalar
        and isinstance(element, DType)
        and element.kind in kinds
        and element in (dtype_for(number, "torch"), dtype_for(number, "numpy"))
    ):
        set_arg(node, "dtype", None)


def _carries(user: Node, value: Value) -> bool:
    return is_loop(user) and any(leaf is value for leaf in user.arg("init"))
