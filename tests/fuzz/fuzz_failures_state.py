"""Programs whose state was captured wrongly once: variables of functions that have returned, written under tests and in loops."""

from __future__ import annotations

from fuzz_failures import Failure
from fuzz_programs import Settings

COUNTER = """
def counter():
    c = 0
    def up(by=1):
        nonlocal c
        c = c + by
        return c
    return up
"""
TALLY = """
def tally(total, other):
    def add(v):
        nonlocal total, other
        if v > 0:
            total, other = total + v, total
        return total - other
    return add
def each(f, xs):
    for v in xs:
        f(v)
        if v > 2:
            break
"""

STATE: dict[str, Failure] = {
    "a counter of another function's, on each side of a test": Failure(
        COUNTER
        + """
def f(x, n, k):
    up = counter()
    if x[0] > 0:
        y = up()
    else:
        y = up() + up()
    return y, up()
""",
    ),
    "a list from outside that is emptied: the next call fails in Python, too": Failure(
        """
p = [2.0]
q = p
def f(x: torch.Tensor, n: torch.Tensor, k: int=2):
    q[-1] *= 2
    q.clear()
""",
        "refused",
        how=Settings(flavour="torch", given=False, outside=True),
    ),
    "a counter of another function's, in loops": Failure(
        COUNTER
        + """
def f(x, n, k):
    up = counter()
    s = 0.0
    for i in range(n):
        s = s + up() * x[0]
    t = 0
    while t < n + 4:
        t = up(by=2)
        if x[1] > t:
            break
    return s, t, up()
""",
    ),
    "a sum of another function's, added to under tests and by a helper's loop": Failure(
        TALLY
        + """
def f(x, n, k):
    add = tally(x[0], 0.0)
    if n > 1:
        add(x[0])
    if x[2] > 0 and add(x[1]) > 0:
        add(x[2])
    each(add, x)
    y = add(x[0]) if x[1] > 0 else x[2]
    return y, add(-1.0)
""",
    ),
    "a function of the user's own that a helper calls under a test": Failure(
        """
def apply(g, v):
    if v > 0:
        g()
def f(x, n, k):
    s = 0.0
    def more():
        nonlocal s
        s = s + x[1]
    apply(more, x[0])
    apply(more, x[1])
    return s
""",
        how=Settings(level=0),
    ),
    "a local function's variable, in a region that calls the function around it": Failure(
        """
def summed(x):
    total = x[0] * 0
    def add(v):
        nonlocal total
        total = total + v
    for v in x:
        add(v)
    return total
def f(x, n, k):
    s = x[1]
    if x[2] > 0:
        s = summed(x)
    for i in range(n):
        s = s + summed(x * i)
    return s
""",
    ),
    "numbers that a loop filled a list with, and to which a side of a test adds": Failure(
        """
def f(x, n, k):
    values = [float(e) for e in x]
    if x.sum() > 0:
        values += [1.0]
    return sum(values)
""",
    ),
}
