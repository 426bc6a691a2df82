"""Casts, places, and other calls that are about a tensor as an object."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from gfx_ir import dtypes, ops
from gfx_ir.build import dtype_of, host, shown, told_dtype
from gfx_ir.dtypes import DType
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.lifting.broadcasting import broadcast_shapes
from gfx_ir.op import active
from gfx_ir.types import LogicalTensor

from ..lifting import default_dtype, dtype_like, element, is_dtype, is_number, known_rank, names, place, refuse
from .arranging import as_strided_copies

_OLD_NAMES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
}
_NAMED = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "long": "int64", "int": "int32",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
"""Methods that cast, and to what."""


def cast(x: Any, to: Any) -> Any:
    """x in another dtype; x itself where it has that dtype already."""
    to = element(to)
    return x if _has(x, to) else ops.astype(x, to)


def _has(x: Any, wanted: Any) -> bool:
    """Whether a tensor surely has a dtype."""
    known = told_dtype(x) if isinstance(x, Value) else dtype_of(x)
    return isinstance(wanted, DType) and known == wanted


def _wanted(args: tuple, dtype: Any, device: Any, other: Any, copy: Any) -> tuple[Any, Any, Any]:
    """What Tensor.to is asked for: a dtype, a device, and whether a copy."""
    flags = [arg for arg in args if isinstance(arg, bool)]  # non_blocking, copy
    for arg in (*args, dtype, device, other):
        if arg is None or isinstance(arg, bool):
            continue
        if is_dtype(arg):
            dtype = arg
        elif isinstance(arg, Value) and arg.is_tensor:
            dtype, device = dtype_like(arg), ops.device_of(arg)
        else:
            device = arg
    return dtype, device, flags[1] if len(flags) > 1 else copy


def to(input: Any, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, copy: Any = False) -> Any:
    """Tensor.to: a dtype, a device, or those of another tensor."""
    dtype, device, copy = _wanted(args, dtype, device, other, copy)
    out = input
    if copy is True:
        out = ops.copy(input) if dtype is None else ops.astype(input, element(dtype))
    elif dtype is not None:
        out = cast(input, dtype)
    return out if device is None else ops.to_device(out, place(device))


def _copied(input: Any, dtype: Any, place: Any = None, copy: Any = False) -> bool | str:
    """Whether a tensor is copied that is asked for in a dtype and at a place (see Lift.copies): it is itself where it has them."""
    wanted = None if dtype is None else element(dtype)
    if copy is True or (isinstance(wanted, DType) and told_dtype(input) not in (None, wanted)):
        return True
    return False if place is None and (wanted is None or _has(input, wanted)) else "maybe"


def _to_copies(
    input: Any, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, copy: Any = False,
    memory_format: Any = None, non_blocking: Any = False,
) -> bool | str:  # fmt: skip
    dtype, device, copy = _wanted(args, dtype, device, other, copy)
    return _copied(input, dtype, device if memory_format is None else memory_format, copy)


def type_(input: Any, dtype: Any = None, non_blocking: Any = False) -> Any:
    """Tensor.type(dtype)."""
    if dtype is None:
        return TypeText(dtype_like(input))
    if isinstance(dtype, TypeText):
        return cast(input, dtype.dtype)
    text = dtype.__name__ if isinstance(dtype, type) else dtype  # torch.FloatTensor
    if isinstance(text, str) and (found := _old_dtype(text) or (text if text is dtype else None)):
        dtype = dtypes.dtype(found.removeprefix("torch."))
    return cast(input, dtype)


def _old_dtype(text: str) -> str | None:
    """The name of the dtype that an old text of a tensor's type names."""
    return _OLD_NAMES.get(text.removeprefix("torch.").removeprefix("cuda.").removesuffix("Tensor"))


