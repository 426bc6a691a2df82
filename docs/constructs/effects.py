"""assert, raise, print, try, with, match."""

import torch

from .row import Rows

ROWS = Rows()
UP, ONE, FOUR = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(1.0), torch.tensor(4)


@ROWS("assert on a tensor", UP)
def positive_log(x):
    assert x.min() > 0, "x must be positive"
    return x.log()


@ROWS("raise under a tensor's test", UP)
def checked(x):
    if x.sum() < 0:
        raise ValueError("negative sum")
    return x.sqrt()


@ROWS("assert on a shape", UP)
def first_two(x):
    assert x.shape[0] >= 2, "too short"
    return x[:2]


@ROWS("print", FOUR)
def count_down(n):
    while n > 0:
        print("left", n)
        n = n - 1
    return n


@ROWS("try / finally, with a return inside", UP)
def finally_(x):
    log = []
    try:
        if x.sum() > 0:
            return x * 2, log
        x = x + 1
    finally:
        log.append("done")
    return x, log


@ROWS("try / except around Python's values", UP)
def lookup(x):
    factors = {"a": 2.0}
    try:
        factor = factors["b"]
    except KeyError as error:
        factor = 3.0 if error.args else 1.0
    return x * factor


@ROWS("A tensor's raise that is caught", UP, refused=True)
def caught(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative")
        y = x * 2
    except ValueError:
        y = x * 0
    return y


@ROWS("with, with a return inside", UP)
def without_gradient(x):
    with torch.no_grad():
        if x.sum() > 0:
            return x * 2
        y = x - 1
    return y


@ROWS("match", UP)
def matched(x):
    match ("scale", 3.0):
        case ("scale", k):
            return x * k
        case None:
            return x
