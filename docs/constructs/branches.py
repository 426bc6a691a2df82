"""Tests: if, elif, else, early return, ternary's bigger brothers, and what cannot be joined."""

import torch

from .row import Rows

ROWS = Rows()
UP, ONE = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(1.0)


@ROWS("if / elif / else on a tensor", ONE)
def piecewise(x):
    if x > 1:
        y = x * 2
    elif x > 0:
        y = x + 1
    else:
        y = -x
    return y


@ROWS("Early return", UP, ONE)
def unit(x, floor):
    n = torch.linalg.vector_norm(x)
    if n < floor:
        return torch.zeros_like(x)
    return x / n


@ROWS("if on an argument that is not a tensor", UP, 2, note="The test is settled by Python, when the source runs.")
def power(x, degree: int = 1):
    if degree == 1:
        return x
    return x**degree


@ROWS("if on a shape", UP, note="A size is a Python number: Python decides, for any input.")
def center(x):
    if x.shape[0] > 1:
        x = x - x.mean()
    return x


@ROWS("if on None", UP, note="What the sides return need not agree; the test is emitted as Python's own.")
def scale(x, bias=None):
    if bias is not None:
        return x + bias, True
    return x


@ROWS("A variable that one side sets, read where it is set", ONE)
def later(x):
    positive = x > 0
    if positive:
        y = x * 3
    z = x + 1
    if positive:
        z = z + y
    return z


@ROWS("A variable that one side sets, read anywhere", refused=True)
def one_side(x):
    if x.sum() > 0:
        y = x * 3
    return y + 1


@ROWS("Numbers beside tensors", UP, typed=True, note="The number takes the tensor's dtype.")
def weak(x):
    scale = 1
    if x[0] > 0:
        scale = x[1]
    return x * scale


@ROWS("Sides of different dtypes", UP, typed=True, refused=True)
def dtypes_differ(x):
    if x.sum() > 0:
        n = torch.tensor([1, 2, 3])
    else:
        n = x
    return n


@ROWS("Sides of different shapes", UP, typed=True, refused=True)
def shapes_differ(x):
    if x.sum() > 0:
        y = x[:2]
    else:
        y = x
    return y


@ROWS("Sides of different structure", UP, refused=True)
def structures_differ(x):
    if x.sum() > 0:
        parts = [x]
    else:
        parts = [x, -x]
    return parts


@ROWS("A text or None that a tensor chooses", UP, refused=True)
def text_escapes(x):
    if x.sum() > 0:
        mode = "up"
    else:
        mode = "down"
    return x if mode == "up" else -x


@ROWS("A text that stays within its side", UP)
def text_stays(x):
    factors = {"double": 2.0, "half": 0.5}
    if x.sum() > 0:
        key = "double"
        y = x * factors[key]
    else:
        key = "half"
        y = x * factors[key]
    return y


@ROWS("Annotated assignment in a side", ONE)
def annotated(x):
    if x > 0:
        y: torch.Tensor = x * 2
    else:
        y = x
    return y


@ROWS("del", ONE)
def deleted(x):
    t = x * 2
    y = t + 1
    del t
    return y


@ROWS("del in one side, and a read", ONE, refused=True)
def deleted_on_one_side(x):
    y = x * 2
    if x > 0:
        del y
    return y
