"""Targets that are a pair of functions, `init` and `apply`, as models of Linen and Haiku are: what is captured is `apply`, bound."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from gfx_ir.probing import is_module, own_attribute

_RANDOM = "rng"
"""What an `apply` calls the argument for its source of random numbers; None where it draws none."""


def applied(target: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """(`target.apply` with its leading arguments bound, the other keywords) where the keywords name the first of these: `variables`,
    or `params` and `state`. Any other target as it is."""
    apply = own_attribute(target, "apply")
    if (
        isinstance(target, type)
        or is_module(target)
        or not (callable(apply) and callable(own_attribute(target, "init")))
    ):
        return target, kwargs
    left, bound = dict(kwargs), list[Any]()
    for name in inspect.signature(apply).parameters:
        if name not in left and not (bound and name == _RANDOM):
            break
        bound.append(left.pop(name, None))
    return (functools.partial(apply, *bound), left) if bound else (target, kwargs)
