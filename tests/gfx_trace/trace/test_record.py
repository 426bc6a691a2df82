"""What Python has at a place stays known on the way out of a test: a number that one side made is one behind it."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


def a_class_behind_a_test(x):
    t = torch.sum(x) > 0
    if t:
        n = int(torch.max(x))
    y = x
    if t:
        y = x + 1 if isinstance(n, int) else x - 1
    return y


def a_type_behind_a_test(x):
    t = torch.sum(x) > 0
    if t:
        n = float(torch.max(x))
    y = x
    if t:
        y = x + (1 if type(n) is float else -1)
    return y


def a_number_changed_behind_a_test(x):
    t = torch.sum(x) > 0
    if t:
        n = float(torch.max(x))
    y = x
    if t:
        m = n
        n += 1.0
        y = x * m + n
    return y


def a_number_of_two_tests(x):
    t, u = torch.sum(x) > 0, torch.max(x) > 2
    if t:
        n = int(torch.max(x))
        if u:
            k = n + 1
    y = x
    if t:
        if u:
            y = x + k if isinstance(k, int) else x - k
    return y


def a_number_in_a_tuple(x):
    t = torch.sum(x) > 0
    if t:
        pair = int(torch.max(x)), x * 2
    y = x
    if t:
        y = pair[1] if isinstance(pair[0], int) else pair[0] * x
    return y


def a_number_read_in_a_loop(x):
    t = torch.sum(x) > 0
    if t:
        n = int(torch.max(x))
    y = x
    if t:
        for _ in range(2):
            y = y + n if isinstance(n, int) else y - n
    return y


CASES = [
    a_class_behind_a_test, a_type_behind_a_test, a_number_changed_behind_a_test, a_number_of_two_tests, a_number_in_a_tuple,
    a_number_read_in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("data", [[1.0, 3.0], [-1.0, -3.0], [1.0, 1.5]])
def test_a_number_is_one_behind_the_test_that_made_it(f, data):
    x = torch.tensor(data)
    torch.testing.assert_close(gfx.symbolic_trace(f)(x), f(x))


def by_its_class(x, keep: int | torch.Tensor = 0):
    return x[slice(-keep, None) if isinstance(keep, int) else keep]


def by_its_type(x, scale: torch.Tensor = 2.0):
    return x * 3 if type(scale) is float else x * scale


def by_what_follows(x, scale: float | torch.Tensor):
    half = scale / 2
    return x * half if isinstance(half, torch.Tensor) else x - half


def by_its_class_behind_a_test(x, scale: float | torch.Tensor):
    y = scale if x.sum() > 0 else scale * 2
    return x * 3 if isinstance(y, float) else x


@pytest.mark.parametrize("f", [by_its_class, by_its_type, by_what_follows, by_its_class_behind_a_test])
def test_the_class_of_what_may_be_a_number_or_a_tensor_is_not_guessed(f):
    with pytest.raises(CaptureError, match="cannot tell the class"):
        gfx.symbolic_trace(f)


def scaled(x, scale: float | torch.Tensor):
    y = scale
    scale = scale * 2
    return x * scale + y


@pytest.mark.parametrize("scale", [0.5, torch.tensor([1.0, 2.0])])
def test_a_number_or_a_tensor_is_computed_with(scale):
    x = torch.tensor([1.0, 3.0])
    torch.testing.assert_close(gfx.symbolic_trace(scaled)(x, scale), scaled(x, scale))
