"""Truth: of what is fixed, known or open; boolean operators stay lazy."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Lift
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.op import Trait
from gfx_ir.trees import leaves

from ..heap.aliases import Doubt, distinct, memory, share
from ..heap.reached import VIEWS
from ..interfaces import Capturing
from ..python.compared import gfx_compared
from ..python.devices import is_device, settled
from ..python.faults import class_name, is_iterable
from ..python.identity import one_object
from ..python.iteration import is_iterator
from ..python.open_iterables import OpenRange
from ..python.picked import is_mapping
from ..python.plain import is_made
from ..python.rows import holds_rows, rows_of
from ..python.sequences import OpenList, is_shape, is_text, is_whole, open_tuple
from ..values.access import A_VALUE, NOTHING, Access
from ..values.either import Either, Source
from ..values.gated import Gated, gate_of, usable
from ..values.numpy_numbers import number_when
from ..values.proxy import HostProxy, Proxy, Undefined, Unusable, is_open, weak_kind
from .deciding_items import first_that, found_in
from .lazy_operators import chained

_CONTAINERS = (tuple, list, set, frozenset, dict, str)


class Truths:
    """The part of the Tracer that knows what is true."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def truth(self, test: Any) -> Any:
        """True or False where that is fixed or known, else the Value that decides."""
        kind = type(test)
        if kind is bool:
            return test
        if kind is Gated and test.then is test.otherwise:  # nothing but its truth is known
            return self.truth(self.tracer.wrap(test.test))
        if kind is Gated:
            return self.truth(self.tracer.gates.resolve(test, lambda side: self.bool_(side), asked=True))
        if is_device(test):
            return True
        if kind is HostProxy:
            known = self.tracer.facts.decide(test.value)
            known = self.tracer.decided.of_sizes(test.value) if known is None else known
            return self.tracer.local(test.value) if known is None else known
        if kind is Proxy:
            value = test.read()
            if not isinstance(value, Value):
                return bool(value)
            if not self.tracer.facts.there(value):
                return self.truth(self.and_(self.not_(self.is_(test, None)), [lambda: self.bool_(test)]))
            while is_made(value) and value.node.op.traits & Trait.TRUTH:
                value = self.tracer.local(value.node.args[0])
            known = self.tracer.facts.decide(value)
            if known is None:
                known = self.tracer.decided.truth(value)
            return self._scalar_test(value) if known is None else known
        if kind is OpenList:
            return self.truth(test.items)
        if kind is list and gate_of(test) is not None:
            return self.truth(self.tracer.gates.resolve(test, self.bool_))
        if kind in (list, tuple) and (rows := rows_of(test)) is not test:
            return self.truth(self.tracer.host_values.length(rows))
        if isinstance(test, Unusable):
            raise test.error
        if isinstance(test, Undefined):
            raise self.tracer.gates.unset(test)
        self.tracer.effects.sure_of_keys(test, ordered=False)
        method = getattr(kind, "__bool__", None) or getattr(kind, "__len__", None)
        return (
            self.truth(self.tracer.calls.call(method, (test,), {}))
            if isinstance(method, types.FunctionType)
            else bool(test)
        )

    def bool_(self, x: Any) -> Any:
        """bool(x), as a captured value where x is open."""
        found = self.truth(x)
        if not isinstance(found, Value):
            return found
        if type(x) is Proxy and x.weak == "bool":
            return x
        if found.is_tensor:
            return self.tracer.wrap(ops.to_bool(found))
        return self.tracer.wrap(found if found.kind == "bool" else self.tracer.host("bool", found))

    def _scalar_test(self, value: Value) -> Value:
        dims = getattr(value.type, "dims", None)
        if dims and all(type(dim) is int for dim in dims):
            if math.prod(dims) != 1:
                what = f"GFX cannot convert this test: it asks for the truth of a tensor of {math.prod(dims)} elements"
                raise self.tracer.error(what, "ask for that of all of them, or of any: x.all(), x.any()")
            value = ops.reshape(value, ())
        elif not self.tracer.raising.of_one(value):
            if self.tracer.record.rank_of(value):
                self.tracer.raising.of_framework("this test", "one")
            elif self.tracer.raising.waits("one"):  # a number is what a test is of: that is taken as given
                self.tracer.assumed.require_rank(value, 0, "test")
        known = getattr(value.type, "dtype", None)
        boolean = (known is None or known.kind == "b") and self.tracer.record.is_boolean(value)
        return value if boolean else ops.not_equal(value, 0)

    def not_(self, x: Any) -> Any:
        """not x."""
        found = self.truth(x)
        if not isinstance(found, Value):
            return not found
        if found.is_tensor:
            return Proxy(ops.to_bool(ops.logical_not(found)), self.tracer.backend, "bool")
        return self.tracer.wrap(self.tracer.host("not", found))

    def is_(self, a: Any, b: Any) -> Any:
        """a is b: open for `is None` of an optional value, and for booleans."""
        for x, y in ((a, b), (b, a)):
            if type(x) is Gated:
                found = self.tracer.gates.resolve(x, lambda side, y=y: self.is_(side, y), asked=y is None)
                return self.tracer.gates.asked_none(x, found) if y is None else found
            if is_open(x) and y is None:
                value = x.read()
                if not isinstance(value, Value):
                    return value is None
                if value.kind not in ("optional", "any"):
                    return False
                found = ops.is_none(value)
                known = self.tracer.facts.decide(found)
                return self.tracer.wrap(found) if known is None else known
        found = self._chosen_tensor(a, b) if type(a) is Proxy and type(b) is Proxy and a is not b else None
        return one_object(self.tracer, a, b) if found is None else found

    def _chosen_tensor(self, a: Proxy, b: Proxy) -> Any:
        """a is b, where a test chose one of the two tensors that one is: whichever it chose. None: neither is such."""
        for x, y in ((a, b), (b, a)):
            if type(x.base) is Either and share(memory(x), memory(y)):
                then, otherwise = x.base.sources
                test, known = x.base.asked()
                if known is not None:
                    return self._source_is(then if known else otherwise, y)
                return self.tracer.regions.branch(
                    test, partial(self._source_is, then, y), partial(self._source_is, otherwise, y)
                )
        doubtful = any(isinstance(x.base, Doubt) and x.base.chosen for x in (a, b))
        if doubtful and not distinct(a, b) and share(memory(a), memory(b)):
            raise self.tracer.error(
                "GFX cannot tell whether these are one object: a test or a loop that data decides leaves one of several",
                "compare what they hold, or keep a flag of your own",
            )
        return None

    def _source_is(self, source: Source, other: Proxy) -> Any:
        """source is other, where a test chose the source."""
        found = None if source is other or type(source) is not Proxy else self._chosen_tensor(source, other)
        return source is other if found is None else found

    def contains(self, container: Any, item: Any) -> Any:
        """item in container, where one of them is open."""
        if gate_of(container) is not None:
            return self.tracer.gates.resolve(container, lambda side: self.contains(side, item))
        if type(item) is Gated:
            return self.tracer.gates.resolve(item, lambda side: self.contains(container, side))
        if type(container) in (list, tuple) and holds_rows(container):
            return found_in(self.tracer, rows_of(container), item)
        usable(item, container)
        item, container = settled(self.tracer, item), open_tuple(container)
        if not is_iterable(container):
            raise TypeError(f"argument of type {class_name(self.tracer, container)!r} is not iterable")
        if is_text(container) or is_shape(container):
            return self.tracer.wrap(self.tracer.host("in", self.tracer.unwrap(item), container.value))
        if type(container) in (tuple, list) and _of_host_values((item, *container)):
            return self.tracer.wrap(self.tracer.host("in", *self.tracer.unwrap((item, tuple(container)))))
        if isinstance(container, dict):
            if self.tracer.effects.unsure and not is_open(item) and type(found := container.get(item)) is Gated:
                return self.tracer.gates.if_there(found, lambda side: True, lambda: False)
            self.tracer.effects.sure_of(container, *(() if is_open(item) else (item,)), ordered=False)
        elif type(container) in VIEWS:
            self.tracer.effects.sure_of_keys(container, ordered=False)
        if isinstance(container, Proxy):
            return self._in_array(container, item)
        if isinstance(item, HostProxy) and (isinstance(container, _CONTAINERS) or is_mapping(container)):
            plain = container if isinstance(container, str) else tuple(container)
            return self.tracer.wrap(self.tracer.host("in", item.value, self.tracer.unwrap(plain)), item.backend)
        if isinstance(container, (range, OpenRange)) and isinstance(item, Proxy):
            return self._in_range(container, item)
        if isinstance(container, (tuple, list)) and any(isinstance(x, Proxy) for x in (item, *container)):
            return self._among(container, item)
        if isinstance(container, (set, frozenset, dict)) and weak_kind(item):
            return self._among(tuple(container), item)
        if isinstance(container, (set, frozenset, dict)) and isinstance(item, Proxy):
            if item.backend is not None and item.backend.numbers:
                return self._among(tuple(container), self._hashed(item))
        if isinstance(container, (bytes, bytearray)) and is_open(item):
            raise self.tracer.error("GFX cannot look for captured data in bytes", "look for it in a list of numbers")
        method = getattr(type(container), "__contains__", None)
        if isinstance(method, types.FunctionType):
            return self.bool_(self.tracer.calls.call(method, (container, item), {}))
        if is_iterator(container) or (method is None and self._goes_over(container)):
            return found_in(self.tracer, container, item)
        if (
            type(item) in (list, tuple)
            and type(container) in (list, tuple)
            and any(map(is_open, leaves((item, container))))
        ):
            return first_that(self.tracer, any, container, lambda other: gfx_compared(other) == gfx_compared(item))
        inside = container if isinstance(container, (list, tuple, set, frozenset, dict)) else ()
        self.tracer.repeated.gives(operator.contains, item)
        return self.tracer.native_methods.run((item, *inside), lambda: item in container)

    def _goes_over(self, x: Any) -> bool:
        """Whether Python looks for an item by a method of the author's that gives one after the other."""
        own = self.tracer.overloading.own_method
        return own(x, "__iter__") is not None or own(x, "__getitem__") is not None

    def _in_array(self, array: Proxy, item: Any) -> Any:
        owner = array.backend
        if isinstance(item, (str, bytes, type(None))) and owner is not None and not owner.numbers:
            what = f"GFX cannot look for a {type(item).__name__} in an array"
            raise self.tracer.error(what, "an array holds numbers")
        if self.tracer.record.may_be_python(array, array.read()):
            self.tracer.raising.let_out("`in`", TypeError())
        return self.bool_(Proxy(ops.any(ops.equal(array.read(), self.tracer.unwrap(item))), array.backend))

    def _among(self, container: Sequence[Any], item: Any) -> Any:
        """item in container, one after the other as Python asks: is it this one, or equal to it?"""
        equal = lambda other: self.bool_(self.placed(operator.eq, other, item))
        asked = [lambda other=other: other is item or equal(other) for other in container]
        return self.or_(asked[0](), asked[1:]) if asked else False

    def _in_range(self, container: range | OpenRange, item: Proxy) -> Any:
        """Whether one of the numbers of a range is equal to item."""
        number: Any = item
        step = container.step
        if type(step) is not int:
            raise self.tracer.error("GFX cannot look into a range whose step is open", "compare with its ends")
        start, stop = container.start, container.stop

        def inside() -> Any:
            ends = (number >= start) & (number < stop) if step > 0 else (number <= start) & (number > stop)
            return ends & ((number - start) % abs(step) == 0)

        return self.bool_(self.placed(inside))

    def _hashed(self, item: Proxy) -> Proxy:
        """item, which Python finds among the keys of a dictionary by its value: a number of NumPy's, other arrays have no hash."""
        conditions = number_when(item)
        if conditions is None or not self.tracer.assumed.ranks(conditions):
            raise self.tracer.error(
                "GFX cannot look this up: it may be an array, which has no hash", "look it up in a list"
            )
        return item

    def either(self, value: Value, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of an optional value, or of None: for lifts, which see Values."""
        test = self.is_(self.tracer.wrap(value), None)
        if isinstance(test, bool):
            return use(None if test else value)
        return self.tracer.unwrap(
            self.ifexp(
                test, lambda: self.tracer.wrap(use(None)), lambda: self.tracer.wrap(use(self.tracer.local(value)))
            )
        )

    def forked(self, lift: Lift, args: tuple, kwargs: dict, call: Callable[[tuple, dict], Any], own: int = 0) -> Any:
        """A call on both sides of a test, where it hangs on whether an argument is None, or on what a test decided.

        `own`: how many arguments of its own the lift takes before those of the call. NotImplemented where it hangs on none.
        """
        for at, given in (*enumerate(args), *kwargs.items()) if kwargs else enumerate(args):
            kind = type(given)
            if (kind is Gated or kind is list) and gate_of(given) is not None:
                return self.tracer.gates.resolve(given, functools.partial(_replaced, call, args, kwargs, at))
            if kind is Proxy and getattr(given.value, "kind", "") == "optional" and _may_be_none(lift, at, own):
                again = functools.partial(_replaced, call, args, kwargs, at)
                test = self.is_(given, None)
                if test is True:
                    return again(None)
                if test is not False:
                    return self.ifexp(test, functools.partial(again, None), functools.partial(call, args, kwargs))
        return NotImplemented

    # ------------------------------------------------------------------ boolean operators
    def and_(self, first: Any, rest: Sequence[Callable[[], Any]], access: Access = NOTHING) -> Any:
        """first and rest…, lazily: an operand is traced as a region under what was found before it."""
        return chained(self.tracer, first, rest, False, access)

    def or_(self, first: Any, rest: Sequence[Callable[[], Any]], access: Access = NOTHING) -> Any:
        """first or rest…, lazily."""
        return chained(self.tracer, first, rest, True, access)

    def placed(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function of ours that computes with Proxies gives: their operators take the place to be ours."""
        site = self.tracer.site
        try:
            return f(*args, **kwargs)
        except GfxError as error:
            self.tracer.site = site
            error.span = self.tracer.span()
            raise
        finally:
            self.tracer.site = site

    def ifexp(
        self,
        test: Any,
        then: Callable[[], Any],
        otherwise: Callable[[], Any],
        access: Access = NOTHING,
        name: str = A_VALUE,
    ) -> Any:
        """then() if test else otherwise()."""
        found = self.truth(test)
        if not isinstance(found, Value):
            return then() if found else otherwise()
        return self.tracer.regions.branch(found, then, otherwise, access, name)


def _of_host_values(items: tuple) -> bool:
    """Whether items are numbers, texts and such of Python's, and some of them open."""
    return any(map(is_open, items)) and all(map(is_whole, items)) and not any(type(x) is Proxy for x in items)


def _may_be_none(lift: Lift, at: int | str, own: int) -> bool:
    """Whether a lift takes None for an argument, which it has by default; not where it asks itself, by build.either."""
    if getattr(lift.fn, "asks", False):
        return False
    parameters = list(inspect.signature(lift.fn).parameters.values())
    if isinstance(at, str):
        return any(p.name == at and p.default is None for p in parameters)
    return at + own < len(parameters) and parameters[at + own].default is None


def _replaced(call: Callable[[tuple, dict], Any], args: tuple, kwargs: dict, at: int | str, new: Any) -> Any:
    """The call with another argument at a position, or under a name."""
    if isinstance(at, str):
        return call(args, {**kwargs, at: new})
    return call((*args[:at], new, *args[at + 1 :]), kwargs)
