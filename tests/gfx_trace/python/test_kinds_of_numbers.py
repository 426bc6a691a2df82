"""A number that is whole on one way to a place and a fraction on another is one of several: its class is refused, all else is Python's."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = [torch.tensor([1.0, 3.0]), torch.tensor([-1.0, -3.0])]


def counted(x):
    n = 0
    for v in x:
        if v > 0:
            n = n + 0.5
    return n


def branched(x):
    n = 0
    if x[0] > 0:
        n = n + 0.5
    return n


def repeated(x):
    n = 0
    while x.sum() > 0:
        n, x = n + 0.5, x - 1
    return n


def truth_or_number(x):
    return True if x[0] > 0 else 2


def computed(x):
    return -branched(x) // 1


def carried(x):
    n = 1 if x[0] > 0 else 2.5
    for _ in range(2):
        n += 1
    return n


@pytest.mark.parametrize("given", [(), X[:1]], ids=["open", "given"])
@pytest.mark.parametrize("fn", [counted, branched, repeated, truth_or_number, computed, carried])
def test_of_what_class_it_is_is_refused(fn, given):
    def asked(x):
        n = fn(x)
        return x * (2 if type(n) is int else 3)

    with pytest.raises(CaptureError, match="cannot tell the class"):
        gfx.symbolic_trace(asked, *given, backend="torch")


@pytest.mark.parametrize("way", ["program", "torch"])
@pytest.mark.parametrize("given", [(), X[:1]], ids=["open", "given"])
@pytest.mark.parametrize("fn", [counted, branched, repeated, truth_or_number, computed, carried])
def test_what_all_of_its_classes_agree_on_is_answered(fn, given, way):
    def used(x):
        n = fn(x)
        wide = n + 0.5
        return x * (2 if isinstance(wide, float) else 3), x.to(torch.int64) * n, wide, n

    program = gfx.symbolic_trace(used, *given, backend="torch")
    run = program if way == "program" else program.to("torch")
    for x in X:
        for one, other in zip(run(x), used(x), strict=True):
            assert type(one) is type(other)
            torch.testing.assert_close(one, other, rtol=0, atol=0)
