"""Words that lifts share: what they refuse, how torch's sizes and dims become those of ops."""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch

from gfx_ir import dtypes, ops
from gfx_ir.build import assumptions, dtype_of, host, parameter_data, rank_of, surely_boolean, told_dims, told_dtype
from gfx_ir.control import is_parameter
from gfx_ir.defaults import number_kind
from gfx_ir.dtypes import DType, dtype, holds, kind_of
from gfx_ir.errors import MissingOp, OpenShape, ShapeError, UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.host import divide
from gfx_ir.lifting.written import may_widen, written
from gfx_ir.op import OpDef, Point, Trait, lookup
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

Pair = namedtuple("Pair", ("values", "indices"))
"""What `torch.max(x, dim)`, `sort` and `topk` return: a tuple whose parts have names."""


def refuse(what: str, hint: str = "") -> NoReturn:
    """Raise MissingOp: this call, or this argument of it, has no counterpart."""
    raise MissingOp(what, hint=hint)


def plain(call: str, **flags: Any) -> None:
    """Refuse a flag of `call` that is set: its meaning would be lost."""
    for name, value in flags.items():
        if value is not None and value is not False:
            refuse(
                f"{call} with {name}={value!r} has no counterpart", f"leave {name}= out, or write it with other calls"
            )


def is_on(flag: Any, call: str, name: str = "training") -> bool:
    """A flag by which `call` becomes other nodes. Raises MissingOp where it is open."""
    if not isinstance(flag, bool):
        refuse(f"{call} whose {name} flag is open has no counterpart", "give the flag a value at capture")
    return flag


def sizes(args: Sequence[Any]) -> Any:
    """The sizes of `x.view(2, 3)`, `x.view((2, 3))` or `x.view(y.shape)`."""
    if len(args) == 1:
        only = args[0]
        if isinstance(only, (tuple, list)):
            return tuple(only)
        if isinstance(only, Value) and only.kind in ("shape", "any"):
            return only
    return tuple(args)


def is_sizes(x: Any) -> bool:
    """Whether x is a shape of open length."""
    return isinstance(x, Value) and x.kind == "shape"


def each(value: Any, dims: int) -> Any:
    """A number or tuple as a tuple of length `dims`."""
    if type(value) is tuple and len(value) == dims:
        return value
    if isinstance(value, str):
        return value
    if is_sizes(value):
        return tuple([host("getitem", value, at) for at in range(dims)])
    if isinstance(value, (tuple, list)):
        return tuple(value) * dims if len(value) == 1 and dims > 1 else tuple(value)
    return (value,) * dims


def asked_sizes(value: Any) -> Any:
    """The sizes of `x.shape`, one by one where the rank of x is known; anything else as it is."""
    if not is_sizes(value):
        return value
    asked = value.node.args[0] if value.node.op is shape_of else None
    rank = None if asked is None else known_rank(asked)
    if rank is None:
        return _last_sizes(value)
    known = [known_size(asked, dim) for dim in range(rank)]
    return tuple(host("getitem", value, dim) if size is None else size for dim, size in enumerate(known))


def _last_sizes(value: Value) -> Any:
    """The sizes of `x.shape[-2:]`, one by one; those of any other part as they are."""
    sign, args = value.node.args if value.node.op is lookup("host") else ("", ())
    part, of = (args[1], args[0].node) if sign == "getitem" and isinstance(args[0], Value) else (None, None)
    first: Any = part.start if isinstance(part, slice) and part.stop is None and part.step is None else None
    if of is None or of.op is not shape_of or not isinstance(first, int) or first >= 0:
        return value
    return tuple(ops.size(of.args[0], dim) for dim in range(first, 0))


def axes(dim: Any) -> Any:
    """torch's dim (int, list or tuple; empty: all) as an op's axis."""
    if isinstance(dim, (tuple, list)):
        return tuple(dim) or None
    return dim


def _kind(x: Any) -> Any:
    """What is known of a tensor: its type, or the data of a parameter."""
    if not isinstance(x, Value) or x.type is not None or not is_parameter(x.node):
        return x.type if isinstance(x, Value) else x
    return parameter_data(x)


