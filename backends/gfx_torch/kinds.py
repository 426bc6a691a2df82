"""Of which kinds of numbers torch's functions take tensors: a row for those that take the same, where that is not every kind."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gfx_ir.build import assumptions, require_kinds, surely_boolean
from gfx_ir.dtypes import highest
from gfx_ir.graph import Value

from . import one_dtype, positions
from .lifting import is_dtype, is_number, kind

FIRST, PAIR, ALL, OTHERS = (0, 1), (0, 2), (0, None), (1, None)
"""Which arguments are asked, from where to where: one, or several, whose dtypes are promoted."""
_COMMON = frozenset("if")
"""What takes these alike is not asked where dtypes are open: whoever leaves them open means numbers, not booleans or complex ones."""
_NAMED = ("input", "target", "other", "exponent", "min", "max", "tensor1", "tensor2")
"""What the arguments that are asked are called."""

_ROWS = (
    (
        FIRST,
        "f",
        (
            "_softmax_backward_data adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d"
            " adaptive_max_pool2d adaptive_max_pool3d batch_norm binary_cross_entropy binary_cross_entropy_with_logits cauchy_"
            " cdist celu complex cross_entropy ctc_loss elu exponential_ frac fractional_max_pool2d fractional_max_pool3d"
            " frexp gelu glu grid_sample grid_sampler_2d grid_sampler_3d group_norm hardshrink hardsigmoid hardswish histc"
            " histogram histogramdd instance_norm kl_div layer_norm leaky_relu linear_cross_entropy log_normal_ log_softmax"
            " logsigmoid max_unpool1d max_unpool2d max_unpool3d mish multi_head_attention_forward multi_margin_loss"
            " multilabel_margin_loss multilabel_soft_margin_loss multinomial nanmean nanquantile native_batch_norm"
            " native_group_norm native_layer_norm nll_loss pdist poisson polar prelu quantile rrelu"
            " scaled_dot_product_attention segment_reduce selu softmax softmin softplus softshrink AdaptiveAvgPool2d"
            " AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d BCELoss BatchNorm1d BatchNorm2d"
            " BatchNorm3d BCEWithLogitsLoss CELU CrossEntropyLoss ELU GELU GLU GroupNorm Hardshrink Hardsigmoid Hardswish"
            " InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss LayerNorm LeakyReLU LogSigmoid LogSoftmax Mish"
            " MultiheadAttention NLLLoss PReLU SELU Softmax Softmax2d Softmin Softplus Softshrink"
        ),
    ),
    (FIRST, "uf", "interpolate upsample upsample_bilinear upsample_nearest"),
    (
        FIRST,
        "fc",
        (
            "cholesky cholesky_ex cholesky_inverse cholesky_solve cond det eig eigh eigvals eigvalsh geqrf"
            " householder_product inv inv_ex inverse ldl_factor ldl_factor_ex ldl_solve lerp logcumsumexp logdet lstsq lu lu_factor"
            " lu_factor_ex lu_solve matrix_exp matrix_norm matrix_rank mean norm norm_except_dim normal_ normalize ormqr pca_lowrank pinv"
            " pinverse qr renorm rms_norm silu slogdet soft_margin_loss solve solve_ex solve_triangular std std_mean svd"
            " svd_lowrank svdvals tensorinv tensorsolve var var_mean vecdot vector_norm RMSNorm SiLU"
        ),
    ),
    (
        FIRST,
        "uif",
        (
            "argmax argmin avg_pool1d avg_pool2d avg_pool3d ceil fix floor geometric_ hardtanh hinge_embedding_loss"
            " isin kthvalue local_response_norm margin_ranking_loss max_pool1d max_pool2d max_pool3d median"
            " mvlgamma nanmedian relu relu6 round threshold topk trunc AvgPool1d AvgPool2d AvgPool3d Hardtanh MaxPool1d"
            " MaxPool2d MaxPool3d ReLU ReLU6 Threshold"
        ),
    ),
    (
        FIRST,
        "uifc",
        (
            "abs absolute addbmm addmm addmv baddbmm bilinear bmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d"
            " conv_transpose3d corrcoef cov cross cumulative_trapezoid dot l1_loss linalg.vander linear"
            " matmul mm mv neg negative"
            " pairwise_distance positive softsign tanhshrink trace trapezoid trapz triplet_margin_loss vdot"
            " __matmul__ __rmatmul__ Bilinear Conv1d Conv2d Conv3d"
            " L1Loss Linear PairwiseDistance Softsign Tanhshrink"
        ),
    ),
    (
        FIRST,
        "buif",
        (
            "airy_ai amax amin aminmax argsort bessel_j0 bessel_j1 bessel_y0 bessel_y1 deg2rad digamma"
            " entr erf erfc erfcx erfinv gammaln i0 i0e i1 i1e ihfft ihfft2 ihfftn isneginf isposinf lgamma log_ndtr logit"
            " mode modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 msort nansum ndtr ndtri"
            " polygamma psi rad2deg rfft rfft2 rfftn scaled_modified_bessel_k0 scaled_modified_bessel_k1 sign signbit sort"
            " spherical_bessel_j0 unique unique_consecutive"
        ),
    ),
    (FIRST, "ifc", "gradient"),
    (FIRST, "bfc", "fold unfold"),
    (FIRST, "bui", "bitwise_not"),
    (FIRST, "ui", "bincount"),
    (FIRST, "i", "one_hot"),
    (FIRST, "c", "imag view_as_real view_as_real_copy"),
    (
        ALL,
        "f",
        "cosine_similarity hypot igamma igammac logaddexp2 mse_loss nextafter smooth_l1_loss CosineSimilarity MSELoss SmoothL1Loss",
    ),
    (PAIR, "f", "huber_loss HuberLoss"),
    (ALL, "fc", "logaddexp"),
    (OTHERS, "fc", "addcdiv"),
    (OTHERS, "uifc", "einsum"),
    (OTHERS, "f", "kl_div"),
    (OTHERS, "fc", "binary_cross_entropy_with_logits"),
    (ALL, "uif", "bucketize clamp clip floor_divide fmod remainder"),
    (ALL, "uifc", "addcmul pow"),
    (
        ALL,
        "buif",
        (
            "atan2 arctan2 clamp_max clamp_min copysign max min searchsorted"
            " xlogy cosine_embedding_loss fmax fmin ge greater greater_equal gt heaviside"
            " le less less_equal lt maximum minimum"
        ),
    ),
    (ALL, "bui", "bitwise_and bitwise_or bitwise_xor"),
    (ALL, "ui", "bitwise_left_shift bitwise_right_shift gcd lcm"),
)
Taken = tuple[tuple[int, int | None], str]
_TAKEN: dict[str, tuple[Taken, ...]] = {
    name: tuple((asked, kinds) for asked, kinds, names in _ROWS if name in names.split())
    for _, _, told in _ROWS
    for name in told.split()
}
_OPERATORS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "floor_divide": "floor_divide",
    "remainder": "remainder", "pow": "pow", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "bitwise_left_shift": "bitwise_left_shift", "bitwise_right_shift": "bitwise_right_shift", "bitwise_invert": "bitwise_not",
    "negative": "neg", "abs": "abs",
}  # fmt: skip
"""The functions that Python's operators on tensors are."""


