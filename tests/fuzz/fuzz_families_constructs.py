"""Families of small programs of constructs: each construct of Python's around a test and a value, of each kind of both, in each place,
against Python."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator

from family_checks import Program, filled, run_families
from fuzz_families_constructs_parts import CLASSES, CONSTRUCTS, HELPERS

VECTOR = [1.0, 2.0, 3.0]
TESTS = {
    "sizes": "n > 1",
    "data": "x.sum() * n > 9",
    "a number of data": "x[0].item() * n > 1.5",
    "fixed": "len(x) > 2",
}
VALUES = {"tensor": "(x * 2)", "element": "x[1]", "number": "n", "fraction": "(n / 2)", "number of data": "x[2].item()"}
MIXED = ("and", "or", "and or")
"""Constructs that give a bool or a number, as data has it: what is compiled has one dtype."""
PLACES = {
    "straight": """
        def f(x, n: int):
            a = x * 0
            BODY
            return a, x
        """,
    "in a test": """
        def f(x, n: int):
            a = x * 0
            if n != 2:
                BODY
            return a, x
        """,
    "in a test on data": """
        def f(x, n: int):
            a = x * 0
            if x.max() * n < 8:
                BODY
            return a * 2, x
        """,
    "in a fixed loop": """
        def f(x, n: int):
            total = x * 0
            for turn in range(2):
                a = x * turn
                BODY
                total = total + a
            return total, x
        """,
    "in a loop": """
        def f(x, n: int):
            total = x * 0
            for turn in range(n):
                a = x * turn
                BODY
                total = total + a
            return total, x
        """,
    "in a loop on data": """
        def f(x, n: int):
            total = x * 0
            while total.sum() < n * 9:
                a = x
                BODY
                total = total + a * a + 1
            return total, x
        """,
    "in a function": """
        def f(x, n: int):
            def inner(x, n):
                a = x * 0
                BODY
                return a
            return inner(x, n), inner(x + 1, 2), x
        """,
    "in a method": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = 2.0
            def forward(self, x, n):
                a = x * 0
                BODY
                return a * self.w
        MODEL = Model()
        def f(x, n: int):
            return MODEL(x, n), MODEL(x * 2, 1)
        """,
}


def constructs() -> Iterator[Program]:
    """Each construct with each kind of test and value, in places by turns."""
    places = itertools.cycle(PLACES.items())
    for (name, body), (test, asked), (value, text) in itertools.product(
        (CONSTRUCTS | CLASSES).items(), TESTS.items(), VALUES.items()
    ):
        for place, around in itertools.islice(places, 3):
            body_here = textwrap.dedent(body).strip().replace("TEST", asked).replace("VALUE", text)
            ways = ("program", "torch") if name in MIXED and "data" in test else ("program", "torch", "jax")
            yield Program(
                f"{name}, {test}, {value}, {place}", HELPERS + filled(around, BODY=body_here), VECTOR, ways=ways
            )


if __name__ == "__main__":
    raise SystemExit(run_families({"constructs": constructs}, (HELPERS,), __doc__))
