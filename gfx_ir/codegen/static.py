"""Arguments that a tracing compiler must be told to take as Python values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..build import ASK_A_VALUE, WHOLE_OF_BOOLEANS
from ..control import calls_function, is_for, is_host, is_loop, is_open_host, is_repeat, is_test
from ..graph import Node, Value
from ..infer.fixpoint import Fixpoint
from ..infer.flow import Flow, outputs
from ..op import Trait
from ..python_numbers import is_not_negative
from ..trees import leaves, paths
from .prepare import Prepared

HOST = ("int", "float", "bool", "str", "any", "dtype", "shape", "device")
# Parameters of ops that take a number which may be traced.
_TRACED = frozenset("x x1 x2 min max condition fill_value value init args data".split())


def static_arguments(prepared: Prepared, flow: Flow) -> tuple[str, ...]:
    """Names of the arguments on which tests, shapes and the like hang that are open until the source runs."""
    names = {}
    for parameter in prepared.signature:
        for _, leaf in paths(parameter.tree):
            if type(leaf) is Value and leaf.kind in HOST:
                names[leaf] = parameter.name
    origins = _Origins(prepared, flow, names)
    found = {
        name
        for graph in (prepared.entry, *prepared.functions.values())
        for node in graph.walk()
        for name in origins.of(_needed(node))
    }
    return tuple(text for text in dict.fromkeys(names.values()) if text in found)


def _needed(node: Node) -> Any:
    """What of a node's arguments Python itself needs."""
    if is_open_host(node):
        asked = node.args[0] if is_test(node) or is_for(node) else node.regions[0].result
        return asked, _exits(node)
    if is_host(node):
        return node.args[1] if node.args[0] in ASK_A_VALUE or _is_other(node) else ()
    if is_test(node) or is_loop(node) or calls_function(node) or node.op.traits & Trait.ASKS:
        return ()
    return [arg for text, arg in zip(node.op.params, node.args) if text not in _TRACED]


def _exits(node: Node) -> Any:
    """What a trip of a loop leaves that tells whether it is the last one."""
    at = node.arg("exit") if is_loop(node) and "exit" in node.op.params else None
    return None if at is None else outputs(node.regions[-1].result, len(node.values))[at]


def _is_other(node: Node) -> bool:
    """Whether an array gives something else there than the number of Python's that stands in its place."""
    name, operands = node.args
    if name == "**":  # a whole number to a negative power is a fraction
        return _kind(operands[0]) in ("int", "bool") and not is_not_negative(operands[1])
    return name in WHOLE_OF_BOOLEANS and _kind(operands[0]) == "bool"


def _kind(leaf: Any) -> str:
    return leaf.kind if type(leaf) is Value else type(leaf).__name__


class _Origins:
    """The arguments that values hang on by host computation, through tests, loops and calls."""

    def __init__(self, prepared: Prepared, flow: Flow, names: dict[Value, str]) -> None:
        self._flow, self._names = flow, names
        self._repeated: dict[Value, list[Any]] = {}
        for graph in (prepared.entry, *prepared.functions.values()):
            for node in graph.walk():
                if is_repeat(node):
                    for value, leaf in zip(prepared.functions[node.args[0]].placeholders, node.arg("args")):
                        self._repeated.setdefault(value, []).append(leaf)
        self._found = Fixpoint[frozenset[str]](self._parts, self._rule, frozenset(), frozenset(names.values()))

    def of(self, tree: Any) -> frozenset[str]:
        """The arguments that a tree hangs on."""
        return frozenset().union(*(self._found.of(leaf) for leaf in leaves(tree) if type(leaf) is Value))

    def _parts(self, value: Value) -> Iterable[Value]:
        source = self._flow.sources.get(value)
        taken: Any = value.node.args if is_host(value.node) else ()
        if source is not None:
            taken = (*source.leaves, *self._repeated.get(value, ()))
        return [leaf for leaf in leaves(taken) if type(leaf) is Value]

    def _rule(self, value: Value) -> frozenset[str]:
        own = frozenset((self._names[value],)) if value in self._names else frozenset[str]()
        return own.union(*map(self._found.now, self._parts(value)))
