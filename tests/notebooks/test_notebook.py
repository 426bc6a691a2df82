"""The notebook runs from top to bottom and prints what it shows."""

import re

import nbclient
import nbformat
import pytest

from docs.measured import same
from places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_prints_what_it_shows(path):
    notebook = nbformat.read(path, as_version=4)
    shown = [text_of(cell) for cell in notebook.cells if cell.cell_type == "code"]
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    found = [text_of(cell) for cell in notebook.cells if cell.cell_type == "code"]
    assert len(shown) > 3 and len(found) == len(shown)
    assert not [pair for pair in zip(shown, found) if not same(*pair)]


def text_of(cell):
    """What a cell printed, places and measured differences left out."""
    text = "".join(out.get("text", "") for out in cell.outputs if out.get("name") == "stdout")
    return re.sub(r"\s+# \S+:\d+$|max (abs|rel) \S+", "", text, flags=re.MULTILINE)
