"""Ops that arrange elements anew, and questions about shapes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.dtypes import DType, holds
from gfx_ir.host import mod
from gfx_ir.lifting.ranks import require
from gfx_ir.lifting.to_python import tolist
from gfx_ir.list_spellings import at_path, in_order

from ..lifting import (
    ask_rank,
    element,
    known_rank,
    names,
    of_ranks,
    one,
    refuse,
    sequence,
    shape_of,
    sizes,
    told_size,
)
from ..lifts import finding, shapes, splitting
from ._spell import is_scalar, rank_of, sized, spread


# ---------------------------------------------------------------- spellings
def _flatten(args: SimpleNamespace) -> str:
    if args.end == -1:
        return "x.flatten()" if args.start == 0 else "x.flatten(start)"
    return "x.flatten(start, end)"


def _flattened(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> Any:
    axes = [dim + 1 for dim in (start_dim, end_dim) if isinstance(dim, int) and dim > 0]
    if axes:
        require("torch.flatten", input, ">=", max(axes))
    return ops.flatten(input, start_dim, end_dim)


def _unsqueeze(args: SimpleNamespace) -> str:
    """torch.unsqueeze takes one axis: the first ones first, those counted from the end last ones first."""
    if not isinstance(args.axis, (tuple, list)):
        return "x.unsqueeze(axis)"
    front, back = sorted(a for a in args.axis if a >= 0), sorted((a for a in args.axis if a < 0), reverse=True)
    return "x" + "".join(f".unsqueeze({a})" for a in (*front, *back))


def _joined(args: SimpleNamespace) -> str:
    """What is joined: numbers are tensors there."""
    is_plain = isinstance(args.arrays, (tuple, list)) and any(map(is_scalar, args.arrays))
    return "[torch.as_tensor(part) for part in arrays]" if is_plain else "arrays"


def _cat(args: SimpleNamespace) -> str:
    if args.axis is None:
        return f"torch.cat([part.flatten() for part in {_joined(args)}])"
    return f"torch.cat({_joined(args)}, dim=axis)"


def _split(args: SimpleNamespace) -> str:
    """Parts of the sizes given, or so many of one size: torch.chunk makes a smaller one at the end where they do not come out even."""
    if not isinstance(args.sections, int):
        return "torch.split(x, sections, dim=axis)" + ("[0]" if len(args.sections) == 1 else "")
    size = told_size(args.x, args.axis)
    if args.sections == 1 or (size is not None and mod(size, args.sections) == 0):
        return "torch.chunk(x, sections, dim=axis)" + ("[0]" if args.sections == 1 else "")
    return f"x.unflatten(axis, (sections, -1)).unbind({args.axis if args.axis >= 0 else args.axis - 1})"


def _single(text: str, op: Any) -> Any:
    """A call that returns a tuple, and its only item where the node has one value."""
    return lambda a: text + ("[0]" if len(op.output_kinds(tuple(vars(a).values()))) == 1 else "")


def _flip(args: SimpleNamespace) -> str:
    if args.axis is None:
        return "torch.flip(x, tuple(range(x.ndim)))"
    return "torch.flip(x, axis)" if isinstance(args.axis, (tuple, list)) else "torch.flip(x, (axis,))"


def _repeat(args: SimpleNamespace) -> str:
    repeats = "torch.tensor(repeats)" if isinstance(args.repeats, (tuple, list)) else "repeats"
    return f"torch.repeat_interleave(x, {repeats}, dim=axis, output_size=length)"


def _pad(args: SimpleNamespace) -> str:
    """F.pad counts the widths from the last axis; its other modes leave at least the first axis alone, and pad one to three."""
    pairs, first = args.widths, 0
    known = isinstance(pairs, (tuple, list)) and all(isinstance(w, int) for pair in pairs for w in pair)
    mode, rank = shapes.MODES[args.mode], rank_of(args.x)
    if known and mode != "constant" and rank is not None:
        first = next((at for at, pair in enumerate(pairs) if any(pair)), len(pairs) - 1)
        first = min(first, len(pairs) - max(rank - 2, 1))
    last = len(pairs)
    if mode != "constant" and last - first > 3 and known and not any(pairs[-1]):
        last -= 1
    widths = f"({', '.join(f'widths[{at}][0], widths[{at}][1]' for at in reversed(range(first, last)))})"
    if known:
        widths = str(tuple(w for pair in reversed(pairs[first:last]) for w in pair))
    if mode == "constant":
        function = "torch.constant_pad_nd" if isinstance(args.value, complex) else "F.pad"
        return f"{function}(x, {widths}, value=value)"
    if last < len(pairs):
        return f"F.pad(x.movedim(-1, 0), {widths}, mode='{mode}').movedim(0, -1)"
    if rank is not None and last - first == rank:
        return f"F.pad(x[None], {widths}, mode='{mode}')[0]"
    return f"F.pad(x, {widths}, mode='{mode}')"


def _permutation(args: SimpleNamespace) -> str:
    """Without axes: Tensor.T, which torch means for matrices, and lets other ranks have with a warning."""
    if args.axes is not None:
        return "x.permute(*axes)" if isinstance(args.axes, (tuple, list)) and args.axes else "x.permute(axes)"
    rank = rank_of(args.x)
    if rank is None or rank == 2:
        return "x.T"
    return f"x.permute({', '.join(map(str, reversed(range(rank))))})" if rank else "x"


# ---------------------------------------------------------------- lifts
def _spread(op: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The lift of a method that takes its sizes or axes one by one, as one sequence, or by name."""

    def lift(input: Any, *given: Any, **named: Any) -> Any:
        return op(input, sizes(given or tuple(named.values())))

    return lift


