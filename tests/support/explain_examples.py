"""One function for each row of the catalogue of constructs, marked with the row's name on its line."""
# ruff: noqa: F841, RUF100, SIM108

import io
import math

import torch

EXAMPLES = []
held = 0.0
_space = {"__name__": "typed_in", "torch": torch}
exec("def typed_in(x):\n    return x if x.sum() > 0 else -x", _space)
typed_in = _space["typed_in"]


def shows(construct, refused=False):
    """Registers an example; `refused`: a capture with open tensors raises the error that the row names."""

    def register(fn):
        EXAMPLES.append((fn, construct, refused))
        return fn

    return register


def helper(x):
    return x + 1


@shows("async", refused=True)
async def coroutine(x):
    return x


@shows("async function inside")
def inner_coroutine(x):
    async def never(y):
        return y

    return x


@shows("async", refused=True)
def async_comprehension(x):
    return (i async for i in x)


@shows("call of async code", refused=True)
def calls_coroutine(x):
    return coroutine(x)


@shows("if")
@shows("not")
def branch(x):
    if not x.sum() > 0:
        x = -x
    return x


@shows("match")
def matched(x):
    match x.sum() > 0:
        case True:
            x = -x
    return x


@shows("variable of one branch", refused=True)
def one_branch(x):
    if x.sum() > 0:
        y = x
    return y


@shows("None or a text from one branch", refused=True)
def none_of_one(x):
    if x.sum() > 0:
        y = None
    else:
        y = x
    return y


def yields_under_test(x):
    if x.sum() > 0:
        yield x


@shows("if around a yield", refused=True)
def uses_generator(x):
    def items():
        if x.sum() > 0:
            yield x

    return [y for y in items()]


@shows("yield")
@shows("loop around a yield")
def yields_in_loop(x):
    def items():
        for i in range(2):
            yield x + i

    return sum(items())


@shows("while")
@shows("break")
@shows("else of a loop")
def halved(x):
    while x.sum() > 1:
        x = x / 2
        if x.max() < 0.1:
            break
    else:
        x = x + 1
    return x


@shows("for over a fixed container")
def over_display(x):
    for factor in (1.0, 2.0):
        x = x * factor
    return x


@shows("for over a range")
@shows("continue")
@shows("variable of a loop, read after it")
def over_range(x):
    for i in range(3):
        if x.sum() > 5:
            continue
        x = x + i
    return x * i


@shows("for")
def over_rows(x):
    total = 0.0
    for row in x:
        total = total + row.sum()
    return total


@shows("return before the end")
def early(x):
    if x.sum() > 0:
        return x
    return -x


@shows("None before a loop", refused=True)
def none_before(x):
    last = None
    while x.sum() > 1:
        last = x
        x = x / 2
    return last


@shows("jump out of finally", refused=True)
def dropping(x):
    try:
        x = x + 1
    finally:
        return x


@shows("try with except")
def handled(x):
    try:
        x = x + {}["a"]
    except KeyError:
        x = x + 2
    return x


@shows("try with finally")
@shows("with")
def finished(x):
    try:
        with torch.no_grad():
            x = x + 1
    finally:
        x = x * 2
    return x


@shows("raise inside try", refused=True)
def caught(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")
    except ValueError:
        x = -x
    return x


@shows("raise under a test")
@shows("assert")
def checked(x):
    if x.sum() > 0:
        raise ValueError("positive")
    assert x.max() < 5
    return x


@shows("raise")
def raised(x):
    try:
        raise ValueError("always")
    except ValueError:
        return x


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


@shows("starred assignment", refused=True)
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


@shows("sum, any, all of a generator")
def folded(x):
    return sum(row.sum() for row in x if row[0] > 0)


@shows("comprehension with if", refused=True)
def filtered(x):
    return [row for row in (x, -x) if row.sum() > 0]


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


@shows("sorted", refused=True)
def ordered(x):
    return sorted([x.sum(), x.max()])


@shows("next", refused=True)
def takes_the_next(x):
    steps = iter([1.0, 2.0])
    return next(steps) * x if x.sum() > 0 else x


@shows("append in a loop", refused=True)
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
