"""The record of a capture: the abstract value of each of its values, by what stands for it outside of all regions.

What an op gives is computed when it is asked for. Told is what no op says: that a value is a number of Python's, what a loop
carries, what a function of the framework gives where its ops may stand for others, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.graph import Value
from gfx_ir.host import Dim
from gfx_ir.infer.abstract import (
    ARRAY,
    DATA,
    NUMBERS,
    TOP,
    UFUNC,
    Abstract,
    Kinds,
    join_all,
    number,
    of_constant,
    tensor,
)
from gfx_ir.infer.shape_rules import ShapeRules
from gfx_ir.infer.transfer import dropped, of_ranks, transfer
from gfx_ir.rules import OPEN, UNKNOWN
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

from .facts import Facts
from .proxy import weak_kind

_SIZE = Dim("n")
_TESTS = frozenset(("cond", "host_if"))


class Record:
    """What is known of each value. `is_argument` and `type_of` tell of placeholders; `promotion`: whose rules hold."""

    def __init__(
        self, facts: Facts, promotion: str, is_argument: Callable[[Any], bool], type_of: Callable[[Value], Any]
    ) -> None:
        self.facts, self.rules, self.is_argument, self.type_of = facts, ShapeRules(promotion), is_argument, type_of
        self.told: dict[Value, str] = {}  # kinds of Python's numbers
        self.known: dict[Value, Abstract] = {}
        self.mixed = False  # whether anything is one of several, so that asking is worth it
        self.filled = False  # whether a list stands as one tensor of rows, so that looking for one is worth it
        self.like: dict[Value, Value] = {}  # what was written in place, and what was there before
        self.begins: dict[Value, Any] = {}  # what a loop carries, and what it begins with
        self.rows_of: dict[Value, Value] = {}  # what the items of a loop under construction are rows of
        self.row_kinds: dict[Value, str] = {}  # tensors whose rows stand for numbers of Python's, and the kind of these

    # ------------------------------------------------------------------ what is told
    def tell(self, value: Any, kind: str) -> None:
        """Note that a value is a number of Python's of this kind; "": it is none."""
        if type(value) is not Value:
            return
        root = self.facts.root(value)
        if kind:
            self.told[root] = kind
            self.known.pop(root, None)
        elif self.told.pop(root, ""):
            self.known.pop(root, None)

    def put(self, value: Value, what: Abstract) -> None:
        """Note what a value is, before it is asked for."""
        self.known[self.facts.root(value)] = what

    def mix(self, value: Value, kinds: Kinds = NUMBERS) -> None:
        """Note that a value may be a number of Python's, too: on another way to it, or as another argument."""
        self.mixed = True
        found = self.of(value)
        self.put(value, found.with_(kinds=found.kinds | kinds))

    def spelled(self, value: Value, array: bool) -> None:
        """Note that a function gave a value which gives an array also without axes, or a number there: its ops may not tell."""
        found = self.of(value)
        if found.kinds <= DATA and found.rank in (None, 0) and (array or found.kinds == _EITHER):
            self.put(value, found.with_(kinds=frozenset((ARRAY if array else UFUNC,))))

    def copied(self, old: Value, new: Any) -> None:
        """A value stands for another one, which was made in a region: what is known of that holds of it."""
        kind = self.weak(old)
        if kind and type(new) is Value:
            self.tell(new, kind)

    def tell_rows(self, value: Any, kind: str) -> None:
        """Note that the rows of a tensor stand for numbers of Python's of this kind."""
        if kind:
            self.row_kinds[self.facts.root(value)] = kind

    # ------------------------------------------------------------------ what is asked
    def kind_of_rows(self, value: Value) -> str:
        """The kind of the numbers of Python's that the rows of a tensor stand for, else ""."""
        return self.row_kinds.get(self.facts.root(value), "") if self.row_kinds else ""

    def weak(self, value: Any) -> str:
        """The kind of the number of Python's that a value surely is, else ""."""
        return self.told.get(self.facts.root(value), "") if type(value) is Value else ""

    def may_be_python(self, leaf: Any, value: Any) -> bool:
        """Whether a leaf that holds a value is a number of Python's, or may be one: nothing writes that in place."""
        return bool(weak_kind(leaf)) or (self.mixed and bool(self.of(value).python))

    def of(self, value: Any) -> Abstract:
        """What a value is, as far as the program tells."""
        if type(value) is not Value:
            return of_constant(value)
        known, root = self.known, self.facts.root(value)
        waiting = [root]
        while waiting:
            top = waiting[-1]
            missing = [] if top in known else [part for part in self._parts(top) if part not in known]
            waiting += missing
            if not missing:
                waiting.pop()
                if top not in known:
                    known[top] = self._made(top)
        return known[root]

    def _parts(self, value: Value) -> list[Value]:
        """The values that tell what a value is."""
        node = value.node
        if value in self.told or node.op.name in ("placeholder", "parameter"):
            found: Any = self.rows_of.get(value)
        elif value in self.like:
            found = self.like[value]
        else:
            found = _sides(value) if node.regions else node.args
        return [self.facts.root(leaf) for leaf in leaves(found) if type(leaf) is Value and leaf.is_tensor]

    def _made(self, value: Value) -> Abstract:
        node = value.node
        if value in self.told:
            return number(*([self.told[value]] if self.told[value] in NUMBERS else NUMBERS))
        if value in self.rows_of:
            owner = self.known[self.facts.root(self.rows_of[value])]
            return self._typed(value, of_ranks(_ELEMENT, owner.type.dtype, dropped(owner.terms, 1)))
        if value in self.like:
            return self._typed(value, self.known[self.facts.root(self.like[value])].with_(kinds=_ARRAY, fixed=False))
        if node.op.name in ("placeholder", "parameter"):
            own = frozenset((frozenset(((value, 0),)),)) if self.is_argument(value) else None
            return self._typed(value, tensor(UNKNOWN, own))
        if node.regions:
            return self._typed(value, join_all(map(self._side, _sides(value))) if _sides(value) else _UNKNOWN)
        made = transfer(node.op, tree_map(self._seen, node.args), self.rules)
        return self._typed(value, made[value.index - 1])

    def _seen(self, leaf: Any) -> Any:
        """A leaf of a node's arguments, as transfer takes it."""
        if type(leaf) is not Value:
            return leaf
        if leaf.is_tensor:
            return self.known[self.facts.root(leaf)]
        return _SIZE if leaf.kind == "int" else OPEN

    def _side(self, leaf: Any) -> Abstract:
        """What one side of a test gives."""
        if type(leaf) is not Value:
            return of_constant(leaf)
        if leaf.is_tensor:
            return self.known[self.facts.root(leaf)]
        return number(leaf.kind) if leaf.kind in NUMBERS else TOP

    def _typed(self, value: Value, made: Abstract) -> Abstract:
        """What was made of a value, with the type that it was captured with."""
        known = self.type_of(value)
        if not isinstance(known, LogicalTensor) or known == UNKNOWN:
            return made
        return (
            made.with_(type=known, ranks=None)
            if known.rank is not None
            else made.with_(type=made.type.with_(dtype=known.dtype))
        )


def number_if_given(argument: Value) -> Abstract:
    """What an argument is that was given as a number of NumPy's."""
    return Abstract(_ELEMENT, argument.type or UNKNOWN, frozenset((frozenset(((argument, None),)),)))


def _sides(value: Value) -> list[Any]:
    """What the regions of a test may give as one of its values."""
    node = value.node
    return [region.result[value.index - 1] for region in node.regions] if node.op.name in _TESTS else []


_ARRAY: Kinds = frozenset((ARRAY,))
_ELEMENT: Kinds = frozenset((UFUNC,))
_EITHER = _ARRAY | _ELEMENT
_UNKNOWN = Abstract(DATA)
