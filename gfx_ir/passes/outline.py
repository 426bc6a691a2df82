"""Outline: what was captured inline becomes one Graph for each module class and each repeated function, called by `call` nodes.

Capture records every node in the scope (the call of a module or function) that it belongs to; the nodes of a scope stand together.
Graphs that are equal, parameters taken relative to the scope's path, are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

from ..graph import Graph, Node, Value
from ..op import lookup
from ..program import Program
from ..source import Scope
from ..trees import BRANCHES, leaves, tree_map

_SMALLEST = 4  # nodes of a function that is worth a name of its own


def outline(program: Program) -> Program:
    """Give the program's functions their own Graphs, in place."""
    Outliner(program).run(program.entry, None)
    return program


class Outliner:
    """The state of one outlining: the functions so far, by what they contain."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[Hashable, str] = {}
        self.keys: dict[str, Hashable] = {}
        self.repeated = self._repeated(program.entry)

    def run(self, graph: Graph, base: Scope | None) -> None:
        """Outline the scopes under `base` in `graph`, which is its Graph (None: the entry)."""
        self._outline(graph, base, list(graph), base.path if base is not None else "")
        for path in [p for p, v in graph.parameters.items() if not v.uses]:
            del graph.parameters[path]

    def _outline(self, graph: Graph, scope: Scope | None, nodes: list[Node], base: str) -> None:
        """Outline what stands directly under `scope`; a scope that stays inline is looked into."""
        groups = [(child, run) for child, run in _grouped(nodes, scope) if child is not None]
        seen = Counter(id(child) for child, _ in groups)
        for child, run in groups:
            prefix = _below(child.path, base)
            if seen[id(child)] == 1 and prefix is not None and self._wanted(child, run):
                self._move(graph, child, run, prefix)
            else:
                self._outline(graph, child, run, base)

    def _wanted(self, scope: Scope, nodes: list[Node]) -> bool:
        if scope.kind == "module":
            return len(nodes) > 1 or any(_is_parameter(leaf) for node in nodes for leaf in leaves(node.args))
        return id(scope) in self.repeated

    def _repeated(self, entry: Graph) -> set[int]:
        """Function scopes whose nodes stand more than once."""
        members: dict[int, tuple[Scope, list[Node]]] = {}
        for node in entry:
            scope = node.span.scope if node.span is not None else None
            while scope is not None:
                if scope.kind == "function":
                    members.setdefault(id(scope), (scope, []))[1].append(node)
                scope = scope.parent
        found: dict[Hashable, list[int]] = {}
        for scope, nodes in members.values():
            if len(nodes) >= _SMALLEST:
                found.setdefault((scope.key, fingerprint(nodes, (), scope.path)), []).append(id(scope))
        return {at for group in found.values() if len(group) > 1 for at in group}

    # ------------------------------------------------------------------ moving
    def _move(self, graph: Graph, scope: Scope, nodes: list[Node], prefix: str) -> None:
        """Make a Graph of these nodes and put a call in their place; its parameters are those under `prefix`."""
        inside = set(nodes)
        inputs = _ordered_inputs(nodes, inside, scope, prefix)
        outputs = [v for node in nodes for v in node.values if any(user not in inside for user in v.uses)]
        following = nodes[-1].next
        span = scope.site or nodes[0].span
        callee = Graph(_snake(scope.name), scope.doc)
        local: dict[Value, Value] = {}
        for name, value in inputs:
            local[value] = callee.add_placeholder(name, value.kind, value.type)
        for node in nodes:
            graph.detach(node)
            node.set_args(tree_map(lambda leaf: self._inner(leaf, callee, prefix, local), node.args))
            callee.append(node)
        callee.result = outputs[0] if len(outputs) == 1 else tuple(outputs)
        call = Node(lookup("call"), ("", prefix, tuple(v for _, v in inputs)), tuple(v.kind for v in outputs), span)
        graph.insert(call, following)
        for old, new in zip(outputs, call.values):
            new.name, new.type = old.name, old.type
            for user in old.users():
                if user not in inside and user is not callee.output:
                    user.replace_input(old, new)
        self.run(callee, scope)
        call.set_args((self._named(callee), *call.args[1:]))

    def _inner(self, leaf: Any, callee: Graph, prefix: str, local: dict[Value, Value]) -> Any:
        if type(leaf) is not Value:
            return leaf
        found = local.get(leaf)
        if found is None and _is_parameter(leaf):
            found = local[leaf] = callee.add_parameter(_relative(leaf.node.args[0], prefix), leaf.type)
        return leaf if found is None else found

    def _named(self, callee: Graph) -> str:
        nodes = list(callee)
        outputs = tuple(leaf for leaf in leaves(callee.result))
        key = (callee.name, fingerprint(nodes, outputs, "", callee.placeholders))
        found = self.known.get(key)
        if found is not None:
            return found
        name, count = callee.name, 1
        while name in self.program.functions or name == self.program.entry.name:
            name, count = f"{callee.name}_{count}", count + 1
        callee.name = name
        self.program.functions[name] = callee
        self.known[key] = name
        return name


def _below(path: str, base: str) -> str | None:
    """`path` relative to `base`; None where it does not stand under it."""
    if not base or path == base:
        return path[len(base) :]
    return path[len(base) + 1 :] if path.startswith(base + ".") else None


def _grouped(nodes: list[Node], base: Scope | None) -> list[tuple[Scope | None, list[Node]]]:
    """Nodes grouped by the scope directly under `base` (None: under the entry) that they belong to."""
    groups: list[tuple[Scope | None, list[Node]]] = []
    for node in nodes:
        child = _under(node.span.scope if node.span is not None else None, base)
        if groups and groups[-1][0] is child:
            groups[-1][1].append(node)
        else:
            groups.append((child, [node]))
    return groups


def _under(scope: Scope | None, base: Scope | None) -> Scope | None:
    """The ancestor of `scope` that stands directly under `base`; under the entry where base is None."""
    while scope is not None:
        parent = scope.parent
        if parent is base or (base is None and parent is not None and parent.kind == "entry"):
            return scope if scope.kind != "entry" else None
        scope = parent
    return None


def _ordered_inputs(nodes: list[Node], inside: set[Node], scope: Scope, prefix: str) -> list[tuple[str, Value]]:
    """(name, value) of what the nodes take from outside: along the callee's signature, then by first use."""
    needed: dict[Value, None] = {}
    for node in nodes:
        for leaf in leaves(node.args):
            if type(leaf) is Value and leaf.node not in inside and not _own_parameter(leaf, prefix):
                needed[leaf] = None
    ordered: list[tuple[str, Value]] = []
    for name, argument in scope.args:
        for leaf in leaves(argument):
            if leaf in needed and leaf not in [v for _, v in ordered]:
                ordered.append((name if argument is leaf else (leaf.name or name), leaf))
    taken = {v for _, v in ordered}
    ordered += [(value.name or "x", value) for value in needed if value not in taken]
    return ordered


