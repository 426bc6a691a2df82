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


def scaled(x):
    x.mul_(3)
    return x.sum()


def scaled_as_data(x):
    with torch.no_grad():
        x.mul_(3)
    return x.sum()


def filled_in(x, w):
    x[1:] += w[1:]
    return x * 2


def added(x, w):
    for _ in range(2):
        x += w * w
    return w * 2


def moved_by(x, w):
    x.detach().add_(w.detach())
    return x * w


@pytest.mark.parametrize("fn", [scaled, scaled_as_data, filled_in, added, moved_by])
@pytest.mark.parametrize("derived", [True, False])
def test_derivatives_of_the_caller_go_on_through_what_is_written(fn, derived):
    def derivatives(call):
        a, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 0.5], requires_grad=True)
        x = a * 2 if derived else torch.tensor([1.0, 2.0])
        out = call(*(x, w)[: fn.__code__.co_argcount])
        total = out.sum() + (x * torch.tensor([5.0, 7.0])).sum()
        return [x.detach(), *torch.autograd.grad(total, (a, w), allow_unused=True)] if total.requires_grad else x

    for call in (gfx.symbolic_trace(fn, backend="torch"), gfx.transpile(fn, to="torch", backend="torch")):
        torch.testing.assert_close(derivatives(call), derivatives(fn))


def test_a_leaf_is_written_as_data():
    for call in (gfx.symbolic_trace(scaled, backend="torch"), gfx.transpile(scaled, to="torch", backend="torch")):
        x = torch.ones(2, requires_grad=True)
        call(x)
        call(x[:1])
        assert x.tolist() == [9.0, 3.0]
        assert x.is_leaf
