"""Errors of the user's code or of a library, as the command line tells them."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from gfx_ir.errors import GfxError
from gfx_ir.source import Span

_HERE = Path(__file__).parents[1]
_LIBRARIES = {"site-packages", "dist-packages", f"python{sys.version_info[0]}.{sys.version_info[1]}"}


def foreign(error: Exception) -> str:
    """An error of the user's code or of a library, with the last line of it that is neither ours nor a library's."""
    place: Span | None = None
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        place = Span(error.filename, error.lineno)
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.is_file() and not file.is_relative_to(_HERE) and not _LIBRARIES & set(file.parts):
            place = Span(str(file), line, frame.f_code.co_name)
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    return str(GfxError(f"{type(error).__name__}: {what}", place, "--debug shows the traceback"))
