"""GFX's own namespaces follow the Python array API standard 2024.12 on every backend.

The functions, their signatures and special values are the standard's; values and dtypes are held to NumPy's own
functions, which follow the standard too.
"""

import contextlib
import inspect
import operator
import warnings

import jax
import numpy as np
import pytest

import gfx_trace as gfx
from array_api_cases import BINARY, CALLS, UNARY, WIDTHS, B, F, I, K, T, numbers
from gfx_ir.array_api import Array
from gfx_ir.array_api.table import FFT, LINALG, MAIN
from gfx_ir.dtypes import DTYPES
from sweeps import one_in

DEVICES = ("numpy", "torch", "jax")
NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float32", "complex64")
ELEMENTWISE = {name: fn for name, fn in MAIN.items() if fn.elementwise and name != "clip"}


def some_on_jax(names, cases):
    """The cases, on every backend; on JAX, which compiles each anew, a share of them."""
    found, on_jax = [], one_in(10, range(len(cases)))
    for at, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        for device in DEVICES if at in on_jax else DEVICES[:-1]:
            found.append(pytest.param(device, *values, id=f"{device}-{at}-{values[0]}"))
    return lambda test: pytest.mark.parametrize(f"xp, {names}", found, indirect=["xp"])(test)


@pytest.fixture(params=DEVICES)
def xp(request):
    """The namespace of a backend; JAX's in its mode of 64 bits, which the standard's dtypes need."""
    with jax.enable_x64(True) if request.param == "jax" else contextlib.nullcontext():
        yield gfx.array_api(request.param)


def plain(found):
    """Results as NumPy arrays."""
    if isinstance(found, (tuple, list)):
        return [plain(item) for item in found]
    return (
        np.asarray(found) if not isinstance(found, Array) else np.asarray(found._xp.backend.to_host(found.to_plain()))
    )


def same(got, want, exact_dtype=True):
    """The same values and dtypes, in as many arrays."""
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w, exact_dtype)
        return
    got, want = plain(got), np.asarray(want)
    if exact_dtype:
        assert got.dtype == want.dtype
    assert got.shape == want.shape
    narrow = "float32" in (got.dtype, want.dtype) or "complex64" in (got.dtype, want.dtype)
    tolerance = 1e-4 if narrow else 1e-9
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def moved(xp, tree):
    """NumPy arrays as arrays of the namespace, names of dtypes as dtypes."""
    if isinstance(tree, np.ndarray):
        return xp.asarray(tree)
    if isinstance(tree, (tuple, list)):
        return type(tree)(moved(xp, item) for item in tree)
    if isinstance(tree, dict):
        return {key: moved(xp, item) for key, item in tree.items()}
    return DTYPES.get(tree, tree) if isinstance(tree, str) else tree


def called(space, path):
    """The function of a namespace at `linalg.inv`."""
    return operator.attrgetter(path)(space)


def want_of(name, args, kwargs):
    """What NumPy gives; where its function lacks an argument of the standard, what that means."""
    dtype = kwargs.get("dtype")
    if name in ("sort", "argsort") and "descending" in kwargs:
        (x,), axis = args, kwargs.get("axis", -1)
        order = np.argsort(-x, axis=axis, stable=True)
        return np.take_along_axis(x, order, axis) if name == "sort" else order
    if name == "expand_dims":
        kwargs = {"axis": 0, **kwargs}
    if name == "count_nonzero" and "axis" not in kwargs:
        return np.asarray(np.count_nonzero(*args))
    if name == "linalg.solve" and args[1].ndim == 1 and args[0].ndim > 2:
        return np.linalg.solve(args[0], args[1][:, None])[..., 0]
    if name in ("fft.fftfreq", "fft.rfftfreq"):
        return called(np, name)(*args, **{k: v for k, v in kwargs.items() if k != "dtype"}).astype(dtype)
    if name == "unique_values":
        return np.sort(np.unique_values(*args))
    if name == "clip":
        low, high = (*args[1:], None, None)[:2] if not kwargs else (None, kwargs["max"])
        return args[0] if low is high is None else np.clip(args[0], low, high)
    return called(np, name)(*args, **kwargs)


@some_on_jax("name, args, kwargs", CALLS)
def test_functions(xp, name, args, kwargs):
    want = want_of(name, args, kwargs)
    got = called(xp, name)(*moved(xp, args), **moved(xp, kwargs))
    wide = xp.backend.name != "torch" or not (name in ("sum", "prod") and args[0].dtype == "uint8")
    same(got, want, exact_dtype=wide)  # torch has no sums of uint64


