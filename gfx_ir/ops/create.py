"""Ops that make tensors from sizes and numbers. `device`: where the tensor is put, on targets that have places.

Names and semantics: https://data-apis.org/array-api/latest/API_specification/creation_functions.html
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from .. import dtypes, host
from ..defaults import own, own_float
from ..dtypes import DType
from ..errors import ShapeError
from ..host import DimLike
from ..infer import sequences
from ..op import Point, Trait
from ..rules import OPEN
from ..types import LogicalTensor
from ._row import op
from ._shapes import (
    as_type,
    broadcast,
    dividing,
    free,
    is_size,
    promote,
    shape_arg,
    size_arg,
    stays_weak,
    takes_open,
    total,
)
from ._views import put_same

FAMILY = "create"


def _element(given: Any, otherwise: DType | None) -> DType | None:
    """The dtype argument where there is one (unknown where it is open)."""
    if given is None:
        return otherwise
    return given if isinstance(given, DType) else None


@takes_open
def _constant(args: SimpleNamespace, rules: str) -> LogicalTensor:
    found = as_type(args.data, rules)
    return LogicalTensor(_element(args.dtype, found.dtype), found.dims)


@takes_open
def _as_tensor(args: SimpleNamespace, rules: str) -> LogicalTensor:
    found = as_type(args.x, rules)
    weak = stays_weak(found.weak, rules) and args.dtype is None
    return LogicalTensor(_element(args.dtype, found.dtype), found.dims, weak=weak)


@takes_open
def _filled(args: SimpleNamespace, rules: str) -> LogicalTensor:
    value = as_type(args.fill_value, rules)
    dims = shape_arg(args.shape)
    broadcast(value.dims, dims, what="a value and the shape to fill")
    weak = stays_weak(value.weak, rules) and args.dtype is None
    return LogicalTensor(_element(args.dtype, value.dtype), dims, weak=weak)


@takes_open
def _zeros(args: SimpleNamespace, rules: str) -> LogicalTensor:
    return LogicalTensor(_element(args.dtype, dtypes.default("f", rules)), shape_arg(args.shape))


@takes_open
def _placed(args: SimpleNamespace, rules: str) -> LogicalTensor:
    return as_type(args.x, rules)


def _own(*names: str) -> dict[str, Any]:
    return {"dtype": own("numpy", *names)}


for _signature, _spelling, _rule, _names, _more in (
    (
        "constant(data, dtype=None, device=None)",
        "np.array(data, dtype=dtype)",
        _constant,
        ["data"],
        {"point": Point.GIVEN, "traits": Trait.OF_NUMBERS},
    ),
    (
        "full(shape, fill_value, dtype=None, device=None)",
        "np.full(shape, fill_value, dtype=dtype)",
        _filled,
        ["fill_value"],
        {"traits": Trait.OF_NUMBERS, "sequence": sequences.full},
    ),
    (
        "zeros(shape, dtype=None, device=None)",
        "np.zeros(shape, dtype=dtype)",
        _zeros,
        [],
        {"sequence": sequences.filled(0)},
    ),
    (
        "ones(shape, dtype=None, device=None)",
        "np.ones(shape, dtype=dtype)",
        _zeros,
        [],
        {"sequence": sequences.filled(1)},
    ),
    ("empty(shape, dtype=None, device=None)", "np.zeros(shape, dtype=dtype)", _zeros, [], {"traits": Trait.UNTOLD}),
):
    op(FAMILY, _signature, _spelling, infer=_rule, compute=free, own=_own(*_names), **_more)
op(
    FAMILY,
    "as_tensor(x, dtype=None, device=None)",
    "np.asarray(x, dtype=dtype)",
    infer=_as_tensor,
    put=put_same,
    compute=free,
    own=_own("x"),
    traits=Trait.OF_NUMBERS,
    sequence=sequences.cast,
)
for _signature, _spelling, _again, _run in (
    ("full_like(x, fill_value, dtype=None)", "np.full_like(x, fill_value, dtype=dtype)", Trait.NONE, sequences.full),
    ("zeros_like(x, dtype=None)", "np.zeros_like(x, dtype=dtype)", Trait.IDEMPOTENT, sequences.filled(0)),
    ("ones_like(x, dtype=None)", "np.ones_like(x, dtype=dtype)", Trait.IDEMPOTENT, sequences.filled(1)),
):
    op(
        FAMILY,
        _signature,
        _spelling,
        infer=_as_tensor,
        compute=free,
        traits=Trait.SHAPE_OF_FIRST | Trait.LIKE | _again,
        sequence=_run,
    )
op(
    FAMILY,
    "to_device(x, device)",
    "x",
    infer=_placed,
    put=put_same,
    compute=free,
    traits=Trait.SHAPE_OF_FIRST | Trait.MOVES | Trait.SELECTS,
)


# ---------------------------------------------------------------- ranges
def _arange(args: SimpleNamespace) -> str:
    if args.stop is None:
        return "np.arange(start, dtype=dtype)"
    step = "" if args.step == 1 and type(args.step) is int else ", step"
    return f"np.arange(start, stop{step}, dtype=dtype)"


@takes_open
def _arange_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    start, stop = (0, args.start) if args.stop is None else (args.start, args.stop)
    parts = [as_type(part, rules) for part in (start, stop, args.step)]
    dtype, _ = promote(parts, rules)
    return LogicalTensor(_element(args.dtype, dtype), (_steps(start, stop, args.step),))


def _steps(start: Any, stop: Any, step: Any) -> DimLike | None:
    if all(isinstance(part, (int, float)) for part in (start, stop, step)):
        if step == 0:
            raise ShapeError("a range of step 0 has no end")
        return max(0, math.ceil((stop - start) / step))
    if not (is_size(start) and is_size(stop) and isinstance(step, int)) or step == 0:
        return None
    count = host.sub(stop, start) if step > 0 else host.sub(start, stop)
    by = abs(step)
    return host.extremum("max", host.floordiv(host.add(count, by - 1), by), 0)


@takes_open
def _linspace_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    ends = [as_type(end, rules) for end in (args.start, args.stop)]
    around = broadcast(*(end.dims for end in ends))
    return LogicalTensor(
        _element(args.dtype, dividing(ends, rules)[0]), None if around is None else (size_arg(args.num), *around)
    )


@takes_open
def _eye_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    columns = args.n_rows if args.n_cols is None else args.n_cols
    return LogicalTensor(_element(args.dtype, dtypes.default("f", rules)), (size_arg(args.n_rows), size_arg(columns)))


def _meshgrid_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
    if not isinstance(args.arrays, (tuple, list)):
        raise ShapeError("meshgrid takes a list of tensors of known length")
    axes = [as_type(a, rules) for a in args.arrays]
    if any(a.rank is not None and a.rank > 1 for a in axes):
        raise ShapeError("meshgrid takes tensors of one axis")
    dims = [total(a.dims) if a.dims is not None else None for a in axes]
    if args.indexing == "xy" and len(dims) > 1:
        dims[:2] = dims[1::-1]
    return tuple(LogicalTensor(a.dtype, tuple(dims), weak=stays_weak(a.weak, rules)) for a in axes)


op(
    FAMILY,
    "arange(start, stop=None, step=1, dtype=None, device=None)",
    _arange,
    infer=_arange_type,
    own=_own("start", "stop", "step"),
    traits=Trait.COUNTS,
    sequence=sequences.counted,
    noun="positions",
)
op(
    FAMILY,
    "linspace(start, stop, num, dtype=None, endpoint=True, device=None)",
    "np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)",
    infer=_linspace_type,
    own={"dtype": own_float("start", "stop")},
)
op(
    FAMILY,
    "eye(n_rows, n_cols=None, k=0, dtype=None, device=None)",
    lambda a: "np.eye(n_rows, k=k, dtype=dtype)" if a.n_cols is None else "np.eye(n_rows, n_cols, k=k, dtype=dtype)",
    infer=_eye_type,
    own=_own(),
    compute=free,
)
op(
    FAMILY,
    'meshgrid(arrays, indexing="xy")',
    lambda a: "np.meshgrid(*arrays, indexing=indexing)" + ("[0]" if len(a.arrays) == 1 else ""),
    infer=_meshgrid_type,
    kinds=lambda a: ("tensor",) * len(a.arrays),
    compute=free,
)


# ---------------------------------------------------------------- limits of dtypes
def _limit(function: str) -> Any:
    """The spelling of a limit as a Python number; NumPy does not know the limits of the extended types."""

    def spelling(args: SimpleNamespace) -> str:
        extended = isinstance(args.dtype, DType) and args.dtype.numpy.isbuiltin != 1
        module = "ml_dtypes" if extended else "np"
        return f"{'int' if function == 'iinfo' else 'float'}({module}.{function}(dtype).{args.field})"

    return spelling


def limit(dtype: DType, field: str) -> float:
    """min, max, eps or tiny of a dtype."""
    if dtype.kind in "iu":
        return int(getattr(np.iinfo(dtype.numpy), field))
    module: Any = np if dtype.numpy.isbuiltin == 1 else ml_dtypes
    return float(getattr(module.finfo(dtype.numpy), field))


def _limit_value(args: SimpleNamespace, rules: str) -> Any:
    return limit(args.dtype, args.field) if isinstance(args.dtype, DType) else OPEN


op(FAMILY, "finfo(dtype, field)", _limit("finfo"), infer=_limit_value, kinds=("float",), compute=free)
op(FAMILY, "iinfo(dtype, field)", _limit("iinfo"), infer=_limit_value, kinds=("int",), compute=free)
