"""Ops that arrange elements anew without computing, and questions about shapes.

Names and semantics: https://data-apis.org/array-api/latest/API_specification/manipulation_functions.html
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from ..dtypes import holds
from ..errors import ShapeError
from ..infer import comparisons, sequences
from ..list_spellings import at_path, in_order
from ..op import Point, Trait
from ..rules import OPEN
from ..types import LogicalTensor
from . import _seen, _views
from ._asked import Asked, IsNone, Sizes
from ._axes import flattened, moved, permuted, reshaped, squeezed, swapped, transposed, unsqueezed
from ._joins import (
    alike_type,
    broadcast_dims,
    chunk_type,
    concat_type,
    expand_spelling,
    expanded_dims,
    item_type,
    items_type,
    numbers_type,
    pad_type,
    repeat_type,
    slice_type,
    split_type,
    stack_type,
    tile_type,
    unstack_type,
)
from ._row import op
from ._shapes import (
    Dims,
    as_type,
    axes_of,
    axis_of,
    free,
    stays_weak,
    takes_open,
)

FAMILY = "shape"
_COPIED = Trait.APART | Trait.UNSAVED | Trait.KEEPS_SIGN | Trait.STEADY


def _shaped(dims_rule: Any, **marks: Any) -> Any:
    """Infer rule of an op that keeps dtype and changes dims: `dims_rule(dims, args)` says how, for a known rank."""

    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        x = as_type(args.x, rules)
        return LogicalTensor(x.dtype, dims_rule(x.dims, args), weak=stays_weak(x.weak, rules))

    return takes_open(infer) if marks.get("open") else infer


# ---------------------------------------------------------------- axes
def _flatten(args: SimpleNamespace) -> str:
    start, end = args.start, args.end
    if (start, end) == (0, -1):
        return "np.reshape(x, -1)"
    head = {0: "", 1: "x.shape[0], "}.get(start, f"*x.shape[:{start}], ")
    tail = "" if end == -1 else f", *x.shape[{end + 1}:]"
    return f"np.reshape(x, ({head}-1{tail}))"


for _signature, _spelling, _rule, _put in (
    (
        "permute_dims(x, axes=None)",
        lambda a: "x.T" if a.axes is None else "np.transpose(x, axes)",
        permuted,
        _views.put_permuted,
    ),
    ("swapaxes(x, axis1, axis2)", "np.swapaxes(x, axis1, axis2)", swapped, _views.put_swapped),
    ("matrix_transpose(x)", "np.matrix_transpose(x)", transposed, _views.put_transposed),
    ("moveaxis(x, source, destination)", "np.moveaxis(x, source, destination)", moved, _views.put_moved),
    ("squeeze(x, axis=None)", "np.squeeze(x, axis=axis)", squeezed, _views.put_reshaped),
):
    op(FAMILY, _signature, _spelling, infer=_shaped(_rule), put=_put, compute=free, memory=free)
op(
    FAMILY,
    "expand_dims(x, axis)",
    "np.expand_dims(x, axis)",
    infer=_shaped(unsqueezed),
    put=_views.put_unsqueezed,
    compute=free,
    memory=free,
    sequence=comparisons.with_axis,
)
op(
    FAMILY,
    "at_least(x, count)",
    lambda args: f"np.atleast_{args.count}d(x)",
    infer=_shaped(lambda dims, args: None if dims is None else (*(1,) * (args.count - len(dims)), *dims)),
    put=_views.put_reshaped,
    compute=free,
    memory=free,
    doc="New axes of size 1 in front, up to so many axes (1 or 2).",
)
op(
    FAMILY,
    "flatten(x, start=0, end=-1)",
    _flatten,
    infer=_shaped(flattened),
    put=_views.put_reshaped,
    compute=free,
    memory=free,
    traits=Trait.MERGES,
)
op(
    FAMILY,
    "reshape(x, shape)",
    "np.reshape(x, shape)",
    infer=_shaped(reshaped, open=True),
    put=_views.put_reshaped,
    compute=free,
    memory=free,
    traits=Trait.AFFINE,
)


# ---------------------------------------------------------------- broadcasting
for _signature, _spelling, _rule in (
    ("broadcast_to(x, shape)", "np.broadcast_to(x, shape)", broadcast_dims),
    ("expand(x, shape)", lambda args: expand_spelling(args, "np"), expanded_dims),
):
    _infer = _shaped(_rule, open=True)
    _rules: dict[str, Any] = {
        "infer": _infer,
        "put": _views.put_expanded,
        "sequence": comparisons.stretched(sequences.expanded),
        "traits": Trait.STRETCHES,
    }
    op(FAMILY, _signature, _spelling, compute=free, memory=free, **_rules)


# ---------------------------------------------------------------- joining, splitting, repeating
def _split(args: SimpleNamespace) -> str:
    sections = args.sections
    if isinstance(sections, int):
        return "np.split(x, sections, axis=axis)" + ("[0]" if sections == 1 else "")
    if len(sections) == 1:
        return "np.split(x, 1, axis=axis)[0]"
    if not all(isinstance(s, int) for s in sections):
        return "split(x, sections, axis)"
    ends = [sum(sections[:n]) for n in range(1, len(sections))]
    return f"np.split(x, {ends}, axis=axis)"


def chunk_count(args: SimpleNamespace) -> int:
    """How many parts torch.chunk makes; `chunks` where the size is not known."""
    size = _seen.size_of(args.x, args.axis)
    return -(-size // -(-size // args.chunks)) if isinstance(size, int) and size else args.chunks


def _chunk(args: SimpleNamespace) -> str:
    return "chunk(x, chunks, axis=axis)" + ("[0]" if chunk_count(args) == 1 else "")


def unstack_count(args: SimpleNamespace) -> int:
    """How many parts there are. Raises ShapeError where that is not known."""
    if isinstance(args.length, int):
        return args.length
    return _seen.length(args.x, args.axis, "taking an axis apart needs its size")


def _unstack(args: SimpleNamespace) -> str:
    return "np.unstack(x, axis=axis)" + ("[0]" if unstack_count(args) == 1 else "")


def _pad(args: SimpleNamespace) -> str:
    rank, given = _seen.rank(args.x), len(args.widths)
    widths = "widths" if rank == given else f"((0, 0),) * (x.ndim - {given}) + widths"
    if rank is not None and rank > given:
        widths = f"({'(0, 0), ' * (rank - given)}*widths)"
    return f"np.pad(x, {widths}{', constant_values=value' if args.mode == 'constant' else ', mode=mode'})"


def _same_dims(dims: Dims, args: SimpleNamespace) -> Dims:
    if dims is not None:
        axes_of(args.axis, len(dims))
    return dims


def _sections(args: SimpleNamespace) -> tuple[str, ...]:
    return ("tensor",) * (args.sections if isinstance(args.sections, int) else len(args.sections))


for _signature, _spelling, _infer, _rest in (
    (
        "concat(arrays, axis=0)",
        "np.concatenate(arrays, axis=axis)",
        concat_type,
        {"traits": _COPIED | Trait.AXES | Trait.JOINS | Trait.FIRST_ROWS, "sequence": sequences.joined},
    ),
    (
        "stack(arrays, axis=0)",
        "np.stack(arrays, axis=axis)",
        stack_type,
        {"traits": _COPIED | Trait.JOINS | Trait.STACKS | Trait.FIRST_ROWS},
    ),
    ("seq_of(items)", "[*items]", slice_type, {"kinds": ("list",)}),
    ("seq_at(items, index, path=())", at_path, item_type, {"traits": Trait.ITEM}),
    ("seq_slice(items, cut)", "items[cut]", slice_type, {"kinds": ("list",)}),
    (
        "seq_sorted(items, keys=None, reverse=False)",
        in_order,
        slice_type,
        {"kinds": ("list",), "traits": Trait.ORDERS},
    ),
    ("seq_concat(items, more)", "[*items, *more]", items_type, {"kinds": ("list",)}),
    ("seq_alike(items, dtype)", "alike(items, dtype)", alike_type, {"kinds": ("list",)}),
    ("seq_array(items, dtype)", "np.array(items, dtype=dtype)", numbers_type, {}),
    (
        "split(x, sections, axis=0)",
        _split,
        split_type,
        {"kinds": _sections, "put": _views.put_split, "traits": Trait.AXES},
    ),
    (
        "chunk(x, chunks, axis=0)",
        _chunk,
        chunk_type,
        {"kinds": lambda a: ("tensor",) * chunk_count(a), "put": _views.put_chunk, "traits": Trait.AXES},
    ),
    (
        "unstack(x, axis=0, length=None)",
        _unstack,
        unstack_type,
        {"kinds": lambda a: ("tensor",) * unstack_count(a), "put": _views.put_unstacked, "point": Point.NUMBER},
    ),
    (
        "flip(x, axis=None)",
        "np.flip(x, axis=axis)",
        _shaped(_same_dims),
        {"put": _views.put_flipped, "traits": Trait.SHAPE_OF_FIRST},
    ),
    (
        "roll(x, shift, axis=None)",
        "np.roll(x, shift, axis=axis)",
        _shaped(_same_dims),
        {"traits": Trait.SHAPE_OF_FIRST | Trait.SELECTS | _COPIED},
    ),
    ("tile(x, repetitions)", "np.tile(x, repetitions)", tile_type, {"traits": _COPIED, "sequence": sequences.tiled}),
    (
        "repeat(x, repeats, axis=None, length=None)",
        "np.repeat(x, repeats, axis=axis)",
        repeat_type,
        {"traits": Trait.CHECKS | Trait.STEADY | Trait.FIRST_ROWS, "sequence": sequences.repeated},
    ),
    (
        'pad(x, widths, mode="constant", value=0)',
        _pad,
        pad_type,
        {"traits": Trait.RANK_OF_FIRST | Trait.STEADY | Trait.PADS},
    ),
):
    op(FAMILY, _signature, _spelling, infer=_infer, compute=free, **_rest)


# ---------------------------------------------------------------- questions
def _asked(answer: Any) -> Any:
    """Infer rule of a host query: `answer(type, args)`, OPEN where that is None."""

    def infer(args: SimpleNamespace, rules: str) -> Any:
        found = answer(as_type(args.x, rules), args)
        return (OPEN if found is None else found,)

    return infer


def _size(x: LogicalTensor, args: SimpleNamespace) -> Any:
    return None if x.dims is None else x.dims[axis_of(args.axis, len(x.dims))]


def _sizes(args: SimpleNamespace, rules: str) -> tuple:
    dims = as_type(args.x, rules).dims
    if dims is None:
        return (OPEN,) * args.rank
    if len(dims) != args.rank:
        raise ShapeError(f"a shape of {len(dims)} sizes is taken apart into {args.rank}")
    return tuple(OPEN if d is None else d for d in dims)


def _shape(x: LogicalTensor, args: SimpleNamespace) -> Any:
    return None if x.dims is None else tuple(OPEN if d is None else d for d in x.dims)


def _is_floating(x: LogicalTensor, args: SimpleNamespace) -> Any:
    return None if x.dtype is None else x.dtype.kind == "f"


def _attribute(name: str, function: str) -> Any:
    """`x.name` of an array, `function` of what may turn out to be a Python scalar."""
    return lambda args: function if _seen.is_plain(args.x) else f"x.{name}"


for _signature, _spelling, _kind, _answer, _run in (
    ("size(x, axis)", "x.shape[axis]", "int", _size, lambda m, x, axis: m.shape(x)[axis]),
    ("rank(x)", _attribute("ndim", "np.ndim(x)"), "int", lambda x, a: x.rank, lambda m, x: len(m.shape(x))),
    ("shape(x)", _attribute("shape", "np.shape(x)"), "shape", _shape, lambda m, x: m.shape(x)),
    ("numel(x)", _attribute("size", "np.size(x)"), "int", lambda x, a: x.size(), lambda m, x: math.prod(m.shape(x))),
    ("dtype_of(x)", _attribute("dtype", "np.asarray(x).dtype"), "dtype", lambda x, a: x.dtype, lambda m, x: m.dtype(x)),
    ("is_floating(x)", "is_floating(x)", "bool", _is_floating, lambda m, x: m.dtype(x).kind == "f"),
):
    op(
        FAMILY,
        _signature,
        _spelling,
        infer=_asked(_answer),
        kinds=(_kind,),
        compute=free,
        control=Asked(_run),
        traits=Trait.ASKS | (Trait.LENGTH if _signature == "size(x, axis)" else Trait.NONE),
    )
op(
    FAMILY,
    "can_cast(dtype, to, signs=False)",
    'np.can_cast(dtype, to, "same_kind")',
    infer=lambda args, rules: (holds(args.to, args.dtype, args.signs),),
    kinds=("bool",),
    compute=free,
    control=Asked(lambda machine, dtype, to, signs: holds(to, dtype, signs)),
    traits=Trait.ASKS,
    doc="Whether an array of the dtype `to` can be written in place with what has the other: one of its kind, or of a lower one. "
    "`signs`: whole numbers that may be negative are none of those that may not.",
)
op(
    FAMILY,
    "device_of(x)",
    "x.device",
    infer=_asked(lambda x, a: None),
    kinds=("device",),
    compute=free,
    traits=Trait.ASKS,
)
op(
    FAMILY,
    "is_none(x)",
    "x is None",
    infer=takes_open(lambda args, rules: True if args.x is None else OPEN),
    kinds=("bool",),
    compute=free,
    control=IsNone(lambda machine, x: x is None),
    traits=Trait.ASKS,
)
op(
    FAMILY,
    "gradients_enabled(inference=False)",
    lambda a: "False" if a.inference else "True",
    kinds=("bool",),
    compute=free,
    doc="Whether operations are recorded for automatic differentiation where the function is called (`inference`: whether "
    "PyTorch's inference mode is on there). Elsewhere than in PyTorch nothing switches that.",
)
op(
    FAMILY,
    "sizes(x, rank)",
    lambda a: "x.shape[0]" if a.rank == 1 else "x.shape",
    infer=_sizes,
    kinds=lambda a: ("int",) * a.rank,
    compute=free,
    control=Sizes(),
    traits=Trait.ASKS,
)
