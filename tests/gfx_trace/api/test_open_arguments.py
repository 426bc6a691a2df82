"""Arguments that are not given: what they may be is said by annotation and default, and held to when the program is called."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.errors import GuardError, MissingOp, UnsupportedConstruct
from gfx_trace.values.proxy import NeedsPython

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


def true_if_there(x, y=None):
    return x if y else -x


def default_by_or(x, y=None):
    return x * (y or x)


def default_by_not(x, y=None):
    if not y:
        y = x + 1
    return x * y


def asserted(x, y=None):
    assert y, "missing"
    return x


def counted_down(x, y=None):
    while y:
        y = y - 1
    return x if y is None else -x


def set_in_a_loop(x, y=None):
    for _ in range(2):
        if y is None:
            y = x
        y = y + 1
    return y


def by_class(x, y=None):
    if type(y) is type(None):
        return x * 2
    return x * 3 if hasattr(y, "shape") and bool(y) else x * 5


def any_of(x, y=None):
    return x if hasattr(y, "ndim") else x * 4


@pytest.mark.parametrize("target", ["torch", "jax", "numpy", None])
@pytest.mark.parametrize(
    "fn", [true_if_there, default_by_or, default_by_not, asserted, set_in_a_loop, counted_down, by_class, any_of]
)
def test_none_is_what_python_takes_it_for(fn, target):
    program = gfx.symbolic_trace(fn, backend="torch")
    call = program if target is None else program.to(target)
    make = {"jax": jnp.asarray, "numpy": np.asarray}.get(target, torch.as_tensor)
    for given in ((), (None,), (torch.tensor(2.0),), (torch.tensor(0.0),)):
        args = [y if y is None else make(y.numpy()) for y in (X[1], *given)]
        try:
            want = fn(X[1], *given)
        except AssertionError:
            with pytest.raises(AssertionError, match="missing"):
                call(*args)
            continue
        if fn is counted_down and target == "jax" and not (given and given[0] is not None):
            continue  # no loop of JAX's begins with None
        np.testing.assert_allclose(call(*args), want)


def test_none_as_a_key_is_refused():
    with pytest.raises(NeedsPython, match="a key needs 'y'"):
        gfx.symbolic_trace(lambda x, y=None: x * {None: 2}.get(y, 3), backend="torch")


class Masked(torch.nn.Module):
    token = None

    def forward(self, x, mask: torch.Tensor | None = None):
        if mask is not None:
            x = x + self.token.expand(2)
        return x * 2


def called_if_given(x, fn=None):
    return fn(x)


def read_if_given(x, config=None):
    return x * config.scale


@pytest.mark.parametrize(("target", "name"), [(Masked(), "mask"), (called_if_given, "fn"), (read_if_given, "config")])
def test_what_fails_for_an_argument_that_was_not_given_names_it(target, name):
    for given in ((), (X, gfx.Open)):
        with pytest.raises((UnsupportedConstruct, AttributeError), match=rf"'{name}'.* was not given"):
            gfx.symbolic_trace(target, *given, backend="torch")
    np.testing.assert_allclose(gfx.symbolic_trace(Masked(), X)(X), X * 2)
