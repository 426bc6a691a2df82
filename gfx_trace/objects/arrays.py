"""Arrays that the captured code meets: constants and parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.control import is_parameter
from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.graph import Graph, Value
from gfx_ir.infer.abstract import ARRAY, SCALAR, Abstract
from gfx_ir.op import lookup
from gfx_ir.python_numbers import NUMBER_CLASSES
from gfx_ir.several_keys import Keys, seed_of
from gfx_ir.trees import paths
from gfx_ir.types import LogicalTensor

from ..heap.aliases import CONSTANT
from ..heap.slots import Replaced, Slot
from ..interfaces import Capturing
from ..python.convert import constant_data
from ..python.remembered import Recalled
from ..values.flavour import loaded_frameworks
from ..values.gated import Gated
from ..values.proxy import Proxy, Unusable

_SMALL, _CONSTANT = 16, lookup("constant")
NUMBER = Abstract(frozenset((SCALAR,)))
"""What is known of a number of NumPy's."""
NDARRAY = Abstract(frozenset((ARRAY,)))
"""What is known of an array of NumPy's, also of one without axes."""


class Arrays:
    """The part of the Tracer that knows the arrays which code closes over."""

    _frameworks: list[Backend] | None
    stack: list[tuple[Graph, dict[Value, Value]]]

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self._keys = dict[Value, Value]()  # those of constants
        self._optional = dict[Proxy, Gated]()  # what may be None, by the arrays that it is if it is not

    def frameworks(self) -> list[Backend]:
        """Backends whose arrays and functions may occur in the captured code."""
        found = self.tracer._frameworks
        if found is None:
            found = self.tracer._frameworks = loaded_frameworks()
        return found

    def array_owner(self, x: Any) -> Backend | None:
        """The backend whose array x is, or stands for."""
        kind = type(x)
        if kind is Recalled:
            return x.owner  # type: ignore[no-any-return]
        if kind in self.tracer.owners:
            return self.tracer.owners[kind]
        found = next((backend for backend in self.frameworks() if backend.is_tensor(x)), None)
        self.tracer.owners[kind] = found
        return found

    def is_foreign_number(self, x: Any) -> bool:
        """Whether x is a number of NumPy's in code of another framework, which has none of its own."""
        return isinstance(x, np.generic) and self.tracer.backend is not None and not self.tracer.backend.numbers

    def as_joined(self, x: Any) -> Any:
        """What a test on data or a loop joins with another value: of a number of NumPy's, in code of another framework, an array of its
        dtype, by whose rules it goes on; one that is one of Python's, too, is that."""
        backend = self.tracer.backend
        if backend is None or not self.is_foreign_number(x):
            return x
        number = backend.beside(x) if isinstance(x, NUMBER_CLASSES) else x
        return self.array_proxy(number) if isinstance(number, np.generic) else number

    def arrays_in(self, tree: Any) -> list[tuple[tuple, Any]]:
        """(path, array) pairs of a tree, which one framework may know better than another: a class that is registered with it."""
        seen = [paths(tree), *(known.paths(tree) for known in self.frameworks())]  # plain containers in their own order
        found = [[(path, x) for path, x in pairs if self.is_numbers(x)] for pairs in seen]
        return max(found, key=len, default=[])

    def is_numbers(self, x: Any) -> bool:
        """Whether x is an array, and no key of random numbers: that is a constant."""
        owner = self.array_owner(x)
        return owner is not None and not owner.is_key(x)

    def is_plain_array(self, x: Any) -> bool:
        """Whether x is an array that code may write."""
        return self.is_numbers(x) and not isinstance(x, np.generic)

    def array_proxy(self, x: Any, name: str = "constant", place: Any = None) -> Proxy:
        """The Proxy of an array met during capture: one for each array, so that aliases stay aliases. `place`: where it was met."""
        if type(x) is Gated:  # an array on one side of a test, and another on the other
            return self.tracer.gates.resolve(x, lambda side: side if type(side) is Proxy else self.array_proxy(side))
        at = id(x)
        if place is None:
            self.tracer.met_within.add(at)
        elif self.tracer.places.setdefault(at, place) != place:
            self.tracer.met_twice.add(at)
        found, replaced = self.tracer.known.get(at), self.tracer.replaced.get(at)
        if found is None or _taken_back(found.value):
            owner = self.array_owner(x)
            path = self.tracer.tensor_paths.get(at)
            name = name if replaced is None else replaced.name
            value = self.array_value(x, path or name, owner)
            found = self.tracer.known[at] = Proxy(value, owner)
            if replaced is not None and replaced.number is not None:
                found = self.tracer.known[at] = self._number(value, replaced.number)
            elif path is None and not is_parameter(value.node) and not isinstance(x, np.generic):
                found.base = CONSTANT
            self.tracer.kept.append(x)
        return found if replaced is None or replaced.there is None else self._perhaps(found, replaced)

    def _perhaps(self, array: Proxy, replaced: Replaced) -> Any:
        """What stands where None does until a call sets it: each time the same, of which the code may know that it is there."""
        found = self._optional.get(array)
        if found is None or _taken_back(found.test):
            what = f"GFX cannot convert this use: {replaced.name!r} is None until a call sets it"
            error = UnsupportedConstruct(what, None, "test whether it is None, and set it there")
            test = self.array_proxy(replaced.there).read()
            found = self._optional[array] = Gated(test, array, None, replaced.name, error=error)
        return found

    def _number(self, value: Value, kind: type) -> Any:
        """The number for which an array stands, as the framework of the code reads it there."""
        with self.outermost():
            return self.tracer.calls.call(kind, (Proxy(value, self.tracer.backend),), {})

    def copied(self, x: Any, made: Any) -> None:
        """Note that native code has made a copy of an array."""
        if made is not x:
            self.tracer.known[id(made)] = Proxy(ops.copy(self.array_proxy(x).read()), self.array_owner(x))
            self.tracer.kept.append(made)

    def held_array(self, proxy: Proxy) -> Any:
        """The array that was met during capture and that a Proxy is, as the weight of a module; None for any other."""
        return next((x for x in self.tracer.kept if self.tracer.known.get(id(x)) is proxy), None)

    def has_in_graph(self) -> bool:
        """Whether there are arrays that are no constants wherever the code meets them."""
        if self.tracer.tensor_paths or self.tracer.replaced or not self.tracer.constants:
            return True
        return any(held.version for held in self.tracer.known.values() if type(held) is Proxy)

    def in_graph(self, x: Any) -> Any:
        """What is met, with the parameters that stand in it, or in tuples of it, what calls replace, and what this call, or one before,
        has written in place, as those of the graph: Python's operators go by them."""
        known = self.tracer.known.get(id(x))
        written = known.version if type(known) is Proxy else not self.tracer.constants and self.is_plain_array(x)
        if id(x) in self.tracer.tensor_paths or id(x) in self.tracer.replaced or written:
            return self.array_proxy(x)
        if not self.has_in_graph() or not isinstance(x, tuple) or type(x) is Keys:
            return x
        parts = [self.in_graph(held) for held in x]
        if all(part is held for part, held in zip(parts, x)):
            return x
        return x._make(parts) if hasattr(x, "_make") else type(x)(parts)

    def held_in(self, slot: Slot, value: Any) -> Any:
        """What who reads a slot finds where `value` stands in it."""
        found = slot.found(value)
        if slot.kind not in ("attribute", "item") or self.array_owner(found) is None:
            return found
        return self.array_proxy(found, slot.key if isinstance(slot.key, str) else "constant", slot.place)

    def is_small(self, x: Any) -> bool:
        """Whether an array is a constant where nothing else says that it is a parameter; none is whose framework says that it is trained,
        nor one of several elements whose dtype counts as that of a number does, which no list makes."""
        owner = self.array_owner(x)
        assert owner is not None
        shape = owner.shape_of(x)
        if not self.tracer.constants or owner.trained(x) is True or math.prod(shape) > _SMALL:
            return False
        return not shape or not owner.type_of(x).weak

    def array_value(self, x: Any, path: str, owner: Backend | None = None) -> Value:
        """An array as a parameter, or as a constant node where it is small and belongs to no module."""
        owner = owner or self.array_owner(x)
        if type(x) is Recalled:
            return self.tracer.outermost.add_parameter(x.name, x.type)
        if isinstance(x, Unusable):
            raise x.error
        if owner is None:
            raise CaptureError(f"{type(x).__name__} is no array of an installed backend", self.tracer.span())
        if owner.is_key(x):
            with self.outermost():
                return ops.make_key(seed_of(owner.words_of(x)))
        at, framework = id(x), self.tracer.backend
        own = at in self.tracer.tensor_paths
        if type(x) is np.ndarray and framework is not None and at not in self.tracer.replaced:
            x = x.astype(framework.beside_as(owner.dtype_of(x)).numpy, copy=False)
        if not own and at not in self.tracer.replaced and self.is_small(x):
            data, element = constant_data(owner, x)
            with self.outermost():
                made = ops.as_tensor(data) if owner.type_of(x).weak else ops.constant(data, element)
            if owner.numbers and not isinstance(x, np.generic):
                self.tracer.record.put(made, NDARRAY)
            return made
        return self.parameter(path, x, owner)

    def key_of(self, x: Any) -> Any:
        """What numbers are drawn from: of two words that the code holds, the key that their seed makes, in every region the same."""
        if type(x) is not Value or not x.is_tensor:
            return x
        root = self.tracer.facts.root(x)
        seed = seed_of(root.node.args[0]) if root.node.op is _CONSTANT else None
        if seed is None:
            return x
        found = self._keys.get(root)
        if found is None or _taken_back(found):
            with self.outermost():
                found = self._keys[root] = ops.make_key(seed)
        return found

    def type_of(self, leaf: Any) -> LogicalTensor | None:
        """What is known of the type of a value, or of the data of a parameter; None where it is no tensor."""
        if not isinstance(leaf, Value) or not leaf.is_tensor:
            return None
        if isinstance(leaf.type, LogicalTensor):
            return leaf.type
        data = self.tracer.params.get(leaf.node.args[0]) if is_parameter(leaf.node) else None
        owner = self.array_owner(data) if data is not None else None
        return LogicalTensor() if owner is None else owner.type_of(data)

    @contextmanager
    def outermost(self) -> Iterator[None]:
        """Inside, nodes are added to the captured function's own graph: what is kept for later must be seen from every region."""
        inner = self.tracer.graph, self.tracer.captures, self.tracer.stack
        if self.tracer.stack:
            (self.tracer.graph, self.tracer.captures), self.tracer.stack = self.tracer.stack[0], []
        try:
            yield
        finally:
            self.tracer.graph, self.tracer.captures, self.tracer.stack = inner

    def parameter(self, path: str, x: Any, owner: Backend | None = None) -> Value:
        """The parameter that holds x, named by its path."""
        owner = owner or self.array_owner(x)
        assert owner is not None
        params, unique, count = self.tracer.params, path, 1
        while unique in params and params[unique] is not x:
            unique, count = f"{path}_{count}", count + 1
        if unique not in params:
            type_ = owner.type_of(x) if self.tracer.static_types else None
            params[unique] = x
            value = self.tracer.outermost.add_parameter(unique, type_)
            if isinstance(x, np.generic):
                self.tracer.record.put(value, NUMBER)
            return value
        return self.tracer.outermost.parameters[unique]


def _taken_back(value: Any) -> bool:
    """Whether the node of a value stands in no graph any more: a loop that began with it was given up."""
    return isinstance(value, Value) and value.node.graph is None
