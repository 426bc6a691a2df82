"""What JAX's functions and methods become: the graph of a call gives what the call gives."""

import ast

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import gfx_trace as gfx
from gfx_ir.dtypes import DTYPES
from gfx_ir.errors import MissingOp, ShapeError
from gfx_ir.graph import Graph
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.rules import building
from lifting import Recorder, compare, find, interpret, record
from sweeps import one_in

JAX = backend("jax")
ROOTS = {"jnp": jnp, "jax": jax, "lax": lax}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4)).astype("float32")
Y = RNG.normal(size=(4,)).astype("float32")
M = RNG.normal(size=(3, 3)).astype("float32")
S = (M @ M.T + 3 * np.eye(3)).astype("float32")
N = np.array([[2, 0, 1], [1, 1, 0]], "int32")
K = np.array(1, "int32")
B = X > 0
IMAGE, KERNEL = RNG.normal(size=(2, 3, 8, 8)).astype("float32"), RNG.normal(size=(4, 3, 3, 3)).astype("float32")


def elementwise():
    """Every lift of a function of one or two arrays."""
    positive = {"acosh": X**2 + 1, "atanh": np.tanh(X), "acos": np.tanh(X), "asin": np.tanh(X), "erfinv": np.tanh(X)}
    for name, row in JAX.rows.items():
        for names, lift in row.lift.items():
            kind = getattr(lift, "__qualname__", "").split(".")[0]
            if kind not in ("unary", "binary", "swapped"):
                continue
            for each in names.split():
                if each.endswith("@") or each.startswith("lax."):
                    continue
                whole = name.startswith("bitwise") or "invert" in name
                x = (
                    N
                    if whole
                    else positive.get(
                        name, np.abs(X) if name in ("log", "log2", "log10", "sqrt", "pow", "rsqrt") else X
                    )
                )
                if name == "matmul":
                    continue
                yield (each, (x,), {}) if kind == "unary" else (each, (x, N if whole else Y), {})


