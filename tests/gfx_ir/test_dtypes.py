"""Promotion against the frameworks themselves; size expressions against the numbers they stand for."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gfx_ir import dtypes, host
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.errors import FormatError, GfxError, ShapeError
from gfx_ir.host import Dim
from gfx_ir.types import LogicalTensor, TensorSpec, parse_logical

NAMES = list(DTYPES)
STANDARD = [name for name in NAMES if not DTYPES[name].numpy.type.__module__.startswith("ml_dtypes")]
SCALARS = {"b": True, "i": 1, "f": 1.0, "c": 1j}


def promoted(a: str, b: str, rules: str) -> str | None:
    """Name of the promoted dtype, None where there is none."""
    try:
        return dtypes.promote_types(DTYPES[a], DTYPES[b], rules).name
    except TypeError:
        return None


def differing(names, rules, theirs):
    """Pairs on which `theirs` (names -> name; an exception where there is none) gives another answer."""
    found = {}
    for a, b in itertools.product(names, names):
        try:
            want = theirs(a, b)
        except (TypeError, RuntimeError, ValueError):
            want = None
        if promoted(a, b, rules) != want:
            found[a, b] = (promoted(a, b, rules), want)
    return found


def test_numpy_promotion():
    assert differing(NAMES, "numpy", lambda a, b: np.promote_types(DTYPES[a].numpy, DTYPES[b].numpy).name) == {}


def test_torch_promotion():
    torch = pytest.importorskip("torch")

    def theirs(a, b):
        return str(torch.promote_types(getattr(torch, a), getattr(torch, b))).removeprefix("torch.")

    assert differing(NAMES, "torch", theirs) == {}


def test_jax_promotion():
    jnp = pytest.importorskip("jax.numpy")

    def theirs(a, b):
        return np.dtype(jnp.promote_types(getattr(jnp, a, a), getattr(jnp, b, b))).name

    assert differing(NAMES, "jax", theirs) == {}


def test_array_api_promotion():
    kinds = {"i": "iu", "u": "iu", "f": "fc", "c": "fc", "b": "b"}

    def theirs(a, b):
        if DTYPES[b].kind not in kinds[DTYPES[a].kind] or {a, b} in ({"uint64", n} for n in STANDARD if n[0] == "i"):
            raise TypeError
        return np.promote_types(a, b).name

    assert differing([n for n in STANDARD if n != "float16"], "array_api", theirs) == {}


@pytest.mark.parametrize("rules", dtypes.PROMOTIONS)
def test_promotion_is_symmetric(rules):
    assert all(promoted(a, b, rules) == promoted(b, a, rules) for a, b in itertools.product(NAMES, NAMES))


@pytest.mark.parametrize("kind", "bifc")
@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith("float8")])
def test_python_scalars(name, kind):
    if (name, kind) == ("float16", "c"):
        with pytest.raises(TypeError, match="complex32"):
            dtypes.result_type([(DTYPES[name], False), (dtypes.complex64, True)], "torch")
        return
    torch, jnp = pytest.importorskip("torch"), pytest.importorskip("jax.numpy")
    ours = {
        rules: dtypes.result_type([(DTYPES[name], False), (dtypes.default(kind, rules), True)], rules)[0].name
        for rules in ("torch", "jax", "numpy")
    }
    scalar = SCALARS[kind]
    tensor = torch.zeros(2, dtype=getattr(torch, name))
    theirs = {"torch": str(torch.result_type(tensor, scalar)).removeprefix("torch.")}
    if name[-2:] != "64" and name != "complex128":
        theirs["jax"] = np.dtype(jnp.result_type(jnp.zeros(2, name), scalar)).name
    if name in STANDARD:
        theirs["numpy"] = np.result_type(DTYPES[name].numpy, scalar).name
    assert {rules: ours[rules] for rules in theirs} == theirs


def test_tensors_without_axes_in_torch():
    torch = pytest.importorskip("torch")
    names = ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
    for a, b in itertools.product(names, names):
        for shapes in (((2,), ()), ((), (2,)), ((), ())):
            pair = [torch.zeros(s, dtype=getattr(torch, n)) for s, n in zip(shapes, (a, b))]
            want = str(torch.result_type(*pair)).removeprefix("torch.")
            operands = [(DTYPES[n], not s, False) for n, s in zip((a, b), shapes)]
            if want == "complex32":
                with pytest.raises(TypeError, match="complex32"):
                    dtypes.result_type_torch(operands)
            else:
                assert dtypes.result_type_torch(operands).name == want, (a, b, shapes)


def test_a_dtype_that_no_other_framework_has_is_refused():
    torch, gfx = pytest.importorskip("torch"), pytest.importorskip("gfx_trace")
    x = torch.ones(3, 2)
    for fn in (lambda x: x.to(torch.complex32), lambda x: x.chalf(), lambda x: torch.view_as_complex(x.half())):
        with pytest.raises(GfxError, match="complex32"):
            gfx.symbolic_trace(fn, x)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_dtypes(name):
    element = DTYPES[name]
    assert dtypes.dtype(name) is dtypes.dtype(element) is dtypes.dtype(element.short) is element
    assert dtypes.dtype(element.numpy) is element
    assert dtypes.dtype(element.numpy.type) is element
    assert element.itemsize == element.numpy.itemsize


def test_other_names_of_dtypes():
    torch = pytest.importorskip("torch")
    assert dtypes.dtype(torch.bfloat16) is DTYPES["bfloat16"]
    assert dtypes.dtype(ml_dtypes.bfloat16) is DTYPES["bfloat16"]
    assert [dtypes.dtype(t).name for t in (bool, int, float, complex)] == ["bool", "int64", "float64", "complex128"]
    for nothing in ("f31", object, "datetime64[s]"):
        with pytest.raises(TypeError):
            dtypes.dtype(nothing)


# ---------------------------------------------------------------- size expressions
SIZES = {"B": 3, "T": 7, "n": 1}
DIMS = st.sampled_from([Dim("B"), Dim("T", min=1, max=9), Dim("n")])
BINARY = {
    "add": host.add,
    "sub": host.sub,
    "mul": host.mul,
    "floordiv": host.floordiv,
    "mod": host.mod,
    "max": lambda a, b: host.extremum("max", a, b),
    "min": lambda a, b: host.extremum("min", a, b),
}
PYTHON = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "max": max,
    "min": min,
}


def expressions():
    leaf = st.one_of(st.integers(-4, 6), DIMS)
    return st.recursive(leaf, lambda inner: st.tuples(st.sampled_from(list(BINARY)), inner, inner), max_leaves=6)


def build(tree):
    """The expression that a tree stands for."""
    return BINARY[tree[0]](build(tree[1]), build(tree[2])) if isinstance(tree, tuple) else tree


def calculate(tree, sizes):
    """The number that a tree stands for."""
    if isinstance(tree, tuple):
        return PYTHON[tree[0]](calculate(tree[1], sizes), calculate(tree[2], sizes))
    return sizes[tree.name] if isinstance(tree, Dim) else tree


sizes = st.fixed_dictionaries({"B": st.integers(0, 12), "T": st.integers(1, 9), "n": st.integers(0, 5)})
NAMED = {"B": Dim("B"), "T": Dim("T", min=1, max=9), "n": Dim("n")}


@given(expressions(), sizes)
def test_arithmetic_agrees_with_numbers(tree, values):
    try:
        want = calculate(tree, values)
        found = build(tree)
    except ZeroDivisionError:
        return
    assert host.evaluate(found, values) == want
    low, high = host.bounds(found)
    assert (low is None or low <= want) and (high is None or want <= high)


@given(expressions())
def test_text_of_an_expression_reads_back(tree):
    try:
        found = build(tree)
    except ZeroDivisionError:
        return
    assert host.parse(str(found), NAMED) == found


@given(expressions(), expressions(), sizes)
def test_same_is_right_where_it_answers(left, right, values):
    try:
        numbers = calculate(left, values) == calculate(right, values)
        answer = host.same(build(left), build(right))
    except ZeroDivisionError:
        return
    assert answer is None or answer == numbers


@given(expressions(), expressions(), sizes)
def test_divide_is_exact(left, right, values):
    try:
        want, by = calculate(left, values), calculate(right, values)
        quotient = host.divide(build(left), build(right))
    except ZeroDivisionError:
        return
    assert quotient is None or not by or host.evaluate(quotient, values) * by == want


def test_normal_form():
    b, t = Dim("B"), Dim("T")
    assert host.divide(host.mul(host.mul(b, t), 4), host.mul(t, 2)) == host.mul(b, 2)
    assert host.sub(host.add(b, t), t) is b or host.sub(host.add(b, t), t) == b
    assert host.mod(host.mul(b, 6), 3) == 0
    assert (b + 1) * 2 == 2 * b + 2
    assert str(host.floordiv(host.add(b, 3), 4)) == "(B + 3) // 4"
    assert str(host.floordiv(host.mul(b, host.mul(t, 6)), host.mul(t, 4))) == "(3*B) // 2"
    assert list(host.atoms(host.floordiv(b + t, 4))) == [b, t]
    with pytest.raises(ShapeError):
        host.evaluate(b, {})


@pytest.mark.parametrize(
    "text", ["", "B.real", "f(B)", "B if T else 1", "1.5", "B <", "max(B)", "__import__('os')", "True"]
)
def test_what_is_no_expression(text):
    with pytest.raises(FormatError):
        host.parse(text)


# ---------------------------------------------------------------- types
@pytest.mark.parametrize(
    "text",
    [
        "f32[]",
        "i64[2, 3]",
        "f32[B, T + 1, ?]",
        "bf16[...]",
        "?[2]",
        "weak f32[]",
        "c64[max(B, 2), 3*T, (B + 3) // 4, 2*max(B, 3) - 1]",
    ],
)
def test_text_of_a_type_reads_back(text):
    assert str(parse_logical(text)) == text


@pytest.mark.parametrize("text", ["f32", "f31[2]", "f32[2", "f32[f(2)]", "[2]"])
def test_what_is_no_type(text):
    with pytest.raises(FormatError):
        parse_logical(text)


def test_specs():
    assert TensorSpec((2, "T", Dim("B"), None), "i64").logical() == LogicalTensor(
        DTYPES["int64"], (2, Dim("T"), Dim("B"), None)
    )
    assert TensorSpec(None, None).logical() == LogicalTensor()
    assert isinstance(TensorSpec((1,)).logical().dtype, DType)
