"""`ops`, as modules of the catalogue itself use it: the package is still being imported while they are."""

from __future__ import annotations

from typing import Any

from ..op import lookup


class _Catalogue:
    """Every op as an attribute, looked up when it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return lookup(name.removesuffix("_"))


ops = _Catalogue()
