"""Tests of bytes: PyTorch's all and any of uint8 are uint8, which `~` turns bit by bit."""

import pytest
import torch

import gfx_trace as gfx


def raising(mask):
    first = mask[0].all()
    if not first and not mask[:, 0].all():
        raise ValueError("the first row must be on")
    return mask.sum()


def kept(mask, swap: bool = False):
    found = mask.all()
    if swap:
        found = mask.any()
    return torch.logical_not(found)


def made_bytes(mask):
    if mask.dtype != torch.uint8:
        mask = mask.byte()
    return raising(mask)


@pytest.mark.parametrize("fn", [raising, kept, made_bytes])
def test_not_of_bytes_is_no_turning_of_bits(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for dtype in (torch.uint8, torch.bool):
        mask = torch.ones(2, 3, dtype=dtype)
        assert torch.equal(program(mask), fn(mask))


def test_booleans_are_turned_as_such():
    source = gfx.symbolic_trace(lambda x: torch.logical_not((x > 0).all()), backend="torch").source("torch")
    assert "~torch.all(x > 0)" in source
