"""Functions that are hard to rewrite; `arguments` are the tuples to call each with."""
# ruff: noqa: F821, F841, UP031

from __future__ import annotations

import contextlib
import functools
import math
import types

FUNCTIONS: list[types.FunctionType] = []
CONSTANT = [1, 2, 3]
counter = 0


def with_arguments(*tuples):
    def register(fn):
        fn.arguments = [t if isinstance(t, tuple) else (t,) for t in tuples]
        FUNCTIONS.append(fn)
        return fn

    return register


@with_arguments((1, 10), (200, 10), (1, 0), (1, 3), (1, 4))
def loops_with_jumps(x, n):
    """Doc."""
    total = 0
    for i in range(n):
        if i == 3:
            continue
        for j in range(i):
            if j > 4:
                break
            if x > 100:
                return total, i, j
            total += j
        else:
            total += 100
    while n > 0:
        n -= 1
        if n == 2:
            break
        y = n
    if total > 300:
        return "early"
    return total, y


@with_arguments([1, 5, -3, 8], [], [9, 9], [0, 1])
def walrus_everywhere(xs):
    out = []
    it = iter(xs)
    while (v := next(it, None)) is not None and (w := v * 2) < 15:
        if ((d := w - 3) > 0 and (e := d % 3)) or (e := -1):
            out.append((v, w, d, e))
        out.append(y if (y := v + 1) > 2 else (z := y, z))
    squares = [s for x in xs if (s := x * x) > 1 and s < 70]
    last = (lambda k: (m := k + 1) > 2 and m)(len(xs))
    return out, squares, last, (v or (v := 3)), 0 < (q := len(xs)) < (r := q + 1) < 9 and r


@with_arguments(0, 1, 2, 3)
def chains_once(n):
    seen = []

    def see(v):
        seen.append(v)
        return v

    a = see(0) < see(n) <= see(2) != see(5)
    b = see(1) in (see(1), 2) is not see(None)
    c = not see(n) == see(1) > see(-1)
    return a, b, c, seen


@with_arguments(0, 1, 2, 3, 4, 5)
def try_finally_jumps(n):
    log = []
    for i in range(6):
        try:
            try:
                if i == n:
                    log.append("stop")
                    if n == 2:
                        break
                    if n == 3:
                        continue
                    if n == 4:
                        return log, i
                    raise ValueError(i)
                log.append(i)
            except ValueError as e:
                log.append(str(e))
                if n == 1:
                    raise KeyError("again") from e
            else:
                log.append("else")
        finally:
            log.append("finally")
    else:
        log.append("loop else")
    return log


@with_arguments(0, 1, 2)
def try_returns(n):
    with contextlib.suppress(ZeroDivisionError):
        try:
            if n == 1:
                return "one"
            x = 1 / n
            return x
        except ZeroDivisionError:
            if n == 0:
                x = "zero"
            raise
    return x


@with_arguments(0, 1)
def handler_names(n):
    e = "before"
    try:
        if n:
            raise TypeError("t")
    except (TypeError, ValueError) as e:
        kept = [e.args, lambda: e]
        return kept[0]
    return e


@with_arguments((), (1,), (1, 2, 3, 4))
def star_unpacking(*args):
    first, *rest = args
    (a, *b), c = (args, *rest), [*rest, first]
    *d, e = c
    obj = types.SimpleNamespace(p=[0, 0], q=None)
    obj.q, obj.p[1], *obj.r = *args, 7, 8
    i, obj.p[i], (j, k) = 0, 5, (1, 2)
    x = y, z = 3, 4
    return a, b, c, d, e, obj.q, obj.p, obj.r, x, y, z, i, j, k, max(*args, *rest, key=lambda v: -v), {**{"a": a}}


@with_arguments(
    ("scale", 3), ("scale",), {"op": "shift", "by": 1, "z": 2}, None, 7, "text", [1, 2, 3, 4], [[1, 2], 3], True,
    2.5, {"op": "?"}, complex(1, 2), ([],), (range(3),),
)  # fmt: skip
def matching(*spec):
    spec = spec if len(spec) > 1 else spec[0]
    out = []
    for s in (spec, [spec], {"k": spec}):
        match s:
            case ("scale", k) | ("size", k, _):
                return "scaled", k
            case {"op": "shift", "by": int(k), **rest} if k > 0:
                out.append((k, rest))
            case {"k": [a, *_, b]} | [a, b, _]:
                out.append((a, b))
            case None | True:
                out.append("singleton")
            case [[x, y], *others]:
                out.append((x, y, others))
            case complex(real=r, imag=2 as i):
                out.append((r, i))
            case str() | float() as text:
                out.append(text)
            case [] | {}:
                out.append("empty")
                continue
            case _:
                break
    else:
        out.append("no break")
    return out


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


@with_arguments((1, 2), (2, 1), (0, 0))
def both_sides_go_on(a, b):
    s = 0
    if a > b:
        if a == 2:
            return "two"
        s = 1
    else:
        if b == 2:
            return "b", s
        s = s + 5
        t = 3
    s += a
    if s > 4:
        return s, t
    assert s > 100, f"small {s}"


@with_arguments(0, 1, 2)
def returns_from_with(n):
    with contextlib.nullcontext(n) as k, contextlib.nullcontext((1, 2)) as (p, q):
        if k == 0:
            return "zero"
        for i in range(3):
            while True:
                if i == k:
                    return i, p, q
                break


@with_arguments(0, 1)
def augmented(n):
    log = []

    def at(k):
        log.append(k)
        return k

    x, o = [[1], 2, 3], types.SimpleNamespace(v=[0])
    y = x[0]
    x[at(0)] += [n]
    x[at(1) + 1] *= 5
    x[at(n) :] += (9,)
    o.v += [n]
    o.v[0] -= 4
    y @= n if n > 5 else 0 if False else _Mat()
    return x, y, o.v, log


class _Mat:
    def __rmatmul__(self, other):
        return "matmul", other


@with_arguments(0, 1)
def declared_only(n):
    x: int
    y: int = n
    if n:
        x = 2
    return x + y


@with_arguments(1)
def imports_inside(n):
    import math as m
    import os.path
    from math import pi

    return m.floor(n), pi, os.path.sep, slice(n), [0, 1, 2][slice(n)]


@with_arguments(0, 2)
def recursion(n):
    return recursion(n - 1) + [n] if n else []


@with_arguments(1, 2)
def raises(n):
    try:
        if n == 1:
            raise ValueError from None
        raise KeyError("k") from ValueError
    except (ValueError, KeyError) as e:
        return type(e), type(e.__cause__), e.__suppress_context__
