"""Every case of the conformance suite of control flow: one capture, three ways to run it, and gradients."""

import inspect

import pytest

import conformance_table
import gfx_trace as gfx
from conformance import MAX_TRIPS, Harness, load_cases
from places import CONFORMANCE

cases = load_cases()
if cases is None:
    pytest.skip(f"the conformance cases are not there: {CONFORMANCE}", allow_module_level=True)
harness = Harness(cases)
pytestmark = pytest.mark.usefixtures("wide")

# What does not hold yet, and why; strict: whoever closes a gap takes it out of here.
GAPS: dict[str, str] = {}

# What cannot be captured, or written for another framework, without knowing the arguments, and what of them it takes.
NEEDS_ARGUMENTS = {
    "for_dict_items": "the keys of a dictionary",
    "clip_gradients": "the keys of a dictionary",
}


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


@pytest.mark.parametrize("case", cases_with(GAPS, cases.CASES))
def test_case(case):
    harness.run(case)


@pytest.mark.parametrize("case", cases_with(NEEDS_ARGUMENTS, [c for c in cases.CASES if c.expect == "convert"]))
def test_without_arguments(case):
    harness.untyped(case)


@pytest.mark.parametrize("case", cases_with({}, [c for c in cases.CASES if c.grad]))
def test_gradient(case):
    harness.gradients(case, MAX_TRIPS.get(case.name))


@pytest.mark.parametrize("case", cases_with({}, cases.CASES))
def test_explain_says_what_a_capture_does(case):
    """Nothing in what is captured is refused; in what is refused something may be, or in a function that it calls."""
    if case.expect != "error":
        assert not gfx.explain(case.fn).refused
        return
    called = [getattr(cases, name, None) for name in case.fn.__code__.co_names]
    functions = [case.fn, *filter(inspect.isfunction, called)]
    assert any(row.verdict in ("refused", "depends") for f in functions for row in gfx.explain(f).constructs)


def test_the_table_tells_what_passes(capsys, monkeypatch):
    first = cases.CASES[0].name
    assert conformance_table.main([first]) == 0
    assert "1 of 1 cases pass" in capsys.readouterr().out
    monkeypatch.setattr(Harness, "run", lambda self, case: 1 // 0)
    assert conformance_table.main([first]) == 1
    assert "0 of 1 cases pass" in capsys.readouterr().out
