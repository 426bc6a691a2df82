"""One leaf that a staged loop carries, and what may be one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import dtypes, ops
from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import NUMBERS, Abstract, join, joined_dims, never_meet
from gfx_ir.infer.abstract import number as number_of_kind
from gfx_ir.op import active
from gfx_ir.python_numbers import NUMBER_CLASSES, OPEN, is_number
from gfx_ir.python_numbers import kind_of as kind_of_number
from gfx_ir.rules import UNKNOWN
from gfx_ir.types import LogicalTensor

from ..heap.slots import Slot
from ..interfaces import Capturing
from ..python.convert import NUMBERS_AND_TEXT, without_class
from ..python.rows import item_called, slot_called
from ..values.gated import Gated
from ..values.joined_types import kind_type, number_type, widens
from ..values.nest import branches, rebuilt
from ..values.proxy import Captured, HostProxy, NeedsPython, Proxy, Undefined, is_open, number_kinds, weak_kind
from .nouns import shape_text


class Unsettled(Exception):
    """A trip leaves a variable of another kind, shape or dtype than it had before the loop. `error`: what to raise where no trip
    can run before it. Never leaves the staging of that loop."""

    def __init__(self, error: CaptureError) -> None:
        self.error = error


_ZEROS = {"bool": False, "int": 0, "float": 0.0, "complex": 0j, OPEN: 0.0}


class Carried:
    """A leaf that is carried: the user's name for it, its value before the loop, its kind, and the slot that holds it if one does."""

    __slots__ = (
        "name",
        "kinds",
        "init",
        "kind",
        "backend",
        "slot",
        "inner",
        "out",
        "weak",
        "found",
        "entered",
        "result",
        "before",
        "untold",
        "what",
        "turned",
        "truth",
        "widened",
        "widths",
        "other_shape",
        "sizes",
        "path",
        "other_axes",
    )

    def __init__(self, name: str, init: Any, kind: str, backend: Any, slot: Slot | None = None) -> None:
        init = without_class(init) if isinstance(init, NUMBERS_AND_TEXT) else init
        self.name, self.init, self.kind, self.backend, self.slot = name, init, kind, backend, slot
        self.before = init.read() if is_open(init) else init  # read now: it may be undecided later
        self.path: tuple = (name,)  # the variable, and where the leaf is in what it holds
        self.inner: Value | None = None
        self.out: Any = None
        self.entered: Any = None  # what stands for it when the body begins
        self.result: Any = None  # and behind the loop
        self.weak = weak_kind(init)
        self.kinds = number_kinds(init)  # of the number that it may be
        numbers = backend is not None and backend.numbers
        self.what = _what(init, self.before) if numbers else None  # an array or a number of NumPy's
        self.found: LogicalTensor | None = None  # the type of the tensor that a number becomes in the loop
        self.untold = False  # whether that is not known
        self.widened = False  # whether a trip changed the rank that it may have
        self.widths = False  # and whether its dtype, of one kind
        self.other_shape = False  # whether a trip changes its shape
        self.sizes: tuple | None = None  # and its dims then: those that change are unknown, or all of them
        self.truth = isinstance(init, bool)  # whether it is true or false, also behind a trip
        self.other_axes = False  # whether a trip may leave it with axes of another value than it has before the loop
        self.turned = False  # whether a trip may leave a number of Python's where there was a tensor

    def called(self, tracer: Capturing) -> str:
        """What an error calls it: what holds it is named too."""
        if self.slot is not None:
            return slot_called(self.slot, tracer.site)
        return repr(self.name) if self.path[0] == self.name else item_called(self.path[1:], repr(self.path[0]))

    def wrapped(self, tracer: Capturing, value: Any, left: bool = False) -> Any:
        """A value that stands for it, as the traced function sees it. `left`: by a trip in any case."""
        made = tracer.wrap(value, self.backend)
        if isinstance(made, Proxy):
            made.weak = self.kinds
            begins = not left and tracer.record.may_be_python(self.init, self.before)
            if not self.weak and (self.turned or begins):
                tracer.record.mix(value)
        return made

    def type(self, tracer: Capturing, kind: str = "tensor") -> Any:
        """Its type before the loop as a value of this kind, where known."""
        if not tracer.static_types or self.untold:
            return None
        value = self.before
        if isinstance(value, Value):
            known = value.type
            if self.weak and isinstance(known, LogicalTensor) and known.weak:  # a number that may become a wider one
                known = kind_type(self.weak, tracer.promotion)
            known = self.found or known
            if not isinstance(known, LogicalTensor):  # a number that is carried is another one in each trip
                return None if value.kind in NUMBERS else known
            known = known.with_(dims=self.sizes) if self.other_shape else known
            return LogicalTensor(None, known.dims) if self.widths else known
        if self.found is not None or kind != "tensor":
            return self.found
        number = self.weak or weak_kind(self.init)
        return kind_type(number, tracer.promotion) if number else None

    @property
    def number(self) -> bool:
        """Whether it was a Python number before the loop, or an array of JAX's that gives way as one does."""
        return isinstance(self.init, NUMBER_CLASSES) or self._first.weak

    @property
    def _first(self) -> LogicalTensor:
        """What is known of the type of a tensor before the loop."""
        known = getattr(self.before, "type", None)
        return known if isinstance(known, LogicalTensor) else UNKNOWN

    def tell(self, tracer: Capturing, value: Value) -> None:
        """Tell the record what a value is that stands for it."""
        tracer.record.begins[value] = self.before
        if self.other_axes:
            tracer.record.shape_parts.apart.add(value)
        if value.is_tensor:
            if self.what is not None:
                tracer.record.put(value, self.what)
            if self.truth:
                tracer.record.holds_truth(value)

    def stays(self, value: Any) -> bool:
        """Whether a trip leaves what was assumed, an array or a number of NumPy's; if not, it is either from now on."""
        before = self.what
        if before is None:
            return True
        after = join(before, _what(self.out, value))
        same_kinds, same_rank = after.kinds == before.kinds, after.ranks == before.ranks
        if not (same_kinds and same_rank):
            known = same_rank or not self.widened  # what a second trip changes again may change in each
            self.widened = self.widened or not same_rank
            self.what = Abstract(after.kinds, ranks=after.ranks if known else None)
        return same_kinds and same_rank

    def stays_truth(self, tracer: Capturing, value: Any) -> bool:
        """Whether a trip leaves what is true or false, if that was assumed; if not, it is not from now on."""
        before, self.truth = self.truth, self.truth and tracer.record.is_boolean(value)
        return before == self.truth

    def stays_tensor(self, tracer: Capturing, value: Any) -> bool:
        """Whether a trip that begins with a tensor leaves one; if not, it may be a number of Python's from now on."""
        before, self.turned = self.turned, self.turned or tracer.record.may_be_python(self.out, value)
        return before == self.turned or tracer.record.may_be_python(self.init, self.before)

    def becomes(self, type_: Any, runs: bool, tracer: Capturing, span: Any) -> bool:
        """A number that the body makes a tensor of a known type: whether that was known. Its shape has to be a number's, or be reached."""
        if not isinstance(type_, LogicalTensor) or not type_.known:
            before, self.untold = self.untold, True
            return before
        if type_.weak or type_ == self.found:
            return True
        dims = () if self.weak or self._first.dims is None else self._first.dims
        if type_.dims != dims and type_.dims and not (runs and isinstance(self.init, NUMBER_CLASSES)):
            raise self._unsettled(tracer, "shape", dims, type_.dims, span, "begin with zeros of that shape")
        known = self.found.dtype if self.found is not None and self.found.dtype else type_.dtype
        wide, _ = dtypes.result_type([(known, False), (type_.dtype, type_.weak)], tracer.promotion)  # type: ignore[list-item]  # both are known
        made = LogicalTensor(wide, type_.dims)
        same, self.found = made == self.found, made
        return same

    def first(self, tracer: Capturing) -> Any:
        """The value before the first trip."""
        if self.found is not None and self.found.dims and isinstance(self.init, NUMBER_CLASSES):
            return ops.full(self.found.dims, self.init, self.found.dtype)
        return self.before

    def left(self, read: Callable[[Any], Any]) -> Any:
        """The value that a trip leaves; `read` gives what a leaf holds at its end."""
        return read(self.out)

    def stays_type(
        self, tracer: Capturing, value: Any, span: Any, host: bool, trips: int | None, even: bool = False
    ) -> bool:
        """Whether a trip leaves the dtype and shape that were assumed; if not, these are open from now on. Another kind of numbers is
        refused, another rank, and a size that is another one for sure, unless Python runs the loop (`host`), and so is one of no known rank where
        it runs so many `trips`. `even`: sizes that may be others are the same."""
        after = value.type if isinstance(value, Value) and value.is_tensor else number_type(value, tracer.promotion)
        before = self.type(tracer)
        if not (isinstance(before, LogicalTensor) and isinstance(after, LogicalTensor)):
            return True
        if before.weak and (self.weak or isinstance(self.init, NUMBER_CLASSES)):
            return True
        if (
            after.weak
            and before.dims in (None, ())
            and "biufc".index(after.dtype.kind if after.dtype else "b")
            <= "biufc".index(before.dtype.kind if before.dtype else "c")
        ):
            return True  # a number is cast to what it stands beside
        if self.found is not None:
            return True
        number = host and after.weak  # which Python's own loops may put beside tensors of any dtype
        if before.dtype and after.dtype and before.dtype != after.dtype and not (number or widens(before, after)):
            raise self._unsettled(tracer, "dtype", before.dtype, after.dtype, span, "cast it before the loop")
        same_shape = number or self._stays_shape(tracer, before.dims, after.dims, span, host, trips, even)
        same = before.dtype is None or before.dtype == after.dtype
        self.widths = self.widths or not same
        return same and same_shape

    def _stays_shape(
        self, tracer: Capturing, before: tuple | None, after: tuple | None, span: Any, host: bool, trips: int | None,
        even: bool,
    ) -> bool:  # fmt: skip
        host = host and not even
        if before is None or before == after or (after is None and not host):
            return True
        if after is None and trips is not None:
            raise NeedsPython("loop", f"no one rank of {self.called(tracer)} holds for all trips", span)
        sizes = None if after is None else joined_dims((before, after))
        if after is not None and (sizes is None or (not host and never_meet(before, after))):
            hint = "keep the shape of what a loop on tensor data carries"
            raise self._unsettled(tracer, "shape", shape_text(before), shape_text(after), span, hint)
        if even:
            return True
        self.sizes, self.other_shape = sizes, True
        return sizes == before

    def _unsettled(self, tracer: Capturing, what: str, before: Any, after: Any, span: Any, hint: str) -> Unsettled:
        said = f"{self.called(tracer)} changes its {what} from {before} to {after} in the loop"
        return Unsettled(UnsupportedConstruct(f"GFX cannot convert this loop: {said}", span, hint))


