"""Families of small programs with except clauses: what may raise for some of what an open test leaves, in each kind of clause that waits
for it, and what is asked of that, against Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from family_checks import Program, filled, run_families

HELPERS = """
import collections, contextlib, copy, functools, itertools, math, operator, types
import numpy as np
import torch


class Own(Exception):
    def __init__(self, held=0.0): super().__init__("own"); self.held = held


class Kin(Own): pass


class Sized:
    def __init__(self, v): self.v = v
    def __len__(self): return 2
    def __getitem__(self, at): return [self.v, 5][at]
    def __repr__(self): return "Sized"


def strict(e):
    if not isinstance(e, (int, float)): raise Own(7.0)
    return e
"""
"""What every program may name."""

VALUES = {
    "None or number": "None if TEST else 2",
    "number or None": "n if TEST else None",
    "text or number": "'3' if TEST else 2",
    "fraction or None": "0.5 if TEST else None",
    "None or list": "None if TEST else [1, 2]",
    "lists": "[4, 5, 6] if TEST else [1, 2]",
    "list or number": "[1, 2] if TEST else 2",
    "tuple or list": "(1, 2) if TEST else [1, 2]",
    "dictionaries": "{0: 4} if TEST else {1: 5}",
    "None or tensor": "None if TEST else x",
    "tensor or number": "x if TEST else 2",
    "texts": "'a' if TEST else '7'",
    "classes": "Own if TEST else Kin",
    "errors": "Own(3.0) if TEST else None",
    "objects": "Sized(3) if TEST else None",
    "functions": "len if TEST else None",
    "zero or number": "0 if TEST else 2",
    "open number": "n",
    "number less": "n - 2",
    "fraction": "(n - 1) / 2",
    "number of data": "x[0].item() * (n - 1)",
}
"""What a test leaves in `v`."""

USES = (
    "v + 1; 1 + v; v * 2; v - 0.5; 2 / v; v // 1; 5 % v; v ** 2; -v; abs(v); ~v; v << 1; v & 1; v < 2; v >= 1.5; v + 'a'; [0] + v; v + (1,); "
    "v == 2; v is None; not v; bool(v); int(v); float(v); round(v); str(v); len(v); sum(v); max(v); min(v, 3); max(v, 1); sorted(v)[0]; list(v)[0]; tuple(v)[-1]; set(v); "
    "v[0]; v[1]; v[-1]; v[2]; v[:1]; 1 in v; v in (1, 2); v in [None]; [1, 2, 3][v]; (4, 5)[v]; x[v]; {0: 1, 2: 3}[v]; {'a': 1}[v]; range(v)[0]; len(range(0, 4, v)); "
    "x + v; x * v; v - x; x ** v; x[:v]; x[::v]; torch.add(x, v); "
    "torch.where(x > 1, x, v); v.sum(); v.item(); v.append(1); v.get(0); v.upper(); v.v; v.held; v(x); v(); v([1]); "
    "math.sqrt(v); math.log(v); math.exp(v * 50); math.floor(v); math.factorial(v); math.isnan(v); math.gcd(v, 4); divmod(7, v); pow(v, 2); pow(2, v, 5); operator.add(v, 1); operator.index(v); operator.itemgetter(0)(v); "
    "f'{v:d}'; f'{v:.2f}'; '%d' % v; '%s' % v; '{:>3}'.format(v); '-'.join(v); '-'.join([v, 'b']); 'ab' * v; [1] * v; int(v, 10) if isinstance(v, str) else 0; "
    "[*v, 1]; (lambda *a: len(a))(*v); dict(v); {**v}; dict.fromkeys(v); next(iter(v)); list(map(int, v)); list(zip(v, [1])); list(enumerate(v))[0][1]; [e for e in v]; sum(e for e in v); any(v); all(v); list(reversed(v)); "
    "functools.reduce(operator.add, v); list(itertools.chain(v, [1])); collections.Counter(v)[1]; strict(v); getattr(v, 'v'); hash(v); isinstance(v, int); (v, 1) < (3, 1); (v, 1) == (2, 1); [v, 1] > [1]; max((v, 1), (1, 2)); complex(v); "
    "v.held if isinstance(v, Own) else 2"
).split("; ")  # fmt: skip
"""What code does with it, of some of which Python raises an error."""

ASKED = (
    "v is True; v is False; v == True; v or 3; v and 2; v if v else 5; callable(v); type(v) is int; type(v).__name__; hasattr(v, 'real'); v in (None, 1, 2); "
    "{2: 5, None: 6}.get(v, 8); [v, None].index(None); [v].count(2); (v, None) == (2, None); [v] == [None]; v != None; None is not v; str(v) + 'a'; f'{v}'; '%s' % (v,); "
    "(v or 0) + 1; max(v or 0, 1); [v] * 2; (lambda a=v: a)(); {'a': v}['a']; [e for e in [v, 1] if e]; [e for e in [v] if e is not None]; any([v]); all([v, 1]); bool(v) + 1; "
    "sum(1 for e in [v] if e); next((e for e in [v, 3] if e), 9); sorted([v or 1, 2]); (v is None) + 1; isinstance(v, (int, type(None))); isinstance(v, (list, tuple)); "
    "x * (v if isinstance(v, int) else 3); x if v is None else x * 2; tuple([v])[0]; (v,) + (1,); [v] + [1]; copy.copy(v); operator.is_(v, None); operator.not_(v); "
    "vars(types.SimpleNamespace(q=v))['q']; len({v, 2}); bool([v]); iter([v]).__next__()"
).split("; ")  # fmt: skip
"""What code asks of it that no class refuses."""

STATEMENTS = {
    "unpacked": "r, q = v", "starred": "r, *q = v", "for": "r = 0\nfor e in v: r += e", "augmented": "r = v\nr += 1", "written": "v[0] = 5\nr = v[0]", "deleted": "del v[0]\nr = len(v)",
    "attribute": "v.held = 5\nr = v.held", "raised": "raise v", "raised if": "r = 1\nif v: raise Own(2.0)", "asserted": "assert v\nr = 1", "with": "with v: r = 1",
    "while": "r = 0\nwhile v < 3: r += 1; v += 1", "matched": "match v:\n    case [a, b]: r = a\n    case int(): r = v + 1\n    case None: raise Own(1.0)\n    case _: r = 3",
    "raised in a function": "def g(e):\n    if e is None: raise Own(4.0)\n    return 2\nr = g(v)", "raised in a loop": "for i in range(3):\n    if v == i: raise Kin(i)\nr = 3",
    "raised from": "try: r = v + 1\nexcept TypeError as error: raise Own(3.0) from error", "none of both": "r = 1 if v is None else v + 1",
    "yielded": "def g():\n    if v is None: raise Own(1.0)\n    yield 3\nr = sum(g())",
}  # fmt: skip
"""The same of statements, which leave it in `r`."""

CLAUSES = {
    "any": "try:\n    BODY\nexcept Exception: r = 11",
    "those of Python": "try:\n    BODY\nexcept (TypeError, ValueError, LookupError, AttributeError, ArithmeticError): r = 12",
    "two": "try:\n    BODY\nexcept TypeError: r = 13\nexcept (Own, ValueError, LookupError): r = 14",
    "bare": "try:\n    BODY\nexcept: r = 15",
    "else": "try:\n    BODY\nexcept (TypeError, Own): r = 16\nelse: r = (r, 1)",
    "finally": "d = []\ntry:\n    try:\n        BODY\n    finally: d.append(1)\nexcept (TypeError, AttributeError, Own): r = 17\nr = (r, len(d))",
    "named": "try:\n    BODY\nexcept Exception as error: r = type(error).__name__",
    "suppressed": "r = 18\nwith contextlib.suppress(TypeError, LookupError, Own):\n    BODY",
    "in a loop": "for turn in range(2):\n    try:\n        BODY\n        break\n    except (TypeError, ValueError, Own): r = 19 + turn",
    "in a function": "def inner(v):\n    try:\n        BODY\n    except (TypeError, AttributeError, LookupError): return 20\n    return r\nr = inner(v)",
    "around a function": "def inner(v):\n    BODY\n    return r\ntry: r = inner(v)\nexcept (TypeError, AttributeError, LookupError, Own): r = 21",
    "none": "BODY",
}
"""The clauses that wait for it."""

TESTS = {"sizes": "n > 1", "data": "x.sum() * n > 9"}
BODY = """
def f(x, n: int):
    v = VALUE
    CLAUSE
    return r, x * 1