def known_rank(x: Any) -> int | None:
    """The rank of a tensor where it is known."""
    kind = _kind(x)
    if kind is None:
        return 0 if is_number(x) else None
    return kind.rank if isinstance(kind, LogicalTensor) else getattr(kind, "ndim", 0 if is_number(x) else None)


def told_size(x: Any, dim: int) -> Any:
    """The size of a dim, a number or in terms of open sizes, where it is told."""
    kind = _kind(x)
    dims = kind.dims if isinstance(kind, LogicalTensor) else getattr(kind, "shape", None)
    return None if dims is None else dims[dim]


def known_size(x: Any, dim: Any) -> int | None:
    """The size of a dim where it is a known number."""
    size = told_size(x, dim) if isinstance(dim, int) else None
    return size if isinstance(size, int) else None


def times(x: Any, dim: Any, size: Any) -> int | None:
    """How often an open size goes into the size of a dim, where that is one number for whatever it is."""
    dims = getattr(_kind(x), "dims", None)
    if dims is None or not isinstance(dim, int) or not isinstance(size, Value) or size.type is None:
        return None
    found = None if dims[dim] is None else divide(dims[dim], size.type)
    return found if isinstance(found, int) else None


def ask_rank(x: Any, assumed: int, why: str) -> int:
    """The rank of x; where it is open, `assumed`, which a guard and the source check, else an error."""
    rank = known_rank(x)
    if rank is not None:
        return rank
    dims, given = told_dims(x) if isinstance(x, Value) else None, assumptions()
    if dims is not None:
        return len(dims)
    if given is None:
        return rank_of(x, why)
    found: int = given.require_rank(x, assumed, why)
    return found