CASES = [
    *elementwise(),
    ("lax.exp", (X,), {}), ("lax.rsqrt", (np.abs(X),), {}), ("lax.add", (X, X), {}), ("lax.div", (X, X), {}),
    ("lax.div", (N * 5 - 4, N + 2), {}), ("lax.rem", (X, X), {}), ("lax.max", (X, X), {}), ("lax.integer_pow", (X, 3), {}),
    ("lax.select", (B, X, -X), {}), ("lax.clamp", (-0.5, X, 0.5), {}), ("lax.convert_element_type", (X, jnp.int32), {}),
    ("lax.stop_gradient", (X,), {}), ("lax.logistic", (X,), {}), ("lax.erf_inv", (np.tanh(X),), {}),
    ("Array.real@", (X,), {}), ("jnp.round", (X, 2), {}), ("jnp.round", (X,), {}), ("Array.round", (X, 1), {}),
    ("jnp.clip", (X, -0.5, 0.5), {}), ("jnp.clip", (X,), {"max": 0.5}), ("Array.clip", (X, 0), {}),
    ("jnp.where", (B, X, 0.0), {}), ("jnp.select", ([B, X > 1], [X, 2 * X], 7.0), {}),
    ("jnp.isclose", (X, X + 1e-7), {}), ("jnp.allclose", (X, X), {}),
    ("jnp.nan_to_num", (np.array([1, np.nan, np.inf, -np.inf], "float32"),), {}),
    ("Array.astype", (X, jnp.int32), {}), ("Array.astype", (N, "float32"), {}), ("jnp.astype", (X, jnp.bfloat16), {}),
    ("jnp.float32", (N,), {}), ("jnp.int32", (3.7,), {}), ("jnp.bool_", (N,), {}),
    # reduce
    ("jnp.sum", (X,), {}), ("jnp.sum", (X, (0, 2)), {"keepdims": True}), ("Array.sum", (N, 1), {}),
    ("jnp.sum", (X,), {"where": B}), ("jnp.prod", (X, -1), {}), ("jnp.mean", (X, -1), {}), ("Array.mean", (X,), {"axis": 0}),
    ("jnp.var", (X, -1), {"keepdims": True}), ("jnp.std", (X, 1), {"ddof": 1}), ("Array.var", (X,), {"correction": 1}),
    ("jnp.max", (X, 1), {}), ("jnp.amax", (X,), {}), ("Array.min", (X, -1), {}), ("jnp.max", (X, -1), {"initial": 1.0}),
    ("jnp.ptp", (X, 1), {}), ("lax.reduce_max", (X, (1,)), {}), ("jnp.any", (B, 1), {}), ("Array.all", (B,), {}),
    ("jnp.argmax", (X, 1), {}), ("Array.argmin", (X,), {}), ("lax.argmax", (X, 1, jnp.int32), {}),
    ("jnp.count_nonzero", (N, 1), {}), ("jnp.cumsum", (X, 1), {}), ("Array.cumprod", (X, 2), {}), ("jnp.diff", (X,), {"axis": 1}),
    ("jnp.cumulative_sum", (Y,), {"axis": 0}), ("lax.cumsum", (X, 1), {"reverse": True}), ("jnp.average", (X, 1), {}),
    ("jax.nn.logsumexp", (X, -1), {}), ("jnp.linalg.norm", (X,), {}), ("jnp.linalg.norm", (X,), {"axis": -1, "ord": 1}),
    ("jnp.linalg.norm", (X,), {"axis": (1, 2)}), ("jnp.linalg.vector_norm", (X,), {"axis": 1, "ord": 3}),
    ("jnp.sort", (X, 1), {}), ("jnp.sort", (X,), {"descending": True}), ("Array.sort", (X, None), {}), ("jnp.argsort", (X,), {}),
    ("lax.top_k", (X, 2), {}), ("lax.sort", (X,), {"dimension": 1}), ("jnp.array_equal", (X, X), {}),
    ("jnp.nansum", (np.where(B, X, np.float32("nan")), 1), {}), ("jnp.nanmean", (np.where(B, X, np.float32("nan")),), {}),
    ("jnp.divmod", (X, Y), {}), ("jnp.deg2rad", (X,), {}), ("jnp.degrees", (X,), {}), ("Array.item", (X[0, 0, :1],), {}),
    # shape
    ("jnp.reshape", (X, (6, -1)), {}), ("Array.reshape", (X, 2, -1), {}), ("Array.reshape", (X, (4, 6)), {}),
    ("lax.reshape", (X, (6, 4)), {}), ("jnp.ravel", (X,), {}), ("Array.flatten", (X,), {}), ("lax.collapse", (X, 1), {}),
    ("lax.collapse", (X, 0, 2), {}), ("jnp.transpose", (X, (2, 0, 1)), {}), ("Array.transpose", (X, 1, 0, 2), {}),
    ("Array.T@", (X,), {}), ("Array.T@", (M,), {}), ("Array.mT@", (X,), {}), ("jnp.transpose", (X,), {}), ("lax.transpose", (X, (0, 2, 1)), {}),
    ("jnp.swapaxes", (X, 0, -1), {}), ("Array.swapaxes", (X, 1, 2), {}), ("jnp.moveaxis", (X, 0, -1), {}), ("jnp.rollaxis", (X, 2), {}),
    ("jnp.expand_dims", (X, (0, -1)), {}), ("lax.expand_dims", (X, (1,)), {}), ("jnp.squeeze", (X[:1],), {}),
    ("Array.squeeze", (X[:, :1], 1), {}), ("jnp.atleast_2d", (Y,), {}), ("jnp.broadcast_to", (Y, (2, 3, 4)), {}),
    ("jnp.broadcast_arrays", (X, Y), {}), ("lax.broadcast", (Y, (2, 3)), {}), ("lax.broadcast_in_dim", (Y, (4, 3), (0,)), {}),
    ("jnp.concatenate", ([X, X],), {"axis": 1}), ("jnp.concat", ((X, X),), {"axis": -1}), ("jnp.append", (X, Y), {}),
    ("lax.concatenate", ([X, X], 0), {}), ("jnp.stack", ([X, X], -1), {}), ("jnp.stack", (X, 1), {}), ("jnp.hstack", ([X, X],), {}), ("jnp.hstack", ([Y, Y],), {}),
    ("jnp.vstack", ([Y, Y],), {}), ("jnp.column_stack", ([Y, Y],), {}), ("jnp.split", (X, 2), {}), ("jnp.split", (X, [1, 3], -1), {}),
    ("lax.split", (X, (1, 3), 2), {}), ("jnp.array_split", (X, 3, 2), {}), ("jnp.unstack", (X,), {"axis": 1}),
    ("jnp.flip", (X, 1), {}), ("jnp.flipud", (X,), {}), ("lax.rev", (X, (0, 2)), {}), ("jnp.roll", (X, 1, 1), {}),
    ("jnp.tile", (X, (2, 1)), {}), ("jnp.repeat", (X, 2, 1), {}), ("Array.repeat", (Y, 3), {}), ("jnp.pad", (X, 1), {}),
    ("jnp.pad", (X, ((0, 0), (1, 2), (0, 1))), {"mode": "edge"}), ("jnp.pad", (X, (1, 2)), {"constant_values": 7}),
    ("lax.pad", (X, 1.0, ((0, 0, 0), (1, 1, 0), (2, 0, 0))), {}), ("Array.ndim@", (X,), {}), ("Array.shape@", (X,), {}),
    ("Array.size@", (X,), {}), ("jnp.ndim", (X,), {}),
    # index
    ("Array.__getitem__", (X, (slice(None), 1)), {}), ("Array.__getitem__", (X, (..., None, slice(1, 3))), {}),
    ("Array.__getitem__", (X, K), {}), ("Array.__getitem__", (Y, N), {}),
    ("lax.slice", (X, (0, 1, 0), (2, 3, 4), (1, 1, 2)), {}), ("lax.slice_in_dim", (X, 1, 3), {"axis": -1}),
    ("lax.index_in_dim", (X, 1), {"axis": 1}), ("lax.dynamic_slice", (X, (0, K, 3), (2, 2, 2)), {}),
    ("lax.dynamic_slice_in_dim", (X, K, 2), {"axis": 2}), ("lax.dynamic_index_in_dim", (X, K), {"axis": 1, "keepdims": False}),
    ("lax.dynamic_update_slice", (X, X[:1, :2, :2] * 2, (K, 0, 3)), {}),
    ("lax.dynamic_update_slice_in_dim", (X, X[:, :1] * 2, K), {"axis": 1}),
    ("jnp.take", (X, N), {"axis": 1}), ("Array.take", (X, N), {}), ("jnp.take_along_axis", (X[0, :, :3], N), {"axis": 0}),
    ("jnp.tril", (X, -1), {}), ("jnp.triu", (X,), {"k": 1}), ("jnp.tri", (3, 4), {}), ("jnp.diagonal", (X, 1, 1, 2), {}),
    ("jnp.diag", (Y, 1), {}), ("jnp.diag", (M,), {}), ("jnp.searchsorted", (np.sort(Y), X), {"side": "right"}),
    ("jnp.digitize", (X, np.sort(Y)), {}), ("jax.nn.one_hot", (N, 4), {}),
    # create
    ("jnp.zeros", ((2, 3),), {}), ("jnp.ones", (3, int), {}), ("jnp.full", ((2,), 1.5), {}), ("lax.full", ((2,), 3, jnp.float32), {}),
    ("jnp.zeros_like", (X,), {}), ("jnp.ones_like", (X, jnp.int32), {}), ("jnp.full_like", (X, 2), {"shape": (3,)}),
    ("jnp.array", ([[1.0, 2.0], [3.0, 4.0]],), {}), ("jnp.asarray", (X, jnp.float16), {}), ("jnp.array", ([Y, Y],), {}), ("jnp.array", (3,), {}),
    ("jnp.arange", (5,), {}), ("jnp.arange", (1, 7, 2), {}), ("jnp.arange", (3.0,), {}), ("lax.iota", (jnp.float32, 4), {}),
    ("lax.broadcasted_iota", (jnp.int32, (2, 3), 0), {}), ("jnp.linspace", (0.0, 1.0, 5), {}), ("jnp.linspace", (0, 1, 5), {"endpoint": False}),
    ("jnp.eye", (3, 4), {"k": 1}), ("jnp.identity", (3,), {}), ("jnp.meshgrid", (Y, Y), {"indexing": "ij"}),
    # linalg
    ("jnp.matmul", (X, X.swapaxes(1, 2)), {}), ("Array.__matmul__", (X, Y), {}), ("Array.__rmatmul__", (Y, X), {}), ("jnp.dot", (X, Y), {}),
    ("jnp.dot", (X, X.swapaxes(1, 2)), {}), ("jnp.dot", (X, 2.0), {}), ("lax.dot", (M, M), {}),
    ("lax.dot_general", (X, X, (((2,), (2,)), ((0,), (0,)))), {}), ("jnp.einsum", ("btd,bsd->bts", X, X), {}),
    ("jnp.inner", (X, Y), {}), ("jnp.outer", (X, Y), {}), ("jnp.vdot", (X, X), {}), ("jnp.vecdot", (X, X), {"axis": 1}),
    ("jnp.tensordot", (X, X, ((1, 2), (1, 2))), {}), ("jnp.tensordot", (X, Y, 1), {}), ("jnp.trace", (X,), {}), ("jnp.linalg.trace", (X,), {}),
    ("jnp.kron", (M, M), {}), ("jnp.linalg.multi_dot", ([M, M, M],), {}), ("jnp.linalg.matrix_norm", (X,), {}), ("jnp.linalg.solve", (S, M), {}),
    ("jnp.linalg.inv", (S,), {}), ("jnp.linalg.det", (S,), {}), ("jnp.linalg.cholesky", (S,), {}), ("jnp.linalg.norm", (M, "fro"), {}),
    # nn
    *((f"jax.nn.{name}", (X,), {}) for name in (
        "relu relu6 sigmoid silu swish log_sigmoid softplus softmax log_softmax gelu elu celu selu leaky_relu hard_tanh "
        "hard_sigmoid hard_swish soft_sign glu squareplus standardize mish tanh").split()),
    ("jax.nn.gelu", (X, False), {}), ("jax.nn.softmax", (X, (0, 2)), {}), ("jax.nn.leaky_relu", (X, 0.2), {}), ("jax.nn.elu", (X,), {"alpha": 0.5}),
    ("jax.nn.dot_product_attention", (IMAGE, IMAGE, IMAGE), {"is_causal": True}),
    ("jax.nn.dot_product_attention", (IMAGE, IMAGE, IMAGE), {"scale": 0.3, "mask": np.tri(3, dtype=bool)[None, None]}),
    ("jax.nn.dot_product_attention", (IMAGE, IMAGE, IMAGE), {"mask": np.zeros((1, 1, 3, 3), bool)}),
    ("jax.nn.dot_product_attention", (IMAGE, IMAGE, IMAGE), {"is_causal": True, "mask": ~np.eye(3, dtype=bool)[None, None]}),
    ("lax.conv", (IMAGE, KERNEL, (2, 2), "VALID"), {}), ("lax.conv_general_dilated", (IMAGE, KERNEL, (1, 1), "SAME"), {}),
    ("lax.conv_general_dilated", (IMAGE, KERNEL, (2, 1), [(1, 1), (0, 2)]), {"rhs_dilation": (2, 1)}),
    ("lax.conv_general_dilated", (IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0), (1, 1), [(1, 1), (1, 1)]),
     {"dimension_numbers": ("NHWC", "HWIO", "NHWC")}),
    ("lax.conv_transpose", (IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0), (2, 2), "SAME"), {}),
    ("lax.conv_transpose", (IMAGE, KERNEL.transpose(1, 0, 2, 3), (2, 1), [(1, 2), (2, 2)]),
     {"dimension_numbers": ("NCHW", "OIHW", "NCHW"), "transpose_kernel": True}),
    ("lax.conv_transpose", (IMAGE, KERNEL, (2, 3), [(4, 1), (0, 5)]), {"dimension_numbers": ("NCHW", "OIHW", "NCHW"), "rhs_dilation": (1, 2)}),
    ("lax.reduce_window", (IMAGE, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), [(0, 0), (0, 0), (1, 1), (1, 1)]), {}),
    ("lax.reduce_window", (IMAGE, -jnp.inf, lax.max, (1, 3, 2, 1), (1, 2, 2, 1), "SAME"), {}),
    ("lax.reduce_window", (IMAGE, -jnp.inf, lax.max, (1, 1, 3, 2), (1, 1, 2, 1), "SAME", None, (1, 1, 2, 2)), {}),
    ("lax.reduce_window", (IMAGE, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"), {}),
    ("lax.reduce_window", (IMAGE[0], 0.0, lax.add, (1, 3, 3)), {"padding": [(0, 0), (0, 1), (2, 0)]}),
    ("jnp.indices", ((2, 3),), {}), ("jnp.indices", ((2, 3),), {"sparse": True}),
    # fft
    ("jnp.fft.fft", (X,), {}), ("jnp.fft.rfft", (X, 6), {"axis": 1}), ("jnp.fft.irfft", (X,), {}),
]  # fmt: skip


def on_jax(tree):
    """NumPy arrays as JAX arrays."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf, tree)


def call(function, args, kwargs):
    if isinstance(function, type(jnp.float32)) or not any(isinstance(a, slice) for a in jax.tree.leaves(args)):
        return function(*on_jax(args), **on_jax(kwargs))
    return function(*args, **kwargs)


@pytest.mark.parametrize("name, args, kwargs", one_in(4, CASES), ids=lambda x: x if isinstance(x, str) else "")
@pytest.mark.filterwarnings("ignore")
def test_graph_of_a_call(name, args, kwargs):
    function, lift = find(JAX, ROOTS, name)
    want = call(function, args, kwargs)
    graph, fed = record(JAX, lift, args, kwargs)
    tol = 1e-2 if getattr(want, "dtype", None) in (jnp.bfloat16, jnp.float16) else 2e-5
    with np.errstate(all="ignore"):
        compare(interpret(graph, fed), want, tol)
    there = interpret(graph, [jnp.asarray(x) for x in fed], JAX.run)
    compare(there, want, tol)
    for got, expected in zip(jax.tree.leaves(there), jax.tree.leaves(want)):
        if hasattr(got, "dtype") and hasattr(expected, "dtype"):
            assert got.dtype == expected.dtype
    if name == "lax.div" and args[0].dtype == np.int32:
        return  # without a dtype the arguments are taken as floating
    with np.errstate(all="ignore"):
        try:
            graph, fed = record(JAX, lift, args, kwargs, typed=False)
        except ShapeError as error:
            assert "TensorSpec" in error.hint
        else:
            compare(interpret(graph, fed), want, tol)


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize("name, args, kwargs", [
    ("jnp.sum", (X,), {"initial": 1.0}), ("jnp.sum", (X,), {"promote_integers": False}), ("jnp.mean", (X,), {"where": B}),
    ("jnp.reshape", (X, (6, 4)), {"order": "F"}),
    ("jnp.take", (X, N), {"mode": "wrap"}), ("jnp.array", (X,), {"ndmin": 4}), ("jnp.linspace", (0, 1), {"retstep": True}),
    ("jnp.pad", (X, 1), {"mode": "linear_ramp"}), ("Array.__getitem__", (X, [0, 1]), {}),
    ("jax.nn.softmax", (X,), {"where": B}),
    ("jnp.zeros", (3, "float31"), {}),
])  # fmt: skip
def test_refused(name, args, kwargs):
    _, lift = find(JAX, ROOTS, name)
    with pytest.raises(MissingOp) as caught:
        record(JAX, lift, args, kwargs)
    assert caught.value.hint


# ---------------------------------------------------------------- random numbers
@pytest.mark.parametrize("name, args, kwargs", [
    ("jax.random.normal", ((3, 4),), {}), ("jax.random.uniform", ((3,),), {"minval": -1.0}), ("jax.random.bernoulli", (0.3, (5,)), {}),
    ("jax.random.randint", ((4,), 0, 9), {}), ("jax.random.normal", ((2,), jnp.float16), {}),
])  # fmt: skip
def test_draws_are_those_of_jax(name, args, kwargs):
    function, lift = find(JAX, ROOTS, name)
    key = jax.random.key(3)
    graph, _ = record(JAX, type(lift)(name, lambda *a, **k: lift.fn(K, *a, **k)), args, kwargs)
    node = graph.first
    got = JAX.run(node.op, (key, *node.args[1:]))
    want = function(key, *args, **kwargs)
    assert got.dtype == want.dtype and (got == want).all()


def test_split_gives_the_two_keys_of_jax():
    def split(key):
        first, second = jax.random.split(key)
        return first, second

    program = gfx.symbolic_trace(split, jax.random.key(0))
    for found in (program(jax.random.key(0)), program.to("jax")(jax.random.key(0))):
        for key, want in zip(found, jax.random.split(jax.random.key(0)), strict=True):
            assert (jax.random.key_data(key) == jax.random.key_data(want)).all()


# ---------------------------------------------------------------- spelling
@pytest.mark.parametrize("op, args, text", [
    ("sum", {"x": X}, "jnp.sum(x)"),
    ("mean", {"x": X, "axis": -1, "keepdims": True}, "x.mean(axis=axis, keepdims=keepdims)"),
    ("flatten", {"x": X, "start": 1}, "jax.lax.collapse(x, 1)"),
    ("permute_dims", {"x": X, "axes": (2, 0, 1)}, "x.transpose(2, 0, 1)"),
    ("matrix_transpose", {"x": M}, "x.T"),
    ("softmax", {"x": X}, "jax.nn.softmax(x, axis=axis)"),
    ("gelu", {"x": X}, "jax.nn.gelu(x, approximate=False)"),
    ("linear", {"x": X, "weight": M}, "x @ weight.T"),
    ("conv", {"x": IMAGE, "weight": KERNEL, "bias": Y, "stride": (2, 2), "padding": (1, 1)},
     "jax.lax.conv_general_dilated(x, weight, (2, 2), [(1, 1), (1, 1)]) + bias[:, None, None]"),
    ("conv", {"x": IMAGE, "weight": KERNEL}, "jax.lax.conv_general_dilated(x, weight, (1, 1), 'VALID')"),
    ("max_pool", {"x": IMAGE, "kernel": (3, 3), "stride": (2, 2), "padding": (1, 1)}, "jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2), [(0, 0), (0, 0), (1, 1), (1, 1)])"),
    ("reshape", {"x": X, "shape": (6, -1)}, "x.reshape(*shape)"),
    ("adaptive_avg_pool", {"x": IMAGE, "output_size": (1, 1)}, "x.mean(axis=(-2, -1), keepdims=True)"),
    ("index_put", {"x": X, "index": 0, "value": 1.0, "accumulate": True}, "x.at[index].add(value)"),
    ("getitem", {"x": X, "index": [0, 1]}, "x[jnp.array(index)]"),
    ("getitem", {"x": X, "index": (0, [0, 1])}, "x[index]"),
    ("index_put", {"x": X, "index": B, "value": 1.0}, "index_put(x, index, value)"),
    ("split", {"x": X, "sections": (1, 3), "axis": 2}, "jnp.split(x, [1], axis=axis)"),
    ("chunk", {"x": X, "chunks": 2, "axis": 2}, "jnp.split(x, chunks, axis=axis)"),
    ("chunk", {"x": X, "chunks": 3, "axis": 2}, "chunk(x, chunks, axis=axis)"),
    ("normal", {"key": K, "shape": (2,)}, "jax.random.normal(key, shape)"),
    ("arange", {"start": 0, "stop": 4}, "jnp.arange(stop)"),
    ("check", {"pred": B, "message": "no", "error": "ValueError"}, "check(pred, message, ValueError)"),
])  # fmt: skip
def test_spelling(op, args, text):
    template = JAX.templates[op]
    values = [args.get(p, template.defaults.get(p)) for p in template.params]
    assert ast.unparse(template.tree(values)) == text


# ---------------------------------------------------------------- helpers under jax.jit
@pytest.mark.parametrize("value", [7.0, np.arange(12, dtype="float32")[: int(B.sum())], np.float32([3])])
def test_writes_where_a_mask_is_true_under_jit(value):
    want = X.copy()
    want[B] = value
    got = jax.jit(JAX.namespace["index_put"])(X, B, value)
    np.testing.assert_array_equal(got, want)
    rows = np.array([True, False])
    want = X.copy()
    want[rows] += 1
    np.testing.assert_array_equal(jax.jit(JAX.namespace["index_put"], static_argnums=3)(X, rows, 1.0, True), want)


@pytest.mark.parametrize("op, more", [
    ("max_pool", ((2, 2), (2, 2), (1, 1))), ("max_pool", ((2, 2), (2, 2), (1, 1), (2, 2))), ("max_pool", ((3, 3), (2, 2), (0,), (1,), True)),
    ("avg_pool", ((2, 2), (2, 2), (1, 1))), ("adaptive_max_pool", ((3, 3),)),
])  # fmt: skip
def test_pools_have_gradients_under_jit(op, more):
    def total(x):
        return (JAX.run(lookup(op), lookup(op).bind(x, *more)) ** 2).sum()

    step = 1e-3
    change = np.random.default_rng(1).normal(size=IMAGE.shape).astype("float32")
    slope = (jax.jit(jax.grad(total))(IMAGE) * change).sum()
    np.testing.assert_allclose(
        slope, (total(IMAGE + step * change) - total(IMAGE - step * change)) / (2 * step), rtol=0.05
    )


def test_effects_under_jit(capsys):
    @jax.jit
    def shown(x):
        JAX.run(lookup("print"), (("sum {", x.sum(), "end"), "\n", "stdout"))
        JAX.namespace["check"](x.sum() < 100, "too large", ValueError)
        return x

    shown(jnp.arange(3)).block_until_ready()
    jax.effects_barrier()
    assert capsys.readouterr().out == "sum { 3 end\n"
    with pytest.raises(Exception, match="too large"):
        shown(jnp.arange(300)).block_until_ready()
        jax.effects_barrier()


# ---------------------------------------------------------------- dtypes, versions
@pytest.mark.parametrize("given, name", [
    (jnp.float32, "float32"), (np.float32, "float32"), (np.dtype("int8"), "int8"), ("bool", "bool"), (bool, "bool"), (float, "float32"),
    (jnp.bfloat16, "bfloat16"), (DTYPES["uint8"], "uint8"), (np.floating, None), (object, None), ("no dtype", None), (3, None), (print, None),
])  # fmt: skip
def test_as_dtype(given, name):
    found = JAX.as_dtype(given)
    assert (found.name if found else None) == name


def test_native_dtypes_read_back():
    for dtype in DTYPES.values():
        assert JAX.as_dtype(JAX.native_dtype(dtype)) == dtype


def test_a_missing_rank_is_asked_for():
    graph = Graph()
    x = graph.add_placeholder("x")
    with building(Recorder(graph, "jax", False)), pytest.raises(ShapeError, match="rank"):
        JAX.functions[jnp.rollaxis].fn(x, 2)


def test_lists_and_tuples_beside_others_in_an_index_are_positions():
    def picked(x, i):
        return x[:, [0, 2]], x[..., (1, i)], x[[1, 0],], x.at[:, 0, [1, 2]].set(x[:, 1, [2, 3]]), x[:, [], 0]

    want = picked(jnp.asarray(X), jnp.asarray(K))
    for to in ("jax", "torch"):
        made = gfx.transpile(picked, jnp.asarray(X), jnp.asarray(K), to=to)
        given = (jnp.asarray(X), jnp.asarray(K)) if to == "jax" else tuple(map(torch.tensor, (X, K)))
        for one, other in zip(want, made(*given), strict=True):
            np.testing.assert_array_equal(one, other)
