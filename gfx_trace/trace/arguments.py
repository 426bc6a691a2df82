"""Arguments of a capture: for each of the author's parameters one record of what it is, which all that reads them asks.

A tensor given (an array, a TensorSpec) is a tensor of that type; any other value given is fixed, with a guard. Left out while
others are given: fixed to its default. `Open`, or no arguments at all: open, a tensor where the annotation says so or neither
annotation nor default speak, an open host value where annotation or default are plain.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import types
from typing import Any

import numpy as np

from gfx_ir.admission import element
from gfx_ir.binding import bound_arguments
from gfx_ir.described import Described, another, described
from gfx_ir.fields import contents, fixed_fields, record_fields
from gfx_ir.graph import UNBOUND, Value
from gfx_ir.program import Guard, Parameter
from gfx_ir.python_numbers import NUMBER_CLASSES
from gfx_ir.records import Record, is_record
from gfx_ir.trees import leaves, paths
from gfx_ir.types import LogicalTensor, TensorSpec

from ..heap.contents import attributes_of, children, only_attributes
from ..interfaces import Capturing
from ..python.draws import Draws
from ..python.listed import ListedItems
from ..rewrite.packages import framework
from ..values.nest import part_name
from ..values.open_keys import Keys, fields_of, is_dictionary, item_hint
from ..values.open_sizes import Sizes
from ..values.proxy import Proxy
from ..values.record import number_if_given
from .filled import Unfilled, like_mapping, like_sequence, record_of, with_fields
from .hints import PLAIN, SequenceOf, is_generator, is_tensor_hint, kind_of_hint, options_of, sequence_of, shown_hint

_GENERATOR = "numpy.random.Generator"
_EMPTY = inspect.Parameter.empty
_ARGS, _KWARGS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
_KINDS: dict[Any, str] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional", inspect.Parameter.POSITIONAL_OR_KEYWORD: "",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
}  # fmt: skip


class _Open:
    """The class of `Open`."""

    def __repr__(self) -> str:
        return "gfx.Open"

    def __reduce__(self) -> str:
        return "Open"


Open = _Open()
"""In the place of an argument: it stays open, although others are given."""


@dataclasses.dataclass
class Bound:
    """The captured function's arguments, as it is called with them."""

    args: list[Any]
    kwargs: dict[str, Any]
    signature: list[Parameter]
    records: dict[str, Record]


