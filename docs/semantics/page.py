"""The page docs/semantics.md: each difference with what was measured."""

from __future__ import annotations

import inspect
import re
import textwrap
import warnings
from typing import Any

import numpy as np

from . import CHAPTERS
from .measure import TARGETS, emitted, naively, original, program_of
from .row import Meaning

HEAD = """# Same words, other meanings

Where PyTorch, JAX and NumPy differ in what a call means, a program keeps what it meant where it was written. Each section has a function of
PyTorch's, what PyTorch gives, what the emitted sources give, and JAX's source; under *naively* stands what the obvious JAX line gives.
`make docs` measures and writes this page, and the tests hold every section to it, with JAX's 64-bit types off and on.
"""
_NAMES = {"torch": "emitted PyTorch", "jax": "emitted JAX", "numpy": "emitted NumPy"}


def semantics_page() -> str:
    """docs/semantics.md."""
    parts = [HEAD]
    for title, rows in CHAPTERS:
        parts += [f"## {title}\n", *map(section, rows)]
    return "\n".join(parts).rstrip() + "\n"


def section(row: Meaning) -> str:
    """One difference."""
    lines = [f"### {row.title}\n", f"{row.note}\n", f"```python\n{_source(row)}\n```\n"]
    shown = [
        ("PyTorch", original(row)),
        *((_NAMES[t], emitted(row, t)) for t in TARGETS if t != "numpy" or not row.gradient),
    ]
    shown += [("naively", naively(row))] if row.naive is not None else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lines += ["| | gives |", "|---|---|", *(f"| {name} | `{_text(result)}` |" for name, result in shown), ""]
    lines.append(f"```python\n{_body(program_of(row).source('jax'))}\n```\n")
    return "\n".join(lines)


def _source(row: Meaning) -> str:
    lines = inspect.getsource(row.fn).splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("def "))
    return textwrap.dedent("\n".join(lines[start:])).strip()


def _body(source: str) -> str:
    """The last function of a source: the imports and helpers go without saying."""
    return "def " + re.split(r"^def ", source, flags=re.MULTILINE)[-1].strip()


def _text(result: Any) -> str:
    if isinstance(result, Exception):
        return type(result).__name__
    return ", ".join(f"{_array(part)} {part.dtype.name}" for part in result)


def _array(x: np.ndarray) -> str:
    made = np.array2string(
        x, precision=4, separator=", ", suppress_small=True, threshold=12, edgeitems=2, floatmode="maxprec"
    )
    return re.sub(r" ([,\]])", r"\1", " ".join(made.split()))
