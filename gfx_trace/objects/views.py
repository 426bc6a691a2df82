"""Attributes, methods, indexing and in-place writes of tensors, with what shares memory with what."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Backend, Lift
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.number_conditions import NEVER, SURE, Conditions, every
from gfx_ir.op import OpDef, Trait, lookup
from gfx_ir.python_numbers import operator_kinds
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from ..frameworks.holding import hold, stand_in
from ..frameworks.structured import array_attribute
from ..heap.aliases import (
    Doubt,
    Element,
    Selected,
    array_is_written,
    called,
    decide,
    doubt,
    is_written,
    lose,
    put_back,
    regained,
)
from ..heap.chains import has_slice, is_new, make_view, may_view, view_chain
from ..interfaces import Capturing
from ..python.convert import positions
from ..python.devices import device_question
from ..python.faults import NUMBERS, UNARY_SIGNS, check_bits, check_items, class_name, not_given
from ..python.indexed import Indexed
from ..python.joined_items import as_positions
from ..python.operators import SYMBOLS
from ..python.overlaps import refuse_overlap
from ..python.plain import combined, either_has, number_attribute
from ..python.questions import gradient_question, layout_attribute
from ..values.bound import BoundLift, own_attribute
from ..values.either import Either, Number
from ..values.gated import Gated
from ..values.gradient_marks import forked
from ..values.number_rows import indexed, rows_kind
from ..values.numpy_numbers import number_when, scalar
from ..values.proxy import Proxy, number_kinds

# Methods and attributes that mean the same in every framework, so that no backend need be known.
_COMMON = {
    "sum": "sum", "mean": "mean", "prod": "prod", "all": "all", "any": "any", "reshape": "reshape",
}  # fmt: skip


class Views:
    """The part of the Tracer that knows tensors as objects."""

    # ------------------------------------------------------------------ attributes
    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def tensor_attribute(self, x: Proxy, name: str) -> Any:
        """`x.name`: an attribute's value, or a method bound to x."""
        if name == "__array_namespace__":
            return x.__array_namespace__
        if x.weak and (found := number_attribute(self.tracer, x, name)) is not NotImplemented:
            return found
        if x.weak and (found := array_attribute(self.tracer, x, name)) is not NotImplemented:
            return found
        if self.tracer.record.mixed and not x.weak:
            either_has(self.tracer, x, name)
        backend = x.backend
        if name == "at" and backend is not None and backend.name == "jax":
            return Indexed(self.tracer, x)
        if backend is None:
            return self._generic_attribute(x, name)
        lift = backend.attributes.get(name)
        if lift is not None:
            known = self.known_attribute(x, name)
            return known if known is not None else self.tracer.apply(lift, (x,), {}, backend)
        lift, held = backend.methods.get(name), own_attribute(backend, name)
        if callable(held) and held in backend.special:
            return lambda *args, **kwargs: self.tracer.calls.call(held, (x, *args), kwargs)
        if lift is not None:
            sizes = self.known_attribute(x, "shape") if name == "size" else None  # x.size() is x.shape
            method = BoundLift(x, lift)
            return method if sizes is None else partial(_sizes, method, sizes)
        asked = device_question(self.tracer, x, name)
        if asked is not None:
            return asked
        for question in (layout_attribute, gradient_question):
            if (told := question(self.tracer, x, name)) is not NotImplemented:
                return told
        if held is None and (own := backend.member(name)) is not None:  # of the framework's private class
            lacking = partial(stand_in, self.tracer, f"{name!r} of {backend.name} tensors", x)
            return (lambda *args, **kwargs: lacking()) if callable(own) else lacking()
        if held is None:
            left_out = not_given(x)
            why = f", and {left_out!r} was not given, so it stands for one: give it at capture" if left_out else ""
            raise AttributeError(f"{backend.name} tensors have no attribute {name!r}{why}")
        kind = "method" if callable(held) else "attribute"
        if kind == "method":
            return lambda *args, **kwargs: hold(self.tracer, held, (x, *args), kwargs, backend)
        return stand_in(self.tracer, f"the {kind} {name!r} of {backend.name} tensors", x)

    def known_attribute(self, x: Proxy, name: str) -> Any:
        """An attribute that the capture knows for every input: shape, rank and dtype of a typed value."""
        value = x.read()
        type_ = value.type if isinstance(value, Value) else None
        if not isinstance(type_, LogicalTensor):
            return None
        if name == "shape" and type_.dims is not None and None not in type_.dims:
            found = tuple([self.tracer.wrap(ops.size(value, axis), x.backend) for axis in range(len(type_.dims))])
            if x.backend is not None and x.backend.name == "torch":
                self.tracer.record.tell_shape(found)
            return found
        return None

    def _generic_attribute(self, x: Proxy, name: str) -> Any:
        simple: dict[str, Any] = {
            "shape": ops.shape,
            "ndim": ops.rank,
            "dtype": ops.dtype_of,
            "mT": ops.matrix_transpose,
        }
        if name in simple:
            return self.tracer.wrap(simple[name](x.read()))
        if name in _COMMON:
            op = lookup(_COMMON[name])
            return BoundLift(x, Lift(name, op))
        raise UnsupportedConstruct(
            f"GFX cannot tell what the method {name!r} means: frameworks differ in it", self.tracer.span(),
            "say whose function this is: symbolic_trace(fn, backend='torch')",
        )  # fmt: skip

    # ------------------------------------------------------------------ memory
    def wrote(self, result: Any, subject: Any, before: Any) -> None:
        """Note that the last node, made since `before`, was written in place of its first argument; so was what the last one casts."""
        node = result.node if type(result) is Value else None
        if node is None or node is not self.tracer.graph.last or node is before:
            return
        if node.op.traits & Trait.CASTS and node.args[0] is not subject and type(node.args[0]) is Value:
            node = node.args[0].node
        node.in_place = bool(node.args) and node.args[0] is subject

    def link(self, base: Proxy, base_value: Value, wrapped: Any, varies: str = "", sliced: bool = False) -> None:
        """Make the results of view ops views of `base`; those of a function that `varies` in whether it copies may be. `sliced`: a
        slice was taken, which numbers do not have."""
        if not varies and is_new(wrapped, base_value):
            return
        for proxy in leaves(wrapped):
            if type(proxy) is not Proxy or type(proxy.value) is not Value:
                continue
            if varies:
                doubt(proxy, [base], f"{varies!r} shares memory at times, and copies at others")
                continue
            numbers = base.backend.numbers if base.backend is not None else None
            chain = view_chain(proxy.value, base_value, numbers)
            if chain is None or proxy is base or proxy.base is not None or (numbers and number_when(proxy) == SURE):
                continue
            if numbers and not sliced and (given := number_when(base)) is not None:  # there are no views of numbers
                if not self.tracer.assumed.ranks(given):
                    doubt(proxy, [base], "it is a view of what is a number or an array")
                continue
            if all(may_view(value, numbers) or forked(value) for value in chain):
                make_view(base, proxy, chain)
            else:
                at = chain[0].node.args[1] if len(chain) == 1 else slice(None)
                count = 0 if numbers is not True or has_slice(at) else len(at) if type(at) is tuple else 1
                proxy.base, proxy.seen = (
                    Selected(base, at, self.tracer.record.item_when(base.value, count) if count else None),
                    0,
                )

    def link_late(self, base: Proxy, base_value: Value, version: int, wrapped: Any) -> None:
        """Make the results of a view op, made only now of what `base` held at that version, views of it."""
        self.link(base, base_value, wrapped)
        for proxy in wrapped:
            if proxy.base is base:
                proxy.seen = version

    def link_parts(self, args: tuple, wrapped: Any, varies: str = "") -> None:
        """Link the results of a call to each of the tensors it takes, also to those in a list."""
        if is_new(wrapped):
            return
        made = [leaf for leaf in leaves(wrapped) if type(leaf) is Proxy and type(leaf.value) is Value]
        if any(may_view(proxy.value, None) is not False for proxy in made) or len(made) > 1:
            for item in leaves(args):
                if type(item) is Proxy:
                    self.link(item, item.read(), wrapped, varies)

    # ------------------------------------------------------------------ indexing and writing
    def getitem(self, x: Proxy, index: Any) -> Any:
        """x[index]."""
        check_items(self.tracer, x, "is not subscriptable")
        value = x.read()
        if isinstance(index, str):
            self.tracer.operands.check_given(x, index)
            raise TypeError("indices of a tensor are numbers, slices and tensors, and no text")
        read = x.backend.methods.get("__getitem__") if x.backend is not None else None
        where = positions(self.tracer, as_positions(self.tracer, index))
        if where == () and type(x.base) is Element:  # a number of its own, or a view of the whole of a view
            return x
        wrapped = Proxy((ops.getitem if read is None else read.fn)(value, where), x.backend)
        if kind := rows_kind(x):
            return indexed(kind, wrapped, index)
        if x.backend is None or x.backend.views:
            self.is_array(x)
            self.link_item(x, value, wrapped, *self._integers_of(where))
        return wrapped

    def link_item(
        self, x: Proxy, value: Value, wrapped: Any, integers: int, given: Conditions = SURE, sliced: bool = False
    ) -> None:
        """Make what an index gives a view of x; `integers`: how many there are, if it is made of these alone, as is `given`,
        else 0; `sliced`: whether there is a slice."""
        if type(wrapped) is Proxy and scalar(wrapped) == SURE:
            return
        axes = self.tracer.record.rank_of(x.value) if x.backend is None or x.backend.numbers else None
        if not integers or (x.backend is not None and not x.backend.numbers) or (axes or 0) > integers:
            self.link(x, value, wrapped, sliced=sliced)
            return
        for item in leaves(wrapped):
            found = every((self.tracer.record.item_when(x.value, integers), given))
            if axes is None or given or x.backend is None:
                item.base, item.seen = Element(x, item.value.node.args[1], found), 0

    def _integers_of(self, index: Any) -> tuple[int, Conditions, bool]:
        """How many integers an index has, if it has nothing else, and when these are integers; else 0. Whether it has a slice."""
        items = index if type(index) is tuple else (index,)
        numbers = self.tracer.backend is not None and self.tracer.backend.numbers
        given = every(self.tracer.record.integer_when(item, numbers) for item in items)
        return (0, SURE, slice in map(type, items)) if given is None or given == NEVER else (len(items), given, False)

    def is_array(self, x: Proxy) -> None:
        """What is indexed is no number: where that was open, it is a view."""
        if isinstance(x.base, (Element, Selected)):
            self.tracer.assumed.deepen(x.base.apart)
        if type(x.base) is Element:
            owner = x.base.owner
            x.read()
            x.base = None
            self.link(owner, owner.read(), x)
            if x.base is None:  # what holds it is another tensor by now
                lose(x, "an index gives a view of a matrix, and that was written since")
                x.read()
        elif isinstance(x.base, Doubt):
            x.base.conditions = None
        elif x.base is None and self.tracer.assumed.ranks_given(scalar(x)):
            what = f"GFX cannot convert this index: {called(x)!r} was taken for a number of NumPy's before, where it was changed in place"
            raise self.tracer.error(what, "give the argument at capture, or ask for x.ndim before it is changed")
        else:
            self.tracer.assumed.deepen(scalar(x))

    def setitem(self, x: Proxy, index: Any, new: Any) -> None:
        """x[index] = new."""
        if x.backend is not None and not x.backend.views:
            raise TypeError("JAX arrays are immutable: write x = x.at[index].set(value)")
        check_items(self.tracer, x, "does not support item assignment")
        where = positions(self.tracer, index)
        regained(x, where, new)
        if x.read() is new:
            return
        array_is_written(x, "a number of NumPy's does not support item assignment")
        self.is_array(x)
        put = x.backend.methods.get("__setitem__") if x.backend is not None else None
        refuse_overlap(self.tracer, x, where, new)
        value = self.tracer.unwrap(new)
        missing = value is None or (
            type(value) is Value and value.kind in ("optional", "any") and not self.tracer.facts.there(value)
        )
        if missing and x.backend is not None and x.backend.numbers:
            what = "GFX cannot convert this write: it may write None, of which NumPy makes nan in an array of floats"
            raise self.tracer.error(what, "write np.nan, or test for None before")
        old, before = x.read(), self.tracer.graph.last
        if not is_written(old, where, value):
            result = (ops.index_put if put is None else put.fn)(old, where, value)
            self.wrote(result, old, before)
            x.write(result)

    def inplace(self, sign: str, x: Any, other: Any, sure: bool = False) -> Any:
        """x += other: a write where the framework's arrays are mutable, else a new value. `sure`: if it is a tensor, it is one on
        every way to here."""
        if not isinstance(x, Proxy):
            return PYTHON_INPLACE[sign](x, other)
        if type(other) is Gated:
            return self.tracer.gates.resolve(other, lambda side: self.inplace(sign, x, side, sure))
        other = self.tracer.operands.as_array(sign, x, other)
        operand = self.tracer.operands.operand(other, x.backend)
        if operand is NotImplemented:
            return self.tracer.operands.no_operand(f"{sign}=", x, other)
        decide(x)
        base = x.base
        if type(base) is Either and base.of_number:
            again = lambda held, sure: self.inplace(sign, held.of(x) if type(held) is Number else held, other, sure)
            return base.chosen(lambda held: again(held, all(held is not one for one in base.unsure)))
        unsure = type(base) is Element or (isinstance(base, Doubt) and base.conditions is not None)
        number = base.conditions if unsure else scalar(x)
        name, written = f"__{PYTHON_INPLACE[sign].__name__}__", _is_written_by(sign, x.backend)
        turned = written and not (sure or x.array) and not x.weak and self.tracer.record.may_be_python(x, x.value)
        fixed = x.weak or x.backend is None or not written or unsure or number is not None or turned
        write = None if fixed else x.backend.methods.get(name)  # which keeps the dtype
        old, before = x.read(), self.tracer.graph.last
        value = (lookup(SYMBOLS[sign]) if write is None else write.fn)(old, operand)
        if fixed:
            if written and not x.weak and number != SURE:  # which is written where it is an array
                self.tracer.raising.writes(value, old)
            kinds = number_kinds(x), number_kinds(other)
            made = Proxy(
                value,
                x.backend,
                combined(self.tracer, SYMBOLS[sign], (old, operand), kinds, value) if all(kinds) else "",
            )
            why = f"`{sign}=` writes in place in some frameworks, and makes a new array in others"
            if unsure:
                for owner, _ in base.others:
                    lose(owner, why if x.backend is None else base.why, put_back(x, made), number)
            elif turned and number is None:
                why = f"`{sign}=` writes a tensor in place, and on another way to here this is a number of Python's"
                lose(x, why, put_back(x, made))
            elif number or (x.backend is None and not x.weak):
                lose(x, why, put_back(x, made), number)
            return made
        refuse_overlap(self.tracer, x, None, other)
        array_is_written(x, "")
        self.wrote(value, old, before)
        x.write(value)
        return x

    def unary(self, sign: str, op: OpDef, x: Any) -> Any:
        """-x, +x, ~x, abs(x)."""
        if sign == "~":
            check_bits(self.tracer, x)
        if isinstance(x, Proxy):
            own = x.backend.methods.get("__pos__") if x.backend is not None and sign == "+" and not x.weak else None
            value = x.read()
            if x.backend is not None and op.name in x.backend.operators and not x.weak:
                self.tracer.operands.check_operands(op, (value,), x.backend)
            made = op(value) if own is None else own.fn(value)
            weak = operator_kinds(op.name, (number_kinds(x),)) if x.weak else ""
            return x if made is value else Proxy(made, x.backend, weak)
        if x.value.kind not in (*NUMBERS, "any"):
            sign = UNARY_SIGNS.get(sign, sign)
            raise TypeError(
                f"bad operand type for {'unary ' if len(sign) == 1 else ''}{sign}: {class_name(self.tracer, x)!r}"
            )
        if sign == "+":
            return self.tracer.wrap(self.tracer.host("int", x.value), x.backend) if x.value.kind == "bool" else x
        return self.tracer.wrap(self.tracer.host(sign, x.value), x.backend)


PYTHON_INPLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "//": operator.ifloordiv,
    "%": operator.imod, "**": operator.ipow, "@": operator.imatmul, "&": operator.iand, "|": operator.ior,
    "^": operator.ixor, "<<": operator.ilshift, ">>": operator.irshift,
}  # fmt: skip


def _sizes(method: BoundLift, sizes: tuple, dim: Any = None) -> Any:
    """x.size(dim) of a tensor whose sizes are known."""
    if dim is None:
        return sizes
    return sizes[dim] if type(dim) is int else method(dim)


def _is_written_by(sign: str, owner: Backend | None) -> bool:
    """Whether an operator in place writes the arrays of a framework: PyTorch's tensors have no `@=`, for which Python makes a new one."""
    return owner is None or (owner.views and hasattr(owner.tensor_types[0], f"__{PYTHON_INPLACE[sign].__name__}__"))
