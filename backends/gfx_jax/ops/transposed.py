"""Transposed convolution: https://docs.jax.dev/en/latest/_autosummary/jax.lax.conv_transpose.html."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.ops import _seen
from gfx_ir.template import Spelling

from ._lift import each, precise, refuse
from .nn import conv_general_dilated, ordered


def _transposed(last: bool) -> Spelling:
    """lax.conv_transpose with the kernel of the convolution whose gradient it is; groups, which it has not, by the body."""

    def spelling(args: SimpleNamespace) -> str:
        count = args.dims
        dims = _seen.type_of(args.weight).dims or ()
        kernel = [n for n in (dims[:count] if last else dims[2:]) if isinstance(n, int)]
        if len(kernel) != count or not (type(args.groups) is int and args.groups == 1):
            return ""
        stride, dilation = each(args.stride, count), each(args.dilation, count)
        edges = [step * (n - 1) - p for n, step, p in zip(kernel, dilation, each(args.padding, count))]
        pads = [(edge, edge + more) for edge, more in zip(edges, each(args.output_padding, count))]
        places = "DHW"[3 - count :]
        image, windows = (f"N{places}C", f"{places}IO") if last else (f"NC{places}", f"OI{places}")
        apart = f", rhs_dilation={dilation}" if any(n != 1 for n in dilation) else ""
        text = (
            f"jax.lax.conv_transpose(x, weight, {stride}, {pads}{apart}, "
            f'dimension_numbers=("{image}", "{windows}", "{image}"), transpose_kernel=True)'
        )
        return text if args.bias is None else f"{text} + bias" if last else f"{text} + bias[:{', None' * count}]"

    return spelling


def _conv_transpose(
    lhs: Any, rhs: Any, strides: Any, padding: Any, rhs_dilation: Any = None, dimension_numbers: Any = None,
    transpose_kernel: bool = False, precision: Any = None, preferred_element_type: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """lax.conv_transpose: a convolution with strides - 1 zeros between the elements of lhs."""
    name, count = "lax.conv_transpose", len(strides)
    precise(name, precision)
    refuse(name, **options)
    if dimension_numbers is None:
        places = "DHW"[3 - count :]
        dimension_numbers = (f"N{places}C", f"{places}IO", f"N{places}C")
    rank = (1,) * (count + 2)
    left, right, out = jax.lax.conv_dimension_numbers(rank, rank, dimension_numbers)
    dilation = tuple(rhs_dilation or (1,) * count)
    weight = ordered(rhs, right)
    kernel = [_seen.length(weight, at + 2, f"{name} needs the sizes of its kernel") for at in range(count)]
    reach = [step * (n - 1) for n, step in zip(kernel, dilation)]
    pads = _pads(padding, reach, strides)
    flipped = tuple(range(-count, 0))
    cut = [edge - low for edge, (low, _) in zip(reach, pads)]
    more = [high - low for low, high in pads]
    plain = preferred_element_type is None and all(0 <= n < step for n, step in zip(more, strides))
    if plain and all(n >= 0 for n in cut):
        if not transpose_kernel:
            weight = ops.swapaxes(ops.flip(weight, flipped), 0, 1)
        found = ops.conv_transpose(
            ordered(lhs, left), weight, None, tuple(strides), tuple(cut), tuple(more), dilation, 1, count
        )
        return ordered(found, tuple(tuple(out).index(axis) for axis in range(count + 2)))
    if transpose_kernel:
        weight = ops.swapaxes(ops.flip(weight, flipped), 0, 1)
    numbers = (left, tuple(range(count + 2)), out)
    return conv_general_dilated(
        lhs,
        weight,
        (1,) * count,
        pads,
        tuple(strides),
        dilation,
        numbers,
        preferred_element_type=preferred_element_type,
    )


def _pads(padding: Any, reach: list[int], strides: Any) -> list[tuple[int, int]]:
    """What lies around the spread elements: pairs as they are; else as much as makes the size that the name says."""
    if not isinstance(padding, str):
        return [tuple(pair) for pair in padding]
    pairs = []
    for edge, step in zip(reach, strides):
        both = edge + step - 1
        if padding.upper() == "VALID":
            both += max(edge + 1 - step, 0)
            low = edge
        else:
            low = edge if step > edge else -(-both // 2)
        pairs.append((low, both - low))
    return pairs


ROWS = (
    Row("conv_transpose", _transposed(False), {"lax.conv_transpose": _conv_transpose}),
    Row("conv_transpose_channels_last", _transposed(True)),
)
