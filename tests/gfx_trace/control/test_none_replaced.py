"""What is None on one way of a test, and replaced there: behind that it is what each way left."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx

X = torch.arange(6.0).reshape(2, 3) - 2.5
FLAGS = [torch.tensor(value) for value in (-6.0, -2.0, 0.5, 2.0)]


def perhaps(x, flag):
    return x if flag else None


def by_default(x, p):
    v = perhaps(x * 2, p > 0)
    if v is None:
        v = torch.zeros_like(x)
    return v * 0.5 + x


def unless(x, p):
    v = perhaps(x * 2, p > 0)
    if v is not None:
        y = v + 1
    else:
        y, v = x, x * 5
    return y + v


def of_another(x, p):
    v, w = perhaps(x * 2, p > 0), perhaps(x * 3, p > 1)
    if v is None:
        v = x
    if w is None:
        w = v
    return v + w


def one_after_another(x, p):
    v = None
    if p > 0:
        v = x * 2
    if v is None and p > -5:
        v = x * 4
    if v is None:
        v = x
    return v


def two_reasons(x, p):
    v = perhaps(x, p > 0)
    if v is None and p < -3:
        v = x * 7
    elif v is None:
        v = x * 9
    return v


def or_another_size(x, p):
    v = perhaps(x, p > 0)
    if v is None or v.shape[0] != x.shape[0]:
        v = x * 3
    return v + x


def in_a_dictionary(x, p):
    held = {"h": perhaps(x, p > 0)}
    if held["h"] is None:
        held["h"] = x + 10
    return held["h"]


def a_pair(x, p):
    v = perhaps((x, x * 2), p > 0)
    if v is None:
        v = (x * 3, x * 4)
    return v[0] + v[1]


def in_a_loop(x, p):
    v = perhaps(x, p > 0)
    for _ in range(3):
        if v is None:
            v = x * 0
        v = v + 1
    return v


def the_largest(x, p):
    best = None
    for at in range(2):
        if best is None or x[at].sum() > best:
            best = x[at].sum()
    return best * p


def of_a_parameter(x, p):
    def doubled(u=None):
        if u is None:
            u = x * 2
        return u + 1

    return doubled(perhaps(x, p > 0)) + doubled()


PROGRAMS = [
    by_default, unless, of_another, one_after_another, two_reasons, or_another_size, in_a_dictionary, a_pair, in_a_loop, the_largest,
    of_a_parameter,
]  # fmt: skip


@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_what_was_none_is_what_replaced_it(f, target):
    for sample in ((X, FLAGS[0]), ()):
        emitted = gfx.transpile(f, *sample, to=target)
        for p in FLAGS:
            given = (X, p) if target == "torch" else (X.numpy(), p.numpy())
            np.testing.assert_allclose(np.asarray(emitted(*given)), f(X, p).numpy(), atol=1e-6)
