"""OpDef, one row of the catalogue, and the registry of them."""

from __future__ import annotations

import ast
import enum
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from .control import Control, Form
from .dtypes import DType
from .errors import MissingOp
from .source import declared_at
from .template import Own, Spelling, Template
from .traits import Trait as Trait
from .trees import leaves, tree_map

TENSOR = ("tensor",)
HOST_KINDS = ("int", "float", "bool", "str", "texts", "dtype", "device", "shape", "any", "optional", "key", "list")
Kinds = tuple[str, ...] | Callable[[SimpleNamespace], tuple[str, ...]]
# An infer rule takes the arguments as attributes, each Value replaced by its type (LogicalTensor, or the host value
# where known, else None), and the promotion rules; it returns the type of the output, or a tuple of them.
Infer = Callable[[SimpleNamespace, str], Any]
# A cost rule takes the arguments as above and the tuple of output types; it returns a size expression.
Cost = Callable[[SimpleNamespace, tuple], Any]
# A sequence rule takes the arguments, for each tensor the arithmetic sequence that it holds (see infer/sequences.py) or None, and
# the rank of the result; it returns the sequence that this holds, or None.
SequenceRule = Callable[[tuple, "int | None"], Any]
# A put rule, of an op whose result may be a view of its first argument, says what a write through that view does: it takes
# the bound arguments, the new value of the view and which output that is (from 1), and calls ops that give the new value
# of the first argument.
Put = Callable[[SimpleNamespace, Any, int], Any]


@dataclass(frozen=True)
class ChannelsLast:
    """How an op over (N, C, ...) is written over (N, ..., C): `op` takes the same, its first argument and result with channels last,
    and `kernels` as (..., C / groups, O). `places` gives the number of axes behind the channels, from the arguments; None: any."""

    op: str
    kernels: tuple[str, ...] = ()
    places: Callable[[SimpleNamespace], int] | None = None


@dataclass(frozen=True)
class Contraction:
    """Of an op that sums products: which arguments are multiplied, and what is added to the sums ("": nothing).

    It is linear in each of the `factors`, which may be trees of tensors. `channels`: the axis of the second factor, where it
    has two axes at least, that is an axis of the result; `before_places`: that stands in the result before as many axes as
    the second factor has beyond two, else last.
    """

    factors: tuple[str, ...]
    bias: str = ""
    channels: int | None = None
    before_places: bool = False


class Point(enum.Enum):
    """What NumPy has where the result of an op has no axes: a number of its own, which nothing writes, or an array. A law, as traits are."""

    NUMBER = enum.auto()
    """A number: what ufuncs and reductions give."""
    ARRAY = enum.auto()
    """An array."""
    KEPT = enum.auto()
    """An array of an array; what it has of a number hangs on the function that the op was made for."""
    EITHER = enum.auto()
    """It hangs on that function."""
    INDEXED = enum.auto()
    """A number of an index of integers alone, else a view."""
    GIVEN = enum.auto()
    """A number: it was one before."""
    PYTHON = enum.auto()
    """A number of Python's, of its dtype's kind."""


