"""Types of all values of a program: a walk along every graph reached, loops until their carried types are stable.

What a graph gives for arguments of given types is remembered, so that nested loops and repeated calls stay cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import dtypes, rules
from ..applied import operands
from ..errors import GfxError, ShapeError
from ..graph import Graph, Node, Value, filled
from ..interpreter import called
from ..program import Program
from ..reach import reached
from ..regions import join_path, outputs_of
from ..stack import longer
from ..trees import tree_map
from ..types import LogicalTensor
from .joins import final, fit, initial, loosely, strictly

Types = tuple
_CALLS = 8
"""How many calls within each other a region within a region takes."""


class Site:
    """One graph as one call, or node that holds it, reaches it: the types of its values there, and the sites within.

    Its parameters stand under `prefix`. `children` are the sites of what each node holds or calls, `trips` how often a
    loop of a known number of trips runs its body.
    """

    __slots__ = ("graph", "prefix", "env", "result", "children", "trips")

    def __init__(self, graph: Graph | None, prefix: str = "") -> None:
        self.graph, self.prefix = graph, prefix
        self.env: dict[Value, Any] = {}
        self.result: Any = None
        self.children: dict[Node, list[Site]] = {}
        self.trips: dict[Node, Any] = {}

    def type(self, value: Value) -> Any:
        """What is known of a value here: a LogicalTensor or a host value; None: nothing."""
        return final(self.env[value])

    def walk(self) -> Iterator[Site]:
        """Itself, and every site within, each once."""
        return reached([self], lambda site: [child for children in site.children.values() for child in children])


class Walk:
    """Infers the types of one program, or (None) of graphs on their own. `partial`: what cannot be followed is unknown."""

    def __init__(self, program: Program | None, promotion: str, partial: bool = False) -> None:
        self.program, self.rules, self.partial = program, promotion, partial
        self.known: dict[Any, Site | None] = {}

    def run(self, entry: Graph) -> Site:
        """Walk a graph on what is known of its arguments."""
        return self.graph(entry, tuple([initial(p) for p in entry.placeholders]), "")

    def graph(self, graph: Graph, inputs: Types, prefix: str) -> Site:
        """A graph on arguments of these types, its parameters under `prefix`."""
        key = _key(graph, inputs, prefix)
        if key is None:
            return self._graph(graph, inputs, prefix)
        found = self.known.get(key, self)
        if found is None:
            raise GfxError(f"the function {graph.name!r} calls itself", hint="its types and cost have no closed form")
        if not isinstance(found, Site):
            self.known[key] = None
            try:
                found = self.known[key] = self._graph(graph, inputs, prefix)
            finally:
                if self.known[key] is None:
                    del self.known[key]
        return found

    def _graph(self, graph: Graph, inputs: Types, prefix: str) -> Site:
        site = Site(graph, prefix)
        env = site.env
        for value, type_ in zip(graph.placeholders, inputs):
            env[value] = fit(value, type_, self.rules)
        for path, value in graph.parameters.items():
            env[value] = self.parameter(join_path(prefix, path), value)
        for node in graph:
            self.node(node, filled(node.args, env), site)
        site.result = filled(graph.result, env)
        return site

    def node(self, node: Node, args: Types, site: Site) -> Types:
        """Types of a node's values for arguments of these types; `site` learns them."""
        control = node.op.control
        types = self.plain(node, args) if control is None else control.infer(self, node, args, site)
        types = tuple([fit(value, type_, self.rules) for value, type_ in zip(node.values, types)])
        site.env.update(zip(node.values, types))
        return types

    def parameter(self, path: str, value: Value) -> Any:
        """The type of a parameter's data; where there is none, what is known of it."""
        data = self.program.params.get(path) if self.program is not None else None
        if data is None:
            return initial(value)
        return LogicalTensor(dtypes.dtype(data.dtype), tuple(data.shape))

    def plain(self, node: Node, args: Types) -> Types:
        """Types by the op's own rule."""
        if node.op.infer is None and node.op.body is None:
            return tuple([initial(value) for value in node.values])
        types = rules.infer_at(node.op, operands(node.op, node.args, args, self.rules), self.rules, node.span)
        if len(types) != len(node.values):
            what = f"{node.op.name} gives {len(types)} values here, and {len(node.values)} were captured"
            raise ShapeError(what, node.span, "capture with these shapes")
        return types

    # ------------------------------------------------------------------ what control rows ask
    def within(self, site: Site, node: Node, region: Graph, inputs: Types, count: int | None = None) -> Types:
        """Types that a region of a node gives (`count` of them; None: one for each value of the node)."""
        with longer(_CALLS):
            return self.called(site, node, region, inputs, site.prefix, count)

    def called(
        self, site: Site, node: Node, graph: Graph | None, inputs: Types, prefix: str, count: int | None = None
    ) -> Types:
        """Types that a graph gives to a node, to whose sites it is added."""
        if graph is None:
            return tuple([initial(value) for value in node.values])
        found = self.graph(graph, inputs, prefix)
        site.children.setdefault(node, []).append(found)
        return outputs_of(found.result, len(node.values) if count is None else count, node.span)

    def callee(self, node: Node) -> Graph | None:
        """The graph that a call names; None where there is none and the walk is partial."""
        if self.partial and (self.program is None or self.program.callee(node.args[0]) is None):
            return node.args[0] if self.program is None and isinstance(node.args[0], Graph) else None
        return called(self.program, node)

    def joined(self, node: Node, at: int, a: Any, b: Any) -> Any:
        """The type of what is one of two tensors. Raises ShapeError where they cannot be one."""
        value = node.values[at]
        try:
            return strictly(fit(value, a, self.rules), fit(value, b, self.rules), self.rules)
        except ShapeError as error:
            loop = bool(node.op.control.carried(node)) if node.op.control is not None else False
            where = f"the trips of a {node.op.name} loop" if loop else "the two branches of a test"
            hint = "make both agree, with astype, reshape or broadcast_to"
            what = f"{value.name or 'a value'!r} differs between {where}: {error.what}"
            raise ShapeError(what, node.span, hint) from None


def inputs_of(node: Node) -> Types:
    """A node's arguments with what is known of each Value in its place."""
    return tree_map(lambda leaf: initial(leaf) if type(leaf) is Value else leaf, node.args)


def _key(graph: Graph, inputs: Types, prefix: str) -> Any:
    key = (graph, tuple([(type(t), t) for t in inputs]), prefix)
    try:
        hash(key)
    except TypeError:
        return None
    return key


def record(site: Site, rules: str) -> None:
    """Set the types of every value that the walk reached; where calls of a graph disagree, what they agree on."""
    found: dict[Value, Any] = {}
    for current in site.walk():
        for value, type_ in current.env.items():
            found[value] = loosely(found[value], type_, rules) if value in found else type_
    for value, type_ in found.items():
        value.type = final(type_)
