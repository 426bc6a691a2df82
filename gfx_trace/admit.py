"""Admitting a call: the arguments as the target takes them, against what the capture took as given."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import gfx_ir.types
from gfx_ir.backend import Backend
from gfx_ir.errors import ArgumentError, GuardError
from gfx_ir.graph import Value
from gfx_ir.host import Dim, Expr, atoms, evaluate
from gfx_ir.program import Guard, Parameter
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

_RANDOM = ("key", "generator")  # what emitted code takes besides the target's own arguments
_PLAIN = (int, float, str, bool, type(None))
_MAX_WORK = 10_000


def bind(
    signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any], name: str = "the program"
) -> dict[str, Any]:
    """Arguments by name, as Python binds them; dataclasses as dictionaries of their fields.

    Raises ArgumentError where one is missing or too many; it names the callee by `name`.
    """
    extra = {k: v for k, v in kwargs.items() if k in _RANDOM and k not in signature.parameters}
    bound = bound_arguments(signature.bind, args, {k: v for k, v in kwargs.items() if k not in extra}, name)
    found: dict[str, Any] = {}
    for name, value in bound.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found.update({f"{name}_{at}": plain(item) for at, item in enumerate(value)})
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found.update({key: plain(item) for key, item in value.items()})
        else:
            found[name] = plain(value)
    return found


def bound_arguments(
    bind_: Callable[..., inspect.BoundArguments], args: Sequence[Any], kwargs: Mapping[str, Any], name: str
) -> Mapping[str, Any]:
    """`signature.bind` (or `bind_partial`) of arguments. Raises ArgumentError with what Python says where they do not fit."""
    try:
        return bind_(*args, **kwargs).arguments
    except TypeError as error:
        signature: inspect.Signature = bind_.__self__  # type: ignore[attr-defined]  # a bound method
        arguments = ", ".join(str(parameter) for parameter in signature.parameters.values())
        hint = f"it takes {arguments}" if arguments else "it takes no arguments"
        raise ArgumentError(f"{name!r} cannot be called with these arguments: {error}", hint=hint) from None


def plain(value: Any) -> Any:
    """An argument with its dataclasses as dictionaries, which is how emitted code takes them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(plain(item) for item in value)
    return value


def check(guards: Sequence[Guard], given: Mapping[str, Any], signature: inspect.Signature, owner: Backend) -> None:
    """Raise GuardError for the first guard that does not hold. An argument left to its default is checked as such."""
    defaults = {
        name: p.default
        for name, p in signature.parameters.items()
        if name not in given and isinstance(p.default, _PLAIN)
    }
    for guard in guards:
        found = _subject(guard.subject, given if guard.subject.partition(".")[0] in given else defaults)
        if found is not _ABSENT:
            _check_guard(guard, found, owner)


