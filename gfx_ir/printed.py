"""Functions that source carries along, and how they are known again when that source is captured."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

from .op import REGISTRY, OpDef, lookup
from .parameters import parameter_names
from .row import Lift
from .template import Template


def printed_helpers(
    namespace: Mapping[str, Any], templates: Mapping[str, Template]
) -> dict[str, tuple[FunctionType, Lift]]:
    """Functions that spellings name and that are printed with the source, each with the lift that takes it back to its op."""
    found: dict[str, tuple[FunctionType, Lift]] = {}
    for op_name, template in templates.items():
        tree = ast.parse(template.spelling, mode="eval").body if isinstance(template.spelling, str) else None
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            helper = namespace.get(tree.func.id)
            if isinstance(helper, FunctionType) and _passes_on(tree, template.params):
                found[tree.func.id] = helper, Lift(tree.func.id, lookup(op_name), copies=True)
    for name, helper in namespace.items():
        if name not in found and isinstance(helper, FunctionType) and name in REGISTRY:
            if set(parameter_names(helper)) <= set(lookup(name).params):
                found[name] = helper, Lift(name, _by_name(helper, lookup(name)), copies=True)
    return found


def _passes_on(call: ast.Call, params: tuple[str, ...]) -> bool:
    """Whether a call passes the op's arguments on in their order and under their names, so that it can be read backwards."""
    positional = [arg.id if isinstance(arg, ast.Name) else "" for arg in call.args]
    keywords = all(k.arg is not None and isinstance(k.value, ast.Name) and k.value.id == k.arg for k in call.keywords)
    return positional == list(params[: len(positional)]) and keywords


def _by_name(helper: FunctionType, op: OpDef) -> Callable[..., Any]:
    signature = inspect.signature(helper)

    def lift(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        return op(**{key: _builtin(value) if isinstance(value, type) else value for key, value in given.items()})

    return lift


def _builtin(cls: type) -> str:
    """What a check calls an exception class: by the builtin that it is, or derives from."""
    return next(base.__name__ for base in cls.__mro__ if base.__module__ == "builtins")


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects do the same, wherever they were compiled, and however the lines of their docstrings were broken."""
    if (a.co_code, a.co_names, a.co_varnames, len(a.co_consts)) != (
        b.co_code,
        b.co_names,
        b.co_varnames,
        len(b.co_consts),
    ):
        return False
    return all(map(_same_constant, a.co_consts, b.co_consts))


def _same_constant(a: Any, b: Any) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return same_code(a, b)
    return bool(a == b) or (isinstance(a, str) and isinstance(b, str) and a.split() == b.split())
