"""Reads what `encoding` makes of a Program. Every field is checked, what does not fit is refused; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import host
from .attributes import Attribute
from .described import Described
from .dtypes import DTYPES, PROMOTIONS
from .encoding import FORMAT, KINDS_OF_ATTRIBUTES, VERSION
from .errors import FormatError, MissingOp
from .graph import UNBOUND, Graph, Node, Value
from .host import Dim, DimLike
from .ids import IDS
from .naming import is_name
from .op import lookup
from .program import GUARD_KINDS, PARAMETER_KINDS, Guard, Parameter, Program, of_a_function
from .records import Record
from .source import Scope, Span
from .types import LogicalTensor, layout_of

_SIZES: dict[str, Callable[..., DimLike]] = {
    "floordiv": host.floordiv,
    "mod": host.mod,
    "max": lambda a, b: host.extremum("max", a, b),
    "min": lambda a, b: host.extremum("min", a, b),
}
_ANNOTATION = re.compile(r"[\w.\[\], |'\"]*")
TAMPERED = "write it again with save(); it was changed, or cut off, after it was written"


def bad(what: str) -> FormatError:
    """The error for data that no `encode` writes."""
    return FormatError(f"this is no program of GFX: {what}", hint=TAMPERED)


def need(data: Any, kind: type | tuple[type, ...], what: str, length: int | None = None) -> Any:
    """The data, where it is of that kind (and length)."""
    good = isinstance(data, kind) and not (isinstance(data, bool) and kind in (int, (int, type(None))))
    if not good or (length is not None and len(data) != length):
        raise bad(f"{what} cannot be {str(data)[:60]}")
    return data


def decode(data: Any) -> Program:
    """The program that was encoded, still to be verified. Raises FormatError."""
    head(data)
    graphs = need(data.get("graphs"), list, "the table of graphs")
    decoder = _Decoder(data, len(graphs))
    for at, graph in enumerate(graphs):
        decoder.graph(at, need(graph, dict, "a graph"))
    IDS.reserve(decoder.largest)
    return decoder.program()


def head(data: Any) -> None:
    """Check that this is a file of ours, of a version that we read."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise bad("it does not say that it is one")
    version = need(data.get("version"), int, "the version")
    if version > VERSION:
        hint = f"this GFX reads versions up to {VERSION}: update it, or save the program with an older one"
        raise FormatError(f"the file has format version {version}", hint=hint)
    if version != VERSION:
        raise bad(f"there is no version {version}")


