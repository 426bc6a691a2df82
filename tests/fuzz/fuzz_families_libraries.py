"""Families of programs as a library of numerics has them, of 20 to 40 lines: a step of a filter, a solver or a metric, on a state that
some record holds, reached in some way of calling functions, and driven in some way through loops and tests, against the author's framework."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from family_checks import Program, filled, run_families

VECTOR = [0.5, 2.0, 1.5]
IMPORTS = {
    flavour: f"import collections, contextlib, copy, dataclasses, functools, itertools, operator, types, typing\n{text}\n"
    for flavour, text in {
        "torch": "import torch\nimport torch as xp",
        "numpy": "import numpy as np\nimport numpy as xp",
        "jax": "import jax\nimport jax.numpy as xp",
    }.items()
}
_RECORD = "    a: typing.Any\n    b: typing.Any\n    k: int = 0\n"
STATES = {
    "named tuple": (f"class State(typing.NamedTuple):\n{_RECORD}", "State(x * 1, x * 0 + 1)", "s._replace(a=a, b=b, k=s.k + 1)"),
    "dataclass": (f"@dataclasses.dataclass\nclass State:\n{_RECORD}", "State(x * 1, b=x * 0 + 1)", "dataclasses.replace(s, a=a, b=b, k=s.k + 1)"),
    "frozen": (
        f"@dataclasses.dataclass(frozen=True)\nclass State:\n{_RECORD}    def moved(self, **new): return State(**{{**vars(self), 'k': self.k + 1, **new}})",
        "State(a=x * 1, b=x * 0 + 1)", "s.moved(a=a, b=b)",
    ),
    "in place": (
        f"@dataclasses.dataclass\nclass State:\n{_RECORD}    def moved(self, a, b):\n        self.a, self.b = a, b\n        self.k += 1\n        return self",
        "State(x * 1, x * 0 + 1)", "s.moved(a, b)",
    ),
    "slots": (
        "class State:\n    __slots__ = ('a', 'b', 'k')\n    def __init__(self, a, b, k=0): self.a, self.b, self.k = a, b, k\n    @property\n    def next(self): return self.k + 1",
        "State(x * 1, x * 0 + 1)", "State(a, b, s.next)",
    ),
    "namespace": ("State = types.SimpleNamespace", "State(a=x * 1, b=x * 0 + 1, k=0)", "State(**{**vars(s), 'a': a, 'b': b, 'k': s.k + 1})"),
    "nested": (
        "class Pair(typing.NamedTuple):\n    a: typing.Any\n    b: typing.Any\n@dataclasses.dataclass\nclass State:\n    pair: Pair\n    k: int = 0\n    @property\n    def a(self): return self.pair.a\n    @property\n    def b(self): return self.pair.b",
        "State(Pair(x * 1, x * 0 + 1))", "dataclasses.replace(s, pair=Pair(a, b=b), k=s.k + 1)",
    ),
    "post init": (
        "@dataclasses.dataclass\nclass State:\n    a: typing.Any\n    b: typing.Any = None\n    k: int = 0\n    def __post_init__(self):\n        if self.b is None:\n            self.b = self.a * 0 + 1",
        "State(x * 1)", "State(a, b, k=s.k + 1)",
    ),
    "dictionary": (
        "class State(dict):\n    a = property(operator.itemgetter('a'))\n    b = property(operator.itemgetter('b'))\n    k = property(lambda self: self['k'])",
        "State(a=x * 1, b=x * 0 + 1, k=0)", "State(s, a=a, b=b, k=s['k'] + 1)",
    ),
}  # fmt: skip
"""What holds the state: its class, the first one of x, and the next one of arrays a and b."""
STEPS = {
    "smoothing": "a, b = rate * s.a + (1 - rate) * x, s.b * rate",
    "root": "a = 0.5 * (s.a + abs(x) / (abs(s.a) + eps))\nb = s.b + abs(a - s.a)",
    "descent": "g = 2 * (s.a - x)\ng = xp.where(abs(g) > 1, g / abs(g), g)\na, b = s.a - rate * g, s.b + g * g",
    "power": "v = s.a + 0.5 * xp.flip(s.a, (0,))\na, b = v / (xp.sqrt((v * v).sum()) + eps), s.b * 1.0",
    "gain": "gain = s.b / (s.b + rate)\na, b = s.a + gain * (x - s.a), (1 - gain) * s.b",
    "moments": "d = x - s.a\na = s.a + d / (s.k + 2)\nb = s.b + d * (x - a)",
    "weights": "w = xp.exp(s.a - s.a.max())\na, b = s.a + rate * w / w.sum(), s.b + w.sum()",
    "settled": "if abs(s.a - x).sum() < rate:\n    return s\na, b = s.a + rate * (x - s.a), s.b + 1",
    "clipped": "a = s.a * (1 + rate)\nif a.max() > 2:\n    a = a / a.max()\nelif a.max() < 1:\n    a = a + eps\nb = s.b + a",
}
"""The next arrays a and b of the state s and of x, by numbers `rate` and `eps`."""
CALLS = {
    "defaults": ("", "step(s, x)"),
    "keywords": ("", "step(s, x=x, eps=0.1, rate=0.25)"),
    "star": ("def go(s, *args, **options): return step(s, *args, **options)", "go(s, x, rate=0.25)"),
    "closure": ("def stepper(rate):\n    def go(s, x): return step(s, x, rate=rate)\n    return go", "stepper(0.25)(s, x)"),
    "partial": ("go = functools.partial(step, rate=0.25)", "go(s, x)"),
    "table": ("KINDS = {'slow': dict(rate=0.25), 'fast': dict(rate=0.75)}", "step(s, x, **KINDS['fast' if n > 1 else 'slow'])"),
    "decorated": ("def twice(fn):\n    @functools.wraps(fn)\n    def run(s, x, **more): return fn(fn(s, x, **more), x, **more)\n    return run\n@twice\ndef go(s, x, rate=0.25): return step(s, x, rate)", "go(s, x)"),
    "config": ("@dataclasses.dataclass(frozen=True)\nclass Config:\n    rate: float = 0.25\n    eps: float = 1e-3\n    def __call__(self, s, x): return step(s, x, **dataclasses.asdict(self))", "Config(rate=0.5)(s, x)"),
    "rates": ("def rates(count, start=0.5):\n    for at in range(count):\n        yield start / (at + 1)\ndef go(s, x):\n    for rate in rates(2):\n        s = step(s, x, rate)\n    return s", "go(s, x)"),
    "recursive": ("def go(s, x, depth=2): return s if depth == 0 else go(step(s, x), x, depth - 1)", "go(s, x)"),
    "reduced": ("def go(s, *xs): return functools.reduce(step, xs, s)", "go(s, x, x * 0.5)"),
    "adapted": ("def go(s, x): return step(s, x, rate=0.5 if x.sum() > s.b.sum() else 0.25)", "go(s, x)"),
    "number": ("def go(s, x): return step(s, x, 1 / (s.k + 1))", "go(s, x)"),
}  # fmt: skip
"""How the step is reached: functions around it, and the call."""
DRIVERS = {
    "for": "for i in range(n):\n    s = CALL",
    "while": "c = 0\nwhile abs(s.a - x).sum() + c < n:\n    s = CALL\n    c += 1",
    "while apart": "error = 10.0\nwhile error > 0.5 and s.k < n:\n    t = s.a\n    s = CALL\n    error = abs(s.a - t).max()",
    "break": "for i in range(4):\n    s = CALL\n    if s.b.sum() > n:\n        break\nelse:\n    s = CALL",
    "continue": "for i in range(n + 1):\n    if i == 1 or s.a.sum() > 6:\n        continue\n    s = CALL",
    "rows": "for row in xs:\n    x = x * 0 + row\n    s = CALL",
    "history": "seen = [s.a]\nfor i in range(3):\n    s = CALL\n    seen.append(s.a)\ns = make(sum(seen))",
    "generator": "def states(s, count):\n    for _ in range(count):\n        s = CALL\n        yield s\nfor s in states(s, 2): pass",
    "nested": "for i in range(2):\n    for j in range(n):\n        s = CALL\n        x = x + 0.25",
    "chosen": "t = s\nif x.sum() > n + 2:\n    t = CALL\ns = t",
    "either": "if n > 1:\n    s = CALL\nelse:\n    s = make(x * 2)\ns = CALL",
    "best": "best = s\nfor i in range(n):\n    s = CALL\n    if s.a.sum() > best.a.sum():\n        best = s\ns = best",
    "previous": "last = None\nfor i in range(3):\n    s = CALL\n    if last is not None and i == n:\n        s = last\n    last = s",
    "return": "for i in range(n):\n    s = CALL\n    if s.a.sum() > 3:\n        return s.a, {'b': s.b, 'k': s.k}, s.a.sum()",
    "pair": "s, t = make(x), make(x * 2)\nfor i in range(n):\n    s, t = t, CALL",
    "several": "held = [make(x), make(x * 2)]\nfor i in range(n):\n    held = [CALL for s in held]\ns = held[-1]",
    "accumulated": "held = list(itertools.accumulate([x, x * 2], lambda s, x: CALL, initial=s))\ns = held[n % 3]",
    "within": "@contextlib.contextmanager\ndef watched(log):\n    log.append(s.a.sum())\n    yield log\nlog = []\nwith watched(log):\n    s = CALL\ns = make(s.a + log[0])",
    "function": "def solve(s, x, *, count: int = 3, tol=0.1):\n    for i in range(count):\n        t = CALL\n        if abs(t.a - s.a).max() < tol:\n            return t, True\n        s = t\n    return s, False\ns, done = solve(s, x, count=n)",
}
"""Where the call stands; xs are two numbers."""
BODY = """
RECORD


