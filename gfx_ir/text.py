"""The text form of graphs and programs: readable, valid Python syntax; `textparse.parse_text` reads it back.

One statement a node, regions as nested functions, types as annotations, the user's lines as comments:

    def newton(x: tensor, tol: float = 1e-06):
        def test(x, tol):
            t = greater(x, tol)
            return t
        x__1 = while_(test, body, init=(x,), operands=(tol,))  # newton.py:4
        return x__1

Annotations: `f32[3, B, _]` (`_` unknown dim, `tensor` unknown dtype, `[...]` unknown rank, `weak_` in front of a weak
one), or the kind of a host value, `int`, with its value where that is known, `int(dim(B))`. Host operators are written
infix, `getitem` as a subscript. Nothing here imports graphs: `str(graph)` comes here.
"""

from __future__ import annotations

import keyword
import math
import os
from collections.abc import Callable, Iterable
from typing import Any

from .control import is_host
from .described import Described
from .dtypes import DType
from .host import Dim, Expr, HostCall
from .naming import Names, identifier, is_name, original
from .op import Trait
from .textmarks import Written
from .types import LogicalTensor

INFIX = tuple("+ - * / // % ** < <= > >= == != and or is in << >> & | ^".split())
PREFIX = {"not": "not ", "neg": "-"}


def to_text(what: Any, spans: bool = True) -> str:
    """The text of a Graph or a Program. `spans`: cite the user's lines."""
    printer = Printer(spans)
    if hasattr(what, "entry"):
        printer.program(what)
    else:
        printer.graph(what, Names().take(what.name), "")
    head = [f"{alias} = {dim_text(dim)}" for dim, alias in printer.dims.declared.items()]
    return "\n".join([*head, *([""] if head else []), *printer.lines]) + "\n"


def op_text(name: str) -> str:
    """The name of an op as it is called: `while` is written `while_`."""
    return f"{name}_" if keyword.iskeyword(name) else name


def quote(text: str) -> str:
    """The text as a Python literal, in double quotes where it holds none."""
    return repr(text) if '"' in text or "'" in text else f'"{repr(text)[1:-1]}"'


def default_kinds(op: Any, args: tuple, count: int) -> tuple[str, ...]:
    """The kinds of a node's values that go without saying: those of its op, or tensors."""
    try:
        kinds = op.output_kinds(args)
    except (TypeError, ValueError, AttributeError, LookupError):
        kinds = ()
    return kinds if len(kinds) == count else ("tensor",) * count


def same_constant(a: Any, b: Any) -> bool:
    """Whether two constant leaves are the same: 1, 1.0 and True differ, so do 0.0 and -0.0; NaN is itself."""
    if type(a) is not type(b):
        return False
    if type(a) is float:
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
    if type(a) is complex:
        return same_constant(a.real, b.real) and same_constant(a.imag, b.imag)
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(map(same_constant, a, b))
    return a is b or bool(a == b)


class _Dims:
    """What dims are called: by their names; those with bounds, or a name twice taken, are declared at the head."""

    def __init__(self) -> None:
        self.names: dict[Dim, str] = {}
        self.taken: set[str] = set()
        self.declared: dict[Dim, str] = {}

    def name(self, dim: Dim) -> str:
        found = self.names.get(dim)
        if found is None:
            good = is_name(dim.name) and not keyword.iskeyword(dim.name) and dim.name != "_"
            found, count = (dim.name if good else f"{identifier(dim.name)}__0"), 0
            while found in self.taken:
                count += 1
                found = f"{identifier(dim.name)}__{count}"
            self.taken.add(found)
            self.names[dim] = found
            if found != dim.name or dim != Dim(dim.name):
                self.declared[dim] = found
        return found

    def text(self, e: Any) -> str:
        """A size expression."""
        if isinstance(e, Dim):
            return self.name(e)
        if isinstance(e, HostCall):
            a, b = e.args
            sign = {"floordiv": "//", "mod": "%"}.get(e.fn)
            return f"({self._inner(a)} {sign} {self._inner(b)})" if sign else f"{e.fn}({self.text(a)}, {self.text(b)})"
        if not isinstance(e, Expr):
            return "_" if e is None else str(e)
        text = ""
        for monomial, factor in e.terms:
            parts = [self.text(atom) for atom, power in monomial for _ in range(power)]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            text += (" - " if factor < 0 else " + ") + "*".join(parts)
        return text[3:] if text.startswith(" + ") else "-" + text[3:]

    def _inner(self, e: Any) -> str:
        return f"({self.text(e)})" if isinstance(e, Expr) else self.text(e)


