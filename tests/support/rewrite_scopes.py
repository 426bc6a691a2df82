"""Functions that are hard to rewrite for their scopes: classes, closures, generators, comprehensions, globals."""
# ruff: noqa: F821, F841, UP031

from __future__ import annotations

import functools
import math
import types

from rewrite_arguments import with_arguments

CONSTANT = [1, 2, 3]
counter = 0


class Pair:
    __match_args__ = ("left", "right")

    def __init__(self, left, right):
        self.left, self.right = left, right


@with_arguments(Pair(1, 2), Pair(0, [5]), Pair(3, None), 4)
def match_class(p):
    match p:
        case Pair(0, [v]) | Pair(1, v):
            return "first", v
        case Pair(left, right=math.inf | None):
            return "second", left
        case int(n):
            return n


@with_arguments(0, 1)
def deletion(n):
    x, y = [1, 2, 3], types.SimpleNamespace(a=1, b=2)
    del x[n], y.a
    k = 1
    if n:
        del k, y.b
    return x, vars(y), k


@with_arguments(0, 3)
def closures_and_nonlocal(n):
    total, fs = 0, []

    def add(v):
        nonlocal total, last
        total += v
        last = v
        return total

    def fact(k):
        return 1 if k < 2 else k * fact(k - 1)

    for i in range(n):
        add(i)
        fs.append(lambda: i + total)
        fs.append(lambda i=i: i * 10)
    last = -1 if not n else last
    late = [lambda: j for j in range(2)]
    gen = (v * scale for v in range(3))
    scale = 5
    return total, last, [f() for f in fs], [f() for f in late], list(gen), fact(4)


class Base:
    kind = "base"

    def act(self, v):
        return (self.kind, v)

    @classmethod
    def build(cls, v):
        return cls.__name__, v


class Derived(Base):
    __secret = 3

    def act(self, v):
        __local = self.__secret
        if v > 0:
            self.__seen = v
            return super().act(v + __local), self.__seen
        return [super().act(v), __class__.__name__, (lambda s: super().kind)(self)]

    @classmethod
    def build(cls, v):
        return super().build(v) if v else None


def _methods(v):
    return Derived().act(v), Derived.build(v)


with_arguments((Derived(), 1), (Derived(), -1))(Derived.act)
with_arguments((Derived, 1), (Derived, 0))(Derived.build.__func__)


def twice(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs), fn(*args, **kwargs)

    return wrapper


@with_arguments(1, -1)
def decorated_inside(x):
    order = []

    def tag(name, _=order.append("default")):
        order.append(name)
        return lambda fn: lambda v: (name, fn(v))

    @tag("outer")
    @tag("inner")
    def f(v, scale=order.append("f") or 2):
        if v > 0:
            return v * scale
        return -v

    @twice
    def g(v):
        return v + 1

    return f(x), g(x), g.__name__, order


@with_arguments(3, 0)
def generators(n):
    def pairs(k):
        for i in range(k):
            if i == 2:
                got = yield "two"
                continue
            try:
                yield i, i + 1
            finally:
                if i > 3:
                    return
            if i and n:
                i += 10
            yield i
        yield from [7, 8]
        while (yield "more") is None and k > 0:
            k -= 1
            if k == 1:
                break
        return "done"

    def outer(k):
        r = yield from pairs(k)
        yield r or (yield "never")

    return list(outer(n)), [*pairs(1)]


@with_arguments(([[1, 2], [3, 4]],), ([],))
def comprehensions(rows):
    d = {k: v for k, (v, *_) in enumerate(rows)}
    flat = [x * y for x, y in rows if x < y for _ in range(2)]
    sets = {tuple(r) for r in rows}
    nested = [[v + i for v in r] for i, r in enumerate(rows)]
    return (
        d,
        flat,
        sets,
        nested,
        sum(a * b for a, b in rows),
        any(x in r for r in rows for x in (1, 9)),
        [(a, b) for a, [b, c] in [(0, r) for r in rows]],
    )


@with_arguments((1.5, "w"), (-2, None))
def texts(x, y):
    width = 7
    return f"{x:>{width}.2f}|{y!r}|{x + 1=}|{{}}{'a' if y else 'b'!s:*^5}", "%s" % y


@with_arguments(0, 1, 5)
def globals_and_frames(n):
    global counter
    counter = n
    for counter in range(n):
        counter += 1
    a = dict(locals())
    return counter, a, eval("n + 1"), globals()["CONSTANT"], CONSTANT[-1], sorted(vars())
