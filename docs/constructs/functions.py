"""Functions, methods, closures, decorators, generators, recursion."""

import functools

import torch

from .row import Rows

ROWS = Rows()
UP, ONE = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(1.0)


def leaky(v, slope=0.1):
    if v.sum() > 0:
        return v
    return v * slope


def twice(fn):
    @functools.wraps(fn)
    def wrapper(v):
        return fn(fn(v))

    return wrapper


@twice
def grow(v):
    return v * 3 if v > 0 else v - 1


class Base:
    """Scales by a private gain."""

    def __init__(self, w):
        self.w = w
        self.__gain = 2.0

    @property
    def scale(self):
        return self.w * self.__gain

    def act(self, v):
        return v * self.scale if v.sum() > 0 else v


class Loud(Base):
    """Louder than its base."""

    def act(self, v):
        return super().act(v) + 100


def factorial(n):
    if n <= 1:
        return torch.ones_like(n)
    return n * factorial(n - 1)


def natural_power(v, n):
    return v * natural_power(v, n - 1) if n else torch.ones_like(v)


def pairs(n):
    for i in range(n):
        yield i, i + 1


def positive(x):
    for v in x:
        if v > 0:
            yield v


async def half(x):
    return x / 2


@ROWS("A helper with defaults and keywords", UP, shown=(leaky,))
def helper(x):
    return leaky(-x, slope=0.5) + x


@ROWS("Lambdas, partial, closures", UP)
def closures(x):
    def scaled(k, v, *, shift):
        return v * k + shift if v.sum() > 0 else v - shift

    clip = lambda v, hi=2.0: v if v < hi else hi
    return functools.partial(scaled, 3.0, shift=1.0)(x) + clip(x[0])


@ROWS("Decorators", ONE, shown=(twice, grow))
def decorated(x):
    return grow(x)


@ROWS("Objects: properties, mangled names, super()", UP, shown=(Base, Loud))
def objects(x):
    return Loud(3.0).act(x)


@ROWS("Recursion on Python's values", UP, shown=(natural_power,))
def recursion(x):
    return natural_power(x, 3)


@ROWS("Recursion as deep as a tensor says", torch.tensor(4), refused=True, shown=(factorial,))
def recursion_on_tensor(n):
    return factorial(n)


@ROWS("Generators", UP, shown=(pairs,))
def generated(x):
    for i, j in pairs(2):
        x = x + x[i] * j
    return x


@ROWS("yield under a tensor's test", UP, typed=True, refused=True, shown=(positive,))
def yield_under_if(x):
    s = torch.zeros(())
    for v in positive(x):
        s = s + v
    return s


@ROWS("async", UP, refused=True, shown=(half,))
def asynchronous(x):
    import asyncio

    return asyncio.run(half(x))


exec("def without_source(x):\n    return x * 2 + 1\ndef branching(x):\n    return x if x > 0 else -x", globals())


@ROWS("A function without source that does not branch", UP)
def straight(x):
    return without_source(x)


@ROWS("A function without source that asks a tensor", ONE, refused=True)
def no_source(x):
    return branching(x)