class OpDef:
    """A name, a signature and rules.

    `kinds` are the kinds of its outputs 1… ("tensor", or a host kind), fixed or from the arguments. A *primitive* has `eval`, a
    NumPy spelling (`namespace` holds the names it may use); a *composite* has `body`, a Python function over other ops from which all else follows.
    `control`: the row of an op that an interpreter runs itself (see control.py); `form`: that of an op which is none of the catalogue. `neutral`:
    op(x, neutral) is x wherever it has x's type; of a reduction, elements of that value change nothing. `total`: for which other
    arguments an op has that trait, that does not have it for all. `channels_last`: its form for channels behind the places. `point`: what it
    gives without axes. `contraction`: how it sums products. `sequence`: what it gives of
    arithmetic sequences. `index`: the parameter of positions, which may be of any width.
    `sign`: Python's operator that
    means it, as the op `host` names it. `python`: the function of `python_numbers` that computes the same of numbers. `noun`: what a
    value that it gives is called where its author gave no name. `asks`: of an op that asks its first argument for one thing, the kind of
    that. `number`: of an op that
    makes a number of Python's, the kind of it, where its rule tells one. `free_text`: parameters whose text is printed as a literal
    alone, so that any will do. `added`: how
    users spelled their own op, by backends.
    """

    __slots__ = (
        "name", "params", "defaults", "bind", "kinds", "eval", "body", "infer", "compute", "memory",
        "put", "effect", "control", "traits", "neutral", "regions", "doc", "family", "namespace", "added", "point",
        "index", "channels_last", "contraction", "sequence", "operands", "form", "sign", "python", "noun", "total", "asks", "number",
        "free_text", "at",
    )  # fmt: skip

    def __init__(
        self,
        signature: str,
        eval: Spelling | None = None,
        *,
        body: Callable[..., Any] | None = None,
        infer: Infer | None = None,
        kinds: Kinds = TENSOR,
        compute: Cost | None = None,
        memory: Cost | None = None,
        put: Put | None = None,
        effect: bool = False,
        sign: str = "",
        python: str = "",
        noun: str = "",
        control: Control | None = None,
        form: Form = Form.PLAIN,
        traits: Trait = Trait.NONE,
        neutral: float | None = None,
        total: Callable[[SimpleNamespace], bool] | None = None,
        point: Point = Point.EITHER,
        index: str = "",
        channels_last: ChannelsLast | None = None,
        contraction: Contraction | None = None,
        sequence: SequenceRule | None = None,
        regions: tuple[str, ...] = (),
        family: str = "",
        doc: str = "",
        namespace: Mapping[str, Any] | None = None,
        own: Own | None = None,
        free_text: tuple[str, ...] = (),
    ) -> None:
        self.namespace = namespace or {}
        self.name, self.params, self.defaults, self.bind = parse_signature(signature)
        self.eval = None if eval is None else Template(eval, self.params, self.defaults, own=own)
        self.body, self.infer, self.kinds, self.compute, self.memory = body, infer, kinds, compute, memory
        self.put, self.control, self.form = put, control, form if control is None else control.form
        derived = getattr(infer, "traits", Trait.NONE) | getattr(put, "traits", Trait.NONE)
        self.asks, self.number = "", getattr(infer, "number", "")
        if traits & Trait.ASKS:
            derived |= Trait.APART | Trait.UNSAVED
            self.asks = kinds[0] if type(kinds) is tuple else self.asks
        self.traits, self.neutral = traits | derived, neutral
        required = sum(name not in self.defaults for name in self.params)
        first = 0 if self.params[:1] == ("key",) else min(required, 1)  # without a key a framework draws of its own
        self.operands = required if self.traits & Trait.ELEMENTWISE else first  # how many of the first parameters are
        self.point, self.index, self.sign, self.python, self.noun = point, index, sign, python, noun
        self.channels_last, self.contraction, self.sequence = channels_last, contraction, sequence
        self.effect, self.regions, self.family, self.doc, self.total = effect, regions, family, doc, total
        self.free_text = free_text if control is None else control.free_text
        self.added: Mapping[str, Any] = {}
        self.at = ""  # file:line of its row, once it is registered

    @property
    def composite(self) -> bool:
        """Whether it is a pattern over other ops."""
        return self.body is not None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply it: recorded where a builder is at work or an argument belongs to one, else evaluated on NumPy data."""
        bound = self.bind(*args, **kwargs)
        builder = active.builder
        if builder is None:
            builder = _builder_of(bound)
            if builder is None:
                return evaluate(self, bound)
        for given in bound[: self.operands]:
            if given is None or (type(given) is str and self.traits & Trait.ELEMENTWISE):
                raise TypeError(f"{self.name} takes arrays and numbers, not {given!r}")
        return builder.add(self, bound)

    @property
    def draws(self) -> bool:
        """Whether it takes a key of random numbers, or makes one."""
        return "key" in self.params or self.kinds == ("key",)

    def named(self, args: Sequence[Any]) -> SimpleNamespace:
        """The bound arguments as attributes."""
        return SimpleNamespace(**dict(zip(self.params, args)))

    def takes_any_shape(self, args: Sequence[Any]) -> bool:
        """Whether it computes something for tensors of every shape."""
        tensors = [leaf for leaf in leaves(tuple(args)) if getattr(leaf, "is_tensor", False)]
        alone = len(tensors) < 2
        if self.traits & (Trait.CASTS | Trait.ASKS | Trait.UNTOLD) or (self.traits & Trait.ELEMENTWISE and alone):
            return True
        if tensors:
            everywhere = "axis" not in self.params or args[self.params.index("axis")] is None
            return alone and everywhere and ("axis" in self.params or bool(self.traits & Trait.SHAPE_OF_FIRST))
        first = list(leaves(tuple(args[:1])))
        return all(map(_is_size, first)) and (bool(first) or not self.operands)

    def output_kinds(self, args: Sequence[Any]) -> tuple[str, ...]:
        """Kinds of the outputs 1… for these arguments."""
        kinds = self.kinds
        return kinds if type(kinds) is tuple else kinds(self.named(args))  # type: ignore[operator]

    def __repr__(self) -> str:
        return f"OpDef({self.name})"


def _builder_of(bound: tuple) -> Any:
    """What the first argument is of that belongs to a builder: values on devices make values, wherever an op is called with them."""
    for arg in bound:
        for leaf in arg if type(arg) in (list, tuple) else (arg,):
            if hasattr(leaf, "builder"):
                return leaf.builder
    return None


def _is_size(leaf: Any) -> bool:
    """Whether a leaf of a shape is surely no negative number: a size that was asked of a tensor is none."""
    node = getattr(leaf, "node", None)
    return bool(node.op.traits & Trait.ASKS) if node is not None else type(leaf) is not int or leaf >= 0


class _Active(threading.local):
    builder: Any = None


active = _Active()
"""What is at work on this thread: `active.builder` is the innermost Builder, or None."""


def parse_signature(text: str) -> tuple[str, tuple[str, ...], dict[str, Any], Callable[..., tuple]]:
    """Name, parameter names, defaults and a binder of `name(a, b=1)`; the binder gives the full tuple of arguments."""
    call = ast.parse(f"def {text}: pass").body[0]
    assert isinstance(call, ast.FunctionDef)
    params = tuple(a.arg for a in call.args.args)
    values = [ast.literal_eval(d) for d in call.args.defaults]
    defaults = dict(zip(params[len(params) - len(values) :], values))
    inside = text[text.index("(") + 1 : text.rindex(")")]
    returned = ", ".join(f"several({name})" if name in ("axis", "axes") else name for name in params) + "," * bool(
        params
    )
    binder = eval(f"lambda {inside}: ({returned})", {"several": _several})
    binder.__name__ = binder.__qualname__ = call.name.rstrip("_")
    return call.name.removesuffix("_"), params, defaults, binder


def _several(axes: Any) -> Any:
    """Axes as an op has them: several are a tuple, which each target takes, as NumPy takes no list."""
    return tuple(axes) if type(axes) is list else axes


REGISTRY: dict[str, OpDef] = {}
_LOCK = threading.Lock()


def register(op: OpDef) -> OpDef:
    """Add a row to the catalogue. Raises ValueError where the name is taken."""
    here = declared_at()
    with _LOCK:
        if op.name in REGISTRY:
            raise ValueError(f"op {op.name!r} is already registered: at {REGISTRY[op.name].at}, and at {here}")
        REGISTRY[op.name], op.at = op, here
    return op


def lookup(name: str) -> OpDef:
    """The row of that name. Raises MissingOp where there is none."""
    try:
        return REGISTRY[name]
    except KeyError:
        raise MissingOp(f"there is no op {name!r}", hint="`gfx ops` lists the catalogue") from None


def of_python(name: str) -> OpDef | None:
    """The op that computes of arrays what a function of Python's computes of numbers, by its name in `python_numbers`."""
    return next((op for op in REGISTRY.values() if op.python == name), None)


def evaluate(op: OpDef, args: Sequence[Any]) -> Any:
    """Reference evaluation: host and NumPy values in, the same out (a tuple where there are several outputs)."""
    if op.body is not None:
        return op.body(*args)
    if op.eval is None:
        raise MissingOp(f"op {op.name!r} is evaluated by an executor only", hint="it holds regions or a foreign call")
    plain = tree_map(lambda leaf: leaf.numpy if type(leaf) is DType else leaf, tuple(args))
    return op.eval.function(args, op.namespace)(*plain)
