"""`try` with `except`: what is raised during capture is caught as Python does; what only may be raised is refused."""

import io

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


def missing_key(x):
    try:
        if x.sum() > 0:
            y = {}["a"]
        else:
            y = x
    except KeyError:
        y = x * 2
    return y


def missing_key_in_a_loop(x):
    y = x
    try:
        while x.sum() > 0:
            x = x - 1
            y = {}["a"]
    except KeyError:
        y = x * 2
    return y


def missing_key_in_an_expression(x):
    try:
        return x if x.sum() > 0 else {}["a"]
    except Exception:
        return x * 2


def raised_under_a_test(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")
    except:  # noqa: E722
        x = x * 2
    return x


@pytest.mark.parametrize(
    "fn",
    [missing_key, missing_key_in_a_loop, missing_key_in_an_expression, raised_under_a_test],
    ids=lambda f: f.__name__,
)
def test_what_a_test_decides_cannot_be_caught(fn):
    with pytest.raises(UnsupportedConstruct, match=r"(?s)traced test.*except clause.*test_handlers.py"):
        gfx.symbolic_trace(fn)


OUTPUT = io.StringIO()


def refused(x):
    try:
        print(x, file=OUTPUT)
    except Exception:
        x = x + 1
    return x


def test_a_refusal_is_not_the_users_to_catch():
    with pytest.raises(UnsupportedConstruct, match="print with file"):
        gfx.symbolic_trace(refused)


def straight(x):
    try:
        y = {}["a"]
    except KeyError:
        y = x * 2
    return y


def under_the_test(x):
    if x.sum() > 0:
        try:
            y = {}["a"]
        except KeyError:
            y = x * 2
    else:
        y = x
    return y


def raised_and_caught_under_the_test(x):
    if x.sum() > 0:
        try:
            raise ValueError("positive")
        except ValueError:
            x = x * 2
    return x


def in_an_unrolled_loop(x):
    total = x
    for i in range(4):
        try:
            total = total + [x, x * 2][i]
        except IndexError:
            break
    return total


@pytest.mark.parametrize(
    "fn", [straight, under_the_test, raised_and_caught_under_the_test, in_an_unrolled_loop], ids=lambda f: f.__name__
)
def test_what_capture_raises_is_caught_as_python_does(fn):
    program = gfx.symbolic_trace(fn)
    for x in (torch.ones(2), -torch.ones(2)):
        np.testing.assert_allclose(program(x), fn(x))