def _what(leaf: Any, value: Any) -> Abstract:
    """What a leaf is that holds a value."""
    kind = weak_kind(leaf)
    found: Abstract = number_of_kind(kind) if kind else active.builder.record.of(value)
    return found


def carryable(x: Any) -> bool:
    """Whether a loop can carry a leaf."""
    return isinstance(x, (Captured, *NUMBER_CLASSES))


def same(a: Any, b: Any) -> bool:
    """Whether two leaves are one object or equal constants."""
    return a is b or (type(a) is type(b) and isinstance(a, (*NUMBER_CLASSES, str)) and a == b)


def kind_of(value: Any) -> str:
    """Kind of a leaf as a value of a graph."""
    held = value.read() if isinstance(value, (Proxy, HostProxy)) else value
    if isinstance(held, Value):
        return held.kind
    return kind_of_number(held) if is_number(held) else type(held).__name__


def poison(tracer: Capturing, value: Any, untyped: Callable[[Proxy], Any]) -> Any:
    """What stands for a variable that a loop defines, before it does: zeros of the same kind; `untyped` gives those of a
    tensor whose type is not known. None: nothing can."""
    if type(value) is Gated and not value.whole:
        found = [poison(tracer, side, untyped) for side in value.sides if not isinstance(side, Undefined)]
        return found[0] if found and len({type(zero) for zero in found}) == 1 else None
    kind = weak_kind(value)
    if kind:
        return _ZEROS[kind]
    if isinstance(value, Proxy):
        type_ = getattr(value.value, "type", None)  # a view keeps its type: it is not derived again
        if not isinstance(type_, LogicalTensor) or not type_.known:
            return untyped(value)
        return tracer.wrap(ops.zeros(type_.dims, type_.dtype), value.backend)
    parts = branches(value)
    if parts is None:
        return None
    items = [poison(tracer, item, untyped) for _, item in parts]
    return None if any(item is None for item in items) else rebuilt(value, items)


def part_label(name: str, key: Any, wraps: bool) -> str:
    """What a part of a carried value is called; `wraps`: the value is only None-ness around the part."""
    if wraps and key == "value":
        return name
    if isinstance(key, str) and key.isidentifier():
        return f"{name}_{key}" if name.isidentifier() else key
    return f"{name}_{key}" if isinstance(key, int) else name
