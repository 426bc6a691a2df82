"""The Python array API standard on any backend: `array_api("torch")`, or `import gfx_ir.array_api.torch as xp`."""

from .arrays import Array
from .namespace import Namespace, array_api

__all__ = ["Array", "Namespace", "array_api"]
