"""Program: named graphs that call each other, with parameters and guards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .described import Described
from .dtypes import numbers
from .errors import FormatError
from .graph import UNBOUND, Graph, Value
from .records import Record
from .source import Span
from .text import to_text
from .trees import leaves, tree_map


@dataclass(frozen=True)
class Guard:
    """What a capture took as given: `kind` (of `GUARD_KINDS`), of which argument (a dotted path), and the value."""

    kind: str
    subject: str
    value: Any
    span: Span | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if type(self.value) is not _HELD_AS.get(self.kind, type(self.value)):
            raise FormatError(f"a guard of kind {self.kind!r} does not hold {self.value!r}", self.span)

    def __str__(self) -> str:
        if type(self.value) is Described:
            return f"{self.subject} is {self.value}"
        if self.kind == "kinds":
            return f"{self.subject} {'promote to' if ', ' in self.subject else 'holds'} {numbers(self.value)}"
        return _GUARD_TEXT[self.kind].format(self.subject, self.value)


_GUARD_TEXT = {
    "value": "{0} == {1!r}",
    "type": "{0}: {1}",
    "rank": "{0}.ndim == {1}",
    "axes": "{0}.ndim >= {1}",
    "device": "{0}.device == {1}",
    "requires_grad": "{0}.requires_grad == {1}",
    "c_contiguous": "{0}.is_contiguous() == {1}",
    "f_contiguous": "{0}.flags.f_contiguous == {1}",
    "channels_last": "{0}.is_contiguous(memory_format=torch.channels_last) == {1}",
    "channels_last_3d": "{0}.is_contiguous(memory_format=torch.channels_last_3d) == {1}",
    "strides": "{0}.stride() == {1}",
    "offset": "{0}.storage_offset() == {1}",
    "holds": "{0} can hold {1}",
    "holds_signed": "{0} can hold {1}",
    "held": "{1} can hold {0}",
    "kinds": "{0} holds {1}",
    "dim": "{0} == {1}",
    "equal": "{0} == {1}",
    "same": "{0} is {1}",
    "distinct": "{0} is not {1}",
    "number": "{0} is a {1}",
    "class": "{0} is a {1}",
    "promotion": "{0}: {1}",
    "random": "{0} is a {1}",
}
GUARD_KINDS = tuple(_GUARD_TEXT)
_HELD_AS = {**dict.fromkeys(("kinds", "class", "same", "distinct"), str), **dict.fromkeys(("rank", "axes"), int)}
HELD = ("holds", "holds_signed", "held")
"""An argument is written in place with a dtype, or with that of another argument, or what has a dtype is with it; signed: whole
numbers with signs need some."""


@dataclass(frozen=True)
class Slot:
    """An open leaf of an argument, without its graph: the kind of its Value, and its type as far as the capture has it."""

    kind: str
    type: Any = None


def beside(path: str) -> str:
    """What a state calls an argument that is written, where a parameter has its path."""
    return f"argument {path}"


PARAMETER_KINDS = ("positional", "", "args", "keyword", "kwargs")
"""In the order in which a function has them."""


@dataclass
class Parameter:
    """An argument of the entry, as its author has it: the name, the tree of its leaves, the author's default (UNBOUND: none).

    A leaf is a Value where the argument is open or a tensor, and a constant where it is fixed (a literal, a DType, or an object
    that is Described). `kind` (of `PARAMETER_KINDS`) tells how it is passed: by position or name (""), by one of them only,
    or as `*args` (the tree is a tuple) or `**kwargs` (a dictionary). `annotation` is text.
    """

    name: str
    tree: Any
    default: Any = UNBOUND
    kind: str = ""
    annotation: str = ""

    @property
    def fixed(self) -> bool:
        """Whether nothing of it is open."""
        return self.kind not in ("args", "kwargs") and not any(
            type(leaf) in (Value, Slot) for leaf in leaves(self.tree)
        )

    @property
    def at_default(self) -> bool:
        """Whether it is fixed to the author's own default."""
        return self.fixed and repr((type(self.tree), self.tree)) == repr((type(self.default), self.default))


def of_a_function(parameters: Sequence[Parameter]) -> bool:
    """Whether a function can have these: each name once, kinds in their order, and one `*args` and `**kwargs` at most."""
    places = [PARAMETER_KINDS.index(parameter.kind) for parameter in parameters]
    starred = [parameter.kind for parameter in parameters if parameter.kind in ("args", "kwargs")]
    once = len({parameter.name for parameter in parameters}) == len(parameters) and len(set(starred)) == len(starred)
    return once and places == sorted(places)


@dataclass
class Program:
    """Named graphs that call each other, an entry, the parameters, the guards, and the promotion rules it was written under.

    `params` holds data by dotted path; `writes` names, for each trailing result after the target's own one, what it is
    written to (a parameter's path, or an argument's); `flavour` is the framework of the source. `records` tells which parts of
    the arguments and of the result are objects of named fields, by their paths; `shared` which of the result are arrays that it
    writes in place, or views of them: by the positions that lead there, what they are written as (several: one of these).
    """

    entry: Graph
    functions: dict[str, Graph] = field(default_factory=dict)
    signature: list[Parameter] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    promotion: str = "torch"
    flavour: str = "torch"
    writes: list[str] = field(default_factory=list)
    level: int = 0
    records: dict[str, Record] = field(default_factory=dict)
    shared: dict[tuple[int, ...], tuple[str, ...]] = field(default_factory=dict)

    def __setattr__(self, name: str, value: Any) -> None:
        old = vars(self).get("entry") if name == "entry" else None
        super().__setattr__(name, value)
        if old is not None and old is not value:
            self.entry_replaced(old)

    def entry_replaced(self, old: Graph) -> bool:
        """Let a graph that took the place of the entry have its arguments; whether it takes and gives the same. One that does not has
        its own, and nothing of what was known of the old one's stands for it."""
        same = _interface(old) == _interface(self.entry)
        if same:
            new: dict[Any, Value] = dict(zip(old.placeholders, self.entry.placeholders))
            own = lambda leaf: new.get(leaf, leaf) if type(leaf) is Value else leaf
            self.signature = [replace(parameter, tree=tree_map(own, parameter.tree)) for parameter in self.signature]
        else:
            self.signature, self.guards, self.writes, self.records, self.shared = [], [], [], {}, {}
        return same

    @property
    def version(self) -> tuple:
        """Differs from what it was once one of its graphs is edited or replaced."""
        return tuple([(graph, graph.version) for graph in self.graphs])

    @property
    def graphs(self) -> list[Graph]:
        """The entry and the functions, each once: several names may be of one."""
        return list(dict.fromkeys((self.entry, *self.functions.values())))

    def arguments(self) -> list[Parameter]:
        """What the entry takes; of a graph that was made by hand, its placeholders."""
        made = [v for v in self.entry.placeholders if v.kind != "key"] if not self.signature else []
        return self.signature or [Parameter(value.name or f"x{at}", value) for at, value in enumerate(made)]

    def callee(self, target: str | Graph) -> Graph | None:
        """The function that a call names: by its name, or the Graph itself. None where the program has it not."""
        if isinstance(target, Graph):
            return target if any(target is g for g in self.functions.values()) else None
        return self.functions.get(target)

    def __str__(self) -> str:
        return to_text(self)


def _interface(graph: Graph) -> tuple:
    """What a graph takes and gives: kinds of values, in trees."""
    kind = lambda leaf: leaf.kind if type(leaf) is Value else None
    return list(map(kind, graph.placeholders)), tree_map(kind, graph.result)
