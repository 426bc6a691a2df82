"""`gfx.explain`: what it says of each construct is what a capture then does."""

import inspect

import pytest
from rich.console import Console

import explain_examples as examples
import explain_values
import gfx_trace as gfx
from explain_shown import shown_in
from gfx_ir.errors import GfxError
from gfx_trace.explain.constructs import TABLE

EXAMPLES = [*shown_in(examples), *shown_in(explain_values)]
CASES = [pytest.param(*case, id=f"{case[0].__name__}: {case[1]}") for case in EXAMPLES]


@pytest.mark.parametrize("fn, construct, refused", CASES)
def test_every_row(fn, construct, refused):
    rows = [row for row in gfx.explain(fn).constructs if row.construct == construct]
    assert rows, f"{construct} is not found in {fn.__name__}"
    if not refused:
        assert all(row.verdict != "refused" for row in rows)
        gfx.symbolic_trace(fn, backend="torch")
        return
    row = rows[-1]
    assert row.verdict in ("refused", "depends") and row.hint
    with pytest.raises(GfxError) as caught:
        gfx.symbolic_trace(fn, backend="torch")
    assert row.error in str(caught.value)


def test_the_catalogue_has_an_example_of_every_row():
    assert {rule.construct for rule in TABLE} == {construct for _, construct, _ in EXAMPLES}
    assert all(rule.error for rule in TABLE if rule.verdict == "refused")


def test_places_and_texts():
    found = gfx.explain(examples.halved)
    lines, first = inspect.getsourcelines(examples.halved)
    for row in found.constructs:
        assert (row.file, row.function) == (examples.__file__, "halved")
        assert row.text == lines[row.line - first].strip()
    assert [row.construct for row in found.constructs] == ["while", "else of a loop", "if", "break"]
    assert "gfx_while(" in found.source and found.source.startswith("def halved(x):")
    text = str(found)
    assert "converts to while" in text and "if the test is a tensor or open, resolves if it is fixed" in text


def test_a_refusal_has_no_rewritten_form_but_its_rows():
    found = gfx.explain(examples.dropping)
    assert [row.construct for row in found.refused] == ["jump out of finally"]
    assert found.source == "" and "'dropping' jumps out of it" in str(found)


def test_rich_shows_all_of_it():
    console = Console(width=200, record=True, file=open("/dev/null", "w"))
    console.print(gfx.explain(explain_values.tests))
    text = console.export_text()
    assert "conditional expression" in text and "gfx_ifexp" in text


def test_nothing_is_run_and_targets_are_what_capture_takes():
    class Model:
        def __call__(self, x):
            raise AssertionError("it ran")

        def method(self, x):
            return -x if x.sum() > 0 else x

    assert gfx.explain(Model()).name.endswith("Model.__call__")
    assert gfx.explain(Model().method).constructs == gfx.explain(Model.method).constructs
    assert gfx.explain(gfx.trace(explain_values.tests)) == gfx.explain(explain_values.tests)
    with pytest.raises(GfxError, match="GFX cannot explain a int"):
        gfx.explain(3)
    with pytest.raises(GfxError, match="no source"):
        gfx.explain(explain_values.typed_in)
