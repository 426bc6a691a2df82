"""Which callables are lifted: by a handler of a builtin, or by a framework's row."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from gfx_ir.backend import Backend

from ..objects.attributes import own_function
from ..objects.special_methods import MEANINGS
from .axis_patterns import pattern_call
from .builtin_calls import BUILTINS, KEEPS, Builtin
from .higher_order import SPECIAL


def always_lifted(f: Any, lifted: Any) -> bool:
    """Whether what a function in C or a class is lifted by is right whatever it is given: a builtin that keeps what it is given, and a
    framework's function that is bound to no data."""
    if type(lifted) is Builtin:
        return lifted.effect == KEEPS
    if type(lifted) is not tuple or type(f) is not types.BuiltinFunctionType or f.__name__ in MEANINGS:
        return False
    return isinstance(f.__self__, (types.ModuleType, type, types.NoneType))


_KEYS = frozenset(
    (
        types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.MethodWrapperType, types.WrapperDescriptorType, type,
    )
)  # fmt: skip


def _is_key(f: Any) -> bool:
    """Whether a callable may be one that a table has: none is whose hash is its author's, who is not asked for it."""
    if type(f) in _KEYS:
        return True
    try:
        return own_function(type(f).__hash__) is None and hash(f) is not None
    except TypeError:
        return False


def lifted_by(f: Any, frameworks: Sequence[Backend]) -> Any:
    """What a callable is lifted by: a handler of a builtin or of einops, (Lift, its backend), or None."""
    if not _is_key(f):
        return next((SPECIAL[name] for backend in frameworks if (name := backend.higher_order(f))), None)
    found = BUILTINS.get(f)
    if found is not None:
        return found
    arranging = pattern_call(f)
    if arranging is not None:
        return arranging
    if isinstance(f, type):  # JAX's np.float64 equals NumPy's: whose class it is comes first
        frameworks = sorted(frameworks, key=lambda backend: not issubclass(f, backend.tensor_types))
    for backend in frameworks:
        special = backend.special.get(f)
        if special is not None:
            return SPECIAL[special]
        lift = backend.functions.get(f)
        if lift is None:
            special = backend.higher_order(f)
            if special is not None:
                return SPECIAL[special]
            lift = backend.recognised(f)
        if lift is not None:
            return lift, backend
    return None
