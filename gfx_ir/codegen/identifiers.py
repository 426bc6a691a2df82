"""Texts that may name a variable or a function of emitted source."""

from __future__ import annotations

import builtins
import keyword
import re

from ..naming import is_name, snake

BUILTINS = frozenset(
    "abs bool bytes complex dict enumerate float int isinstance len list max min print range reversed round slice str"
    " sum tuple type zip".split()
) | {name for name in dir(builtins) if name[0].isupper()}


def usable(text: object) -> bool:
    """Whether the text may name a variable."""
    return isinstance(text, str) and is_name(text) and not keyword.iskeyword(text) and text != "_" and text[:2] != "__"


def function_name(text: str) -> str:
    """A function's name from a class's, as `snake` has it; other names stay."""
    text = re.sub(r"\W", "_", text.rpartition(".")[2])
    text = snake(text) if text[:1].isupper() else text
    return text if usable(text) else f"f_{text}".rstrip("_")
