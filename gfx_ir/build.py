"""Builder: the only way to add a node while a graph is being made."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .control import is_parameter
from .dtypes import NUMBERS, DType, numbers
from .errors import OpenShape, UnsupportedConstruct, VerifyError
from .graph import Graph, Node, Value, values_in
from .host import Dim, Expr
from .op import OpDef, active, lookup
from .python_numbers import FUNCTIONS, MEMBERS
from .rules import OPEN
from .source import Span
from .trees import leaves, tree_map
from .types import LogicalTensor


def _shown(part: Any) -> str:
    """A piece of a text: what stands in it, or (what stands in it, conversion, format)."""
    value, conversion, spec = part if type(part) is tuple else (part, "", "")
    conversions: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}
    return format(conversions[conversion](value) if conversion else value, spec)


TEXT_METHODS: dict[str, str] = {
    **dict.fromkeys(
        "lower upper strip lstrip rstrip replace zfill title capitalize casefold swapcase center ljust rjust removeprefix "
        "removesuffix".split(), "str",
    ),
    **dict.fromkeys("startswith endswith isdigit isalpha isalnum isnumeric isdecimal islower isupper isspace".split(), "bool"),
    **dict.fromkeys("find rfind count".split(), "int"),
    **dict.fromkeys("partition rpartition".split(), "texts"),
}  # fmt: skip
"""Methods of an open text, and the kinds of what they give."""

HOST_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
    "not": operator.not_, "~": operator.invert, "neg": operator.neg, "abs": abs, "int": int, "float": float, "bool": bool, "str": str,
    "min": min, "max": max, "is": operator.is_, "in": lambda a, b: a in b, "round": round, "len": len, "list": list,
    "getitem": operator.getitem, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "format": lambda *parts: "".join(map(_shown, parts)),
    "item": lambda x: x.item() if hasattr(x, "item") else x, "tuple": tuple, "sum": sum, "sorted": sorted, "all": all, "any": any,
    "tuple.index": lambda items, *args: items.index(*args), "tuple.count": lambda items, item: items.count(item),
    "splice": lambda *parts: tuple([d for p in parts for d in (p if isinstance(p, (tuple, list)) else (p,))]),
    **{name: function.run for name, function in FUNCTIONS.items() if name.startswith("math.") or name in MEMBERS}, "math.prod": math.prod,
    **{f"str.{name}": getattr(str, name) for name in TEXT_METHODS},
}  # fmt: skip
"""Python's own operators on host values: what the op `host` can compute."""
ASK_A_VALUE = frozenset(
    ("int", "float", "bool", "str", "len", "in", "not", "and", "or", "all", "any", "min", "max", "sorted", "format")
    + ("tuple.index", "tuple.count")
) | {name for name in HOST_OPERATORS if name in MEMBERS or name.startswith(("math.", "str."))}
"""Those for which a value that is being traced will not do: they ask for its truth, or for the number itself."""
TAKE_ANYTHING = frozenset(("==", "!=", "is", "not", "bool", "and", "or", "str", "item", "splice"))
"""Those that Python computes of a value of any class: of None or a text as well as of a number."""
WHOLE_OF_BOOLEANS = frozenset(("neg", "~", "abs", "round"))
"""Those that give a whole number for a boolean of Python's: one that is being traced is an array of booleans, which stays one."""


