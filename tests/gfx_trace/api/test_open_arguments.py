"""Arguments that are not given: what they may be is said by annotation and default, and held to when the program is called."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.errors import GuardError, MissingOp, UnsupportedConstruct

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


def attended(q, mask=None):
    return torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)


MASKS = [None, torch.tensor([[True, False, True], [False] * 3, [True] * 3]), torch.eye(3)]


@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
def test_whether_an_argument_of_a_call_is_none_stays_open(target):
    q = torch.randn(2, 3, 4)
    run = gfx.symbolic_trace(attended, q, gfx.Open).to(target)
    for mask in MASKS:
        given = [x.numpy() if target != "torch" else x for x in (q, mask) if x is not None]
        assert torch.allclose(torch.tensor(np.asarray(run(*given))), attended(q, mask), atol=1e-6)


@pytest.mark.parametrize("masks", [(), MASKS[1:2], (None, MASKS[1][:2]), (MASKS[1], MASKS[1][:2])])
def test_a_layer_of_a_transformer_takes_its_masks_when_it_is_called(masks):
    layer, x = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval(), torch.randn(2, 3, 4)
    assert gfx.check(gfx.symbolic_trace(layer, x, gfx.Open, gfx.Open), x, *masks).ok


def test_a_recurrent_layer_takes_its_state_when_it_is_called():
    layer, x, state = torch.nn.GRU(4, 3), torch.randn(5, 2, 4), torch.randn(1, 2, 3)
    program = gfx.symbolic_trace(layer, x, gfx.Open)
    for given in ((x,), (x, state)):
        assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(program(*given), layer(*given)))


FLAGGED = {
    "training": lambda x, flag: F.dropout2d(x, 0.5, flag),
    "use_input_stats": lambda x, flag: F.instance_norm(x, use_input_stats=flag),
}


@pytest.mark.parametrize("name, known", [("training", False), ("use_input_stats", True)])
def test_a_flag_by_which_a_call_becomes_other_ops_is_not_taken_for_true(name, known):
    def fn(x, flag: bool):
        return FLAGGED[name](x, flag)

    program, x = gfx.symbolic_trace(fn, backend="torch"), torch.randn(2, 2, 3, 3)
    assert torch.equal(program(x, known), fn(x, known))
    with pytest.raises(MissingOp, match=f"{name} flag is open"):
        program.source("jax")


def test_a_boolean_added_to_a_number_is_a_number():
    def fn(x, k: int):
        return x, 0 + bool(k)

    assert type(gfx.symbolic_trace(fn, backend="numpy")(np.ones(2), 3)[1]) is int
