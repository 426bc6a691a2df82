"""What a value's dtype hangs on, where it is not known: the arguments that it has it from, and the lowest that it can be.

Questions beside those of the record, which they ask: each value answers once, and no chain of values is too deep.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from gfx_ir import dtypes
from gfx_ir.control import is_given, is_loop, is_parameter
from gfx_ir.dtypes import DType, holds
from gfx_ir.graph import Node, Value, values_in
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.infer.elements import named
from gfx_ir.infer.origins import POSITIONS
from gfx_ir.infer.shape_rules import Call
from gfx_ir.infer.shaped import Shaping, shaping
from gfx_ir.op import Trait
from gfx_ir.promotion import as_type, mixes_kinds
from gfx_ir.rules import RAISED, UNKNOWN
from gfx_ir.trees import BRANCHES, is_constant, leaves, tree_map
from gfx_ir.types import LogicalTensor

from .equations import is_tensor
from .record import Record

Names = frozenset[str]
Ends = frozenset[str | DType]
"""Arguments by their names, and dtypes that ops are told."""
_BOOLEAN, _FLOATING = LogicalTensor(dtypes.bool_), LogicalTensor(dtypes.float32)
Dtypes = tuple[DType | None, ...]
"""A value's dtypes, for each of PROBES that the arguments have; None: it is not told."""
PROBES = tuple(dtypes.DTYPES[name] for name in ("bool", "uint8", "int64", "float32", "complex64", "float64"))
"""A dtype of each kind, the lowest first, and behind them a second one of floats."""
_FLOATS = tuple(at for at, dtype in enumerate(PROBES) if dtype.kind == "f")
_NUMBERS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}


def higher(a: DType, b: DType) -> DType:
    """The dtype of the higher kind."""
    return a if holds(a, b) else b


def _lower(a: DType, b: DType) -> DType:
    return b if holds(a, b) else a


def _filled(value: Value) -> tuple:
    """What each trip of a loop puts into the list of rows that a value is; () for another value."""
    node, at = value.node, value.index - 1
    return node.regions[-1].result[at : at + 1] if is_loop(node) and at >= len(node.arg("init")) else ()


