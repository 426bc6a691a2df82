"""What functions are called by those who use them."""

from __future__ import annotations

import sys
from typing import Any


def called_name(f: Any) -> str:
    """What a function is called by those who use it."""
    module, name = getattr(f, "__module__", None), getattr(f, "__qualname__", None) or getattr(f, "__name__", None)
    if isinstance(module, str) and "._" in f"{module}.{name}":
        module, name = _public_name(f, module.partition(".")[0]) or (module, name)
    return f"{module}.{name}" if module and name else name or repr(f)


def _public_name(f: Any, package: str) -> tuple[str, str] | None:
    """(module, name) under which a package shows a function that one of its private modules holds."""
    for key in sorted(sys.modules, key=len):
        if (key == package or key.startswith(f"{package}.")) and "._" not in key:
            for name, held in list(vars(sys.modules[key]).items()):
                if held is f and not name.startswith("_"):
                    return key, name
    return None
