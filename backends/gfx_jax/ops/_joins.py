"""Splitting, repeating and padding: spellings of the rows in `shape`, and what only jax.lax has."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.build import host
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Value
from gfx_ir.host import Dim, Expr, bounds, divide
from gfx_ir.lifting.words import parts
from gfx_ir.ops import _seen

from ._lift import literal, rank
from ._padding import spread


def lax_split(operand: Any, sizes: Any, axis: int = 0) -> Any:
    return parts(ops.split(operand, tuple(sizes), axis=axis))


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
    """jnp.split refuses what does not divide: where the size is known and may not, a helper cuts as torch.chunk does."""
    size = _seen.size_of(args.x, args.axis)
    if size is not None and divide(size, args.chunks) is None:
        one = isinstance(size, int) and -(-size // -(-size // args.chunks)) == 1
        return "chunk(x, chunks, axis=axis)" + ("[0]" if one else "")
    return "jnp.split(x, chunks, axis=axis)" + ("[0]" if args.chunks == 1 else "")


def unstack_spelling(args: SimpleNamespace) -> str:
    length = args.length if isinstance(args.length, int) else _seen.size_of(args.x, args.axis)
    return "jnp.unstack(x, axis=axis)" + ("[0]" if length == 1 else "")


def repeat_spelling(args: SimpleNamespace) -> str:
    """JAX takes the numbers of repetitions as an array, of NumPy's so that jax.jit knows how many there are."""
    many = isinstance(args.repeats, (tuple, list))
    return f"jnp.repeat(x, {'np.array(repeats)' if many else 'repeats'}, axis=axis, total_repeat_length=length)"


def lax_pad(operand: Any, padding_value: Any, padding_config: Any) -> Any:
    """lax.pad: elements between elements first, then edges; an edge below 0 cuts off."""
    if (_seen.rank(padding_value) or 0) > 0:
        raise ShapeError(
            "lax.pad takes a number to fill with, and gets an array with axes", hint="give one element of it"
        )
    if isinstance(padding_value, (bool, int, float, complex)) and not any(inside for *_, inside in padding_config):
        return _edged(operand, padding_value, [(low, high) for low, high, _ in padding_config])
    shape, into, kept = [], [], []
    for axis, (low, high, inside) in enumerate(padding_config):
        start, before, cut = host("max", low, 0), _below(low), _below(high)
        end = host("+", start, spread(operand, axis, inside + 1))
        shape.append(host("+", end, host("max", high, 0)))
        whole = inside == 0 and (start, high) == (0, 0)
        into.append(slice(None) if whole else slice(start, end, inside + 1))
        kept.append(slice(before or None, host("max", before, host("-", shape[-1], cut)) if cut else None))
    filled = ops.index_put(ops.full(tuple(shape), padding_value, dtype=ops.dtype_of(operand)), tuple(into), operand)
    return ops.getitem(filled, tuple(kept)) if any(k != slice(None) for k in kept) else filled


def _below(edge: Any) -> Any:
    """How many elements an edge cuts off."""
    return host("max", host("neg", edge), 0)


def _edged(x: Any, value: Any, edges: Sequence[tuple[Any, Any]]) -> Any:
    """x with edges of one number; one below 0 cuts off."""
    less = [(_below(low), host("neg", _below(high))) for low, high in edges]
    found = ops.pad(x, tuple((host("max", low, 0), host("max", high, 0)) for low, high in edges), value=value)
    if all(pair == (0, 0) for pair in less):
        return found
    index = []
    for axis, (start, end) in enumerate(less):
        stop = (end or None) if isinstance(end, int) else host("+", ops.size(found, axis), end)
        index.append(slice(start, stop))
    return ops.getitem(found, tuple(index))


def _is_not_negative(width: Any) -> bool:
    """Whether a width is told to be none that cuts, which jnp.pad refuses."""
    known = width.type if type(width) is Value else width
    return isinstance(known, (int, Dim, Expr)) and (least := bounds(known)[0]) is not None and least >= 0


def pad_spelling(args: SimpleNamespace) -> str:
    count, given = rank(args.x), len(args.widths)
    option = "constant_values=value" if args.mode == "constant" else "mode=mode"
    if args.mode == "constant" and not all(_is_not_negative(width) for pair in args.widths for width in pair):
        return "pad(x, widths, value=value)"
    if count == given:
        return f"jnp.pad(x, widths, {option})"
    if count is not None and literal(args.widths):
        return f"jnp.pad(x, {((0, 0),) * (count - given) + tuple(args.widths)}, {option})"
    return "pad(x, widths, mode=mode, value=value)"
