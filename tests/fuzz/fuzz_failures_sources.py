"""Programs whose emitted source failed once: names that hid each other, sides and loops whose dtypes JAX did not join."""

from __future__ import annotations

from fuzz_failures import Failure
from fuzz_programs import Settings

SOURCES: dict[str, Failure] = {
    "a test that is a test, beside the functions of its sides": Failure(
        """
def outer(a, c):
    for e in c:
        a = a * 0.5 + e
    return a

def f(x, n, k):
    w, s = x, x[0]
    if 0.5 < s <= outer(s, x):
        s = x.max()
        w = w.at[1].set(s)
    return w, s
""",
        how=Settings("jax", 1),
    ),
    "a number that one side of a test in a loop widens": Failure(
        """
def f(x, n, k):
    s, t = 0, 0
    while t < 1 and x.sum() > -5:
        t = t + 1
        if x[0] > 0:
            x = x + s
        else:
            s = s * 0.5
    return x, s
""",
    ),
    "a number that an inner loop makes a tensor, in a trip that may not be": Failure(
        """
def f(x, n, k):
    r, t = 1, 0
    while t < 2 and x.sum() > -5:
        t = t + 1
        for e in x:
            r = r * 0.5 + e
            if r > 0.5:
                break
    return r
""",
    ),
    "an optional tensor in what a loop returns": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2, m: torch.Tensor | None = None):
    for t in range(n):
        if m is not None:
            x = x + m * 0.1
        if x[1] > -5:
            return x * 2
    return x
""",
        how=Settings("torch", 0),
    ),
    "an end in the first trip of a range that does not start at zero": Failure(
        """
def f(x, n, k):
    r, q = 0.5, 0.5
    for t in range(1, n):
        r += t
        break
    for t in range(n, 0, -2):
        q += t
        if q > 5:
            break
    return r, q
""",
    ),
    "an index that a trip widens": Failure(
        """
def f(x, n, k):
    s, w = 0, x
    for t in range(x.shape[0]):
        s = t
        for u, e in enumerate(x):
            for q in range(x.shape[0]):
                if x[0] > 0.1:
                    s = -0.25
                else:
                    w = w + 0.1
        outs = []
        for q in range(3):
            outs.append(w.sum() * q + s)
        w = 0.5 * torch.stack(outs)
    return s, w
""",
    ),
    "a loop that starts from what may still be a number": Failure(
        """
def f(x, n, k):
    s, r = 0, 1
    for a in range(3):
        r += a
        t = 0
        while t < 2 and x.sum() > -5:
            t = t + 1
            for e in x:
                s = s * 0.5 + e
            s, r = r, s
    return s, r
""",
        "refused",
    ),
    "another value of the name of what a loop carries": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int = 2):
    s = x[0]
    for t in range(n):
        s = s > 0.1
        if s:
            x = x * 0.5
        s = t
    return s, x
""",
        how=Settings("jax", 0),
    ),
    "a boolean that a trip makes a number": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int = 2):
    i, b = 0, False
    for t in range(3):
        i = i if b else 2
        b = x[2] or 0
    return i
""",
        how=Settings("jax", 0),
    ),
    "a loop's number in another loop that makes it a tensor": Failure(
        """
def f(x, n, k):
    r = 1
    for t in range(n):
        for u in range(1):
            r += u
    for t in range(3):
        if r:
            r = abs(x[2])
    return r
""",
    ),
    "a boolean that a comparison of numbers makes": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int = 2):
    i, j, b = 0, k, False
    for t in range(3):
        i = i - (i if not b else 2)
        for e in x:
            b = e < 0.3 and i < j
        j = 0
    return i
""",
        how=Settings("jax", 0),
    ),
    "an open test between numbers of two kinds, on a side of a test": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):
    return -0.75 if x.sum() > 0.5 else (0 if k < 2 else 1.25)
""",
        how=Settings("torch", 0, 0),
    ),
    "the other side of a test that is always true": Failure(
        """
