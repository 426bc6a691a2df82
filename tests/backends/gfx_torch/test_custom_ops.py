"""Operators that users register with torch.library: held by their names in torch.ops, also those without results."""

from collections.abc import Sequence

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError, MissingOp

SEEN = []


@torch.library.custom_op("gfx_tests::squared_sine", mutates_args=())
def squared_sine(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x) ** 2


@torch.library.custom_op("gfx_tests::see", mutates_args=())
def see(x: torch.Tensor) -> None:
    SEEN.append(float(x.sum()))


@torch.library.custom_op("gfx_tests::add_to", mutates_args=("x",))
def add_to(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(y)


def by_definition(x):
    return squared_sine(x) + 1


def by_name(x):
    return torch.ops.gfx_tests.squared_sine(x) + 1


def by_overload(x):
    return torch.ops.gfx_tests.squared_sine.default(x) + 1


@pytest.mark.parametrize("fn", [by_definition, by_name, by_overload])
@pytest.mark.parametrize("typed", [False, True])
def test_a_registered_operator_is_held(fn, typed, tmp_path):
    x = torch.randn(4)
    program = gfx.symbolic_trace(fn, *([x] if typed else []), backend="torch")
    assert torch.equal(program(x), fn(x))
    assert "torch.ops.gfx_tests.squared_sine" in program.source("torch")
    program.save(tmp_path / "program.json")
    assert torch.equal(gfx.load(tmp_path / "program.json")(x), fn(x))
    with pytest.raises(MissingOp, match="squared_sine"):
        program.source("jax")


def test_one_without_results_stays_in_its_place():
    def told(x):
        see(x)
        y = x * 2
        see(y)
        return y

    program = gfx.symbolic_trace(told, backend="torch")
    SEEN.clear()
    program(torch.ones(3))
    assert SEEN == [3.0, 6.0]


@torch.library.custom_op("gfx_tests::swap", mutates_args=("x", "y"))
def swap(x: torch.Tensor, y: torch.Tensor, times: int = 1) -> torch.Tensor:
    for _ in range(times):
        held = x.clone()
        x.copy_(y)
        y.copy_(held)
    return x - y


@swap.register_fake
def _(x, y, times=1):
    return torch.empty_like(x)


@torch.library.custom_op("gfx_tests::double_some", mutates_args=("x", "maybe"))
def double_some(x: torch.Tensor, maybe: torch.Tensor | None = None) -> None:
    for tensor in (x, maybe):
        if tensor is not None:
            tensor.mul_(2)


@torch.library.custom_op("gfx_tests::double_all", mutates_args=("tensors",))
def double_all(tensors: Sequence[torch.Tensor]) -> None:
    for tensor in tensors:
        tensor.mul_(2)


torch.library.define("gfx_tests::triple_", "(Tensor(a!) x) -> Tensor(a!)")


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        add_to(self.total, x)
        return x * self.total


def an_own_one(x):
    y = x * 2
    kept = y.clone()
    assert add_to(y, kept) is None
    return y - kept * 3


def a_view(x):
    y = x * 2
    row, before = y[1:3], y[0]
    add_to(row, row * 3)
    return y, row, before + y.sum()


def an_argument(x):
    torch.ops.gfx_tests.add_to(x, x * 2)
    return x + 1


def two_and_a_result(x):
    a, b = x * 2, x - 1
    first = swap(a, b)
    second = torch.ops.gfx_tests.swap.default(y=a, x=b, times=3)
    return a, b, first, second


def one_that_may_be_absent(x):
    a, b = x + 1, x + 2
    double_some(a)
    double_some(a, b)
    double_some(a, None)
    return a, b


def in_tests_and_loops(x):
    y = x.clone()
    for k in range(3):
        add_to(y, x * k)
    if y.sum() > 0:
        double_some(y)
    while y.sum() > 100:
        add_to(y, -y / 2)
    return y


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    "fn", [an_own_one, a_view, an_argument, two_and_a_result, one_that_may_be_absent, in_tests_and_loops]
)
def test_what_one_writes_is_read_behind_it(fn, typed, tmp_path):
    program = gfx.symbolic_trace(fn, *([torch.ones(4)] if typed else []), backend="torch")
    program.save(tmp_path / "program.json")
    for x in (torch.linspace(-1, 2, 4), torch.arange(4.0) * 50):
        there = x.clone()
        want = fn(there)
        torch.testing.assert_close(gfx.transpile(fn, x, to="torch")(x.clone()), want)
        for run in (program, gfx.load(tmp_path / "program.json")):
            here = x.clone()
            torch.testing.assert_close(run(here), want)
            assert torch.equal(here, there)


def test_one_writes_a_buffer():
    module, x = Counting(), torch.arange(4.0)
    program = gfx.symbolic_trace(module, x)
    plain = Counting()
    for _ in range(2):
        assert torch.equal(program(x), plain(x))
    assert torch.equal(module.total, plain.total)


@pytest.mark.parametrize(
    "fn, what",
    [
        (lambda x: double_all([x * 2]), "it writes to its arguments"),
        (lambda x: torch.ops.gfx_tests.triple_(x), "it writes to its arguments"),
        (lambda x: add_to(x, x), "may see it through another argument"),
        (lambda x: swap(x[:2], x[1:3]), "may see it through another argument"),
    ],
)
def test_what_one_may_write_in_other_ways_is_refused(fn, what):
    with pytest.raises(GfxError, match=what):
        gfx.symbolic_trace(fn, torch.ones(4))


def test_no_graph_names_an_operator_of_pytorchs_own_or_one_that_writes_lists():
    owner = gfx.symbolic_trace(by_definition, backend="torch")
    for target in (
        "torch.ops.aten.resize_",
        "torch.ops.gfx_tests.double_all",
        "torch.ops.gfx_tests.absent",
        "torch.ops.load_library",
    ):
        (node,) = [node for node in owner.entry if node.op.name == "holder"]
        node.set_args((node.args[0], target, *node.args[2:]))
        with pytest.raises(MissingOp):
            owner.source("torch")