class Arguments:
    """Makes proxies for a signature."""

    def __init__(self, tracer: Capturing, sizes: Sizes | None, keys: Keys) -> None:
        self.tracer, self.sizes, self.keys = tracer, sizes, keys
        self.skipped = False
        self.records: dict[str, Record] = {}
        self._stems: dict[str, str] = {}  # by what the dims of arguments are called, the path of the argument

    def bind(self, signature: inspect.Signature, hints: dict[str, Any], args: tuple, kwargs: dict) -> Bound:
        """Proxies for every argument."""
        given = bound_arguments(signature.bind_partial, args, kwargs, self.tracer.graph.name)
        bound = Bound([], {}, [], self.records)
        for name, parameter in signature.parameters.items():
            if parameter.kind in (_ARGS, _KWARGS):
                self._bind_starred(bound, parameter, given.get(name))
            else:
                at_default = bool(given) and name not in given and parameter.default is not _EMPTY
                self._bind_one(bound, parameter, hints.get(name, _EMPTY), given.get(name, Open), at_default)
        return bound

    def _bind_starred(self, bound: Bound, parameter: inspect.Parameter, value: Any) -> None:
        """`*args` and `**kwargs` hold what is given, and nothing else."""
        name = parameter.name
        if parameter.kind is _ARGS:
            made = [self.make(f"{name}_{at}", item, f"{name}.{at}") for at, item in enumerate(value or ())]
            bound.args += [argument for argument, _ in made]
            bound.signature.append(Parameter(name, tuple([tree for _, tree in made]), kind="args"))
            return
        pairs = {key: self.make(key, item, f"{name}.{key}") for key, item in (value or {}).items()}
        bound.kwargs.update({key: argument for key, (argument, _) in pairs.items()})
        bound.signature.append(Parameter(name, {key: tree for key, (_, tree) in pairs.items()}, kind="kwargs"))

    def _bind_one(self, bound: Bound, parameter: inspect.Parameter, hint: Any, value: Any, at_default: bool) -> None:
        name, default = parameter.name, parameter.default
        if value is not Open:
            made, tree = self.make(name, value)
        elif at_default:
            made, tree = default, self._left_out(name, default)
        else:
            made, tree = self.open(name, default, hint)
        left = value is Open and made is default  # Python itself gives it
        kind, shown = _KINDS[parameter.kind], UNBOUND if default is _EMPTY else constant(default)
        if type(shown) is type(tree) is Described and shown == tree and default is not made:
            shown = another(shown)
        bound.signature.append(Parameter(name, tree, shown, kind, shown_hint(hint)))
        if left and kind != "positional":
            self.skipped = True  # those behind it go by keyword
        elif kind == "keyword" or self.skipped:
            bound.kwargs[name] = made
        else:
            bound.args.append(made)

    # ------------------------------------------------------------------ given
    def make(self, name: str, value: Any, path: str = "") -> tuple[Any, Any]:
        """(what the function is called with, the tree of its leaves) for an argument that is given."""
        path = path or name
        tracer = self.tracer
        if value is Open or type(value) is Unfilled:
            return self.open(name, _EMPTY, value.hint if type(value) is Unfilled else _EMPTY, path)
        made = tracer.make_argument(name, value)
        if made is not None:
            return made, tracer.unwrap(made)
        if isinstance(value, np.random.Generator):
            tracer.assumed.guards.append(Guard("random", path, _GENERATOR))
            return Draws(), Described(_GENERATOR)
        if isinstance(value, (TensorSpec, LogicalTensor)):
            type_ = value.logical() if isinstance(value, TensorSpec) else value
            return self._tensor(name, path, type_)
        owner = tracer.arrays.array_owner(value)
        if owner is not None and (owner.is_key(value) or getattr(value, "shape", None) is not None):
            return self._array(owner, name, path, value)
        fields = record_fields(value)
        if fields is not None:
            made_fields, tree = self.make(name, fields, path)
            self._record(path, value, tree)
            return with_fields(value, made_fields), tree
        if isinstance(value, dict):
            pairs = {key: self.make(_leaf_name(name, key), item, f"{path}.{key}") for key, item in value.items()}
            return like_mapping(value, {k: p[0] for k, p in pairs.items()}), {k: p[1] for k, p in pairs.items()}
        if isinstance(value, (list, tuple)):
            items = [
                self.make(_leaf_name(name, part_name(value, at) or at), item, f"{path}.{at}")
                for at, item in enumerate(value)
            ]
            if hasattr(value, "_fields") and not framework(type(value).__module__):
                self._record(path, value, dict.fromkeys(value._fields))
            kind = list if isinstance(value, list) else tuple
            as_it_is = kind is tuple and all(made is item for (made, _), item in zip(items, value))
            return value if as_it_is else like_sequence(value, [i[0] for i in items]), kind(i[1] for i in items)
        apart = contents(value)
        if apart is not None:
            made_contents, tree = self.make(name, apart[0], path)
            return apart[1](made_contents), tree
        if _of_attributes(value) and self._holds_tensors(value):
            pairs = {key: self._attribute(key, item, path) for key, item in attributes_of(value).items()}
            made = object.__new__(type(value))
            attributes_of(made).update({key: attribute for key, (attribute, _) in pairs.items()})
            tree = {key: held for key, (_, held) in pairs.items()}
            self._record(path, value, {key: held for key, held in tree.items() if _is_open(held)})
            tracer.given_objects[id(made)] = (path, tree)
            tracer.kept.append(made)
            return made, tree
        return value, self._fixed(path, value)

    def _record(self, path: str, value: Any, tree: dict[str, Any]) -> None:
        """Note that the argument at a path is an object of named fields, without those that hold what no source has, as functions."""
        name, fixed = type(value).__name__, fixed_fields(value)
        left = {field: held for field, held in tree.items() if field not in fixed}
        fields = tuple([f for f, held in left.items() if _is_open(held) or Described not in map(type, leaves(held))])
        if is_record(name, fields):
            self.records[path] = Record(name, fields)

    def _array(self, owner: Any, name: str, path: str, value: Any) -> tuple[Any, Any]:
        """The same for an array, or a key of random numbers."""
        tracer = self.tracer
        if owner.is_key(value):
            placeholder = self._placeholder(_identifier(name), path, "tensor", LogicalTensor(None, ()))
            return Proxy(placeholder, tracer.backend), placeholder
        proxy, placeholder = self._tensor(name, path, self._type_of(owner, name, path, value))
        tracer.assumed.given[placeholder] = value
        tracer.assumed.devices[placeholder], layout = owner.device_of(value), owner.layout_of(value)
        if layout is not None:
            tracer.assumed.layouts[placeholder] = layout
        if isinstance(value, np.generic):
            tracer.record.put(placeholder, number_if_given(placeholder))
        return proxy, placeholder

    def _attribute(self, key: str, value: Any, path: str) -> tuple[Any, Any]:
        """The same for an attribute of the object at a path: open where it is a number that the code counts in."""
        if key in self.keys.get(path, ()):
            return self.open(key, _EMPTY, type(value), f"{path}.{key}")
        return self.make(key, value, f"{path}.{key}")

    def _holds_tensors(self, value: Any) -> bool:
        """Whether an object has tensors among its attributes, in containers or in objects like it."""
        waiting, seen = [value], set()
        while waiting:
            item = waiting.pop()
            if id(item) in seen:
                continue
            seen.add(id(item))
            if isinstance(item, (TensorSpec, LogicalTensor)) or self.tracer.arrays.array_owner(item) is not None:
                return True
            if isinstance(item, (list, tuple, dict)) or _of_attributes(item):
                waiting += children(item)
        return False

    def _fixed(self, path: str, value: Any) -> Any:
        """The constant for what is fixed, with a guard."""
        made = constant(value)
        self.tracer.assumed.guards.append(Guard("value", path, made))
        return made

    def _left_out(self, name: str, default: Any) -> Any:
        """The tree of an argument that is left to its default."""
        tree = constant(default)
        for keys, leaf in paths(tree):
            self.tracer.assumed.guards.append(Guard("value", ".".join(map(str, (name, *keys))), leaf))
        return tree

    def _type_of(self, owner: Any, name: str, path: str, value: Any) -> LogicalTensor:
        dims: tuple[Any, ...] = tuple(owner.shape_of(value))
        if self.sizes is not None:
            full = _identifier(path)
            stems = itertools.chain((_identifier(name), full), (f"{full}_{number}" for number in itertools.count(1)))
            stem = next(stem for stem in stems if self._stems.setdefault(stem, path) == path)
            kept = self.keys.get(path, ())
            dims = self.sizes.dims(path, dims, stem, kept)
            self.tracer.notes += [
                f"size {dims[axis]} of {path!r}, axis {axis}, is fixed: later calls find it" for axis in kept
            ]
        return owner.type_of(value).with_(dims=dims)

    def _tensor(self, name: str, path: str, type_: LogicalTensor) -> tuple[Any, Any]:
        tracer = self.tracer
        placeholder = self._placeholder(_identifier(name), path, "tensor", type_)
        proxy = Proxy(placeholder, tracer.backend)
        if type_.dtype is not None or type_.dims is not None:
            tracer.assumed.guards.append(Guard("type", path, str(type_)))
        return proxy, placeholder

    def _placeholder(self, name: str, path: str, kind: str, type_: LogicalTensor | None = None) -> Value:
        placeholder = self.tracer.graph.add_placeholder(name, kind, type_)
        if path != name:
            placeholder.node.set_args((path,))  # what guards and writes call it
        return placeholder

    # ------------------------------------------------------------------ not given
    def open(self, name: str, default: Any, hint: Any, path: str = "") -> tuple[Any, Any]:
        """(argument, tree) for an argument that is not given."""
        if is_generator(hint):
            self.tracer.assumed.guards.append(Guard("random", name, _GENERATOR))
            return Draws(), Described(_GENERATOR)
        fields = fields_of(hint) if default is _EMPTY else None
        if fields is not None or (default is _EMPTY and is_dictionary(hint)):
            return self._open_dictionary(name, hint, path or name, fields)
        record = record_of(hint) if default is _EMPTY else None
        if record is not None:
            return self.make(name, record, path)
        sequence = sequence_of(hint) if default is _EMPTY else None
        if sequence is not None:
            items = sequence.items
            filled = None if items is None else self.make(name, tuple(map(Unfilled, items)), path)
            return filled or self._open_list(name, sequence, path or name)
        kind = self.open_kind(default, hint)
        if kind is None:
            return default, self._left_out(name, default)
        placeholder = self._placeholder(name, path or name, kind)
        allowed = [type(default), *options_of(hint)]
        numbers = frozenset(number.__name__ for number in NUMBER_CLASSES if any(number is one for one in allowed))
        if kind in ("tensor", "optional") and numbers:
            self.tracer.record.mix(placeholder, numbers)
        return self.tracer.wrap(placeholder), placeholder

    def _open_dictionary(self, name: str, hint: Any, path: str, fields: dict[str, Any] | None) -> tuple[Any, Any]:
        """The same for a dictionary: its keys are those of its annotation (`fields`), or those that were asked for."""
        items = fields if fields is not None else dict.fromkeys(self.keys.get(path, ()), item_hint(hint, _EMPTY))
        pairs = {key: self.open(_leaf_name(name, key), _EMPTY, inner, f"{path}.{key}") for key, inner in items.items()}
        made = {key: argument for key, (argument, _) in pairs.items()}
        if fields is None:
            self.tracer.effects.open_keys[id(made)] = path
        return made, {key: tree for key, (_, tree) in pairs.items()}

    def _open_list(self, name: str, sequence: SequenceOf, path: str) -> tuple[Any, Any]:
        """The same for a list or tuple whose annotation does not say how many items it has: tensors of any shapes."""
        if not is_tensor_hint(sequence.item, self.tracer.arrays.frameworks()):
            what = f"GFX cannot leave {path!r} open: its annotation says a {sequence.kind.__name__}, and not of so many items or of tensors"
            raise self.tracer.error(what, "give it at capture")
        placeholder = self._placeholder(name, path, "list")
        return sequence.kind([ListedItems(self.tracer.wrap(placeholder))]), placeholder

    def open_kind(self, default: Any, hint: Any) -> str | None:
        """Kind of an argument that stays open; None: it takes its default."""
        if hint is not _EMPTY and hint is not None:
            return kind_of_hint(hint, default, self.tracer.arrays.frameworks())
        if default is _EMPTY:
            return "tensor"
        if default is None:
            return "optional"
        return PLAIN.get(type(default)) if not isinstance(default, Value) else "tensor"


def constant(value: Any) -> Any:
    """A plain value as a graph, a file and a guard hold it: literals, containers of them, dtypes; other objects Described."""
    kind = type(value)
    if kind in (int, float, complex, str, bool, type(None), type(...)):
        return value
    if kind in (list, tuple):
        return kind(map(constant, value))
    if kind is dict and all(type(key) in (int, str) for key in value):
        return {key: constant(item) for key, item in value.items()}
    if kind is slice and all(type(end) in (int, type(None)) for end in (value.start, value.stop, value.step)):
        return value
    return element(value) or described(value)


def _is_open(tree: Any) -> bool:
    """Whether anything of an argument is open, or a tensor."""
    return Value in map(type, leaves(tree))


def _leaf_name(name: str, key: Any) -> str:
    return key if isinstance(key, str) and key.isidentifier() else f"{name}_{key}"


def _of_attributes(value: Any) -> bool:
    """Whether an argument is an object of the author's, or of a library for models, that holds nothing but attributes."""
    kind = type(value)
    plain = only_attributes(kind) and not isinstance(value, (type, types.FunctionType)) and not callable(value)
    return plain and not framework(kind.__module__)


def _identifier(name: str) -> str:
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    return text if text.isidentifier() else f"arg_{text}"
