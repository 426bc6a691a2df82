"""What a captured function returns, as a tree that a graph can hold, and back as the object that the function made."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.edited import put
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.fields import contents, fixed_fields, record_fields
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import lookup
from gfx_ir.param_tree import flatten, nest
from gfx_ir.records import RESULT, Record, is_record
from gfx_ir.trees import leaves, tree_map

from ..control.state import same_data
from ..heap.aliases import memory, mutable
from ..heap.chains import read_again
from ..heap.contents import attributes_of, only_attributes, row_of
from ..interfaces import Capturing
from ..python.devices import fixed_device, is_device
from ..python.iteration import is_iterator
from ..python.listed import ListedItems, numbers
from ..python.open_iterables import OpenRange
from ..python.rows import Lazy, rows_of
from ..python.sequences import OpenList, as_list
from ..rewrite.packages import framework
from ..values.by_ops import ByOps
from ..values.equations import is_tensor
from ..values.gated import Gated, gate_of
from ..values.nest import branches
from ..values.number_rows import rows_kind
from ..values.open_keys import KeyWanted
from ..values.proxy import HostProxy, Proxy, Unusable, is_open

Made = tuple[Any, Callable[[Any], Any] | None]


class Results:
    """The results of a capture."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self.returned: dict[
            str, str
        ] = {}  # where the result has a given one: its path in the result, by that in the arguments
        self._seen: set[int] = set()  # ids of those that are part of the result
        self._path = [RESULT]
        self._place: list[int] | None = []  # the positions that lead there; None: they are not told
        self._met: Any = None  # where what stands there is held, in an object that outlives the call
        self.shared: dict[tuple[int, ...], list[Proxy]] = {}  # whose memory tensors of the result have, or may have
        self.records: dict[str, Record] = {}
        self._by_ops = ByOps(tracer.record)
        self._points: dict[tuple[Graph, Value], Any] = {}

    def tree(self, result: Any) -> Made:
        """(tree of Values and constants, how to make the function's own container of it: None where the tree is one already)."""
        tracer, kind = self.tracer, type(result)
        if is_open(result):
            taken = type(result) is HostProxy and result.taken
            self._share(result)
            return (tracer.host("tuple", result.value) if taken else self._point(result)), None
        if kind in (int, float, bool, complex, str, type(None)):
            return result, None
        if tracer.backend is not None and tracer.backend.is_structure(result):
            return None, lambda _: result
        if type(result) is OpenList:
            return as_list(tracer, result), None
        if isinstance(result, Unusable):
            raise result.error
        if (gated := gate_of(result)) is not None:
            joined = tracer.gates.resolve(gated, lambda side: _plain(side))
            return (self._either(gated), None) if type(joined) is Gated else self.tree(joined)
        if kind in (list, tuple) and (rows := rows_of(result)) is not result:
            self._share(rows)
            return self._rows(kind, rows)
        if tracer.arrays.array_owner(result) is not None:
            return self.tree(tracer.arrays.array_proxy(result, place=self._met))
        if dataclasses.is_dataclass(result) and not isinstance(result, type):
            return self._fields(result, _fields(result))
        if isinstance(result, dict):
            tracer.effects.sure_of(result)
            return self._items(dict(result), None if kind is dict else kind, result)
        if isinstance(result, (tuple, list)):
            if hasattr(result, "_fields") and not framework(kind.__module__):
                self._record(kind, result._fields)
            parts = [self._part(at, item, at, result) for at, item in enumerate(result)]
            tree = [p[0] for p in parts]
            named = kind if hasattr(result, "_fields") else None
            rebuild = _rebuilder([p[1] for p in parts], named._make if named else kind)
            return (tree if kind is list else tuple(tree)), rebuild if named or any(p[1] for p in parts) else None
        if self._is_own(result) and only_attributes(kind):
            return self._attributes(result)
        if (fields := record_fields(result)) is not None:
            return self._fields(result, fields)
        left = type(result) is OpenRange or is_iterator(result) or isinstance(result, type)
        found = result if left else tracer.unwrap(result)
        if found is not result:
            return found, None
        return self._registered(result)

    def _point(self, result: Any) -> Any:
        """What stands for a result. NumPy's arrays without axes are no numbers of its own: where the ops do not tell which of the two
        the author has, another one does, where tests choose on the way that ends with it."""
        value, graph = read_again(result), self.tracer.graph
        if type(result) is not Proxy or result.backend is None or not result.backend.numbers or not is_tensor(value):
            return value
        if (graph, value) not in self._points:
            for region, at in self._by_ops.mixed_numbers(value):
                number = put(region, None, "getitem", region.result[at], ())
                region.result = (*region.result[:at], number, *region.result[at + 1 :])
            lacks = self._by_ops.lacks_array(value), self._by_ops.lacks_number(value)
            made = ops.as_tensor(value) if lacks[0] else ops.getitem(value, ()) if lacks[1] else value
            self._points[graph, value] = made
        return self._points[graph, value]

    def _share(self, result: Any) -> None:
        """Note whose memory a tensor has that stands at this place."""
        if self._place is not None and mutable(result):
            self.shared.setdefault(tuple(self._place), []).extend(memory(result))

    def _registered(self, result: Any) -> Made:
        """An object that the framework takes apart as a tree, as a dictionary by the paths of its leaves."""
        apart = contents(result)
        if apart is not None:
            tree, again = self.tree(apart[0])
            return tree, lambda built: apart[1](again(built) if again else built)
        owner = self.tracer.backend
        pairs = [] if owner is None else owner.paths(result)
        names = [".".join(map(str, path)) for path, _ in pairs]
        if owner is None or "" in names or not names or len(set(names)) < len(names):
            raise self._refused(result)
        place, self._place = self._place, None
        parts = [self.tree(leaf) for _, leaf in pairs]
        self._place = place
        _, again = owner.flatten(result)

        def rebuild(built: Any) -> Any:
            held = flatten(built)
            return again([part[1](held[name]) if part[1] else held[name] for name, part in zip(names, parts)])

        return nest({name: part[0] for name, part in zip(names, parts)}), rebuild

    def _part(self, key: Any, item: Any, at: int, holder: Any = None) -> Made:
        """The tree of what a container holds under a key, which is the part at this position of its own tree."""
        place, met, journal = self._place, self._met, self.tracer.journal
        self._path.append(str(key))
        self._place = None if place is None else [*place, at]
        self._met = None if holder is None or journal.made.since(holder) else (id(journal.tables.owner(holder)), key)
        try:
            return self.tree(item)
        finally:
            self._path.pop()
            self._place, self._met = place, met

    def _record(self, kind: type, fields: Iterable[str]) -> None:
        """Note that the tree at this place stands for an object of named fields."""
        named = tuple(fields)
        if is_record(kind.__name__, named):
            self.records[".".join(self._path)] = Record(kind.__name__, named)

    def _fields(self, result: Any, fields: dict[str, Any]) -> Made:
        """An object of named fields; what no graph holds, or the framework counts to its class, and hangs on nothing that is computed, is the
        same object in each call."""
        kind, fixed = type(result), fixed_fields(result)
        kept = {
            name: held for name, held in fields.items() if (name in fixed or _holds_code(held)) and self._is_fixed(held)
        }
        left = {name: held for name, held in fields.items() if name not in kept}
        self._record(kind, left)
        by_name = kind.__init__ is not object.__init__ and _takes(kind, set(fields))

        def make(items: dict[str, Any]) -> Any:
            found = {name: kept.get(name, items.get(name)) for name in fields}
            if by_name:
                return kind(**found)
            made: Any = object.__new__(kind)
            for name, item in found.items():
                object.__setattr__(made, name, item)
            return made

        return self._items(left, make)

    def _is_fixed(self, held: Any) -> bool:
        """Whether an object holds nothing that captured code computed."""
        owner = self.tracer.backend
        leaves_of_it = [held] if owner is None else owner.flatten(held)[0]
        return not any(is_open(leaf) or self.tracer.arrays.array_owner(leaf) is not None for leaf in leaves_of_it)

    def _refused(self, result: Any) -> UnsupportedConstruct:
        kind = type(result)
        name = "range" if kind is OpenRange else (result.kind if isinstance(result, Lazy) else kind).__name__
        return UnsupportedConstruct(
            f"GFX cannot return a {name} from captured code",
            self.tracer.span(),
            "return tensors, numbers, and tuples, lists or dicts of them",
        )

    def _either(self, gated: Gated) -> Value:
        """What an open host test returns, where its sides differ in structure: one value, which is a whole tree on each side."""
        tracer = self.tracer
        test, sides = tracer.local(gated.test), []
        for at, name in enumerate(("then", "else")):
            with tracer.region(name) as (graph, captures), tracer.facts.given(test, at == 0):
                tree, rebuild = self.tree(tracer.gates.imported(gated.test, gated.sides[at]))
                if rebuild is not None or gated.test.is_tensor:
                    what = "GFX cannot return containers of different kinds from the sides of this test"
                    raise tracer.error(what, "return tuples, lists or dicts of tensors and numbers")
                graph.result = (tree_map(tracer._local, tree),)
            sides.append((graph, captures))
        operands = tracer.outer_operands(sides)
        node = Node(lookup("host_if"), (test, operands), ("any",), tracer.span(), tuple(graph for graph, _ in sides))
        tracer.append(node)
        return node.value

    def _rows(self, kind: type, rows: Proxy | ListedItems) -> Made:
        """A list or tuple of the rows of one tensor: where these stand for numbers, it holds one for each row."""
        tracer = self.tracer
        number = "" if isinstance(rows, ListedItems) else rows_kind(rows)
        if number and isinstance(tracer.host_values.length(rows), int):
            return self.tree(kind(rows))
        if not isinstance(rows, ListedItems) and not number:
            return tracer.host(kind.__name__, rows.read()), None
        found = (rows.rows if isinstance(rows, ListedItems) else numbers(tracer, rows, number)).read()
        return found if kind is list else tracer.host("tuple", found), None

    def _items(self, items: dict, make: Any, holder: Any = None) -> Made:
        parts = {key: self._part(key, item, at, holder) for at, (key, item) in enumerate(items.items())}
        tree = {key: p[0] for key, p in parts.items()}
        if make is None and not any(p[1] for p in parts.values()):
            return tree, None

        def rebuild(built: dict) -> Any:
            inner = {k: (parts[k][1](v) if parts[k][1] else v) for k, v in built.items()}  # type: ignore[misc]
            return make(inner) if make is not None else inner

        return tree, rebuild

    def _attributes(self, result: Any) -> Made:
        """An object that the code made, as a dictionary of those attributes that hang on what it computed; the others are what they
        are in each call."""
        if id(result) in self._seen:
            what = f"GFX cannot return a {type(result).__name__} in two places of one result"
            raise UnsupportedConstruct(what, self.tracer.span(), "return its tensors")
        self._seen.add(id(result))
        if id(result) in self.tracer.given_objects:
            self.returned[self.tracer.given_objects[id(result)][0]] = ".".join(self._path)
        kind, parts, fixed = type(result), dict[str, Made](), dict[str, Made]()
        for name, held in attributes_of(result).items():
            replaced = self._replaced(result, name, held)
            part = self._part(name, held, len(parts)) if replaced else self._attribute(name, held, len(parts))
            varies = replaced or any(type(leaf) is Value for leaf in leaves(part[0]))
            if not varies:
                self._check_kept(result, name, held)
            (parts if varies else fixed)[name] = part

        here = ".".join(self._path)
        gone = tuple(f"{here}.{name}." for name in fixed)
        self.records = {path: held for path, held in self.records.items() if not f"{path}.".startswith(gone)}
        self._record(kind, parts)

        def rebuild(built: dict) -> Any:
            made = object.__new__(kind)
            for name, (tree, again) in fixed.items():
                attributes_of(made)[name] = again(tree) if again else tree_map(lambda leaf: leaf, tree)
            for name, (_, again) in parts.items():
                attributes_of(made)[name] = again(built[name]) if again else built[name]
            return made

        return {name: tree for name, (tree, _) in parts.items()}, rebuild

    def _replaced(self, result: Any, name: str, held: Any) -> bool:
        """Whether an attribute of an object that the code was given is by now other plain data."""
        given = self.tracer.given_objects.get(id(result))
        return given is not None and _is_plain(held) and not (name in given[1] and same_data(given[1][name], held))

    def _check_kept(self, result: Any, name: str, held: Any) -> None:
        """No result has an object: raises UnsupportedConstruct where one stands in place of the plain data that was given."""
        given = self.tracer.given_objects.get(id(result))
        if given is not None and not _is_plain(held) and _is_plain(given[1].get(name)):
            what = f"GFX cannot return the {type(result).__name__} it was given: the code sets {name!r} to a {type(held).__name__}"
            raise UnsupportedConstruct(what, self.tracer.span(), f"set {name!r} before the capture")

    def _is_own(self, x: Any) -> bool:
        """Whether the code made an object, or was given it."""
        return self.tracer.journal.made.since(x) or id(x) in self.tracer.given_objects

    def counted(self) -> None:
        """Raises KeyWanted where the code has counted in a number of an object that it was given, and gives back."""
        given = self.tracer.given_objects
        for slot in self.tracer.journal.frames[0].values():
            path = given[id(slot.object)][0] if slot.kind == "attribute" and id(slot.object) in given else None
            if path in self.returned and type(slot.old) in (int, float):
                value = slot.get()
                if is_open(value) or (type(value) is type(slot.old) and value != slot.old):
                    raise KeyWanted(path, slot.key)

    def _attribute(self, name: str, held: Any, at: int) -> Made:
        """An attribute of such an object; one from outside is the same object in each call."""
        if is_device(held):
            held = fixed_device(self.tracer, held)
        own = self._is_own(held)
        if not own and self.tracer.arrays.array_owner(held) is None and _is_shared(held):
            return None, lambda built: held
        return self._part(name, held, at)