def f(x, n, k, m=None):
    if (m is not None or x[0] > -0.2) or 0 >= 0:
        v = x * 2
    else:
        v = x
        if m is not None:
            v = v + m * 0.1
    return v
""",
        how=Settings("torch", 1),
    ),
    "an index that a loop of Python's own leaves": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):
    w, r = x, x.mean()
    for e in x:
        r = r * 0.5 + e
        for t in range(3):
            r = t
            for u in range(3):
                r = r + u
                outs = []
                for i in range(3):
                    outs.append(x * i)
                w = 0.5 * torch.stack(outs).reshape(3, -1).mean(1)
    return w, r
""",
        how=Settings("torch", 0),
    ),
    "an open number that only `not` asks for": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int = 2):
    if x.sum() > -0.4 and not k:
        x = x * 2
    return x
""",
        how=Settings("jax", 0, 0),
    ),
    "what is only there where a test on data was asked": Failure(
        """
def f(x, n, k, m=None):
    v = x
    if v.sum() and m is not None:
        v = m * 0.1
    t = 0
    while m is not None and t < n:
        v = v + m
        t = t + 1
    if m is None or v.max() > 1:
        v = v - 1
    else:
        v = v * m
    return v
""",
        how=Settings("torch", 1, 1),
    ),
    "a test whose sides give a number and a boolean": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2, m: torch.Tensor | None = None):
    t = 0
    while t < n and (k or (m is None or x.mean() > 0.7)):
        t = t + 1
    return t
""",
        how=Settings("torch", 0, 1),
    ),
    "an index in the place of a row, where the dtype is known": Failure(
        """
def f(x, n, k):
    w, r = x, 1
    if n > 1:
        for t, e in enumerate(x):
            r = e
            for u in range(1):
                r = u
    else:
        r = 0
    return r
""",
        how=Settings("jax", 1, 1),
    ),
    "an index in the place of a row, where no dtype is known": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):
    r = 0.5
    for t, e in enumerate(x):
        r = e
        for u in range(3):
            r = u
    return r
""",
        how=Settings("torch", 0, 0),
    ),
    "an index in the place of a number that a return leaves": Failure(
        """
def f(x, n, k):
    r = 0.0
    for t in range(x.shape[0]):
        r = t
        for u in range(1, n + 1):
            r += u
            return r
    return r
""",
    ),
    "Python asks for the index that a loop leaves": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):
    i, j = 0, 0
    for t in range(k):
        i = t
    if i:
        j = 2
    return j
""",
        how=Settings("torch", 0, 2),
    ),
    "Python computes with the index of a loop that the target runs": Failure(
        """
def f(x, n, k):
    s = 0.5
    for i, e in enumerate(x):
        s = s + max(i, 0.5) * e + min(i, 1)
        if not i:
            s = s + float(i + 1)
        r, j = i, 0
        while j < 2 and r > 0.5:
            r, j = 0.25, j + 1
        s = s + r
    return s
""",
    ),
    "A flag that is known on the way where a loop goes on is a constant there": Failure(
        """
def f(x: torch.Tensor, n: torch.Tensor, k):
    v = x
    s, r = (0.0, 0.5)
    for t, e in enumerate(v):
        r = r * 0.5
        b = False
        if n:
            pass
        else:
            b = True
            try:
                break
            except KeyError:
                pass
        v = 0.5 if r or not b else x
    return v
""",
        how=Settings("torch", 1, 3),
        right="refused",
    ),
    "a test that one side alone asks is False on the other, which JAX traces, too": Failure(
        """
def f(x: jax.Array, n: jax.Array, k: int):
    s = 0.0
    for t in [2, 1.0]:
        if not k:
            pass
        elif x.sum():
            s = s + 0.5
            return s, 1
        elif k == n:
            s = s + t
    return s, 0
""",
        how=Settings("jax", 0, 2),
    ),
}