class TypeText:
    """What Tensor.type() gives, a text that names the dtype: for another call of type, and to be compared."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def _compared(self, sign: str, other: Any) -> Any:
        if isinstance(other, str):
            if "cuda" in other:
                refuse("Tensor.type() names the device, too", "compare x.dtype, and ask for x.is_cuda")
            named = _old_dtype(other) if other.startswith("torch.") and other.endswith("Tensor") else None
            other = None if named is None else TypeText(dtypes.dtype(named))
        if not isinstance(other, TypeText):
            return sign == "!="
        if isinstance(self.dtype, DType) and isinstance(other.dtype, DType):
            return (self.dtype == other.dtype) == (sign == "==")
        return shown(host(sign, self.dtype, other.dtype))

    def __eq__(self, other: Any) -> Any:
        return self._compared("==", other)

    def __ne__(self, other: Any) -> Any:
        return self._compared("!=", other)

    __hash__ = None  # type: ignore[assignment]


def _caster(name: str) -> Any:
    target = dtypes.dtype(name)
    return lambda input, memory_format=None: cast(input, target)


def _cuda(input: Any, device: Any = None, non_blocking: Any = False, memory_format: Any = None) -> Any:
    return ops.to_device(input, "cuda" if device is None else place(device))


def _same(input: Any, *args: Any, **kwargs: Any) -> Any:
    return input


def _requires_grad_(input: Any, requires_grad: Any = True) -> Any:
    return input if requires_grad else ops.stop_gradient(input)


class FInfo:
    """torch.finfo or iinfo of a dtype: numbers where the dtype is known, else host values."""

    def __init__(self, dtype: Any, query: Any) -> None:
        self.dtype, self._query = dtype, query

    def __getattr__(self, name: str) -> Any:
        name = {"smallest_normal": "tiny"}.get(name, name)
        if name not in ("min", "max", "eps", "tiny") and not (name == "bits" and isinstance(self.dtype, DType)):
            raise AttributeError(name)
        if name == "bits":
            return self.dtype.bits
        if isinstance(self.dtype, DType):
            return limit(self.dtype, name)
        return shown(self._query(self.dtype, name))


def limit(dtype: DType, field: str) -> Any:
    """A limit of a known dtype."""
    before, active.builder = active.builder, None
    try:
        return (ops.iinfo if dtype.kind in "iu" else ops.finfo)(dtype, field)
    finally:
        active.builder = before


def finfo(type: Any = None) -> FInfo:
    """torch.finfo(dtype)."""
    return FInfo(default_dtype() if type is None else element(type), ops.finfo)


def iinfo(type: Any) -> FInfo:
    """torch.iinfo(dtype)."""
    return FInfo(element(type), ops.iinfo)


def promote_types(type1: Any, type2: Any) -> Any:
    """torch.promote_types of known dtypes."""
    if not (isinstance(type1, DType) and isinstance(type2, DType)):
        refuse("torch.promote_types of open dtypes has no counterpart", "give the arguments' dtypes: gfx.TensorSpec")
    return dtypes.promote_types(type1, type2, "torch")


def result_type(tensor: Any, other: Any) -> Any:
    """torch.result_type of tensors of known dtype and rank, or numbers."""
    found = []
    for x in (tensor, other):
        weak = is_number(x)
        known = dtypes.default(dtypes.kind_of(x), "torch") if weak and not isinstance(x, Value) else dtype_of(x)
        if known is None or (not weak and known_rank(x) is None):
            refuse(
                "torch.result_type of tensors of unknown type has no counterpart", "give gfx.TensorSpec(shape, dtype)"
            )
        found.append((known, known_rank(x) == 0 and not weak, weak))
    return dtypes.result_type_torch(found)


def _constructor(name: str) -> Any:
    """A class of tensors as a function: of sizes, of a list, or of a tensor, which it gives as it is."""

    def made(*data: Any, numbers: Any = None) -> Any:
        return _built(f"{name}Tensor", dtypes.dtype(_OLD_NAMES[name]) if name else default_dtype(), None, data, numbers)

    return made


def _new(input: Any, *data: Any, numbers: Any = None) -> Any:
    """Tensor.new: the class of the tensor as a function."""
    return _built("Tensor", dtype_like(input), ops.device_of(input), data, numbers)


def _built(name: str, target: Any, device: Any, data: tuple, numbers: Any) -> Any:
    """What a class of tensors makes of its arguments: sizes, one by one or as a shape of PyTorch's, a list, or a tensor. `numbers`: those
    of a list whose length is open, which capture has made a tensor of."""
    if numbers is not None:
        return ops.astype(numbers, target)
    x = data[0] if len(data) == 1 else data
    if x is data or _is_size(x):
        return ops.empty(data or (0,), dtype=target, device=device)
    if _is_shape(x):  # capture hands on what is of the class alone
        return ops.empty(x, dtype=target, device=device)
    # a tensor keeps its dtype, or it raises; an array of NumPy's is cast
    if isinstance(x, Value) and target != dtype_of(x):
        raise UnsupportedConstruct(
            f"torch.{name} of what may have another dtype has no counterpart", hint="cast it: x.to(dtype)"
        )
    return x if isinstance(x, Value) else ops.as_tensor(x, dtype=target, device=device)


def _is_size(x: Any) -> bool:
    if not isinstance(x, Value):
        return isinstance(x, int)
    read = isinstance(x.type, LogicalTensor) and x.type.weak and x.type.dtype is not None  # x.item()
    return x.kind == "int" or (read and x.type.dtype.kind in "iu")


def _is_shape(x: Any) -> bool:
    return isinstance(x, Value) and x.kind == "shape"


COPIES = {
    "Tensor.to": _to_copies,
    "Tensor.type_as": _to_copies,
    **{
        f"Tensor.{name}": partial(
            lambda dtype, input, memory_format=None: _copied(input, dtype, memory_format), dtypes.dtype(name_of)
        )
        for name, name_of in _NAMED.items()
    },
    **dict.fromkeys(("torch.as_strided", "Tensor.as_strided"), as_strided_copies),
}
"""Whether a cast copies, by its arguments (see Lift.copies)."""

LIFTS = {
    "Tensor.to": to,
    "Tensor.type": type_,
    "Tensor.type_as": lambda input, other: to(input, other),
    **{f"Tensor.{name}": _caster(dtype) for name, dtype in _NAMED.items()},
    "Tensor.cpu": lambda input, memory_format=None: ops.to_device(input, "cpu"),
    "Tensor.cuda": _cuda,
    "Tensor.contiguous Tensor.pin_memory Tensor.resolve_neg torch.resolve_neg": _same,
    names("resolve_conj"): _same,
    "Tensor.is_nested@ Tensor.is_sparse@ Tensor.is_quantized@ Tensor.is_meta@": lambda input: False,
    "Tensor.layout@": lambda input: torch.strided,  # sparse ones are not captured
    "Tensor.requires_grad_": _requires_grad_,
    **{f"torch.{name}Tensor": _constructor(name) for name in ("", *_OLD_NAMES)},
    "Tensor.new": _new,
    "torch.finfo": finfo,
    "torch.iinfo": iinfo,
    "torch.promote_types": promote_types,
    "torch.result_type": result_type,
    "torch.broadcast_shapes": broadcast_shapes("torch.broadcast_shapes", torch.broadcast_shapes),
    "torch.get_default_dtype": default_dtype,
}
