"""Except clauses that wait: what a framework, or Python, may raise when the code runs is for them, and emitted code has none."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gfx_ir import host
from gfx_ir.backend import Backend
from gfx_ir.control import Form, host_operator, is_test
from gfx_ir.dtypes import NUMBERS
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Value
from gfx_ir.op import OpDef, Point, Trait
from gfx_ir.python_numbers import ARITHMETIC
from gfx_ir.rules import infer_at
from gfx_ir.trees import is_constant, leaves, tree_map
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing
from ..values.raised import INSTEAD_OF_CATCHING, INSTEAD_OF_WAITING, gfx_handlers

_PRIMES = (1009, 2027, 4057, 8117, 16249, 32503, 65011, 130027, 260081, 520193, 1040387, 2080777)
"""Sizes that have nothing to do with each other."""
_MIXED = tuple([prime + at % 2 for at, prime in enumerate(_PRIMES)])
"""The same, of which every second one is even."""


class Waiting:
    """The open try statements, outermost first, and what may be raised within them."""

    def __init__(self, tracer: Capturing) -> None:
        self._tracer = tracer
        self.handlers: list[gfx_handlers] = []
        self.of_fixed: Exception | None = None  # what C raised last of what is fixed

    @abstractmethod
    def error(self, error: Any, cause: Any) -> BaseException:
        """What `raise error from cause` raises at capture."""

    def catches(self, error: BaseException, depth: int | None = None, around: int | None = None) -> bool:
        """Whether an except clause around here takes an error; `depth`: of those that stand in this many regions only; `around`:
        of so many outermost ones."""
        return any(
            isinstance(error, handler.kinds())
            for handler in self.handlers[:around]
            if depth is None or handler.depth == depth
        )

    def let_out(self, what: str, error: BaseException) -> None:
        """Raises where an except clause would take an error that may be raised when the code runs: nothing is there to take it then."""
        if self.catches(error):
            text = f"this {what}: it may raise under a traced test, and an except clause around it may catch that"
            raise self._tracer.error(f"GFX cannot convert {text}", INSTEAD_OF_CATCHING)

    def is_open_class(self, x: Any) -> bool:
        """Whether a value may be None, or of one of several classes of Python's, for all that is known here."""
        if type(x) is not Value or x.kind != "any" or host_operator(self._tracer.facts.root(x).node) in ARITHMETIC:
            return False
        return not self._tracer.facts.there(x) or len(self._classes(x)) > 1

    def _classes(self, x: Any) -> set[str]:
        """The classes that a test leaves of a value where it is not None; all numbers are one."""
        if type(x) is not Value:
            return set() if x is None else {"number" if isinstance(x, (int, float, complex)) else type(x).__name__}
        root = self._tracer.facts.root(x)
        if root.kind != "any" or not is_test(root.node):
            return {"number" if root.kind in NUMBERS else root.kind}
        return set().union(*(self._classes(region.result[root.index - 1]) for region in root.node.regions))

    def _of_other_classes(self, op: OpDef, args: tuple) -> bool:
        """Whether a framework may say that it takes no such class: of None or a text where it takes numbers, or where all are
        Python's numbers, of which some frameworks' functions take none."""
        if any(map(self.is_open_class, leaves(args))):
            return True
        if not op.traits & Trait.ELEMENTWISE:
            return False
        arrays, backend = [type(x) is Value and x.is_tensor for x in args], self._tracer.backend
        takes_numbers = backend is None or backend.numbers or not backend.views
        return not (any(arrays) or takes_numbers) or any(map(_is_no_number, args))

    def _is_no_position(self, part: Any) -> bool:
        """Whether a part of an index may be what no framework takes there: a text, or a tensor with axes as the end of a slice."""
        ends = (part.start, part.stop, part.step) if type(part) is slice else ()
        tensors = [end for end in ends if type(end) is Value and end.is_tensor]
        record = self._tracer.record
        return (
            (type(part) is Value and part.kind == "str")
            or any((type(end) is Value and end.kind == "str") for end in ends)
            or any(record.rank_of(end) != 0 for end in tensors)
        )

    @contextmanager
    def under_clauses(self, op: OpDef, args: tuple) -> Iterator[None]:
        """Around the adding of a node: raises where a framework may raise for what an op takes when the code runs, and an except
        clause around would take that; where it does so in any case, as the framework does."""
        if op.traits & Trait.ASKS and "axis" in op.params and self._tracer.record.rank_of(args[0]) is None:
            self.let_out("index", IndexError())
        if self.handlers:
            self.of_framework(f"{op.name}()", *self._faults(op, args))
        if op.index and any(type(part) is slice and type(part.step) is Value for part in _parts(op, args)):
            self.let_out("slice", ValueError())
        if op.index and any(map(self._is_no_position, _parts(op, args))):
            self.let_out("index", TypeError())
        if op.control is None and op.form is Form.PLAIN and self._of_other_classes(op, args):
            self.let_out(f"{op.name}() of what may be of another class", TypeError())
        try:
            yield
        except ShapeError as error:
            raise self._taken(op, args, error) from None

    def _taken(self, op: OpDef, args: tuple, error: ShapeError) -> BaseException:
        """What is raised where an op does not take shapes that are known: the framework's error, where a clause takes that."""
        kinds = self._kinds(self._of_shapes(op, args))
        taken = {kind for kind in kinds if self._goes_on_behind(kind(""))}
        if not taken:
            return error
        if len(taken) == len(kinds):
            return self.error(kinds[0](error.what), None)
        told = f"GFX cannot convert this try: {op.name}() raises here ({error.what}), and it is open whether an except clause takes that"
        return self._tracer.error(told, INSTEAD_OF_WAITING)

    def _kinds(self, reasons: tuple[str, ...]) -> list[type[Exception]]:
        raises = (self._tracer.backend or Backend).raises
        return [kind for why in reasons for kind in raises[why]]

    def waits(self, *reasons: str) -> bool:
        """Whether an except clause takes what the framework may raise, for reasons that stand in `Backend.raises`."""
        return bool(self.handlers) and any(self._goes_on_behind(kind("")) for kind in self._kinds(reasons))

    def of_framework(self, what: str, *reasons: str) -> None:
        """Note that the framework may raise, for reasons that stand in `Backend.raises`."""
        for kind in self._kinds(reasons) if self.handlers else ():
            if self._goes_on_behind(kind("")):
                told = f"GFX cannot convert this try: {what} may raise {kind.__name__} when the code runs, and an except clause waits for it"
                raise self._tracer.error(told, INSTEAD_OF_WAITING)

    def writes(self, new: Any, old: Any) -> None:
        """Note that what an op gives element by element is written in the place of a tensor, which keeps its shape."""
        if not self.handlers or self._tracer.static_types or type(new) is not Value or type(old) is not Value:
            return
        if new.node.op.traits & Trait.ELEMENTWISE and not self._tracer.record.shape_parts.within(new, old):
            self.of_framework("a write in place", "shape")

    def _goes_on_behind(self, error: Exception) -> bool:
        """Whether an except clause takes an error and may not end with one itself."""
        waiting = list(self.handlers)
        while waiting:
            handler = waiting.pop()
            if isinstance(error, handler.kinds()):
                return handler.clause(error) is None or any(None in outer.clauses for outer in waiting)
        return False

    def _faults(self, op: OpDef, args: tuple, waited: bool = True) -> tuple[str, ...]:
        """For what a framework may raise where it computes an op; whether shapes fit is followed up where a clause waits for that, and
        that there may be no elements where one may (`waited`)."""
        if op.effect or op.control is not None:
            return ()
        if op.traits & Trait.OF_ONE:
            return () if self.of_one(args[0]) else ("one",)
        if op.point is Point.PYTHON:  # asked apart
            return ()
        if op.traits & Trait.CHECKS:
            return ("element",)
        open_ = op.index and self._open_positions(_parts(op, args))
        positions, shapes = ("position",) if open_ else (), self._of_shapes(op, args, waited)
        if self._fits(op, args, waited) or (self.waits(*shapes) and self._fits_by_parts(op, args)):
            return positions
        return positions + shapes

    def _open_positions(self, index: tuple) -> bool:
        """Whether an index has positions that are only known when the code runs; the bounds of slices may be any."""
        return any(
            type(leaf) is Value and not self._tracer.record.is_boolean(leaf)
            for item in index
            if type(item) is not slice
            for leaf in leaves(item)
        )

    def _fits(self, op: OpDef, args: tuple, waited: bool) -> bool:
        """Whether an op surely takes the shapes that it is given."""
        if op.takes_any_shape(args) and not op.index and (not waited or self._takes_nothing(op, args)):
            return True
        given = [leaf for leaf in leaves(args) if type(leaf) is Value]
        tensors = [leaf for leaf in given if leaf.is_tensor]
        if self._tracer.static_types:  # what the rule has asked, where it was told all
            types = [getattr(leaf.type, "dims", None) for leaf in tensors]
            numbers = () if op.traits & Trait.ELEMENTWISE else filter(self._tracer.record.numbers_of, given)
            if any(numbers) or any(dims is None or None in dims for dims in types):
                return False
            if waited and self._fills_a_mask(op, args):
                return False
            if len(tensors) < len(given):
                return self._takes_any(op, args)
            return not waited or all(map(is_constant, types)) or self._takes_unlike(op, args, types)
        return (
            bool(op.traits & Trait.ELEMENTWISE) and sum(self._tracer.record.rank_of(leaf) != 0 for leaf in tensors) < 2
        )

    def _fills_a_mask(self, op: OpDef, args: tuple) -> bool:
        """Whether an op writes several elements in the places where a mask holds: only data tell how many these are."""
        record = self._tracer.record
        masks = list(filter(record.is_boolean, leaves(args[1]))) if op.traits & Trait.WRITES_AT else []
        if not masks or type(args[2]) is not Value or self.of_one(args[2]):
            return False
        whole, value, *of_masks = (record.rank_of(x) for x in (args[0], args[2], *masks))
        return whole is None or value is None or None in of_masks or value > whole - sum(filter(None, of_masks))

    def _takes_unlike(self, op: OpDef, args: tuple, types: list) -> bool:
        """Whether an op takes tensors of open sizes where these are as small as they may be, and where no two have to do with each
        other, as far as their bounds let them."""
        dims = list(dict.fromkeys(dim for sizes in types for size in sizes for dim in host.atoms(size)))
        unlike = [
            {dim.name: max(dim.min, min(size, dim.max or size)) for dim, size in zip(dims, sizes)}
            for sizes in (_PRIMES, _MIXED)
        ]
        return self._takes_at(op, args, _smallest) and all(
            self._takes_at(op, args, lambda size, found=found: host.evaluate(size, found)) for found in unlike
        )

    def _takes_any(self, op: OpDef, args: tuple) -> bool:
        """Whether an op takes tensors and sizes of which nothing but expressions of open sizes is known: where these are as small as
        they may be, and where no two of them have to do with each other, and either is the larger one."""
        numbers = [leaf for leaf in leaves(args) if type(leaf) is Value and not leaf.is_tensor]
        if not all(isinstance(leaf.type, (int, host.Dim, host.Expr)) for leaf in numbers):
            return False
        tensors = [leaf for leaf in leaves(args) if type(leaf) is Value and leaf.is_tensor]
        sizes = [*(leaf.type for leaf in numbers), *(size for leaf in tensors for size in leaf.type.dims)]
        dims = list(dict.fromkeys(dim for size in sizes for dim in host.atoms(size)))
        primes = _PRIMES[: len(dims)]
        if len(primes) < len(dims) or any(dim.min > primes[0] or (dim.max or primes[-1]) < primes[-1] for dim in dims):
            return False
        unlike = [dict(zip((dim.name for dim in dims), some)) for some in (primes, primes[::-1])]
        return self._takes_at(op, args, _smallest) and all(
            self._takes_at(op, args, lambda size, found=found: host.evaluate(size, found)) for found in unlike
        )

    def _takes_at(self, op: OpDef, args: tuple, at: Callable[[Any], int]) -> bool:
        """Whether an op takes its arguments where their sizes are these, which may have no such position or part."""

        def told(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            return LogicalTensor(leaf.type.dtype, tuple(map(at, leaf.type.dims))) if leaf.is_tensor else at(leaf.type)

        return self._infers(op, tree_map(told, args))

    def _of_shapes(self, op: OpDef, args: tuple, waited: bool = True) -> tuple[str, ...]:
        """For what a framework raises where the shapes do not fit an op (see `Backend.raises`)."""
        if op.index and op.point is Point.INDEXED:
            return ("position",)
        named = any(name.startswith("axis") for name in op.params)
        several = sum(getattr(leaf, "is_tensor", False) for leaf in leaves(args)) > 1
        fits = named and not several and (not waited or self._takes_nothing(op, args))
        return ("axis",) * named + ("shape",) * (not fits)

    def _takes_nothing(self, op: OpDef, args: tuple) -> bool:
        """Whether an op takes a tensor without elements, of as many axes as it names: data may choose none."""
        nothing = LogicalTensor(None, (0,) * max(_named_axes(op, args) or 1, 1))
        given = [leaf for leaf in leaves(args) if type(leaf) is Value]
        if not given or not all(leaf.is_tensor for leaf in given):
            return not given or bool(op.traits & (Trait.ELEMENTWISE | Trait.SHAPE_OF_FIRST))
        return self._infers(op, tree_map(lambda leaf: nothing if type(leaf) is Value else leaf, args))

    def _infers(self, op: OpDef, args: tuple) -> bool:
        """Whether the shape rule of an op takes these types."""
        try:
            infer_at(op, args, self._tracer.promotion, None)
        except ShapeError:
            return False
        return True

    def _fits_by_parts(self, op: OpDef, args: tuple) -> bool:
        """Whether an op takes the shapes that it is given whatever they are, by what these are made of."""
        given, shapes = [leaf for leaf in leaves(args) if type(leaf) is Value], self._tracer.record.shape_parts
        if op.traits & Trait.ELEMENTWISE:
            return shapes.fit(given)
        if op.traits & Trait.WRITES_AT:
            return shapes.written(*args[:3])
        axes = _axes(op, args) if given == [args[0]] else None
        return axes is not None and shapes.has_axes(given[0], axes)

    def of_one(self, x: Any) -> bool:
        """Whether x is surely a number, or a tensor of one element."""
        if type(x) is not Value or not x.is_tensor or self._tracer.record.rank_of(x) == 0:
            return True
        given = self._tracer.record.given(x)
        return given is not None and given.size() == 1


def _is_no_number(x: Any) -> bool:
    return x.kind == "str" if type(x) is Value else isinstance(x, (str, list, tuple, dict))


def _parts(op: OpDef, args: tuple) -> tuple:
    """What an op takes for each axis that is indexed."""
    index = args[op.params.index(op.index)]
    return index if type(index) is tuple else (index,)


def _smallest(size: Any) -> Any:
    return host.bounds(size)[0]


def _axes(op: OpDef, args: tuple) -> int | None:
    """How many axes an op needs, whatever their sizes, that takes one tensor and names axes of it by numbers; None: it is none such."""
    return _named_axes(op, args) if op.traits & Trait.SHAPE_OF_FIRST else None


def _named_axes(op: OpDef, args: tuple) -> int | None:
    """How many axes a tensor has at least of which an op names some by numbers; None: it names none so."""
    named: list[Any] = list(leaves(args[op.params.index("axis")])) if "axis" in op.params else [None]
    if not all(type(axis) is int for axis in named):
        return None
    return max((axis + 1 if axis >= 0 else -axis for axis in named), default=0)
