"""Writes the generated pages of this folder. Usage: `python -m docs.build`, or `make docs`."""

from __future__ import annotations

import inspect
import pathlib
import re
import textwrap
from collections.abc import Callable
from typing import Any

import gfx_trace as gfx
from gfx_ir.errors import GfxError
from gfx_ir.text import to_text

from .constructs import CHAPTERS, Construct
from .emitted import emitted_page
from .measured import kept
from .numbers import numbers_page
from .semantics.page import semantics_page

FOLDER = pathlib.Path(__file__).parent
HEAD = """# Control flow: what each construct becomes

Each section shows a function, the graph it is captured as, and the source that is written for PyTorch and for JAX; or the error,
where it is refused. Functions are captured without any argument unless the section says so. `make docs` writes this page.
"""


def source_of(what: Any) -> str:
    """The definition, without the decorator that puts it on the page."""
    lines = inspect.getsource(what).splitlines()
    start = next(at for at, line in enumerate(lines) if not line.startswith(("@ROWS", "    ", ")")))
    text = "\n".join(line for line in lines[start:] if not re.match(r'    """.*"""$', line))
    return textwrap.dedent(text).strip()


def fenced(text: str, language: str = "python") -> str:
    """A block of code."""
    return f"```{language}\n{text.strip()}\n```\n"


def captured(row: Construct) -> gfx.Program:
    """The program of a row."""
    given = row.args if row.typed else ()
    return gfx.symbolic_trace(row.fn, *given, backend=row.flavour)


def attempt(write: Callable[[], str]) -> tuple[str, str]:
    """What is written and its language; the error where it is refused."""
    try:
        return write(), "python"
    except GfxError as error:
        return f"{type(error).__name__}: {error}".replace(f"{FOLDER.parent}/", ""), "text"


def section(row: Construct) -> str:
    """One construct of the page. Raises GfxError where a row that should be captured is not, AssertionError the other way."""
    parts = [f"### {row.title}\n"]
    if row.note or row.typed:
        typed = "Captured with typed arguments." if row.typed else ""
        parts.append(" ".join(text for text in (row.note, typed) if text) + "\n")
    parts.append(fenced("\n\n\n".join(source_of(what) for what in (*row.shown, row.fn))))
    if row.refused:
        text, language = attempt(lambda: str(captured(row)))
        assert language == "text", f"{row.title} is captured"
        return "\n".join([*parts, "Refused:\n", fenced(text, language)])
    program = captured(row)
    parts += ["Graph:\n", fenced(to_text(program.entry, spans=False))]
    parts += ["PyTorch:\n", fenced(*attempt(lambda: program.source("torch")))]
    trips = "" if row.max_trips is None else f", `max_trips={row.max_trips}`"
    parts += [f"JAX{trips}:\n", fenced(*attempt(lambda: program.source("jax", max_trips=row.max_trips)))]
    return "\n".join(parts)


def control_flow_page() -> str:
    """docs/control_flow.md."""
    parts = [HEAD]
    for title, rows in CHAPTERS:
        parts += [f"## {title}\n", *(section(row) for row in rows)]
    return "\n".join(parts).rstrip() + "\n"


# What makes the text of each page; None where what it is made from is absent.
PAGES: dict[str, Callable[[], str | None]] = {
    "control_flow.md": control_flow_page,
    "emitted_examples.md": emitted_page,
    "numbers.md": numbers_page,
    "semantics.md": semantics_page,
}


def main() -> None:
    """Write the pages."""
    for name, page in PAGES.items():
        text = page()
        if text is not None:
            path = FOLDER / name
            path.write_text(kept(path.read_text(), text) if path.exists() else text)
            print(f"docs/{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
