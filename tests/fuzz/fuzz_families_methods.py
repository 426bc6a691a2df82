"""Families of small programs of objects that hold arrays, numbers and containers: each two of their methods, called in each place of
control flow on two objects that share what they hold in some way, against the author's framework."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from family_checks import Program, filled, run_families

VECTOR = [1.0, 2.0, 3.0]
IMPORTS = {
    "torch": "import copy, functools\nimport torch\n",
    "numpy": "import copy, functools\nimport numpy as np\n",
    "jax": "import copy, functools\nimport jax.numpy as jnp\n",
}
MODEL = """

class Part:
    def __init__(self, e): self.v = e; self.n = 1
    def grow(self, e):
        self.n += 1
        self.v = self.v + e
        return self.v


class Model:
    def __init__(self, x):
        self.v, self.w, self.k, self.r, self.last = x * 1, x * 0, 0, 0.5, None
        self.rows, self.by, self.part = [self.v, x * 2], {"a": self.v, "n": 1}, Part(x * 3)
    def add(self, e): self.v = self.v + e; return self.v
    def bump(self, e): self.k += 1; return self.k
    def scale(self, e): self.r = self.r * 2; return e * self.r
    def push(self, e): self.rows.append(e); return self.rows[-1]
    def pop(self, e): return self.rows.pop() if len(self.rows) > 1 else e
    def swap(self, e): self.v, self.w = self.w, self.v; return self.v
    def keep(self, e): self.by["a"] = e; return self.by["a"]
    def count(self, e): self.by["n"] += 1; return self.by["n"]
    def row(self, e): self.rows[0] = self.rows[0] + e; return self.rows[0]
    def alias(self, e): self.w = self.v; return self.w
    def view(self, e): self.w = self.v[:2]; return self.w.sum()
    def listed(self, e): self.rows = [self.v, self.w]; return len(self.rows)
    def cleared(self, e): del self.rows[1:]; return len(self.rows)
    def total(self, e): return sum(self.rows) / len(self.rows)
    def both(self, e): return self.bump(e) + self.add(e)
    def grown(self, e): return self.part.grow(e)
    def parted(self, e): self.part = Part(self.v); return self.part.n
    def chained(self, e): return self.step().step().k
    def step(self): self.k += 1; return self
    def best(self, e):
        if e.sum() > self.r: self.r = self.r + 1
        return self.r
    def before(self, e): found, self.last = self.last, e; return e if found is None else found
    def times(self, e):
        for at in range(2): self.k += at; self.v = self.v * 2
        return self.v
    def __call__(self, e): self.k += 1; return self.v * e
    def __getitem__(self, at): return self.rows[at]
    def __setitem__(self, at, e): self.rows[at] = e
    def __len__(self): return len(self.rows)
    @property
    def size(self): return self.k + len(self.rows)
    @size.setter
    def size(self, k): self.k = k
"""
IN_PLACE = {
    "torch": """    def write(self, e): self.v += e; return self.v
    def put(self, e): self.v[0] = e[1]; return self.v
    def fill(self, e): self.w.copy_(e); return self.w
    def write_row(self, e): self.rows[0] += e; return self.rows[0]
    def write_item(self, e): self.by["a"].mul_(2); return self.by["a"]
    def write_end(self, e): self.rows[-1][1:] = e[:2]; return self.rows[-1]
    def write_part(self, e): self.part.v *= 2; return self.part.v
    def write_view(self, e): part = self.v[1:]; part += 1; return part.sum()
""",
    "jax": """    def put(self, e): self.v = self.v.at[0].set(e[1]); return self.v
    def write_row(self, e): self.rows[0] += e; return self.rows[0]
    def write_end(self, e): self.rows[-1] = self.rows[-1].at[1:].add(e[:2]); return self.rows[-1]