class Builder:
    """Adds nodes to `graph`, the innermost of a stack of graphs under construction.

    A Value of an outer graph that a node takes is captured: a placeholder a level, remembered in `captures`.
    """

    def __init__(self, graph: Graph, promotion: str = "torch") -> None:
        self.graph, self.promotion = graph, promotion
        self.stack: list[tuple[Graph, dict[Value, Value]]] = []
        self.captures: dict[Value, Value] = {}
        self.params: dict[str, Any] = {}  # the data of parameters
        self.own_leaves: set[Value] = set()  # what the code made a parameter of
        self.assumed: Any = None  # what may be taken as given of arguments, with guards; None: nothing

    @property
    def graphs(self) -> list[Graph]:
        """Those under construction, the outermost first."""
        return [*(graph for graph, _ in self.stack), self.graph]

    @property
    def outermost(self) -> Graph:
        """That in which all others stand."""
        return self.stack[0][0] if self.stack else self.graph

    # ------------------------------------------------------------------ nodes
    def span(self) -> Span | None:
        """The user's place; a tracer knows it."""
        return None

    def add(self, op: OpDef, args: tuple) -> Any:
        """Add a node; its value, or the tuple of its values where there are several or none."""
        if op.params[:1] == ("key",) and args:
            args = (self.key_of(args[0]), *args[1:])
        graph = self.graph
        taken: list[Value] | None = values_in(args)
        for value in taken or ():
            if value.node.graph is not graph:
                args, taken = tree_map(self._local, args), None
                break
        values = self.append(Node(op, args, None, self.span()), taken).values
        return values[0] if len(values) == 1 else values

    def append(self, node: Node, taken: list[Value] | None = None) -> Node:
        """Add a made node at the end of the innermost graph, and infer its types. `taken`: the Values that it takes."""
        self.link(node, taken)
        if self.typed(node):
            node.forward(self.promotion)
        return node

    def link(self, node: Node, taken: list[Value] | None = None) -> None:
        """Add a made node, whose types are told, at the end of the innermost graph; its effect after the effects before it."""
        self.graph.insert(node, None, taken)
        if node.op.effect:
            node.after = self._last_effect(node)

    def _last_effect(self, node: Node) -> Node | None:
        before = node.prev
        while before is not None and not before.op.effect:
            before = before.prev
        return before

    def typed(self, node: Node) -> bool:
        """Whether to infer the node's types at once: when every tensor it takes has one."""
        return False

    def _local(self, leaf: Any) -> Any:
        return self.local(leaf) if type(leaf) is Value else leaf

    def local(self, value: Value) -> Value:
        """The value as the innermost graph sees it: itself, or the placeholder that captures it."""
        if value.node.graph is self.graph:
            return value
        found = self.captures.get(value)
        if found is None:
            found = self._capture(value, len(self.stack))
        return found

    def _capture(self, value: Value, depth: int) -> Value:
        """Capture `value` into the graph at `depth` of the stack (the innermost has depth len(stack))."""
        graph, captures = (self.graph, self.captures) if depth == len(self.stack) else self.stack[depth]
        if value.node.graph is graph:
            return value
        found = captures.get(value)
        if found is None:
            if depth == 0:
                raise VerifyError(f"{value!r} belongs to another capture", value.node.span)
            outer = self._capture(value, depth - 1)
            found = captures.get(outer)
            if found is None:
                found = captures[outer] = graph.add_placeholder(outer.name or "", outer.kind, outer.type)
                found.name = outer.name
            captures[value] = found
        return found

    # ------------------------------------------------------------------ what a tracer knows
    def wrap(self, result: Any) -> Any:
        """What ops gave, as the traced function sees it."""
        return result

    def key_of(self, x: Any) -> Any:
        """What numbers are drawn from, as a key."""
        return x

    def told_dims(self, value: Value) -> tuple | None:
        """The dims of a tensor, as far as the ops tell that made it."""
        return value.type.dims if isinstance(value.type, LogicalTensor) else None

    def told_dtype(self, value: Value) -> DType | None:
        """The dtype of a tensor, as far as the ops tell that made it."""
        return dtype_of(value)

    def is_boolean(self, value: Value, number: bool = False) -> bool:
        """Whether a value without a type surely holds booleans (is one of Python's own), by the way it was made."""
        return False

    def told_content(self, value: Value) -> Any:
        """What a tensor holds, as far as the ops tell that made it."""
        return None

    # ------------------------------------------------------------------ regions
    @contextmanager
    def region(self, name: str) -> Iterator[tuple[Graph, dict[Value, Value]]]:
        """Build a region: a new innermost graph and the dictionary of what it captures (outer value → placeholder)."""
        self.stack.append((self.graph, self.captures))
        self.graph, self.captures = Graph(name), {}
        try:
            yield self.graph, self.captures
        finally:
            self.graph, self.captures = self.stack.pop()

    def outer_operands(self, regions: list[tuple[Graph, dict[Value, Value]]]) -> tuple[Value, ...]:
        """Operands for all of `regions`: the values of this graph that any of them captures, in order of appearance.

        Every region gets a placeholder for each, behind what it had on entering, in the same order.
        """
        operands = list(dict.fromkeys(v for _, captures in regions for v in captures if v.node.graph is self.graph))
        for graph, captures in regions:
            captured = set(captures.values())
            own = [p for p in graph.placeholders if p not in captured]
            for value in operands:
                if value not in captures:
                    captures[value] = graph.add_placeholder(value.name or "", value.kind, value.type)
            graph.placeholders[:] = own + [captures[v] for v in operands]
        return tuple(operands)

    # ------------------------------------------------------------------ host values
    def host(self, operator_: str, *args: Any) -> Any:
        """Python's operator on host values: computed now where all are fixed, else a `host` node."""
        if not any(type(leaf) is Value for leaf in leaves(args)):
            return HOST_OPERATORS[operator_](*args)
        return self.add(lookup("host"), (operator_, args))


