"""State: what a capture wrote that outlives the call, as results of the program; the real objects are left as they were."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from gfx_ir import ops
from gfx_ir.control import is_given, is_placeholder
from gfx_ir.dtypes import dtype
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.op import Trait
from gfx_ir.probing import closed_over, own_attribute
from gfx_ir.program import beside
from gfx_ir.trees import leaves

from ..heap.aliases import WrittenConstant
from ..heap.contents import FIXED, unchanged
from ..heap.journal import containers
from ..heap.slots import MISSING, Replaced, Slot
from ..interfaces import Capturing
from ..python.remembered import Filled, Left, hangs_on_data, inside
from ..values.gated import usable
from ..values.gradient_marks import unmarked
from ..values.proxy import HostProxy, Proxy, weak_kind
from .kept_sizes import keep
from .replacing import Replaces, begins, changes, is_made, path_of, refusal_of
from .writes import Write, check_alone, check_apart, check_decided, check_told_apart

Apart = Callable[[Any], tuple[Any, Callable[[Any], Any] | None]]


def lasting_writes(
    tracer: Capturing, target: Any, arguments: Any, outside: set[int], returned: Iterable[Any], apart: Apart
) -> tuple[list[Write], Left]:
    """Writes to arguments, buffers, attributes and globals, in order, and what a later call may find otherwise than the first.
    The objects themselves get their old values back.

    `outside`: ids of written objects that something else than the captured code holds; `returned`: arguments that are part of the
    result, with what was written to them. `apart`: the tree of an object, and how it is made again of that.
    """
    own = containers(*returned)
    given = containers(arguments) - own
    reached = (containers(arguments, *_closed_over(target)) | outside) - own
    for slot in tracer.journal.frames[0].values():
        if slot.kind in ("item", "attribute", "contents") and id(slot.object) in given and not _as_it_was(slot):
            raise UnsupportedConstruct(
                f"GFX cannot convert this write: {slot.name!r} of an argument is replaced, and the caller would see it",
                slot.span, "return it instead, or write into its tensors",
            )  # fmt: skip
    slots = list(tracer.journal.frames[0].values())
    found, raised = list[Write](), list[Replaces]()
    for slot in slots:
        try:
            write = _write(tracer, slot, reached, apart)
        except Replaces as replaces:
            raised.append(replaces)
        else:
            found += [] if write is None else [write]
    together = [*raised, *(write.first for write in found if isinstance(write.first, Replaces))]
    for replaces in together:
        replaces.together = together
    if raised:
        raise raised[0]
    check_alone(tracer, found, (arguments, *_closed_over(target)))
    check_told_apart(tracer, found)
    found += [Write(write.there, ops.constant(True, dtype=dtype(bool))) for write in found if write.there is not None]
    check_apart(tracer, [write for write in found if write.slot is None])
    asked = [write.first for write in found if write.first is not None]
    set_up = [write.slot for write in found if write.slot is not None and not write.kept]
    changed = [slot for slot in slots if not _set_again(tracer, slot)]
    states = {
        write.slot.id for write in found if write.slot is not None and write.param is not None and not write.first
    }
    left = Left(changed, asked, set_up, states, tracer.effects.ran)
    if asked:  # what else is fixed is set up with it
        found = [write for write in found if write.slot is None or any(type(x) is Value for x in leaves(write.value))]
    tracer.journal.undo()
    taken = {value.node.args[0] for value in tracer.outermost.placeholders}
    return _told_apart([write for write in found if write.kept], tracer.params, taken), left


def _told_apart(writes: list[Write], params: Mapping[str, Any], given: set[str]) -> list[Write]:
    """The writes, each with a path of its own: two objects of one class have attributes of one name, and what is replaced was
    perhaps written before. `given`: the paths of the arguments."""
    replaced = {write.param for write in writes if write.slot is not None}
    writes = [write for write in writes if write.slot is not None or write.path not in replaced]
    taken = {write.path for write in writes if write.slot is None or write.param is not None} | params.keys() | given
    found = []
    for write in writes:
        path, count = write.path, 1
        if write.slot is not None and write.param is None:
            while path in taken:
                path, count = f"{write.path}_{count}", count + 1
            taken.add(path)
        found.append(replace(write, path=path))
    return found


def _write(tracer: Capturing, slot: Slot, reached: set[int], apart: Apart) -> Write | None:
    if slot.kind == "proxy":
        return _array_write(tracer, slot)
    if slot.kind == "base":
        check_decided(tracer, slot)
        return None
    if slot.kind == "attribute" and (id(slot.object), slot.key) in tracer.derived:
        return None
    of_class = isinstance(slot.object, type)
    if id(slot.object) not in reached and slot.kind != "global" and not of_class:
        return None
    module = tracer.module_paths.get(id(slot.object))
    value, old = slot.get(), slot.found(slot.old)
    if _as_it_was(slot) or same_data(value, old):
        return None
    usable(value)
    if of_class:
        what = f"GFX cannot convert this write: the attribute {slot.name!r} of the class {slot.object.__name__!r} outlives the call"
        raise UnsupportedConstruct(what, slot.span, "make it an attribute of an object, or an argument and a result")
    if id(slot.object) in tracer.copied:
        what = f"GFX cannot convert this write to {slot.name!r}: one array stands at two places of the object that is written"
        raise UnsupportedConstruct(what, slot.span, "give each place an array of its own: x.copy()")
    path = path_of(tracer, slot)
    if _replaces(tracer, slot, value, old):
        tree, rebuild = apart(value)
        return Write(path, tree, slot, rebuild=rebuild)
    unasked = _is_unasked(tracer, slot, old, module)
    refusal = None if unasked and _is_size(value) else refusal_of(tracer, slot, value, old)
    several = _is_several(value)
    if refusal is not None and not (
        ((type(value) is Proxy or several) and _begins(tracer, slot, value, old)) or (unasked and hangs_on_data(value))
    ):
        if hangs_on_data(value):
            if isinstance(value, HostProxy):
                keep(tracer, value.value)
            raise refusal
        return Write("", None, slot, first=refusal, kept=False)
    if type(value) is Proxy and _is_array(tracer, value, old):
        return None
    param = _param_of(tracer, slot, old)
    replaced = tracer.replaced.get(id(old))
    if replaced is not None and replaced.number is not None:
        return _count(tracer, slot, value, replaced, param or path)
    if param is not None and not (type(value) is Proxy and not value.weak):
        raise changes(tracer, slot, old)
    backend = value.backend if type(value) is Proxy else value[0].backend if several else None
    there = _param_of(tracer, slot, replaced.there) if replaced is not None and replaced.there is not None else None
    before = old if replaced is None else replaced.before
    named = _named(tracer.unwrap(value), slot)
    return Write(param or path, named, slot, param, refusal, owner=backend, there=there, before=before)


def _named(value: Any, slot: Slot) -> Any:
    """A value, by the name of the attribute or item that it is written to, where it has no other."""
    if type(value) is Value and value.name is None and isinstance(slot.key, str) and slot.key.isidentifier():
        value.name = slot.key
    return value


def _count(tracer: Capturing, slot: Slot, value: Any, replaced: Replaced, path: str) -> Write:
    """The write of a number that calls change, for which an array stands. Raises where it is a number of another type then, or none."""
    kind = replaced.number
    assert kind is not None
    if type(value) is not kind and weak_kind(value) != kind.__name__:
        raise changes(tracer, slot, kind())
    held, element = _named(tracer.unwrap(value), slot), dtype(kind)
    if type(held) is not Value:
        made = ops.constant(held, dtype=element)
    else:
        made = ops.as_tensor(held, dtype=element)
    return Write(path, made, slot, path, rebuild=kind, before=replaced.before)


def _is_unasked(tracer: Capturing, slot: Slot, old: Any, module: str | None) -> bool:
    """Whether an attribute of a module is a constant of Python's, or not there, and the code did not ask for it by its name."""
    return module is not None and (type(old) in FIXED or old is MISSING) and slot.place not in tracer.consulted


