"""The sign that the first trip of a loop has to run before it: it changes what later trips may keep."""

from __future__ import annotations

from gfx_ir.errors import UnsupportedConstruct


class Unsettled(Exception):
    """A trip leaves a variable of another kind, shape or dtype than it had before the loop. `error`: what to raise where no trip
    can run before it. Never leaves the staging of that loop."""

    def __init__(self, error: UnsupportedConstruct) -> None:
        self.error = error
