"""Gradient modes around and inside of tests and loops."""

import pytest
import torch

from aliasing import Programs
from gradient_modes import assert_gradients

case = Programs()


@case
def around_a_test(x):
    y = x * 2
    with torch.no_grad():
        if x.sum() > 2:
            y += x
        else:
            y = y * 3
    return y * x


@case
def inside_a_test(x):
    y = x * 2
    if x.sum() > 2:
        with torch.no_grad():
            y += x
    return y * x


@case
def left_as_it_was_by_both_sides(x):
    if x.sum() > 2:
        torch.set_grad_enabled(False)
        y = x * 2
        torch.set_grad_enabled(True)
    else:
        y = x * 3
    return y + x


@case
def returned_early(x):
    with torch.no_grad():
        if x.sum() > 2:
            return x * 2
        y = x * 3
    return y * x


@case
def of_numbers(x):
    with torch.no_grad():
        found = [round(e) for e in [a for a, _ in zip([1 for e in x], [0.5])]]
    return x * sum(found)


@case
def passed_through(x):
    with torch.no_grad():
        y = x if x.sum() > 2 else x * 2
    return y * y


@case
def inside_a_loop(x):
    y = x * 2
    for _ in range(3):
        with torch.no_grad():
            y += x
        y = y * x
    return y


@case
def inside_a_while(x):
    y = x * 2
    while y.abs().sum() < 50:
        with torch.no_grad():
            y *= 2
        y = y + x
    return y + x


@case
def around_a_while(x):
    y = x * 2
    with torch.no_grad():
        while y.abs().sum() < 50:
            y = y * 2 + x
    return y + x


@case
def set_in_each_trip(x):
    y = x
    for i in range(3):
        y = y * x
        torch.set_grad_enabled(i % 2 == 1)
    torch.set_grad_enabled(True)
    return y * x


@case
def around_a_comprehension(x):
    with torch.no_grad():
        parts = [x * i for i in range(3)]
    return sum(part * x for part in parts)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@case
def around_a_function_with_its_own_gradient(x):
    with torch.no_grad():
        y = Twice.apply(x)
    return y * x + Twice.apply(x)


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", case, ids=lambda fn: fn.__name__)
def test_gradients_are_those_of_pytorch(fn, level):
    assert_gradients(fn, level)
