"""Totals of narrow whole numbers whose dtype is open, which program and target add up in other widths."""

from __future__ import annotations

from ..backend import Backend
from ..dtypes import DTYPES, DType, bool_, framework_of, int32, int64
from ..edited import cast_behind, put_before
from ..graph import Graph, Node, Value
from ..infer.elements import declared, tensors
from ..infer.facts import Facts
from ..op import Trait
from ..rules import RAISED, infer
from ..trees import tree_map
from ..types import LogicalTensor
from .promoted import Assumed

_NARROW = DTYPES["int8"]
_APART = ("control", "create", "random", "effect", "number")


def widen_running(graph: Graph, backend: Backend, rules: str, facts: Assumed) -> None:
    """Make numbers of as many bits as Python's have there of what is added up where the program does so and the target would not;
    keep the dtype where the program does so, and the target would not. `facts`: of the values, where open arguments have this dtype."""
    if backend.promotion == framework_of(rules):
        return
    nodes = [node for node in graph.walk() if _is_open(node)]
    found = [node for node in nodes if 0 < _bits(node, backend.promotion) != _bits(node, rules) > 0]
    whole = facts(int64) if found else None
    for node in found:
        given = [leaf for leaf in tensors(node) if declared(leaf) is None and _is_whole(whole, leaf)]
        if _bits(node, rules) > _bits(node, backend.promotion):
            for leaf in given:
                node.replace_input(leaf, put_before(node, "promote_with", leaf, int64, False))
        elif len(given) == 1 and _made(node, rules, bool_) is bool_:  # it keeps any dtype
            cast_behind(node, put_before(node, "dtype_of", given[0]))


def _is_whole(facts: Facts | None, value: Value) -> bool:
    """Whether a value may be of whole numbers where open arguments are."""
    dtype = facts.dtype(value) if facts is not None else None
    return dtype is not None and dtype.kind in "iu"


def _is_open(node: Node) -> bool:
    """Whether a node computes of arrays whose dtype is open, in one that it is not told."""
    computes = len(node.values) == 1 and node.values[0].is_tensor and not node.regions and node.op.family not in _APART
    if not computes or node.op.traits & (Trait.CASTS | Trait.ASKS | Trait.ELEMENTWISE):
        return False
    told = "dtype" in node.op.params and node.arg("dtype") is not None
    return not told and any(declared(leaf) is None for leaf in tensors(node))


def _bits(node: Node, rules: str) -> int:
    """The bits in which these rules add up narrow numbers, up to those that every framework has; 0 where they make floats of them."""
    made = _made(node, rules, _NARROW)
    return min(made.bits, int32.bits) if made is not None and made.kind in "iu" else 0


def _made(node: Node, rules: str, of: DType) -> DType | None:
    """The dtype that these rules make of arrays of another one; None where they do not tell."""
    given = tree_map(lambda leaf: LogicalTensor(of) if type(leaf) is Value and leaf.is_tensor else leaf, node.args)
    try:
        made = infer(node.op, given, rules)[0]
    except RAISED:
        return None
    return made.dtype if isinstance(made, LogicalTensor) else None
