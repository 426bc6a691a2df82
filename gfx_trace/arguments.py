"""Arguments of a capture: what is given is fixed or typed, what is not stays open.

A tensor given (an array, a TensorSpec) is a tensor of that type; a plain value given is fixed, with a guard. Not given: a tensor
where the annotation says so or neither annotation nor default speak, an open host value where annotation or default are plain.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_ir.graph import UNBOUND, Value
from gfx_ir.host import Dim
from gfx_ir.program import Guard, Parameter
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor, TensorSpec

from .admit import bound_arguments
from .draws import Draws
from .proxy import Proxy
from .record import number_if_given

if TYPE_CHECKING:
    from .tracer import Tracer

_PLAIN = {int: "int", float: "float", bool: "bool", str: "str"}
_EMPTY = inspect.Parameter.empty


@dataclasses.dataclass
class Bound:
    """The captured function's arguments, as it is called with them."""

    args: list[Any]
    kwargs: dict[str, Any]
    signature: list[Parameter]


class Arguments:
    """Makes proxies for a signature."""

    def __init__(self, tracer: Tracer, dynamic: bool = False) -> None:
        self.tracer, self.dynamic = tracer, dynamic
        self.skipped = False

    def bind(self, signature: inspect.Signature, hints: dict[str, Any], args: tuple, kwargs: dict) -> Bound:
        """Proxies for every argument."""
        given = bound_arguments(signature.bind_partial, args, kwargs, self.tracer.graph.name)
        bound = Bound([], {}, [])
        for name, parameter in signature.parameters.items():
            self._bind_one(bound, parameter, hints.get(name, _EMPTY), name in given, given.get(name))
        return bound

    def _bind_one(self, bound: Bound, parameter: inspect.Parameter, hint: Any, given: bool, value: Any) -> None:
        name = parameter.name
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            for at, item in enumerate(value or ()):
                made, tree = self.make(f"{name}_{at}", item)
                bound.args.append(made)
                bound.signature.append(Parameter(f"{name}_{at}", tree))
            return
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            for key, item in (value or {}).items():
                made, tree = self.make(key, item)
                bound.kwargs[key] = made
                bound.signature.append(Parameter(key, tree, keyword=True))
            return
        made, tree = self.make(name, value) if given else self.open(name, parameter.default, hint)
        default = UNBOUND if parameter.default is _EMPTY else parameter.default
        keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        annotation = _annotation(hint)
        if tree is not _FIXED_DEFAULT and any(type(leaf) is Value for leaf in leaves(tree)):
            shown = (
                default if isinstance(default, (int, float, bool, str, type(None))) or default is UNBOUND else UNBOUND
            )
            bound.signature.append(Parameter(name, tree, shown, keyword, annotation))
        if tree is _FIXED_DEFAULT and parameter.kind is not inspect.Parameter.POSITIONAL_ONLY:
            self.skipped = True  # left to its default: those behind it go by keyword
        elif keyword or self.skipped:
            bound.kwargs[name] = made
        else:
            bound.args.append(made)

    # ------------------------------------------------------------------ given
    def make(self, name: str, value: Any, path: str = "") -> tuple[Any, Any]:
        """(what the function is called with, the tree of its leaves) for an argument that is given."""
        path = path or name
        tracer = self.tracer
        made = tracer.make_argument(name, value)
        if made is not None:
            return made, tracer.unwrap(made)
        if isinstance(value, np.random.Generator):
            tracer.guards.append(Guard("random", path, "numpy.random.Generator"))
            return Draws(), None
        if isinstance(value, (TensorSpec, LogicalTensor)):
            type_ = value.logical() if isinstance(value, TensorSpec) else value
            return self._tensor(name, path, type_)
        owner = tracer.array_owner(value)
        if owner is not None and getattr(value, "shape", None) is not None:
            proxy, placeholder = self._tensor(name, path, self._type_of(owner, name, value))
            tracer.devices[placeholder] = owner.device_of(value)
            if isinstance(value, np.generic):
                tracer.record.put(placeholder, number_if_given(placeholder))
            return proxy, placeholder
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
            made_fields, tree = self.make(name, fields, path)
            return dataclasses.replace(value, **made_fields), tree
        if isinstance(value, dict):
            pairs = {key: self.make(_leaf_name(name, key), item, f"{path}.{key}") for key, item in value.items()}
            return _like(value, {k: p[0] for k, p in pairs.items()}), {k: p[1] for k, p in pairs.items()}
        if isinstance(value, (list, tuple)):
            items = [self.make(f"{name}_{at}", item, f"{path}.{at}") for at, item in enumerate(value)]
            kind = list if isinstance(value, list) else tuple
            return _sequence(value, [i[0] for i in items]), kind(i[1] for i in items)
        tracer.guards.append(Guard("value", path, _recorded(value)))
        return value, value if isinstance(value, (int, float, str, bool, type(None))) else None

    def _type_of(self, owner: Any, name: str, value: Any) -> LogicalTensor:
        dims: tuple[Any, ...] = tuple(owner.shape_of(value))
        if self.dynamic:
            dims = tuple(Dim(f"{name}_{axis}", min=1) for axis in range(len(dims)))
        return LogicalTensor(owner.dtype_of(value), dims)

    def _tensor(self, name: str, path: str, type_: LogicalTensor) -> tuple[Any, Any]:
        tracer = self.tracer
        placeholder = tracer.graph.add_placeholder(_identifier(name), "tensor", type_)
        proxy = Proxy(placeholder, tracer.backend)
        if type_.dtype is not None or type_.dims is not None:
            tracer.guards.append(Guard("type", path, str(type_)))
        return proxy, placeholder

    # ------------------------------------------------------------------ not given
    def open(self, name: str, default: Any, hint: Any) -> tuple[Any, Any]:
        """(argument, tree) for an argument that is not given."""
        if _is_generator(hint):
            self.tracer.guards.append(Guard("random", name, "numpy.random.Generator"))
            return Draws(), _FIXED_DEFAULT if default is not _EMPTY else None
        kind = self.open_kind(default, hint)
        if kind is None:
            self.tracer.guards.append(Guard("value", name, _recorded(default)))
            return default, _FIXED_DEFAULT
        placeholder = self.tracer.graph.add_placeholder(name, kind)
        return self.tracer.wrap(placeholder), placeholder

    def open_kind(self, default: Any, hint: Any) -> str | None:
        """Kind of an argument that stays open; None: it takes its default."""
        if hint is not _EMPTY and hint is not None:
            return _kind_of_hint(hint, default, self.tracer.frameworks())
        if default is _EMPTY:
            return "tensor"
        if default is None:
            return "optional"
        return _PLAIN.get(type(default)) if not isinstance(default, Value) else "tensor"