_reshape = _spread(ops.reshape)


def _view(input: Any, *shape: Any, **named: Any) -> Any:
    asked = named.get("dtype", element(shape[0]) if shape else None)
    if type(asked).__name__ == "DType" or getattr(asked, "kind", "") == "dtype":
        return ops.bitcast(input, asked)
    return _reshape(input, *shape, **named)


def _t(input: Any) -> Any:
    return ops.swapaxes(input, 0, 1) if ask_rank(input, 2, "Tensor.t") == 2 else input


def _reversed(input: Any) -> Any:
    rank = known_rank(input)
    if rank is None:
        return ops.permute_dims(input)
    if rank < 2:
        return input
    return ops.matrix_transpose(input) if rank == 2 else ops.permute_dims(input, tuple(range(rank))[::-1])


def _conjugate_transpose(input: Any) -> Any:
    return ops.matrix_transpose(shapes.conj(input))


def _expand(input: Any, *size: Any, implicit: bool = False, **named: Any) -> Any:
    return ops.expand(input, sizes(size or tuple(named.values())))


def _stack(tensors: Any, dim: Any = 0) -> Any:
    return ops.stack(sequence(tensors, "stack"), axis=dim)


def _rolled(args: SimpleNamespace) -> str:
    """PyTorch takes shifts as Python's numbers, one for each axis."""
    if isinstance(args.shift, (int, tuple, list)):
        return "torch.roll(x, shift, dims=axis)"
    several = isinstance(args.axis, (tuple, list))
    return f"torch.roll(x, {f'shift.expand({len(args.axis)}).tolist()' if several else 'int(shift)'}, dims=axis)"


def _roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    return ops.roll(input, shifts, axis=dims if dims != () else None)


def _size(input: Any, dim: Any = None) -> Any:
    return shape_of(input) if dim is None else ops.size(input, dim)


def _can_cast(from_: Any, to: Any) -> Any:
    known = isinstance(from_, DType) and isinstance(to, DType)
    return holds(to, from_) if known else ops.can_cast(from_, to)


def _is_floating(input: Any) -> Any:
    found = dtype_of(input)
    return ops.is_floating(input) if found is None else found.kind == "f"


def _of_dtype(what: str, told: Callable[[DType], Any]) -> Callable:
    """A question that a tensor's dtype answers, where it is known."""

    def lift(input: Any) -> Any:
        found = dtype_of(input)
        if found is None:
            refuse(f"{what} is not known here", "give the argument's dtype: gfx.TensorSpec(shape, dtype)")
        return told(found)

    return lift


_is_complex = _of_dtype("whether a tensor is complex", lambda dtype: dtype.kind == "c")
_item_size = _of_dtype("how many bytes an element of a tensor has", lambda dtype: dtype.itemsize)


_RESHAPE: dict[str, Callable[..., Any]] = {
    "torch.reshape": lambda input, shape: ops.reshape(input, sizes((shape,))),
    "Tensor.reshape": _reshape,
    "Tensor.view": _view,
    "Tensor.item": one(ops.item),
    "Tensor.tolist": tolist,
    "Tensor.view_as Tensor.reshape_as": lambda input, other: ops.reshape(input, shape_of(other)),
}