@some_on_jax("name", list(ELEMENTWISE))
def test_elementwise(xp, name):
    fn = ELEMENTWISE[name]
    more = len(fn.signature.parameters) > 1
    skipped = NARROW if xp.backend.name == "jax" else ()  # which compiles each of them anew
    for dtype in (d for kind in fn.kinds for d in WIDTHS[kind] if d in xp.names and d not in skipped):
        x = 1 / numbers(dtype, 3, 1, 4) if name == "acosh" else numbers(dtype, 3, 1, 4)
        args = (x, numbers(dtype, 2, 1)) if more else (x,)
        same(getattr(xp, name)(*moved(xp, args)), getattr(np, name)(*args))
        if more and dtype not in NARROW:
            number = {"b": True, "i": 2, "u": 2, "f": 0.5, "c": 0.5j}[np.dtype(dtype).kind]
            same(getattr(xp, name)(xp.asarray(x), number), getattr(np, name)(x, number))
            same(getattr(xp, name)(number, xp.asarray(x)), getattr(np, name)(number, x))


@some_on_jax("name, dtype", [(name, dtype) for name in UNARY | BINARY for dtype in ("float32", "float64")])
def test_special_values(xp, name, dtype):
    rows = UNARY.get(name) or BINARY[name]
    *columns, want = (np.asarray(column) for column in zip(*rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        got = plain(getattr(xp, name)(*(xp.asarray(column.astype(dtype)) for column in columns)))
    np.testing.assert_allclose(got, want, rtol=1e-6)
    if want.dtype.kind == "f":
        known = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(want)[known])


def test_every_function_has_the_signature_of_the_standard(xp):
    for space, table in ((xp, MAIN), (xp.linalg, LINALG), (xp.fft, FFT)):
        for name, fn in table.items():
            assert inspect.signature(getattr(space, name)) == fn.signature and getattr(space, name).__name__ == name


def test_every_function_is_called_here():
    tested = {name.removeprefix("linalg.").removeprefix("fft.") for name, _, _ in CALLS} | set(ELEMENTWISE)
    apart = {"can_cast", "finfo", "iinfo", "isdtype", "result_type", "from_dlpack", "empty", "empty_like"}
    assert {*MAIN, *LINALG, *FFT} - tested - apart == {"eigh", "qr", "svd"}


def test_decompositions(xp):
    x = xp.asarray(F)
    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    same(xp.matmul(u * s, vh), F)
    assert xp.linalg.svd(x).Vh.shape == (4, 4)
    q, r = xp.linalg.qr(x)
    same(xp.matmul(q, r), F)
    assert xp.linalg.qr(x.T, mode="complete").Q.shape == (4, 4)
    values, vectors = xp.linalg.eigh(xp.matmul(x, x.T))
    same(xp.matmul(vectors * values, vectors.T), F @ F.T)
    assert xp.linalg.eigh(xp.matmul(x, x.T)).eigenvalues.dtype == xp.float64


# ---------------------------------------------------------------- dtypes
def test_promotion(xp):
    assert xp.result_type(xp.int8, xp.int32) == xp.int32 and xp.result_type(xp.uint8, xp.int8) == xp.int16
    assert xp.result_type(xp.asarray([1.0], dtype=xp.float32), xp.complex128, 1) == xp.complex128
    assert (xp.asarray([1], dtype=xp.int8) + xp.asarray([1], dtype=xp.uint8)).dtype == xp.int16
    assert (xp.asarray([1.0], dtype=xp.float32) * 2j).dtype == xp.complex64
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.int16, xp.int8) and not xp.can_cast(xp.int8, xp.bool)
    assert xp.isdtype(xp.float32, "real floating") and xp.isdtype(xp.uint8, ("bool", "integral"))
    assert not xp.isdtype(xp.bool, "numeric") and xp.isdtype(xp.int8, xp.int8)


@pytest.mark.parametrize("call", [
    lambda xp: xp.asarray([1]) + xp.asarray([1.0]), lambda xp: xp.asarray([1]) + 1.0, lambda xp: xp.asarray([1]) + True,
    lambda xp: xp.asarray([True]) + 1, lambda xp: xp.sin(xp.asarray([1])), lambda xp: xp.logical_and(xp.asarray([1]), xp.asarray([1])),
    lambda xp: xp.astype(xp.asarray([1j]), xp.float64), lambda xp: xp.sum([1.0, 2.0]), lambda xp: xp.add(1, 2),
    lambda xp: xp.isdtype(xp.bool, "no kind"), lambda xp: float(xp.asarray([1.0, 2.0])), lambda xp: xp.add(np.ones(2), xp.ones(2)),
    lambda xp: xp.finfo(xp.int8), lambda xp: operator.index(xp.asarray(1.0)), lambda xp: xp.ones(2) @ 2,
])  # fmt: skip
def test_type_errors(xp, call):
    with pytest.raises((TypeError, ValueError)):
        call(xp)


