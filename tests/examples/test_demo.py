"""Every section of the demo keeps its limits."""

import pytest

from demo import SECTIONS, run
from sweeps import ALL

LONG = ("resnet50", "gpt")
"""What takes longest: `make demo` runs it, and `make sweeps`."""


@pytest.mark.parametrize("name", SECTIONS if ALL else [name for name in SECTIONS if name not in LONG])
def test_section(name, tmp_path):
    report = run(name, tmp_path)
    assert report.figures
    assert not report.failures