def _is_parameter(leaf: Any) -> bool:
    return type(leaf) is Value and leaf.node.op.name == "parameter"


def _own_parameter(value: Value, path: str) -> bool:
    return _is_parameter(value) and (not path or value.node.args[0].startswith(path + "."))


def _relative(path: str, prefix: str) -> str:
    return path[len(prefix) + 1 :] if prefix else path


def fingerprint(nodes: list[Node], outputs: tuple, path: str, placeholders: Iterable[Value] = ()) -> Hashable:
    """What nodes compute, whatever their inputs are called: equal for equal computations."""
    numbers: dict[Value, int] = {}
    for value in placeholders:
        numbers[value] = len(numbers)

    def key(leaf: Any) -> Hashable:
        kind = type(leaf)
        if kind is Value:
            found = numbers.get(leaf)
            if found is None:
                if _is_parameter(leaf) and _own_parameter(leaf, path):
                    return "parameter", _relative(leaf.node.args[0], path)
                found = numbers[leaf] = len(numbers)
            return "%", found
        if kind in BRANCHES:
            return _branch_key(leaf, key)
        return kind.__name__, leaf if kind is not float or leaf == leaf else "nan"

    rows = []
    for node in nodes:
        args = node.args if node.op.name != "call" else (node.args[0], _relative_call(node.args[1], path), node.args[2])
        rows.append((node.op.name, tuple(map(key, args)), *(_region_key(region, numbers) for region in node.regions)))
        for value in node.values:
            numbers[value] = len(numbers)
    return tuple(rows), tuple(map(key, outputs))


def _relative_call(prefix: str, path: str) -> str:
    return _relative(prefix, path) if path and prefix.startswith(path + ".") else prefix


def _region_key(region: Graph, numbers: dict[Value, int]) -> Hashable:
    outputs = tuple(leaf for leaf in leaves(region.result))
    return fingerprint(list(region), outputs, "", region.placeholders)


def _branch_key(tree: Any, key: Any) -> Hashable:
    if type(tree) is dict:
        return "dict", tuple((k, key(v)) for k, v in tree.items())
    if type(tree) is slice:
        return "slice", key(tree.start), key(tree.stop), key(tree.step)
    return type(tree).__name__, tuple(map(key, tree))


def _snake(name: str) -> str:
    out = ""
    for at, char in enumerate(name):
        if char.isupper() and at and (not name[at - 1].isupper() or name[at + 1 : at + 2].islower()):
            out += "_"
        out += char.lower()
    return out
