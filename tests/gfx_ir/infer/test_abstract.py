"""The lattice of abstract values: join is the least that stands for both, and forgets what only one of them tells."""

import itertools

import pytest

from gfx_ir.dtypes import bool_, float32, int64
from gfx_ir.infer.abstract import (
    ANY,
    ARRAY,
    BOTTOM,
    TOP,
    UFUNC,
    at_most,
    join,
    joined_element,
    number,
    of_constant,
    rank_of,
    ranks_of,
    tensor,
    ufunc,
)
from gfx_ir.types import LogicalTensor

X, Y = frozenset((("x", 0),)), frozenset((("y", 1),))
SAMPLES = [
    BOTTOM, TOP, number("int"), number("bool", "int"), of_constant(2), of_constant(None), tensor(),
    tensor(LogicalTensor(float32), ranks_of(2)), ufunc(LogicalTensor(int64)), ufunc(ranks=frozenset((X,))),
    ufunc(ranks=frozenset((Y,))), tensor(LogicalTensor(bool_, weak=True)), tensor(LogicalTensor(bool_), ranks_of(0)),
]  # fmt: skip


@pytest.mark.parametrize("a, b", list(itertools.product(SAMPLES, repeat=2)))
def test_join_is_the_least_upper_bound(a, b):
    both = join(a, b)
    assert both == join(b, a) and at_most(a, both) and at_most(b, both)
    assert join(both, a) == both


@pytest.mark.parametrize("a, b, c", list(itertools.product(SAMPLES, repeat=3)))
def test_join_is_associative(a, b, c):
    assert join(join(a, b), c) == join(a, join(b, c))


def test_what_python_has():
    either = join(of_constant(2), ufunc(ranks=frozenset((X,))))
    assert either.kinds == {"int", UFUNC} and either.ranks == {X, frozenset()} and ARRAY in ANY


def test_a_number_counts_by_its_kind_and_a_tensor_by_its_dtype():
    weak, strong = LogicalTensor(float32, weak=True), LogicalTensor(float32)
    assert joined_element(weak, strong).dtype is None and joined_element(weak, weak) == weak
    assert joined_element(LogicalTensor(bool_, weak=True), LogicalTensor(bool_)) == LogicalTensor(bool_)


def test_terms_of_a_rank():
    assert ranks_of(2) == {frozenset(((None, -2),))} and ranks_of(0) == {frozenset()}
    assert rank_of(ranks_of(2)) == 2 and rank_of(frozenset((X,))) is None and rank_of(None) is None
