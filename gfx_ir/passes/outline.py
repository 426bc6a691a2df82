"""Outline: what was captured inline becomes one Graph for each module class and each repeated function, called by `call` nodes.

Capture records every node in the scope (the call of a module or function) that it belongs to; the nodes of a scope stand together.
Graphs that are equal, parameters taken relative to the scope's path, are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

from ..graph import Graph, Node, Value
from ..naming import snake
from ..op import lookup
from ..program import Program
from ..source import Scope
from ..trees import BRANCHES, leaves, tree_map

_SMALLEST = 4  # nodes of a function that is worth a name of its own


def outline(program: Program) -> Program:
    """Give the program's functions their own Graphs, in place."""
    Outliner(program).run()
    return program


class Outliner:
    """The state of one outlining: the functions so far by what they contain, and what stands for values that moved into them.

    It works from the inside out on the one graph of the entry, in which paths are absolute: a node moves once, into the Graph
    of its own scope, and what computes the same as a Graph that is there already is only replaced by a call of it.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.graph = program, program.entry
        self.known: dict[Hashable, str] = {}
        self.moved: dict[Value, Value] = {}
        self.repeated = _repeated(program.entry)

    def run(self) -> None:
        """Outline all scopes of the entry."""
        self._inside(None, list(self.graph), "")
        _relink(self.graph)
        for path in [p for p, v in self.graph.parameters.items() if not v.uses]:
            del self.graph.parameters[path]

    def _inside(self, scope: Scope | None, nodes: list[Node], base: str) -> list[Node]:
        """Outline what stands directly under `scope`, whose Graph has the parameters under `base`; the nodes it has then."""
        groups = _grouped(nodes, scope)
        seen = Counter(id(child) for child, _ in groups)
        out: list[Node] = []
        for child, run in groups:
            if child is None:
                out += run
            elif seen[id(child)] == 1 and _stands_under(child.path, base) and self._wanted(child, run):
                out.append(self._called(child, self._inside(child, run, child.path)))
            else:
                out += self._inside(child, run, base)
        return out

    def _wanted(self, scope: Scope, nodes: list[Node]) -> bool:
        if scope.kind == "module":
            return len(nodes) > 1 or any(_is_parameter(leaf) for node in nodes for leaf in leaves(node.args))
        return id(scope) in self.repeated

    # ------------------------------------------------------------------ moving
    def _called(self, scope: Scope, nodes: list[Node]) -> Node:
        """Put a call in the place of a scope's nodes."""
        inside = set(nodes)
        inputs = self._ordered_inputs(nodes, inside, scope)
        outputs = [v for node in nodes for v in node.values if any(user not in inside for user in v.uses)]
        values = tuple(value for _, value in inputs)
        name = snake(scope.name)
        key = (name, fingerprint(nodes, tuple(outputs), scope.path, values))
        known = self.known.get(key)
        args = (known or self._free(name), scope.path, values)
        call = Node(lookup("call"), args, tuple(v.kind for v in outputs), scope.site or nodes[0].span)
        self.graph.insert(call, nodes[0])
        for old, new in zip(outputs, call.values):
            new.name, new.type = old.name, old.type
            self.moved[old] = new
            for user in old.users():
                if user not in inside:
                    user.replace_input(old, new)
        if known is None:
            self.known[key] = args[0]
            self.program.functions[args[0]] = self._graph(args[0], scope, nodes, inputs, outputs)
        else:
            for node in reversed(nodes):
                self.graph.erase(node)
        return call

    def _graph(self, name: str, scope: Scope, nodes: list[Node], inputs: list[tuple[str, Value]], outputs: list[Value]) -> Graph:
        """A Graph of these nodes; paths in it are relative to the scope's."""
        callee = Graph(name, scope.doc)
        local = {value: callee.add_placeholder(title, value.kind, value.type) for title, value in inputs}

        def inner(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            found = local.get(leaf)
            if found is None and _is_parameter(leaf):
                found = local[leaf] = callee.add_parameter(_relative(leaf.node.args[0], scope.path), leaf.type)
            return leaf if found is None else found

        for node in nodes:
            self.graph.detach(node)
            args = node.args if node.op.name != "call" else _relative_call(node.args, scope.path)
            node.set_args(tree_map(inner, args))
            callee.append(node)
        _relink(callee)
        callee.result = outputs[0] if len(outputs) == 1 else tuple(outputs)
        return callee

    def _free(self, name: str) -> str:
        """The name, or one with a number where it is taken."""
        free, count = name, 1
        while free in self.program.functions or free == self.program.entry.name:
            free, count = f"{name}_{count}", count + 1
        return free

    def _ordered_inputs(self, nodes: list[Node], inside: set[Node], scope: Scope) -> list[tuple[str, Value]]:
        """(name, value) of what the nodes take from outside: along the callee's signature, then by first use."""
        needed: dict[Value, None] = {}
        for node in nodes:
            for leaf in leaves(node.args):
                if type(leaf) is Value and leaf.node not in inside and not _own_parameter(leaf, scope.path):
                    needed[leaf] = None
        ordered: list[tuple[str, Value]] = []
        for name, argument in scope.args:
            for leaf in leaves(argument):
                found = self._standing(leaf)
                if found in needed:
                    del needed[found]
                    ordered.append((name if argument is leaf else (leaf.name or name), found))
        return ordered + [(value.name or "x", value) for value in needed]

    def _standing(self, leaf: Any) -> Any:
        """The value that stands for one of the capture's, by way of the calls that it went through."""
        while type(leaf) is Value and leaf in self.moved:
            leaf = self.moved[leaf]
        return leaf if type(leaf) is Value else None


def _repeated(entry: Graph) -> set[int]:
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


def _relink(graph: Graph) -> None:
    """Let each effect stand after the one before it in its own graph."""
    last = None
    for node in graph:
        if node.op.effect:
            node.after, last = last, node


def _stands_under(path: str, base: str) -> bool:
    return not base or path == base or path.startswith(base + ".")


def _grouped(nodes: list[Node], base: Scope | None) -> list[tuple[Scope | None, list[Node]]]:
    """Nodes grouped by the scope directly under `base` (None: under the entry) that they belong to."""
    groups: list[tuple[Scope | None, list[Node]]] = []
    found: dict[Scope | None, Scope | None] = {}
    for node in nodes:
        scope = node.span.scope if node.span is not None else None
        if scope not in found:
            found[scope] = _under(scope, base)
        child = found[scope]
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
        args = node.args if node.op.name != "call" else _relative_call(node.args, path)
        rows.append((node.op.name, tuple(map(key, args)), *(_region_key(region, numbers) for region in node.regions)))
        for value in node.values:
            numbers[value] = len(numbers)
    return tuple(rows), tuple(map(key, outputs))


def _relative_call(args: tuple, path: str) -> tuple:
    """A call's arguments with the prefix of its parameters relative to `path`, which it stands under."""
    callee, prefix, values = args
    return callee, prefix[len(path) :].lstrip(".") if _stands_under(prefix, path) else prefix, values


def _region_key(region: Graph, numbers: dict[Value, int]) -> Hashable:
    outputs = tuple(leaf for leaf in leaves(region.result))
    return fingerprint(list(region), outputs, "", region.placeholders)


def _branch_key(tree: Any, key: Any) -> Hashable:
    if type(tree) is dict:
        return "dict", tuple((k, key(v)) for k, v in tree.items())
    if type(tree) is slice:
        return "slice", key(tree.start), key(tree.stop), key(tree.step)
    return type(tree).__name__, tuple(map(key, tree))