class DtypeSources:
    """The sources of the values of a capture, of whose values the record tells."""

    def __init__(self, record: Record) -> None:
        self._record = record
        told = record.called.get
        self._made_of, self._dims = Question(self._of_arguments, self._only_part), Question(self._told_dims, told)
        self._sources, self._probed = Question(self._named_and_lowest, told), Question(self._named_and_probed, told)
        self._floating, self._shaped = Question(self._is_floating, told), Question(self._shaped_by)
        self.questions = (self._made_of, self._dims, self._sources, self._probed, self._floating)
        self._made: dict[Any, Dtypes] = {}  # what an op gives, by the op and what it is told
        self._root = record.facts.root
        self._mixes = mixes_kinds(record.rules.promotion)

    # ------------------------------------------------------------------ what is asked
    def made_of(self, value: Value) -> Names:
        """The names of the arguments that a value is made of."""
        names: Names = self._made_of.ask(self._root(value))[0]
        return names

    def may_widen(self, base: Value, new: Value) -> bool:
        """Whether what is made of an array and of others may have another dtype, where the arguments are floats of one dtype."""
        before, after = (self._made_of.ask(self._root(value))[1] for value in (base, new))
        if after <= before or all(type(end) is str for end in after):
            return False
        each = [self.probed(value)[1] for value in (base, new)]
        return any(each[0][at] is None or each[0][at] != each[1][at] for at in _FLOATS)

    def of(self, value: Value) -> Names:
        """The names of the arguments whose dtypes a value has, if its own is not known."""
        names: Names = self._sources.ask(self._root(value))[0]
        return names

    def lowest(self, value: Value) -> DType:
        """The dtype that a value has where all these arguments are booleans."""
        dtype: DType = self._sources.ask(self._root(value))[1]
        return dtype

    def probed(self, value: Value) -> tuple[Names, Dtypes]:
        """The names of the arguments of whose dtypes a value's own is made, and what it is where they have each of PROBES."""
        found: tuple[Names, Dtypes] = self._probed.ask(self._root(value))
        return found

    def is_floating(self, value: Value) -> bool:
        """Whether a parameter makes a value one of floating-point numbers, of whichever real ones the arguments are."""
        root = self._root(value)
        found: bool = self._floats(root) or self._floating.ask(root)
        return found

    def own_dims(self, value: Value) -> tuple | None:
        """The dims of a value that its type has, or that the op tells whose elements it has, whatever that is given."""
        dims: tuple | None = self._dims.ask(self._root(value))
        return dims

    def shaped_by(self, value: Value) -> Shaping:
        """The values whose shapes, broadcast against each other, are that of a value."""
        found: Shaping = self._shaped.ask(self._root(value))
        return found

    def given(self, new: Value, dtype_of: Callable[[Value], DType]) -> DType | None:
        """The dtype that an op gives where its tensors have these; None where that is not told."""
        record = self._record

        def typed(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            kind = record.weak(leaf) if leaf.is_tensor else leaf.kind
            if kind in _NUMBERS:
                return as_type(_NUMBERS[kind], record.rules.promotion)
            return LogicalTensor(record.dtype(leaf) or dtype_of(leaf)) if leaf.is_tensor else leaf

        made = self._inferred(new, tree_map(typed, new.node.args))
        return None if made is None else made.dtype

    # ------------------------------------------------------------------ rules
    def _only_part(self, value: Value) -> Value | None:
        """The one tensor that a value is made of, parameters apart, where the op is told no dtype."""
        record, only = self._record, None
        if value in record.called:
            return record.called[value]
        if "dtype" in value.node.op.params:
            return None
        plain = not value.node.regions and value not in record.begins
        for part in value.node.args if plain else self._parts(value):
            kind = type(part)
            if kind is Value:
                if not is_parameter(part.node) and part.is_tensor:
                    part = self._root(part)
                    if not is_parameter(part.node):
                        if only is not None:
                            return None
                        only = part
            elif kind in BRANCHES and not is_constant(part):
                return None
        return only

    def _of_arguments(self, value: Value) -> Rule:
        """The arguments, and of these and the dtypes that ops are told those that may have a part in its own."""
        given = self._record.given(value)
        if given is not None and given.dtype is not None and not given.weak:  # whatever the arguments have
            return Names(), Ends((given.dtype,))
        node, names = value.node, self._own_name(value)
        told, ends = named(node), Ends(names)
        row = self._record.rows_of.get(value)
        for part in self._parts(value) if row is None else [self._root(row)]:
            found = yield self._made_of, part
            names, ends = names | found[0], ends | found[1]
        return names, Ends((told,)) if type(told) is DType else ends

    def _named_and_lowest(self, value: Value) -> Rule:
        dtype = (yield self._record.element, value).dtype
        if dtype is not None:
            return Names(), dtype
        names, lowest = self._own_name(value), list[DType]()
        for part in self._parts(value):
            found = yield self._sources, part
            names |= found[0]
            lowest.append(found[1])
        if value in self._record.begins or value.node.regions:
            dtype = reduce(_lower, lowest) if lowest else None
        else:
            dtype = self.given(value, self.lowest)
        return names, dtype or dtypes.bool_

    def _named_and_probed(self, value: Value) -> Rule:
        dtype = (yield self._record.element, value).dtype
        if dtype is not None:
            return Names(), (dtype,) * len(PROBES)
        parts, names, each = self._data(value), self._own_name(value), list[Dtypes]()
        for part in parts:
            found = yield self._probed, part
            names, each = names | found[0], [*each, found[1]]
        if not parts:
            made: Dtypes = PROBES if names else (None,) * len(PROBES)
        elif self._handed_on(value):
            told = [[dtype for dtype in some if dtype is not None] for some in zip(*each)]
            made = tuple([reduce(_lower, some) if some else None for some in told])
        else:
            made = self._by_op(value)
        return Names() if made[0] is not None and made.count(made[0]) == len(made) else names, made

    def _is_floating(self, value: Value) -> Rule:
        """By the op, where its arguments are booleans. What stands nearest is asked first, and no more than it takes."""
        record, node = self._record, value.node
        given = record.given(value)
        if given is not None and given.dtype is not None:
            return given.dtype.kind == "f"
        if is_given(node):
            return is_parameter(node) and (yield record.element, value).dtype.kind == "f"
        if value in record.like or value in record.rows_of:
            return (yield self._floating, self._data(value)[0])
        if node.regions or value in record.begins:
            return False
        floats = self._mixing(node)
        call = Call(node.op, node.args, value.index - 1, self._root)
        types = [_BOOLEAN] * len(call.tensors)
        for part in sorted(self._data(value), key=lambda part: not is_parameter(part.node)):
            if (yield self._floating, part):
                if floats:
                    return True
                types[call.tensors.index(part)] = _FLOATING
                dtype = record.rules.type(call, tuple(types)).dtype
                if dtype is not None and dtype.kind == "f":
                    return True
        return False

    def _floats(self, value: Value) -> bool:
        """Whether that is told at once: by the op, of which one argument is a parameter of floating-point numbers."""
        node = value.node
        if not self._mixing(node) or value in self._record.like:
            return False
        for arg in node.args:
            if type(arg) is Value and arg.is_tensor:
                part = self._root(arg)
                if is_parameter(part.node) and self._record.given(part).dtype.kind == "f":  # type: ignore[union-attr]
                    return True
        return False

    def _mixing(self, node: Node) -> bool:
        """Whether an op gives floating-point numbers where one of its tensors has them."""
        return self._mixes and node.op.traits & Trait.FLOATS != 0 and complex not in map(type, node.args)

    def _shaped_by(self, value: Value) -> Rule:
        if (yield self._dims, value) == ():
            return Shaping()
        parts = None if value in self._record.begins else shaping(value.node)
        if parts is None:
            return Shaping((value,))
        found = Shaping()
        for part in parts:
            found |= yield self._shaped, self._root(part)
        return found

    def _handed_on(self, value: Value) -> bool:
        """Whether a value is one of others, of which no op makes it."""
        record = self._record
        return value in record.begins or value in record.like or value in record.rows_of or bool(value.node.regions)

    def _by_op(self, value: Value) -> Dtypes:
        """The dtypes that an op gives: they hang on those of its tensors, and on what it is told besides."""
        key = value.node.op, value.index, (*map(self._told, leaves(value.node.args)),)
        found = self._made.get(key)
        if found is None:
            each = range(len(PROBES))
            found = tuple(
                [self.given(value, lambda part, at=at: self.probed(part)[1][at] or PROBES[at]) for at in each]
            )  # type: ignore[misc]
            self._made[key] = found
        return found

    def _told(self, leaf: Any) -> Any:
        if type(leaf) is Value:
            weak = self._record.weak(leaf) if leaf.is_tensor else leaf.kind
            return weak or self.probed(leaf)[1]
        return leaf if type(leaf) in (DType, str, bool) else type(leaf)

    def _data(self, value: Value) -> list[Value]:
        """The tensors of whose dtypes its own is made: no indices, no conditions."""
        record, node = self._record, value.node
        before = record.like.get(value) or record.rows_of.get(value)
        if before is not None:
            return [self._root(before)]
        if value in record.begins or node.regions:
            return self._parts(value)
        taken = tuple([arg for name, arg in zip(node.op.params, node.args) if name not in POSITIONS])
        return [] if is_given(node) else [self._root(leaf) for leaf in values_in(taken) if leaf.is_tensor]

    def _told_dims(self, value: Value) -> Rule:
        given = self._record.given(value)
        if given is not None:
            return given.dims
        op = value.node.op
        if op.traits & Trait.ELEMENTWISE:
            tensors = self._parts(value)
            if len(tensors) == 1:
                return (yield self._dims, tensors[0])
        elif op.traits & Trait.SHAPE_OF_FIRST and is_tensor(value.node.args[0]):
            return None  # which tells nothing
        made = self._inferred(
            value, tree_map(lambda x: UNKNOWN if type(x) is Value and x.is_tensor else x, value.node.args)
        )
        return None if made is None else made.dims

    # ------------------------------------------------------------------ what they read
    def _own_name(self, value: Value) -> Names:
        return Names(value.node.args[:1]) if self._record.assumed.is_argument(value) else Names()

    def _parts(self, value: Value) -> list[Value]:
        """The tensors that a value is made of; of what a loop carries, what that begins with, of a test, what its sides leave."""
        record = self._record
        found = value.node.args
        if value in record.begins:
            found = (record.begins[value],)
        elif value.node.regions:
            control = value.node.op.control
            like = None if control is None else control.dtype_like(value.node, value.index - 1)
            found = (like,) if like is not None else tuple(record.sides(value)) or _filled(value) or found
        origin = record.facts.origin
        return [self._root(leaf) if leaf in origin else leaf for leaf in values_in(found) if leaf.is_tensor]

    def _inferred(self, value: Value, args: tuple) -> LogicalTensor | None:
        if value.node.regions or (value.node.op.infer is None and value.node.op.body is None):
            return None
        try:
            made = self._record.rules.infer(value.node.op, args)[value.index - 1]
        except RAISED:
            return None
        return made if isinstance(made, LogicalTensor) else None
