"""Arguments that are not given: what they may be is said by annotation and default, and held to when the program is called."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct

X = torch.tensor([-1.0, 2.0])


def scaled(x, act: str = "relu", n: int = 2, s: float = 1.0):
    if act == "relu":
        x = torch.relu(x)
    elif act in ("tanh", "t"):
        x = torch.tanh(x)
    for _ in range(n):
        x = x * s
    return x


@pytest.fixture(scope="module")
def program():
    return gfx.symbolic_trace(scaled, backend="torch")


@pytest.mark.parametrize("given", [(), ("tanh", 3, 0.5), ("t", 0), ("none", 1, 2)])
def test_host_arguments(program, given):
    assert torch.allclose(program(X, *given), scaled(X, *given))


@pytest.mark.parametrize(
    "given", [(X, 3), (X, "relu", 2.5), (X, "relu", True), (X, "relu", 2, "a"), ("x",), ([X, X],), (None,)]
)
def test_another_kind_is_refused(program, given):
    with pytest.raises(GuardError, match="of kind"):
        program(*given)


def by_name(x, act):
    if act == "relu":
        return torch.relu(x)
    return x


def by_key(params, x):
    return params["w"] * x


@pytest.mark.parametrize(("function", "name"), [(by_name, "act"), (by_key, "params")])
def test_an_argument_that_turns_out_to_be_no_tensor(function, name):
    with pytest.raises(UnsupportedConstruct, match=f"'{name}' was not given"):
        gfx.symbolic_trace(function, backend="torch")
