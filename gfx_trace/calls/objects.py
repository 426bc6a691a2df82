"""Attributes, items and writes of ordinary Python objects under capture."""

from __future__ import annotations

import operator
import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Backend, Lift
from gfx_ir.probing import is_module
from gfx_ir.python_numbers import NUMBER_CLASSES

from ..frameworks.structured import array_attribute
from ..heap.chains import same_view
from ..heap.contents import table_of
from ..heap.framework_state import remembers
from ..interfaces import Capturing
from ..objects.attributes import NOT_OWN
from ..objects.native_methods import on_fixed
from ..objects.special_methods import MEANINGS, WRITING, MeantMethod, SpecialMethod
from ..python.convert import as_lists
from ..python.devices import settled
from ..python.draws import Draws, drawing
from ..python.faults import cannot, no_attribute
from ..python.list_methods import keeps_places, known_item, known_place, list_method
from ..python.listed import ListedItems
from ..python.picked import get, open_place, picked, replaced
from ..python.rows import Growing, StackedRows, holds_rows, listed, rows_of
from ..python.sequences import OpenList
from ..python.sizes import method_of_sizes
from ..python.told import holds_open
from ..rewrite.packages import enterable
from ..values.gated import Gated, gate_of
from ..values.proxy import HostProxy, Proxy, Unusable, is_open, weak_kind
from .applying import single_values
from .modules import is_derived, module_attribute, registered

PLAIN_KEYS = frozenset((int, str, slice, float, bool, tuple, type(None)))
"""Keys for which Python runs no code of the user's."""
_PARTS = frozenset(("real", "imag"))
"""Attributes of an array that show its elements: a write to one is a write to these."""