def of_ranks(call: str, lift: Callable[..., Any], *ranks: int | None) -> Callable[..., Any]:
    """The lift of a call that takes tensors of just these ranks, argument by argument; None: of any."""

    @functools.wraps(lift)
    def checked(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(lift).bind(*args, **kwargs).arguments
        for (name, x), rank in zip(given.items(), ranks):
            if rank is not None and x is not None and (found := ask_rank(x, rank, f"torch.{call} of {name}")) != rank:
                raise ShapeError(f"torch.{call} takes {name} with {rank} axes, and it has {found}")
        return lift(*args, **kwargs)

    return checked


def sequence(tensors: Any, call: str) -> tuple:
    """The tensors that a call of torch takes in a tuple or list. Raises ShapeError for a tensor in its place, as torch does."""
    if isinstance(tensors, Value):
        raise ShapeError(
            f"torch.{call} takes a tuple or list of tensors, and this is one tensor", hint="give its rows: x.unbind()"
        )
    return tuple(tensors)


def is_number(x: Any) -> bool:
    """Whether x is Python data in the emitted code: a number, or an open host value."""
    return isinstance(x, (bool, int, float, complex)) or (isinstance(x, Value) and not x.is_tensor)


def kind(x: Any) -> str:
    """Kind of the dtype of a tensor or number: b, i, u, f, c, or empty where it is unknown."""
    if isinstance(x, (bool, int, float, complex)):
        return kind_of(x)
    found = dtype_of(x) or (told_dtype(x) if isinstance(x, Value) and x.is_tensor else None)
    return "" if found is None else found.kind


def untracked(made: Any, *given: Any) -> Any:
    """What a call makes of numbers: PyTorch passes no derivative on to tensors that are given for them."""
    tensors = (leaf for leaf in leaves(given) if type(leaf) is Value and leaf.is_tensor)
    takes = any(leaf.node.op.point is not Point.PYTHON for leaf in tensors)
    return ops.stop_gradient(made) if takes and kind(made) not in ("b", "i", "u") else made


def element(of: Any) -> Any:
    """A dtype argument: a DType, an open dtype, or one of Python's types. Raises MissingOp for one that GFX has not."""
    if isinstance(of, torch.dtype):
        refuse(f"GFX has no dtype {of}, which NumPy and JAX have not")
    return dtype(of) if isinstance(of, type) else of


def require_index(what: str, x: Any, *names: str) -> None:
    """Raise UnsupportedConstruct where positions are known to be of other dtypes than those of these names."""
    found = dtype_of(x)
    if found is not None and found.name not in names:
        raise UnsupportedConstruct(
            f"{what} is of {' or '.join(names)}, not of {found}", hint=f"cast it: x.to(torch.{names[0]})"
        )


def dtype_like(x: Any) -> Any:
    """The dtype of x: known, or asked for when the code runs."""
    return dtype_of(x) or ops.dtype_of(x)


def cast_back(new: Any, base: Any, other: Any = None) -> Any:
    """What an in-place method leaves in `base`: its dtype and shape stay. Raises ShapeError where they cannot."""
    fitting = written(base, new, holds, other, marked=True)
    return ops.astype(fitting, dtype_like(base)) if may_widen(base, fitting) else cast_like(fitting, base)


def promoted_with(new: Any, given: tuple) -> Any:
    """The one other tensor that an operation takes whose dtype the result is made of, element by element."""
    tensors = [x for x in given if isinstance(x, Value) and x.is_tensor]
    promoted = isinstance(new, Value) and dtype_of(new) is None and bool(new.node.op.traits & Trait.ELEMENTWISE)
    return tensors[0] if promoted and len(tensors) == 1 else None


def cast_like(new: Any, base: Any) -> Any:
    """The same data in the dtype of `base`."""
    old, now = dtype_of(base), dtype_of(new)
    if old is not None and now is not None and old != now:
        return ops.astype(new, old)
    answers = old is None and isinstance(new, Value) and surely_boolean(new) and not surely_boolean(base)
    return ops.astype(new, old or ops.dtype_of(base)) if is_number(new) or answers else new


def floating(x: Any) -> Any:
    """x in torch's default dtype where it is known to hold integers or booleans."""
    return ops.astype(x, default_dtype()) if isinstance(x, Value) and kind(x) in ("b", "i", "u") else x


def default_dtype(data: Any = ()) -> DType | None:
    """The dtype that torch gives these numbers, a float's where there are none; None where a tensor is among them."""
    kind = number_kind(data)
    return None if kind is None else dtypes.default(kind, rules())


def rules() -> str:
    """The rules of promotion that PyTorch has with its default dtype. Raises UnsupportedConstruct for one that GFX does not follow."""
    found = torch.get_default_dtype()
    if found not in _RULES:
        what = f"GFX captures PyTorch's functions where the default dtype is float32 or float64, and it is {found}"
        raise UnsupportedConstruct(what, hint="torch.set_default_dtype(torch.float32) before the capture")
    return _RULES[found]


def place(device: Any) -> Any:
    """A device argument as ops take it: its name, or an open one."""
    return str(device) if isinstance(device, torch.device) else device


_RULES = {torch.float32: "torch", torch.float64: "torch_f64"}
INT64 = dtype("int64")
BOOL = dtype("bool")
shape_of = lookup("shape")  # `ops.shape` is a module to static checkers


def at(dim: int, index: Any) -> tuple:
    """The index that has `index` at axis `dim` and takes everything of the others."""
    everything = slice(None)
    if dim >= 0:
        return (*[everything] * dim, index)
    return (Ellipsis, index, *[everything] * (-dim - 1))


def fixed_int(value: Any, what: str) -> int:
    """An argument that decides how many results there are. Raises OpenShape where it is open."""
    if isinstance(value, int):
        return value
    raise OpenShape(f"{what} must be a number that is known at capture")


def is_dtype(x: Any) -> bool:
    """Whether x is a dtype: known, open, or one that GFX has not."""
    return isinstance(x, (DType, type, torch.dtype)) or (isinstance(x, Value) and x.kind == "dtype")


def one(op: OpDef) -> Any:
    """The lift of a function of one tensor."""
    return lambda input: op(input)


def two(op: OpDef) -> Any:
    """The lift of a function of two tensors."""
    return lambda input, other: op(input, other)


def swapped(op: OpDef) -> Any:
    """The lift of a reflected operator."""
    return lambda input, other: op(other, input)


def names(*calls: str) -> str:
    """`torch.f Tensor.f` for each f."""
    return " ".join(f"torch.{call} Tensor.{call}" for call in calls)


def kernels(*names: str) -> str:
    """Names of torch's kernels, with those of the form that takes tensors."""
    return " ".join(f"torch.ops.aten.{name} torch.ops.aten.{name}.default" for name in names)
