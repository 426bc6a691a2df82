"""The array API standard on NumPy, as a module: `import gfx_ir.array_api.numpy as xp`."""

from typing import Any

from .namespace import array_api


def __getattr__(name: str) -> Any:
    return getattr(array_api("numpy"), name)


def __dir__() -> list[str]:
    return dir(array_api("numpy"))
