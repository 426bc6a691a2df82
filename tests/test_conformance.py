"""Every case of the conformance suite of control flow: one capture, three ways to run it, and gradients."""

import jax
import pytest

import conformance_table
from conformance import FOLDER, MAX_TRIPS, Harness, load_cases

cases = load_cases()
if cases is None:
    pytest.skip(f"the conformance cases are not there: {FOLDER}", allow_module_level=True)
harness = Harness(cases)

# What does not hold yet, and why; strict: whoever closes a gap takes it out of here.
GAPS: dict[str, str] = {}


def cases_with(gaps, chosen):
    """Parameters for pytest, the gaps marked."""
    return [
        pytest.param(
            case,
            id=case.name,
            marks=[pytest.mark.xfail(reason=gaps[case.name], strict=True)] if case.name in gaps else [],
        )
        for case in chosen
    ]


@pytest.fixture(autouse=True)
def wide():
    """JAX with 64-bit numbers, as the cases are written for."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("case", cases_with(GAPS, cases.CASES))
def test_case(case):
    harness.run(case)


@pytest.mark.parametrize("case", cases_with({}, [c for c in cases.CASES if c.grad]))
def test_gradient(case):
    harness.gradients(case, MAX_TRIPS.get(case.name))


def test_the_table_tells_what_passes(capsys, monkeypatch):
    first = cases.CASES[0].name
    assert conformance_table.main([first]) == 0
    assert "1 of 1 cases pass" in capsys.readouterr().out
    monkeypatch.setattr(Harness, "run", lambda self, case: 1 // 0)
    assert conformance_table.main([first]) == 1
    assert "0 of 1 cases pass" in capsys.readouterr().out
