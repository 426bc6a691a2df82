"""Programs whose dtypes were told wrongly once: whole numbers, floats and flags that take turns, where types are known and not."""

from __future__ import annotations

from fuzz_failures import Failure
from fuzz_programs import Settings

TYPES: dict[str, Failure] = {
    "a whole number in the place of an item that a loop carries, where no types are known": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int=2, m: jax.Array | None=None):
    late0 = x[0]
    t3 = 0
    while t3 < n:
        t3 = t3 + 1
        late0 = n
    return late0
""",
        how=Settings("jax", 0, 1, False),
    ),
    "a whole number in the place of a float, in a loop over an open range": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int=2, m: torch.Tensor | None=None):
    i, j = (n, k)
    d = {'a': 0.5}
    for t2 in range(k):
        r = i
        d['a'] = r
    return d
""",
        how=Settings("torch", 0, 3, True),
    ),
    "an item in the place of a whole number that a loop carries, where no types are known": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int=2, m: torch.Tensor | None=None):
    last, t = n, 0
    while t < n:
        last = x[t]
        t = t + 1
    return last
""",
        how=Settings("torch", 0, 3, True),
    ),
    "a whole number in the place of a flag that a loop carries": Failure(
        """
def f(x, n, k):
    b = x[1] > 0
    t4 = 0
    while t4 < n and (not b):
        t4 = t4 + 1
        b = (k or n % 2 == 0) or not x.sum() > -0.4
    return b
""",
        "refused",
        how=Settings("torch", 1, 3, False),
    ),
    "a float in the place of a whole number that a loop carries": Failure(
        """
def f(x, n, k):
    b = n
    t4 = 0
    while t4 < n:
        t4 = t4 + 1
        b = 0.5
    return b
""",
        "refused",
        how=Settings("torch", 1, 3, False),
    ),
    "a number of an argument that a loop tests in its next trip": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int=2, m: np.ndarray | None=None):
    i, j = (n, 0)
    for t1 in range(3):
        while j:
            t3 = t3
        j = k
    return j
""",
        how=Settings("numpy", 0, 0, True),
    ),
    "a test that says more than which way it went, where an argument may be missing": Failure(
        """
def f(x, n, k, m=None):
    w = x
    s, r = (x.sum(), 0.5)
    i, j = (n, 0)
    d = {'a': x[1]}
    o = [x[2], 1.0]
    t1 = 0
    while t1 < 3 and jnp.flip(w, 0).sum() > -0.4:
        t1 = t1 + 1
        try:
            if m is not None or w.sum() > 0.1:
                o = [o[1], o[0]]
                continue
        except (ValueError, KeyError):
            pass
        else:
            v, s = (w, x.sum() * 0.5)
        finally:
            pass
    w = w.at[1].add(min(abs(r) * 0.5, 1.25 if v.sum() > 0.1 else o[1]))
    return (v, w, s, r, i, j, d['a'], o[0])
""",
        how=Settings("jax", 1, 1, False),
    ),
    "a number that `and` and `or` choose, in a loop that makes it a tensor": Failure(
        """
def f(x, n, k):
    c = 0.25
    s = (x[0] > 0) and 0.5 or c
    for e in x:
        s = abs(s) * 0.5 + e
    return s
""",
        "equal|refused",
        how=Settings("torch", 1, 1, False),
    ),
    "the least of a whole number and a float is written in place": Failure(
        """
def f(x, n, k):
    v = x * 1
    a = min(n, v[0])
    a *= 2
    return v, a
""",
        "refused",
    ),
    "two lists of one name, in a test and in its block": Failure(
        """
def f(x, n, k):
    r = max([e for e in x]) if any((e for e in x)) else 0.25
    return r
""",
        how=Settings("torch", 1, 1, False),
    ),
    "a number that an inner loop of Python's own puts in the place of what the loop carries": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int=2, m: torch.Tensor | None=None):
    v = x
    r = 0.5
    for e in x:
        r = r + e
        for t in range(k):
            r = t
            v = v + abs(r)
    return v, r
