"""Loops: while, for over numbers and rows, break, continue, else, return inside."""

import torch

from .row import Rows

ROWS = Rows()
UP, ONE, FOUR = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(1.0), torch.tensor(4)


@ROWS("while on a tensor", torch.tensor(5.0))
def halve(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return x, n


@ROWS("break and else", FOUR, typed=True)
def smallest_divisor(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            prime = False
            break
        d = d + 1
    else:
        prime = True
    return prime, d


@ROWS("continue", FOUR, typed=True)
def sum_of_odd(n):
    odd = torch.tensor(0)
    while n > 0:
        n = n - 1
        if n % 2 == 0:
            continue
        odd = odd + n
    return odd


@ROWS("return inside of a loop", UP, ONE)
def first_above(x, limit):
    for i, v in enumerate(x):
        if v > limit:
            return i
    return -1


@ROWS("for over a range that a tensor ends", UP, FOUR)
def decay(x, n):
    for i in range(n):
        x = x * 0.5 + i
    return x


@ROWS("for over a range that an argument ends", UP, 3, note="The loop stays a loop; Python counts it.")
def repeat(x, times: int):
    for _ in range(times):
        x = x * 2
    return x


@ROWS("The index behind the loop", FOUR, note="With no trips there is none: a check says so.")
def last_index(n):
    s = 0
    for i in range(n):
        s += i * i
    return s, i


@ROWS("for over rows, with a stacked result", torch.ones(3, 2))
def running(x):
    h = torch.zeros(x.shape[1])
    outs = []
    for row in x:
        h = 0.5 * h + row
        outs.append(h)
    return torch.stack(outs), h


@ROWS("A list that begins with items, and gets several a trip", UP)
def both_ways(x):
    outs = [x.sum()]
    for v in x:
        outs.append(v)
        outs.append(-v)
    return torch.stack(outs)


@ROWS(
    "A list of tensors of several shapes",
    torch.ones(5, 3),
    note="Where the shape of an item hangs on the number of the trip, or on a mask, the list is one in the graph, too.",
)
def chunks(x):
    parts = []
    for i in range(0, x.shape[0], 2):
        parts.append(x[i : i + 2] * 2)
    return torch.cat(parts), len(parts)


@ROWS("zip, enumerate, reversed", UP, UP)
def paired(a, b):
    s = torch.tensor(0.0)
    for i, (u, v) in enumerate(zip(a, b)):
        s = s + i * u * v
    for u in reversed(a):
        s = s * 0.5 + u
    return s


@ROWS("for over a dictionary, a list, a text", UP, note="Python's own containers are gone through at capture.")
def by_name(x):
    factors = {"a": 2.0, "b": 3.0}
    for key, factor in factors.items():
        if key != "b":
            x = x * factor
        else:
            x = x + factor
    return x


@ROWS("A test that is Python's at first and a tensor's later", ONE)
def until_small(x):
    done = False
    while not done:
        x = x - 0.5
        done = x < 1
    return x


@ROWS("What a loop carries has one kind of numbers", torch.tensor(3), typed=True, refused=True)
def dtype_changes(n):
    t = torch.tensor(0)
    while n > 0:
        t = t + 0.5
        n = n - 1
    return t


@ROWS(
    "Floats that its trips make wider",
    UP.half(),
    FOUR,
    typed=True,
    note="JAX holds them in the wider dtype from the start, also where no trip runs.",
)
def widens(x, n):
    while n > 0:
        x = x.float() / 3
        n = n - 1
    return x


@ROWS("What a loop carries has one shape", UP, ONE, typed=True, refused=True)
def shape_grows(x, limit):
    while x.sum() < limit:
        x = torch.cat([x, x])
    return x


@ROWS(
    "None before the first trip",
    torch.tensor([[1.0, 3.0], [2.0, 0.0], [0.0, 5.0]]),
    typed=True,
    note="Where the number of trips is known and not 0, the first one runs before the loop, and what it changes for good is settled; "
    "where an open number says how many there are, that is asked first.",
)
def none_before_rows(rows):
    largest = None
    for row in rows:
        largest = row if largest is None else torch.maximum(largest, row)
    return largest


@ROWS("What a loop with an open number of trips carries is not None at first", UP, FOUR, refused=True)
def none_at_first(x, n):
    previous = None
    while n > 0:
        x = x if previous is None else x + previous
        previous = x
        n = n - 1
    return x


@ROWS(
    "A list that grows by as many items as a tensor says",
    UP,
    FOUR,
    note="The list is one value in the graph, of which each trip makes another. JAX compiles none of open length: its source runs where data are "
    "at hand.",
)
def grows(x, n):
    outs = []
    for i in range(n):
        outs.append(x * i)
    return torch.stack(outs)


@ROWS("A list that grows under a tensor's test", UP)
def filtered(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    return torch.stack(kept)


@ROWS("A list that its loop reads", UP, note="Python runs such a loop in JAX's source, too.")
def looks_back(x):
    sums = [x[0]]
    for v in x[1:]:
        sums.append(sums[-1] + v)
    return torch.stack(sums)


@ROWS("An iterator that a loop moves on", UP, refused=True)
def steps_on(x):
    weights = iter([0.5, 0.25, 0.125])
    total = torch.tensor(0.0)
    for v in x:
        total = total + next(weights) * v
    return total
