"""Arguments that are written: they share no memory, and what is nested in them is written too."""

import copy

import pytest
import torch

import gfx_trace as gfx
from aliasing import (
    equal,
    torch_square,
)
from gfx_ir.errors import CaptureError, GuardError


def add_into(x, y):
    x.add_(y)
    return x + y


def test_arguments_are_written():
    program = gfx.symbolic_trace(add_into, backend="torch")
    mine, plain = torch_square(), torch_square()
    equal(program(mine, torch.ones(3, 3)), add_into(plain, torch.ones(3, 3)))
    equal(mine, plain)


@pytest.mark.parametrize(
    "pair", [lambda x: (x, x), lambda x: (x, x.T), lambda x: (x[:2], x[1:])], ids=["same", "transposed", "overlap"]
)
def test_a_written_argument_may_not_share_memory_with_another(pair):
    program = gfx.symbolic_trace(add_into, backend="torch")
    with pytest.raises(GuardError, match="share memory"):
        program(*pair(torch_square()))
    x = torch_square()
    program(x[:1], x[2:])  # parts of one tensor that do not overlap


def test_arguments_that_are_only_read_may_be_one_tensor():
    program = gfx.symbolic_trace(lambda x, y: x + y)
    x = torch_square()
    equal(program(x, x), x + x)


def test_one_array_given_twice_at_capture_is_two_arguments():
    x = torch.ones(3)
    program = gfx.symbolic_trace(lambda a, b: a - b, x, x)
    equal(program(torch.ones(3), torch.zeros(3)), torch.ones(3))


def write_nested(state, rows):
    state["count"].add_(1)
    rows[1].mul_(2)
    return state["count"] + rows[0] + rows[1]


def test_tensors_inside_of_arguments_are_written():
    def make():
        return {"count": torch.zeros(3)}, [torch.ones(3), torch.ones(3)]

    program = gfx.symbolic_trace(write_nested, *make())
    mine, plain = make(), make()
    equal(program(*mine), write_nested(*plain))
    equal(list(mine), list(plain))


def add_key(table):
    table["b"] = table["a"] + 1
    return table["a"]


def append_item(items):
    items.append(items[0] + 1)
    return items[0]


def replace_item(items):
    items[0] = items[0] + 1
    return items[0]


@pytest.mark.parametrize(
    "fn, argument", [(add_key, {"a": torch.ones(2)}), (append_item, [torch.ones(2)]), (replace_item, [torch.ones(2)])]
)
def test_containers_of_the_caller_are_not_changed_silently(fn, argument):
    before = copy.copy(argument)
    with pytest.raises(CaptureError, match="of an argument"):
        gfx.symbolic_trace(fn, argument)
    assert list(argument) == list(before)