def make(x): return FIRST


def step(s, x, rate=0.5, *, eps=1e-3):
    STEP
    return NEXT


AROUND


def f(x, n: int):
    s = make(x)
    xs = x[:2]
    DRIVER
    return s.a, {"b": s.b, "k": s.k}, (s.a * s.b).sum()
"""
WAYS = {"torch": ("program", "torch", "jax"), "numpy": ("program", "numpy", "jax"), "jax": ("program", "jax", "torch")}


def programs(flavour: str) -> Iterator[Program]:
    """Each step with each driver, each way of calling with each state, by turns."""
    inner = itertools.cycle(itertools.product(STATES.items(), CALLS.items()))
    outer = itertools.product(range(len(CALLS)), DRIVERS.items(), STEPS.items())
    for (times, (driver, body), (step, text)), ((state, (record, first, after)), (call, (around, run))) in zip(
        outer, inner
    ):
        parts = {"RECORD": record, "FIRST": first, "STEP": text, "NEXT": after, "AROUND": around, "DRIVER": body}
        program = filled(filled(BODY, **parts), CALL=run)
        yield Program(
            f"{state} {step} {call} {driver} {times}", IMPORTS[flavour] + program, VECTOR, flavour, WAYS[flavour]
        )


FAMILIES = {f"{flavour} libraries": functools.partial(programs, flavour) for flavour in WAYS}

if __name__ == "__main__":
    raise SystemExit(run_families(FAMILIES, tuple(IMPORTS.values()), __doc__))
