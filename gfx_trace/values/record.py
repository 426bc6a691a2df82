"""The record of a capture: the abstract value of each of its values, by what stands for it outside of all regions.

Its questions are answered when they are asked, each for itself: what Python has there, dtype, rank, and what follows from
constants. Stated is what no op says: that a value is a number of Python's, what a loop carries, what a function of the
framework gives where its ops may stand for others, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gfx_ir import dtypes
from gfx_ir.control import is_placeholder
from gfx_ir.graph import Value
from gfx_ir.infer import transfer
from gfx_ir.infer.abstract import (
    ARRAY,
    ARRAYS,
    DATA,
    ELEMENTS,
    NUMBERS,
    UFUNC,
    Abstract,
    Kinds,
    Ranks,
    of_constant,
    rank_of,
)
from gfx_ir.infer.content import Content
from gfx_ir.infer.number_conditions import SCALARS, SURE, Conditions, at_ranks
from gfx_ir.op import active
from gfx_ir.python_numbers import KINDS
from gfx_ir.python_numbers import OPEN as ANY_KIND
from gfx_ir.rules import UNKNOWN
from gfx_ir.types import LogicalTensor

from .equations import Equations, Given, is_tensor
from .facts import Facts
from .gradient_marks import Mark
from .proxy import weak_kind
from .shape_parts import ShapeParts

_BOOLEAN: Kinds = frozenset(("bool",))


class Record(Equations):
    """What is known of each value. `assumed` and `type_of` tell of placeholders; `promotion`: whose rules hold."""

    def __init__(self, facts: Facts, promotion: str, assumed: Given, type_of: Callable[[Value], Any]) -> None:
        super().__init__(facts, promotion, assumed, type_of)
        self.shape_parts = ShapeParts(self)
        self.mixed = False  # whether anything is one of several, so that asking is worth it
        self.filled = False  # whether a list stands as one tensor of rows, so that looking for one is worth it
        self.row_kinds: dict[Value, str] = {}  # tensors whose rows stand for numbers of Python's, and the kind of these
        self.made_under: dict[Value, Any] = {}  # the gradient mode of a value, where it is not the caller's
        self.recorded: dict[
            Value, bool
        ] = {}  # of which code said that they require gradients, and whether a test decides that
        self.marks: dict[Value, Mark] = {}  # what a gradient mode that is not decided has made of a value
        self.shapes: dict[int, tuple] = {}  # of PyTorch's, by id: they have a text and class of their own

    # ------------------------------------------------------------------ what is stated
    def tell(self, value: Any, kind: str | Kinds) -> None:
        """Note that a value is a number of Python's of this kind, or of one of these; none: it is no number."""
        if type(value) is not Value:
            return
        if kind:
            self._state(
                value, NUMBERS if kind == ANY_KIND else frozenset((kind,)) if type(kind) is str else frozenset(kind)
            )
        elif self.weak(value):
            root = self.facts.root(value)
            del self.stated[root]
            self._forget(root)

    def put(self, value: Value, what: Abstract) -> None:
        """Note what a value is, before it is asked for."""
        root = self._state(value, what.kinds)
        if what.ranks is not None:
            self.ranks.known[root] = what.ranks

    def holds_truth(self, value: Value) -> None:
        """Note that a value is true or false."""
        self.element.known[self.facts.root(value)] = LogicalTensor(dtypes.bool_)

    def mix(self, value: Value, kinds: Kinds = NUMBERS) -> None:
        """Note that a value may be a number of Python's, too: on another way to it, or as another argument."""
        self.mixed = True
        root = self.facts.root(value)
        self.stated[root] = self.kinds.known[root] = self.kinds.ask(root) | kinds

    def spelled(self, value: Value, array: bool) -> None:
        """Note that a function gave a value which gives an array also without axes, or a number there: its ops may not tell."""
        root = self.facts.root(value)
        kinds = self.kinds.ask(root)
        if kinds <= DATA and (array or kinds == ARRAYS | ELEMENTS) and self.rank_of(root) in (None, 0):
            self.stated[root] = self.kinds.known[root] = frozenset((ARRAY if array else UFUNC,))

    def written(self, new: Any, old: Any) -> None:
        """Note that a value, made for this in the region that is open, was written in place of another one."""
        if not (type(new) is Value and type(old) is Value) or new is old or new.uses:
            return
        if new.node.graph is active.builder.graph and not is_placeholder(new.node):
            self.like[new] = old
            self.kinds.known.pop(new, None)
            for question in (self.element, self.ranks, self.rank, self.dims):
                known = question.known
                if new in known and known[new] is not None and known[new] != UNKNOWN:
                    del known[new]  # it was asked of the result, not of the array

    def copied(self, old: Value, new: Any) -> None:
        """A value stands for another one, which was made in a region: what is known of that holds of it."""
        if old in self.called:
            self.called[new] = self.called[old]
        kinds = self.numbers_of(old)
        if kinds and type(new) is Value:
            self.tell(new, kinds)

    def tell_rows(self, value: Any, kind: str) -> None:
        """Note that the rows of a tensor stand for numbers of Python's of this kind."""
        if kind:
            self.row_kinds[self.facts.root(value)] = kind

    def made_in(self, mode: Any, values: Iterable[Value]) -> None:
        """Note the gradient mode in which values were made."""
        self.made_under.update((self.facts.root(value), mode) for value in values)

    def tell_shape(self, shape: tuple) -> None:
        """Note that a tuple is a shape of PyTorch's."""
        self.shapes[id(shape)] = shape

    def _state(self, value: Value, kinds: Kinds) -> Value:
        root = self.facts.root(value)
        self._forget(root)
        self.stated[root] = kinds
        return root

    def _forget(self, root: Value) -> None:
        for question in (self.kinds, self.element, self.ranks, self.rank, self.dims):
            question.known.pop(root, None)

    # ------------------------------------------------------------------ what is asked
    def kind_of_rows(self, value: Value) -> str:
        """The kind of the numbers of Python's that the rows of a tensor stand for, else ""."""
        return self.row_kinds.get(self.facts.root(value), "") if self.row_kinds else ""

    def mode_of(self, value: Value) -> Any:
        """The gradient mode in which a value was made; None: that which the caller has."""
        return self.made_under.get(self.facts.root(value)) if self.made_under else None

    def is_shape(self, x: Any) -> bool:
        """Whether a tuple is a shape of PyTorch's."""
        return type(x) is tuple and self.shapes.get(id(x)) is x

    def weak(self, value: Any) -> str:
        """The kind of the number of Python's that a value surely is, the widest of several; else ""."""
        stated = self.numbers_of(value)
        return "" if not stated else ANY_KIND if stated == NUMBERS else max(stated, key=KINDS.index)

    def may_be_python(self, leaf: Any, value: Any) -> bool:
        """Whether a leaf that holds a value is a number of Python's, or may be one: nothing writes that in place."""
        return bool(weak_kind(leaf)) or (self.mixed and not self.kinds_of(value).isdisjoint(NUMBERS))

    def kinds_of(self, value: Any) -> Kinds:
        """What Python may have there."""
        return self.kinds.ask(self.facts.root(value)) if type(value) is Value else of_constant(value).kinds

    def dtype(self, value: Value) -> dtypes.DType | None:
        """The dtype of a tensor, as far as the ops that made it tell."""
        found: LogicalTensor = self.element.ask(self.facts.root(value))
        return found.dtype

    def is_boolean(self, value: Any, number: bool = False) -> bool:
        """Whether a value is true or false (a boolean of Python's own), as far as the ops that made it tell."""
        if type(value) is not Value:
            return isinstance(value, bool)
        if not value.is_tensor:
            return value.kind == "bool"
        kinds = self.kinds_of(value)
        if kinds and kinds <= NUMBERS:  # Python adds booleans to whole numbers
            return kinds == _BOOLEAN
        if number:
            return False
        dtype = self.dtype(value)
        return dtype is not None and dtype.kind == "b"

    def ranks_of(self, value: Any) -> Ranks | None:
        """The ranks that a value may have, in terms of the arguments'."""
        return self.ranks.ask(self.facts.root(value)) if type(value) is Value else of_constant(value).ranks

    def rank_of(self, value: Any) -> int | None:
        """The rank of a value, where the ops that made it tell, or what the code asked so far."""
        if type(value) is not Value:
            return 0
        found = rank_of(self.rank.ask(self.facts.root(value)))
        return self._settled_rank(value) if found is None and self.facts.ranks else found

    def _settled_rank(self, value: Value) -> int | None:
        """The rank that follows from those that the code settled: of the value itself, or of the arguments that it hangs on."""
        found = self.facts.rank(value)
        if found is not None:
            return found
        possible = set()
        for terms in self.ranks_of(value) or ():
            greatest = 0
            for argument, less in terms:
                rank = 0 if argument is None else self.facts.rank(argument)
                if rank is None or less is None:
                    return None
                greatest = max(greatest, rank - less)
            possible.add(greatest)
        return possible.pop() if len(possible) == 1 else None

    def told_dims(self, value: Value) -> tuple | None:
        """The dims of a tensor, as far as they are known: its own, or as many as the ops tell that made it."""
        found: tuple | None = self.dims.ask(self.facts.root(value))
        rank = self.rank_of(value) if found is None else None
        return found if rank is None else (None,) * rank

    def number_when(self, value: Any) -> Conditions | None:
        """When a value of the graph is a number of NumPy's, or a number of Python's, which is one; None: it is an array."""
        if type(value) is Value and value.kind == "list":
            return None  # its items are arrays, and may be written
        if not is_tensor(value):
            return SURE
        kinds = self.kinds_of(value)
        if kinds <= SCALARS:
            return SURE
        return None if kinds == ARRAYS else at_ranks(kinds, self.ranks_of(value), self.assumed.depths)

    def item_when(self, array: Value, integers: int) -> Conditions | None:
        """When an index of so many integers gives a number."""
        return at_ranks(ELEMENTS, transfer.dropped(self.ranks_of(array), integers), self.assumed.depths)

    def integer_when(self, item: Any, numbers: bool) -> Conditions | None:
        """When an item of an index is one integer. `numbers`: the framework has numbers apart from arrays, which may tell where
        a rank is not known."""
        if self.is_integer(item):
            return SURE
        unknown = numbers and is_tensor(item) and self.rank_of(item) is None
        return self.number_when(item) if unknown and not self.is_boolean(item) else None

    def is_integer(self, item: Any) -> bool:
        """Whether an item of an index is one number, which a tensor may tell."""
        if not isinstance(item, Value):
            return type(item) is int
        return self.rank_of(item) == 0 and not self.is_boolean(item) if item.is_tensor else item.kind == "int"

    def content(self, value: Value) -> Content:
        """What a value holds where that follows from constants and shapes; None where it hangs on data."""
        found: Content = self.contents.ask(self.facts.root(value))
        return found

    def of(self, value: Any) -> Abstract:
        """What Python may have there, and at which ranks."""
        if type(value) is not Value:
            return of_constant(value)
        return Abstract(self.kinds_of(value), ranks=self.ranks_of(value))


def number_if_given(argument: Value) -> Abstract:
    """What an argument is that was given as a number of NumPy's."""
    return Abstract(ELEMENTS, ranks=frozenset((frozenset(((argument, None),)),)))
