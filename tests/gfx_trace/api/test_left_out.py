"""What a call leaves out is at its default, unless it is kept open; what a call lacks is named."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from captured import equal
from gfx_ir.errors import ArgumentError, GuardError

X = torch.tensor([1.0, -2.0, 3.0])


def branches(x, mask: torch.Tensor | None = None, n: int = 2, mode="sum"):
    if mask is not None:
        x = x + mask.missing_name
    for _ in range(n):
        x = x * 2
    return x.sum() if mode == "sum" else x


def test_what_a_call_leaves_out_is_at_its_default():
    program = gfx.symbolic_trace(branches, X)
    assert {node.op.name for node in program.entry.walk()} <= {"multiply", "sum", "for", "host_for"}
    equal(program(X), branches(X))
    equal(program(X, None, 2, mode="sum"), branches(X))
    for other in ({"mask": X}, {"n": 3}, {"mode": "none"}):
        with pytest.raises(GuardError, match=next(iter(other))):
            program(X, **other)


def test_open_in_its_place_keeps_it_open():
    program = gfx.symbolic_trace(branches, X, n=gfx.Open)
    equal(program(X, n=3), branches(X, n=3))
    equal(program(X, None, 0), branches(X, n=0))
    with pytest.raises(GuardError, match="mode"):
        program(X, mode="none")


def test_without_any_argument_all_stay_open():
    def choose(x, mask=None, n: int = 2, flag: bool = False):
        x = x if mask is None else x * mask
        return -x * n if flag else x * n

    program = gfx.symbolic_trace(choose, backend="torch")
    for given in ((X,), (X, X), (X, None, 3), (X, X, 4, True)):
        equal(program(*given), choose(*given))
    only = gfx.symbolic_trace(choose, gfx.Open, gfx.Open, flag=True, backend="torch")
    equal(only(X, X, flag=True), choose(X, X, flag=True))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, mask=None: x * mask if mask is not None and x.sum() > 0 else x,
        lambda x, mask=None: x * mask if x.sum() > 0 and mask is not None else x,
        lambda x, mask=None: x if mask is None or x.sum() > 0 else x * mask,
        lambda x, mask=None: x if x.sum() > 0 or mask is None else x * mask,
        lambda x, mask=None: x * mask if not (mask is None or x.sum() > 0) else x,
        lambda x, mask=None: x * (mask if mask is not None else 2),
    ],
)
def test_a_branch_that_a_default_rules_out_is_not_captured(function):
    source = gfx.transpile(function, X, to="jax").source
    assert "mask *" not in source and "* mask" not in source and "cond" not in source
    equal(gfx.transpile(function, X, to="jax")(jnp.asarray(X.numpy())), function(X))


def test_a_model_with_many_optional_arguments():
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=20
    )
    model = transformers.BertModel(config).eval()
    ids = torch.tensor([[1, 2, 3]])
    result = gfx.transpile(model, ids, to="torch")
    assert "attention_mask=None" in result.source and "if attention_mask" not in result.source
    equal(result(ids).last_hidden_state.detach(), model(ids).last_hidden_state.detach())
    with pytest.raises(GuardError, match="attention_mask"):
        result(ids, torch.ones(1, 3))


# ---------------------------------------------------------------------- what else a call needs
def test_a_source_of_random_numbers_that_is_missing_is_named():
    noise = gfx.transpile(lambda x: x + torch.randn_like(x), to="jax")
    with pytest.raises(ArgumentError, match="draws random numbers"):
        noise(jnp.ones(3))
    assert noise(jnp.ones(3), key=jax.random.key(0)).shape == (3,)


def test_an_array_of_another_framework_is_named():
    run = gfx.transpile(torch.nn.Linear(3, 3), to="jax")
    with pytest.raises(ArgumentError, match="'input' is an array of torch"):
        run(X)
    assert run(np.ones(3, "float32")).shape == (3,)  # JAX's functions take those of NumPy
