"""Programs that were captured wrongly once, made small. `right` says what is right now: "equal", or "refused" where a graph cannot
say what Python does; either may be right, as long as nothing differs.
"""

from __future__ import annotations

from typing import NamedTuple

from fuzz_programs import Settings


class Failure(NamedTuple):
    """One program, and how it is captured and called."""

    text: str
    right: str = "equal"
    seed: object = 0
    how: Settings = Settings()


FAILURES: dict[str, Failure] = {
    "in place on one side, a new tensor on the other": Failure(
        """
def f(x, n, k):
    v = x * 1
    if x.sum() > 0:
        v += 1
    else:
        v = v * 2
    return v
""",
    ),
    "what one side made, under the same test again": Failure(
        """
def f(x, n, k):
    t = x.sum() > 0
    if t:
        y = x * 1
        for c in "abcdefghijklmnopqrstuvwxyz":
            y = y * 0.25 + y
        z = y.sum() if y.max() > 1 else (x[0] if y.min() > 0 else x[1])
        for i in range(n):
            z = z + i
    if t:
        return y, z
    return x, x[0]
""",
    ),
    "two names of one tensor after a test": Failure(
        """
def f(x, n, k):
    if x.sum() > 0:
        a = x + 1
        b = a
    else:
        a = x - 1
        b = a
    a += 1
    return a, b
""",
        "equal|refused",
    ),
    "a loop that writes a tensor with two names": Failure(
        """
def f(x, n, k):
    v = x * 1
    w = v
    for i in range(n):
        w += 1
    return v, w
""",
    ),
    "written, then replaced, in a loop": Failure(
        """
def f(x, n, k):
    v = x * 1
    w = v
    for i in range(n):
        w += 1
        w = w * 2
    return v, w
""",
    ),
    "a tensor takes over another inside of a loop that writes it": Failure(
        """
def f(x, n, k):
    v = x * 1
    w = x * 3
    t = 0
    while t < n:
        w = v
        v += 1
        t += 1
    return v, w
""",
        "equal|refused",
    ),
    "an inherited doubt": Failure(
        """
def f(x, n, k):
    s, r = x.sum(), 0.5
    if x.sum() > 0.1:
        t = 0
        while t < n:
            t = t + 1
            r = s
    s += x[0]
    return s, r
""",
        "equal|refused",
    ),
    "a joined list that others hold": Failure(
        """
def f(x, n, k):
    a = [x, x * 2]
    b = a
    if n > 1:
        a = [x, x]
    a[0] = x * 3
    return b[0], a[0]
""",
    ),
    "a list changed on one side, replaced on the other": Failure(
        """
def f(x, n, k):
    a = [x, x * 2]
    b = a
    if n > 1:
        a[0] = x * 3
    else:
        a = [x, x]
    return b[0], a[0]
""",
    ),
    "a list of its own in a region": Failure(
        """
def f(x, n, k):
    if x.sum() > 0:
        a = [x]
        a.append(x * 2)
        y = a[0] + a[1]
    else:
        y = x
    return y
""",
    ),
    "a text that changes in a loop": Failure(
        """
def f(x, n, k):
    mode = "a"
    for i in range(n):
        x = x + 1 if mode == "a" else x * 2
        mode = "b"
    return x
""",
        "refused",
    ),
    "a tuple that grows in a loop": Failure(
        """
def f(x, n, k):
    t = (x, x)
    for i in range(n):
        t = (t[0] + 1, t[1])
        if i > 0:
            t = (t[0], t[1])
    return t
""",
    ),
    "an attribute decides what a loop changes": Failure(
        """
def f(x, n, k):
    c = {"count": 0}
    y = x
    for i in range(n):
        if c["count"] == 0:
            y = y + 0
        else:
            y = y + 1
        c["count"] = c["count"] + 1
    return y
""",
    ),
    "a break in the first trip": Failure(
        """
def f(x, n, k):
    i = 7
    for t in range(3):
        i = t
        break
    return x, i
""",
    ),
    "a break in the first trip of an open range": Failure(
        """
def f(x, n, k):
    i = 7
    for t in range(n):
        i = t
        break
    return x, i
""",
    ),
    "an index after its loop": Failure(
        """
def f(x, n, k):
    s = 0
    for i in range(n):
        s += i * i
    return s, i
""",
    ),
    "what the trip before defined": Failure(
        """
def f(x, n, k):
    for t in range(n):
        if t > 0:
            x = x + prev
        prev = x * 2
    return x
""",
    ),
    "undefined on one path": Failure(
        """
def f(x, n, k):
    if x.sum() > 0.5:
        y = z
        z = 3
    return x
""",
    ),
    "a number that becomes a vector": Failure(
        """
def f(x, n, k):
    s = 0
    for i in range(n):
        s = s + x * i
    return s
""",
        "refused",
    ),
    "a number that rows make a vector": Failure(
        """
def f(x, n, k):
    s = 0
    for e in x:
        s = s + x * e
    return s
""",
    ),
    "a return from a loop": Failure(
        """
def f(x, n, k):
    while n > 0:
        n = n - 1
        if n == 1:
            return x * 5
        y = x * n
    return y
""",
    ),
    "max gives one of its arguments": Failure(
        """
def f(x, n, k):
    s = max(x[0], 1)
    s += 1
    return x
""",
    ),
    "defined by a loop on one side": Failure(
        """
def f(x, n, k):
    if n:
        for t in range(n):
            y = n
    return y
""",
        "refused",
    ),
    "doubts about many names": Failure(
        """
def f(x, n, k):
    v, w = x * 1, x * 2
    for t in range(3):
        if v[0] > 0:
            w = v
            if w[1] > 0:
                v = w if n > 1 else v
        else:
            v = w
            v = v if v[2] > 0 else w
        v, w = w, v
    v += 1
    return v
""",
        "equal|refused",
    ),
    "a name that a loop carries, in its test": Failure(
        """
def f(x, n, k):
    result, t = 0.0, 0
    while t < n and (result if n % 2 == 0 else x[0]) < 0.7 and x[1] < result + 5:
        t = t + 1
        result = result + 0.25
    return result
""",
    ),
    "kept in a list on one side, then written": Failure(
        """
def f(x, n, k):
    s, r, o = x[0], 0.5, [2]
    if s > -5:
        r = s
        if x.sum() > -5:
            o[0] = r
        r += 0.5
    return o
""",
        "equal|refused",
    ),
    "an item that a loop defines, of what a test in it decides": Failure(
        """
def f(x, n, k, m=None):
    v = x * 0.5
    for t1 in range(1, n + 1):
        if v.sum() > 0.1:
            pass
        else:
            v = x
        late0 = v[0]
    return late0
""",
        how=Settings("torch", 1, 1, False),
    ),
    "a view that is returned out of a loop that makes it": Failure(
        """
def f(x, n, k):
    v = x
    while n > 0:
        v = np.flip(v)
        return v
    return x
""",
        how=Settings("numpy", 1, 0, False),
    ),
}