def taken(name: str) -> tuple[Taken, ...]:
    """Which arguments of a function of torch's are asked, and of which kinds they may be; none where they may be of any."""
    short = name.rpartition(".")[2].removesuffix("@")
    if name.startswith("torch.masked.") or name.endswith("Tensor.unfold"):  # others of these names
        return ()
    return _TAKEN.get(name.partition(".")[2]) or _TAKEN.get(short) or ()


def refusing(fn: Callable[..., Any], name: str, own: int = 0) -> Callable[..., Any]:
    """The lift `fn` of a function of torch's, which refuses tensors of kinds that the function does not take. `own`: so many
    arguments stand before those of the function, as a module."""
    fn, rows = positions.refusing(one_dtype.refusing(fn, name), name), taken(name)
    if not rows:
        return fn
    common = all(asked == FIRST and _COMMON.issubset(kinds) for asked, kinds in rows)

    @functools.wraps(fn)
    def lift(*args: Any, **kwargs: Any) -> Any:
        if common and not kwargs and len(args) > own and type(args[own]) is Value and args[own].type is None:
            return fn(*args)  # which `check` would not ask
        if kwargs.get("dtype") is None and not any(map(is_dtype, args)):  # or the function casts what it is given
            given = [*args[own:], *(kwargs[key] for key in _NAMED if key in kwargs)]
            for (start, stop), kinds in rows:
                check(name, given[start:stop], kinds)
        return fn(*args, **kwargs)

    return lift


def check(name: str, given: Iterable[Any], kinds: str, silent: bool = False) -> None:
    """Refuse what is known to be of kinds that a function does not take. Where that hangs on arguments, those are guarded; `silent`:
    also for the common kinds, as others would give something else."""
    found = [x for x in given if isinstance(x, Value) or is_number(x)]
    known = list(map(kind, found))
    if known and "" not in known:
        require_kinds(name, highest(known), kinds)
    elif known and (silent or not _COMMON.issubset(kinds)) and (assumed := assumptions()) is not None:
        assumed.kinds(name, found, kinds)


def subtract(operands: Sequence[Any]) -> None:
    """Torch takes no difference of booleans, nor one of them and of numbers."""
    for x in operands:
        if isinstance(x, Value) and x.is_tensor:
            require_kinds("PyTorch's subtract", kind(x) or ("b" if surely_boolean(x) else "f"), "uifc")


def _product(operands: Sequence[Any]) -> None:
    one_dtype.check("PyTorch's @", operands)
    check("PyTorch's @", operands[:1], "uifc")


def _operator(op: str, function: str) -> Callable[[Sequence[Any]], None]:
    ((_, kinds),) = _TAKEN[function]
    return lambda operands: check(f"PyTorch's {op}", operands, kinds)


OPERATORS = {
    "matmul": _product,
    "subtract": subtract,
    **{op: _operator(op, function) for op, function in _OPERATORS.items()},
}
