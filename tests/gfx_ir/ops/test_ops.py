"""Every op, from its samples: types against execution, symbolic sizes, views, agreement of the backends."""

import warnings
from types import SimpleNamespace

import jax
import numpy as np
import pytest

from gfx_ir import dtypes, host, ops
from gfx_ir.dtypes import DType
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.loading import available
from gfx_ir.op import REGISTRY, evaluate, lookup
from gfx_ir.rules import OPEN, compute, infer, memory
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor
from sampled import bound, loaded, outputs
from samples import all_samples
from sweeps import one_of_each

SAMPLES = all_samples()
assert ops.abs  # importing the catalogue registers it
BY_OP = {sample.op: [other for other in SAMPLES if other.op == sample.op] for sample in SAMPLES}
# JAX compiles each: of most ops it runs one.
ON_JAX = one_of_each(lambda sample: sample.op, [sample for sample in SAMPLES if "jax" not in sample.skip])
BACKENDS = ("numpy", "torch", "jax")
# What holds regions or a foreign call, or only has an effect, is tested where it is run.
UNSAMPLED = {name for name, op in REGISTRY.items() if op.family in ("control", "effect")}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def on_each(op, check, *given, samples=None):
    """Runs a check on each sample of an op, or on these; the error names the one that it fails on."""
    reasons, samples = [], BY_OP[op] if samples is None else samples
    for sample in samples:
        try:
            check(sample, *given)
        except pytest.skip.Exception as skipped:
            reasons.append(str(skipped))
        except Exception as error:
            error.add_note(f"sample: {sample}")
            raise
    if len(reasons) == len(samples):
        pytest.skip(reasons[0])


def for_each_op(check):
    """A test for each op: a check on its samples."""

    @pytest.mark.parametrize("op", BY_OP)
    def checked(op):
        on_each(op, check)

    return checked


def types_of(args: tuple, symbolic: bool = False) -> tuple:
    """The arguments with the type of each array in its place; symbolic: each size n > 1 is the Dim `s{n}`."""

    def type_of(leaf):
        if not isinstance(leaf, (np.ndarray, np.generic)):
            return leaf
        dims = tuple(host.Dim(f"s{n}") if symbolic and n > 1 else n for n in leaf.shape)
        return LogicalTensor(dtypes.dtype(leaf.dtype), dims)

    return tree_map(type_of, args)


def assert_is_of(type_, value, sizes=None, dtype=True):
    """The value is as its type says; `sizes` are those of the Dims."""
    if not isinstance(type_, LogicalTensor):
        if type_ is not OPEN:
            assert_host(type_, value, sizes)
        return
    if isinstance(value, list):
        for item in value:
            assert_is_of(type_, item, sizes, dtype)
        return
    value = np.asarray(value)
    if dtype and not type_.weak:
        assert type_.dtype is not None
        assert type_.dtype == dtypes.dtype(value.dtype)
    if sizes is None:
        assert (type_.dims is not None and all(d is not None for d in type_.dims)) or value.size != value.shape
    if type_.dims is not None:
        assert len(type_.dims) == value.ndim
        for d, n in zip(type_.dims, value.shape):
            assert d is None or host.evaluate(d, sizes or {}) == n


def assert_host(known, value, sizes):
    if isinstance(known, tuple):
        assert [host.evaluate(d, sizes or {}) for d in known] == list(value)
    elif isinstance(known, (host.Dim, host.Expr)):
        assert host.evaluate(known, sizes) == value
    elif isinstance(known, DType):
        assert known == dtypes.dtype(value)
    else:
        assert known == value


@for_each_op
def test_type_is_that_of_the_executed(sample):
    op, args = lookup(sample.op), bound(sample)
    found = outputs(op, args, evaluate(op, args))
    types = infer(op, types_of(args), "numpy")
    assert len(types) == len(found) == len(op.output_kinds(args))
    for type_, value in zip(types, found):
        assert_is_of(type_, value, dtype="dtype" not in sample.skip)
    for cost in (compute, memory):
        assert cost(op, types_of(args), types, "numpy") is None or cost(op, types_of(args), types, "numpy") >= 0


@for_each_op
def test_type_with_symbolic_sizes(sample):
    if "symbolic" in sample.skip:
        pytest.skip(sample.skip["symbolic"])
    op, args = lookup(sample.op), bound(sample)
    sizes = {f"s{n}": n for leaf in leaves(args) if isinstance(leaf, np.ndarray) for n in leaf.shape}
    found = outputs(op, args, evaluate(op, args))
    for type_, value in zip(infer(op, types_of(args, symbolic=True), "numpy"), found):
        assert_is_of(type_, value, sizes, dtype="dtype" not in sample.skip)


@for_each_op
def test_nothing_known_gives_no_wrong_type(sample):
    op, args = lookup(sample.op), bound(sample)
    unknown = tree_map(lambda leaf: LogicalTensor() if isinstance(leaf, (np.ndarray, np.generic)) else leaf, args)
    if op.body is not None or op.name == "unstack":
        pytest.skip("asks for a rank")
    found = outputs(op, args, evaluate(op, args))
    for rules in dtypes.PROMOTIONS:
        for type_, value in zip(infer(op, unknown, rules), found):
            assert_is_of(type_, value, {}, dtype=isinstance(type_, LogicalTensor) and type_.dtype == dtypes.bool_)


# ---------------------------------------------------------------- views
VIEWS = [s for s in SAMPLES if lookup(s.op).put is not None]


