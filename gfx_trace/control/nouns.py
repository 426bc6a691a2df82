"""Nouns: what an error calls what a variable holds, and its shape."""

from __future__ import annotations

from typing import Any

from ..python.rows import STANDING, holds_rows
from ..values.gated import Gated
from ..values.nest import branches
from ..values.proxy import HostProxy, Proxy, of_two_frameworks, weak_kind


def noun(x: Any) -> str:
    """What a variable holds, as its author would call it."""
    if x is None:
        return "None"
    if type(x) in STANDING:
        return "items of another kind or length"
    if type(x) is Gated:
        return "one of several, as a test says,"
    if isinstance(x, (Proxy, HostProxy)):
        kind = weak_kind(x) if isinstance(x, Proxy) else x.value.kind
        if isinstance(x, Proxy) and getattr(x.value, "kind", "") == "optional":
            return "a tensor or None"
        return with_article(kind or "tensor")
    said, inner = with_article(type(x).__name__), branches(x)
    if inner is None:
        return said
    return f"{said} of {'open length' if holds_rows(x) else f'length {len(inner)}'}"


def nouns(a: Any, b: Any) -> tuple[str, str]:
    """What an error calls two that no value is both of."""
    if of_two_frameworks(a, b):
        return f"an array of {a.backend.name}", f"an array of {b.backend.name}"
    return noun(a), noun(b)


def with_article(word: str) -> str:
    """A word of which there is one."""
    return f"{'an' if word[0].lower() in 'aeiou' else 'a'} {word}"


def shape_text(dims: tuple) -> str:
    """A shape as Python writes it."""
    sizes = ", ".join("?" if size is None else str(size) for size in dims)
    return f"({sizes},)" if len(dims) == 1 else f"({sizes})"