def dim_text(dim: Dim) -> str:
    """`Dim('B', min=1, max=8)`."""
    low = f", min={dim.min}" if dim.min != 0 else ""
    high = f", max={dim.max}" if dim.max is not None else ""
    return f"Dim({quote(dim.name)}{low}{high})"


class Printer:
    """Writes graphs as lines; `names` holds what the values of all graphs at work are called."""

    def __init__(self, spans: bool = True) -> None:
        self.lines: list[str] = []
        self.names: dict[Any, str] = {}
        self.callees: dict[int, str] = {}
        self.dims = _Dims()
        self.spans = spans
        self._types: dict[LogicalTensor, str] = {}
        self._leaves: dict[type, Callable[[Any], str]] = {
            int: repr, bool: repr, str: quote, type(None): repr, float: repr,
            complex: lambda x: f"complex({x.real!r}, {x.imag!r})",
            type(...): lambda x: "...",
            DType: lambda x: x.name,
            Described: lambda x: f"described({quote(x.text)}, {x.whole})",
            LogicalTensor: self.type,
            Dim: lambda x: f"dim({self.dims.text(x)})",
            Expr: lambda x: f"dim({self.dims.text(x)})",
        }  # fmt: skip

    # ------------------------------------------------------------------ trees
    def tree(self, tree: Any) -> str:
        """An argument: a tree of values and constants."""
        kind = type(tree)
        if kind is tuple:
            return f"({', '.join(map(self.tree, tree))}{',' if len(tree) == 1 else ''})"
        if kind is list:
            return f"[{', '.join(map(self.tree, tree))}]"
        if kind is dict:
            return f"{{{', '.join(f'{self.tree(k)}: {self.tree(v)}' for k, v in tree.items())}}}"
        if kind is slice:
            ends = (tree.start, tree.stop) if tree.step is None else (tree.start, tree.stop, tree.step)
            return f"slice({', '.join(map(self.tree, ends))})"
        leaf = self._leaves.get(kind)
        return leaf(tree) if leaf is not None else self._object(tree)

    def _object(self, leaf: Any) -> str:
        if hasattr(leaf, "uses"):
            return self.names.get(leaf) or f"undefined({quote(leaf.name or '')})"
        return "UNBOUND" if repr(leaf) == "UNBOUND" else f"opaque({quote(str(leaf))})"

    def type(self, type_: LogicalTensor) -> str:
        """`f32[2, B]`."""
        found = self._types.get(type_)
        if found is None:
            name = ("weak_" if type_.weak else "") + (type_.dtype.short if type_.dtype else "tensor")
            dims = "..." if type_.dims is None else ", ".join(map(self.dims.text, type_.dims)) or "()"
            found = f"{name}[{dims}]"
            if type_.strides is not None or type_.layout != "any" or type_.id is not None:
                found = f"logical({found}, {type_.strides!r}, {quote(str(type_.layout))}, {type_.id!r})"
            self._types[type_] = found
        return found

    def annotation(self, value: Any, default: str | None) -> str:
        """What stands behind the colon: kind and type, "" where both go without saying."""
        if value.type is None:
            return "" if value.kind == default else value.kind
        if value.kind == "tensor" and type(value.type) is LogicalTensor:
            return self.type(value.type)
        return f"{value.kind}({self.tree(value.type)})"

    # ------------------------------------------------------------------ graphs
    def graph(self, graph: Any, name: str, indent: str, defaults: dict[Any, str] | None = None) -> None:
        """A function: its head, its parameters, its nodes, its result."""
        names = Names()
        if (original(name) or "") != graph.name:
            self.lines.append(f"{indent}@named({quote(graph.name)})")
        self.lines.append(f"{indent}def {name}({', '.join(self._head(graph, names, bool(indent), defaults))}):")
        inner = indent + "    "
        if graph.doc:
            self.lines.append(f"{inner}{quote(graph.doc)}")
        for path, value in graph.parameters.items():
            self.names[value] = names.take(value.name)
            self._statement(inner, [value], ("tensor",), f"parameter({quote(path)})", None)
        marks = Written(self.names)
        for node in graph:
            self._node(node, names, inner, marks)
        self.lines.append(f"{inner}return {self.tree(graph.result)}")

    def _head(self, graph: Any, names: Names, region: bool, defaults: dict[Any, str] | None) -> Iterable[str]:
        for value in graph.placeholders:
            text = self.names[value] = names.take(value.name)
            kind = self.annotation(value, "tensor" if region else None)
            default = (defaults or {}).get(value, "")
            star, default = ("*, ", default[1:]) if default.startswith("*") else ("", default)
            yield f"{star}{text}{': ' if kind else ''}{kind}{default and (' = ' if kind else '=')}{default}"

    def _node(self, node: Any, names: Names, indent: str, written: Written) -> None:
        regions = []
        for region in node.regions:
            regions.append(names.take(region.name))
            self.graph(region, regions[-1], indent)
        marks = written.marks(node)
        call = (not marks and self._sugar(node)) or self._call(node, regions, marks)
        for value in node.values:
            self.names[value] = names.take(value.name)
        kinds = default_kinds(node.op, node.args, len(node.values))
        self._statement(indent, node.values, kinds, call, node.span)

    def _call(self, node: Any, regions: list[str], marks: list[str]) -> str:
        op, parts = node.op, list(regions)
        for name, arg in zip(op.params, node.args):
            if name == "callee" and hasattr(arg, "placeholders"):
                parts.append(self.callees.get(id(arg)) or Names().take(arg.name))
            elif name in op.defaults:
                if not same_constant(arg, op.defaults[name]):
                    parts.append(f"{name}={self.tree(arg)}")
            else:
                parts.append(f"{name}={self.tree(arg)}" if regions else self.tree(arg))
        parts += marks
        return f"{op_text(op.name)}({', '.join(parts)})"

    def _sugar(self, node: Any) -> str:
        """Operators between host values, and subscripts: as Python writes them."""
        if node.op.traits & Trait.READS_AT and hasattr(node.args[0], "uses"):
            return f"{self.tree(node.args[0])}[{self._index(node.args[1])}]"
        if not is_host(node) or type(node.args[1]) is not tuple:
            return ""
        sign, args = node.args
        if sign in INFIX and len(args) == 2:
            left, right = (f"({text})" if text[0] == "-" else text for text in map(self.tree, args))
            return f"{left} {sign} {right}"
        if sign in PREFIX and len(args) == 1 and hasattr(args[0], "uses"):
            return f"{PREFIX[sign]}{self.tree(args[0])}"
        return ""

    def _index(self, index: Any) -> str:
        if type(index) is tuple and index:
            return ", ".join(map(self._index_part, index)) + ("," if len(index) == 1 else "")
        return self._index_part(index)

    def _index_part(self, part: Any) -> str:
        if type(part) is not slice:
            return self.tree(part)
        start, stop, step = ("" if end is None else self.tree(end) for end in (part.start, part.stop, part.step))
        return f"{start}:{stop}" + (f":{step}" if step else "")

    def _statement(self, indent: str, values: Any, kinds: Any, call: str, span: Any) -> None:
        place = f"  # {os.path.basename(span.file)}:{span.line}" if span is not None and self.spans else ""
        notes = [(self.names[v], self.annotation(v, kind)) for v, kind in zip(values, kinds)]
        if len(notes) == 1:
            name, note = notes[0]
            self.lines.append(f"{indent}{name}{note and ': '}{note} = {call}{place}")
            return
        declared = "; ".join(f"{name}: {note}" for name, note in notes if note)
        if declared:
            self.lines.append(f"{indent}{declared}")
        targets = f"{', '.join(name for name, _ in notes)} = " if notes else ""
        self.lines.append(f"{indent}{targets}{call}{place}")

    # ------------------------------------------------------------------ programs
    def program(self, program: Any) -> None:
        """The head, the guards, the functions, the entry, its arguments."""
        names = Names()
        graphs = {id(g): names.take(key) for key, g in program.functions.items()}
        self.callees.update(graphs)
        writes = f", writes={self.tree(program.writes)}" if program.writes else ""
        rules = f"{quote(program.promotion)}, {quote(program.flavour)}"
        self.lines.append(f"program({rules}, level={program.level}{writes})")
        for guard in program.guards:
            self.lines.append(f"guard({quote(guard.kind)}, {quote(guard.subject)}, {self.tree(guard.value)})")
        for path, record in program.records.items():
            self.lines.append(f"record({quote(path)}, {quote(record.name)}, {self.tree(record.fields)})")
        for place, paths in program.shared.items():
            self.lines.append(f"shared({self.tree(place)}, {self.tree(paths)})")
        defaults = self._plain_arguments(program)
        for key, graph in program.functions.items():
            self.lines.append("")
            if original(graphs[id(graph)]) != key:
                self.lines.append(f"@function({quote(key)})")
            elif graph is program.entry:
                self.lines.append("@function")
            if graph is program.entry:
                self.lines.append("@entry")
            self.graph(graph, graphs[id(graph)], "", defaults if graph is program.entry else None)
        if id(program.entry) not in graphs:
            self.lines += ["", "@entry"]
            self.graph(program.entry, names.take(program.entry.name), "", defaults)
        if defaults is None:
            self._arguments(program)

    def _plain_arguments(self, program: Any) -> dict[Any, str] | None:
        """Defaults by placeholder where the entry's head says all about its arguments, else None."""
        found: dict[Any, str] = {}
        values = program.entry.placeholders
        if len(program.signature) != len(values) or any(p.tree is not v for p, v in zip(program.signature, values)):
            return None
        starred = defaulted = False
        for parameter in program.signature:
            value, none = parameter.tree, repr(parameter.default) == "UNBOUND"
            host = value.kind if value.kind in ("int", "float", "bool", "str") and value.type is None else ""
            if (
                parameter.kind not in ("", "keyword")
                or parameter.name != value.name
                or parameter.annotation != host
                or (starred and not parameter.kind)
            ):
                return None
            if none and defaulted and not parameter.kind:
                return None
            star = "*" if parameter.kind and not starred else ""
            found[value] = star + ("" if none else self.tree(parameter.default))
            starred, defaulted = bool(parameter.kind), defaulted or not none
        return found

    def _arguments(self, program: Any) -> None:
        self.lines += ["", "signature("]
        for parameter in program.signature:
            parts = [quote(parameter.name), self.tree(parameter.tree)]
            if repr(parameter.default) != "UNBOUND":
                parts.append(f"default={self.tree(parameter.default)}")
            if parameter.kind:
                parts.append(f"kind={quote(parameter.kind)}")
            if parameter.annotation:
                parts.append(f"annotation={quote(parameter.annotation)}")
            self.lines.append(f"    argument({', '.join(parts)}),")
        self.lines.append(")")
