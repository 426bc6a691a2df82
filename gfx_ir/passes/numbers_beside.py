"""Whole numbers beside arrays of narrower ones: what each framework makes of those that a dtype does not hold."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from ..dtypes import DType, bool_, framework_of, int64
from ..edited import put_before
from ..errors import UnsupportedConstruct
from ..graph import Node, Value
from ..infer.elements import declared
from ..infer.facts import Facts
from ..op import Trait

WORD = 32  # bits, to which every framework adds up


def fit_numbers(node: Node, rules: str, facts: Facts) -> None:
    """Make whole numbers beyond 64 bits floats, as which NumPy takes them beside floats: of whole numbers it takes none of these.
    Raises UnsupportedConstruct where another framework's array meets one, which raises an OverflowError there."""
    if node.op.traits & Trait.ELEMENTWISE and any(map(_is_beyond, node.args)):
        if all(facts.is_number(arg) for arg in node.args):
            return  # Python's own, without end
        if rules != "numpy" and any(type(arg) is Value and not facts.may_be_number(arg) for arg in node.args):
            what = f"no {framework_of(rules)} array takes a whole number of more than 64 bits: Python raises an OverflowError here"
            raise UnsupportedConstruct(what, node.span, "make it a float: float(n)")
        node.set_args(tuple([float(arg) if _is_beyond(arg) else arg for arg in node.args]))


def wrap_numbers(node: Node, rules: str, target: str) -> None:
    """Keep what a whole number is beside an array of narrower ones: PyTorch and JAX let it wrap, NumPy compares it as it is.
    Raises UnsupportedConstruct where NumPy computes with it, which raises an OverflowError."""
    pair = node.args[:2]
    of = [declared(leaf) for leaf in pair if type(leaf) is Value and leaf.is_tensor]
    if node.op.traits & Trait.ELEMENTWISE and len(node.args) > 2:
        _check_bounds(node, target)
    if len(node.args) != 2 or not node.op.traits & Trait.ELEMENTWISE or len(of) != 1 or of[0] is None:
        return
    dtype, number = of[0], next((arg for arg in pair if type(arg) is int), 0)
    fractions = getattr(declared(node.values[0]), "kind", "") in ("f", "c")  # in which the number has its own place
    if dtype.kind not in "iu" or _wrapped(number, dtype) == number or fractions:
        return
    if rules != "numpy" and (target == "numpy" or number.bit_length() >= WORD):
        node.set_args(tuple([_wrapped(arg, dtype) if type(arg) is int else arg for arg in node.args]))
    elif rules == "numpy" and declared(node.values[0]) is bool_ and dtype.bits < int64.bits:
        for value in (leaf for leaf in pair if type(leaf) is Value):
            node.replace_input(value, as_dtype(node, value, int64))
    elif rules == "numpy" and declared(node.values[0]) == dtype:
        what = f"NumPy raises an OverflowError here: {dtype} holds no {number}, and {target} source would let it wrap"
        raise UnsupportedConstruct(what, node.span, "cast the array first: x.astype(np.int64)")


def _check_bounds(node: Node, target: str) -> None:
    """Raise UnsupportedConstruct for a whole number that the dtype of a bound or choice does not hold: each framework makes
    something else of it."""
    dtype = declared(node.values[0])
    numbers = [arg for arg in node.args if type(arg) is int] if dtype is not None and dtype.kind in "iu" else []
    strange = [number for number in numbers if _wrapped(number, dtype) != number]  # type: ignore[arg-type]
    if strange:
        what = f"GFX cannot write this {node.op.name} as {target} source: {dtype} holds no {strange[0]}, of which each framework makes another number"
        raise UnsupportedConstruct(what, node.span, "take a number that it holds, or cast the array first")


def _wrapped(number: int, dtype: DType) -> int:
    """A number in as many bits as a dtype of whole numbers has."""
    least = -(1 << dtype.bits - 1) if dtype.kind == "i" else 0
    return (number - least) % (1 << dtype.bits) + least


def _is_beyond(x: Any) -> bool:
    return type(x) is int and 64 < x.bit_length() <= sys.float_info.max_exp


def as_dtype(node: Node, value: Value, dtype: DType, by: str = "astype") -> Value:
    """The value in a dtype, by a new node before the one that takes it."""
    made = put_before(node, by, value, dtype)
    made.type = dataclasses.replace(value.type, dtype=dtype)  # type: ignore[type-var]
    return made
