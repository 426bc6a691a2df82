"""Generators of random numbers that live outside of a graph: what is drawn of one would be the same numbers in every call."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np

from .reached import reached_from

GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)


def states(roots: tuple) -> list[tuple[Any, bytes]]:
    """The generators that a call reaches, those of the modules among them, with their states."""
    shared = random.random.__self__, np.random.random_sample.__self__  # type: ignore[attr-defined]
    found = [held for held in reached_from((*roots, *shared), -1) if isinstance(held, GENERATORS)]
    return [(held, pickle.dumps(held)) for held in found]


def drawn(before: list[tuple[Any, bytes]]) -> Any:
    """A generator of which something was drawn since; None where there is none."""
    return next((held for held, state in before if pickle.dumps(held) != state), None)
