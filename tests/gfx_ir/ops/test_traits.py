"""Traits are laws: every op that states one keeps it on every sample of it."""

import warnings

import numpy as np
import pytest

from gfx_ir import dtypes
from gfx_ir.op import Trait, evaluate, lookup
from sampled import bound, outputs
from samples import Sample, all_samples


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def stating(trait):
    found = [sample for sample in all_samples() if lookup(sample.op).traits & trait]
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
    op, (x,) = lookup(sample.op), bound(sample)
    once = run(op, (x,))
    twice = run(op, (once,))
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


@stating(Trait.CASTS)
def test_casts(sample: Sample):
    x, dtype = bound(sample)[:2]
    assert dtypes.dtype(run(lookup(sample.op), (x, dtype)).dtype) == dtypes.dtype(dtype)


@stating(Trait.ELEMENTWISE)
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


def test_neutral_elements():
    for sample in all_samples():
        op = lookup(sample.op)
        if op.neutral is None:
            continue
        x = bound(sample)[0]
        out = run(op, (x, op.neutral))
        if isinstance(x, np.ndarray) and out.dtype == x.dtype:
            np.testing.assert_array_equal(out, x)
