"""Families of modules: each state that a module of PyTorch's holds, written in each place of its forward, over several calls."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from family_checks import Program, filled, run_families
from fuzz_families_arrays_places import PLACES, PRELUDE
from fuzz_families_modules_parts import HELPERS, MODULE_PLACES, STATES
from module_checks import judged_module

VECTOR = [1.0, 2.0, 3.0]
LEVELS = (
    ("program", "torch", "jax"),
    ("program typed", "torch typed", "jax typed"),
    ("program dynamic", "torch dynamic", "jax dynamic"),
)
_NET = """
class Net(Base):
    def __init__(self):
        super().__init__()
        INIT

    def forward(self, x, n: int):
        return f(self, x, n)
"""
PRELUDES = (PRELUDE + HELPERS,)


def modules() -> Iterator[Program]:
    """What a module holds, written in a place of its forward, and asked there and behind it."""
    levels = itertools.cycle(LEVELS)
    places = {**PLACES, **MODULE_PLACES}
    for (state, (init, made, write, told)), (place, body) in itertools.product(STATES.items(), places.items()):
        parts = {"MADE": made.replace("; ", "\n"), "WRITE": write.replace("; ", "\n"), "TOLD": told}
        text = filled(body, **parts).replace("def f(x, n: int):", "def f(self, x, n: int):")
        net = filled(_NET, INIT=init.replace("; ", "\n"))
        yield Program(f"{state}, {place}", _module(text, net), VECTOR, ways=next(levels))


def _module(text: str, net: str) -> str:
    """The text of a module whose forward is the f of a text; its own f makes one."""
    return (
        PRELUDES[0]
        + text.replace("def f(", "def step(")
        + net.replace("f(self", "step(self")
        + "\n\ndef f():\n    return Net()\n"
    )


FAMILIES = {"modules": modules}

if __name__ == "__main__":
    raise SystemExit(run_families(FAMILIES, PRELUDES, __doc__, judged_module))
