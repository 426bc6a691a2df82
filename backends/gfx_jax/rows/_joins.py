"""Joining, splitting, repeating and padding: lifts and spellings of the rows in `shape`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.build import host
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.ops import _seen

from ._lift import ask_rank, element, expect, literal, rank, refuse


def atleast(count: int, *arrays: Any) -> Any:
    """jnp.atleast_nd: new axes in front (in NumPy's three dimensions, around)."""
    made = []
    for x in arrays:
        missing = max(0, count - ask_rank(x, f"jnp.atleast_{count}d"))
        made.append(ops.expand_dims(x, tuple(range(missing))) if missing else x)
    return made[0] if len(made) == 1 else made


# ---------------------------------------------------------------- joining and splitting
def concatenate(arrays: Any, axis: Any = 0, dtype: Any = None) -> Any:
    if isinstance(arrays, Value):
        raise MissingOp("GFX joins a list of arrays, not the rows of one", hint="jnp.reshape joins rows")
    joined = ops.concat(tuple(arrays), axis=axis)
    return joined if dtype is None else ops.astype(joined, element(dtype))


def stack(arrays: Any, axis: int = 0, out: Any = None, dtype: Any = None) -> Any:
    refuse("jnp.stack", out=out)
    if isinstance(arrays, Value):
        raise MissingOp("GFX stacks a list of arrays, not the rows of one", hint="jnp.moveaxis moves its first axis")
    stacked = ops.stack(tuple(arrays), axis=axis)
    return stacked if dtype is None else ops.astype(stacked, element(dtype))


def joined(axis_of_rank: Any, least: int) -> Any:
    """hstack, vstack, dstack: arrays of at least `least` axes joined along an axis."""

    def lift(tup: Any, dtype: Any = None) -> Any:
        arrays = atleast(least, *tup)
        arrays = arrays if isinstance(arrays, list) else [arrays]
        return concatenate(arrays, axis_of_rank(arrays[0]), dtype)

    return lift


def hstack_axis(x: Any) -> int:
    return 0 if ask_rank(x, "jnp.hstack") == 1 else 1


def column_stack(tup: Any) -> Any:
    columns = [ops.expand_dims(x, 1) if ask_rank(x, "jnp.column_stack") == 1 else x for x in tup]
    return ops.concat(tuple(columns), axis=1)


def _parts(found: Any) -> list:
    return list(found) if isinstance(found, (tuple, list)) else [found]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """jnp.split: a number of equal parts, or the positions of the cuts."""
    cuts = indices_or_sections
    if isinstance(cuts, int):
        return _parts(ops.split(ary, cuts, axis=axis))
    if isinstance(cuts, Value):
        raise MissingOp("GFX splits at positions that are known", hint="give a tuple of numbers")
    if literal(tuple(cuts)) and list(cuts) == sorted(cuts) and (not cuts or cuts[0] >= 0):
        size = _seen.size_of(ary, axis)
        end = size if isinstance(size, int) else ops.size(ary, axis)
        cuts = tuple(min(c, end) for c in cuts) if isinstance(end, int) else tuple(cuts)
        return _parts(ops.split(ary, tuple(_difference(b, a) for a, b in zip((0, *cuts), (*cuts, end))), axis=axis))
    raise MissingOp("GFX splits at positions that ascend", hint="slice the array instead")


def _difference(b: Any, a: Any) -> Any:
    return b if isinstance(a, int) and a == 0 else host("-", b, a)


def lax_split(operand: Any, sizes: Any, axis: int = 0) -> Any:
    return _parts(ops.split(operand, tuple(sizes), axis=axis))


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    if not isinstance(indices_or_sections, int):
        return split(ary, indices_or_sections, axis)
    size = _seen.length(ary, axis, "jnp.array_split needs the size of the axis")
    small, larger = divmod(size, indices_or_sections)
    sizes = (small + 1,) * larger + (small,) * (indices_or_sections - larger)
    return _parts(ops.split(ary, sizes, axis=axis))


def split_spelling(args: SimpleNamespace) -> str:
    sections = args.sections
    if isinstance(sections, int):
        return "jnp.split(x, sections, axis=axis)" + ("[0]" if sections == 1 else "")
    if len(sections) == 1:
        return "jnp.split(x, 1, axis=axis)[0]"
    if not literal(tuple(sections)):
        return "jax.lax.split(x, sections, axis=axis)"
    cuts = [sum(sections[:n]) for n in range(1, len(sections))]
    return f"jnp.split(x, {cuts}, axis=axis)"


def chunk_spelling(args: SimpleNamespace) -> str:
    """jnp.split refuses what does not divide: where the size is known not to, a helper cuts as torch.chunk does."""
    size = _seen.size_of(args.x, args.axis)
    if isinstance(size, int) and size % args.chunks:
        one = -(-size // -(-size // args.chunks)) == 1
        return "chunk(x, chunks, axis=axis)" + ("[0]" if one else "")
    return "jnp.split(x, chunks, axis=axis)" + ("[0]" if args.chunks == 1 else "")


def unstack_spelling(args: SimpleNamespace) -> str:
    length = args.length if isinstance(args.length, int) else _seen.size_of(args.x, args.axis)
    return "jnp.unstack(x, axis=axis)" + ("[0]" if length == 1 else "")


def unstack(x: Any, /, *, axis: int = 0) -> Any:
    found = ops.unstack(x, axis=axis)
    return found if isinstance(found, tuple) else (found,)


# ---------------------------------------------------------------- repeating
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    return ops.roll(a, shift, axis=axis)


def tile(A: Any, reps: Any) -> Any:
    return ops.tile(A, (reps,) if isinstance(reps, int) else tuple(reps))


def repeat(a: Any, repeats: Any, axis: Any = None, *, total_repeat_length: Any = None, out_sharding: Any = None) -> Any:
    refuse("jnp.repeat", total_repeat_length=total_repeat_length, out_sharding=out_sharding)
    return ops.repeat(a, repeats, axis=axis)


def repeat_spelling(args: SimpleNamespace) -> str:
    """JAX takes the numbers of repetitions as an array, of NumPy's so that jax.jit knows how many there are."""
    many = isinstance(args.repeats, (tuple, list))
    return f"jnp.repeat(x, {'np.array(repeats)' if many else 'repeats'}, axis=axis)"


def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    value = kwargs.pop("constant_values", 0)
    refuse("jnp.pad", **kwargs)
    expect("jnp.pad", "mode", mode, "constant", "reflect", "edge", "wrap")
    if isinstance(pad_width, int) or len(pad_width) == 1 or all(isinstance(w, int) for w in pad_width):
        pair = pad_width[0] if isinstance(pad_width, (tuple, list)) and len(pad_width) == 1 else pad_width
        pair = (pair, pair) if isinstance(pair, int) else tuple(pair)
        pad_width = (pair,) * ask_rank(array, "jnp.pad with one width for all axes")
    return ops.pad(array, tuple(tuple(w) for w in pad_width), mode=mode, value=value)


def lax_pad(operand: Any, padding_value: Any, padding_config: Any) -> Any:
    if any(interior or low < 0 or high < 0 for low, high, interior in padding_config):
        refuse("lax.pad between elements, or with negative widths,", padding_config=padding_config)
    return ops.pad(operand, tuple((low, high) for low, high, _ in padding_config), value=padding_value)


def pad_spelling(args: SimpleNamespace) -> str:
    count, given = rank(args.x), len(args.widths)
    option = "constant_values=value" if args.mode == "constant" else "mode=mode"
    if count == given:
        return f"jnp.pad(x, widths, {option})"
    if count is not None and literal(args.widths):
        return f"jnp.pad(x, {((0, 0),) * (count - given) + tuple(args.widths)}, {option})"
    return "pad(x, widths, mode=mode, value=value)"
