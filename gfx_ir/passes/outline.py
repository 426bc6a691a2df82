"""Outline: what was captured inline becomes one Graph for each module class and each repeated function.

Capture records every node in the scope (the call of a module or function) that it belongs to; a scope's nodes stand
together. Graphs that are equal, parameters taken relative to the scope's path, are one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ..control import is_call, is_given, is_parameter
from ..graph import Graph, Node, Value, map_values, values_in
from ..host import Dim, Expr
from ..infer.joins import agree
from ..naming import free_name
from ..op import lookup
from ..program import Program
from ..source import Scope
from ..stack import longer
from .dead_arguments import drop_unread
from .fingerprint import below, fingerprint, relative_call, stands_under
from .moves import fewer_operands, rebased, relink
from .selected import selected, selects
from .subtrees import take_subtrees

_CALLS = 2
"""How many calls a scope within another one takes."""
SMALLEST = 4  # nodes of a function that is worth a name of its own


def outline(program: Program) -> Program:
    """Give the program's functions their own Graphs, in place."""
    Outliner(program).run()
    take_subtrees(program)
    drop_unread(program)
    for graph in program.graphs:
        for path in [path for path, value in graph.parameters.items() if not value.uses]:
            graph.parameters.pop(path).node.values = ()
    return program


class Outliner:
    """The state of one outlining: the functions so far, by what they contain.

    It works from the inside out on the one graph of the entry, in which paths are absolute: a node moves once, into the
    Graph of its own scope; what computes the same as a Graph that is there already is only replaced by a call of it.
    A value that is used outside of its scope stays the same object, which the call gives from then on. In regions the same is done;
    `outside` has what their placeholders stand for.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.graph = program, program.entry
        self.known: dict[Hashable, str] = {}
        self.chains: dict[Scope | None, tuple[Scope, ...]] = {None: ()}
        self.outside: dict[Value, Any] = {}
        self.nodes = list(program.entry)
        self.repeated = self._repeated(self.nodes)
        self.rows = selected(self.graph.walk())

    def run(self) -> None:
        """Outline all scopes of the entry."""
        self._inside(0, self.nodes, "")
        relink(self.graph)

    def _inside(self, level: int, nodes: list[Node], base: str) -> list[Node]:
        """Outline what stands directly in a scope at that level, whose parameters stand under `base`; the nodes it has then."""
        groups = self._grouped(nodes, level)
        if self._is_all(groups, base):
            return self._within(groups[-1][0], level, nodes, base)
        met, twice, out = set[Scope | None](), set[Scope | None](), list[Node]()
        for child, _ in groups:
            (twice if child in met else met).add(child)
        several = sum(any(map(_computes, run)) for _, run in groups) > 1
        for child, run in groups:
            if child is None:
                self._in_regions(level, run, base)
                out += run
            elif child not in twice and stands_under(child.path, base) and self._wanted(child, run, several):
                out.append(self._called(child, self._within(child, level, run, child.path)))
            else:
                out += self._within(child, level, run, base)
        return out

    def _is_all(self, groups: list[tuple[Scope | None, list[Node]]], base: str) -> bool:
        """Whether a call with the parameters of its caller is all that this does, sizes that it is given apart."""
        if not groups or _graph_of(groups[0][1]) is not self.graph:
            return False
        (child, _), before = groups[-1], groups[:-1]
        return (
            child is not None
            and child.kind == "module"
            and stands_under(child.path, base)
            and all(scope is None and all(map(_is_number, run)) for scope, run in before)
        )

    def _within(self, scope: Scope | None, level: int, nodes: list[Node], base: str) -> list[Node]:
        """Outline what stands in a scope of that level; most hold nothing but nodes of their own."""
        for node in nodes:
            if node.span is None or node.span.scope is not scope:
                with longer(_CALLS):
                    return self._inside(level + 1, nodes, base)
        self._in_regions(level + 1, nodes, base)
        return nodes

    def _in_regions(self, level: int, nodes: list[Node], base: str) -> None:
        """Outline what stands in the regions of tests and loops of a scope."""
        for node in nodes:
            if node.regions and "operands" in node.op.params:
                operands = [self.outside.get(x, x) for x in node.arg("operands")]
                for region in node.regions:
                    self.outside.update(zip(region.placeholders[len(region.placeholders) - len(operands) :], operands))
                    self._inside(level, list(region), base)
                    relink(region)
                fewer_operands(node)

    def _parameter(self, x: Value, path: str = "") -> Any:
        """The parameter under a path that a placeholder of a region stands for; another value as it is."""
        found = self.outside.get(x, x)
        return found if _is_parameter(found) and stands_under(found.node.args[0], path) else x

    def _grouped(self, nodes: list[Node], level: int) -> list[tuple[Scope | None, list[Node]]]:
        """Nodes grouped by the scope at a level (None: none there) that they belong to."""
        groups: list[tuple[Scope | None, list[Node]]] = []
        run, before = list[Node](), None
        for node in nodes:
            chain = self._chain(node.span.scope if node.span is not None else None)
            child = chain[level] if level < len(chain) else None
            if child is not before or not run:
                run, before = [], child
                groups.append((child, run))
            run.append(node)
        return groups

    def _chain(self, scope: Scope | None) -> tuple[Scope, ...]:
        """A scope and those around it, from the outermost in; the entry stands around all."""
        if scope not in self.chains:
            around = () if scope is None or scope.kind == "entry" else (*self._chain(scope.parent), scope)
            self.chains[scope] = around
        return self.chains[scope]

    def _repeated(self, nodes: list[Node]) -> set[int]:
        """Function scopes whose nodes stand more than once."""
        members: dict[int, tuple[Scope, list[Node]]] = {}
        functions: dict[Scope | None, list[Scope]] = {}  # those around the nodes of a scope
        for node in nodes:
            scope = node.span.scope if node.span is not None else None
            if scope not in functions:
                functions[scope] = [outer for outer in self._chain(scope) if outer.kind == "function"]
            for outer in functions[scope]:
                members.setdefault(id(outer), (outer, []))[1].append(node)
        found: dict[Hashable, list[int]] = {}
        for scope, own in members.values():
            if len(own) >= SMALLEST:
                found.setdefault((scope.key, fingerprint(own, (), scope.path)[0]), []).append(id(scope))
        return {at for group in found.values() if len(group) > 1 for at in group}

    def _wanted(self, scope: Scope, nodes: list[Node], several: bool) -> bool:
        """Whether a scope is a function of its own; `several`: it is not the only one that computes something there."""
        if scope.kind == "module":
            return len(nodes) > 1 or any(_is_parameter(self._parameter(x)) for x in values_in(nodes[0].args))
        if _gives_text(nodes):
            return False
        if id(scope) in self.repeated:
            return True
        return (several or _in_a_body(scope, nodes)) and self._reads_as_its_authors(scope, nodes)

    def _reads_as_its_authors(self, scope: Scope, nodes: list[Node]) -> bool:
        """Whether a function that is called once is worth a name of its own, and takes what its author gives it: arrays that it is
        called with, not parts of containers; what is trained stands in one. The steps of a recursion are others than its author's, and
        what has to do with rows that data choose stands together."""
        around = self._chain(scope)
        if sum(map(_computes, nodes)) < SMALLEST or any(
            outer.key is scope.key for outer in around if outer is not scope
        ):
            return False
        if any(map(selects, nodes)) or (self.rows and any(map(self._has_rows, nodes))):
            return False
        inside, given = set(nodes), set(values_in(tuple(argument for _, argument in scope.args)))
        outer = {v for node in nodes for v in values_in(node.args) if v.node not in inside and v.is_tensor}
        return all(_is_parameter(self._parameter(v)) or self.outside.get(v, v) in given for v in outer)

    def _has_rows(self, node: Node) -> bool:
        """Whether a node takes or gives rows that data choose."""
        return not self.rows.isdisjoint((*node.values, *values_in(node.args)))

    # ------------------------------------------------------------------ moving
    def _called(self, scope: Scope, nodes: list[Node]) -> Node:
        """Put a call in the place of a scope's nodes."""
        self._read_sizes(scope, nodes)
        for node in nodes if self.outside else ():
            node.set_args(map_values(lambda x: self._parameter(x, scope.path), node.args))
        inside = set(nodes)
        outputs = [v for node in nodes for v in node.values if not inside.issuperset(v.uses) or _is_left_key(v)]
        if len(outputs) > 1:  # as their author gives them
            places = {value: at for at, value in reversed(list(enumerate(scope.gives)))}
            outputs.sort(key=lambda value: (value.kind == "key", places.get(value, len(places))))
        content, needed = fingerprint(nodes, tuple(outputs), scope.path)
        ordered = self._ordered_inputs(needed, scope)
        values = tuple(ordered)
        key = (scope.name, content, tuple([(needed[value], told_apart(value)) for value in values]))
        known = self.known.get(key)
        name = known or free_function_name(self.program, scope.title)
        call = Node(lookup("call"), (name, scope.path, values), (), scope.site or nodes[0].span)
        graph = _graph_of(nodes)
        graph.insert(call, nodes[0])
        take_over(call, outputs)
        if known is None:
            self.known[key] = name
            result = outputs[0] if len(outputs) == 1 else tuple(outputs)
            self.program.functions[name] = self._graph(name, scope, nodes, ordered, result)
        else:
            agree(self.program.functions[name], nodes, self.program.promotion)
            graph.discard(nodes[0], nodes[-1])
        return call

    def _read_sizes(self, scope: Scope, nodes: list[Node]) -> None:
        """Read sizes of the tensors that a scope takes where it is: the author's function is not given them."""
        inside, given = set(nodes), set(values_in(tuple(argument for _, argument in scope.args)))
        outer = dict.fromkeys(v for node in nodes for v in values_in(node.args) if v.node not in inside)
        numbers = [
            value
            for value in outer
            if isinstance(value.type, (Dim, Expr)) and self.outside.get(value, value) not in given
        ]
        tensors = [value for value in outer if value.is_tensor and not is_parameter(value.node)] if numbers else []
        read: dict[Value, Value] = {}
        for number in numbers:
            place = next(((x, axis) for x in tensors for axis, dim in enumerate(_dims(x)) if dim == number.type), None)
            if place is not None:
                node = Node(lookup("size"), place, ("int",), nodes[0].span)
                node.value.type = number.type
                _graph_of(nodes).insert(node, nodes[0])
                nodes.insert(0, node)
                read[number] = node.value
        for node in nodes if read else ():
            node.set_args(map_values(lambda value: read.get(value, value), node.args))

    def _graph(self, name: str, scope: Scope, nodes: list[Node], inputs: dict[Value, str], result: Any) -> Graph:
        """A Graph of these nodes, paths relative to the scope's; what the call gives has other values here."""
        return function_of(Graph(name, scope.doc), nodes, inputs, scope.path, result)

    def _ordered_inputs(self, needed: Mapping[Value, int], scope: Scope) -> dict[Value, str]:
        """What a scope takes from outside, with its name: along the callee's signature, then by first use."""
        ordered: dict[Value, str] = {}
        inner = {self.outside.get(value, value): value for value in needed}
        for name, argument in scope.args:
            for given in (argument,) if type(argument) is Value else values_in((argument,)):
                value = inner.get(given)
                if value is not None and value not in ordered:
                    ordered[value] = name if argument is given else (value.name or name)
        if len(ordered) < len(needed):
            for value in needed:
                ordered.setdefault(value, value.name or "x")
        return ordered


