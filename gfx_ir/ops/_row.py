"""How a family writes its rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..op import OpDef, register
from ..template import Spelling
from ._reference import NAMESPACE


def op(family: str, signature: str, eval: Spelling | None = None, **rules: Any) -> OpDef:
    """Register a primitive: its signature, its NumPy spelling, its rules (see OpDef)."""
    return register(OpDef(signature, eval, family=family, namespace=NAMESPACE, **rules))


def composite(family: str, **rules: Any) -> Callable[[Callable[..., Any]], OpDef]:
    """Register a pattern: a Python function over other ops. Its signature and docstring are the op's."""

    def make(body: Callable[..., Any]) -> OpDef:
        signature = inspect.signature(body)
        plain = signature.replace(
            parameters=[p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()],
            return_annotation=inspect.Signature.empty,
        )
        text, doc = f"{body.__name__}{plain}", inspect.getdoc(body) or ""
        return register(OpDef(text, body=body, family=family, doc=doc, namespace=NAMESPACE, **rules))

    return make
