"""GFX's PyTorch backend: `backend` is the instance that the entry point names."""

from __future__ import annotations

import re
from importlib import metadata

from gfx_ir.errors import BackendError

_SUPPORTED = ((2, 9), (2, 14))
_version = metadata.version("torch")
_found = tuple(int(part) for part in re.findall(r"\d+", _version)[:2])
if not _SUPPORTED[0] <= _found <= _SUPPORTED[1]:
    raise BackendError(
        f"GFX's torch backend is written for PyTorch 2.9 to 2.14 and found {_version}",
        hint="pip install 'torch>=2.9,<2.15'",
    )

from .style import STYLE  # noqa: E402
from .types import make_backend  # noqa: E402 - the version comes first, or an old torch fails without a clear reason

backend = make_backend()
backend.style = STYLE

__all__ = ["backend"]
