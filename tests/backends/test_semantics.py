"""Where the frameworks mean different things by the same words, a program keeps what it meant where it was written."""

import warnings

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from docs.semantics import CHAPTERS
from docs.semantics.measure import TARGETS, agree, emitted, naively, original, wide
from gfx_ir.errors import BackendError
from gfx_ir.loading import backend

ROWS = [row for _, rows in CHAPTERS for row in rows]
EVERY = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.fn.__name__)
pytestmark = pytest.mark.filterwarnings("ignore")


@EVERY
@pytest.mark.parametrize("x64", [False, True], ids=["x64 off", "x64 on"])
def test_the_meaning_is_kept(row, x64):
    want = original(row)
    for target in TARGETS:
        if target in row.other or (target == "numpy" and row.gradient):
            continue
        got = emitted(row, target, x64)
        assert agree(want, got, narrow=target == "jax" and not (x64 or row.x64)), f"{target}: {want} {got}"
        assert isinstance(got, Exception) == (target in row.raises or isinstance(want, Exception))


@EVERY
def test_what_is_said_to_differ_does(row):
    want = original(row)
    assert not any(agree(want, emitted(row, target), narrow=True) for target in row.other)
    assert row.naive is None or not agree(want, naively(row), narrow=True)


# ---------------------------------------------------------------------- 64 bits
def test_whole_numbers_that_do_not_fit_are_no_others():
    program = gfx.symbolic_trace(lambda x: x + torch.tensor([2**40]).sum(), backend="torch")
    with pytest.raises(
        BackendError, match=r"int64 data become int32, which does not hold all of them(.|\n)*jax_enable_x64"
    ):
        backend("jax").from_host(np.array([2**40, 1]))
    assert backend("jax").from_host(np.array([2**20, 1])).dtype == "int32"
    with wide(True):
        assert program.to("jax")(backend("jax").from_host(np.array([1]))).tolist() == [2**40 + 1]


def test_digits_that_are_lost_are_told():
    with pytest.warns(UserWarning, match="float64 data become float32 and lose digits"):
        assert backend("jax").from_host(np.array([0.1])).dtype == "float32"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert backend("jax").from_host(np.array([0.5, np.nan])).dtype == "float32"
    with wide(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert backend("jax").from_host(np.array([0.1])).dtype == "float64"


def test_parameters_of_64_bits_are_told_too():
    model = torch.nn.Linear(2, 2, dtype=torch.float64)
    with pytest.warns(UserWarning, match="lose digits"):
        gfx.transpile(model, to="jax")  # weights drawn in float32 would be the same
    assert not jax.config.jax_enable_x64
