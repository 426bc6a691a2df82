"""Whose code a module is: the user's, a framework's or the standard library's; and which functions are entered by that."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.loading import loaded

OURS = frozenset(("gfx_ir", "gfx_trace", "gfx_torch", "gfx_jax", "gfx_numpy"))
_FOREIGN = OURS | frozenset(("torch", "jax", "numpy", "scipy"))
_STANDARD = frozenset(sys.stdlib_module_names) - {"__main__"}
_TAKES_FUNCTIONS = frozenset(("triplet_margin_with_distance_loss",))
"""Functions of torch.nn.functional that call a function of the user's."""
_OVER_TENSORS = ("torch.distributions.", "jax.example_libraries.")
"""Packages of frameworks that are written with their public functions, classes and all, as a user's code is."""


def framework(module: str) -> bool:
    """Whether a module, told by its name, is of a framework or of a library on top of one that is never entered, or ours."""
    return _of_one(module, loaded())


@functools.lru_cache(maxsize=4096)
def _of_one(module: str, backends: tuple[Backend, ...]) -> bool:
    """The same, of the backends that are loaded."""
    if module.startswith(_OVER_TENSORS):
        return False
    package = module.partition(".")[0]
    return package in _FOREIGN or any(package in known.packages for known in backends)


def of_package(module: str) -> bool:
    """Whether a module, told by its name, is in a framework's package, be it entered or not."""
    return module.partition(".")[0] in _FOREIGN


def users(names: dict[str, Any]) -> bool:
    """Whether a module, told by its names, is the user's: neither of a framework nor of the standard library."""
    name = names.get("__name__", "")
    return name.partition(".")[0] not in _STANDARD and not framework(name)


def ours(f: Any) -> bool:
    """Whether a Python function is GFX's own: one that makes calls again which a framework's tracer recorded."""
    return isinstance(f, types.FunctionType) and f.__globals__.get("__name__", "").partition(".")[0] in OURS


_LAYERS, _HOLDERS = ("torch.nn.modules.", "torch.ao.nn."), ("torch.nn.modules.module", "torch.nn.modules.container")


def enterable(f: Any) -> bool:
    """Whether the source of f is to be entered: a Python function, neither of a framework nor of the standard library.

    Of the frameworks' own packages only the `forward`s of layers and what helps them are entered, and torch.nn.utils: what makes
    a module's weight of others, and functions of packed sequences.
    """
    if not isinstance(f, types.FunctionType):
        return False
    module = f.__globals__.get("__name__", "")
    package = module.partition(".")[0]
    if framework(module):
        helps = f.__name__.startswith("_") and not f.__name__.startswith("__")
        if module == "torch.nn.functional" or module == "torch.nn.modules.module":
            return (helps or f.__name__ in _TAKES_FUNCTIONS) and module == "torch.nn.functional"
        if module.startswith("torch.nn.utils."):
            return True
        return module.startswith(_LAYERS) and (helps or f.__name__ == "forward")
    return package not in _STANDARD


def of_a_layer(f: Any) -> bool:
    """Whether it is a method of a layer of PyTorch's beside its `forward`, as `log_prob` and `generate_square_subsequent_mask`: entered
    where it gets captured values."""
    f = getattr(f, "__func__", f)
    if not isinstance(f, types.FunctionType):
        return False
    module = f.__globals__.get("__name__", "")
    return module.startswith(_LAYERS) and module not in _HOLDERS and not f.__name__.startswith("__")
