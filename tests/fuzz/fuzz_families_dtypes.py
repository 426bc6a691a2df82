"""Families of dtypes: each operation of arrays of each dtype with each operand, in places of control flow, typed and open."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

from dtype_checks import Typed, judged_typed
from family_checks import filled, run_families
from fuzz_families_arrays_places import PRELUDE
from fuzz_families_dtypes_parts import FLAVOURS, PLACES, Flavour

HELPERS = {name: f"{PRELUDE}{flavour.helpers}\n" for name, flavour in FLAVOURS.items()}

LEVELS = ("typed", "cast", "typed", "open", "inside")
"""With types or none, and of the dtype as given or as the code casts it: with none, another framework promotes otherwise."""


def operations(flavour: Flavour) -> Iterator[Typed]:
    """Each operation of two operands, each with a dtype of the first and a second one, in one of the places and at one of the levels."""
    places, levels = itertools.cycle(PLACES.items()), itertools.cycle(LEVELS)
    second = {
        **flavour.scalars,
        **{
            f"{kind} {name}": text.replace("DTYPE", name)
            for kind, text in flavour.arrays.items()
            for name in flavour.dtypes
        },
    }
    for (at, (op, text)), dtype, (operand, other) in itertools.product(
        enumerate(flavour.ops.items()), flavour.dtypes, second.items()
    ):
        (place, body), level = next(places), next(levels)
        cast = flavour.cast.replace("DTYPE", dtype) if level in ("inside", "cast") else "x"
        text = HELPERS[flavour.name] + filled(
            body, FIRST=cast, SECOND=other, EXPR=text if text.startswith("w = ") else f"w = {text}"
        )
        yield Typed(f"{dtype} {op} {operand}, {place}, {level}", text, flavour.name, dtype, level)


FAMILIES: dict[str, Callable[[], Iterator[Typed]]] = {
    f"{name} dtypes": partial(operations, flavour) for name, flavour in FLAVOURS.items()
}

if __name__ == "__main__":
    raise SystemExit(run_families(FAMILIES, tuple(HELPERS.values()), __doc__, judged_typed))
