"""Application of a lift to what the traced function has: its result, what it writes, and what shares memory with what."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Backend, Lift, OpenParts, OpenRows, Written
from gfx_ir.control import is_host
from gfx_ir.edited import put_before
from gfx_ir.errors import MissingOp, ShapeError, UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import ARRAYS, NUMBERS, Abstract
from gfx_ir.op import Trait, active
from gfx_ir.trees import leaves, tree_map

from ..frameworks.holding import hold
from ..heap.aliases import array_is_written, doubt
from ..heap.chains import is_alone
from ..interfaces import Capturing
from ..python.attempts import Mark
from ..python.convert import as_lists, own_position
from ..python.devices import is_there
from ..python.joined_items import joined_rows
from ..python.overlaps import refuse_overlap
from ..python.rows import StackedRows, holds_rows, rows_of
from ..python.sequences import Starred, spliced
from ..values.gated import gate_of
from ..values.number_rows import rows_kind
from ..values.numpy_numbers import number_when
from ..values.proxy import Proxy

_ARRAYS = frozenset((Value, list, tuple))
_SINGLE = frozenset((Proxy, int, float, bool, str, type(None)))


def single_values(args: tuple) -> list[Any] | None:
    """Arguments as a lift takes them, where each is a tensor, a number, a text or None that no test decides; None for any others."""
    if not _SINGLE.issuperset(map(type, args)):
        return None
    values = []
    for x in args:
        if x.__class__ is Proxy:
            x = x.value if x.base is None else x.read()
            if x.__class__ is Value and x.kind == "optional":
                return None
        values.append(x)
    return values


_FORM = "this form of the call has no row"
_WHOSE = "say whose function this is: symbolic_trace(fn, backend='torch')"
_OWN_NAME = re.compile(r"[\w.]*<(?:locals|lambda)>[\w.<>]*\(\)")
"""What Python calls a function of ours in an error."""

# Functions of the array API standard that copy in some frameworks and share memory in others.
_VARY = frozenset(("reshape", "flip", "astype", "broadcast_to"))


class Applying:
    """`apply(lift, args, kwargs, backend, function)`. What a lift refuses, an option that no op has, is kept as a call of the
    framework's `function` where that can be."""

    def __init__(self, tracer: Capturing) -> None:
        self._tracer = tracer

    def __call__(self, lift: Lift, args: tuple, kwargs: dict, backend: Backend | None, function: Any = None) -> Any:
        tracer = self._tracer
        mixed = len(args) > 1 and any(x.__class__ is Proxy and x.backend is not backend for x in args)
        values = None if kwargs or mixed else single_values(args)
        single = values is not None
        named: dict[str, Any] = {}
        if values is None:
            args, kwargs = self._first_by_place(lift, args, kwargs)
            rows = rows_of(args[0]) if args and gate_of(args[0]) is None else None
            if rows is not None and rows is not args[0]:
                joined = lambda args: self(lift, args, kwargs, backend, function)
                return joined_rows(tracer, lift.name, rows, args[1:], kwargs, joined, backend)
            again = lambda args, kwargs: self(lift, args, kwargs, backend, function)
            found = tracer.truths.forked(lift, args, kwargs, again)
            if found is not NotImplemented:
                return found
            if backend is not None and any(type(x) is Proxy and x.backend is backend for x in args):
                beside = lambda x: tracer.operands.beside(x, backend)
                args, kwargs = tuple(map(beside, args)), {k: beside(v) for k, v in kwargs.items()}
            values = self._taken(args, backend)
            named = {k: self._unwrapped(v, backend) for k, v in kwargs.items()}
        values = [self._as_numbers(lift, at, x) for at, x in enumerate(values)]
        named = {name: self._as_numbers(lift, name, x) for name, x in named.items()}
        mark, before = Mark(tracer), tracer.speaking
        try:
            tracer.speaking = backend
            result = lift.fn(*values, **named)
        except (MissingOp, TypeError, ArithmeticError) as error:
            told = _OWN_NAME.sub("it", str(error))
            refusal = (
                error
                if isinstance(error, MissingOp)
                else tracer.error(f"{lift.name}: {told}", _FORM if backend else _WHOSE)
            )
            refusal.span = refusal.span or tracer.span()
            if function is None:
                raise refusal from error
            mark.back()
            return hold(tracer, function, args, kwargs, backend, refusal)
        except (ShapeError, UnsupportedConstruct) as error:
            error.span = error.span or tracer.span()
            raise
        finally:
            tracer.speaking = before
        if not single:
            self._unspread(lift, mark)
        if backend is not None and backend.views:
            self._of_numbers(result, mark)
        if type(result) is Written:
            self._write(lift, args, kwargs, result.values)
            result = result.result
        return self._given(lift, args, kwargs, values, named, result, backend, mark)

    def _of_numbers(self, result: Any, mark: Mark) -> None:
        """A function of what may all be Python's numbers gives an array where an operator gives another such number: it is given an array."""
        made = [leaf for leaf in leaves(result) if type(leaf) is Value and leaf.is_tensor and leaf.node.op.sign]
        nodes = set(mark.nodes()) if made else ()
        for value in made:
            node = value.node
            if node in nodes and all(map(self._may_be_number, node.args)):
                node.set_args((put_before(node, "as_tensor", node.args[0]), *node.args[1:]))

    def _may_be_number(self, x: Any) -> bool:
        kind = x.kind if type(x) is Value and not x.is_tensor else ""
        return kind in NUMBERS if kind else not self._tracer.record.kinds_of(x).isdisjoint(NUMBERS)

    def _given(
        self,
        lift: Lift,
        args: tuple,
        kwargs: dict,
        values: list[Any],
        named: dict,
        result: Any,
        backend: Backend | None,
        mark: Mark,
    ) -> Any:
        """What the function sees of a result: the tensor that was written, the argument itself, or a new one, maybe a view."""
        tracer = self._tracer
        if type(result) is OpenRows:
            rows, each = self._given(lift, args, kwargs, values, named, result.tensor, backend, mark), result.each
            if each is not None:
                return tracer.loops.map_(lambda row: tracer.wrap(each(row.read()), backend), rows)
            return (StackedRows(rows, rows_kind(rows)),)
        first = args[0] if args and type(args[0]) is Proxy else None
        writes = lift.writes(*values, **named) if callable(lift.writes) else lift.writes
        if writes and first is not None:
            self._wrote(lift, first, (args[1:], kwargs), values[0], result, mark)
            return None if lift.silent else first
        copies, result = self._copied(lift, values, named, result, backend)
        own = first is not None and (first.backend in (None, backend) or backend is None)  # not another framework's
        if lift.records and result is values[0]:
            self._recorded(tracer.facts.root(result))
        if own and first is not None and result is values[0] and copies != "maybe":
            if lift.array and (made := as_array(first)) is not first:
                return made
            if number_when(first) is not None:
                return first
        trained = backend is not None and named.get(backend.trained_attribute) is True
        if trained and type(result) is Value and not writes:
            self._recorded(result)  # torch.zeros(n, requires_grad=True)
        wrapped = tracer.wrap(result, backend)
        if lift.rows:
            tracer.assumed.laid.gives(lift, result)
        if copies == "maybe" and result is values[0] and type(result) is Value:
            tracer.assumed.laid.twofold.add(tracer.facts.root(result))
        if backend is not None and backend.numbers:
            self._spelled(lift, wrapped)
        if first is not None and type(wrapped) is OpenParts:
            wrapped.made = partial(tracer.views.link_late, first, values[0], first.version)
        varies = lift.name if copies == "maybe" or (backend is None and lift.name in _VARY) else ""
        if first is not None and copies is not True and (backend is None or backend.views):
            tracer.views.link(first, values[0], wrapped, varies)
        if args and copies is not True and (backend is None or backend.views):
            tracer.views.link_parts(args if first is None else args[1:], wrapped, varies)
        return wrapped

    def _copied(
        self, lift: Lift, values: list[Any], named: dict, result: Any, backend: Backend | None
    ) -> tuple[bool | str, Any]:
        """Whether a call copies its argument, "maybe" where nothing tells, and what it gives: the argument itself where that is where it is
        asked for, which guards check in a capture that leaves else undecided what a write changes."""
        copies = lift.copies(*values, **named) if callable(lift.copies) else lift.copies
        if copies != "maybe" or not self._tracer.functions.share.refs:
            return copies, result
        here = is_there(self._tracer, result, values[0], backend)
        if here is None and backend is not None and backend.lays_in_order:
            shares = self._tracer.assumed.laid.shares(result, values[0])
            return copies if shares is None else not shares, result
        return copies if here is None else not here, values[0] if here else result

    def _wrote(self, lift: Lift, x: Proxy, others: tuple, old: Value, new: Any, mark: Mark) -> None:
        """A call in place has made `new` of a tensor and of others."""
        tracer = self._tracer
        self._refuse_number(x, lift.name)
        tracer.views.is_array(x)
        refuse_overlap(tracer, x, None, others)
        if not lift.reshapes:
            tracer.views.wrote(new, old, mark.last)
        elif not is_alone(x, new.node):
            raise _seen_elsewhere(tracer, lift.name)
        x.write(new)

    def _recorded(self, root: Value) -> None:
        """From here on gradients of a tensor are recorded; in a region, or of what one leaves, a test or loop decides that."""
        tracer = self._tracer
        tracer.record.recorded.setdefault(root, bool(tracer.stack or root.node.regions))

    def _refuse_number(self, x: Proxy, name: str) -> None:
        """Of a number of NumPy's, functions that write an array raise each its own error, and methods write nothing: refused."""
        try:
            array_is_written(x, name)
        except TypeError:
            what = f"GFX cannot convert this call of {name}: it writes an array, and this is a number of NumPy's"
            raise self._tracer.error(what, "make an array of it first: np.array(x)") from None

    def _spelled(self, lift: Lift, wrapped: Any) -> None:
        """Tell the record what a function of NumPy gives where it has no axes."""
        for proxy in leaves(wrapped):
            if type(proxy) is Proxy and type(proxy.value) is Value and proxy.value.kind == "tensor":
                self._tracer.record.spelled(proxy.value, lift.array)

    def _write(self, lift: Lift, args: tuple, kwargs: dict, new: Mapping[str, Any]) -> None:
        """Write arguments of a call by their names."""
        given = inspect.signature(lift.fn).bind(*args, **kwargs).arguments
        for name, value in new.items():
            x = given[name] if type(given[name]) is Proxy else self._tracer.arrays.array_proxy(given[name])
            array_is_written(x, "return arrays must be of ArrayType")
            x.write(value)

    def _first_by_place(self, lift: Lift, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments, the first by its place where it is a list that a loop filled, `torch.cat(tensors=parts)`, or one that the call
        makes an array of, `torch.as_tensor(data=number)`."""
        if args or not (lift.array or self._tracer.record.filled):
            return args, kwargs
        first = next(iter(inspect.signature(lift.fn).parameters), None)
        if first not in kwargs or not (lift.array or holds_rows(kwargs[first])):
            return args, kwargs
        return (kwargs[first],), {name: value for name, value in kwargs.items() if name != first}

    def _unwrapped(self, x: Any, backend: Backend | None) -> Any:
        """An argument as a lift of a framework takes it, which says what dtype a class of Python's is."""
        if type(x) is Proxy:
            return self._tracer.unwrap(x)
        if type(x) in (list, tuple) and holds_rows(x):
            x = self._row_by_row(x)
        found = self._tracer.dtype(x, backend or self._tracer.backend) if type(x) is type else None
        return self._tracer.unwrap(own_position(self._tracer, as_lists(x))) if found is None else found

    def _row_by_row(self, x: Any) -> Any:
        """A list that a loop filled, item by item, where it is known how many there are."""
        rows, values = rows_of(x), self._tracer.host_values
        known = type(rows) is Proxy and type(values.length(rows)) is int
        return list(values.iterate(rows)) if known else x

    def _taken(self, args: tuple, backend: Backend | None) -> list[Any]:
        """Arguments as a lift takes them."""
        values = [self._unwrapped(a, backend) for a in args]
        if Starred in map(type, args):  # x.view(*shape, 8): one open shape
            own = 1 if type(args[0]) is Proxy else 0
            values = [*values[:own], spliced(self._tracer, tuple(values[own:]))]
        return values

    def _as_numbers(self, lift: Lift, place: int | str, given: Any) -> Any:
        """What a lift takes: where its function takes sizes or axes, of an array as `np.array((2, 3))` its numbers, if they are known."""
        if type(given) not in _ARRAYS or not lift.takes_numbers(place):
            return given
        return tree_map(self._numbers_of, given)

    def _numbers_of(self, x: Any) -> Any:
        held = self._tracer.record.content(x) if type(x) is Value and x.is_tensor else None
        if not isinstance(held, np.ndarray):
            return x
        return held.tolist() if held.dtype.kind in "iu" or not held.size else x  # np.cumsum([]) is of floats

    def _unspread(self, lift: Lift, mark: Mark) -> None:
        """Raises where a call took an open shape for a number, so that it stands among other sizes."""
        for node in mark.nodes():
            sizes = node.op.traits & Trait.ASKS and all(value.kind in ("int", "shape") for value in node.values)
            if sizes and type(node.args[0]) is Value and not node.args[0].is_tensor:
                raise self._tracer.error(
                    f"GFX cannot convert this call of {lift.name}: it gets a {node.args[0].kind}, and no tensor"
                )
            nested = (arg for arg in node.args if type(arg) is tuple and not is_host(node))
            if any(type(leaf) is Value and leaf.kind == "shape" for arg in nested for leaf in leaves(arg)):
                raise self._tracer.error(
                    f"GFX cannot convert this call of {lift.name}: how many sizes it gets is open",
                    "give the argument's shape at capture",
                )


def _seen_elsewhere(tracer: Capturing, name: str) -> Exception:
    return tracer.error(
        f"GFX cannot convert this call of {name}: what else looks at the tensor, or the caller, may see its new shape",
        f"assign what it gives: x = x.{name.rpartition('.')[2].rstrip('_')}(...)",
    )


def as_array(x: Proxy) -> Proxy:
    """A call that gives the array that it is given: of a number, Python's or NumPy's, it makes one."""
    record = active.builder.record
    surely, given = record.weak(x.value), number_when(x)
    if given is None and not record.may_be_python(x, x.value):
        return x
    made = Proxy(ops.copy(x.read()), x.backend)
    record.put(made.value, Abstract(ARRAYS))
    if not surely and (given is None or not active.builder.assumed.ranks(given)):
        doubt(made, [x], "it is a number, of which this call makes an array, or an array already")
    return made
