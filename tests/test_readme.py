"""The README's examples run, in order, and print what it shows."""

import contextlib
import io
import linecache
import pathlib
import re

README = pathlib.Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\s*(?:[^`\n][^`]*)?```text\n(.*?)```)?", re.DOTALL)


def padded(text, before):
    """The block with its lines where the README has them, so that places in a graph are the README's own."""
    return "\n" * before + text


def test_examples_print_what_is_shown():
    text, names = README.read_text(), {"__name__": "readme"}
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= 5
    for block in blocks:
        code, shown = block.groups()
        line = text[: block.start(1)].count("\n")
        source = padded(code, line)
        name = f"README.md[{line}]"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(source, name, "exec"), names)
        if shown is not None:
            assert without_places(out.getvalue()) == without_places(shown)


def without_places(text):
    """Lines without the trailing place of a graph's node, and without blank ends."""
    return [re.sub(r"\s+# \S+:\d+$", "", line) for line in text.strip().splitlines()]
