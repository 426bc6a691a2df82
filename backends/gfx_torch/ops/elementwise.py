"""Elementwise ops."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import as_parameter
from gfx_ir.control import is_placeholder
from gfx_ir.dtypes import DType, complex128, float64
from gfx_ir.graph import Value
from gfx_ir.lifting.elements import to_decimals
from gfx_ir.lifting.words import kind_of as known_kind
from gfx_ir.op import lookup
from gfx_ir.ops._body import as_wide_as, widened
from gfx_ir.promotion import promote
from gfx_ir.types import LogicalTensor

from .. import kinds
from ..lifting import cast_back, names, one, refuse, swapped, two
from ..lifts import arithmetic, finding, shapes
from ._spell import dtype_of, gives_fractions, is_scalar, kind_of, number_or_tensor, tensors

_CASTS = {
    "float32": "float", "float64": "double", "float16": "half", "bfloat16": "bfloat16", "int64": "long", "int32": "int", "bool": "bool",
}  # fmt: skip


def _angle(args: SimpleNamespace) -> str:
    """torch.angle of a real -0 is 0."""
    known = kind_of(args.x)
    return "torch.angle(x)" if known == "c" else "torch.atan2(torch.zeros_like(x), x)" if known else "phase(x)"


def _abs(args: SimpleNamespace) -> str:
    """torch.abs takes no booleans, which are their own."""
    return "abs(x)" if is_scalar(args.x) else "x.clone()" if kind_of(args.x) == "b" else "torch.abs(x)"


def _cast(args: SimpleNamespace) -> str:
    """x.float() and its like: shorter than x.to(dtype), and quicker. A number becomes one of that dtype at once: by way of the
    default one it would lose digits."""
    if is_scalar(args.x) and getattr(args.dtype, "kind", "f") in "fc":
        return "torch.as_tensor(x, dtype=dtype)"
    short = _CASTS.get(args.dtype.name) if isinstance(args.dtype, DType) else None
    return f"x.{short}()" if short else "x.to(dtype)"


def _promoted(args: SimpleNamespace) -> str:
    """Where NumPy has another dtype than torch.promote_types, or x stands for a longer expression, by a helper."""
    same = not args.wide or args.dtype in (float64, complex128)
    short = not isinstance(args.x, Value) or is_placeholder(args.x.node)
    return "x.to(torch.promote_types(x.dtype, dtype))" if same and short else "promote_with(x, dtype)"


def _unary(op: str, *also: str, emit: Any = None, extra: str = "") -> Row:
    """torch.op(x), also called `also`."""
    return Row(op, emit or number_or_tensor(op), {f"{names(op, *also)} {extra}": one(lookup(op))})


_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


def _infix(op: str, sign: str, *also: str, dunder: str = "") -> Row:
    """x1 sign x2."""
    fn = two(lookup(op))
    lift: dict[str, Any] = {names(*also): fn} if also else {}
    if dunder:
        lift[f"Tensor.__{dunder}__"] = fn
        if dunder not in _COMPARE:
            lift[f"Tensor.__r{dunder}__"] = swapped(lookup(op))
            lift[f"Tensor.__i{dunder}__"] = _inplace(op)
    return Row(op, f"x1 {sign} x2", lift, spare=dunder in _COMPARE or op == "multiply")


def _inplace(op: str) -> Any:
    return lambda input, other: cast_back(lookup(op)(input, other), input, other)


def _binary(op: str, *also: str) -> Row:
    """torch.op(x1, x2), tensors only."""
    fractions = gives_fractions(lookup(op))
    return Row(op, lambda a: tensors(f"torch.{op}", a.x1, a.x2, fractions), {names(op, *also): two(lookup(op))})


def _scaled(op: str) -> Any:
    """torch.add and torch.sub have alpha."""

    def fn(input: Any, other: Any, *, alpha: Any = 1) -> Any:
        if op == "subtract":
            kinds.subtract((input, other))
        if isinstance(alpha, float):
            kinds.check(f"torch.{op} with an alpha of {alpha}", [input, other], "fc")
        return lookup(op)(input, other if type(alpha) is int and alpha == 1 else _times(alpha, other, input))

    return fn


def _times(alpha: Any, other: Any, input: Any) -> Any:
    """alpha * other in the dtype of the result, in which narrow whole numbers do not wrap: booleans are no whole numbers there."""
    beside, own = (known_kind(x) for x in (input, other))
    if own == "b" and beside == "b" and isinstance(alpha, (bool, int)):
        return other if alpha else ops.zeros_like(other)
    if isinstance(alpha, bool):
        refuse("PyTorch takes a boolean alpha for booleans alone", "give it a number")
    pair = [x.type for x in (input, other) if isinstance(x, Value) and isinstance(x.type, LogicalTensor)]
    element = promote(pair, "torch")[0] if len(pair) == 2 else None
    if element is not None and element != dtype_of(other):
        return ops.multiply(alpha, ops.astype(other, element))
    if isinstance(other, Value):
        kinds.check("torch's product of alpha", [other], "buifc" if own == "b" else "uifc", silent=True)
    return ops.multiply(alpha, other)


def _difference(args: SimpleNamespace) -> str:
    """x1 - x2; PyTorch takes no booleans, which are whole numbers where others do."""
    return " - ".join(f"{name}.long()" if kind_of(getattr(args, name)) == "b" else name for name in ("x1", "x2"))


def _divide(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    if rounding_mode is None:
        return ops.divide(input, other)
    if rounding_mode == "floor":
        return ops.floor_divide(input, other)
    if rounding_mode != "trunc":
        refuse(f"torch.div knows no rounding_mode={rounding_mode!r}")
    return ops.trunc_divide(input, other)


def _trunc_divide(args: SimpleNamespace) -> str:
    """torch.div takes a number only as its second argument."""
    first = "torch.as_tensor(x1, dtype=torch.result_type(x1, x2))" if is_scalar(args.x1) else "x1"
    return f"torch.div({first}, x2, rounding_mode='trunc')"


def _clamp(limit: str, name: str) -> Any:
    """torch.maximum and minimum of a tensor and a number."""

    def spelling(args: SimpleNamespace) -> str:
        if _complex(args):
            return f"complex_{name}(x1, x2)"
        known = known_kind(args.x1), known_kind(args.x2)
        if known == ("b", "b") and is_scalar(args.x1) != is_scalar(args.x2):  # PyTorch clamps no booleans
            return f"x1 {'|' if limit == 'min' else '&'} x2"
        if "b" in known and None in known:
            return tensors(f"torch.{name}", args.x1, args.x2)
        if is_scalar(args.x2) and not is_scalar(args.x1):
            return f"torch.clamp(x1, {limit}=x2)"
        if is_scalar(args.x1) and not is_scalar(args.x2):
            return f"torch.clamp(x2, {limit}=x1)"
        return tensors(f"torch.{name}", args.x1, args.x2)

    return spelling


def _ordering(op: str, sign: str, call: str) -> Row:
    """x1 sign x2, which PyTorch has not of complex numbers."""
    row = _infix(op, sign, call, *((op,) if op != call else ()), dunder=call)
    return replace(row, emit=lambda a: f"lexical(torch.{call}, x1, x2)" if _complex(a) else f"x1 {sign} x2")


def _complex(args: SimpleNamespace) -> bool:
    return "c" in (kind_of(args.x1), kind_of(args.x2))


def _clip(args: SimpleNamespace) -> str:
    if args.min is None and args.max is None:
        return "x"
    if args.min is not None and args.max is not None and is_scalar(args.min) != is_scalar(args.max):
        return "torch.clamp(torch.clamp(x, min=min), max=max)"
    return "torch.clamp(x, min=min, max=max)"


def _positive(input: Any) -> Any:
    """+x is x itself, not a copy."""
    return input if isinstance(input, Value) else ops.positive(input)


def _round(input: Any, *, decimals: int | None = None) -> Any:
    if decimals is not None:
        kinds.check("torch.round with decimals=", [input], "f")
    if not decimals:
        return ops.round(input)
    return as_wide_as(input, to_decimals(widened(input), decimals))


def _where(condition: Any, input: Any = ..., other: Any = ...) -> Any:
    if input is ... and other is ...:
        return finding.nonzero(condition, as_tuple=True)
    if any(x is None or x is ... for x in (input, other)):
        raise TypeError("where() takes two values beside the condition, or none")
    kinds.check("torch.where's condition", [condition], "bu")
    return ops.where(condition, input, other)


def _sign(args: SimpleNamespace) -> str:
    """Of what is no number, PyTorch's is 0."""
    kind = kind_of(args.x)
    if kind in ("b", "i", "u") or (isinstance(args.x, Value) and args.x.kind in ("int", "bool")):
        return "torch.sign(x)"
    return "torch.sgn(x)" if kind == "c" else "torch.where(torch.isnan(x), x, torch.sign(x))"


