"""What NumPy's functions and methods become: the graph of a call gives what the call gives."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.dtypes import DTYPES
from gfx_ir.errors import GuardError, MissingOp, ShapeError
from gfx_ir.loading import backend
from lifting import compare, find, interpret, record

NUMPY = backend("numpy")
ROOTS = {"np": np}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4)).astype("float32")
Y = RNG.normal(size=(4,)).astype("float32")
M = RNG.normal(size=(3, 3))
S = M @ M.T + 3 * np.eye(3)
N = np.array([[2, 0, 1], [1, 1, 0]])
B = X > 0
POSITIVE = {"acosh": X**2 + 1, **dict.fromkeys(("atanh", "acos", "asin"), np.tanh(X)),
            **dict.fromkeys(("log", "log2", "log10", "sqrt", "pow", "reciprocal", "log1p"), np.abs(X) + 0.1)}  # fmt: skip


def elementwise():
    """Every lift of a function of one or two arrays."""
    for name, row in NUMPY.rows.items():
        for names, lift in row.lift.items():
            kind = getattr(lift, "__qualname__", "").split(".")[0]
            if kind not in ("unary", "binary", "swapped") or name == "matmul":
                continue
            whole = name.startswith("bitwise")
            for each in names.split():
                x = N if whole else POSITIVE.get(name, X)
                yield (each, (x,), {}) if kind == "unary" else (each, (x, N if whole else Y), {})


CASES = [
    *elementwise(),
    ("np.add", (X, [1.0, 2.0, 3.0, 4.0]), {}), ("np.round", (X, 2), {}), ("ndarray.round", (X,), {}), ("np.clip", (X, -0.5, 0.5), {}),
    ("ndarray.clip", (X, 0), {}), ("np.clip", (X,), {"max": 0.5, "min": None}), ("np.where", (B, X, 0.0), {}),
    ("np.select", ([B, X > 1], [X, 2 * X], 7.0), {}), ("np.isclose", (X, X + 1e-7), {}), ("np.allclose", (X, X), {}),
    ("np.nan_to_num", (np.array([1, np.nan, np.inf, -np.inf]),), {}), ("ndarray.astype", (X, int), {}), ("ndarray.astype", (X, "int"), {}), ("ndarray.astype", (N, "float32"), {}),
    ("np.astype", (X, np.float64), {}), ("np.float32", (N,), {}), ("np.int64", (3.7,), {}), ("np.bool_", (N,), {}), ("np.copy", (X,), {}),
    ("np.divmod", (X, Y), {}), ("np.deg2rad", (X,), {}), ("np.degrees", (X,), {}), ("np.indices", ((2, 3),), {}),
    # reduce
    ("np.sum", (X,), {}), ("np.sum", (X, (0, 2)), {"keepdims": True}), ("ndarray.sum", (N, 1), {}), ("np.sum", (X,), {"where": B}),
    ("np.sum", ([1, 2, 3],), {}), ("np.prod", (X, -1), {}), ("np.mean", (X, -1), {}), ("ndarray.mean", (X,), {"axis": 0}),
    ("np.mean", (X,), {"dtype": np.float64}), ("np.var", (X, -1), {"keepdims": True}), ("np.std", (X, 1), {"ddof": 1}),
    ("ndarray.var", (X,), {"dtype": float}), ("np.max", (X, 1), {}), ("np.amax", (X,), {}), ("ndarray.min", (X, -1), {}),
    ("np.max", (X, -1), {"initial": 1.0}), ("np.ptp", (X, 1), {}), ("np.any", (B, 1), {}), ("ndarray.all", (B,), {}), ("np.argmax", (X, 1), {}),
    ("ndarray.argmin", (X,), {}), ("np.count_nonzero", (N, 1), {}), ("np.cumsum", (X, 1), {}), ("ndarray.cumprod", (X, 2), {}),
    ("np.cumulative_sum", (Y,), {"axis": 0}), ("np.diff", (X,), {"axis": 1, "n": 2}), ("np.average", (X,), {"axis": -1, "weights": Y}),
    ("np.nansum", (np.where(B, X, np.nan), 1), {}), ("np.nanmean", (np.where(B, X, np.nan),), {}), ("np.linalg.norm", (X,), {}),
    ("np.linalg.norm", (X,), {"axis": -1, "ord": 1}), ("np.linalg.norm", (M, "fro"), {}), ("np.linalg.norm", (X,), {"axis": (1, 2)}),
    ("np.linalg.vector_norm", (X,), {"axis": 1, "ord": 3}), ("np.sort", (X, 1), {}), ("np.sort", (X, None), {}), ("np.argsort", (X,), {}),
    ("ndarray.argsort", (X,), {"kind": "stable"}), ("np.array_equal", (X, X), {}),
    # shape
    ("np.reshape", (X, (6, -1)), {}), ("ndarray.reshape", (X, 2, -1), {}), ("ndarray.reshape", (X, (4, 6)), {}), ("np.ravel", (X,), {}),
    ("ndarray.flatten", (X,), {}), ("ndarray.item", (X[0, 0, :1],), {}), ("ndarray.item", (X, 5), {}), ("np.transpose", (X, (2, 0, 1)), {}),
    ("ndarray.transpose", (X, 1, 0, 2), {}), ("ndarray.transpose", (X,), {}), ("ndarray.T@", (X,), {}), ("ndarray.T@", (M,), {}),
    ("ndarray.mT@", (X,), {}), ("np.swapaxes", (X, 0, -1), {}), ("np.moveaxis", (X, 0, -1), {}), ("np.rollaxis", (X, 2), {}),
    ("np.expand_dims", (X, (0, -1)), {}), ("np.squeeze", (X[:1],), {}), ("ndarray.squeeze", (X[:, :1], 1), {}), ("np.atleast_2d", (Y,), {}),
    ("np.broadcast_to", (Y, (2, 3, 4)), {}), ("np.broadcast_arrays", (X, Y), {}), ("np.concatenate", ([X, X],), {"axis": 1}), ("np.concatenate", (X,), {}),
    ("np.concat", ((X, X),), {"axis": -1}), ("np.append", (X, Y), {}), ("np.stack", ([X, X], -1), {}), ("np.hstack", ([X, X],), {}),
    ("np.hstack", ([Y, Y],), {}), ("np.vstack", ([Y, Y],), {}), ("np.column_stack", ([Y, Y],), {}), ("np.split", (X, 2), {}),
    ("np.split", (X, [1, 3], -1), {}), ("np.array_split", (X, 3, 2), {}), ("np.unstack", (X,), {"axis": 1}), ("np.flip", (X, 1), {}),
    ("np.fliplr", (X,), {}), ("np.roll", (X, 1, 1), {}), ("np.tile", (X, (2, 1)), {}), ("np.repeat", (X, 2, 1), {}),
    ("ndarray.repeat", (Y, 3), {}), ("np.pad", (X, 1), {}), ("np.pad", (X, ((0, 0), (1, 2), (0, 1))), {"mode": "edge"}),
    ("np.pad", (X, (1, 2)), {"constant_values": 7}), ("ndarray.ndim@", (X,), {}), ("ndarray.shape@", (X,), {}), ("np.size", (X, 1), {}),
    # index
    ("ndarray.__getitem__", (X, (slice(None), 1)), {}), ("ndarray.__getitem__", (Y, N), {}), ("np.ix_", (Y, Y), {}),
    ("np.take", (X, N), {"axis": 1}), ("ndarray.take", (X, [0, 2]), {}), ("np.take_along_axis", (X[0, :, :3], N, 0), {}),
    ("np.tril", (X, -1), {}), ("np.triu", (X,), {"k": 1}), ("np.tri", (3, 4), {}), ("np.diagonal", (X, 1, 1, 2), {}), ("np.diag", (Y, 1), {}),
    ("np.diag", (M,), {}), ("np.searchsorted", (np.sort(Y), X), {"side": "right"}), ("np.digitize", (X, np.sort(Y)), {}),
    # create
    ("np.zeros", ((2, 3),), {}), ("np.ones", (3, int), {}), ("np.full", ((2,), 1.5), {}), ("np.zeros_like", (X,), {}),
    ("np.ones_like", (X, np.int32), {}), ("np.full_like", (X, 2), {"shape": (3,)}), ("np.array", ([[1.0, 2.0], [3.0, 4.0]],), {}),
    ("np.asarray", (X, np.float16), {}), ("np.array", ([Y, Y],), {}), ("np.ascontiguousarray", (X,), {}), ("np.arange", (5,), {}),
    ("np.arange", (1, 7, 2), {}), ("np.arange", (3.0,), {}), ("np.arange", (2,), {"stop": 5}), ("np.arange", (), {"start": 2, "stop": 5}),
    ("np.arange", (0, 4, 1, float), {}), ("np.linspace", (0.0, 1.0, 5), {}), ("np.linspace", (0, 1, 5), {"endpoint": False}),
    ("np.eye", (3, 4), {"k": 1}), ("np.identity", (3,), {}), ("np.meshgrid", (Y, Y), {"indexing": "ij"}),
    # linalg
    ("np.matmul", (X, X.swapaxes(1, 2)), {}), ("ndarray.__matmul__", (X, Y), {}), ("ndarray.__rmatmul__", (Y, X), {}), ("np.dot", (X, Y), {}),
    ("np.dot", (X, X.swapaxes(1, 2)), {}), ("np.dot", (X, 2.0), {}), ("np.einsum", ("btd,bsd->bts", X, X), {}), ("np.inner", (X, Y), {}),
    ("np.outer", (X, Y), {}), ("np.vdot", (X, X), {}), ("np.vecdot", (X, X), {"axis": 1}), ("np.tensordot", (X, X, ((1, 2), (1, 2))), {}),
    ("np.trace", (X,), {}), ("np.linalg.trace", (X,), {}), ("np.linalg.multi_dot", ([M, M, M],), {}), ("np.linalg.matrix_norm", (X,), {}),
    ("np.linalg.solve", (S, M), {}), ("np.linalg.inv", (S,), {}), ("np.linalg.det", (S,), {}), ("np.linalg.cholesky", (S,), {}),
    ("np.linalg.cholesky", (S,), {"upper": True}),
    # fft
    ("np.fft.fft", (X,), {}), ("np.fft.rfft", (X, 6), {"axis": 1}), ("np.fft.irfft", (X,), {}),
]  # fmt: skip


@pytest.mark.parametrize("name, args, kwargs", CASES, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(CASES)])
@pytest.mark.filterwarnings("ignore")
def test_graph_of_a_call(name, args, kwargs):
    function, lift = find(NUMPY, ROOTS, name)
    want = function(*args, **kwargs)
    for typed in (True, False):
        try:
            graph, fed = record(NUMPY, lift, args, kwargs, typed)
        except ShapeError as error:
            assert not typed and "TensorSpec" in error.hint
            return
        for run in ({}, {"run": NUMPY.run}):
            got = interpret(graph, fed, **run)
            compare(got, want, 2e-5)
        if typed and isinstance(want, (np.ndarray, np.generic)) and name != "np.identity":
            assert np.asarray(got).dtype == want.dtype


# ---------------------------------------------------------------- what is written in place
def _called(name, x, *args, **kwargs):
    """x after the call that writes it."""
    x = x.copy()
    if name.startswith("ndarray."):
        method = name.partition(".")[2]
        getattr(x, method)(*args, **kwargs)
    else:
        function, _ = find(NUMPY, ROOTS, name)
        function(x, *args, **kwargs)
    return x


@pytest.mark.parametrize("name, args", [
    ("ndarray.__iadd__", (X, Y)), ("ndarray.__imul__", (X, 2)), ("ndarray.__isub__", (X, Y.astype("float64"))), ("ndarray.__ior__", (N, 1)),
    ("ndarray.fill", (X, 3)), ("ndarray.sort", (X, 1)), ("np.copyto", (X, Y)), ("np.copyto", (X, Y, "same_kind", B)),
    ("np.add.at", (Y, N, 1.0)), ("np.subtract.at", (Y, N, 1.0)), ("np.multiply.at", (Y, N, 2.0)), ("np.maximum.at", (Y, N, 1.0)),
])  # fmt: skip
def test_writes(name, args):
    _, lift = find(NUMPY, ROOTS, name)
    assert lift.writes
    graph, fed = record(NUMPY, lift, args, {})
    got, want = interpret(graph, fed), _called(name, *args)
    compare(got, want)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
@pytest.mark.parametrize(
    "write",
    [
        lambda x, k: np.add.at(x, k % 3, [1, 2, 3]),
        lambda x, k: np.subtract.at(x, k % 3, [1, 2, x[0]]),
        lambda x, k: np.add.at(x, [0, 0, 1], (True, False, True)),
        lambda x, k: np.add.at(x, (k % 3,), k),
        lambda x, k: np.subtract.at(k, [0, 0], [2, 3]),
        lambda x, k: np.maximum.at(x, k % 3, [1, 2, 3]),
        lambda x, k: np.minimum.at(x, [0, 0, -1], x[::-1]),
        lambda x, k: np.multiply.at(x, k > 1, 2.5),
        lambda x, k: np.multiply.at(k, [1, 1, 2], [2, 3, -1]),
    ],
    ids=range(9),
)
def test_lists_are_combined_at_places(write, target):
    def f(x, k):
        write(x, k)
        return x * 1, k * 1

    given = np.array([1.0, 3.0, -2.0]), np.array([2, 0, 4])
    program, want = gfx.symbolic_trace(f, *given, dynamic=True), f(*map(np.copy, given))
    make = {"numpy": np.array, "torch": torch.tensor, "jax": jnp.asarray}[target]
    for a, b in zip(program.to(target)(*map(make, given))[0], want, strict=True):
        np.testing.assert_allclose(a, b)


def test_whole_numbers_take_no_fractions_at_places():
    f, k = lambda k: np.add.at(k, [0, 0], 1.5), np.array([2, 0, 4])
    with pytest.raises(ShapeError, match="an array of int64 cannot hold float64"):
        gfx.symbolic_trace(f, k)
    with pytest.raises(GuardError, match="cannot hold float64"):
        gfx.symbolic_trace(f, backend="numpy")(k)


def test_a_call_that_writes_gives_none():
    def both(x, y):
        return np.copyto(x, y), np.add.at(x, [0], 1.0), x.sort(), x

    x, y = np.zeros(3), np.array([3.0, 2.0, 1.0])
    program = gfx.symbolic_trace(both, x, y)
    assert program(x.copy(), y)[:3] == (None, None, None)
    compare(program(x.copy(), y)[3], both(x, y)[3])
    assert program.to("jax")(jnp.zeros(3), jnp.asarray(y))[0][:3] == (None, None, None)


def test_what_copies():
    assert find(NUMPY, ROOTS, "ndarray.flatten")[1].copies is True
    assert find(NUMPY, ROOTS, "np.copy")[1].copies is True
    assert find(NUMPY, ROOTS, "ndarray.reshape")[1].copies == find(NUMPY, ROOTS, "np.ravel")[1].copies == "maybe"
    assert find(NUMPY, ROOTS, "ndarray.T@")[1].copies is False
    assert not any(find(NUMPY, ROOTS, f"np.{name}")[1].writes for name in ("sum", "sort", "add"))


def test_asarray_of_an_array_is_that_array():
    graph, _ = record(NUMPY, find(NUMPY, ROOTS, "np.asarray")[1], (X,), {})
    assert graph.result is graph.placeholders[0]
    graph, _ = record(NUMPY, find(NUMPY, ROOTS, "np.array")[1], (X,), {})
    assert graph.result.node.op.name == "copy"


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize("name, args, kwargs", [
    ("np.add", (X, X), {"out": X}), ("np.exp", (X,), {"where": B}), ("np.exp", (X,), {"dtype": np.float64}), ("np.sum", (X,), {"initial": 1.0}),
    ("np.mean", (X,), {"where": B}), ("np.reshape", (X, (6, 4)), {"order": "F"}), ("np.take", (X, N), {"mode": "wrap"}),
    ("np.array", (X,), {"ndmin": 4}), ("np.linspace", (0, 1), {"retstep": True}), ("np.pad", (X, 1), {"mode": "linear_ramp"}),
    ("np.zeros", (3,), {"order": "F"}), ("np.random.seed", (0,), {}),
    ("np.random.shuffle", (X,), {}), ("np.zeros", (3, "float31"), {}), ("ndarray.sum", (X,), {"out": X}),
])  # fmt: skip
def test_refused(name, args, kwargs):
    _, lift = find(NUMPY, ROOTS, name)
    with pytest.raises(MissingOp) as caught:
        record(NUMPY, lift, args, kwargs)
    assert caught.value.hint


# ---------------------------------------------------------------- dtypes, versions
@pytest.mark.parametrize("given, name", [
    (np.float32, "float32"), (np.dtype("int8"), "int8"), ("bool", "bool"), (bool, "bool"), (float, "float64"), (int, "int64"),
    (DTYPES["bfloat16"].numpy, "bfloat16"), (DTYPES["uint8"], "uint8"), (np.floating, None), (np.str_, None), (object, None),
    ("no dtype", None), (3, None), (print, None),
])  # fmt: skip
def test_as_dtype(given, name):
    found = NUMPY.as_dtype(given)
    assert (found.name if found else None) == name


def test_tensors_are_arrays_of_known_dtypes():
    assert (
        NUMPY.is_tensor(X) and NUMPY.is_tensor(np.float32(1)) and NUMPY.is_tensor(np.zeros(2, DTYPES["bfloat16"].numpy))
    )
    assert (
        not NUMPY.is_tensor(np.array(["text"])) and not NUMPY.is_tensor(np.array([None])) and not NUMPY.is_tensor(1.0)
    )


def test_functions_of_numbers_give_numbers_of_numpy_and_operators_those_of_python():
    def function(x):
        s = 0.5 if x.sum() > 0 else 0.25
        return np.negative(s) * x, np.add(s, 1) * x, np.abs(s) * x, -s * x, (s + 1) * x, abs(s) * x

    program = gfx.symbolic_trace(function, Y)
    for x in (Y, -Y):
        for want, got, emitted in zip(function(x), program(x), program.to("numpy")(x)):
            assert got.dtype == emitted.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