@pytest.mark.parametrize("sample", VIEWS, ids=str)
def test_write_through_a_view(sample):
    op, args = lookup(sample.op), bound(sample)
    base = np.array(args[0])
    views = outputs(op, args, evaluate(op, (base, *args[1:])))
    for at, view in enumerate(views, 1):
        if not np.shares_memory(view, base):
            continue
        new = np.random.default_rng(at).standard_normal(view.shape).astype(view.dtype)
        named = SimpleNamespace(**dict(zip(op.params, (base.copy(), *args[1:]))))
        if sample.op in ("broadcast_to", "expand") or "write" in sample.skip:
            with pytest.raises(UnsupportedConstruct):
                op.put(named, new, at)
            continue
        out = op.put(named, new, at)
        if not view.flags.writeable:
            view.flags.writeable = True
        view[...] = new
        np.testing.assert_array_equal(out, base)


@for_each_op
def test_what_shares_memory_says_what_a_write_does(sample):
    op, args = lookup(sample.op), bound(sample)
    if not (args and isinstance(args[0], np.ndarray) and args[0].size):
        pytest.skip("its first argument is no array")
    found = [value for value in outputs(op, args, evaluate(op, args)) if isinstance(value, np.ndarray)]
    parts = [value for value in found if value is not args[0] and np.shares_memory(value, args[0])]
    assert args[0].flags.writeable
    assert op.put is not None or not any(value.flags.writeable for value in parts)  # NumPy's diag cannot be written


# ---------------------------------------------------------------- backends
@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("op", BY_OP)
def test_backend_agrees_with_the_reference(name, op):
    some = ([sample for sample in ON_JAX if sample.op == op] or BY_OP[op]) if name == "jax" else None
    on_each(op, agrees, name, {} if some is None else compiled(op, some), samples=some)


def agrees(sample, name, known):
    """`known`: results that are at hand."""
    if name in sample.skip:
        pytest.skip(sample.skip[name])
    target, op, args = loaded(name), lookup(sample.op), bound(sample)
    row = target.rows.get(op.name)
    if row is not None and row.missing:
        pytest.skip(row.missing)
    expected = outputs(op, args, evaluate(op, args))
    there = given_to(target, args)
    found = known.get(id(sample)) or outputs(op, args, target.run(op, there))
    assert len(found) == len(expected)
    for kind, want, got in zip(op.output_kinds(args), expected, found):
        if kind in ("tensor", "int", "float", "bool", "shape"):
            got = target.to_host(got) if target.is_tensor(got) else np.asarray(got)
            compare(np.asarray(want), got, sample.tol)
    if "dtype" not in sample.skip:
        assert_dtypes(target, op, there, found)


def given_to(target, args):
    return tree_map(lambda leaf: target.from_host(leaf) if isinstance(leaf, np.ndarray) else leaf, args)


def compiled(name, samples):
    """What JAX gives for samples of an op, all in one program: to compile takes longest. Not where data choose a size."""
    target, op = loaded("jax"), lookup(name)
    row = target.rows.get(name)
    samples = [] if row is not None and row.missing else [s for s in samples if "jax" not in s.skip and is_fixed(s)]
    given = [given_to(target, bound(sample)) for sample in samples]

    def program(arrays):
        return [computed(args, iter(some)) for args, some in zip(given, arrays)]

    def computed(args, rest):
        taken = tree_map(lambda x: next(rest) if target.is_tensor(x) else x, args)
        return outputs(op, args, target.run(op, taken))

    found = jax.jit(program)([[leaf for leaf in leaves(args) if target.is_tensor(leaf)] for args in given])
    return dict(zip(map(id, samples), found))


def is_fixed(sample):
    """Whether types tell the shapes of all that an op gives."""
    op, args = lookup(sample.op), bound(sample)
    made = infer(op, types_of(args), "jax") if set(op.output_kinds(args)) <= {"tensor"} else [OPEN]
    return all(isinstance(type_, LogicalTensor) and type_.dims is not None and None not in type_.dims for type_ in made)


def compare(want, got, tol):
    assert got.shape == want.shape
    if want.dtype.kind in "biu" and got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want)
        return
    wide = "complex128" if want.dtype.kind == "c" else "float64"
    np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=tol, atol=tol)


def assert_dtypes(target, op, there, found):
    """The types inferred under the framework's own promotion are those of the results."""

    def type_of(leaf):
        return LogicalTensor(target.dtype_of(leaf), target.shape_of(leaf)) if target.is_tensor(leaf) else leaf

    for type_, value in zip(infer(op, tree_map(type_of, there), target.promotion), found):
        if isinstance(type_, LogicalTensor) and not type_.weak and target.is_tensor(value):
            assert at_hand(type_.dtype, target) == target.dtype_of(value)
            assert type_.dims is None or None in type_.dims or type_.dims == target.shape_of(value)


def at_hand(element, target):
    """The dtype as JAX has it where its 64-bit mode is off."""
    narrow = element is not None and target.name == "jax" and element.bits == (128 if element.kind == "c" else 64)
    return dtypes.dtype(element.name.replace("64", "32").replace("128", "64")) if narrow else element


# ---------------------------------------------------------------- the catalogue as a whole
def test_every_op_has_a_sample():
    assert sorted(set(REGISTRY) - {s.op for s in SAMPLES} - UNSAMPLED) == []


@pytest.mark.parametrize("name", BACKENDS)
def test_every_backend_has_every_op_or_says_why_not(name):
    target = loaded(name)
    lacking = [
        op.name
        for op in REGISTRY.values()
        if op.name not in UNSAMPLED and not target.supports(op) and not getattr(target.rows.get(op.name), "missing", "")
    ]
    assert lacking == []


def test_the_backends_are_those_installed():
    assert set(BACKENDS) <= set(available())
