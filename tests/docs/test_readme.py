"""The examples of the README and of the hand-written pages run, in order, and print what is shown."""

import contextlib
import io
import linecache
import re
import sys
import tomllib

import pytest

from docs.measured import same
from gfx_ir import loading as backends
from places import ROOT
from registered import taken_back

PAGES = [
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "capture",
            "how_capture_works",
            "emission",
            "models",
            "graph",
            "passes",
            "patterns",
            "fx",
            "new_backend",
            "unknown_ops",
            "errors",
            "running",
        )
    ),
]
BLOCK = re.compile(r"```(python|toml)\n(.*?)```\n(?:\s*(?:[^`\n][^`]*)?```text\n(.*?)```)?", re.DOTALL)
COVERAGE = "coverage.md"  # an hour of `make coverage` writes it
FILE = re.compile(r"# (\S+\.(?:py|toml))\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, from which modules are imported; what it brought is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    modules, known = set(sys.modules), dict(backends._LOADED)
    with taken_back():
        yield tmp_path
    for name in set(sys.modules) - modules:
        if (tmp_path / f"{name}.py").exists():
            del sys.modules[name]
    for name in set(backends._LOADED) - set(known):
        if backends._LOADED[name].packages[0] not in ("torch", "jax", "numpy"):
            del backends._LOADED[name]


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_is_shown(page, folder):
    text, names = (ROOT / page).read_text(), {"__name__": "page"}
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= 5
    linecache.cache[page] = (len(text), None, only_code(text, blocks).splitlines(True), page)
    for block in blocks:
        _, code, shown = block.groups()
        if FILE.match(code):
            write(folder, FILE.match(code).group(1), code)
            continue
        source = "\n" * text[: block.start(2)].count("\n") + code  # its lines where the page has them
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(source, page, "exec"), names)
        if shown is not None:
            assert same(without_places(out.getvalue()), without_places(shown)), f"{code}\n{out.getvalue()}"


def only_code(text, blocks):
    """The page with its code alone, every line where it was."""
    lines = [""] * (text.count("\n") + 1)
    for block in blocks:
        start = text[: block.start(2)].count("\n")
        code = block.group(2).splitlines()
        if not FILE.match(block.group(2)):
            lines[start : start + len(code)] = code
    return "\n".join(lines) + "\n"


def write(folder, name, text):
    """A file of the page; of a pyproject.toml what installing the project leaves: its entry points."""
    (folder / name).write_text(text)
    if name == "pyproject.toml":
        project = tomllib.loads(text)["project"]
        info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir()
        groups = project["entry-points"].items()
        lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items()) for group, entries in groups]
        (info / "entry_points.txt").write_text("".join(lines))


def without_places(text):
    """Lines without the trailing place of a graph's node and the numbers of a page's lines, and without blank ends."""
    lines = [re.sub(r"\s+# \S+:\d+$", "", line) for line in text.strip().splitlines()]
    return "\n".join(re.sub(r"\.md:\d+", ".md:…", line) for line in lines)


@pytest.mark.parametrize("page", [*PAGES, "docs/index.md"])
def test_links_lead_somewhere(page):
    path = ROOT / page
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())
    assert not [link for link in links if link != COVERAGE and not (path.parent / link).exists()]
