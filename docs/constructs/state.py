"""Writes: into arrays, containers, attributes, globals, outer variables."""

import torch

from .row import Rows

ROWS = Rows()
UP, ONE, FOUR = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(1.0), torch.tensor(4)
hits = torch.tensor(0)


class Counter:
    """A value and how often it was changed."""

    def __init__(self, value):
        self.value = value
        self.steps = 0

    def bump(self, by):
        self.value = self.value + by
        self.steps += 1


@ROWS(
    "Indexed writes under a test",
    UP,
    note="Writes are functional in the graph; what is not an argument's is written in place.",
)
def clamp_first(x):
    y = x.clone()
    if x.sum() > 0:
        y[0] = 10.0
        y[1:] += 1
    return y


@ROWS("Indexed writes in a loop", UP, FOUR)
def squares(x, n):
    out = torch.zeros(4)
    for i in range(n):
        out[i] = x.sum() * i
    return out


@ROWS("A write through a view reaches its base", torch.ones(2, 3))
def through_view(x):
    y = x.clone()
    row = y[0]
    row += 1
    return y


@ROWS("A write to an argument", UP, note="The new value is returned beside the result; calling the Program applies it.")
def in_place(x):
    x += 1
    return x.sum()


@ROWS("Slots of lists and dictionaries in a loop", torch.tensor(3.0))
def slots(x):
    state = {"value": x, "steps": 0}
    while state["value"] > 1:
        state["value"] = state["value"] * 0.7
        state["steps"] += 1
    return state


@ROWS("Attributes, through a method", ONE, shown=(Counter,))
def attributes(x):
    c = Counter(x)
    while c.value < 10:
        c.bump(1.5)
    return c.value, c.steps


@ROWS("An outer variable", torch.tensor(5.0))
def outer(x):
    steps = 0

    def advance():
        nonlocal x, steps
        x = x * 0.5
        steps += 1

    while x > 1:
        advance()
    return x, steps


@ROWS("A global, where a tensor decides", ONE, refused=True)
def global_write(x):
    global hits
    if x > 0:
        hits = hits + 1
    return x


@ROWS("A new key in one side only", ONE, refused=True)
def new_key(x):
    d = {}
    if x > 0:
        d["y"] = x
    return d
