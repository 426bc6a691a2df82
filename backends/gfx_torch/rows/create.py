"""Ops that make tensors from sizes and numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import dtypes, ops
from gfx_ir.backend import Row
from gfx_ir.build import constants_only
from gfx_ir.graph import Value
from gfx_ir.op import lookup
from gfx_ir.trees import leaves

from ..lifting import dtype_like, element, is_number, refuse, shape_of, sizes


# ---------------------------------------------------------------- spellings
def _arange(args: SimpleNamespace) -> str:
    if args.stop is None:
        return "torch.arange(start, dtype=dtype)"
    if (
        all(isinstance(n, (int, float)) for n in (args.start, args.stop, args.step))
        and (args.stop - args.start) * args.step < 0
    ):
        return "torch.arange(0, dtype=dtype)"  # torch refuses bounds that run against the step
    step = "" if type(args.step) is int and args.step == 1 else ", step"
    if not step and type(args.start) is int and args.start == 0:
        return "torch.arange(stop, dtype=dtype)"
    return f"torch.arange(start, stop{step}, dtype=dtype)"


def _linspace(args: SimpleNamespace) -> str:
    return (
        "torch.linspace(start, stop, num, dtype=dtype)"
        if args.endpoint
        else "torch.linspace(start, stop, num + 1, dtype=dtype)[:-1]"
    )


def _eye(args: SimpleNamespace) -> str:
    columns = "n_rows" if args.n_cols is None else "n_cols"
    if type(args.k) is int and args.k == 0:
        return "torch.eye(n_rows, dtype=dtype)" if args.n_cols is None else "torch.eye(n_rows, n_cols, dtype=dtype)"
    dtype = "torch.get_default_dtype()" if args.dtype is None else "dtype"
    return f"(torch.arange(n_rows)[:, None] + k == torch.arange({columns})).to({dtype})"


def _constant(args: SimpleNamespace) -> str:
    return (
        "torch.tensor(data, dtype=dtype)"
        if args.dtype is not None and not _own(args.data, args.dtype)
        else "torch.tensor(data)"
    )


def _own(data: Any, dtype: Any) -> bool:
    """Whether torch.tensor gives these numbers this dtype on its own."""
    kinds = {dtypes.kind_of(leaf) for leaf in leaves(data)}
    top = max(kinds, key="bifc".index) if kinds else "f"
    return dtypes.default(top, "torch") == dtype


def _shaped(text: str) -> Any:
    """A call whose shape may be a single int."""
    return lambda a: text.replace("shape", "(shape,)") if isinstance(a.shape, int) else text


# ---------------------------------------------------------------- lifts
def _filled(op: str) -> Any:
    """torch.zeros(2, 3), torch.zeros((2, 3)), torch.zeros(size=(2, 3))."""

    def fn(*size: Any, dtype: Any = None, **named: Any) -> Any:
        if set(named) - {"size"}:
            refuse(f"torch.{op} with {', '.join(sorted(set(named) - {'size'}))} has no counterpart")
        return lookup(op)(_shape(size, named), dtype=dtype)

    return fn


def _shape(size: Any, named: Any) -> Any:
    return sizes((named["size"],) if "size" in named else size)


def _new(op: str) -> Any:
    """Tensor.new_zeros and the like have the tensor's own dtype."""

    def fn(input: Any, *size: Any, dtype: Any = None, **named: Any) -> Any:
        return lookup(op)(_shape(size, named), dtype=dtype_like(input) if dtype is None else dtype)

    return fn


def _like(op: str) -> Any:
    return lambda input, *, dtype=None: lookup(op)(input, dtype=dtype)


