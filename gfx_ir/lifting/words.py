"""Words that lifts share: how options are refused, and what can be known of an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import ml_dtypes
import numpy as np

from .. import ops
from ..build import assumptions, dtype_of, host, parameter_data, rank_of, surely_boolean, told_dtype, told_kind
from ..defaults import float_here
from ..dtypes import DTYPES, DType, bool_
from ..dtypes import kind_of as kind_of_number
from ..errors import MissingOp, ShapeError
from ..graph import Value
from ..op import OpDef, active
from ..ops import _seen
from ..promotion import float_of
from ..types import LogicalTensor

Lifted = Callable[..., Any]
Table = Mapping[str, Mapping[str, Lifted]]
"""Op: {names: lift}. Names as a dialect completes them: `sum` is a function, `.sum` a method, `.T@` an attribute."""


class Dialect:
    """A namespace that speaks NumPy's language: "np" with "ndarray", "jnp" with "Array"."""

    def __init__(
        self, prefix: str, array: str, as_array: Callable[[Any], Any] = lambda x: x,
        silent: Mapping[str, Sequence[Any]] | None = None, several: type = list, rules: str = "jax",
    ) -> None:  # fmt: skip
        """`as_array`: what becomes of a list in place of an array; `silent`: the values of options that say nothing
        (None for those not named); `several`: what functions with several results return; `rules`: of its dtypes."""
        self.prefix, self.array, self.as_array, self.several = prefix, array, as_array, several
        self.rules = rules
        self.silent = dict(silent or {})

    def floats(self, x: Any) -> Any:
        """An array as its functions of real numbers take it: NumPy computes with whole numbers as long as it can."""
        return as_floats(self.as_array(x)) if self.rules == "jax" else self.as_array(x)

    def refuse(self, call: str, **options: Any) -> None:
        """Raise MissingOp where an option is given whose meaning no op can express."""
        for name, value in options.items():
            if not _among(value, self.silent.get(name, (None,))):
                raise MissingOp(f"GFX has no row for {call} with {name}=", hint="leave it out, or compute it apart")

    def call(self, name: str) -> str:
        """`np.sum`."""
        return f"{self.prefix}.{name}"

    def made(self, result: Any) -> Any:
        """What a function gives: of Python's numbers alone NumPy gives one of its own, whose dtype counts."""
        known = result.type if type(result) is Value else None
        weak = isinstance(known, LogicalTensor) and known.weak
        return ops.as_tensor(result) if weak and self.rules == "numpy" else result

    def answer(self, found: Any) -> Any:
        """What a function that tests arrays gives: NumPy's a boolean of Python's own."""
        return ops.to_bool(found) if self.rules == "numpy" else found

    def names(self, short: str) -> str:
        """`np.sum ndarray.sum` of `sum .sum`."""
        return " ".join(self.array + name if name.startswith(".") else self.call(name) for name in short.split())

    def table(self, *tables: Table) -> dict[str, dict[str, Lifted]]:
        """Tables made one, with names in full."""
        found: dict[str, dict[str, Lifted]] = {}
        for op, lifts in (item for table in tables for item in table.items()):
            found.setdefault(op, {}).update({self.names(short): fn for short, fn in lifts.items()})
        return found


def _among(value: Any, allowed: Sequence[Any]) -> bool:
    return any(value is a or (type(value) is type(a) and value == a) for a in allowed)


def expect(call: str, name: str, value: Any, *allowed: Any) -> None:
    """Raise MissingOp where an option has a value other than these."""
    if not _among(value, allowed):
        raise MissingOp(f"GFX has no row for {call} with {name}={value!r}", hint=f"it covers {name}={allowed[0]!r}")


# ---------------------------------------------------------------- functions of one or two arrays
def unary(op: OpDef, say: Dialect) -> Lifted:
    """The lift of a function of one array; options that frameworks add must be left out."""

    def lift(x: Any, **options: Any) -> Any:
        say.refuse(say.call(op.name), **options)
        return say.made(op(*_truths(say.as_array(x))))

    return lift


