"""Every case of the conformance suite of control flow: one capture, three ways to run it, and gradients."""

import jax
import pytest

from conformance import FOLDER, Harness, load_cases

cases = load_cases()
if cases is None:
    pytest.skip(f"the conformance cases are not there: {FOLDER}", allow_module_level=True)
harness = Harness(cases)


@pytest.fixture(autouse=True)
def wide():
    """JAX with 64-bit numbers, as the cases are written for."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.name)
def test_case(case):
    harness.run(case)


@pytest.mark.parametrize("case", [c for c in cases.CASES if c.grad], ids=lambda case: case.name)
def test_gradient(case):
    harness.gradients(case)
