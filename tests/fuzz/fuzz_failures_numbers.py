"""Programs whose numbers were captured wrongly once: numbers that become wider, or tensors, in tests and loops."""

from __future__ import annotations

from fuzz_failures import Failure
from fuzz_programs import Settings

LATE = """
def f({arguments}):
    s, r, t = 0.0, 1, 0
    while t < 2 and {outer}:
        t = t + 1
        for e in (x[2], 1.0):
            s, r = r, s
            u = 0
            while u < {trips} and x.sum() > -0.4:
                u = u + 1
                r = r * 0.5 + x[0]
                return s, r
    return s, r
"""
"""A number until the outer loop has settled."""

NUMBERS: dict[str, Failure] = {
    "a number that a loop widens": Failure(
        """
def f(x, n, k, m=None):
    s, r = 0, 0.5
    for e in x:
        s = 0.5
    return s
""",
    ),
    "numbers that change places in a loop": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2, m: torch.Tensor | None = None):
    s, r = 0.0, 1
    if x.sum():
        for t in range(n):
            r = t
    for e in x:
        s, r = r, s
    return s
""",
        how=Settings("torch", 0),
    ),
    "the index of a range as a number": Failure(
        """
def f(x, n, k, m=None):
    w = 0
    for t in range(n):
        s = t
        w = abs(s)
    return w
""",
        how=Settings("jax", 1),
    ),
    "a number that a trip adds a tensor to": Failure(
        """
def f(x, n, k, m=None):
    s, t = 0, 0
    while t < 2 and x[0] < 5:
        t = t + 1
        s += x.mean() * 0.5
    return s
""",
    ),
    "an index in the place of numbers and tensors": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):
    s, r, q = x[0], 0.5, 0.0
    for t in range(n):
        s, r = t, t
        q = 1 if t > 1 else q
    for e in x:
        s = 0.5
        if e > 5:
            break
    return s, r, q
""",
        how=Settings("torch", 0),
    ),
    "an open number beside a tensor": Failure(
        """
def f(x, n, k):
    s = 0
    for t in range(1):
        s = t
        if n:
            s = 0.5 * x[0]
    s += 0.5
    return s
""",
    ),
    "a tensor where the same loop met a number before": Failure(
        """
def f(x, n, k):
    s, o = 0.0, x * 1
    for t in (1, 2):
        for i in range(n):
            for j in range(n):
                s += j
        s = o
    return s, o
""",
    ),
    "defined by a loop that may not run, after a pass that could not tell its kind": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int = 2):
    i = 0
    def h(a):
        nonlocal i
        i = 2
        return a
    v = h(x)
    i = n * 2
    t = 0
    while t < k and x.sum() > -5:
        t = t + 1
        late = i
    return x, late
""",
        "equal|refused",
        how=Settings("jax", 0, 0),
    ),
    "a number that is lost by losing what it may be": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int = 2):
    s, r = x, 1
    for t in range(2):
        r += t
        if 0.5 < r <= 0.75:
            s = x * 2
        r = x[0]
    return s, r
""",
        "equal|refused",
        how=Settings("numpy", 0, 1),
    ),
    "a row is added to what it is a part of": Failure(
        """
def f(x, n, k):
    w = x + 0.25
    w = w.at[1:].add(w[1])
    w = w.at[0].set(w[1])
    return w
""",
        how=Settings("jax", 1, 1),
    ),
    "a number or a counter, written after the loop": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int = 2):
    s, r = x.sum(), 1
    for t1 in range(n):
        s = t1
    s += 0.25 * s
    return s
""",
        how=Settings("numpy", 0, 0),
    ),
    "kinds of numbers that a loop of Python's own swaps, in a loop on data": Failure(
        """
def f(x, n, k):
    s, r = 0.0, 1
    for t in range(n):
        r = t
        for u in range(3):
            s, r = r, s
    return s
