"""Tables of text, as rich draws them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> Any:
    """A rich Table."""
    from rich.table import Table

    made = Table(*columns, title=title, title_justify="left")
    for row in rows:
        made.add_row(*map(str, row))
    return made


def text_of(made: Any, width: int = 140) -> str:
    """A table as plain text."""
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=width, no_color=True).print(made, highlight=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