def _sign_lift(input: Any) -> Any:
    kind = kind_of(input)
    if kind == "b":
        return ops.copy(input)
    return ops.sign(input) if kind == "c" else ops.sign_or_zero(input)


ROWS = (
    *(
        _unary(name)
        for name in (
            "cos cosh exp exp2 isinf isnan log log10 log1p log2 reciprocal rsqrt signbit sin sinh sqrt tan"
        ).split()
    ),
    _unary("abs", "absolute", emit=_abs, extra="Tensor.__abs__"),
    _unary("acos", "arccos"),
    _unary("acosh", "arccosh"),
    Row("angle", _angle),
    Row("angle_or_zero", "torch.angle(x)", {names("angle"): one(ops.angle_or_zero)}),
    _unary("asin", "arcsin"),
    _unary("asinh", "arcsinh"),
    _unary("atan", "arctan"),
    _unary("atanh", "arctanh"),
    Row("bitwise_invert", "~x", {f"{names('bitwise_not')} Tensor.__invert__": one(ops.bitwise_invert)}),
    _unary("ceil"),
    Row(
        "conj",
        number_or_tensor("conj"),
        {names("conj"): shapes.conj, names("conj_physical"): shapes.conj_physical},
        copies=tuple(names("conj_physical").split()),
    ),
    _unary("deg2rad"),
    _unary("digamma", extra="torch.special.digamma torch.special.psi"),
    _unary("erf", extra="torch.special.erf"),
    _unary("erfc", extra="torch.special.erfc"),
    _unary("erfinv", extra="torch.special.erfinv"),
    _unary("expm1", extra="torch.special.expm1"),
    _unary("floor"),
    Row(
        "imag",
        lambda a: {"c": "torch.imag(x)", "": "imaginary(x)"}.get(kind_of(a.x), "torch.zeros_like(x)"),
        {"torch.imag Tensor.imag@": one(ops.imag)},
    ),
    _unary("isfinite"),
    _unary("lgamma", extra="torch.special.gammaln"),
    Row(
        "logical_not",
        lambda a: "not x" if is_scalar(a.x) else "torch.logical_not(x)",
        {names("logical_not"): one(ops.logical_not)},
    ),
    Row("negative", "-x", {f"{names('neg', 'negative')} Tensor.__neg__": one(ops.negative)}),
    Row("positive", "+x", {f"{names('positive')} Tensor.__pos__": _positive}),
    _unary("rad2deg"),
    Row("real", "torch.real(x)", {"torch.real Tensor.real@": one(ops.real)}),
    Row("rint", lambda a: "torch.round(x)" if kind_of(a.x) == "f" else "torch.round(x * 1.0)"),
    Row("round", "torch.round(x)", {names("round"): _round}),
    _unary("sigmoid", extra="torch.special.expit F.sigmoid"),
    Row("sign", _sign),
    Row("sign_or_zero", "torch.sign(x)", {names("sign"): _sign_lift}),
    Row("sgn", "torch.sgn(x)", {names("sgn"): lambda input: _sign_lift(input) if kind_of(input) else ops.sgn(input)}),
    Row("square", number_or_tensor("square"), {names("square"): arithmetic.square}),
    _unary("tanh", extra="F.tanh"),
    _unary("trunc", "fix"),
    Row(
        "add",
        "x1 + x2",
        {
            names("add"): _scaled("add"),
            "Tensor.__add__": two(ops.add),
            "Tensor.__radd__": swapped(ops.add),
            "Tensor.__iadd__": _inplace("add"),
        },
        in_place="x1.add_(x2)",
        spare=True,
    ),
    Row(
        "subtract",
        _difference,
        {
            names("sub", "subtract"): _scaled("subtract"),
            "Tensor.__sub__": two(ops.subtract),
            "Tensor.__isub__": lambda input, other: cast_back(_scaled("subtract")(input, other), input, other),
            "Tensor.__rsub__": swapped(ops.subtract),
            "torch.rsub": lambda input, other, *, alpha=1: _scaled("subtract")(other, input, alpha=alpha),
        },
        in_place="x1.sub_(x2)",
        spare=True,
    ),
    _infix("multiply", "*", "mul", "multiply", dunder="mul"),
    Row(
        "divide",
        "x1 / x2",
        {
            names("div", "divide", "true_divide"): _divide,
            "Tensor.__truediv__ Tensor.__div__": two(ops.divide),
            "Tensor.__rtruediv__ Tensor.__rdiv__": swapped(ops.divide),
            "Tensor.__itruediv__ Tensor.__idiv__": _inplace("divide"),
        },
        spare=True,
    ),
    Row("trunc_divide", _trunc_divide),
    _infix("floor_divide", "//", "floor_divide", dunder="floordiv"),
    Row(
        "remainder",
        "x1 % x2",
        {
            f"{names('remainder')} Tensor.__mod__": two(ops.remainder),
            "Tensor.__rmod__": swapped(ops.remainder),
            "Tensor.__imod__": _inplace("remainder"),
        },
    ),
    Row(
        "pow",
        "x1 ** x2",
        {
            f"{names('pow')} Tensor.__pow__": arithmetic.power,
            "Tensor.__rpow__": lambda input, other: arithmetic.power(other, input),
            "Tensor.__ipow__": _inplace("pow"),
        },
    ),
    Row("integer_pow", "x1 ** x2"),
    _infix("bitwise_and", "&", "bitwise_and", dunder="and"),
    _infix("bitwise_or", "|", "bitwise_or", dunder="or"),
    _infix("bitwise_xor", "^", "bitwise_xor", dunder="xor"),
    _infix("bitwise_left_shift", "<<", "bitwise_left_shift", dunder="lshift"),
    _infix("bitwise_right_shift", ">>", "bitwise_right_shift", dunder="rshift"),
    _infix("equal", "==", "eq", dunder="eq"),
    _infix("not_equal", "!=", "ne", "not_equal", dunder="ne"),
    _ordering("less", "<", "lt"),
    _ordering("less_equal", "<=", "le"),
    _ordering("greater", ">", "gt"),
    _ordering("greater_equal", ">=", "ge"),
    _binary("atan2", "arctan2"),
    _binary("copysign"),
    _binary("fmod"),
    Row("heaviside", "heaviside(x1, x2)"),
    _binary("hypot"),
    _binary("logaddexp"),
    _binary("logical_and"),
    _binary("logical_or"),
    _binary("logical_xor"),
    _binary("nextafter"),
    Row("maximum", _clamp("min", "maximum"), {names("maximum"): two(ops.maximum)}),
    Row("minimum", _clamp("max", "minimum"), {names("minimum"): two(ops.minimum)}),
    Row(
        "clip",
        _clip,
        {
            names("clamp", "clip"): lambda input, min=None, max=None: ops.clip(input, min, max),
            names("clamp_min"): lambda input, min: ops.clip(input, min, None),
            names("clamp_max"): lambda input, max: ops.clip(input, None, max),
        },
    ),
    Row(
        "where",
        lambda a: f"torch.where({'torch.as_tensor(condition)' if is_scalar(a.condition) else 'condition'}, x1, x2)",
        {"torch.where": _where, "Tensor.where": lambda input, condition, other: _where(condition, input, other)},
        truths="condition",
    ),
    Row("astype", _cast),
    Row("promote_with", _promoted),
    Row("as_number_beside", "as_number_beside(x, like)"),
    Row("as_floats", "as_floats(x, dtype)"),
    Row("straight_through", "straight_through(x, value)"),
    Row(
        "stop_gradient",
        "x.detach()",
        {
            "torch.detach Tensor.detach Tensor.data@": one(ops.stop_gradient),
            "torch.nn.Parameter": lambda data, requires_grad=True: as_parameter(ops.stop_gradient(data)),
            "torch.autograd.Variable": lambda data, requires_grad=False, volatile=None: ops.stop_gradient(data),
        },
    ),
    Row(
        "copy",
        "x.clone()",
        {"torch.clone Tensor.clone": lambda input, *, memory_format=None: ops.copy(input)},
        spare=True,
    ),
)
