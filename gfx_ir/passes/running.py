"""Running totals of narrow whole numbers whose dtype is open, where the target keeps them narrow."""

from __future__ import annotations

from ..backend import Backend
from ..dtypes import DTYPES, framework_of, int32, int64
from ..edited import put_before, set_arg
from ..graph import Graph, Node, Value
from ..infer.elements import declared
from ..rules import infer
from ..types import LogicalTensor
from .promoted import Assumed

_NARROW = DTYPES["int8"]


def widen_running(graph: Graph, backend: Backend, rules: str, facts: Assumed) -> None:
    """Make numbers of at least 32 bits of what is added up where the program does so and the target would not. `facts`: of the values,
    where open arguments have this dtype."""
    if backend.promotion == framework_of(rules):
        return
    found = [node for node in graph.walk() if _is_open(node) and _bits(node, rules) > _bits(node, backend.promotion)]
    whole = facts(int64) if found else None
    for node in found:
        dtype = whole.dtype(node.args[0]) if whole is not None else None
        if dtype is not None and dtype.kind in "iu":
            set_arg(node, "x", put_before(node, "promote_with", node.args[0], int32, False))


def _is_open(node: Node) -> bool:
    """Whether a node adds up, in a dtype that it is not told, an array whose own is open."""
    if node.op.family != "reduce" or "dtype" not in node.op.params or node.arg("dtype") is not None:
        return False
    x = node.arg("x")
    return type(x) is Value and declared(x) is None


def _bits(node: Node, rules: str) -> int:
    """The bits in which these rules add up narrow numbers, up to those that every framework has."""
    (made,) = infer(node.op, (LogicalTensor(_NARROW), *node.args[1:]), rules)
    return min(made.dtype.bits, int32.bits) if isinstance(made, LogicalTensor) and made.dtype is not None else 0
