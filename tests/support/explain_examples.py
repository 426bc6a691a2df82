"""One function for each row of the catalogue of constructs that says where control goes."""
# ruff: noqa: F841, RUF100, SIM108

import torch

from explain_shown import shows


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