"""


TENSORS_ALONE = ("abs(v)", "round(v)", "v.real")
"""What gives a tensor also of a number, where a test leaves one of the two."""


def handled() -> Iterator[Program]:
    """Each use of each value, with clauses by turns."""
    bodies = {use: f"r = {use}" for use in USES} | STATEMENTS
    clauses = itertools.cycle(CLAUSES.items())
    for (value, made), (use, body), (test, asked) in itertools.product(VALUES.items(), bodies.items(), TESTS.items()):
        if ("TEST" not in made and test == "data") or (value == "tensor or number" and use in TENSORS_ALONE):
            continue
        clause, around = next(clauses)
        text = filled(BODY, VALUE=made.replace("TEST", asked), CLAUSE=filled(around, BODY=body).strip())
        yield Program(f"{value}, {use}, {test}, {clause}", HELPERS + text, [1.0, 2.0, 3.0])


def asked() -> Iterator[Program]:
    """Each question of each value, with and without a clause that waits."""
    around = itertools.cycle(("none", "any"))
    for (value, made), use, (test, told) in itertools.product(VALUES.items(), ASKED, TESTS.items()):
        if "TEST" in made or test == "sizes":
            clause = CLAUSES[next(around)].replace("BODY", f"r = {use}")
            text = filled(BODY, VALUE=made.replace("TEST", told), CLAUSE=clause)
            yield Program(f"{value}, {use}, {test}", HELPERS + text, [1.0, 2.0, 3.0])


if __name__ == "__main__":
    raise SystemExit(run_families({"handled": handled, "asked": asked}, (HELPERS,), __doc__))
