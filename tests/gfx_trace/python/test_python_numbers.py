"""Python's numbers out of tensors: what Python does with them the Program and the PyTorch source do, and JAX or a refusal."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
import number_cases
import number_keys
import number_texts
import number_uses
from gfx_ir.errors import CaptureError, GfxError
from sweeps import one_in

PARTS = (number_cases, number_keys, number_texts, number_uses)
CASES = [case for part in PARTS for case in part.CASES]
REFUSED = {case for part in PARTS for case in part.REFUSED}
NOT_IN_JAX = {case for part in PARTS for case in part.NOT_IN_JAX}
UNTOLD = number_uses.UNTOLD
INPUTS = [([1.5, 3.25], v) for v in (0.0, 1.0, 2.0, 3.0)] + [([-1.5, 3.25], 2.0), ([1.5, -2.0], 5.0)]


def plain(result):
    leaves = result if isinstance(result, tuple) else (result,)
    return [np.asarray(leaf, np.float64) for leaf in leaves]


def outcome(run, x, g):
    try:
        return plain(run(x, g))
    except Exception as error:
        return type(error)


def tensors(x, g):
    return torch.tensor(x), torch.tensor(g)


@pytest.mark.parametrize("typed", (False, True), ids=("untyped", "typed"))
@pytest.mark.parametrize("case", CASES, ids=lambda f: f.__name__)
def test_numbers_are_python_s(case, typed):
    given = tensors(*INPUTS[0]) if typed else ()
    if case in REFUSED or (case in UNTOLD and not typed):
        with pytest.raises(GfxError, match="GFX cannot"):
            gfx.symbolic_trace(case, *given, backend="torch")
        return
    program = gfx.symbolic_trace(case, *given, backend="torch")
    emitted = program.module("torch").load()
    for x, g in INPUTS:
        want = outcome(case, *tensors(x, g))
        for run in (program, emitted):
            got = outcome(run, *tensors(x, g))
            assert type(got) is type(want) and (isinstance(want, type) or len(got) == len(want))
            for mine, theirs in zip(got, want) if isinstance(want, list) else ():
                np.testing.assert_allclose(mine, theirs, rtol=1e-6)
            assert isinstance(want, list) or got is want


@pytest.mark.parametrize("typed", (False, True), ids=("untyped", "typed"))
@pytest.mark.parametrize("case", one_in(2, [f for f in CASES if f not in REFUSED]), ids=lambda f: f.__name__)
def test_jax_has_them_as_weak_arrays_or_says_where_it_cannot(case, typed):
    if case in UNTOLD and not typed:
        return
    program = gfx.symbolic_trace(case, *(tensors(*INPUTS[0]) if typed else ()), backend="torch")
    if case in NOT_IN_JAX:
        with pytest.raises(GfxError, match=rf"GFX cannot write .* as jax source.* in {case.__name__}\]"):
            program.source("jax")
        return
    module = program.module("jax")
    at_hand = case in number_cases.AT_HAND
    compiled = module.load() if at_hand else jax.jit(module.load(), static_argnames=module.static_argnames)
    for x, g in INPUTS:
        want = outcome(case, *tensors(x, g))
        if isinstance(want, list):  # compiled code raises nothing
            for mine, theirs in zip(plain(compiled(jnp.asarray(x), jnp.asarray(g))), want):
                np.testing.assert_allclose(mine, theirs, rtol=1e-5)


def test_a_program_gives_the_double_that_python_gives():
    def huge(x):
        return math.exp(x[0] * 1000)

    x = torch.tensor([0.6, 1.0])
    assert gfx.symbolic_trace(huge, backend="torch")(x) == huge(x) > 1e200


def whether_a_sum_is_a_float(x: np.ndarray):
    return x * (2 if isinstance(np.sum(x), float) else 3)


def test_the_class_of_a_number_of_numpys_hangs_on_its_dtype():
    with pytest.raises(CaptureError, match="its dtype is not known"):
        gfx.symbolic_trace(whether_a_sum_is_a_float)
    for dtype, factor in ((np.float64, 2), (np.float32, 3)):
        x = np.ones(2, dtype)
        np.testing.assert_array_equal(gfx.symbolic_trace(whether_a_sum_is_a_float, x)(x), x * factor)