def test_limits_and_inspection(xp):
    assert xp.finfo(xp.float32).eps == np.finfo("float32").eps and isinstance(xp.finfo(xp.float64).max, float)
    assert xp.finfo(xp.complex64).dtype == xp.float32 and xp.finfo(xp.complex128).bits == 64
    assert (xp.iinfo(xp.int8).min, xp.iinfo(xp.asarray([1], dtype=xp.uint8)).max) == (-128, 255)
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["integral"] == xp.asarray(1).dtype and info.default_device() in info.devices()
    assert set(info.dtypes(kind="real floating")) == {"float32", "float64"} and info.capabilities()["boolean indexing"]


# ---------------------------------------------------------------- the array object
def test_operators(xp):
    f, i = xp.asarray(F), xp.asarray(I)
    signs = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow)
    for sign in signs[:: 1 if xp.backend.name != "jax" else 4]:
        same(sign(f, f[0]), sign(F, F[0]))
        same(sign(f, 2), sign(F, 2))
        same(sign(2, f), sign(2, F))
    for sign in (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift):
        same(sign(i, i), sign(I, I))
        same(sign(3, i), sign(3, I))
    for sign in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        same(sign(i, 2), sign(I, 2))
    same(f @ f.T, F @ F.T)
    same(-f, -F)
    same(+f, F)
    same(abs(-f), F)
    same(~i, ~I)


def test_operators_in_place(xp):
    f = same_object = xp.asarray(F, copy=True)
    f += 1
    f *= xp.asarray(F[0])
    assert f is same_object
    same(f, (F + 1) * F[0])
    i = xp.asarray(I)
    with pytest.raises(TypeError):
        i += 0.5
    with pytest.raises(TypeError):
        f += xp.ones((2, 3, 4), dtype=xp.float64)


def test_attributes(xp):
    x = xp.asarray(T)
    assert (x.shape, x.ndim, x.size, x.dtype, len(x)) == ((2, 3, 4), 3, 24, xp.float32, 2)
    same(x.mT, T.swapaxes(1, 2))
    same(x[0].T, T[0].T)
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2022.12") is xp
    same(x.to_device(x.device), T)
    assert (bool(xp.asarray(True)), int(xp.asarray(3)), float(xp.asarray(1.5)), complex(xp.asarray(1j))) == (
        True,
        3,
        1.5,
        1j,
    )
    same(xp.from_dlpack(x), T)
    same(np.from_dlpack(x), T)
    with pytest.raises(ValueError, match="2030"):
        x.__array_namespace__(api_version="2030.12")
    with pytest.raises(ValueError, match="mT"):
        x.T


INDICES = [0, -1, (0, 1), (slice(None), 1), (slice(None, None, -1), slice(1, 3)), (..., 0), None, (slice(None), None, 1),
           (0, ..., slice(None, None, 2)), K % 2, (slice(None), K), (K % 2, K)]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing(xp, index):
    x, key = xp.asarray(T), moved(xp, index)
    same(x[key], T[index])
    written, want = xp.asarray(T, copy=True), T.copy()
    written[key], want[index] = 7.0, 7.0
    same(written, want)
    same(x, T)


def test_masks(xp):
    x, mask = xp.asarray(F, copy=True), xp.asarray(B)
    same(x[mask], F[B])
    x[mask] = 0.0
    same(x, np.where(B, 0.0, F))
    part = x[0]
    x[0, 0] = 5.0
    assert float(part[0]) != 5.0  # no two arrays share what is written
    for wrong in (3, (0, 4), (0, 0, 0)):
        with pytest.raises(IndexError):
            x[wrong]
    with pytest.raises(TypeError):
        xp.asarray(I)[0, 0] = 0.5


def test_as_modules():
    import gfx_ir.array_api.numpy as module

    assert module.sin is gfx.array_api("numpy").sin and "linalg" in dir(module)


def test_a_dtype_that_the_backend_has_not():
    with jax.enable_x64(False), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(gfx.GfxError, match="float64"):
            gfx.array_api("jax").asarray([1.0], dtype=DTYPES["float64"])
