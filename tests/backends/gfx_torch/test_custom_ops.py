"""Operators that users register with torch.library: held by their names in torch.ops, also those without results."""

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


def test_one_that_writes_is_refused():
    def written(x):
        y = x * 2
        add_to(y, x)
        return y

    with pytest.raises(GfxError, match="it writes to its arguments"):
        gfx.symbolic_trace(written, backend="torch")


def test_no_graph_names_an_operator_of_pytorchs_own_or_one_that_writes():
    owner = gfx.symbolic_trace(by_definition, backend="torch")
    for target in (
        "torch.ops.aten.resize_",
        "torch.ops.gfx_tests.add_to",
        "torch.ops.gfx_tests.absent",
        "torch.ops.load_library",
    ):
        (node,) = [node for node in owner.entry if node.op.name == "holder"]
        node.set_args((node.args[0], target, *node.args[2:]))
        with pytest.raises(MissingOp):
            owner.source("torch")
