"""Loops that data ends, written for JAX so that `jax.grad` goes through them."""

import torch

from .row import Rows

ROWS = Rows()
UP, ONE = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(1.0)


@ROWS("A counter in the loop's test is its bound", UP, torch.tensor(0.5), note="A trip behind the end changes nothing.")
def settle(x, tol, max_steps: int = 32):
    n = 0
    while (r := torch.tanh(x) - x).abs().max() > tol and n < max_steps:
        x = x + 0.5 * r
        n += 1
    return x, n


@ROWS(
    "A loop without a bound, and the promise of one",
    torch.tensor(9.0),
    max_trips=32,
    note="`lax.while_loop` has no reverse mode. With `max_trips` the loop has that many trips; the source checks the promise.",
)
def halve_down(x):
    while x > 1:
        x = x / 2
    return x


@ROWS("A loop over rows that ends early", UP, torch.tensor(2.5), max_trips=32)
def squares_below(x, limit):
    s = torch.tensor(0.0)
    for v in x:
        if v > limit:
            break
        s = s + v * v
    return s