def _is_size(value: Any) -> bool:
    """Whether a value is an open number of Python's, as a size is, or a tuple of such."""
    if type(value) is tuple:
        return any(map(_is_size, value)) and all(type(part) in FIXED or _is_size(part) for part in value)
    return isinstance(value, HostProxy)


def _is_several(value: Any) -> bool:
    """Whether a value is a tuple of tensors."""
    return type(value) is tuple and bool(value) and all(type(part) is Proxy for part in value)


def _begins(tracer: Capturing, slot: Slot, value: Any, old: Any) -> bool:
    """Whether a slot is an attribute or a key that a call fills."""
    return slot.kind in ("attribute", "item") and begins(tracer, slot, value, old)


def _replaces(tracer: Capturing, slot: Slot, value: Any, old: Any) -> bool:
    """Whether an attribute gets an object or a container that the code has made of its data, and nothing was asked of what stood
    there before."""
    if slot.kind != "attribute" or slot.key == "__dict__" or not hangs_on_data(value):
        return False
    if type(value) is tuple:
        new = not _is_size(value)
    else:
        new = tracer.journal.made.since(value) if isinstance(value, (list, dict)) else is_made(tracer, value)
    before = {id(part) for part in inside(old)}
    return new and slot.place not in tracer.consulted and before.isdisjoint({*tracer.known, *tracer.consulted.owners()})


