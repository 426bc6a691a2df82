"""docs/new_op.md is followed, line by line, in a copy of the packages: it prints what is shown, and the op's tests pass."""

import os
import re
import shutil

import pytest

from places import ROOT
from processes import python

PAGE = ROOT / "docs" / "new_op.md"
BLOCK = re.compile(r"```diff\n--- (\S+)\n(.*?)```|```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
COPIED = ("gfx_ir", "gfx_trace", "backends", "tests/support", "tests/gfx_ir/ops")
SELECTED = "-p", "no:cacheprovider", "tests/gfx_ir/ops", "-k", "logaddexp2"


@pytest.fixture
def scratch(tmp_path):
    """A copy of what the page edits and tests, and the environment of a Python that imports it."""
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / file, tmp_path / file)
    paths = os.pathsep.join((str(tmp_path), str(tmp_path / "backends"), str(tmp_path / "tests/support")))
    return tmp_path, {**os.environ, "PYTHONPATH": paths}


def edit(path, lines):
    """A file with the lines of a change: those marked -, or unmarked, stand there once, those marked + from now on."""
    text = path.read_text()
    old, new = ("\n".join(line[1:] for line in lines if line[0] != mark) for mark in "+-")
    assert text.count(old) == 1, old
    if not new:
        old += "\n"
    path.write_text(text.replace(old, new))


def without_lines(text):
    """A text without the numbers of lines in the project's files, which change with every edit of these."""
    return re.sub(r"((?:backends|gfx_ir)/\S+\.py):\d+", r"\1:…", text)


def test_page_is_followed(scratch, monkeypatch):
    folder, env = scratch
    monkeypatch.chdir(folder)
    for file, change, code, shown in BLOCK.findall(PAGE.read_text()):
        if file:
            edit(folder / file, change.splitlines())
            continue
        (folder / "page.py").write_text(code)
        done = python(env, "page.py")
        assert without_lines(done.stdout.replace(f"{folder}/", "")) == without_lines(shown), done.stderr
    done = python(env, "-m", "pytest", *SELECTED)
    assert done.returncode == 0 and re.search(r"\d\d+ passed", done.stdout), done.stdout