def host(operator_: str, *args: Any) -> Any:
    """Python's operator on host values, for lifts and composite bodies."""
    builder = active.builder
    if isinstance(builder, Builder):
        return builder.host(operator_, *args)
    if builder is not None and any(leaf is OPEN or isinstance(leaf, (Dim, Expr)) for leaf in leaves(args)):
        return builder.add(lookup("host"), (operator_, args))
    return HOST_OPERATORS[operator_](*args)


def constants_only(tree: Any) -> bool:
    """Whether no Value stands in the tree."""
    return not any(type(leaf) is Value for leaf in leaves(tree))


def parameter_data(x: Any) -> Any:
    """The data of a parameter of the graph under construction; None: x is none."""
    if not isinstance(x, Value) or not is_parameter(x.node) or not isinstance(active.builder, Builder):
        return None
    return active.builder.params.get(x.node.args[0])


def assumptions() -> Any:
    """What may be taken as given of arguments of the function that is captured; None: nothing."""
    return active.builder.assumed if isinstance(active.builder, Builder) else None


def surely_boolean(value: Value, number: bool = False) -> bool:
    """Whether a value of the function that is captured holds booleans (is one of Python's own) by the way it was made."""
    return isinstance(active.builder, Builder) and active.builder.is_boolean(value, number)


def told_dtype(value: Value) -> DType | None:
    """The dtype of a tensor, as far as the way it was made tells; None: nothing is known."""
    return active.builder.told_dtype(value) if isinstance(active.builder, Builder) else dtype_of(value)


def told_kind(value: Value) -> str | None:
    """The kind of its elements, as far as that tells."""
    known = told_dtype(value)
    return None if known is None else known.kind


def told_dims(value: Value) -> tuple | None:
    """The dims of a tensor of the function that is captured, as far as the way it was made tells; None: nothing is known."""
    return active.builder.told_dims(value) if isinstance(active.builder, Builder) else None


def told_content(x: Any) -> Any:
    """What a tensor of the function that is captured holds, as far as the way it was made tells; None: nothing is known."""
    told = type(x) is Value and x.is_tensor and isinstance(active.builder, Builder)
    return active.builder.told_content(x) if told else None


def shown(value: Any) -> Any:
    """What an op gave, as the function that is captured sees it."""
    return active.builder.wrap(value) if isinstance(active.builder, Builder) else value


def as_parameter(value: Value) -> Value:
    """A tensor of which the function that is captured makes a parameter, as a module takes it in place of one."""
    active.builder.own_leaves.add(value)
    return value


def next_key() -> Any:
    """A fresh key for a draw of random numbers, for lifts of functions with a hidden generator."""
    return active.builder.next_key()


def either(x: Any, use: Callable[[Any], Any]) -> Any:
    """use(x), or use(None) where x turns out to be None when the code runs: both sides of a test where that is open."""
    if not isinstance(x, Value) or x.kind != "optional":
        return use(x)
    return active.builder.either(x, use)


def rank_of(x: Any, why: str = "this call") -> int:
    """The rank of a tensor, for lifts that cannot do without. Raises OpenShape where the capture does not know it."""
    kind = x.type if isinstance(x, Value) else x
    open_tensor = isinstance(x, Value) and x.is_tensor and kind is None
    rank = kind.rank if isinstance(kind, LogicalTensor) else None if open_tensor else getattr(kind, "ndim", 0)
    told = told_dims(x) if rank is None and isinstance(x, Value) else None
    if told is not None:
        return len(told)
    if rank is None:
        raise OpenShape(f"{why} needs the rank of its argument")
    return rank


def dtype_of(x: Any) -> DType | None:
    """The dtype of a tensor where the capture knows it, else None."""
    kind = x.type if isinstance(x, Value) else None
    return kind.dtype if isinstance(kind, LogicalTensor) else None


def require_kinds(call: str, found: str, kinds: str) -> None:
    """Raise UnsupportedConstruct where numbers of the kind `found` are given to a call that takes those of others."""
    if found not in kinds:
        hint = "cast it first: x.float()" if "f" in kinds and found in "bui" else "cast it first: x.to(dtype)"
        raise UnsupportedConstruct(f"{call} takes {numbers(kinds)}, and gets {NUMBERS[found]}", hint=hint)