def same_data(x: Any, y: Any) -> bool:
    """Whether two objects are the same constant of Python's, or containers that hold the same, as the empty list that each call begins with."""
    if type(x) is not type(y):
        return False
    if isinstance(x, tuple) or type(x) is list:
        return len(x) == len(y) and all(map(same_data, x, y))
    if type(x) is dict:
        return list(x) == list(y) and all(map(same_data, x.values(), y.values()))
    return type(x) in FIXED and x == y


def _is_array(tracer: Capturing, value: Proxy, old: Any) -> bool:
    """Whether a tensor is the array that was there, written in place or not, or one of the same elements on some device: on which
    one the elements of a state lie is none of it."""
    known = tracer.known.get(id(old))
    if known is None or known is value:
        return known is not None
    found = value.read()
    while isinstance(found, Value) and found.node.op.traits & Trait.MOVES:
        found = found.node.args[0]
    return isinstance(found, Value) and is_given(found.node) and found is known.read()


def _set_again(tracer: Capturing, slot: Slot) -> bool:
    """Whether the attribute of a model, or a variable of a function around this one, is set to the constant that it was, or to containers
    of such: these are taken to change by their own code alone."""
    own = id(slot.object) in tracer.module_paths or slot.kind == "cell"
    return own and same_data(slot.get(), slot.old)


def _as_it_was(slot: Slot) -> bool:
    """Whether a slot holds again what it held before the capture."""
    value = slot.get()
    return value is slot.old or (slot.kind == "contents" and unchanged(slot.old, value))


def _param_of(tracer: Capturing, slot: Slot, array: Any) -> str | None:
    """The parameter that the array is which a write replaces. Where it stands as a constant, the capture has to begin again."""
    if isinstance(array, Filled):
        return None
    if id(array) not in tracer.known:
        asked = slot.kind == "item" or slot.place in tracer.consulted
        if asked and id(array) not in tracer.replaced and tracer.arrays.is_numbers(array):
            what = (
                f"GFX cannot convert this write: {slot.name!r} is replaced, and the code asked for it as for a constant"
            )
            raise Replaces(what, slot, "make it a buffer, or an argument and a result", path_of(tracer, slot), array)
        return None
    found = next((name for name, held in tracer.params.items() if held is array), None)
    if found is None:
        raise WrittenConstant
    return found


def _array_write(tracer: Capturing, slot: Slot) -> Write | None:
    proxy = slot.object
    value = unmarked(proxy.value)  # what is written has no gradient
    if slot.old is value or proxy is tracer.key or not isinstance(slot.old, Value):
        return None
    if any(proxy is held for held in tracer.memoised.lasting):
        raise UnsupportedConstruct(
            "GFX cannot convert this write: a function remembers this tensor, and the next call finds what is written to it",
            slot.span, "write to a copy of it",
        )  # fmt: skip
    node = slot.old.node
    if not is_given(node) or slot.old.kind == "key" or tracer.journal.made.since(proxy):  # a copy of what was given
        return None
    path = node.args[0]
    return Write(beside(path) if is_placeholder(node) and path in tracer.params else path, value, array=proxy)


def _closed_over(target: Any) -> list[Any]:
    """What a target can reach without arguments: its closure, its own object, the globals that its code names."""
    found: list[Any] = []
    while isinstance(target, functools.partial):
        found += [*target.args, *target.keywords.values()]
        target = target.func
    owner = own_attribute(target, "__self__")
    if owner is not None:
        found.append(owner)
    function = own_attribute(target, "__func__", target)
    if isinstance(function, types.FunctionType):
        found += [function.__globals__.get(name) for name in function.__code__.co_names]
        found += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        found += closed_over(function)
    elif hasattr(target, "__dict__") and not hasattr(type(target), "named_modules"):
        found.append(target)
    return [item for item in found if not isinstance(item, (type, types.ModuleType, types.FunctionType, Proxy))]
