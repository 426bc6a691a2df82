"""and, or, not, chains, ternaries, membership, comprehensions, casts, unpacking."""

import torch

from .row import Rows

ROWS = Rows()
UP, ONE, TWO = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(1.0), torch.tensor(2.0)


@ROWS("and, or, not in a test", ONE, TWO)
def both(a, b):
    r = torch.zeros(())
    if a > 0 and not b > 0:
        r = r + 1
    if a > 0 or b > 0:
        r = r + 10
    return r


@ROWS("and, or that give an operand", ONE, TWO)
def operands(a, b):
    return (a and b), (a or b)


@ROWS("or guards what is right of it", torch.tensor(0), ONE)
def guarded(n, total):
    if n == 0 or total / n < 2:
        return total
    return total / n


@ROWS("A chain of comparisons", TWO, note="The middle is evaluated once.")
def chain(x):
    if 0 < x.exp() <= 3:
        return x * 10
    return x


@ROWS("Ternary", ONE)
def absolute(x):
    return x if x > 0 else -x


@ROWS("Walrus in a test", torch.tensor(5.0))
def walrus(x):
    while (y := x * 0.5) > 1:
        x = y
    return x


@ROWS("in, for a tensor's values", torch.tensor([4, 5, 6]), torch.tensor(5))
def contained(table, v):
    if v in table:
        return table + v
    return table


@ROWS("Comprehension", UP)
def folded(x):
    return sum(v * v if v > 0 else -v for v in x)


@ROWS("sum, any, all of what a tensor filters", UP)
def kept(x):
    return sum(v for v in x if v > 0), any(v > 2 for v in x if v < 3)


@ROWS("A comprehension that a tensor filters", UP, typed=True)
def filtered(x):
    return len([v for v in x if v > 0])


@ROWS(
    "int, float, bool, min, max, abs",
    torch.tensor([1.6, 2.2]),
    note="They give scalars of the graph, never Python numbers.",
)
def casts(x):
    n = int(x[0])
    h = float(n) / 2
    return max(h, x[1]) + abs(n) if bool(x[1] > 1) else h


@ROWS("sorted by a tensor's value", UP, note="JAX's source runs where data are at hand.")
def ordered(x):
    return sorted([x[0], x[1]], key=lambda v: v)


@ROWS("Unpacking, with a star", UP, typed=True)
def unpacked(x):
    first, *middle, last = x
    return torch.stack([last, *middle, first])


@ROWS("Formatted text", UP, note="A size is a Python number here too.")
def formatted(x):
    assert x.shape[0] > 1, f"only {x.shape[0]} rows"
    return x
