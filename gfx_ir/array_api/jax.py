"""The array API standard on JAX, as a module: `import gfx_ir.array_api.jax as xp`."""

from typing import Any

from .namespace import array_api


def __getattr__(name: str) -> Any:
    return getattr(array_api("jax"), name)


def __dir__() -> list[str]:
    return dir(array_api("jax"))
