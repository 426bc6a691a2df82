"""Parts that all families of arrays have: what programs may name, where they change an array and ask for it, and the states of one."""

from __future__ import annotations

PRELUDE = """
import collections, contextlib, copy, dataclasses, functools, itertools, math, operator, types
import numpy as np


@dataclasses.dataclass
class Data:
    v: object
"""
"""What every program may name, whatever framework it is of."""

PLACES = {
    "straight": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            WRITE
            return TOLD, a
        """,
    "in a test": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            if n > 1:
                WRITE
                a = (TOLD) + 1
            return TOLD, a
        """,
    "on both sides": """
        def f(x, n: int):
            MADE
            if n > 1:
                WRITE
                a = (TOLD) + 0
            else:
                WRITE
                WRITE
                a = (TOLD) + 1
            return TOLD, a
        """,
    "in a test on data": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            if x.sum() * n > 9:
                WRITE
                a = (TOLD) + 1
            return TOLD, a
        """,
    "in the else of data": """
        def f(x, n: int):
            MADE
            if x.sum() * n > 9:
                a = (TOLD) + 1
            else:
                WRITE
                a = (TOLD) + 0
            return TOLD, a
        """,
    "in a fixed loop": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            for i in range(2):
                WRITE
                a = a + (TOLD)
            return TOLD, a, n
        """,
    "in a loop": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            for i in range(n):
                WRITE
                a = a + (TOLD)
            return TOLD, a
        """,
    "in a loop on data": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            c = x.sum() * 0
            while c < n:
                WRITE
                a = a + (TOLD)
                c = c + 1
            return TOLD, a
        """,
    "in a test in a loop": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            for i in range(n):
                if i % 2:
                    WRITE
                    a = a + (TOLD)
            return TOLD, a
        """,
    "in a test on data in a loop": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            for i in range(n):
                if x[0] < i:
                    WRITE
                a = a + (TOLD)
            return TOLD, a
        """,
    "before a break": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            for i in range(4):
                WRITE
                if i == n: break
                a = a + (TOLD)
            return TOLD, a
        """,
    "before a break on data": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            for i in range(4):
                if x[0] * i >= n: break
                WRITE
                a = a + (TOLD)
            return TOLD, a
        """,
    "behind a continue": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            for i in range(3):
                if i == n: continue
                WRITE
                a = a + (TOLD)
            return TOLD, a
        """,
    "before a return": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            if n > 2:
                WRITE
                return TOLD, a
            a = a + (TOLD)
            WRITE
            return TOLD, a
        """,
    "in a function": """
        def f(x, n: int):
            MADE
            def g(s, b):
                WRITE
                return (TOLD) + 1
            a = g(s, b)
            if n > 1: a = a + g(s, b)
            return TOLD, a
        """,
    "in a closure in a loop": """
        def f(x, n: int):
            MADE
            def g():
                nonlocal s, b
                WRITE
                return (TOLD) + 1
            a = (TOLD) + 0
            for i in range(n): a = a + g()
            return TOLD, a
        """,
    "in a method": """
        class Holder:
            def __init__(self, s, b): self.s, self.b = s, b
            def step(self):
                s, b = self.s, self.b
                WRITE
                self.s, self.b = s, b
                return (TOLD) + 1

        def f(x, n: int):
            MADE
            h = Holder(s, b)
            a = h.step()
            for i in range(n): a = a + h.step()
            return TOLD, a
        """,
    "in a generator": """
        def f(x, n: int):
            MADE
            def g(s, b):
                for i in range(3):
                    WRITE
                    yield (TOLD) + 0
            a = (TOLD) + 0
            for v in g(s, b):
                a = a + v
                if n < 2: break
            return TOLD, a
        """,
    "in a comprehension": """
        def f(x, n: int):
            MADE
            def g(s, b, i):
                WRITE
                return (TOLD) + i
            a = sum([g(s, b, i) for i in range(n + 1)])
            return TOLD, a
        """,
    "in an expression": """
        def f(x, n: int):
            MADE
            def g(s, b):
                WRITE
                return (TOLD) + 1
            a = g(s, b) if n > 1 else (TOLD) + 2
            return TOLD, a
        """,
    "in a try": """
        def f(x, n: int):
            MADE
            a = (TOLD) + 0
            try:
                WRITE
                if n > 1: raise ValueError
                a = (TOLD) + 1
            except ValueError:
                WRITE
            finally:
                a = a + (TOLD)
                WRITE
            return TOLD, a
        """,
    "in one of two": """
        def f(x, n: int):
            MADE
            t, c = s, b
            if n > 1:
                MADE
            WRITE
            a = (TOLD) + 1
            s, b = t, c
            return TOLD, a
        """,
    "in a loop of two names": """
        def f(x, n: int):
            MADE
            t, c = s, b
            for i in range(n):
                WRITE
                t, s, c, b = s, t, b, c
            a = (TOLD) + 1
            s, b = t, c
            return TOLD, a
        """,
    "in a list": """
        def f(x, n: int):
            MADE
            held = [s, b]
            a = (TOLD) + 0
            for i in range(n):
                s, b = held
                WRITE
                held[0], held[1] = s, b
                a = a + (TOLD)
            s, b = held
            return TOLD, a
        """,
}
"""Where it is changed: s is what is written or asked, b another name of it, or of what it is made of."""


def states(
    in_place: dict[str, str], views: dict[str, str], held: dict[str, tuple[str, str, str]], copied: str, doubled: str
) -> dict[str, tuple[str, str, str]]:
    """Every state of arrays that are written: what makes it (s and b), what writes, what is asked. `copied`: an array of its own;
    `doubled`: a write to s."""
    found = {}
    for name, write in in_place.items():
        found[f"{name} of a copy"] = (f"s = b = {copied}", write, "b")
        found[f"{name} of the argument"] = ("s = b = x", write, "s")
    for name, view in views.items():
        found[f"{name} written"] = (f"b = {copied}; s = {view}", doubled, "b")
        found[f"{name} of what is written"] = (f"b = {copied}; s = {view}", "b += 1", "s")
        found[f"{name} of the argument written"] = (f"b = x; s = {view}", "s += 1", "b")
    return found | held_states(held)


def held_states(held: dict[str, tuple[str, str, str]]) -> dict[str, tuple[str, str, str]]:
    """Those of what something holds."""
    return {
        f"held {name}": (made if "b = " in made else f"b = x; {made}", write, told)
        for name, (made, write, told) in held.items()
    }
