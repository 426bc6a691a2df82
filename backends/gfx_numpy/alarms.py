"""Settings under which NumPy raises, calls or logs where numbers give what is none, or Python makes errors of its warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

SETTERS = (np.seterr, warnings.simplefilter, warnings.filterwarnings)
_ALARMS = ("raise", "call", "log")


def alarm() -> str:
    """Which of them are set; "" where none is."""
    modes = np.geterr()
    found = [f"{fault}={mode!r}" for fault, mode in modes.items() if mode in _ALARMS]
    if "warn" in modes.values() and _raised(RuntimeWarning):
        found.append("warnings are errors")
    return ", ".join(found)


def _raised(category: type[Warning]) -> bool:
    """Whether a warning of the category is an error, wherever it is given: the first filter that takes it decides."""
    for action, message, taken, module, _ in warnings.filters:
        if issubclass(category, taken):
            if action == "error":
                return True
            if message is None and module is None:
                return False
    return False


@contextmanager
def settings() -> Iterator[None]:
    """Both may be changed inside."""
    with warnings.catch_warnings(), np.errstate():
        yield
