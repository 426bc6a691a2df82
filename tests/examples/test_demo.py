"""Every section of the demo keeps its limits."""

import pytest

from demo import SECTIONS, run


@pytest.mark.parametrize("name", SECTIONS)
def test_section(name, tmp_path):
    report = run(name, tmp_path)
    assert report.figures
    assert not report.failures
