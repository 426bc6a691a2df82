"""How a family writes its rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..dtypes import DType
from ..op import OpDef, Point, Trait, register
from ..template import Spelling
from . import _seen
from ._body import element_of, narrow
from ._reference import NAMESPACE

_POINTS = {
    **dict.fromkeys(("elementwise", "reduce", "search", "linalg"), Point.NUMBER),
    **dict.fromkeys(("create", "shape", "arrange", "fft"), Point.ARRAY),
    "number": Point.PYTHON,
}
_COMPUTING = frozenset("elementwise reduce search linalg fft convolution pooling recurrent random".split())
"""Families whose ops compute what they give, so that it is memory of its own."""


_ARRANGING = frozenset(("shape", "index"))
"""Families whose ops give elements of what they take where they may share its memory."""


def _point(family: str, rules: dict[str, Any]) -> Point:
    """What an op gives without axes whose row does not say it: what may be a view keeps what it is given, else as its family does."""
    return Point.KEPT if rules.get("put") is not None else _POINTS.get(family, Point.EITHER)


def _traits(family: str, rules: dict[str, Any], shares: bool) -> Trait:
    """The traits of a row, with what its family tells."""
    apart = family in _COMPUTING and rules.get("put") is None and not shares
    moved = family in _ARRANGING and rules.get("put") is not None
    told = (Trait.APART if apart else Trait.NONE) | (Trait.STEADY if moved else Trait.NONE)
    return rules.get("traits", Trait.NONE) | told


def op(family: str, signature: str, eval: Spelling | None = None, shares: bool = False, **rules: Any) -> OpDef:
    """Register a primitive: its signature, its NumPy spelling, its rules (see OpDef). `shares`: what it gives may be what it
    takes, or a part of it, in some framework, though nothing is written through it."""
    rules = {"point": _point(family, rules), **rules, "traits": _traits(family, rules, shares)}
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
        traits = _traits(family, rules, False) | (Trait.ELEMENTWISE if family == "elementwise" else Trait.NONE)
        own = {"point": _point(family, rules), **rules, "traits": traits}
        return register(OpDef(text, body=body, family=family, doc=doc, namespace=NAMESPACE, **own))

    return make


def keeping(spelling: Spelling, *names: str, numbers: bool = True) -> Spelling:
    """A spelling whose result has the dtype of its arguments where NumPy widens one that it has from an extension: a
    bfloat16 array beside a Python float gives it float32. `numbers=False`: without such a float too."""

    def kept(args: SimpleNamespace) -> str:
        text = spelling if isinstance(spelling, str) else spelling(args)
        given = [getattr(args, name) for name in names]
        arrays = [x for x in given if x is not None and not _seen.is_plain(x)]
        found = {_seen.extended(x) for x in arrays}
        beside = [x for x in given if _seen.is_plain(x) and not isinstance(x, int)]
        if len(found) != 1 or None in found or (numbers and not beside) or any(isinstance(x, complex) for x in beside):
            return text
        return f"({text}).astype(ml_dtypes.{found.pop()})"

    return kept


def summed(text: str) -> Callable[[SimpleNamespace], str]:
    """A total, which is one of float32 where elements are known to have fewer bits: NumPy rounds each sum on the way to them, and
    256 + 1 is 256 in bfloat16."""

    def spelling(args: SimpleNamespace) -> str:
        told = getattr(args, "dtype", None)
        if told is not None or not narrow(args.x):
            return text
        wide = (
            text.replace("dtype=dtype", "dtype=np.float32") if "dtype=" in text else f"{text[:-1]}, dtype=np.float32)"
        )
        return f"{wide}.astype({in_numpy(element_of(args.x))})"

    return spelling


def in_numpy(element: DType | None) -> str:
    """How a dtype is called in source of NumPy, which has some from an extension."""
    assert element is not None
    return f"np.{element.name}" if hasattr(np, element.name) else f"ml_dtypes.{element.name}"
