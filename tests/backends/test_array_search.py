"""Searching, counting and putting together in NumPy and jax.numpy: the graph of a call gives what the call gives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import MissingOp
from gfx_ir.loading import backend
from gfx_ir.trees import tree_map
from lifting import compare, find, interpret, record
from sweeps import one_in

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4)).astype("float32")
Y = RNG.normal(size=(4,)).astype("float32")
M = RNG.normal(size=(3, 4)).astype("float32")
N = np.array([[2, 0, 1], [1, 1, 0]])
NAN = np.where(X > 1, np.nan, X)
COUNTS = np.array([1, 0, 3, 1])
MASK = np.array([True, False, True])

BOTH = [
    ("nonzero", (N,), {}), ("flatnonzero", (N,), {}), ("argwhere", (N,), {}), ("unique", (N,), {}),
    ("unique", (N, True, True, True), {}), ("unique", (N,), {"axis": 0, "return_counts": True}),
    ("unique_counts", (N,), {}), ("unique_inverse", (N,), {}), ("unique_all", (N,), {}), ("union1d", (N, COUNTS), {}),
    ("intersect1d", (N, COUNTS), {}), ("setdiff1d", (N, COUNTS), {}), ("setxor1d", (N, COUNTS), {}), ("isin", (N, COUNTS), {"invert": True}), ("where", (N,), {}),
    ("extract", (M > 0, M), {}), ("compress", (MASK, M), {"axis": 0}), ("compress", (MASK, Y), {}), ("lexsort", ((N[0], N[1]),), {}),
    ("bincount", (COUNTS,), {"minlength": 6}), ("histogram", (X, 4), {}), ("histogram", (X,), {"bins": 3, "range": (-1, 1), "density": True}),
    ("histogram", (Y, np.array([-1.0, 0.0, 0.5])), {}), ("histogram_bin_edges", (X, 5), {}), ("histogram2d", (Y, Y[::-1].copy(), 3), {}),
    ("histogramdd", (M[:, :2],), {"bins": 2}), ("quantile", (X, 0.3), {"axis": 1}), ("quantile", (X, np.array([0.3, 0.5], "float32")), {"axis": -1, "keepdims": True}),
    ("percentile", (X, 30), {"method": "lower"}), ("nanpercentile", (NAN, 30.0), {"axis": 2}), ("nanquantile", (NAN, 0.5), {}),
    ("median", (X,), {"axis": 1}), ("nanmedian", (NAN,), {}), ("pad", (M, ((1, 2), (3, 4))), {"mode": "symmetric"}), ("pad", (M, 1), {"mode": "maximum"}), ("pad", (M, (1, 2)), {"mode": "mean"}),
    ("pad", (M, ((1, 1), (2, 0))), {"constant_values": ((1.0, 2.0), (3.0, 4.0))}), ("pad", (M, 1), {"constant_values": (5.0, 6.0)}), ("searchsorted", (np.array([3.0, 1.0, 2.0]), Y), {"sorter": np.array([1, 2, 0])}),
    ("corrcoef", (Y, Y[::-1].copy()), {}), ("cov", (M, Y), {}), ("cov", (M, M[:, ::-1].copy()), {"rowvar": False}),
    ("maximum.accumulate", (X, 1), {}), ("minimum.accumulate", (X,), {}),
    ("add.accumulate", (X, 1), {}), ("insert", (Y, 1, 5.0), {}), ("insert", (M, 2, 7.0), {"axis": 1}), ("insert", (M, -1, Y), {"axis": 0}),
    ("insert", (Y, [1, 3], [5.0, 6.0]), {}), ("insert", (M, 2, 1.0), {}), ("delete", (Y, 1), {}), ("delete", (M, -1), {"axis": 1}),
    ("delete", (M, [0, 2]), {"axis": 0}), ("delete", (M, slice(1, 3)), {"axis": 1}), ("delete", (Y, np.array([0, 2])), {}),
    ("resize", (M, (2, 7)), {}), ("resize", (M, 5), {}), ("atleast_3d", (Y,), {}), ("atleast_3d", (M,), {}), ("dstack", ((M, M),), {}),
    ("dstack", ((Y, Y),), {}), ("block", ([[M, M], [M, M]],), {}), ("block", ([Y, Y],), {}), ("hsplit", (M, 2), {}), ("hsplit", (Y, [1]), {}),
    ("dsplit", (X, [1, 3]), {}), ("rot90", (M,), {}), ("rot90", (X,), {"k": 3, "axes": (1, 2)}), ("rot90", (M, 2), {}), ("diagflat", (N, 1), {}),
    ("tril_indices", (3,), {"k": -1}), ("triu_indices", (3, 0, 4), {}), ("tril_indices_from", (N[:, :2],), {}), ("diag_indices", (3,), {}),
    ("diag_indices_from", (N[:, :2],), {}), ("choose", (N, [N, 2 * N, N + 5]), {}), ("unravel_index", (np.array([5, 2]), (2, 3)), {}),
    ("ravel_multi_index", ((N[0] // 2, N[1]), (2, 3)), {}), ("logspace", (0.0, 2.0, 4), {}), ("vander", (np.array([1, 2, 3]), 3), {}),
]  # fmt: skip
JAX_ONLY = [
    ("unique_values", (N,), {}),
    ("nonzero", (N,), {"size": 5, "fill_value": -1}), ("unique", (N,), {"size": 5, "fill_value": 9}), ("unique", (N,), {"size": 2}),
    ("flatnonzero", (N,), {"size": 2}), ("bincount", (COUNTS,), {"length": 3}), ("fill_diagonal", (M, 0.0), {"inplace": False}),
    ("put_along_axis", (M, np.argmax(M, axis=1, keepdims=True), 9.0, 1), {"inplace": False}), ("put", (M, [1, 5], 3.0), {"inplace": False}),
    ("ix_", (np.array([0, 2]), np.array([1, 3])), {}),
]  # fmt: skip


def recorded(target, lift, args, kwargs):
    """The graph of a call, a result with names as a plain tuple."""
    graph, fed = record(target, lift, args, kwargs)
    if isinstance(graph.result, tuple):
        graph.result = tuple(graph.result)
    return graph, fed


@pytest.mark.parametrize("name, args, kwargs", BOTH, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(BOTH)])
def test_numpy_calls_become_what_they_compute(name, args, kwargs):
    target = backend("numpy")
    native, lift = find(target, {"np": np}, f"np.{name}")
    graph, fed = recorded(target, lift, args, kwargs)
    compare(interpret(graph, fed), native(*args, **kwargs))


@pytest.mark.parametrize(
    "name, args, kwargs", one_in(3, BOTH + JAX_ONLY), ids=lambda x: x if isinstance(x, str) else ""
)
def test_jax_calls_become_what_they_compute(name, args, kwargs):
    target = backend("jax")
    native, lift = find(target, {"jnp": jnp}, f"jnp.{name}")
    graph, fed = recorded(target, lift, args, kwargs)

    def on_jax(tree):
        if type(tree) is list and type(tree[0]) in (int, float) and name in ("quantile", "put", "insert", "delete"):
            return jnp.asarray(tree)
        return tree_map(lambda x: jnp.asarray(x) if isinstance(x, np.ndarray) else x, tree)

    want = native(*map(on_jax, args), **kwargs)
    compare(interpret(graph, list(map(jnp.asarray, fed)), target.run), want, 1e-4)


WRITTEN = [
    ("np.fill_diagonal", (M, 5.0)), ("np.put", (M, [1, 5], [3.0, 4.0])), ("np.place", (M, M > 0, [1.0, 2.0] * 6)),
    ("np.putmask", (M, M > 0, [1.0, 2.0, 3.0])), ("np.putmask", (M, M > 0, M * 2)), ("np.putmask", (M, M > 0, 7)),
    ("np.put_along_axis", (M, np.argmax(M, axis=1)[:, None], 9.0, 1)), ("ndarray.put", (M, 2, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize("name, args", WRITTEN, ids=[n for n, _ in WRITTEN])
def test_numpy_writes_in_place(name, args):
    target = backend("numpy")
    native, lift = find(target, {"np": np}, name)
    assert lift.writes is True
    graph, fed = record(target, lift, args, {})
    copy = args[0].copy()
    native(copy, *args[1:])
    compare(interpret(graph, fed), copy)


def test_what_is_largest_is_in_the_last_bin_in_torch_too():
    rows = np.random.default_rng(0).normal(size=(40, 24)).astype("float32")
    made = gfx.transpile(lambda x, space=jnp: space.histogram(x, 4)[0], jnp.asarray(rows[0]), to="torch")
    assert {int(made(torch.tensor(row)).sum()) for row in rows} == {24}


def test_what_hangs_on_data_is_refused_with_a_reason():
    with pytest.raises(MissingOp, match="positions that are data"):
        record(backend("numpy"), backend("numpy").functions[np.insert], (Y, np.array([1, 2]), 0.0), {})


def test_sizes_that_hang_on_data_run_outside_of_jit_only():
    import gfx_trace as gfx

    fn = gfx.symbolic_trace(lambda x: jnp.nonzero(x), jnp.asarray(N)).to("jax")
    compare(fn(jnp.asarray(N)), np.nonzero(N))
    with pytest.raises(jax.errors.ConcretizationTypeError, match="size"):
        jax.jit(fn)(jnp.asarray(N))
    sized = gfx.symbolic_trace(lambda x: jnp.nonzero(x, size=3), jnp.asarray(N)).to("jax")
    compare(jax.jit(sized)(jnp.asarray(N)), [p[:3] for p in np.nonzero(N)])
