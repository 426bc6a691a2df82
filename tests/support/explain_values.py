"""One function for each row of the catalogue of constructs that says what is written, asked, called or made."""
# ruff: noqa: F841, RUF100, SIM108

import io
import math

import torch

from explain_shown import shows

held = 0.0
_space = {"__name__": "typed_in", "torch": torch}
exec("def typed_in(x):\n    return x if x.sum() > 0 else -x", _space)
typed_in = _space["typed_in"]


def helper(x):
    return x + 1


@shows("write to a global", refused=True)
def global_write(x):
    global held
    held = x
    return x


@shows("write to an item")
@shows("in-place operator")
def written(x):
    y = x + 1
    y[0] = 5.0
    y += 1
    return y


@shows("write to an attribute")
@shows("class inside")
@shows("call of a Python function")
def attribute(x):
    class Box:
        pass

    box = Box()
    box.x = helper(x)
    return box.x


@shows("starred assignment")
def starred(x):
    first, *rest = x
    return first, rest


@shows("del")
@shows("nonlocal")
@shows("function inside")
@shows("lambda")
def nested(x):
    y = x

    def step():
        nonlocal y
        y = y + 1

    step()
    twice = lambda v: v * 2
    z = twice(y)
    del y
    return z


@shows("and, or")
@shows("conditional expression")
@shows("chain of comparisons")
def tests(x):
    return x if 0 < x.sum() < 5 and x.max() > 1 else -x


@shows("in")
@shows("is")
@shows("builtin on captured values")
def asks(x, y=None):
    return x if 3.0 in x and y is None else x * len(x)


@shows("sum, any, all, next of a generator")
def folded(x):
    return sum(row.sum() for row in x if row[0] > 0)


@shows("list comprehension with if")
def filtered(x):
    return [row for row in (x, -x) if row.sum() > 0]


@shows("comprehension with if", refused=True)
def chosen(x):
    return x * len({n for n in (1, 2) if x.sum() > n})


@shows("comprehension")
@shows("walrus")
@shows("starred argument")
def mapped(x):
    rows = [(y := row * 2) for row in (x, x)]
    return torch.stack([*rows]), y


@shows("f-string")
@shows("print")
def texts(x):
    print(f"{len('abc')} and more", x)
    return x


@shows("print", refused=True)
def print_to_a_file(x):
    print(x, file=io.StringIO())


@shows("eval, exec", refused=True)
def evaluated(x):
    return eval("x + 1")


@shows("number of a tensor")
def number(x):
    return x * float(x.sum()) + x.max().item()


@shows("sorted")
def ordered(x):
    return sorted([x.sum(), x.max()])


@shows("next", refused=True)
def takes_the_next(x):
    steps = iter([1.0, 2.0])
    return next(steps) * x if x.sum() > 0 else x


@shows("append in a loop")
def appended(x):
    outs = []
    while x.sum() > 1:
        x = x / 2
        outs.append(x)
    return outs


@shows("recursion", refused=True)
def again(x):
    return again(x / 2) if x.sum() > 1 else x


@shows("call without a row", refused=True)
def unknown(x):
    return torch.nested.to_padded_tensor(x, 0.0)


@shows("call of a function without source", refused=True)
def calls_typed_in(x):
    return typed_in(x)


@shows("call of a Python function")
def straight(x):
    return helper(x) * math.pi
