"""The sweep over NumPy: calls with typical arguments, in NumPy, JAX and PyTorch."""

from collections.abc import Iterator
from typing import Any

from attempt import TARGETS
from cases_numpy import WIDTHS, case_of, table
from records import record


def names() -> list[str]:
    """Names of the functions that the table calls."""
    return list(dict.fromkeys(map(called, table())))


def called(text: str) -> str:
    """The function or method that a call is a call of; for operators the whole text."""
    head = text.replace("np.random.default_rng(0)", "Generator").partition("(")[0]
    return head if head.replace(".", "").replace("_", "").isalnum() else text


def run(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The record of one function: its calls, in both widths."""
    family = next(family for text, (family, _) in table().items() if called(text) == name)
    return record(name, _cases(name, options), TARGETS, family, random=family == "random")


def _cases(name: str, options: dict[str, Any]) -> Iterator[Any]:
    for text in table():
        if called(text) == name:
            for width in options.get("dtypes") or WIDTHS:
                yield width, lambda text=text, width=width: case_of(text, width)