""",
}
IN_PLACE["numpy"] = (
    IN_PLACE["torch"]
    .replace("self.w.copy_(e)", "np.copyto(self.w, e)")
    .replace('self.by["a"].mul_(2)', 'self.by["a"] *= 2')
)
_READS = ("S[0]", "S(x)", "S.size", "len(S) + S.v", "operate(S)")
SHARED = {
    "one": "b = m",
    "two": "b = Model(x * 2)",
    "copy": "b = copy.copy(m)",
    "deep copy": "b = copy.deepcopy(m)",
    "array": "b = Model(x); b.v = m.v",
    "list": "b = Model(x); b.rows = m.rows",
    "part": "b = Model(x); b.part = m.part; b.by = m.by",
    "argument": "m.v = x; b = Model(x); b.w = x",
    "row": "b = Model(x); b.rows[0] = m.v; m.by['a'] = b.rows[1]",
}
"""What the second object is to the first."""
PLACES = {
    "in turn": "a = a + FIRST\na = a + SECOND",
    "in a test": "if n > 1:\n    a = a + FIRST\na = a + SECOND",
    "on both sides": "if n > 1:\n    a = a + FIRST\nelse:\n    a = a + SECOND\na = a + FIRST",
    "in a test on data": "if x.sum() * n > 9:\n    a = a + FIRST\na = a + SECOND",
    "in a loop": "for i in range(n):\n    a = a + FIRST\n    a = a + SECOND",
    "in a test in a loop": "for i in range(3):\n    if i == n:\n        a = a + FIRST\n    else:\n        a = a + SECOND",
    "in a test on data in a loop": "for i in range(n):\n    if x.sum() > a.sum():\n        a = a + FIRST\n    a = a + SECOND",
    "in a loop on data": "c = x * 0\nwhile c.sum() < n:\n    a = a + FIRST\n    c = c + 1\na = a + SECOND",
    "before a break": "for i in range(4):\n    a = a + FIRST\n    if i == n:\n        break\n    a = a + SECOND",
    "before a return": "if n > 2:\n    return a + FIRST, m.v, m.k\na = a + SECOND",
    "in a function": "def g(x):\n    return FIRST + SECOND\na = g(x) + 10 * g(x * 2)",
    "in a comprehension": "a = a + sum([FIRST for _ in range(n + 1)]) + SECOND",
    "of one of two": "s = m if n > 1 else b\na = a + FIRST\nm = s\na = a + SECOND",
    "of rows": "for x in (x, x * 2):\n    a = a + FIRST\n    a = a + SECOND",
    "over both": "for s in (m, b):\n    a = a + FIRST\na = a + SECOND",
    "one behind the other": "a = a + FIRST\nm = copy.copy(b)\nif n > 1:\n    a = a + SECOND",
}
"""Where the methods are called: the first one of `m`, or of what stands in its place, the second one of `b`."""
BODY = """
def operate(s):
    s.size = s.size + 1
    s[0] = s.v * 2
    return s[-1]


HEAD
    PLACE
    return a, m.v, m.w, m.k, m.r, list(m.rows), dict(m.by), m.part.v, m.part.n, b.v, b.w, b.k, list(b.rows), m.v is b.v
"""
MADE_HERE = "def f(x, n: int):\n    m = Model(x); a = x * 0\n    SHARED"
MADE_BEFORE = "x = START; m = Model(x)\nSHARED\n\n\ndef f(x, n: int):\n    global m\n    a = x * 0"
"""The objects are made by the call, or before it, where the next call finds what one has written."""
STARTS = {
    "torch": "torch.tensor([3.0, 2.0, 1.0])",
    "numpy": "np.array([3.0, 2.0, 1.0])",
    "jax": "jnp.array([3.0, 2.0, 1.0])",
}
WAYS = {
    "torch": ("program", "torch", "jax"),
    "numpy": ("program", "numpy", "torch", "jax"),
    "jax": ("program", "jax", "torch"),
}


def methods(flavour: str, head: str) -> Iterator[Program]:
    """Each two uses, in a place and of two objects by turns."""
    prelude = IMPORTS[flavour] + MODEL + IN_PLACE[flavour]
    names = [
        line.split()[1].partition("(")[0]
        for line in prelude.partition("class Model")[2].splitlines()
        if line.startswith("    def ")
    ]
    uses = [f"S.{name}(x)" for name in names if not name.startswith("__") and name not in ("size", "step")] + list(
        _READS
    )
    pairs = list(itertools.product(uses, uses))
    settings = itertools.cycle(itertools.product(PLACES.items(), SHARED.items()))
    for times in range(len(PLACES)):
        for (first, second), ((place, body), (shared, made)) in zip(pairs, settings):
            own = first.replace("S", "s" if place in ("of one of two", "over both") else "m")
            asked = (
                BODY.replace(", m.v is b.v", "") if flavour == "jax" else BODY
            )  # whose copies are other objects of one value
            asked = asked.replace("HEAD", head.replace("START", STARTS[flavour]))
            text = filled(
                asked, SHARED=made, PLACE=body.replace("FIRST", own).replace("SECOND", second.replace("S", "b"))
            )
            yield Program(
                f"{first} {second}, {shared}, {place}, {times}", prelude + text, VECTOR, flavour, WAYS[flavour]
            )


FAMILIES = {
    f"{flavour} methods, {when}": functools.partial(methods, flavour, head)
    for flavour in WAYS
    for when, head in (("made here", MADE_HERE), ("made before", MADE_BEFORE))
}

if __name__ == "__main__":
    raise SystemExit(
        run_families(FAMILIES, tuple(IMPORTS[flavour] + MODEL + IN_PLACE[flavour] for flavour in WAYS), __doc__)
    )