class _Decoder:
    """The tables of one file."""

    def __init__(self, data: dict[str, Any], count: int) -> None:
        self.data = data
        self.graphs = [Graph() for _ in range(count)]
        self.values: list[list[Value]] = [[] for _ in range(count)]
        self.held: set[int] = set()
        self.spans: list[Span] = []
        self.largest = 0
        self._read_places()

    def at(self, table: list[Any], position: Any, what: str) -> Any:
        """An entry of a table."""
        need(position, int, f"the position of {what}")
        if not 0 <= position < len(table):
            raise bad(f"there is no {what} {position}")
        return table[position]

    # ------------------------------------------------------------------ places
    def _read_places(self) -> None:
        spans, rows = need(self.data.get("spans"), list, "spans"), need(self.data.get("scopes"), list, "scopes")
        scopes: list[Scope] = []
        for row in rows:
            name, kind, path, doc, parent, site = need(row, list, "a scope", 6)
            for text in (name, kind, path, doc):
                need(text, str, "a text of a scope")
            need(parent, (int, type(None)), "the parent of a scope")
            need(site, (int, type(None)), "the site of a scope")
            if parent is not None and not 0 <= parent < len(scopes):
                raise bad("a scope stands before its parent")
            scopes.append(Scope(name, kind, path, None, None if parent is None else scopes[parent], doc=doc))
        owners = []
        for row in spans:
            file, line, name, scope = need(row, list, "a span", 4)
            if "\0" in need(file, str, "the file of a span"):
                raise bad("a span stands in no file")
            need(name, str, "the name of a span")
            owner = None if scope is None else self.at(scopes, scope, "scope")
            self.spans.append(Span(file, need(line, int, "the line of a span"), name, owner))
            owners.append(scope)
        for at, row in enumerate(rows):
            if row[5] is not None:
                site = self.at(self.spans, row[5], "span")
                if site.scope is not None and owners[row[5]] >= at:
                    raise bad("a scope stands before the place that it was called from")
                scopes[at].site = site

    def span(self, position: Any) -> Span | None:
        """The span at a position of the table."""
        return None if position is None else self.at(self.spans, position, "span")

    # ------------------------------------------------------------------ trees
    def tree(self, data: Any, values: list[Value]) -> Any:
        """A tree over the values of a graph."""
        if data is None or isinstance(data, (bool, int, str, float)):
            return data
        items = need(data, list, "a tree")
        tag, *rest = items if items else [None]
        if tag == "%":
            return self.at(values, need(rest, list, "a value", 1)[0], "value")
        if tag == "tuple":
            return tuple([self.tree(item, values) for item in rest])
        if tag == "list":
            return [self.tree(item, values) for item in rest]
        if tag == "slice":
            return slice(*[self.tree(item, values) for item in need(rest, list, "a slice", 3)])
        if tag == "dict":
            return {self._key(k): self.tree(v, values) for k, v in (need(pair, list, "an entry", 2) for pair in rest)}
        return self._leaf(tag, rest)

    def _key(self, data: Any) -> Any:
        key = self.tree(data, [])
        try:
            hash(key)
        except TypeError:
            raise bad("a dictionary has a list for a key") from None
        return key

    def _leaf(self, tag: Any, rest: list[Any]) -> Any:
        if tag == "dtype":
            (name,) = need(rest, list, "a dtype", 1)
            if name not in DTYPES:
                raise bad(f"there is no dtype {name!r}")
            return DTYPES[name]
        if tag == "tensor":
            return self._logical(*need(rest, list, "the type of a tensor", 6))
        if tag in ("dim", "sum", *_SIZES):
            return self.size([tag, *rest])
        if tag == "float" and rest in (["inf"], ["-inf"], ["nan"]):
            return float(rest[0])
        if tag == "complex":
            parts = [self.tree(part, []) for part in need(rest, list, "a complex number", 2)]
            return complex(*[need(part, float, "a part of a complex number") for part in parts])
        if tag == "described":
            text, whole = need(rest, list, "a described object", 2)
            return Described(need(text, str, "a description"), need(whole, bool, "whether it is whole"))
        if tag == "...":
            return ...
        if tag == "unbound":
            return UNBOUND
        if tag == "graph":
            return self.at(self.graphs, need(rest, list, "a graph", 1)[0], "graph")
        raise bad(f"there is no constant of the form {str(tag)[:40]!r}")

    def _logical(self, dtype: Any, dims: Any, strides: Any, layout: Any, weak: Any, id_: Any) -> LogicalTensor:
        need(dtype, (str, type(None)), "a dtype")
        order = layout_of(layout)
        if (dtype is not None and dtype not in DTYPES) or order is None:
            raise bad(f"there is no dtype {dtype!r} of layout {layout!r}")
        sizes = None if dims is None else tuple(map(self.size, need(dims, list, "dims")))
        steps = None if strides is None else tuple(need(strides, list, "strides"))
        for number in (*(steps or ()), id_):
            need(number, (int, type(None)), "a stride or id")
        return LogicalTensor(DTYPES[dtype] if dtype else None, sizes, steps, order, need(weak, bool, "weak"), id_)

    def size(self, data: Any) -> Any:
        """A size expression, made anew so that it is in normal form."""
        if data is None or (isinstance(data, int) and not isinstance(data, bool)):
            return data
        tag, *rest = need(data, list, "a size")
        if tag == "dim":
            name, low, high = need(rest, list, "a dim", 3)
            return Dim(need(name, str, "a dim"), need(low, int, "a bound"), need(high, (int, type(None)), "a bound"))
        if tag in _SIZES:
            a, b = map(self.size, need(rest, list, f"the operands of {tag}", 2))
            if a is None or b is None or (tag in ("floordiv", "mod") and b == 0):
                raise bad(f"a size cannot be {str(data)[:60]}")
            return _SIZES[tag](a, b)
        if tag != "sum":
            raise bad(f"a size cannot be {str(data)[:60]}")
        total: DimLike = 0
        for term in rest:
            factor, *powers = need(term, list, "a term")
            product: DimLike = need(factor, int, "a factor")
            for pair in powers:
                atom, power = need(pair, list, "a power", 2)
                if not 0 < need(power, int, "a power") < 64 or (inner := self.size(atom)) is None:
                    raise bad(f"a size cannot be {str(data)[:60]}")
                for _ in range(power):
                    product = host.mul(product, inner)
            total = host.add(total, product)
        return total

    # ------------------------------------------------------------------ graphs
    def graph(self, at: int, data: dict[str, Any]) -> None:
        """Fill the graph at a position of the table."""
        graph, values = self.graphs[at], self.values[at]
        graph.name, graph.doc = need(data.get("name"), str, "a name"), need(data.get("doc"), str, "a docstring")
        for row in need(data.get("placeholders"), list, "placeholders"):
            name, kind, type_, id_, span, of_node = need(row, list, "a placeholder", 6)
            self._name(name)
            value = graph.add_placeholder(name or "", need(kind, str, "a kind"), self.tree(type_, []), self.span(span))
            value.name = name
            self._ids(value, id_, of_node)
            values.append(value)
        for row in need(data.get("parameters"), list, "parameters"):
            path, name, kind, type_, id_, of_node = need(row, list, "a parameter", 6)
            if need(path, str, "a path") in graph.parameters:
                raise bad(f"parameter {path!r} stands twice in a graph")
            value = graph.add_parameter(path, self.tree(type_, []))
            value.name, value.kind = need(name, (str, type(None)), "a name"), need(kind, str, "a kind")
            self._ids(value, id_, of_node)
            values.append(value)
        nodes: list[Node] = []
        for row in need(data.get("nodes"), list, "nodes"):
            nodes.append(graph.append(self._node(need(row, list, "a node", 9), values, nodes)))
        graph.result = self.tree(data.get("result"), values)
        for row in need(data.get("attributes", []), list, "attributes"):
            name, kind, derived, tree = need(row, list, "an attribute", 4)
            found = KINDS_OF_ATTRIBUTES.get(need(kind, str, "the type of an attribute"))
            value = self.tree(tree, values)
            if found is None or type(value) is not found:
                raise bad(f"an attribute of type {kind[:40]!r} cannot be {str(value)[:40]}")
            graph.set(
                Attribute(need(name, str, "the name of an attribute"), found, need(derived, bool, "derived")), value
            )

    def _ids(self, value: Value, own: Any, of_node: Any) -> None:
        value.id, value.node.id = self._id(own), self._id(of_node)

    def _id(self, given: Any) -> int:
        if need(given, int, "an id") < 1:
            raise bad(f"there is no id {given}")
        self.largest = max(self.largest, given)
        return int(given)

    def _name(self, name: Any) -> str | None:
        if name and not is_name(need(name, (str, type(None)), "a name")):
            raise bad(f"{name!r} is no name of a value")
        return need(name, (str, type(None)), "a name")

    def _node(self, row: list[Any], values: list[Value], nodes: list[Node]) -> Node:
        name, args, outs, held, after, span, in_place, id_, device = row
        try:
            op = lookup(need(name, str, "an op"))
        except MissingOp as error:
            raise FormatError(f"the program needs an op that this GFX lacks: {name!r}", hint=error.hint) from None
        rows = [need(out, list, "a value", 4) for out in need(outs, list, "the values of a node")]
        kinds = tuple(need(kind, str, "a kind") for _, kind, _, _ in rows)
        bound = tuple([self.tree(arg, values) for arg in need(args, list, "arguments")])
        regions = tuple([self._region(at) for at in need(held, list, "regions")])
        node = Node(op, bound, kinds, self.span(span), regions)
        node.in_place, node.device = need(in_place, bool, "in_place"), need(device, str, "a device")
        node.id = self._id(id_)
        for value, (label, _, type_, own) in zip(node.values, rows):
            value.name, value.type, value.id = self._name(label), self.tree(type_, []), self._id(own)
        values.extend(node.values)
        first, *others = after if type(after) is list and after else [after]
        node.after = None if first is None else self.at(nodes, first, "effect")
        node.waits = tuple([self.at(nodes, other, "a node that another waits for") for other in others])
        return node

    def _region(self, at: Any) -> Graph:
        graph = self.at(self.graphs, at, "graph")
        if at in self.held:
            raise bad(f"two nodes hold the region {graph.name!r}")
        self.held.add(at)
        return graph

    # ------------------------------------------------------------------ program
    def program(self) -> Program:
        """The whole, once every graph is read."""
        data, texts = self.data, {}
        for key in ("promotion", "flavour"):
            texts[key] = need(data.get(key), str, key)
        if texts["promotion"] not in PROMOTIONS:
            raise bad(f"there are no rules of promotion {texts['promotion'][:40]!r}")
        at: Any = data.get("entry")
        entry = self.at(self.graphs, at, "graph")
        functions = {}
        for row in need(data.get("functions"), list, "functions"):
            key, number = need(row, list, "a function", 2)
            functions[need(key, str, "the name of a function")] = self.at(self.graphs, number, "graph")
        signature = self._signature(need(data.get("signature"), list, "signature"), self.values[at])
        guards = [self._guard(need(row, list, "a guard", 4)) for row in need(data.get("guards"), list, "guards")]
        writes = [need(path, str, "what is written") for path in need(data.get("writes"), list, "writes")]
        level = need(data.get("level"), int, "level")
        records, shared = self._records(entry), self._shared()
        rules = texts["promotion"], texts["flavour"]
        return Program(entry, functions, signature, {}, guards, *rules, writes, level, records, shared)

    def _records(self, entry: Graph) -> dict[str, Record]:
        """The objects of named fields in arguments and result; a file of an earlier version has none."""
        found = {}
        for row in need(self.data.get("records", []), list, "records"):
            path, name, fields = need(row, list, "a record", 3)
            found[need(path, str, "the path of a record")] = Record(
                need(name, str, "the name of a record"), tuple(fields)
            )
        return found

    def _shared(self) -> dict[tuple[int, ...], tuple[str, ...]]:
        """The results that are written in place; a file of an earlier version has none."""
        found = {}
        for row in need(self.data.get("shared", []), list, "shared"):
            place, paths = (need(part, list, "what is shared") for part in need(row, list, "what is shared", 2))
            key = tuple([need(at, int, "a position in the result") for at in place])
            found[key] = tuple([need(path, str, "what is written") for path in paths])
        return found

    def _signature(self, rows: list[Any], values: list[Value]) -> list[Parameter]:
        """The arguments, which Python has in an order of their kinds, each name once."""
        found = [self._parameter(need(row, list, "an argument", 5), values) for row in rows]
        if not of_a_function(found):
            raise bad(f"no function has these arguments: {', '.join(parameter.name for parameter in found)[:80]}")
        return found

    def _parameter(self, row: list[Any], values: list[Value]) -> Parameter:
        name, tree, default, kind, annotation = row
        if not is_name(name):
            raise bad(f"{name!r} is no name of an argument")
        if kind not in PARAMETER_KINDS:
            raise bad(f"there is no argument of kind {str(kind)[:40]!r}")
        note = need(annotation, str, "an annotation")
        # An annotation is printed into source: one that could do more than name a type is left out.
        note = note if _ANNOTATION.fullmatch(note) else ""
        return Parameter(name, self.tree(tree, values), self.tree(default, []), kind, note)

    def _guard(self, row: list[Any]) -> Guard:
        kind, subject, value, span = row
        if kind not in GUARD_KINDS:
            raise bad(f"there is no guard of kind {str(kind)[:40]!r}")
        return Guard(kind, need(subject, str, "the subject of a guard"), self.tree(value, []), self.span(span))
