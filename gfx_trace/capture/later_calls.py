"""Induction over calls: a capture stands for all of them where one that finds what the first has left computes the same, and leaves the same.

A tensor that hangs on sizes, buffers and weights alone (a table, a mask, a bias that each device has its own of) and that the next call
finds is the one that this call would compute, where it has the same sizes. With other sizes, each greater or less than those now, it is
one of which nothing is known but its type.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gfx_ir.control import is_call, is_given, is_parameter
from gfx_ir.errors import GfxError, UnsupportedConstruct
from gfx_ir.graph import Node, Value, values_in
from gfx_ir.host import Dim, DimLike, Expr, add, sub, substituted
from gfx_ir.infer.gradients import stops
from gfx_ir.keys import constant_key, tree_key
from gfx_ir.passes.effects import Effects
from gfx_ir.passes.fingerprint import region_key
from gfx_ir.program import Program
from gfx_ir.types import LogicalTensor

from ..control.writes import Write
from ..python.remembered import Recalled
from .alike import Capture, T, same, same_arrays, settled
from .prefixes import Prefixes, cut, is_size
from .prepared import may_be_trained, prepared

Sizes = Mapping[DimLike, DimLike]


def as_later_calls(work: Callable[[], T], expanded: Callable[[], T], constants: bool) -> T:
    """What work() gives, if later calls are the same, and set up nothing again, or are with arrays that the first one prepares;
    `expanded` gives it without functions, `constants`: small arrays stand in the graph as such. Raises the refusal of what they find
    otherwise, WrittenConstant where such arrays may be why."""
    first = work()
    refusal = first.left.refusal
    if refusal is None:
        first.left.settle()
        return first
    kept, failed = None, None
    try:
        kept = _same_forever(first, work, expanded)
    except Exception as error:  # a later call may fail in Python, too
        failed = None if isinstance(error, GfxError) else error
    if kept is None:
        later = prepared(first, work, constants)
        if later is None:
            raise refusal from failed
        return later
    _forget(first, kept)
    if any(write.first is not None and type(write.value) is tuple for write in first.slots.values()):
        raise refusal
    first.left.settle()
    return first


def _same_forever(first: T, work: Callable[[], T], expanded: Callable[[], T]) -> set[tuple] | None:
    """The slots whose tensors each call finds or computes again, where later calls are the same as the first; None where they are not."""
    if not any(write.first is not None for write in first.slots.values()):
        with first.left.found({}):
            later = work()
        return set() if settled(first, later) and same(first.program, later.program) else None
    one = expanded() if first.program.functions else first
    left = one.program.entry.result[1]
    refusal = one.left.refusal
    assert refusal is not None
    held = {path: may_be_trained([x]) for path, x in one.program.params.items() if path not in one.program.writes}
    found = [table for path, write in one.slots.items() for table in Table.of(path, left[path], write, refusal, held)]
    kept: set[tuple] = set()
    for at, sizes in enumerate(_others({size for table in found for size in table.sizes})):
        with one.left.found(_recalled(found, sizes)):
            later = expanded()
        wrote = Compared(one, later, found, sizes).wrote()
        if wrote is None or not settled(one, later):
            return None
        first.program.guards += [guard for guard in later.program.guards if guard not in first.program.guards]
        if at == 0:
            kept = {table.slot for table in found} - wrote
    names = {repr(table.write.path): None for table in found if table.trained and table.slot in kept}
    first.notes += [
        f"{name} is computed of the weights in each call, and not kept from the first one" for name in names
    ]
    return kept


def _recalled(tables: Sequence[Table], sizes: Sizes) -> dict[tuple, Any]:
    """What the slots hold after a call with such sizes."""
    parts: dict[tuple, dict[int | None, Any]] = {}
    for table in tables:
        parts.setdefault(table.slot, {})[table.part] = table.recalled(sizes)
    return {slot: held[None] if None in held else tuple(held.values()) for slot, held in parts.items()}


def _others(sizes: set[DimLike]) -> Iterator[Sizes]:
    """The sizes that an earlier call may have had for these of this one: first the same."""
    apart = {size: sub(Dim(f"{size} apart", min=2), 1) for size in sorted(sizes, key=str)}
    for signs in itertools.product((None, add, sub), repeat=len(apart)):
        yield {size: sign(size, by) for (size, by), sign in zip(apart.items(), signs) if sign is not None}


@dataclass(frozen=True)
class Table:
    """A tensor that is computed of sizes and buffers, and kept: in which slot (as which part of a tuple there), what computes it, and the
    sizes that it hangs on."""

    slot: tuple
    part: int | None
    name: str
    value: Value
    write: Write
    sizes: frozenset[DimLike]
    trained: bool  # it hangs on weights that may be, too
    refusal: UnsupportedConstruct

    @classmethod
    def of(
        cls, path: str, left: Any, write: Write, refusal: UnsupportedConstruct, held: Mapping[str, bool]
    ) -> list[Table]:
        """The tables that a call writes to a slot; none where anything else is among them, or their types are not known. `held`:
        parameters that no call writes, and whether they may be trained."""
        parts = list(enumerate(left)) if type(left) is tuple else [(None, left)]
        found = [(part, value, _hangs_on(value, held)) for part, value in parts if type(value) is Value]
        if write.slot is None or len(found) < len(parts):
            return []
        made = [
            cls(write.slot.id, part, f"recalled.{path}.{part}", value, write, *hangs, write.first or refusal)
            for part, value, hangs in found
            if hangs is not None and _is_known(value.type, hangs[0])
        ]
        return made if len(made) == len(parts) else []

    def recalled(self, sizes: Sizes) -> Recalled:
        """What stands for it where it was computed for such sizes."""
        type_ = self.value.type
        assert isinstance(type_, LogicalTensor) and type_.dims is not None
        own = {size: sizes.get(size, size) for size in self.sizes}
        dims = tuple([_with_sizes(dim, own) for dim in type_.dims])
        return Recalled(self.refusal, self.name, type_.with_(dims=dims), self.write.owner)

    @property
    def dims(self) -> Sequence[DimLike | None]:
        """Its sizes in this call."""
        assert isinstance(self.value.type, LogicalTensor) and self.value.type.dims is not None
        return self.value.type.dims

    def hangs_on(self, sizes: Sizes) -> bool:
        return not self.sizes.isdisjoint(sizes)


def _with_sizes(dim: DimLike | None, sizes: Sizes) -> DimLike | None:
    """A size, or one that is computed of sizes, where these are others."""
    if dim is None or dim in sizes:
        return None if dim is None else sizes[dim]
    return substituted(dim, {size: other for size, other in sizes.items() if isinstance(size, Dim)})


def _is_known(type_: Any, sizes: Collection[DimLike]) -> bool:
    """Whether the type of a tensor hangs on these sizes alone."""
    if not isinstance(type_, LogicalTensor) or type_.dtype is None or type_.dims is None:
        return False
    return all(type(_with_sizes(dim, dict.fromkeys(sizes, 1))) is int for dim in type_.dims)


def _hangs_on(value: Value, held: Mapping[str, bool]) -> tuple[frozenset[DimLike], bool] | None:
    """The open sizes that a value is computed of, beside these parameters, and whether some of them may be trained; None where it hangs
    on something else, too, on parameters alone that are not trained (it is prepared once), or on weights that go on being trained while
    it stays, as no gradient comes through it."""
    waiting, seen, found, reads, stopped = [value], {value}, set[DimLike](), set[bool](), False
    while waiting:
        item = waiting.pop()
        if is_size(item) or item.kind == "device":
            found |= {item.type} if isinstance(item.type, (Dim, Expr)) else set()
            continue
        node = item.node
        if is_parameter(node) and node.args[0] in held:
            reads.add(held[node.args[0]])
            continue
        if is_given(node) or is_call(node) or node.regions or node.op.effect:
            return None
        stopped |= stops(node.op)
        parts = [part for part in values_in(node.args) if part not in seen]
        seen.update(parts)
        waiting += parts
    prepared_once = reads == {False} and not found
    return None if prepared_once or (stopped and True in reads) else (frozenset(found), True in reads)


class Compared:
    """Two captures without functions: the first call, and one that finds the tables of an earlier one."""

    def __init__(self, first: Capture, later: Capture, tables: list[Table], sizes: Sizes) -> None:
        self.first, self.later, self.tables, self.sizes = first, later, tables, sizes
        self._numbers: dict[Hashable, int] = {}

    def wrote(self) -> set[tuple] | None:
        """The slots of tables that the later call writes again, if it computes the same as the first and leaves the same tables, of
        one call's sizes; None where it does not."""
        a, b = self.first.program, self.later.program
        if a.functions or b.functions:
            return None
        one, acts = self._numbered(a, {}, {})
        recalled = {table.name: one[table.value] for table in self.tables if not table.hangs_on(self.sizes)}
        closed = [
            table for table in self.tables if table.name not in recalled and Prefixes(table.sizes).closed(table.value)
        ]
        other, others = self._numbered(b, recalled, {table.name: (table.dims, one[table.value]) for table in closed})
        wrote = {write.slot.id for write in self.later.slots.values() if write.slot is not None}
        again = {table.slot for table in self.tables} & wrote
        if acts != others or any(map(partial(self._is_torn, again), self.sizes)):
            return None
        left, leaves_ = _left(self.first, one), _left(self.later, other)
        missing = {table.slot for table in self.tables} - again
        same = leaves_ == {at: number for at, number in left.items() if at not in missing}
        held = {path: x for path, x in a.params.items() if path in b.params}  # what tables alone read is not read again
        return again if same and same_arrays(held, b.params) else None

    def _is_torn(self, again: Collection[tuple], size: DimLike) -> bool:
        """Whether tables that hang on a size are of two calls from here on."""
        return len({table.slot in again for table in self.tables if size in table.sizes}) > 1

    def _numbered(
        self, program: Program, given: Mapping[str, int], closed: Mapping[str, tuple[Sequence[DimLike | None], int]]
    ) -> tuple[dict[Value, int], list[Hashable]]:
        """Numbers of the values of a program, alike for what is computed alike; and what acts, in order, with the result. `closed`: of
        tables whose first rows are those of this call, the sizes that these have, and their number."""
        graph, effects, acts = program.entry, Effects(program), list[Hashable]()
        ends = [*((value.name, value) for value in graph.placeholders), *graph.parameters.items()]
        numbers = {value: given.get(name or "", self._number(("given", name))) for name, value in ends}
        tables = {value: closed[name] for name, value in ends if name is not None and name in closed}
        for node in graph:
            rows = self._first_rows(node, numbers, tables)
            key = self._key(node, numbers) if rows is None else rows
            for value in node.values:
                size = ("size", str(value.type)) if is_size(value) else (key, value.index)
                numbers[value] = rows if type(rows) is int else self._number(size)
            if effects.node(node):
                acts.append(key)
        result = graph.result[0] if program.writes else graph.result
        return numbers, [*acts, _tree(result, numbers)]

    def _first_rows(self, node: Node, numbers: Mapping[Value, int], tables: Mapping[Value, Any]) -> Hashable:
        """What a node reads of a tensor's first rows, which are this call's table or all that there are: the number of these, or a key;
        None of any other node."""
        base = node.args[0] if node.args else None
        if type(base) is not Value or not isinstance(base.type, LogicalTensor) or base.type.dims is None:
            return None
        dims, number = tables.get(base, (base.type.dims, numbers[base]))
        place = cut(node, base.type.dims, dims)
        if place is None:
            return None
        return number if all(part == slice(None) for part in place) else ("rows", number, _tree(place, numbers))

    def _key(self, node: Node, numbers: Mapping[Value, int]) -> Hashable:
        regions = [region_key(region) for region in node.regions]
        return node.op.name, node.in_place, str(node.device), _tree(node.args, numbers), *regions

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def _tree(tree: Any, numbers: Mapping[Value, int]) -> Hashable:
    return tree_key(tree, lambda leaf: ("%", numbers[leaf]) if type(leaf) is Value else constant_key(leaf))


def _left(captured: Capture, numbers: Mapping[Value, int]) -> dict[Any, Any]:
    """What a call leaves, by slot or path."""
    program = captured.program
    written = program.entry.result[1] if program.writes else {}
    places = {path: write.slot.id for path, write in captured.slots.items() if write.slot is not None}
    return {places.get(path, path): _tree(value, numbers) for path, value in written.items()}


def _forget(first: Capture, slots: set[tuple]) -> None:
    """Tables that each call finds or computes again are no state of the program."""
    program, graph = first.program, first.program.entry
    paths = [path for path, write in first.slots.items() if write.slot is not None and write.slot.id in slots]
    if not paths:
        return
    result, state = graph.result
    for path in paths:
        del first.slots[path], state[path]
        program.writes.remove(path)
        before = graph.parameters.get(path)  # an array of other sizes, of which nothing else was asked
        if before is not None and not before.uses:
            del graph.parameters[path], program.params[path]
    graph.result = (result, state) if state else result