""",
    ),
    "kinds of numbers that a loop of Python's own swaps, beside what a test on data leaves": Failure(
        """
def f(x, n, k):
    s, r = 0.0, 1
    for t in range(n):
        if x[0] > -5:
            for u in range(n):
                r = u
                for e in range(3):
                    s, r = r, s
            s = s + x[1]
        else:
            r = r + 1
    return s
""",
    ),
    "a side of a test on data that returns numbers of two kinds by a test on a host value": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2, m: torch.Tensor | None = None):
    r = x.mean()
    if r:
        return r, 0.5, 1
    if m is None:
        return r, 1, 0
    return r, 0.5, 1
""",
        how=Settings("torch", 0),
    ),
    "a side of a test on data that is a loop on a host value, or not": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2, m: torch.Tensor | None = None):
    s = 0
    if n:
        while k:
            return x, s
    s = 0.5
    return x, s
""",
        how=Settings("torch", 0, given=True),
    ),
    "a number that is a truth on one side of a test": Failure(
        """
def f(x, n, k):
    b = 1
    for t in range(n + 1):
        s = t
        while s < 0.7:
            b = k
            s = s * 0 + 2
        if b and s < 0.3:
            b = -0.5 < x[0] <= 1
            x = x + 1
    return x
""",
        how=Settings("jax", 1, 0),
    ),
    "a truth that a test on a host value leaves, in a loop of Python's own": Failure(
        """
def f(x, n, k, m=None):
    r, b = 1, n > 1
    for t in range(3):
        if t > r:
            r, b = 0.3, True
        while x[0] < 0 and x[1] < 0:
            x = x + 0.5 if b else x + 1
    return x, r
""",
    ),
    "a test that another one settles, where what it reads is a number by now": Failure(
        """
def f(x, n, k):
    s = 1
    for t in (1, 0.5):
        if x[0] or k:
            break
        else:
            s = 0.5
    return s
""",
        how=Settings("numpy", 1, 0),
    ),
    "a number until the outer loop has settled, in the place of a returned tensor": Failure(
        LATE.format(arguments="x, n, k, m=None", outer="m is None", trips="k"),
        how=Settings("jax", 1, 1),
    ),
    "the larger of an index and a number, as one of them, on a side of a test on data": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int = 2):
    for t in range(2):
        s = 0.5 if x.sum() else max(t, 0.5)
    return s
""",
        how=Settings("numpy", 0),
    ),
    "a number until the outer loop has settled, in the place of a returned tensor of any dtype": Failure(
        LATE.format(arguments="x: jax.Array, n: jax.Array, k: int = 2", outer="x[1] < 5", trips="1"),
        how=Settings("jax", 0, 1),
    ),
    "the absolute value of a number that a loop carries, in a tensor's place": Failure(
        """
def f(x, n, k):
    s, r = x[2], 0.5
    for t in range(1, n + 1):
        s = abs(r)
        r = 0.0
    return s, r
""",
    ),
    "the index of a range in the place of an item, in two loops of Python's own": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int = 2):
    s = x[0]
    for t in range(2):
        u = 0
        while (u := u + 1) < 3:
            for e in range(1, n + 1):
                s = e
    return s
""",
        how=Settings("numpy", 0),
    ),
    "an index, then an item, in a loop of Python's own": Failure(
        """
def f(x, n, k):
    r = 1
    for t in range(2):
        for u in range(n):
            r = u
        for e, u in zip(x, range(3)):
            r = e
    return r
""",
    ),
    "a literal, then an item, in a loop of Python's own": Failure(
        """
def f(x, n, k):
    r = 1
    for t in range(2):
        for u in range(n):
            r = 2
        for e in x:
            r = e
    return r
""",
    ),
    "the absolute value of what is a list on one side": Failure(
        """
def f(x, n, k):
    if x.sum() > 0:
        y = [x[0]]
    else:
        y = x[1]
    return abs(y)
""",
        "refused",
    ),
}
