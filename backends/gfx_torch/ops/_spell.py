"""What spellings ask about an op's arguments: Values when code is printed, tensors when it runs."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from gfx_ir.dtypes import DTYPES, DType, int64
from gfx_ir.graph import Value
from gfx_ir.op import OpDef, lookup
from gfx_ir.python_numbers import computes_floats
from gfx_ir.rules import infer
from gfx_ir.types import LogicalTensor


def is_scalar(x: Any) -> bool:
    """Whether x is Python data where the spelling stands: a number, or a host value that is no shape."""
    if not isinstance(x, Value):
        return isinstance(x, (bool, int, float, complex))
    return not x.is_tensor and x.kind != "shape"


def number_or_tensor(op: str) -> Callable[[SimpleNamespace], str]:
    """torch.op(x), of a Python number by math."""

    def spelling(args: SimpleNamespace) -> str:
        if not is_scalar(args.x):
            return f"torch.{op}(x)"
        return f"{lookup(op).python}(x)" if computes_floats(lookup(op)) else f"torch.{op}(x)"

    return spelling


def spread(text: str, name: str) -> Callable[[SimpleNamespace], str]:
    """A call that takes sizes one by one, where they stand in a tuple: `x.reshape(*shape)`."""
    plain = text.replace(f"*{name}", name)
    return lambda args: text if isinstance(getattr(args, name), (tuple, list)) and getattr(args, name) else plain


def sized(text: str) -> Callable[[SimpleNamespace], str]:
    """A call that takes a tuple of sizes, whose shape may be a single size, also one of an array's."""

    def one(shape: Any) -> bool:
        if isinstance(shape, torch.Tensor) or (isinstance(shape, Value) and shape.is_tensor):
            return rank_of(shape) == 0
        return isinstance(shape, int) or (isinstance(shape, Value) and shape.kind == "int")

    return lambda a: text.replace("shape", "(shape,)") if one(a.shape) else text


def dtype_of(x: Any) -> DType | None:
    """The dtype of a tensor argument where it is known."""
    if isinstance(x, torch.Tensor):
        return DTYPES.get(str(x.dtype).removeprefix("torch."))
    kind = x.type if isinstance(x, Value) else None
    return kind.dtype if isinstance(kind, LogicalTensor) else None


def rank_of(x: Any) -> int | None:
    """The rank of a tensor argument where it is known."""
    if isinstance(x, torch.Tensor):
        return x.ndim
    kind = x.type if isinstance(x, Value) else None
    return kind.rank if isinstance(kind, LogicalTensor) else None


def kind_of(x: Any) -> str:
    """Kind of the dtype of a tensor argument: b, i, u, f, c, or empty where it is unknown."""
    found = dtype_of(x)
    return found.kind if found is not None else ""


def gives_fractions(op: OpDef) -> bool:
    """Whether an op of two tensors computes fractions of whole numbers."""
    whole = LogicalTensor(int64, ())
    return bool(infer(op, (whole, whole), "torch")[0].dtype.kind == "f")


def tensors(call: str, a: Any, b: Any, fractions: bool = False) -> str:
    """A torch function of x1 and x2 that takes no Python numbers. `fractions`: it computes these, of whole numbers too, in whose
    dtype a number may have no place."""
    texts = []
    for name, value, other, beside in (("x1", a, b, "x2"), ("x2", b, a, "x1")):
        whole = (
            fractions
            and not isinstance(value, (float, complex))
            and not is_scalar(other)
            and kind_of(other) not in ("f", "c")
        )
        both = f"{beside}, 1.0" if whole else "x1, x2"
        texts.append(f"torch.as_tensor({name}, dtype=torch.result_type({both}))" if is_scalar(value) else name)
    return f"{call}({texts[0]}, {texts[1]})"


def as_index(name: str, indices: Any, taken: tuple[str, ...] = ("int64",)) -> str:
    """`indices` as torch takes positions: of the dtypes that are taken, cast to int64 where the dtype is known to be another; of booleans,
    which would be a mask, 0 and 1."""
    found = dtype_of(indices)
    return name if found is None or found.name in taken or found.kind not in "biu" else f"{name}.long()"


def scattered(args: SimpleNamespace) -> str:
    """What is scattered into x: of its dtype, which positions, as `argmax` gives them, are wider than, where a framework has those of 32 bits."""
    if is_scalar(args.updates):
        return f"torch.full_like({as_index('indices', args.indices)}, updates, dtype=x.dtype)"
    known = dtype_of(args.x)
    return "updates" if known is None or known.kind not in "iu" or known is int64 else "updates.to(x.dtype)"
