"""Targets that are a pair of functions, `init` and `apply`, as models of Linen and Haiku are: what is captured is `apply`, bound."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from gfx_ir.naming import snake
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
    return (_as_called(target, functools.partial(apply, *bound), left), left) if bound else (target, kwargs)


def _as_called(target: Any, made: functools.partial, kwargs: dict[str, Any]) -> functools.partial:
    """`apply`, with the name of the model and the signature that its author gave its call, where that is all that it is asked for."""
    call = own_attribute(type(target), "__call__")
    if not isinstance(call, types.FunctionType):
        return made
    signature = inspect.signature(call)
    own = list(signature.parameters.values())[1:]
    if kwargs.keys() <= {parameter.name for parameter in own}:
        vars(made)["__signature__"] = signature.replace(parameters=own)
        vars(made)["__name__"] = snake(type(target).__name__)
    return made
