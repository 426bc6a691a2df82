"""The array API standard on PyTorch, as a module: `import gfx_ir.array_api.torch as xp`."""

from typing import Any

from .namespace import array_api


def __getattr__(name: str) -> Any:
    return getattr(array_api("torch"), name)


def __dir__() -> list[str]:
    return dir(array_api("torch"))