def binary(op: OpDef, say: Dialect) -> Lifted:
    """The lift of a function of two arrays."""

    def lift(x1: Any, x2: Any, **options: Any) -> Any:
        say.refuse(say.call(op.name), **options)
        return say.made(op(*_truths(say.as_array(x1), say.as_array(x2))))

    return lift


def _truths(*operands: Any) -> tuple[Any, ...]:
    """Operands of a function, of which those that are Python's booleans alone become arrays: a function of booleans gives
    another answer than Python's operator, which takes them as whole numbers."""
    if all(_is_truth(x) for x in operands):
        return tuple(ops.as_tensor(x, dtype=bool_) for x in operands)
    return operands


def _is_truth(x: Any) -> bool:
    if type(x) is Value and x.type is None:
        return surely_boolean(x, number=True)
    return _seen.is_plain(x) and kind_of(x) == "b"


def swapped(op: OpDef, say: Dialect | None = None) -> Lifted:
    """The lift of a reflected operator: `x.__rsub__(y)` is `y - x`."""
    return lambda x, other: op(other if say is None else say.as_array(other), x)


# ---------------------------------------------------------------- dtypes
def element(dtype: Any) -> Any:
    """A dtype argument: a DType, None, an open dtype, or a name, also one of NumPy's as "int". Raises MissingOp for what is none of
    these."""
    if isinstance(dtype, str):
        with suppress(KeyError, TypeError):
            return DTYPES[dtype if dtype in DTYPES else np.dtype(dtype).name]
    if dtype is None or isinstance(dtype, (DType, Value)):
        return dtype
    raise MissingOp(f"GFX knows no dtype {dtype!r}", hint=f"it knows {', '.join(DTYPES)}")


def as_dtype(x: Any, python: Callable[[type], DType | None]) -> DType | None:
    """The DType of `np.float32`, `np.dtype("float32")`, "float32", or, by `python`, a Python type; else None."""
    if isinstance(x, DType):
        return x
    if isinstance(x, str):
        return DTYPES.get(x)
    if isinstance(x, np.dtype):
        return DTYPES.get(x.name)
    if not isinstance(x, type):
        return None
    if x in (bool, int, float, complex):
        return python(x)
    known = issubclass(x, np.generic) and x.__name__.rstrip("_") in DTYPES
    return DTYPES.get(np.dtype(x).name) if known or getattr(ml_dtypes, x.__name__, None) is x else None


def known_dtype(x: Any) -> DType | None:
    """The dtype of a tensor where it is known; that of a parameter is, by its data."""
    found = dtype_of(x)
    data = getattr(parameter_data(x), "dtype", None) if found is None else None
    return found if data is None else as_dtype(str(data).rpartition(".")[2], lambda t: None)


def as_floats(x: Any) -> Any:
    """An array as a function of real numbers takes it: whole numbers and booleans, where they are known, as the float that holds them."""
    known, builder = known_dtype(x), active.builder
    made = None if known is None or builder is None else float_of(known, builder.promotion)
    return x if made is None or made == known else ops.astype(x, made)


def surely_floats(x: Any, rules: str) -> Any:
    """An array as floats, where its dtype is open, too: what the code has whole numbers for is made floats when it runs."""
    return as_floats(x) if known_dtype(x) is not None else ops.as_floats(x, float_here(rules))


def as_held(number: Any, kind: str | None) -> Any:
    """A number as an array of a kind holds it: whole numbers and booleans hold no more than they are."""
    return _HOLDING.get(kind or "", type(number))(number) if type(number) in (bool, int, float) else number


_HOLDING: Mapping[str, Callable[[Any], Any]] = {"b": bool, "i": int, "u": int}


