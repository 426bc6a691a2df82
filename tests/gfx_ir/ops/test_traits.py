"""Traits are laws: every op that states one keeps it on every sample of it."""

import itertools
import warnings

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import torch

from gfx_ir import dtypes, python_numbers
from gfx_ir.codegen.prepare.reroll import REPEAT
from gfx_ir.control import Form
from gfx_ir.errors import GfxError
from gfx_ir.infer.comparisons import Triangle, kept
from gfx_ir.infer.sequences import of_array
from gfx_ir.loading import backend
from gfx_ir.op import REGISTRY, Point, Trait, evaluate, lookup
from gfx_ir.promotion import as_type
from gfx_ir.rules import building, infer
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor
from sampled import bound, outputs
from samples import Sample, all_samples
from sweeps import one_in, one_of_each

half = dtypes.DTYPES["bfloat16"]
ONE_OF_EACH = one_of_each(lambda sample: sample.op, all_samples())


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def stating(trait):
    found = [sample for sample in ONE_OF_EACH if lookup(sample.op).traits & trait]
    return pytest.mark.parametrize("sample", found, ids=str)


def run(op, args):
    return np.asarray(outputs(op, args, evaluate(op, args))[0])


@stating(Trait.COMMUTATIVE)
def test_commutative(sample: Sample):
    op, (a, b) = lookup(sample.op), bound(sample)
    one, other = run(op, (a, b)), run(op, (b, a))
    np.testing.assert_array_equal(one, other)
    assert one.dtype == other.dtype


@stating(Trait.IDEMPOTENT)
def test_idempotent(sample: Sample):
    op = lookup(sample.op)
    once = run(op, bound(sample))
    twice = run(op, op.bind(once))
    np.testing.assert_array_equal(once, twice)
    assert once.dtype == twice.dtype


@stating(Trait.INVOLUTION)
def test_involution(sample: Sample):
    op, (x,) = lookup(sample.op), bound(sample)
    once = run(op, (x,))
    if once.dtype == np.asarray(x).dtype:
        np.testing.assert_array_equal(run(op, (once,)), x)


@stating(Trait.IN_ORDER)
def test_in_order(sample: Sample):
    args = bound(sample)
    np.testing.assert_array_equal(run(lookup(sample.op), args).ravel(), np.asarray(args[0]).ravel())


@stating(Trait.PERMUTES)
def test_permutes(sample: Sample):
    op, (x, *rest) = lookup(sample.op), bound(sample)
    sizes = run(op, (np.empty(range(1, x.ndim + 1)), *rest)).shape
    np.testing.assert_array_equal(run(op, (x, *rest)), np.transpose(x, [n - 1 for n in sizes]))


@stating(Trait.SELECTS)
def test_selects(sample: Sample):
    """Nothing but elements of the first argument, whatever they are."""
    op, (x, *rest) = lookup(sample.op), bound(sample)
    told = np.arange(x.size).reshape(x.shape)
    for given in (x, told):
        for found in map(np.asarray, outputs(op, (given, *rest), evaluate(op, (given, *rest)))):
            assert found.dtype == given.dtype and np.isin(found, given).all()


SEQUENCES = [sample for sample in all_samples() if lookup(sample.op).sequence]


def refilled(args, fill):
    """The arguments with other elements in the arrays of numbers."""
    return tree_map(lambda x: fill(x) if isinstance(x, np.ndarray) and x.dtype.kind in "fib" else x, args)


def told(sample, fill):
    """What the rule of a sample's op tells of the sequences that its arguments are, beside what it gives of them."""
    op, args = lookup(sample.op), refilled(bound(sample), fill)
    found = run(op, args)
    made = op.sequence(tree_map(lambda x: of_array(x) if isinstance(x, np.ndarray) else x, args), found.ndim)
    return found, None if made is None else kept(dtypes.dtype(found.dtype), made)


FILLS = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "threes": lambda x: np.full(x.shape, 3),
    "truths": lambda x: np.ones(x.shape, bool),
    "places": lambda x: np.broadcast_to(np.arange(x.shape[-1] if x.ndim else 1), x.shape).copy().reshape(x.shape),
}


