"""Functions that are hard to rewrite for where control goes: jumps, handlers, patterns, returns."""

from __future__ import annotations

import contextlib
import types

from rewrite_arguments import with_arguments


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
