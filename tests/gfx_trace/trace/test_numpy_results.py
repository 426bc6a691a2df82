"""What a function of NumPy gives is a number or an array: `s += 1` makes a new number, and writes an array for all that hold it."""

import importlib.util

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError

MADE = """
x @ x | np.inner(x, x) | np.vdot(x, x) | np.dot(x, x) | np.trace(np.outer(x, x)) | np.linalg.det(np.outer(x, x) + np.eye(2))
np.quantile(x, 0.5) | np.percentile(x, 50) | np.median(x) | np.trapezoid(x) | x.sum(axis=0) | np.max(x, axis=0) | np.take(x, 0)
np.linalg.norm(x, axis=0) | np.linalg.norm(x) | np.einsum("i,i->", x, x) | np.interp(0.5, x, x) | np.polyval([1.0, 2.0], x[0])
np.ptp(x) | np.average(x) | np.argmax(x) | np.squeeze(x[:1]) | np.reshape(x[:1], ()) | np.copy(x[0]) | np.asarray(x[0])
np.array(x[0]) | np.where(x[0] > 0, 1.0, 2.0) | np.clip(x[0], 0, 1) | np.add.reduce(x) | np.round(x[0]) | np.isnan(x[0]) + 1
np.linalg.matrix_rank(np.outer(x, x)) + 0 | np.tensordot(x, x, 1) | np.searchsorted(x, 0.5) + 0 | np.heaviside(x[0], 1.0)
np.i0(x[0]) | np.nan_to_num(x[0]) | np.asarray(x.sum()) | np.copy(x.sum()) | x.sum().copy() | x.mean() | x.dot(x)
x.max(axis=-1) | np.var(x, axis=0) | np.prod(x, axis=(0,)) | np.linalg.slogdet(np.outer(x, x) + np.eye(2))[1]
np.linalg.cond(np.outer(x, x) + np.eye(2)) | np.digitize(0.5, [0.0, 1.0]) + x[0] | np.zeros(()) | np.ones_like(x[0])
np.sum(x) if x[0] > 0 else np.array(2.0) | np.array(2.0) if x[0] > 0 else x.sum() | x[0] if x[1] > 0 else x[1]
np.maximum.reduce(x) | x.T[0] | x[None][0] | x[None][0][0] | np.flip(x)[0] | np.exp(x)[0] | np.cumsum(x)[0] | np.sort(x)[0]
np.concatenate([x, x])[0] | np.concatenate([x, x]) * 2 | x.copy() | x[0:1] | x.reshape(-1)[0] | np.diff(x)[0] | np.squeeze(x.sum())
np.squeeze(x[0]) | x[0].reshape(()) | x[0].T | np.asarray(x)[0] | np.roll(x.sum(), 1) | np.reshape(x.sum(), ()) | (x.sum() + x[0]) * x.mean() | np.sqrt(x @ x) | np.add(x[0], x[1]) | np.linalg.solve(np.eye(2), x)[0]
"""
EXPRESSIONS = [made.strip() for line in MADE.strip().splitlines() for made in line.split(" | ")]
TEMPLATE = """
def f(x: np.ndarray):
    s = {}
    r = s
    s += 1
    return r, s
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """The expressions as functions with source."""
    path = tmp_path_factory.mktemp("made") / "made_by_numpy.py"
    bodies = [TEMPLATE.format(made).replace("def f(", f"def f{at}(") for at, made in enumerate(EXPRESSIONS)]
    path.write_text("import numpy as np\n" + "".join(bodies))
    spec = importlib.util.spec_from_file_location("made_by_numpy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("at", range(len(EXPRESSIONS)), ids=EXPRESSIONS)
def test_a_number_is_new_and_an_array_is_written(functions, at):
    f = getattr(functions, f"f{at}")
    try:
        program = gfx.symbolic_trace(f)
    except GfxError as error:
        assert "GFX cannot" in str(error)
        return
    for data in ([1.0, 3.0], [-1.0, -3.0], [[1.0, 2.0], [3.0, 5.0]]):
        given, copy = np.array(data), np.array(data)
        try:
            wanted = f(given)
        except (TypeError, ValueError, np.linalg.LinAlgError):
            continue
        try:
            found = program(copy)
        except GfxError as error:  # a guard
            assert "takes x.ndim" in str(error)
            continue
        for one, other in zip((*wanted, given), (*found, copy)):
            np.testing.assert_allclose(np.asarray(other), np.asarray(one))
            assert (np.shape(other), isinstance(other, np.ndarray)) == (np.shape(one), isinstance(one, np.ndarray))


# ---------------------------------------------------------------------- what is written is an array
def computed(x):
    s = x * 2
    r = s
    s += 1
    return r


def kept_axes(x):
    s = np.sum(x, keepdims=True)
    r = s
    s += 1
    return r


def in_a_function(x):
    def grow(a):
        a += 1

    s = np.abs(x)
    grow(s)
    return s


def all_of_it(x):
    s = -x
    s[...] = 4.0
    return s


def filled(x):
    s = np.sqrt(x * x)
    s.fill(3.0)
    return s


def written_by_a_function(x):
    s = x.sum(axis=0)
    np.add(s, 1, out=s)
    return s


def an_item(x):
    s = x[0]
    s[...] = 4.0
    return x


def of_nothing_but_an_array(x):
    s = np.zeros(())
    s[...] = 4.0
    r = np.asarray(s[()])
    r += 1
    return s * x + r


WRITES = [
    computed, kept_axes, in_a_function, all_of_it, filled, written_by_a_function, an_item, of_nothing_but_an_array,
]  # fmt: skip


@pytest.mark.parametrize("f", WRITES, ids=lambda f: f.__name__)
def test_a_write_takes_it_as_given_that_there_are_axes(f):
    program = gfx.symbolic_trace(f, backend="numpy")
    for data in ([1.0, 3.0], [[1.0, 2.0], [3.0, 5.0]], 2.0):
        try:
            found = program(np.array(data))
        except GfxError as error:
            assert "takes x.ndim >=" in str(error)
            assert np.ndim(data) < 2
            continue
        np.testing.assert_array_equal(found, f(np.array(data)))
    stated = [guard for guard in program.guards if guard.kind == "axes"]
    assert all(f"Assumes: {guard}" in program.source("torch") for guard in stated)
    assert bool(stated) is (f is not of_nothing_but_an_array)


@pytest.mark.parametrize("f", [all_of_it, written_by_a_function], ids=lambda f: f.__name__)
def test_a_number_cannot_be_written(f):
    given = np.array([1.0, 3.0]) if f is written_by_a_function else np.array(2.0)
    for run in (f, lambda x: gfx.symbolic_trace(f, x)):
        with pytest.raises(TypeError):
            run(given)


def put_into_whole_numbers(n):
    np.add(n, 1.5, out=n)
    return n


def copied_into_whole_numbers(n):
    np.copyto(n, n * 0.5)
    return n


@pytest.mark.parametrize("f", [put_into_whole_numbers, copied_into_whole_numbers], ids=lambda f: f.__name__)
def test_what_an_array_cannot_hold_is_refused(f):
    program, n = gfx.symbolic_trace(f, backend="numpy"), np.array([1, 2])
    np.testing.assert_array_equal(program(np.array([1.0, 2.0])), f(np.array([1.0, 2.0])))
    moved = (program, n), (program.to("torch"), torch.tensor(n)), (program.to("jax"), jnp.asarray(n))
    for run, given in (*moved, (lambda n: gfx.symbolic_trace(f, n), n)):
        with pytest.raises(GfxError, match="cannot hold"):
            run(given)


def test_a_method_that_writes_a_number_is_refused():
    def filled_sum(x):
        s = np.prod(x)
        s.fill(3.0)
        return s

    for given in ((), (np.array([1.0, 3.0]),)):
        with pytest.raises(GfxError, match="it writes an array, and this is a number of NumPy's"):
            gfx.symbolic_trace(filled_sum, *given, backend="numpy")


def test_where_no_number_stands_for_an_array_the_source_tells_none_apart():
    def f(x):
        written = np.array(x[0])
        written += 1
        return written, x[0].copy()

    program = gfx.symbolic_trace(f, backend="numpy")
    assert "return np.asarray(written), np.copy(x[0])[()]" in program.source("numpy")
    assert all(
        word not in program.source(target) for target in ("torch", "jax") for word in ("array", "tensor", "[()]")
    )