def _new_full(input: Any, size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    return ops.full(sizes((size,)), fill_value, dtype=dtype_like(input) if dtype is None else dtype)


def _arange_lift(*args: Any, dtype: Any = None, **named: Any) -> Any:
    given = dict(zip(("start", "end", "step"), args)) | named
    start, end, step = (given.get(name) for name in ("start", "end", "step"))
    if end is None:
        start, end = 0, start
    return ops.arange(0 if start is None else start, end, 1 if step is None else step, dtype=dtype)


def _tensor(data: Any, *, dtype: Any = None) -> Any:
    """torch.tensor copies."""
    if isinstance(data, Value) and data.is_tensor:
        return ops.copy(data) if dtype is None else ops.astype(data, dtype)
    return _as_tensor(data, dtype)


def _as_tensor(data: Any, dtype: Any = None) -> Any:
    if isinstance(data, Value) and data.is_tensor:
        return data if dtype is None else ops.astype(data, dtype)
    if constants_only(data) and not isinstance(dtype, Value):
        return ops.constant(_tuples(data), dtype=element(dtype))
    return ops.as_tensor(data, dtype=element(dtype))


def _tuples(data: Any) -> Any:
    return tuple(_tuples(item) for item in data) if isinstance(data, (list, tuple)) else data


def _new_tensor(input: Any, data: Any, *, dtype: Any = None) -> Any:
    return _tensor(data, dtype=dtype_like(input) if dtype is None else dtype)


def _meshgrid(*tensors: Any, indexing: Any = None) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    found = ops.meshgrid(tuple(tensors), indexing=indexing or "ij")
    return found if isinstance(found, tuple) else (found,)


def _eye_lift(n: Any, m: Any = None, *, dtype: Any = None) -> Any:
    return ops.eye(n, m, dtype=dtype)


def _full_lift(size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    return ops.full(sizes((size,)), fill_value, dtype=dtype)


def _fill(input: Any, value: Any) -> Any:
    return (
        ops.full_like(input, value)
        if is_number(value)
        else ops.broadcast_to(ops.astype(value, dtype_like(input)), shape_of(input))
    )


ROWS = (
    Row("constant", _constant),
    Row(
        "as_tensor",
        "torch.as_tensor(x, dtype=dtype)",
        {
            "torch.tensor": _tensor,
            "torch.as_tensor torch.asarray": _as_tensor,
            "torch.scalar_tensor": _tensor,
            "Tensor.new_tensor": _new_tensor,
        },
    ),
    Row(
        "full",
        _shaped("torch.full(shape, fill_value, dtype=dtype)"),
        {"torch.full": _full_lift, "Tensor.new_full": _new_full},
    ),
    Row(
        "zeros", "torch.zeros(shape, dtype=dtype)", {"torch.zeros": _filled("zeros"), "Tensor.new_zeros": _new("zeros")}
    ),
    Row("ones", "torch.ones(shape, dtype=dtype)", {"torch.ones": _filled("ones"), "Tensor.new_ones": _new("ones")}),
    Row(
        "empty", "torch.zeros(shape, dtype=dtype)", {"torch.empty": _filled("empty"), "Tensor.new_empty": _new("empty")}
    ),
    Row(
        "full_like",
        "torch.full_like(x, fill_value, dtype=dtype)",
        {
            "torch.full_like": lambda input, fill_value, *, dtype=None: ops.full_like(input, fill_value, dtype=dtype),
            "torch.fill Tensor.fill_ torch.fill_": _fill,
        },
    ),
    Row(
        "zeros_like",
        "torch.zeros_like(x, dtype=dtype)",
        {
            "torch.zeros_like torch.empty_like": _like("zeros_like"),
            "Tensor.zero_ torch.zero_": lambda input: ops.zeros_like(input),
        },
    ),
    Row("ones_like", "torch.ones_like(x, dtype=dtype)", {"torch.ones_like": _like("ones_like")}),
    Row("arange", _arange, {"torch.arange": _arange_lift}),
    Row(
        "linspace",
        _linspace,
        {"torch.linspace": lambda start, end, steps, *, dtype=None: ops.linspace(start, end, steps, dtype=dtype)},
    ),
    Row("eye", _eye, {"torch.eye": _eye_lift}),
    Row(
        "meshgrid",
        lambda a: "torch.meshgrid(arrays, indexing=indexing)" + ("[0]" if len(a.arrays) == 1 else ""),
        {"torch.meshgrid": _meshgrid},
        keep=("indexing",),
    ),
    Row("finfo", lambda a: f"torch.finfo(dtype).{a.field}"),
    Row("iinfo", lambda a: f"torch.iinfo(dtype).{a.field}"),
)
