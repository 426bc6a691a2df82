"""Ops that make tensors from sizes and numbers. A dtype that torch is not given is its own default, and is recorded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import dtypes, ops
from gfx_ir.backend import Row
from gfx_ir.build import constants_only
from gfx_ir.defaults import own
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.lifting.ranks import just
from gfx_ir.lifting.words import kind_of
from gfx_ir.op import lookup
from gfx_ir.ops import _seen

from ..lifting import (
    default_dtype,
    dtype_like,
    element,
    is_number,
    known_rank,
    place,
    refuse,
    rules,
    shape_of,
    sizes,
    untracked,
)
from ._spell import dtype_of, is_scalar, sized, spread

OWN_FLOAT = {"dtype": own("torch")}


# ---------------------------------------------------------------- spellings
def _full_spelling(args: SimpleNamespace) -> str:
    """torch.full reads its number on the host, without a gradient: a tensor is spread instead."""
    if is_scalar(args.fill_value):
        return sized("torch.full(shape, fill_value, dtype=dtype, device=device)")(args)
    cast = ", ".join(name for name in ("device", "dtype") if getattr(args, name) is not None)
    same = cast == "dtype" and args.dtype == dtype_of(args.fill_value)
    return sized(f"torch.broadcast_to(fill_value{'' if same or not cast else f'.to({cast})'}, shape).clone()")(args)


def _full_like_spelling(args: SimpleNamespace) -> str:
    if is_scalar(args.fill_value):
        return "torch.full_like(x, fill_value, dtype=dtype)"
    return "torch.empty_like(x, dtype=dtype).copy_(fill_value)"


def _arange(args: SimpleNamespace) -> str:
    text = _arange_of_numbers(args)
    if isinstance(args.dtype, DType) and args.dtype.kind == "c":
        return f"{text.replace('dtype=dtype, ', '')}.to(dtype)"
    return text


def _arange_of_numbers(args: SimpleNamespace) -> str:
    if args.stop is None:
        return "torch.arange(start, dtype=dtype, device=device)"
    bounds = (args.start, args.stop, args.step)
    if all(isinstance(n, (int, float)) for n in bounds) and (args.stop - args.start) * args.step < 0:
        zero = "0.0" if any(isinstance(n, float) for n in bounds) else "0"
        return f"torch.arange({zero}, dtype=dtype, device=device)"  # torch refuses bounds that run against the step
    step = "" if type(args.step) is int and args.step == 1 else ", step"
    if not step and type(args.start) is int and args.start == 0:
        return "torch.arange(stop, dtype=dtype, device=device)"
    return f"torch.arange(start, stop{step}, dtype=dtype, device=device)"


def linspace(args: SimpleNamespace) -> str:
    count, part = ("num", "") if args.endpoint else ("num + 1", "[:-1]")
    arrays = [end for end in ("start", "stop") if not _seen.is_plain(getattr(args, end))]
    dtype = "dtype" if args.dtype is not None or not arrays else f"torch.result_type({arrays[0]}, 1.0)"
    if isinstance(args.dtype, DType) and args.dtype.kind in "iu":
        apart = "" if args.endpoint else ", endpoint=False"
        return f"whole_linspace(start, stop, num, dtype{apart}, device=device)"
    if arrays:  # torch takes numbers and tensors of no axes, and passes no derivative on
        ranks = [_seen.rank(getattr(args, end)) for end in arrays]
        rank = max((rank for rank in ranks if rank is not None), default=0)
        chosen = f"[{part[1:-1] or ':'}{', None' * rank}]" if rank else part
        if None in ranks:
            axes = ", ".join(f"{end}.dim()" for end in arrays)
            chosen = f"{part}.reshape(-1, *(1,) * {axes if len(arrays) == 1 else f'max({axes})'})"
        parts = [f"torch.linspace({ends}, {count}, dtype={dtype}, device=device){chosen}" for ends in ("1, 0", "0, 1")]
        whole = [end for end in arrays if kind_of(getattr(args, end)) not in ("f", "c")]
        start, stop = (f"{end}.to({dtype})" if end in whole else end for end in ("start", "stop"))
        return f"{start} * {parts[0]} + {stop} * {parts[1]}"  # the last is stop, to the last bit
    return f"torch.linspace(start, stop, {count}, dtype={dtype}, device=device){part}"


def _meshgrid_spelling(args: SimpleNamespace) -> str:
    if len({dtype_of(x) for x in args.arrays}) > 1:  # which torch refuses
        return "grid_of(arrays, indexing)"
    return "torch.meshgrid(arrays, indexing=indexing)" + ("[0]" if len(args.arrays) == 1 else "")


def _eye(args: SimpleNamespace) -> str:
    columns = "" if args.n_cols is None else ", n_cols"
    if type(args.k) is int and args.k == 0:
        return f"torch.eye(n_rows{columns}, dtype=dtype, device=device)"
    dtype = "torch.get_default_dtype()" if args.dtype is None else "dtype"
    rows, columns = (f"torch.arange({n}, device=device)" for n in ("n_rows", columns[2:] or "n_rows"))
    return f"({rows}[:, None] + k == {columns}).to({dtype})"


# ---------------------------------------------------------------- lifts
def _filled(op: str) -> Any:
    """torch.zeros(2, 3), torch.zeros((2, 3)), torch.zeros(size=(2, 3))."""

    def fn(*size: Any, dtype: Any = None, device: Any = None, **named: Any) -> Any:
        if set(named) - {"size"}:
            refuse(f"torch.{op} with {', '.join(sorted(set(named) - {'size'}))} has no counterpart")
        return lookup(op)(shape_given(size, named), dtype=dtype or default_dtype(), device=place(device))

    return fn


def shape_given(size: Any, named: Any) -> Any:
    """The shape that a call gives as numbers, as one tuple or by its name."""
    return sizes((named["size"],) if "size" in named else size)


def _of(input: Any, dtype: Any, device: Any) -> dict[str, Any]:
    """Where Tensor.new_zeros and the like put what they make: as the tensor is, unless told."""
    placed = ops.device_of(input) if device is None else place(device)
    return {"dtype": dtype_like(input) if dtype is None else dtype, "device": placed}


def _new(op: str) -> Any:
    def fn(input: Any, *size: Any, dtype: Any = None, device: Any = None, **named: Any) -> Any:
        return lookup(op)(shape_given(size, named), **_of(input, dtype, device))

    return fn


def _moved(x: Any, device: Any) -> Any:
    return x if device is None else ops.to_device(x, place(device))


def _like(op: str) -> Any:
    return lambda input, *, dtype=None, device=None: _moved(lookup(op)(input, dtype=dtype), device)


def _full_like(input: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return _moved(ops.full_like(input, fill_value, dtype=dtype), device)


def _new_full(input: Any, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return ops.full(sizes((size,)), fill_value, **_of(input, dtype, device))


def _arange_lift(*args: Any, dtype: Any = None, device: Any = None, **named: Any) -> Any:
    given = dict(zip(("start", "end", "step"), args)) | named
    start, end, step = (given.get(name) for name in ("start", "end", "step"))
    if end is None:
        start, end = 0, start
    bounds = (0 if start is None else start, end, 1 if step is None else step)
    return untracked(ops.arange(*bounds, dtype=dtype or default_dtype(bounds), device=place(device)), *bounds)


def _linspace_lift(start: Any, end: Any, steps: Any, *, dtype: Any = None, device: Any = None) -> Any:
    whole = isinstance(dtype, DType) and dtype.kind in "iu"  # torch cuts numbers off, others round them down
    made = ops.linspace(start, end, steps, dtype=default_dtype() if whole or not dtype else dtype, device=place(device))
    return ops.astype(made, dtype) if whole else untracked(made, start, end)


def _tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """torch.tensor copies."""
    if isinstance(data, Value) and data.is_tensor:
        return _moved(untracked(ops.copy(data) if dtype is None else ops.astype(data, dtype), data), device)
    return _as_tensor(data, dtype, device)


def _scalar_tensor(s: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """torch.scalar_tensor makes a float of any number."""
    return _tensor(s, dtype=default_dtype() if dtype is None else dtype, device=device)


def _as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    if isinstance(data, Value) and data.is_tensor:
        return _moved(data if dtype is None else ops.astype(data, dtype), device)
    dtype = element(dtype) or default_dtype(data)
    if constants_only(data) and not isinstance(dtype, Value):
        return ops.constant(_tuples(data), dtype=dtype, device=place(device))
    return untracked(ops.as_tensor(data, dtype=dtype, device=place(device)), data)


def _tuples(data: Any) -> Any:
    return tuple(_tuples(item) for item in data) if isinstance(data, (list, tuple)) else data


def _new_tensor(input: Any, data: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return _tensor(data, **_of(input, dtype, device))


def _meshgrid(*tensors: Any, indexing: Any = None) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    tensors = tuple(ops.reshape(x, (1,)) if known_rank(x) == 0 else x for x in tensors)
    found = ops.meshgrid(tensors, indexing=indexing or "ij")
    return found if isinstance(found, tuple) else (found,)


def _eye_lift(n: Any, m: Any = None, *, dtype: Any = None, device: Any = None) -> Any:
    return ops.eye(n, m, dtype=dtype or default_dtype(), device=place(device))


def _full_lift(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """torch.full takes the number of a tensor, which has no width of its own."""
    held = _seen.dtype(fill_value) if isinstance(fill_value, Value) else None
    own = default_dtype(fill_value) if held is None else dtypes.default("i" if held.kind == "u" else held.kind, rules())
    return ops.full(sizes((size,)), fill_value, dtype=dtype or own, device=place(device))


def _fill(input: Any, value: Any) -> Any:
    return (
        ops.full_like(input, value)
        if is_number(value)
        else ops.broadcast_to(ops.astype(value, dtype_like(input)), shape_of(input))
    )


ROWS = (
    Row("constant", "torch.tensor(data, dtype=dtype, device=device)", own={"dtype": own("torch", "data")}, spare=True),
    Row(
        "as_tensor",
        "torch.as_tensor(x, dtype=dtype, device=device)",
        {
            "torch.tensor": _tensor,
            "torch.as_tensor torch.asarray torch.from_numpy": _as_tensor,
            "torch.scalar_tensor": _scalar_tensor,
            "Tensor.new_tensor": _new_tensor,
        },
        own={"dtype": own("torch", "x")},
    ),
    Row(
        "full",
        _full_spelling,
        {"torch.full": _full_lift, "Tensor.new_full": _new_full},
        own={"dtype": own("torch", "fill_value")},
        spare=True,
    ),
    *(
        Row(
            op,
            spread(f"torch.{call}(*shape, dtype=dtype, device=device)", "shape"),
            {f"torch.{op}": _filled(op), f"Tensor.new_{op}": _new(op)},
            own=OWN_FLOAT,
            spare=True,
        )
        for op, call in (("zeros", "zeros"), ("ones", "ones"), ("empty", "zeros"))
    ),
    Row(
        "full_like",
        _full_like_spelling,
        {
            "torch.full_like": _full_like,
            "torch.fill Tensor.fill_ torch.fill_": _fill,
        },
        spare=True,
    ),
    Row(
        "zeros_like",
        "torch.zeros_like(x, dtype=dtype)",
        {
            "torch.zeros_like torch.empty_like": _like("zeros_like"),
            "Tensor.zero_ torch.zero_": lambda input: ops.zeros_like(input),
        },
        spare=True,
    ),
    Row("ones_like", "torch.ones_like(x, dtype=dtype)", {"torch.ones_like": _like("ones_like")}, spare=True),
    Row("arange", _arange, {"torch.arange": _arange_lift}, own={"dtype": own("torch", "start", "stop", "step")}),
    Row("linspace", linspace, {"torch.linspace": just("torch.linspace", _linspace_lift, 0, 0)}, own=OWN_FLOAT),
    Row("eye", _eye, {"torch.eye": _eye_lift}, own={"dtype": lambda a: OWN_FLOAT["dtype"](a) if a.k == 0 else None}),
    Row("to_device", "x.to(device)"),
    Row(
        "meshgrid",
        _meshgrid_spelling,
        {"torch.meshgrid": _meshgrid},
        keep=("indexing",),
    ),
    Row("finfo", lambda a: f"torch.finfo(dtype).{a.field}"),
    Row("iinfo", lambda a: f"torch.iinfo(dtype).{a.field}"),
)
