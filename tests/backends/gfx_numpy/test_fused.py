"""Chains of elementwise ufuncs give what the reference gives, block by block and as one loop of Numba's, for every elementwise op."""

import importlib.util

import numpy as np
import pytest

import gfx_trace as gfx
from gfx_ir.errors import DeviceError
from gfx_ir.graph import Graph, Node
from gfx_ir.infer import retype
from gfx_ir.loading import backend
from gfx_ir.op import Trait, lookup
from gfx_ir.program import Program
from gfx_ir.runtime.devices import device
from gfx_ir.runtime.executor import Executor
from gfx_ir.runtime.values import Values
from gfx_ir.trees import leaves, tree_map
from gfx_numpy.planned import compiled
from gfx_numpy.workers import Workers
from sampled import bound
from samples import all_samples
from sweeps import one_in, one_of_each

HAS_NUMBA = importlib.util.find_spec("numba") is not None
needs_numba = pytest.mark.skipif(not HAS_NUMBA, reason="the extra numba is not installed")
COUNT = 1 << 14
EPS = {"float16": 4e-3, "float32": 1e-6, "float64": 1e-14, "complex64": 1e-6, "complex128": 1e-14}


def alike(sample):
    """The arguments, their arrays repeated until there are enough elements; None where arrays have several shapes."""
    args = bound(sample)
    shapes = {x.shape for x in leaves(args) if isinstance(x, np.ndarray)}
    if len(shapes) != 1 or 0 in next(iter(shapes)):
        return None
    return tree_map(lambda x: np.resize(x, COUNT) if isinstance(x, np.ndarray) else x, args)


def chain(op, args):
    """A program of the op, and of a second one on what it gives; the arrays that it takes."""
    graph, arrays = Graph("f"), []

    def placeholder(x):
        if not isinstance(x, np.ndarray):
            return x
        arrays.append(x)
        return graph.add_placeholder(f"x{len(arrays)}", "tensor", device("numpy").type_of(x))

    first = graph.append(Node(op, tree_map(placeholder, args)))
    second = graph.append(Node(lookup("equal"), (first.value, first.value)))
    graph.result = (first.value, second.value)
    program = Program(graph, promotion="numpy", flavour="numpy")
    retype(program)
    return program, arrays


SAMPLES = one_of_each(
    lambda pair: pair[0].op,
    [(s, args) for s in all_samples() if lookup(s.op).traits & Trait.ELEMENTWISE and (args := alike(s)) is not None],
)


@pytest.mark.parametrize("fused", [False, pytest.param(True, marks=needs_numba)])
@pytest.mark.parametrize("sample, args", one_in(2, SAMPLES), ids=lambda x: str(x) if hasattr(x, "op") else "")
def test_chains_as_the_reference(sample, args, fused):
    program, arrays = chain(lookup(sample.op), args)
    own, fuser = backend("numpy"), device("numpy:numba").fuser if fused else None
    with np.errstate(all="ignore"):
        want = Executor(own)(program, arrays)
        got = compiled(program, own, (), Workers(), fuser).run(arrays, {}, None)
    for a, b in zip(got, want):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=EPS.get(b.dtype.name, 0), atol=EPS.get(b.dtype.name, 0))


@pytest.mark.parametrize("fused", [False, pytest.param(True, marks=needs_numba)])
@pytest.mark.parametrize("count", [1 << 20, (1 << 20) - 77])
def test_threads_share_large_chains(count, fused):
    run = gfx.symbolic_trace(lambda x, y: (x * 2 + 1) * (x - y) / 3 + 1, backend="numpy").on(
        "numpy:numba" if fused else "numpy"
    )
    x, y = np.linspace(-2, 2, count), np.float64(0.5)
    for threads in (1, 2, 5):
        with device("numpy").settings(threads, False):
            np.testing.assert_allclose(run(x, y), (x * 2 + 1) * (x - y) / 3 + 1, rtol=1e-14)


@pytest.mark.parametrize("fused", [False, pytest.param(True, marks=needs_numba)])
def test_chains_take_memory_as_it_lies(fused):
    run = gfx.symbolic_trace(lambda x, y: (x * 2 + 1) * (x - y) / 3, backend="numpy").on(
        "numpy:numba" if fused else "numpy"
    )
    x = np.linspace(-2, 2, 1 << 18)
    square, fixed = x.reshape(512, 512), x.copy()
    fixed.flags.writeable = False
    for a, b in (
        (x[::2], x[1::2]),
        (x[::-1], x),
        (x[::2], np.float64(3)),
        (square.T, square),
        (square[::2],) * 2,
        (fixed,) * 2,
    ):
        np.testing.assert_allclose(run(a, b), (a * 2 + 1) * (a - b) / 3, rtol=1e-14)


@needs_numba
def test_lazy_values_are_fused():
    x = np.linspace(-2, 2, 1 << 15, dtype=np.float32)
    V = Values("numpy:numba", lazy=True)
    for _ in range(3):  # compiled where the expression is met again
        v = V(x)
        found = ((v * 2 + 1) * (v - 3) / (v * v + 1)).to_plain()
        np.testing.assert_allclose(found, (x * 2 + 1) * (x - 3) / (x * x + 1), rtol=1e-6)


@pytest.mark.skipif(HAS_NUMBA, reason="the extra numba is installed")
def test_without_numba_the_extra_is_named():
    with pytest.raises(DeviceError, match=r"gfx-trace\[numba\]"):
        device("numpy:numba")
