"""Families of small programs of arrays: each state of theirs, written in each place of control flow, and each question to one that a
test chose, against the author's framework."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import fuzz_families_arrays_asked as asked
import fuzz_families_arrays_jax
import fuzz_families_arrays_numpy
import fuzz_families_arrays_torch
from family_checks import Program, filled, run_families
from fuzz_families_arrays_places import PLACES, PRELUDE

VECTOR = [1.0, 2.0, 3.0]
_PARTS = {
    "torch": fuzz_families_arrays_torch,
    "numpy": fuzz_families_arrays_numpy,
    "jax": fuzz_families_arrays_jax,
}
HELPERS = {flavour: PRELUDE + parts.HELPERS for flavour, parts in _PARTS.items()}
STATES = {flavour: parts.STATES for flavour, parts in _PARTS.items()}
WAYS = {
    "torch": ("program", "torch", "jax"),
    "numpy": ("program", "numpy", "torch", "jax"),
    "jax": ("program", "jax", "torch"),
}
CHOICES = {"torch": asked.TORCH, "numpy": asked.NUMPY, "jax": asked.JAX}
USES = {
    "torch": {**asked.USES, **asked.TORCH_USES},
    "numpy": {**asked.USES, "asarray": "np.asarray(r)", **asked.NUMPY_USES},
    "jax": {**asked.USES, **asked.JAX_USES},
}
WHOLE = {"torch": "torch.arange(3)", "numpy": "np.arange(3)", "jax": "jnp.arange(3)"}
OF_TWO_KINDS = ("whole or float", "number and sum", "item and number", "fraction", "bool and int", "number or mask")
"""Choices of which compiled code has one dtype, where the capture knows none."""
GRADIENTS = ("torch gradient", "jax gradient")


def written(flavour: str) -> Iterator[Program]:
    """An array, written in a place, and asked there and behind it."""
    for (state, (made, write, told)), (place, body) in itertools.product(STATES[flavour].items(), PLACES.items()):
        text = HELPERS[flavour] + filled(body, MADE=made.replace("; ", "\n"), WRITE=write, TOLD=told)
        ways = ("program", "jax") if "jax.random" in made else WAYS[flavour]  # elsewhere a key draws other numbers
        yield Program(f"{state}, {place}", text, VECTOR, flavour, ways)


def derived() -> Iterator[Program]:
    """The same of PyTorch's tensors, and the gradient of what is told: of each state in some of the places."""
    for program in itertools.islice(written("torch"), 0, None, 5):
        if "argument" not in program.name and "view(torch.int32)" not in program.text:
            yield program._replace(ways=GRADIENTS)


def chosen(flavour: str) -> Iterator[Program]:
    """One of two values, and what is asked of it: each question of each choice in one of the ways in which there are two."""
    whole, ways = WHOLE[flavour], itertools.cycle(asked.CHOSEN.items())
    pairs = itertools.product(CHOICES[flavour].items(), USES[flavour].items())
    for ((choice, (first, second)), (use, text)), (how, body) in zip(pairs, ways):
        here = tuple(way for way in WAYS[flavour] if way != "jax") if choice in OF_TWO_KINDS else WAYS[flavour]
        if flavour == "jax" and choice in OF_TWO_KINDS:
            continue
        filled_in = filled(body, FIRST=first, SECOND=second, USE=text.replace("WHOLE", whole))
        yield Program(f"{choice}, {use}, {how}", HELPERS[flavour] + filled_in, VECTOR, flavour, here)


FAMILIES: dict[str, Callable[[], Iterator[Program]]] = {
    **{f"{flavour} written": partial(written, flavour) for flavour in STATES},
    "torch derived": derived,
    **{f"{flavour} chosen": partial(chosen, flavour) for flavour in STATES},
}

if __name__ == "__main__":
    raise SystemExit(run_families(FAMILIES, tuple(HELPERS.values()), __doc__))