class Objects:
    """The part of the Tracer that knows ordinary objects."""

    makes_arrays: Backend | None = None  # whose functions of functions gave arrays where numbers are held

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def getattr(self, o: Any, name: str) -> Any:
        """o.name."""
        kind = type(o)
        if kind in self.tracer.module_classes:
            return module_attribute(self.tracer, o, name)
        if name == "__class__" and (is_open(o) or self.tracer.record.is_shape(o)):
            return self.tracer.calls.call(type, (o,), {})
        if name in MEANINGS and is_open(o) and self.has_special(o, name):
            return SpecialMethod(o, name)
        if kind is Proxy:
            return self.tracer.views.tensor_attribute(o, name)
        if kind is HostProxy:  # never what stands for it: the code does not know the names that we have there
            return self.tracer.host_values.host_attribute(o, name)
        if kind is OpenList:
            return getattr(o if hasattr(list, name) else [], name)
        if (kind is tuple or kind is list) and (found := method_of_sizes(self.tracer, o, name)) is not None:
            return found
        if kind is Gated:
            return self.tracer.gates.resolve(o, lambda side: self.getattr(side, name))
        if issubclass(kind, Unusable):
            raise o.error
        if is_module(o):
            return module_attribute(self.tracer, o, name)
        given = self.tracer.attributes.get(o, name)
        if given is not NOT_OWN:
            return given
        if kind is Draws:
            return drawing(self.tracer, o, name)
        if isinstance(o, (np.random.Generator, np.random.RandomState)):
            raise self.outside_generator(f"numpy.random.{kind.__name__}.{name}")
        if name == "get" and getattr(kind, name, None) is dict.get:
            return MeantMethod(get, self.tracer, o)
        if not self.tracer.arrays.is_foreign_number(o) and self.tracer.arrays.array_owner(o) is not None:
            return self.tracer.views.tensor_attribute(self.tracer.arrays.array_proxy(o), name)
        found = self.attribute(o, name)
        if self.tracer.arrays.array_owner(found) is not None:
            return self.tracer.arrays.array_proxy(found, name, (id(o), name))
        return found

    def has_special(self, x: Any, name: str) -> bool:
        """Whether what stands for x has a special method: arrays that cannot be written have none that writes."""
        backend = x.backend if type(x) is Proxy and not x.weak else None
        return backend is None or backend.views or name not in WRITING

    def attribute(self, o: Any, name: str, find: Callable[[Any, str], Any] | None = None) -> Any:
        """Python's own o.name, which is noted: the code may decide by what it finds, or that it is not there."""
        try:
            found = getattr(o, name) if find is None else find(o, name)
        except AttributeError:
            given = array_attribute(self.tracer, o, name) if type(o) in NUMBER_CLASSES else NotImplemented
            if given is not NotImplemented:
                return given
            self.tracer.consulted.add((id(o), name))
            raise
        if name == "__dict__":
            self.tracer.effects.shown(found, o)
        if type(found) is Gated:
            return self.tracer.gates.read(found)
        self.tracer.consulted.add((id(o), name))
        return self.tracer.repeated.meets(found, o)

    def outside_generator(self, name: str) -> Exception:
        """The error for a draw that would be made once, at capture, and be the same number in every call."""
        return self.tracer.error(
            f"GFX cannot convert this draw: {name} takes its numbers from a generator that lives outside of the graph",
            "draw with torch or with a jax.random key, or pass the numbers as an argument",
        )

    def setattr(self, o: Any, name: str, value: Any) -> None:
        """o.name = value."""
        if type(o) is Gated:
            self.tracer.gates.resolve(o, lambda side: self.setattr(side, name, value))
            return
        if name == "data" and self.tracer.arrays.array_owner(o) is not None:
            o = self.tracer.arrays.array_proxy(o)
        if isinstance(o, Proxy):
            if name == "data":
                o.write(ops.straight_through(o.read(), self.tracer.unwrap(value)))
                return
            if o.backend is not None and name == o.backend.trained_attribute:  # as its method in place does
                self.tracer.calls.call(self.getattr(o, f"{name}_"), (value,), {})
                return
            if name in _PARTS:
                part = self.getattr(o, name)
                if not (type(value) is type(part) is Proxy and same_view(value, part)):  # x.real += y has written it
                    self.tracer.views.setitem(part, ..., value)
                return
            raise self.tracer.error(f"GFX cannot convert this write to the attribute {name!r} of a tensor")
        if isinstance(o, HostProxy):
            raise no_attribute(self.tracer, o, name)
        descriptor = self.tracer.attributes.held(type(o), name)
        if type(descriptor) is property and isinstance(descriptor.fset, types.FunctionType):
            self.tracer.calls.call(descriptor.fset, (o, value), {})
            return
        if is_module(o):
            if is_derived(self.tracer.site, o, name):
                self.tracer.derived.add((id(o), name))
            elif isinstance(value, Proxy) and (table := table_of(o, name)) is not None:
                if self.tracer.known.get(id(table[name])) is value:  # what is there was written in place
                    return
                if value.value not in self.tracer.own_leaves:
                    registered(o, name, table)
                self.tracer.journal.record(o, name, "attribute", name, self.tracer.span())
                table[name] = value
                return
        if self.tracer.attributes.set(o, name, value):
            return
        self.tracer.journal.links.write(o, lambda each: self._put_attribute(each, name, value))

    def _put_attribute(self, o: Any, name: str, value: Any) -> None:
        if name == "__dict__" and self.tracer.stack and not self.tracer.journal.is_own(o):
            raise self.tracer.error(
                f"GFX cannot convert this write: a test or loop replaces all attributes of a {type(o).__name__}",
                "set them one by one",
            )
        self.tracer.journal.record(o, name, "attribute", name, self.tracer.span(), everywhere=True)
        setattr(o, name, value)
        self.tracer.effects.is_there(o, name)

    def delete_attribute(self, o: Any, name: str) -> None:
        """del o.name."""
        descriptor = getattr(type(o), name, None)
        if type(descriptor) is property and isinstance(descriptor.fdel, types.FunctionType):
            self.tracer.calls.call(descriptor.fdel, (o,), {})
            return
        own = self.tracer.overloading.own_method(o, "__delattr__")
        if own is not None:
            self.tracer.calls.call(own, (o, name), {})
            return
        if self.tracer.attributes.forget(o, name):
            return
        if is_module(o) and table_of(o, name) is not None:
            raise self.tracer.error(
                f"GFX cannot convert this write: {name!r} of a module is deleted, which outlives the call"
            )
        self.tracer.effects.sure_of(o, name)
        self.tracer.journal.record(o, name, "attribute", name, self.tracer.span())
        delattr(o, name)

    def item(self, o: Any, key: Any) -> Any:
        """o[key] of an object that is no Proxy."""
        if gate_of(o) is not None:
            return self.tracer.gates.resolve(o, lambda side: self.item(side, key))
        if type(key) is Gated:
            return self.tracer.gates.resolve(key, lambda side: self.item(o, side))
        if isinstance(key, Unusable):
            raise key.error
        key = settled(self.tracer, key)
        if type(o) is OpenList:
            return self.tracer.truths.placed(operator.getitem, o, key)
        if isinstance(o, HostProxy):
            return self.tracer.host_values.host_getitem(o, key)
        if type(o) is list and o and type(o[0]) is Growing:
            return known_item(o, key)
        if holds_rows(o) and known_place(o, key):
            return o[key]
        rows = rows_of(o)
        if type(rows) is ListedItems:
            return self._cut(o, rows.cut(self.tracer, key)) if type(key) is slice else rows.item(self.tracer, key)
        if type(rows) is Proxy:
            found = self.tracer.views.getitem(rows, key)
            return self._cut(o, StackedRows(found, o[0].kind)) if isinstance(key, slice) else found
        if self.tracer.arrays.array_owner(o) is not None:
            held = self.tracer.arrays.array_proxy(o)
            return self.tracer.gates.at(key, lambda side: self.tracer.views.getitem(held, side))
        method = getattr(type(o), "__getitem__", None)
        if isinstance(method, types.FunctionType) and (enterable(method) or not open_place(o, key)):
            found = self.tracer.calls.call(method, (o, key), {})
        elif open_place(o, key):
            return picked(self.tracer, o, key)
        elif hasattr(type(o), "__missing__") and key not in o:
            found = self._missing(o, key)
        else:
            self.tracer.effects.asks(o, key)
            if type(key) in PLAIN_KEYS and type(key) is not slice:
                found = on_fixed(self.tracer, lambda: o[key])
            else:
                found = self._at(o, key)
            if type(found) is Gated:
                found = self.tracer.gates.read(found)
            self.tracer.effects.is_there(o, key)
            if type(key) is slice and self.tracer.record.is_shape(o):
                self.tracer.record.tell_shape(found)
        if self.tracer.arrays.array_owner(found) is not None:
            at = len(o) + key if type(o) is list and key < 0 else key
            place = (id(self.tracer.journal.tables.owner(o)), at) if type(key) in PLAIN_KEYS else None
            return self.tracer.arrays.array_proxy(found, key if isinstance(key, str) else "constant", place)
        return self.tracer.repeated.meets(found, o)

    def _cut(self, o: Any, part: Any) -> Any:
        """A slice of a list or tuple whose items one value stands for."""
        return self.tracer.journal.made.note(type(o)((part,)))

    def _at(self, o: Any, key: Any) -> Any:
        """o[key], where Python may ask the key for its hash or its number."""
        if not isinstance(o, dict) and (at := self.tracer.overloading.position(key)) is not key:
            return self.item(o, at)
        if type(key) is slice:
            found = self.tracer.native_methods.run((key.start, key.stop, key.step), lambda: o[key])
            return self.tracer.journal.made.note(found) if type(o) is list else found
        self.tracer.repeated.gives(operator.getitem, key)
        return self.tracer.native_methods.run((key, *o) if isinstance(o, dict) else (key,), lambda: o[key])

    def _missing(self, o: Any, key: Any) -> Any:
        """o[key] of a dictionary that has a way of its own with keys that are not there."""
        own = type(o).__missing__
        if isinstance(own, types.FunctionType):
            return self.tracer.calls.call(own, (o, key), {})
        if not isinstance(o, defaultdict) or o.default_factory is None:
            return o[key]
        made = self.tracer.calls.call(o.default_factory, (), {})
        if self.tracer.stack and not holds_open(made):
            self.tracer.effects.made_default(o, key, made)
        else:
            self.set_item(o, key, made)
        return made

    def set_item(self, o: Any, key: Any, value: Any) -> None:
        """o[key] = value."""
        if self.tracer.arrays.array_owner(o) is not None:
            o = self.tracer.arrays.array_proxy(o)
        if isinstance(o, Proxy):
            self.tracer.gates.at(key, lambda side: self.tracer.views.setitem(o, side, value))
            return
        if isinstance(o, HostProxy):
            raise cannot(self.tracer, o, "{} does not support item assignment")
        if type(o) is OpenList:
            self.tracer.truths.placed(operator.setitem, o, key, value)
            return
        method = getattr(type(o), "__setitem__", None)
        if isinstance(method, types.FunctionType):
            self.tracer.calls.call(method, (o, key, value), {})
            return
        key = settled(self.tracer, key)
        if type(o) is list and weak_kind(key) == "int" and keeps_places(self.tracer, o):
            list_method(self.tracer, o, o.__setitem__, (key, value), {})
            return
        listed(self.tracer, o, "write to an item of")
        if type(o) is not tuple and open_place(o, key):
            replaced(self.tracer, o, key, value)
            return
        if isinstance(key, slice):
            value = self.tracer.iteration.drained(value)
        if isinstance(o, (list, dict)) and not isinstance(key, slice):
            if isinstance(o, list):
                key = self.tracer.overloading.position(key)
            at = key if not isinstance(o, list) or key >= 0 else len(o) + key
            self.tracer.journal.links.write(o, lambda each: self._put(each, at, key, value))
            return
        self.tracer.effects.writes(o)
        o[key] = value
        self.tracer.effects.is_there(o, key)

    def _put(self, o: Any, at: Any, key: Any, value: Any) -> None:
        """o[key] = value of a list or dictionary, of which `at` is the place."""
        if remembers(self.tracer.site, o, value):
            o[key] = value
            return
        self.tracer.journal.record(o, at, "item", str(key), self.tracer.span(), everywhere=True)
        if type(key) not in PLAIN_KEYS:
            self.tracer.native_methods.run((key, *o), lambda: o.__setitem__(key, value))
            return
        o[key] = value
        self.tracer.effects.is_there(o, key)

    def delete_item(self, o: Any, key: Any) -> None:
        """del o[key]."""
        own = self.tracer.overloading.own_method(o, "__delitem__")
        if own is not None:
            self.tracer.calls.call(own, (o, key), {})
            return
        if isinstance(o, HostProxy):
            raise cannot(self.tracer, o, "{} does not support item deletion")
        if type(o) is list and weak_kind(key) == "int" and keeps_places(self.tracer, o):
            list_method(self.tracer, o, o.__delitem__, (key,), {})
            return
        listed(self.tracer, o, "delete from")
        if isinstance(o, dict):
            self.tracer.effects.sure_of(o, key)
        self.tracer.effects.writes(o)
        del o[key]

    # ------------------------------------------------------------------ rows and modules
    def stacked(self, items: list[Any]) -> Any:
        """What stacking a list gives: a staged loop's rows, or the stack of its tensors."""
        rows = rows_of(items)
        if rows is not items:
            return rows
        backend = next((i.backend for i in items if isinstance(i, Proxy)), self.tracer.backend)
        return self.tracer.wrap(ops.stack([self.tracer.unwrap(i) for i in items]), backend)

    def apply_module(self, lift: Lift, view: Any, args: tuple, kwargs: dict, backend: Any) -> Any:
        """Apply a module's row."""
        values = None if kwargs else single_values(args)
        named: dict[str, Any] = {}
        if values is None:
            again = lambda args, kwargs: self.apply_module(lift, view, args, kwargs, backend)
            found = self.tracer.truths.forked(lift, args, kwargs, again, 1)
            if found is not NotImplemented:
                return found
            values = [self.tracer.unwrap(as_lists(a)) for a in args]
            named = {k: self.tracer.unwrap(as_lists(v)) for k, v in kwargs.items()}
        before = self.tracer.graph.last
        result = lift.fn(view, *values, **named)
        subject = args[0] if args and type(args[0]) is Proxy else None
        if subject is not None and callable(lift.writes) and lift.writes(view, *values, **named):
            self.tracer.views.wrote(result, values[0], before)
            subject.write(result)
            return subject
        if subject is not None and result is values[0] and lift.copies != "maybe":
            return subject
        wrapped = self.tracer.wrap(result, backend)
        if lift.rows:
            self.tracer.assumed.laid.gives(lift, result)
        if subject is not None and backend.views:
            self.tracer.views.link(subject, values[0], wrapped, lift.name if lift.copies == "maybe" else "")
        return wrapped