def kept(parameters: Sequence[Parameter], guards: Sequence[Guard], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that emitted code takes: those not fixed. Raises GuardError for one that the capture left out."""
    found = {}
    for parameter in parameters:
        if parameter.name in given and any(type(leaf) is Value for leaf in leaves(parameter.tree)):
            _check_structure(parameter.tree, given[parameter.name], parameter.name)
            found[parameter.name] = given[parameter.name]
    known = {p.name for p in parameters} | {g.subject.partition(".")[0] for g in guards}
    for name, value in given.items():
        if name not in known and value is not None:
            hint = f"capture with it: symbolic_trace(target, {name}=...)"
            raise GuardError(f"the capture left out the argument {name!r}, and the call gives it", hint=hint)
    return found


def arrays(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(name of the graph's input, the caller's own object) for every leaf of the arguments."""
    for parameter in parameters:
        if parameter.name in given:
            for leaf, held in zip(leaves(parameter.tree), leaves(given[parameter.name])):
                if type(leaf) is Value and leaf.name is not None:
                    yield leaf.name, held


def check_dims(parameters: Sequence[Parameter], given: Mapping[str, Any], owner: Backend) -> None:
    """Raise GuardError where one open dim has two sizes, a size outside of its bounds, or not the size computed from others."""
    sizes: dict[str, int] = {}
    places: dict[str, str] = {}
    computed: list[tuple[str, Expr, int]] = []
    for parameter in parameters:
        for path, dims, shape in _shapes(parameter.tree, given.get(parameter.name), parameter.name, owner):
            for axis, (dim, size) in enumerate(zip(dims, shape)):
                place = f"{path}.shape[{axis}] == {size}"
                if isinstance(dim, Expr):
                    computed.append((place, dim, size))
                elif isinstance(dim, Dim):
                    _check_bounds(dim, size, place)
                    if sizes.setdefault(dim.name, size) != size:
                        raise _unequal(f"the dim {dim.name!r} as one size", f"{places[dim.name]} and {place}")
                    places.setdefault(dim.name, place)
    for place, expression, size in computed:
        if all(atom.name in sizes for atom in atoms(expression)) and evaluate(expression, sizes) != size:
            known = ", ".join(places[name] for name in dict.fromkeys(atom.name for atom in atoms(expression)))
            raise _unequal(f"a size of {expression} as given", f"{known} and {place}")


def _shapes(tree: Any, held: Any, path: str, owner: Backend) -> Iterator[tuple[str, tuple, tuple]]:
    """(path, dims of the capture, sizes of the call) of every tensor whose rank the capture took as given."""
    if isinstance(tree, dict):
        for key, item in tree.items():
            yield from _shapes(item, held[key], f"{path}.{key}", owner)
    elif isinstance(tree, (list, tuple)):
        for at, item in enumerate(tree):
            yield from _shapes(item, held[at], f"{path}[{at}]", owner)
    elif type(tree) is Value and isinstance(tree.type, LogicalTensor) and tree.type.dims and owner.is_tensor(held):
        yield path, tree.type.dims, tuple(owner.shape_of(held))


def _check_bounds(dim: Dim, size: int, place: str) -> None:
    if size < dim.min or (dim.max is not None and size > dim.max):
        most = f" to {dim.max}" if dim.max is not None else " or more"
        raise GuardError(
            f"the capture took the dim {dim.name!r} as {dim.min}{most}, and the call has {place}",
            hint="capture with a Dim of other bounds",
        )


def _unequal(what: str, found: str) -> GuardError:
    hint = "pass arrays that agree, or capture with Dims of different names"
    return GuardError(f"the capture took {what}, and the call has {found}", hint=hint)


def check_aliases(written: Sequence[str], named: Sequence[tuple[str, Any]], owner: Backend) -> None:
    """Raise GuardError where an argument that the program writes shares memory with another one."""
    tensors = [(name, x) for name, x in named if owner.is_tensor(x)]
    for (a, x), (b, y) in itertools.combinations(tensors, 2):
        if (a in written or b in written) and _share(x, y, owner):
            raise GuardError(
                f"the arguments {a!r} and {b!r} share memory, and the program writes to one of them",
                hint="the capture took them for different arrays: pass a copy of one",
            )


def _share(x: Any, y: Any, owner: Backend) -> bool:
    if x is y:
        return True
    try:
        return np.shares_memory(owner.to_host(x), owner.to_host(y), max_work=_MAX_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _check_structure(tree: Any, held: Any, path: str) -> None:
    """The containers of an argument are part of the capture: the same keys, the same lengths."""
    if isinstance(tree, dict):
        if not isinstance(held, Mapping) or set(held) != set(tree):
            got = f"the keys {', '.join(map(str, held))}" if isinstance(held, Mapping) else type(held).__name__
            want = ", ".join(map(str, tree))
            raise GuardError(f"the capture takes {path!r} as a dictionary of {want}, and the call has {got}")
        for key, item in tree.items():
            _check_structure(item, held[key], f"{path}.{key}")
    elif isinstance(tree, (list, tuple)):
        if not isinstance(held, (list, tuple)) or len(held) != len(tree):
            got = f"{len(held)} items" if isinstance(held, (list, tuple)) else type(held).__name__
            raise GuardError(
                f"the capture takes {path!r} as a {type(tree).__name__} of {len(tree)} items, and the call has {got}",
                hint="capture again with this structure",
            )
        for at, item in enumerate(tree):
            _check_structure(item, held[at], f"{path}.{at}")
    elif type(tree) is Value and not _fits(tree.kind, held):
        raise GuardError(
            f"the capture takes {path!r} as a value of kind {tree.kind!r}, and the call has {_shown(held)}",
            hint=f"annotate {path!r} in the signature with what it is, or give it at capture",
        )


def _fits(kind: str, held: Any) -> bool:
    """Whether an argument may stand where the capture has an open value of this kind."""
    if kind == "tensor":
        return not isinstance(held, (str, list, tuple, dict, set, type(None)))
    if kind == "int":
        return isinstance(held, (int, np.integer)) and not isinstance(held, bool)
    if kind == "float":
        return isinstance(held, (float, int, np.floating, np.integer)) and not isinstance(held, bool)
    return not isinstance(held, _PLAIN) or kind not in ("bool", "str") or type(held).__name__ == kind


def _shown(held: Any) -> str:
    return repr(held) if isinstance(held, _PLAIN) else f"a {type(held).__name__}"


def _check_guard(guard: Guard, found: Any, owner: Backend) -> None:
    if guard.kind == "value":
        if not _equal(found, guard.value):
            raise GuardError(
                f"the capture took {guard} as given, and the call has {guard.subject} = {found!r}",
                guard.span, "capture again with this value, or leave the argument open",
            )  # fmt: skip
    elif guard.kind == "type" and owner.is_tensor(found):
        _check_type(guard, found, owner)
    elif guard.kind == "rank" and owner.is_tensor(found) and len(owner.shape_of(found)) != guard.value:
        raise GuardError(
            f"the capture takes {guard} as given, and the call has {len(owner.shape_of(found))} dimensions",
            guard.span, "capture with a TensorSpec of this rank",
        )  # fmt: skip
    elif guard.kind == "device" and owner.is_tensor(found) and owner.device_kinds:
        if str(owner.device_of(found)) != guard.value:
            raise GuardError(
                f"the capture takes it as given that {guard}, and the call has a tensor on {owner.device_of(found)}",
                guard.span, "capture with a tensor on this device",
            )  # fmt: skip
    elif guard.kind == "layout" and owner.is_tensor(found) and not owner.in_rows(found):
        raise GuardError(
            f"the capture takes it as given that {guard}, and the call has strides or an offset", guard.span,
            "call with x.contiguous() or a copy",
        )  # fmt: skip
    elif guard.kind == "number" and isinstance(found, np.ndarray):
        raise GuardError(
            f"the capture takes it as given that {guard}, and the call has an array, which is written in place", guard.span,
            "call with x[()], or give an array at capture",
        )  # fmt: skip


def _equal(found: Any, fixed: Any) -> bool:
    if isinstance(found, _PLAIN):
        return found is fixed or (type(found) is type(fixed) and (found == fixed or found != found != fixed != fixed))
    return isinstance(fixed, str) and str(found) == fixed  # an object is recorded by its text


def _check_type(guard: Guard, found: Any, owner: Backend) -> None:
    from_text = gfx_ir.types.parse_logical(guard.value)
    shape = owner.shape_of(found)
    fits = from_text.dims is None or (
        len(shape) == len(from_text.dims)
        and all(not isinstance(d, int) or d == s for d, s in zip(from_text.dims, shape))
    )
    if not fits or (from_text.dtype is not None and owner.dtype_of(found) != from_text.dtype):
        got = LogicalTensor(owner.dtype_of(found), tuple(shape))
        raise GuardError(
            f"the capture is for {guard}, and the call has {got}",
            guard.span,
            "capture with dynamic=True, or with a TensorSpec of Dims",
        )


def _subject(path: str, given: Mapping[str, Any]) -> Any:
    found: Any = given
    for key in path.split("."):
        if isinstance(found, Mapping) and key in found:
            found = found[key]
        elif isinstance(found, (list, tuple)) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            return _ABSENT
    return found


_ABSENT = object()