def _recorded(value: Any) -> Any:
    """A fixed value as a guard holds it: objects by their text."""
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


_FIXED_DEFAULT = type("FixedDefault", (), {})()


def _is_generator(hint: Any) -> bool:
    """Whether an annotation says np.random.Generator."""
    return hint is np.random.Generator or hint in ("np.random.Generator", "numpy.random.Generator")


def _kind_of_hint(hint: Any, default: Any, frameworks: Any) -> str | None:
    options = list(typing.get_args(hint)) if typing.get_origin(hint) in (typing.Union, types.UnionType) else [hint]
    optional = default is None or type(None) in options
    options = [option for option in options if option is not type(None)]
    if any(_is_tensor_hint(option, frameworks) for option in options):
        return "optional" if optional else "tensor"
    if options == [typing.Any] or options == [object]:
        return "tensor" if default is _EMPTY else ("optional" if default is None else _PLAIN.get(type(default)))
    if len(options) == 1 and options[0] in _PLAIN:
        if optional:
            return None
        return _PLAIN[options[0]]
    return "tensor" if default is _EMPTY else None


def _is_tensor_hint(option: Any, frameworks: Any) -> bool:
    name = option if isinstance(option, str) else getattr(option, "__name__", "")
    if name in (
        "Tensor",
        "LongTensor",
        "FloatTensor",
        "BoolTensor",
        "IntTensor",
        "Array",
        "ArrayLike",
        "ndarray",
        "NDArray",
    ):
        return True
    return (
        isinstance(option, type)
        and any(issubclass(t, option) for b in frameworks for t in b.tensor_types)
        and option is not object
    )


def _annotation(hint: Any) -> str:
    return hint.__name__ if hint in (int, float, bool, str) else ""


def _leaf_name(name: str, key: Any) -> str:
    return key if isinstance(key, str) and key.isidentifier() else f"{name}_{key}"


def _identifier(name: str) -> str:
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    return text if text.isidentifier() else f"arg_{text}"


def _like(value: dict, items: dict) -> Any:
    return items if type(value) is dict else type(value)(items)


def _sequence(value: Any, items: list[Any]) -> Any:
    if isinstance(value, list):
        return items
    return type(value)._make(items) if hasattr(value, "_fields") else tuple(items)


def hints_of(fn: Any) -> dict[str, Any]:
    """Annotations of a function, evaluated where they can be."""
    try:
        return typing.get_type_hints(fn)
    except (NameError, TypeError, AttributeError, SyntaxError):
        return dict(getattr(fn, "__annotations__", {}))
