"""The lattice of abstract values: join is the least that stands for both, and forgets what only one of them tells."""

import itertools

import pytest

from gfx_ir.dtypes import float32, int64
from gfx_ir.infer.abstract import (
    ANY,
    ARRAY,
    BOTTOM,
    TOP,
    UFUNC,
    at_most,
    join,
    join_all,
    number,
    of_constant,
    tensor,
    ufunc,
)
from gfx_ir.types import LogicalTensor

X, Y = frozenset((("x", 0),)), frozenset((("y", 1),))
SAMPLES = [
    BOTTOM, TOP, number("int"), number("bool", "int"), of_constant(2), of_constant(None), tensor(),
    tensor(LogicalTensor(float32, (2, None))), ufunc(LogicalTensor(int64)), ufunc(ranks=frozenset((X,))),
    ufunc(ranks=frozenset((Y,))), tensor(LogicalTensor(dims=())).with_(stopped=True),
]  # fmt: skip


@pytest.mark.parametrize("a, b", list(itertools.product(SAMPLES, repeat=2)))
def test_join_is_the_least_upper_bound(a, b):
    both = join(a, b)
    assert both == join(b, a) and at_most(a, both) and at_most(b, both)
    assert join(both, a).with_(fixed=False) == both.with_(fixed=False)


@pytest.mark.parametrize("a, b, c", list(itertools.product(SAMPLES, repeat=3)))
def test_join_is_associative(a, b, c):
    unfixed = [x.with_(fixed=False) for x in (join_all((a, b, c)), join(a, join(b, c)))]
    assert unfixed[0] == unfixed[1]


def test_what_is_one_of_two_is_not_fixed():
    assert of_constant(2).fixed and not join(of_constant(2), of_constant(3)).fixed


def test_what_python_has():
    either = join(of_constant(2), ufunc(ranks=frozenset((X,))))
    assert either.kinds == {"int", UFUNC} and either.python == {"int"} and not either.is_python and either.kind == ""
    assert either.ranks == {X, frozenset()} and number("float").kind == "float" and ARRAY in ANY


def test_terms_of_a_rank():
    assert tensor(LogicalTensor(dims=(2, 3))).terms == {frozenset(((None, -2),))}
    assert tensor(LogicalTensor(dims=())).terms == {frozenset()} and tensor().terms is None