def is_number(x: Any) -> bool:
    """Whether x is a number where an array may stand, or an array without axes."""
    return not isinstance(x, (list, tuple)) and (
        rank(x) == 0 if isinstance(x, Value) and x.is_tensor else _seen.is_plain(x)
    )


def kind_of(x: Any) -> str | None:
    """The kind of what x holds (b, i, u, f, c), for an array or a number; None where the capture does not know it."""
    if isinstance(x, (bool, int, float, complex)):
        return kind_of_number(x)
    if isinstance(x, Value) and not x.is_tensor:
        return {"int": "i", "float": "f", "bool": "b"}.get(x.kind)
    found = known_dtype(x) or (told_dtype(x) if isinstance(x, Value) else None)
    return None if found is None else found.kind


def conjugate(x: Any) -> Any:
    """The conjugates; real numbers are their own, booleans stay such."""
    return x if kind_of(x) in ("b", "u", "i", "f") else ops.conj(x)


def needed_dtype(x: Any, call: str) -> DType:
    """The dtype of a tensor, for a call that cannot do without. Raises ShapeError where neither a type nor the way it was made tells."""
    found = known_dtype(x) or (told_dtype(x) if isinstance(x, Value) and x.is_tensor else None)
    if found is None:
        raise unknown_dtype(call)
    return found


def needed_kind(x: Any, call: str, instead: str = "") -> str:
    """The same of the kind of what an array or a number holds. `instead`: what else its user may do."""
    found = kind_of(x) or (told_kind(x) if isinstance(x, Value) and x.is_tensor else None)
    if found is None:
        raise unknown_dtype(call, instead)
    return found


def unknown_dtype(call: str, instead: str = "") -> ShapeError:
    """The error of a call that does one thing to integers and another to floats, and gets what may be either."""
    hint = "give the argument's dtype: gfx.TensorSpec(shape, dtype)"
    return ShapeError(f"{call} needs the dtype of its argument", hint=f"{hint}{', ' if instead else ''}{instead}")


# ---------------------------------------------------------------- ranks, numbers, lists
def rank(x: Any) -> int | None:
    """The rank of an argument where it is known; that of a parameter is, by its data."""
    found = _seen.rank(x)
    return getattr(parameter_data(x), "ndim", None) if found is None else found


def ask_rank(x: Any, why: str, assumed: int | None = None) -> int:
    """The rank of x. Where it is open: `assumed`, which a guard and the source check; else an error."""
    found = rank(x)
    given = assumptions()
    if found is None and assumed is not None and given is not None:
        required: int = given.require_rank(x, assumed, why)
        return required
    return rank_of(x, why) if found is None else found


def has_at_most(x: Any, count: int, why: str) -> bool:
    """Whether x has no more axes than that. Where its rank is open it is taken to, which the source checks."""
    found = rank(x)
    if found is None and assumptions() is not None:
        check_rank(x, "<=", count, f"{why}: at most {count} axes")
        return True
    return (rank_of(x, why) if found is None else found) <= count


def check_rank(x: Any, sign: str, count: Any, told: str) -> None:
    """Let the source hold the rank of x, which is open, against a number."""
    ops.check(host(sign, ops.rank(x), count), told, "AssertionError")


def at_least(x: Any, count: int) -> Any:
    """x with new axes in front, up to so many."""
    found = rank(x)
    if found is None:
        return ops.at_least(x, count)
    return ops.expand_dims(x, tuple(range(count - found))) if found < count else x


def literal(*values: Any) -> bool:
    """Whether these are plain integers, or sequences of them."""
    for value in values:
        if isinstance(value, (tuple, list)):
            if not literal(*value):
                return False
        elif type(value) is not int:
            return False
    return True


def frozen(x: Any) -> Any:
    """A nest of lists as tuples."""
    return tuple(map(frozen, x)) if isinstance(x, (list, tuple)) else x


def parts(found: Any) -> list:
    """The results of an op that has one or several."""
    return list(found) if isinstance(found, (tuple, list)) else [found]
