"""The end of a region by a raise."""

from __future__ import annotations

from typing import Any


class Raised(BaseException):
    """A rewritten `raise` was reached under an open test: the region ends here."""

    def __init__(self, error: BaseException, span: Any) -> None:
        self.error, self.span = error, span