ROWS = (
    Row("reshape", spread("x.reshape(*shape)", "shape"), _RESHAPE),
    Row(
        "flatten",
        _flatten,
        {
            names("flatten"): _flattened,
            names("ravel"): lambda input: ops.flatten(input),
        },
    ),
    Row(
        "permute_dims",
        _permutation,
        {names("permute"): _spread(ops.permute_dims), "Tensor.T@ torch.numpy_T": _reversed},
    ),
    Row(
        "swapaxes",
        "x.transpose(axis1, axis2)",
        {
            names("transpose"): lambda input, dim0, dim1: ops.swapaxes(input, dim0, dim1),
            names("swapaxes"): lambda input, axis0, axis1: ops.swapaxes(input, axis0, axis1),
            names("swapdims"): lambda input, dim0, dim1: ops.swapaxes(input, dim0, dim1),
            names("t"): _t,
        },
    ),
    Row(
        "matrix_transpose",
        lambda a: "x.T" if rank_of(a.x) == 2 else "x.mT",
        {
            "Tensor.mT@": one(ops.matrix_transpose),
            "Tensor.mH@ torch.adjoint Tensor.adjoint": _conjugate_transpose,
            "Tensor.H@": of_ranks("Tensor.H", _conjugate_transpose, 2),
        },
    ),
    Row(
        "moveaxis",
        "torch.movedim(x, source, destination)",
        {names("movedim", "moveaxis"): lambda input, source, destination: ops.moveaxis(input, source, destination)},
    ),
    Row("expand_dims", _unsqueeze, {names("unsqueeze"): lambda input, dim: ops.expand_dims(input, dim)}),
    Row("at_least", lambda a: f"torch.atleast_{a.count}d(x)"),
    Row("squeeze", "torch.squeeze(x, dim=axis)", {names("squeeze"): shapes.squeeze}),
    Row(
        "broadcast_to",
        sized("torch.broadcast_to(x, shape)"),
        {
            names("broadcast_to"): lambda input, size: ops.broadcast_to(input, sizes((size,))),
            "Tensor.expand_as": lambda input, other: ops.broadcast_to(input, shape_of(other)),
        },
    ),
    Row("expand", spread("x.expand(*shape)", "shape"), {"Tensor.expand": _expand}),
    Row("concat", _cat, {"torch.cat torch.concat torch.concatenate": shapes.cat}),
    Row("stack", lambda a: f"torch.stack({_joined(a)}, dim=axis)", {"torch.stack": _stack}),
    Row("seq_of", "[*items]"),
    Row("seq_at", at_path),
    Row("seq_slice", "items[cut]"),
    Row("seq_sorted", in_order),
    Row("seq_concat", "[*items, *more]"),
    Row("seq_alike", "alike(items, dtype)"),
    Row("seq_array", "torch.tensor(items, dtype=dtype)"),
    Row("split", _split, {names("split"): splitting.split, names("tensor_split"): splitting.tensor_split}),
    Row("chunk", _single("torch.chunk(x, chunks, dim=axis)", ops.chunk), {names("chunk"): splitting.chunk}),
    Row("unstack", _single("torch.unbind(x, dim=axis)", ops.unstack), {names("unbind"): splitting.unbind}),
    Row(
        "flip",
        _flip,
        {
            "torch.flip": lambda input, dims: ops.flip(input, axis=tuple(dims)),
            "Tensor.flip": _spread(lambda input, dims: ops.flip(input, axis=dims)),
            names("fliplr"): lambda input: ops.flip(input, axis=(1,)),
            names("flipud"): lambda input: ops.flip(input, axis=(0,)),
            names("rot90"): shapes.rot90,
        },
        copies=tuple(names("flip", "fliplr", "flipud", "rot90").split()),
    ),
    Row(
        "roll",
        _rolled,
        {names("roll"): _roll},
    ),
    Row(
        "tile",
        lambda a: f"torch.tile(x, {'(repetitions,)' if is_scalar(a.repetitions) else 'repetitions'})",
        {
            "torch.tile": lambda input, dims: ops.tile(input, sizes((dims,))),
            "Tensor.tile Tensor.repeat": _spread(ops.tile),
        },
    ),
    Row("repeat", _repeat, {names("repeat_interleave"): finding.repeat_interleave}),
    Row(
        "pad",
        _pad,
        {"F.pad": shapes.pad, "torch.constant_pad_nd": lambda input, pad, value=0: shapes.pad(input, pad, value=value)},
    ),
    Row("size", "x.shape[axis]", {"Tensor.size": _size}),
    Row(
        "rank",
        lambda a: "0" if isinstance(a.x, (int, float)) else "x.ndim",
        {"Tensor.dim Tensor.ndimension Tensor.ndim@": one(ops.rank)},
    ),
    Row("shape", "x.shape", {"Tensor.shape@": one(shape_of)}),
    Row("sizes", lambda a: "x.shape[0]" if a.rank == 1 else "x.shape"),
    Row("numel", "x.numel()", {"torch.numel Tensor.numel Tensor.nelement": one(ops.numel)}),
    Row(
        "dtype_of",
        "x.dtype",
        {
            "Tensor.dtype@": lambda input: dtype_of(input) or ops.dtype_of(input),
            "Tensor.element_size Tensor.itemsize@": _item_size,
        },
    ),
    Row(
        "is_floating",
        "torch.is_floating_point(x)",
        {names("is_floating_point"): _is_floating, names("is_complex"): _is_complex},
    ),
    Row("can_cast", "torch.can_cast(dtype, to)", {"torch.can_cast": _can_cast}),
    Row("device_of", "x.device", {"Tensor.device@": one(ops.device_of)}),
    Row("is_none", "x is None"),
    Row(
        "gradients_enabled",
        lambda a: "torch.is_inference_mode_enabled()" if a.inference else "torch.is_grad_enabled()",
    ),
)