def _is_left_key(value: Value) -> bool:
    """Whether a value is the key that the last draw of all leaves, which a function gives that draws elsewhere, too."""
    return value.kind == "key" and not value.uses


def told_apart(value: Value) -> Hashable:
    """What of an argument's type decides what a function of it is: one that takes other shapes may be the same, not one of other dtypes."""
    return value.kind, getattr(value.type, "dtype", None)


def _gives_text(nodes: list[Node]) -> bool:
    """Whether other nodes take a text of these: what it is for, an error or more, is seen where it is used."""
    texts = [value for node in nodes for value in node.values if value.kind == "str"]
    inside = set(nodes) if texts else set()
    return any(not inside.issuperset(value.uses) for value in texts)


def free_function_name(program: Program, name: str) -> str:
    """A name for a function of a program: this one, or with a number where it is taken."""
    return free_name(name, (*program.functions, program.entry.name))


def function_of(callee: Graph, nodes: list[Node], inputs: Mapping[Value, str], path: str, result: Any) -> Graph:
    """Move nodes of one graph into an empty one, with placeholders for `inputs` and paths relative to `path`.

    Where a call gives a value of theirs by now, they have another one here.
    """
    local = {value: callee.add_placeholder(title, value.kind, value.type) for value, title in inputs.items()}

    def inner(value: Value) -> Value:
        found = local.get(value)
        if found is None and _is_parameter(value):
            found = local[value] = callee.add_parameter(below(value.node.args[0], path), value.type)
        return value if found is None else found

    for node in nodes:
        callee.adopt(node)
        if node.regions:
            rebased(node.regions, lambda prefix: below(prefix, path))
        if is_call(node):
            node.set_args(map_values(inner, relative_call(node.args, path)))
        elif any(value in local or is_parameter(value.node) for value in values_in(node.args)):
            node.set_args(map_values(inner, node.args))
        for at, value in enumerate(node.values, 1):
            if value.node is not node:
                local[value] = Value(node, at, value.kind, value.name, value.type)
        node.values = tuple([local.get(value, value) for value in node.values])
    relink(callee)
    (callee.result,) = map_values(inner, (result,))
    return callee


def take_over(call: Node, outputs: list[Value]) -> None:
    """Let a call give these values, to all who use them."""
    for at, value in enumerate(outputs, 1):
        value.node, value.index = call, at
    call.values = tuple(outputs)


def _graph_of(nodes: Sequence[Node]) -> Graph:
    graph = nodes[0].graph
    assert graph is not None
    return graph


def _in_a_body(scope: Scope, nodes: list[Node]) -> bool:
    """Whether a scope stands in the body of a test or loop of its author's, and is not what that was given, as lax.scan is."""
    owner, site = _graph_of(nodes).owner, scope.site
    return owner is not None and owner.span is not None and site is not None and owner.span.step != site.step


def _computes(node: Node) -> bool:
    """Whether a node makes an array."""
    return any(value.is_tensor for value in node.values) and not is_given(node)


def _is_number(node: Node) -> bool:
    """Whether all that a node does is to give a number."""
    return not node.op.effect and all(value.kind == "int" for value in node.values)


def _dims(x: Value) -> tuple:
    return getattr(x.type, "dims", None) or ()


def _is_parameter(leaf: Any) -> bool:
    return type(leaf) is Value and is_parameter(leaf.node)
