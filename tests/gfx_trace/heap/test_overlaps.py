"""Writes in place that take elements which they write themselves: PyTorch raises, or what comes of it hangs on their order."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


def moves_on(x):
    x[1:] = x[:-1]
    return x


def by_its_first(x):
    x[::2] *= x[0]
    return x


def by_a_method(x):
    x.addcmul_(x[0], x[0])
    return x


def by_a_keyword(x):
    x.clamp_(max=x[1])
    return x


def over_each_other(x):
    x[::2] += x[:4]
    return x


def through_another_shape(x):
    rows = x.view(2, 4)
    rows -= rows[:, 0:1]
    return x


def transposed(x):
    square = x[:4].view(2, 2)
    square.copy_(square.T)
    return x


def by_the_larger(x):
    x *= max(x[-1], x.var())
    return x


def by_one_of_two(x):
    part = x[1:] if x.sum() > 0 else torch.ones(7)
    x[:-1] += part
    return x


def by_what_a_loop_leaves(x):
    largest = x[0]
    for row in torch.ones(3):
        largest = max(largest, row)
    x -= largest
    return x


def by_what_a_function_picks(x):
    x *= picked(x[0], torch.ones(()), x.mean())
    return x


def picked(first, other, test):
    return first if test > 0 else other


@pytest.mark.parametrize("given", ((), (torch.arange(1.0, 9.0),)), ids=("open", "typed"))
@pytest.mark.parametrize(
    "f",
    (moves_on, by_its_first, by_a_method, by_a_keyword, over_each_other, through_another_shape, transposed)
    + (by_the_larger, by_one_of_two, by_what_a_loop_leaves, by_what_a_function_picks),
)
def test_what_hangs_on_the_order_is_refused(f, given):
    with pytest.raises(UnsupportedConstruct, match="elements that it writes itself"):
        gfx.symbolic_trace(f, *given, backend="torch")


def by_its_size(x):
    n = x.size(1)
    x[:, 1:] = x[:, : n - 1]
    return x


def of_an_image(x):
    _, height, _, channels = x.size()
    x[:, 1:, :, : channels // 4] = x[:, : height - 1, :, : channels // 4]
    return x


@pytest.mark.parametrize("shape", ["open", ("B", "H", "W", 8), ("B", 6, 6, 8)], ids=str)
@pytest.mark.parametrize("f", (by_its_size, of_an_image))
def test_places_that_are_computed_of_sizes_are_told(f, shape):
    given = () if shape == "open" else (gfx.TensorSpec(shape, "float32"),)
    with pytest.raises(UnsupportedConstruct, match="elements that it writes itself"):
        gfx.symbolic_trace(f, *given, backend="torch")


def halves(x):
    x[:4] += x[4:]
    x[0] = x[1]
    x[:2] *= x[3]
    return x


def every_second(x):
    x[::2] += x[1::2]
    return x


def at_an_open_place(x):
    half = x.shape[0] // 2
    first = x[:half]
    first += x[half:]
    return x


def at_its_ends(x):
    x[:2] = x[-4:-2]
    x[-2:] = x[2:4]
    return x


def with_itself(x):
    x *= x
    x += x.view(-1)
    x += x.flip(0)
    return x


def row_by_row(x):
    for i in range(1, 4):
        x[i] = x[i - 1]
        x[i] += x[i - 1]
    return x


def of_copies(x):
    x[1:] = x[:-1].clone()
    x[1:] = x[:-1] * 2
    x[0], x[1] = x[1].clone(), x[0].clone()
    return x


def with_one_of_two(x):
    whole = x if x.sum() > 0 else torch.ones(8)
    x *= whole
    x[:4] += picked(x[4:], torch.ones(4), x.mean())
    x[0] = max(x[1], x[2])
    return x


@pytest.mark.parametrize("given", ((), (torch.arange(1.0, 9.0),)), ids=("open", "typed"))
@pytest.mark.parametrize(
    "f",
    (halves, every_second, at_an_open_place, at_its_ends, with_itself, row_by_row, of_copies, with_one_of_two),
)
def test_what_does_not_hang_on_it_is_written(f, given):
    program, x = gfx.symbolic_trace(f, *given, backend="torch"), torch.arange(1.0, 9.0)
    np.testing.assert_allclose(program(x.clone()), f(x.clone()))


def test_numpy_copies_first():
    def f(x: np.ndarray):
        x[1:] = x[:-1]
        x[::2] *= x[0]
        return x

    np.testing.assert_allclose(gfx.symbolic_trace(f)(np.arange(1.0, 9.0)), f(np.arange(1.0, 9.0)))