@pytest.mark.parametrize("sample", SEQUENCES, ids=str)
def test_what_is_told_of_sequences(sample: Sample):
    """An op gives the sequence that its rule tells."""
    for fill in FILLS.values():
        try:
            found, made = told(sample, fill)
        except (TypeError, IndexError, ValueError):
            continue  # not of these elements
        if made is not None and found.size:
            np.testing.assert_array_equal(found, np.broadcast_to(holding(made, found.shape), found.shape))


def holding(made, shape):
    """What is told, as an array."""
    if type(made) is Triangle:
        return np.tri(*shape[-2:], made.offset, dtype=bool) == made.holds
    return made.start + made.step * (np.arange(shape[-1]) if shape else 0)


@pytest.mark.parametrize("name", sorted({sample.op for sample in SEQUENCES}))
def test_each_rule_of_sequences_tells_something(name):
    """Of one sample of its op at least."""
    for sample, fill in itertools.product([sample for sample in SEQUENCES if sample.op == name], FILLS.values()):
        try:
            if told(sample, fill)[1] is not None:
                return
        except (TypeError, IndexError, ValueError):
            continue
    pytest.fail("it tells nothing")


@stating(Trait.SHAPE_OF_FIRST)
def test_shape_of_first(sample: Sample):
    args = bound(sample)
    assert run(lookup(sample.op), args).shape == args[0].shape


@stating(Trait.RANK_OF_FIRST)
def test_rank_of_first(sample: Sample):
    args = bound(sample)
    assert run(lookup(sample.op), args).ndim == args[0].ndim


@stating(Trait.AXES)
def test_axes(sample: Sample):
    """With the axes of all tensors the other way round, and `axis` named so, the result has its axes the other way round."""
    op, args = lookup(sample.op), bound(sample)
    named = dict(zip(op.params, args))
    (rank,) = {leaf.ndim for leaf in leaves(args) if isinstance(leaf, np.ndarray)}
    turned = lambda axis: rank - 1 - axis % rank
    if type(named["axis"]) is tuple:
        named["axis"] = tuple(map(turned, named["axis"]))
    elif type(named["axis"]) is int:
        named["axis"] = turned(named["axis"])
    other = tree_map(lambda leaf: leaf.T if isinstance(leaf, np.ndarray) else leaf, tuple(named.values()))
    for one, found in zip(outputs(op, args, evaluate(op, args)), outputs(op, args, evaluate(op, other)), strict=True):
        np.testing.assert_allclose(np.asarray(found), np.asarray(one).T, rtol=1e-5, atol=1e-6)


CHANNELS = [sample for sample in all_samples() if lookup(sample.op).channels_last]


@pytest.mark.parametrize("sample", CHANNELS, ids=str)
def test_channels_last(sample: Sample):
    """Its form for channels behind the places gives the same, so turned."""
    op, args = lookup(sample.op), bound(sample)
    row = op.channels_last
    rank = args[0].ndim
    places = rank - 2 if row.places is None else row.places(op.named(args))
    first = rank - places - 1
    kernels = [args[op.params.index(name)] for name in row.kernels]
    other = [np.moveaxis(args[0], first, -1), *args[1:]]
    for name, kernel in zip(row.kernels, kernels):
        other[op.params.index(name)] = np.moveaxis(kernel, (1, 0), (-2, -1))
    found = run(lookup(row.op), other)
    np.testing.assert_allclose(np.moveaxis(found, -1, first), run(op, args), rtol=1e-4, atol=1e-5)


@stating(Trait.CASTS)
def test_casts(sample: Sample):
    x, dtype = bound(sample)[:2]
    assert dtypes.dtype(run(lookup(sample.op), (x, dtype)).dtype) == dtypes.dtype(dtype)