""",
        how=Settings("torch", 0, 1, False),
    ),
    "a boolean that a loop leaves, and a later one may make another": Failure(
        """
def f(x, n, k):
    for t in range(2):
        for e in x:
            b = False
    for u in range(1):
        if b:
            b = x[1] < 0.3
        else:
            s = 0.5
    return s
""",
        how=Settings("torch", 1, 1, False),
    ),
    "not of two booleans that are Python's own where the code runs": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int=2, m: torch.Tensor | None=None):
    i, r, b = 1, 0.0, True
    for u in range(k):
        if x.sum() > 0:
            for t in range(x.shape[0]):
                i = 0
                while i < n and not (b and t < 0):
                    i = i + 1
                    r = 0.5 * x[0]
            b = False
    return r
""",
        how=Settings("torch", 0, 1, False),
    ),
    "a boolean that is added to 0, in the place of a number": Failure(
        """
def f(x: np.ndarray, n: np.ndarray, k: int=2, m: np.ndarray | None=None):
    s = 0 + bool((k - 3) % 7)
    r = 3
    for e in x:
        if e > 0:
            r = s
    return r, s
""",
        how=Settings("numpy", 0, 1, False),
    ),
    "bytes with a bit of each, in the place of bytes": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int = 2):
    y = x.at[1:].add(1)
    if n > 1:
        y = x & 1
    return y, y * 2
""",
        how=Settings("jax", 1, 0, False, "uint8"),
    ),
    "a method adds in place what flags cannot hold": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):
    y = x
    for t in range(n):
        y = x.clone(); y.add_(n)
    return y, y.sum()
""",
        how=Settings("torch", 0, 1, False, "bool"),
        right="refused",
    ),
    "a number or a tensor, swapped, that early returns hand on out of nested loops": Failure(
        """
def outer(a, c):
    return a

def f(x, n, k):
    v = x * 0.5
    w = torch.tanh(x) + 0.25
    s, r = (0.0, 1)
    i, j = (n, k)
    b = n > 1
    d = {'a': 0.5, 'b': x[1]}
    o = [x[2], 1.0]
    if d['a'] < -0.2 or v.sum() > 0.1:
        pass
    t1 = 0
    while t1 < 2 and (lambda u: u * 0.5 + r * 0.1)(s) < 0.3:
        t1 = t1 + 1
        t2 = 0
        while t2 < n and n >= 3:
            t2 = t2 + 1
            t3 = 0
            while t3 < 2 and -0.5 < abs(o[0]) * 0.5 <= outer(o[0], w):
                t3 = t3 + 1
                r = min(abs(o[0]) * 0.5, float(j % 5) * 0.3)
                if not b:
                    w = torch.where(w > 0.1, v, torch.tanh(x + o[1]))
                elif i < j:
                    v = v
                    return (v, w, s, r, i, j, d['a'], o[0])
                t4 = 0
                while t4 < k and (i + j) % 7 < 1:
                    t4 = t4 + 1
                    o = [o[1], o[0]]
                    late0 = s
            i, j = (j, i)
            s, r = (r, s)
        w = w.clone()
        u = w if not 0 == 2 else x.clone()
        u[1] = 1.25
        i = j
    return (v, w, s, r, i, j, d['a'], o[0])
""",
        seed=1403309,
        how=Settings(flavour="torch", level=1, k=2, given=False, dtype="float64", outside=False, gradient=False),
    ),
    "what a loop defines as a whole number, where a call that a later trip reads gives a fraction or an array": Failure(
        """
def outer(a, c):
    if a > 0.25:
        return a * 0.5
    for e in c:
        a = a * 0.5 + e
    return a
def f(x, n, k):
    t1 = 0
    while t1 < 2 and x.sum() < 9:
        t1 = t1 + 1
        for t3 in x:
            for t4 in range(k):
                late = outer(t4 * 0.5, x)
        if x[0] > 0:
            late = (n + 3) % 7
    return late
""",
        how=Settings(flavour="numpy", k=3),
    ),
}
