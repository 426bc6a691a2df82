"""Functions of torch's whose tensors have one dtype: of two it computes nothing, where other frameworks promote them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gfx_ir.build import dtype_of
from gfx_ir.dtypes import DType
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.trees import leaves

_FIRST, _LAYER, _NORM = (0, 1, 2, 3), (0, 2, 3), (0, 1, 2, 3, 4)
_ROWS = (
    (
        _FIRST,
        (
            "linear bilinear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d mm bmm mv matmul dot vdot vecdot inner"
            " tensordot addmm addmv addbmm baddbmm cross linalg.cross multi_dot chain_matmul solve solve_ex triangular_solve"
            " solve_triangular cholesky_solve allclose isclose prelu grid_sample gru_cell lstm_cell"
            " rnn_tanh_cell rnn_relu_cell binary_cross_entropy lerp __matmul__ __rmatmul__"
        ),
    ),
    ((0, 1, 2), "scaled_dot_product_attention"),
    ((0, 1), "quantile nanquantile"),
    ((0, 3), "index_add index_copy index_reduce scatter_reduce"),
    ((0, 2), "index_put masked_scatter"),
)
"""Which arguments are asked, by their places, of which functions."""
_WIDER = ((_NORM, "batch_norm instance_norm"), (_LAYER, "layer_norm group_norm"))
"""Of these the parameters may be of float32 where the tensor is narrower."""
_WEIGHTS = ("weight", "weight_ih", "weight_ih_l0", "in_proj_weight")
_MODULES = frozenset(
    f"nn.{name}"
    for name in "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d PReLU LayerNorm GroupNorm"
    " BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d RNN LSTM GRU RNNCell LSTMCell GRUCell".split()
)
"""Modules whose weights have the dtype of what they are given."""
_ASKED = {name: (at, False) for at, names in _ROWS for name in names.split()} | {
    name: (at, True) for at, names in _WIDER for name in names.split()
}


def asked(name: str) -> tuple[tuple[int, ...], bool] | None:
    """The places of the arguments of a function of torch's that have one dtype, and whether later ones may be wider; None: any."""
    if name in _MODULES:
        return (), "Norm" in name
    return _ASKED.get(name.removesuffix("_").rpartition(".")[2])


def refusing(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The lift `fn` of a function of torch's, which refuses tensors of several dtypes where the function does."""
    row = asked(name)
    if row is None:
        return fn
    places, wider = row

    @functools.wraps(fn)
    def lift(*args: Any, **kwargs: Any) -> Any:
        if name in _MODULES:
            if _typed(args[1]):  # its weights have one dtype: alone they are not several
                check(name, [args[1], *(getattr(args[0], key, None) for key in _WEIGHTS)], wider)
        else:
            check(name, _given(args, kwargs, places), wider)
        return fn(*args, **kwargs)

    return lift


def _typed(x: Any) -> bool:
    """Whether the dtype of a tensor is known."""
    return isinstance(x, Value) and x.is_tensor and dtype_of(x) is not None


def _given(args: Sequence[Any], kwargs: dict[str, Any], places: Iterable[int]) -> list[Any]:
    named = [x for key, x in kwargs.items() if key not in ("index", "indices", "mask", "attn_mask")]
    return [leaf for x in [*(args[at] for at in places if at < len(args)), *named] for leaf in leaves(x)]


def check(name: str, given: Iterable[Any], wider: bool = False) -> None:
    """Raise UnsupportedConstruct where dtypes are known to be several. `wider`: those behind the first may be float32 beside a
    narrower one."""
    first: DType | None = None
    for x in given:
        if not _typed(x):
            continue
        dtype = dtype_of(x)
        assert dtype is not None
        first = first or dtype
        if dtype != first and not (wider and dtype.name == "float32" and first.kind == "f" and first.bits < dtype.bits):
            raise UnsupportedConstruct(
                f"{name} takes tensors of one dtype, and gets {first} and {dtype}",
                hint=f"cast one: x.to(torch.{first})",
            )