@stating(Trait.ELEMENTWISE | Trait.TOTAL)
def test_elementwise(sample: Sample):
    """The element at a place follows from the elements there: one taken out of each argument gives one of the result."""
    op, args = lookup(sample.op), bound(sample)
    whole = run(op, args)
    arrays = [x for x in args if isinstance(x, np.ndarray)]
    if not whole.size or not arrays:
        return
    place = tuple(n // 2 for n in whole.shape)

    def one(x):
        if not isinstance(x, np.ndarray):
            return x
        wide = np.broadcast_to(x, whole.shape)
        return wide[tuple(slice(n, n + 1) for n in place)]

    found = run(op, tuple(map(one, args)))
    np.testing.assert_allclose(found.ravel()[0], whole[place], rtol=1e-6)


POINTS = np.array([-1e4, -3.0, -1.0, -0.25, 0.0, 0.25, 1.0, 3.0, 1e4], np.float32)


@stating(Trait.TOTAL)
def test_total(sample: Sample):
    """Of every number there is a result, and a derivative."""
    op, args = lookup(sample.op), bound(sample)
    floats = [at for at, x in enumerate(args) if isinstance(x, np.ndarray) and x.dtype.kind == "f"]
    shaped = [np.resize(x, POINTS.shape) if isinstance(x, np.ndarray) else x for x in args]

    def of(*given):
        with building(backend("jax")):
            return op(*(given[floats.index(at)] if at in floats else x for at, x in enumerate(shaped)))

    for turn in range(len(POINTS) if len(floats) > 1 else 1):
        given = [jnp.roll(POINTS, turn * place) for place in range(len(floats))]
        found = of(*given)
        assert not jnp.isnan(found).any()
        if floats and jnp.issubdtype(found.dtype, jnp.floating):
            slopes = jax.grad(lambda *xs: of(*xs).sum(), argnums=tuple(range(len(floats))))(*given)
            assert all(jnp.isfinite(slope).all() for slope in slopes)


@stating(Trait.ASKS)
def test_asks(sample: Sample):
    """The answer is host data, and the same for other elements."""
    op, args = lookup(sample.op), bound(sample)
    other = tuple(np.zeros_like(x) if isinstance(x, np.ndarray) else x for x in args)
    assert "tensor" not in op.output_kinds(args)
    assert evaluate(op, args) == evaluate(op, other)


@stating(Trait.GRADIENT)
def test_leaves_the_data_of_its_last_argument(sample: Sample):
    op, (*before, last) = lookup(sample.op), bound(sample)
    np.testing.assert_array_equal(run(op, (*before, last)), last)
    count = len(op.params)
    with building(backend("jax")):
        slopes = jax.grad(lambda *xs: op(*xs).sum(), argnums=tuple(range(count)))(*[jnp.ones(2)] * count)
    assert [bool(slope.any()) for slope in slopes] == [True, False][-count:]


@stating(Trait.CHOOSES)
def test_is_the_second_argument_or_the_third(sample: Sample):
    op, (test, *sides) = lookup(sample.op), bound(sample)
    for truth, side in zip((True, False), sides):
        chosen = run(op, (np.full_like(test, truth), *sides))
        np.testing.assert_array_equal(chosen, np.broadcast_to(side, chosen.shape))


@stating(Trait.TRUTH)
def test_is_true_where_its_argument_is(sample: Sample):
    (x,) = bound(sample)
    assert bool(run(lookup(sample.op), (x,))) is bool(x)


def test_numbers_of_python_are_of_the_kind_that_their_rule_tells():
    for sample in all_samples():
        op = lookup(sample.op)
        if op.number:
            assert type(evaluate(op, bound(sample))).__name__ == op.number


@pytest.mark.parametrize("name", sorted(op.name for op in REGISTRY.values() if op.python))
def test_pythons_function_computes_the_same_of_numbers(name):
    op = lookup(name)
    whole = op.traits & Trait.WHOLE
    for number in (6, 4) if whole else (0.75, 1.5):
        args = (number, 4 if whole else 0.5)[: len(op.params)]
        try:
            wanted = python_numbers.function(op.python).run(*args)
        except ValueError:
            continue  # out of its domain
        found = evaluate(op, tuple(map(np.asarray, args)))
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        assert not python_numbers.computes_floats(op) or type(wanted) is float


def numpys_own(name):
    """NumPy's function of that name, if there is one."""
    return getattr(np, name, getattr(np.linalg, name, None))


def without_axes(name):
    """What NumPy's function gives for the samples that it takes, where that has no axes."""
    for sample in [sample for sample in all_samples() if sample.op == name]:
        args = sample.args
        if lookup(name).traits & Trait.ELEMENTWISE:
            args = tuple(x.ravel()[0] if isinstance(x, np.ndarray) and x.size else x for x in args)
        try:
            yield numpys_own(name)(*args, **sample.kwargs)
        except (TypeError, ValueError, AttributeError):
            continue  # it takes other arguments


@pytest.mark.parametrize("name", sorted({sample.op for sample in all_samples() if numpys_own(sample.op)}))
def test_what_numpy_has_without_axes(name):
    """A number of its own, or an array: as the row says."""
    point = lookup(name).point
    for out in without_axes(name):
        if isinstance(out, (np.ndarray, np.generic)) and not out.ndim and point in (Point.NUMBER, Point.ARRAY):
            assert isinstance(out, np.generic if point is Point.NUMBER else np.ndarray)


@stating(Trait.READS_AT)
def test_what_is_read_at_a_place_is_what_stands_there(sample: Sample):
    op, (x, index) = lookup(sample.op), bound(sample)
    written = evaluate(lookup("index_put"), (x, index, run(op, (x, index)), False))
    np.testing.assert_array_equal(written, x)


@stating(Trait.WRITES_AT)
def test_what_is_written_at_a_place_stands_there(sample: Sample):
    op, (x, index, value, _) = lookup(sample.op), bound(sample)
    zeros = evaluate(op, (np.zeros_like(x), index, 1, True))
    if np.all(zeros <= 1):  # each place once
        written = run(op, (x, index, value, False))
        there = evaluate(lookup("getitem"), (written, index))
        value = np.asarray(value, x.dtype)
        value = value.reshape(
            value.shape[max(value.ndim - there.ndim, 0) :]
        )  # without axes of one element before the place's
        np.testing.assert_array_equal(there, np.broadcast_to(value, there.shape))
        added = run(op, (x, index, value, True))
        np.testing.assert_array_equal(np.where(zeros == 0, written, 0), np.where(zeros == 0, x, 0))
        np.testing.assert_array_equal(np.where(zeros == 0, added, 0), np.where(zeros == 0, x, 0))


@stating(Trait.AFFINE)
def test_affine(sample: Sample):
    op, args = lookup(sample.op), bound(sample)
    floats = [x for x in leaves(args) if isinstance(x, np.ndarray) and x.dtype == np.float32]
    if not floats:
        return

    def at(first, second):
        given = iter(range(len(floats)))

        def mixed(x):
            if not (isinstance(x, np.ndarray) and x.dtype == np.float32):
                return x
            x = x.astype(np.float64)
            return first * x + second * np.cos(next(given) + x)

        return run(op, tree_map(mixed, args))

    whole = at(1, 2)
    near = 64 * np.finfo(whole.dtype).eps
    np.testing.assert_allclose(whole, at(1, 0) + at(0, 2) - at(0, 0), rtol=near, atol=near)


@stating(Trait.JOINS)
def test_joins_lists_of_any_length(sample: Sample):
    op, (arrays, *rest) = lookup(sample.op), bound(sample)
    one = np.asarray(arrays[0])
    for count in (1, 2, 5):
        assert run(op, ((one,) * count, *rest)).size == count * one.size


@stating(Trait.STACKS)
def test_stacks_along_an_axis_of_its_own(sample: Sample):
    op, (arrays, axis) = lookup(sample.op), bound(sample)
    found = run(op, (arrays, axis))
    for at, array in enumerate(arrays):
        np.testing.assert_array_equal(np.take(found, at, axis), array)


@stating(Trait.ITEM)
def test_item_of_a_list(sample: Sample):
    op = lookup(sample.op)
    items, index, path = bound(sample)
    found = items[index]
    for key in path:
        found = found[key]
    np.testing.assert_array_equal(run(op, (items, index, path)), found)


@stating(Trait.MERGES)
def test_merges_axes(sample: Sample):
    x, start, end = bound(sample)
    ends = (start % max(1, x.ndim), end % max(1, x.ndim)) if x.ndim else (0, 0)
    merged = (*x.shape[: ends[0]], np.prod(x.shape[ends[0] : ends[1] + 1], dtype=int), *x.shape[ends[1] + 1 :])
    np.testing.assert_array_equal(run(lookup(sample.op), (x, start, end)), np.reshape(x, merged))


@stating(Trait.STRETCHES)
def test_stretches_to_a_shape(sample: Sample):
    op, (x, shape) = lookup(sample.op), bound(sample)
    found = run(op, (x, shape))
    np.testing.assert_array_equal(found, np.broadcast_to(x, found.shape))


@stating(Trait.LENGTH)
def test_length_of_an_axis(sample: Sample):
    x, axis = bound(sample)
    assert evaluate(lookup(sample.op), (x, axis)) == np.shape(x)[axis]


@stating(Trait.COUNTS)
def test_counts(sample: Sample):
    op = lookup(sample.op)
    given = op.named(bound(sample))
    begin, end = (0, given.start) if given.stop is None else (given.start, given.stop)
    count = max(0, int(np.ceil((end - begin) / given.step)))
    np.testing.assert_allclose(run(op, bound(sample)), begin + given.step * np.arange(count))


@stating(Trait.BOTH)
def test_holds_where_both_do(sample: Sample):
    a, b = bound(sample)
    np.testing.assert_array_equal(run(lookup(sample.op), (a, b)), (np.asarray(a) != 0) & (np.asarray(b) != 0))


@stating(Trait.MOVES)
def test_moves_to_a_device(sample: Sample):
    x, device = bound(sample)
    np.testing.assert_array_equal(run(lookup(sample.op), (x, device)), x)


@stating(Trait.OF_NUMBERS)
def test_is_made_of_numbers(sample: Sample):
    op, args = lookup(sample.op), bound(sample)
    (given,) = (arg for param, arg in zip(op.params, args) if param not in ("shape", "dtype", "device"))
    found = run(op, args)
    np.testing.assert_array_equal(found, np.broadcast_to(np.asarray(given).astype(found.dtype), found.shape))


@stating(Trait.AVERAGES)
def test_averages(sample: Sample):
    op, (x, *_) = lookup(sample.op), bound(sample)
    total = np.asarray(x).astype(np.float64).sum() if np.asarray(x).dtype.kind == "f" else np.sum(x)
    np.testing.assert_allclose(run(op, op.bind(x)), total / np.size(x), rtol=1e-3)


@stating(Trait.FIRST_ROWS)
def test_first_rows_of_the_tensors_give_those_of_the_result(sample: Sample):
    op, args = lookup(sample.op), bound(sample)
    whole = run(op, args)
    if "axis" in op.params and args[op.params.index("axis")] is None:
        return
    axis = args[op.params.index("axis")] % whole.ndim if "axis" in op.params and not op.traits & Trait.STACKS else None
    fewer = lambda x: x[tuple(slice(None, size - (at != axis)) for at, size in enumerate(x.shape))]
    given = [tree_map(lambda x: fewer(x) if isinstance(x, np.ndarray) else x, arg) for arg in args[: op.operands]]
    found = run(op, (*given, *args[op.operands :]))
    np.testing.assert_array_equal(found, whole[tuple(map(slice, found.shape))])


@stating(Trait.ROW_BY_ROW)
def test_row_by_row(sample: Sample):
    args = bound(sample)
    x, other = args[:2]
    if x.ndim >= other.ndim == 2:
        assert run(lookup(sample.op), args).shape[:-1] == x.shape[:-1]


def test_operators_of_python():
    """An op that Python has an operator for gives of numbers what that gives."""
    signed = {op.name: op.sign for op in REGISTRY.values() if op.sign}
    assert signed == dict(python_numbers.SIGNS)
    for name, run_it in python_numbers.OPERATORS.items():
        op, whole = lookup(name), bool(lookup(name).traits & Trait.WHOLE)
        for a, b in ((6, 3), (7, 2)) if whole else ((6.0, 3.0), (-7.5, 2.0)):
            numbers = (a, b)[: len(op.params)]
            np.testing.assert_allclose(evaluate(op, numbers), run_it(*numbers))


def test_neutral_elements():
    for sample in all_samples():
        op = lookup(sample.op)
        if op.neutral is None:
            continue
        x = bound(sample)[0]
        if op.family == "reduce":
            more = np.append(x.ravel(), np.asarray(op.neutral, x.dtype))
            np.testing.assert_array_equal(run(op, op.bind(more)), run(op, op.bind(x.ravel())))
            continue
        out = run(op, (x, op.neutral))
        if isinstance(x, np.ndarray) and out.dtype == x.dtype:
            np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("promotion", ["torch", "jax", "numpy"])
@stating(Trait.FLOATS)
def test_floats(sample: Sample, promotion):
    """One tensor of floating-point numbers is enough, whichever that is, whatever real numbers the others are."""
    op, args = lookup(sample.op), bound(sample)
    tensors = [at for at, x in enumerate(args) if isinstance(x, np.ndarray)]
    if any(isinstance(x, complex) for x in args):
        return
    for at, other in itertools.product(tensors, (dtypes.bool_, dtypes.DTYPES["uint8"], dtypes.int64)):
        types = [
            LogicalTensor(dtypes.float32 if place == at else other) if place in tensors else x
            for place, x in enumerate(args)
        ]
        (made,) = infer(op, tuple(types), promotion)
        assert made.dtype.kind == "f"


def on(name, sample, prepared=lambda x: x):
    """The sample's arrays, and the arrays of its result, on a backend; none where that refuses the op."""
    owner, op = backend(name), lookup(sample.op)
    args = tree_map(
        lambda x: prepared(owner.from_host(x)) if isinstance(x, np.ndarray) else owner.convert(x), bound(sample)
    )
    if name in sample.skip:
        return [], []
    try:
        with building(owner):
            out = op(*args)
    except GfxError:
        return [], []
    return tuple([leaf for leaf in leaves(tree) if owner.is_tensor(leaf)] for tree in (args, out))


@pytest.mark.parametrize("name", ["numpy", "torch"])
@stating(Trait.APART)
def test_memory_of_its_own(sample: Sample, name):
    given, made = on(name, sample)
    if name == "torch":
        places = [{x.untyped_storage().data_ptr() for x in group if x.numel()} for group in (given, made)]
        assert not places[0] & places[1]
    else:
        assert not any(np.may_share_memory(x, y) for x, y in itertools.product(given, made))


def differentiated(x):
    return x.clone().requires_grad_(x.is_floating_point())


@stating(Trait.UNSAVED)
def test_backward_keeps_no_elements(sample: Sample):
    """PyTorch's raises where what it kept was written."""
    given, made = on("torch", sample, differentiated)
    total = sum(torch.real(x).sum() for x in made if x.requires_grad)
    with torch.no_grad():
        for x in given[:1] if lookup(sample.op).index else given:
            x.copy_(x.clone())
    if made and isinstance(total, torch.Tensor):
        total.backward()


def numbers(sample, of):
    """The numbers of the result, where those that the op takes are turned into others."""
    op, args = lookup(sample.op), bound(sample)
    first = args if op.traits & Trait.ELEMENTWISE else args[:1]
    out = evaluate(op, (*tree_map(of, tuple(first)), *args[len(first) :]))
    return [x for x in map(np.asarray, leaves(out)) if x.dtype.kind in "biuf"]


@stating(Trait.LIKE)
def test_elements_of_the_first_argument_do_not_matter(sample: Sample):
    told = [
        numbers(sample, lambda x, more=more: x + more if isinstance(x, np.ndarray) and x.dtype.kind in "iufc" else x)
        for more in (0, 1)
    ]
    assert all(map(np.array_equal, *told))


@pytest.mark.parametrize("name", sorted({s.op for s in all_samples() if lookup(s.op).traits & Trait.UNDERIVED}))
def test_a_sample_has_no_derivative(name):
    """Of the samples of an op that says so, one at least, in JAX."""
    assert any(map(underived, [sample for sample in all_samples() if sample.op == name]))


def underived(sample):
    owner, args = backend("jax"), bound(sample)
    given = [x for x in leaves(args) if isinstance(x, np.ndarray) and x.dtype.kind == "f"]

    def run_with(arrays):
        rest = iter(arrays)
        host = lambda x: owner.from_host(x) if isinstance(x, np.ndarray) else owner.convert(x)
        own = tree_map(lambda x: next(rest) if any(x is y for y in given) else host(x), args)
        with building(owner):
            return [x for x in leaves(lookup(sample.op)(*own)) if owner.is_tensor(x)]

    arrays = list(map(owner.from_host, given))
    if not arrays or "jax" in sample.skip:
        return False
    try:
        jax.jvp(run_with, (arrays,), (list(map(jnp.ones_like, arrays)),))
    except NotImplementedError:
        return True
    return False


@stating(Trait.NOT_NEGATIVE)
def test_nowhere_negative(sample: Sample):
    if any(isinstance(x, np.ndarray) and x.dtype.kind == "c" for x in bound(sample)):
        return
    assert not any((x < 0).any() for x in numbers(sample, lambda x: x))


@stating(Trait.KEEPS_SIGN)
def test_nowhere_negative_where_nothing_is(sample: Sample):
    if any(isinstance(x, np.ndarray) and x.dtype.kind == "c" for x in bound(sample)):
        return

    def positive(x):
        return np.abs(x) if isinstance(x, np.ndarray) else abs(x) if type(x) in (int, float) else x

    assert not any((x < 0).any() for x in numbers(sample, positive))


def of_floats(sample):
    """Whether a sample's tensors have floating-point numbers of 32 bits, one of them at least, or whole numbers."""
    kinds = {x.dtype.str[1:] for x in leaves(bound(sample)) if isinstance(x, np.ndarray)}
    return "f4" in kinds and not {kind[0] for kind in kinds - {"f4"}} & set("fc")


@stating(Trait.STEADY)
def test_no_more_is_lost_than_the_result_would_lose(sample: Sample):
    """In 8 bits: the arguments in them against the result in them."""
    if not of_floats(sample):
        return
    op, args = lookup(sample.op), bound(sample)
    fewer = ml_dtypes.bfloat16
    rough = tree_map(
        lambda x: x.astype(fewer).astype(np.float32) if isinstance(x, np.ndarray) and x.dtype == np.float32 else x, args
    )
    types = tree_map(lambda x: as_type(x, "torch") if isinstance(x, np.ndarray) else x, args)
    given = [x for x in leaves(args) if isinstance(x, np.ndarray) and x.dtype == np.float32]
    made = infer(
        op,
        tree_map(lambda x: x.with_(dtype=half) if getattr(x, "dtype", None) == dtypes.float32 else x, types),
        "torch",
    )
    for type_, one, other in zip(made, leaves(evaluate(op, args)), leaves(evaluate(op, rough))):
        largest = max([np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in (*given, np.asarray(one))])
        np.testing.assert_allclose(other, one, rtol=0.0, atol=4 * 2.0**-8 * largest)
        assert type_.dtype == half


CONTRACTIONS = [s for s in all_samples() if lookup(s.op).contraction is not None and of_floats(s)]


@pytest.mark.parametrize("sample", CONTRACTIONS, ids=str)
def test_linear_in_each_factor(sample: Sample):
    op, args = lookup(sample.op), bound(sample)
    row = op.contraction
    shift = 0.0
    if row.bias and args[op.params.index(row.bias)] is not None:
        shift = run(op, tuple([0.0 * x if name == row.factors[0] else x for name, x in zip(op.params, args)]))
    once = run(op, args) - shift
    trees = [args[op.params.index(name)] for name in row.factors]
    for factor in leaves(trees):
        twice = tree_map(lambda x, factor=factor: 2.0 * x if x is factor else x, args)
        times = sum(x is factor for x in leaves(trees))
        np.testing.assert_allclose(run(op, twice) - shift, 2.0**times * once, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("sample", CONTRACTIONS, ids=str)
def test_channels_of_the_second_factor_are_those_of_the_result(sample: Sample):
    op, args = lookup(sample.op), list(bound(sample))
    row = op.contraction
    if row.channels is None or args[op.params.index(row.factors[1])].ndim < 2:
        return
    if row.bias:
        args[op.params.index(row.bias)] = None
    at = op.params.index(row.factors[1])
    weight = args[at]
    scale = np.arange(1.0, 1.0 + weight.shape[row.channels], dtype=np.float32)
    along = np.expand_dims(scale, tuple(axis for axis in range(weight.ndim) if axis != row.channels % weight.ndim))
    behind = (1,) * (weight.ndim - 2 if row.before_places else 0)
    expected = run(op, tuple(args)) * scale.reshape(-1, *behind)
    args[at] = weight * along
    np.testing.assert_allclose(run(op, tuple(args)), expected, rtol=1e-4, atol=1e-4)


POSITIONS = [sample for sample in ONE_OF_EACH if lookup(sample.op).index]


@pytest.mark.parametrize("name", ["numpy", "torch", "jax"])
@pytest.mark.parametrize("sample", POSITIONS, ids=str)
def test_positions_of_any_width(sample: Sample, name):
    op = lookup(sample.op)
    given = bound(sample)[op.params.index(op.index)]
    found = []
    for width in (np.int32, np.int64):
        args = [*bound(sample)]
        args[op.params.index(op.index)] = tree_map(
            lambda x: x.astype(width) if isinstance(x, np.ndarray) and x.dtype.kind in "iu" else x, given
        )
        found.append(on(name, Sample(sample.op, tuple(args), skip=sample.skip))[1])
    for one, other in zip(*found):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_positions_that_jax_gives_in_32_bits():
    """`Row.narrow` names each of them, and no other."""
    narrow = set()
    with jax.enable_x64(True):
        tried = one_in(4, {sample.op: sample for sample in all_samples()}.values())
        for sample in tried:
            types = tree_map(
                lambda x: LogicalTensor(dtypes.dtype(x.dtype), x.shape) if isinstance(x, np.ndarray) else x,
                bound(sample),
            )
            wanted = infer(lookup(sample.op), types, "torch")
            wide = [at for at, type_ in enumerate(wanted) if getattr(type_, "dtype", None) is dtypes.int64]
            if wide and set(lookup(sample.op).output_kinds(bound(sample))) == {"tensor"}:
                _, made = on("jax", sample)
                narrow.update((sample.op, at + 1) for at in wide if made and made[at].dtype == np.int32)
    rows, names = backend("jax").rows, {sample.op for sample in tried}
    assert narrow == {(name, rows[name].narrow) for name in names & rows.keys() if rows[name].narrow}


def test_forms_of_control_ops():
    """Rules that follow values through tests and loops find the arguments by these names, in each op of the form."""
    ops = [*(op for op in REGISTRY.values() if op.control is not None or op.form is not Form.PLAIN), REPEAT]
    forms = {op.name: (op.form, op.params, op.regions) for op in ops}
    for name, (form, params, regions) in forms.items():
        if form is Form.TEST:
            assert params[1:] == ("operands",) and regions == ("then", "else"), name
        elif form is Form.WHILE:
            assert params == ("init", "operands", "exit") and regions == ("test", "body"), name
        elif form is Form.FOR:
            assert params == ("items", "init", "operands", "exit") and regions == ("body",), name
        elif form is Form.CALL:
            assert params[0] == "callee" and params[2] == "args", name
        elif form is Form.REPEAT:
            assert params[0] == "callee" and "args" in params, name
        elif form is Form.HOST:
            assert params == ("operator", "args"), name
        elif form is Form.FUNCTION:
            assert params == ("function", "args"), name
        elif form is Form.EVALUATE:
            assert params == ("x", "error"), name
        elif form is Form.TRANSFORM:
            assert params[:3] == ("kind", "inputs", "operands") and regions == ("body",), name
        else:
            assert not regions or name == "custom_gradient", name
    assert {form for form, _, _ in forms.values()} == set(Form)


def test_ops_of_host_values_name_those_that_do_the_same_with_data():
    for op in REGISTRY.values():
        if op.control is not None and op.control.open_host:
            data = lookup(op.control.on_data)
            assert (data.form, len(data.params), data.regions) == (op.form, len(op.params), op.regions)
            assert not data.control.open_host
