"""Python's sum() of an array's rows is row + row + …, in the dtype that + gives, and not that of a reduction."""

import pytest
import torch

import gfx_trace as gfx


def rows(x: torch.Tensor):
    return sum(x), sum([row * 2 for row in x])


def from_a_start(x: torch.Tensor):
    return sum(x, 1), sum(x, 0.0), sum([row * 1 for row in x], x[0]), sum((row for row in x), start=torch.ones(2))


def cast(x: torch.Tensor):
    return sum(x.to(torch.uint8)), sum([row for row in x.to(torch.int16)], 0.5)


@pytest.mark.parametrize("f", [rows, from_a_start, cast])
@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int32, torch.int64, torch.float32])
def test_rows_are_added_in_their_own_dtype(f, dtype):
    x = torch.tensor([[100, 1], [100, 3], [100, 7]]).to(dtype)
    want = f(x)
    programs = [gfx.symbolic_trace(f, x)] + ([gfx.symbolic_trace(f)] if f is cast else [])
    for program in programs:
        for got in (program(x), program.to("torch")(x)):
            for a, b in zip(got, want):
                torch.testing.assert_close(a, b)


@pytest.mark.parametrize("start", ["a", [], {}])
def test_a_start_that_is_no_operand_is_refused(start):
    with pytest.raises(gfx.GfxError, match="it meets a"):
        gfx.symbolic_trace(lambda x: sum(x, start), backend="torch")