_DATA = frozenset((bool, int, float, complex, str, type(None)))


def _is_plain(x: Any) -> bool:
    """Whether something is Python's own data, in containers or not."""
    if type(x) in (list, tuple):
        return all(map(_is_plain, x))
    return all(map(_is_plain, x.values())) if type(x) is dict else type(x) in _DATA


def _holds_code(x: Any) -> bool:
    """Whether something is called, or a container of what is: the transformation of an optimizer is a tuple of two functions."""
    return callable(x) or any(_holds_code(item) for _, item in branches(x) or ())


def _takes(kind: type, names: set[str]) -> bool:
    """Whether a class makes an object of these, by name: a model output has fields that are left at None."""
    parameters = inspect.signature(kind).parameters
    required = {name for name, held in parameters.items() if held.default is held.empty}
    return required <= names <= set(parameters)


_FIXED = (type, types.BuiltinFunctionType, enum.Enum, np.dtype)
_HOLDS_OTHERS = 1 << 14  # Py_TPFLAGS_HAVE_GC


def _is_shared(x: Any) -> bool:
    """Whether something that was not written while captured code ran is the same in each call, and holds nothing of a call's own."""
    kind = type(x)
    if isinstance(x, types.FunctionType):
        return x.__closure__ is None
    single = row_of(kind) is None and not kind.__flags__ & _HOLDS_OTHERS
    return single or isinstance(x, _FIXED) or only_attributes(kind)


def _plain(side: Any) -> Any:
    """A side's container as one that joins by structure."""
    return _fields(side) if dataclasses.is_dataclass(side) and not isinstance(side, type) else side


def _fields(result: Any) -> dict[str, Any]:
    """A dataclass's fields; of a dictionary-like one (a model output) those that are set."""
    if isinstance(result, dict):
        return dict(result.items())
    return {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}


def _rebuilder(parts: list[Any], make: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
    return lambda built: make([p(item) if p else item for p, item in zip(parts, built)])
