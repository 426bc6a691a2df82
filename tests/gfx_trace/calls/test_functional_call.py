"""Calls with other parameters, and steps of training: what goes back over a record is refused, with what to do instead."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

MODEL = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
NORM = nn.BatchNorm1d(4)
X = torch.arange(12.0).reshape(3, 4) / 12
PARAMS = {name: value.detach() + 0.5 for name, value in MODEL.named_parameters()}
STATE = {name: value.clone() for name, value in NORM.state_dict().items()}
HALVES = [{name: value for name, value in PARAMS.items() if name[0] == half} for half in "02"]


def whole(params, x):
    return torch.func.functional_call(MODEL, params, (x,))


def between(params, x):
    call = lambda times: torch.func.functional_call(MODEL, {name: times * p for name, p in params.items()}, x)
    return call(2), call(3), MODEL(x), call(1), MODEL(x)


def inner_steps(params, x):
    for _ in range(2):
        loss = torch.func.functional_call(MODEL, params, x).square().sum()
        params = {
            name: p - 0.1 * g for (name, p), g in zip(params.items(), torch.autograd.grad(loss, [*params.values()]))
        }
    return params, MODEL(x)


def one(weight, x):
    return torch.func.functional_call(MODEL, {"0.weight": weight}, x) + MODEL(x)


def two(params, more, x):
    return torch.func.functional_call(MODEL, (params, more), kwargs={"input": x})


def statistics(state, x):
    return torch.func.functional_call(NORM, state, (x,)), state["running_mean"] * 1


CALLS = [
    (whole, (PARAMS,)),
    (one, (PARAMS["0.weight"],)),
    (between, (PARAMS,)),
    (two, tuple(HALVES)),
    (statistics, (STATE,)),
]


@pytest.mark.parametrize(("fn", "given"), CALLS, ids=lambda case: getattr(case, "__name__", ""))
def test_functional_call(fn, given):
    copied = lambda: jax.tree.map(torch.clone, given)
    before = {name: value.clone() for name, value in NORM.state_dict().items()}
    found = [gfx.transpile(fn, *copied(), X, to=target) for target in ("torch", "jax")]
    want = fn(*copied(), X)
    np.testing.assert_equal(
        {k: v.numpy() for k, v in NORM.state_dict().items()}, {k: v.numpy() for k, v in before.items()}
    )
    moved = jax.tree.map(lambda x: jnp.asarray(x.numpy()), (*copied(), X))
    for got in (found[0](*copied(), X), found[1](*moved)):
        for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got)):
            np.testing.assert_allclose(
                np.asarray(b.detach() if isinstance(b, torch.Tensor) else b), a.detach(), rtol=1e-5, atol=1e-6
            )


def test_steps_within_a_call_follow_the_tensors_of_each_step():
    class Adapted(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = MODEL

        def forward(self, x):
            return inner_steps(dict(self.net.named_parameters()), x)

    program = gfx.transpile(Adapted(), X, to="jax")
    assert gfx.check(program, X).ok


def backward(x):
    loss = MODEL(x).sum()
    loss.backward()
    return loss


REFUSED = [
    backward,
    lambda x: torch.autograd.functional.jacobian(torch.sin, x),
]


@pytest.mark.parametrize("fn", REFUSED)
@pytest.mark.parametrize("given", [(), (X,)], ids=["open", "typed"])
def test_what_pytorch_derives_is_refused(fn, given):
    with pytest.raises(CaptureError, match=r"torch\.autograd\.grad|torch\.func\.jacrev"):
        gfx.symbolic_trace(fn, *given, backend="torch")


class OfATree(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.arange(3.0))

    def forward(self, x, more):
        leaves, spec = pytree.tree_flatten({"a": (x, self.scale), "b": [x * 2, None], **more})
        held = pytree.tree_unflatten([leaf * 2 if torch.is_tensor(leaf) else leaf for leaf in leaves], spec)
        double = pytree.tree_map(lambda a, b: a + b if a.sum() > 0 else b, (x, held["c"]), (held["a"][0], x))
        return held["a"][1] + held["b"][0] + double[0] * double[1]


def test_trees_are_taken_apart_and_put_together_by_pytorch():
    model, x = OfATree(), torch.ones(2, 3)
    program = gfx.symbolic_trace(model, x, {"c": x}, dynamic=True)
    for given in (torch.randn(4, 3), torch.ones(1, 3)):
        torch.testing.assert_close(program(given, {"c": -given}), model(given, {"c": -given}))


class Counting(nn.Module):
    """A buffer that is replaced, and one that is counted in place; `inner` holds it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        self.seen = self.seen + x
        self.count += 1
        return self.seen * self.count


class Given(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Counting()
        self.register_buffer("own", torch.ones(3))

    def forward(self, x, n: int):
        given = {"seen": self.own}
        y = torch.func.functional_call(self.inner, given, (x,))
        if n > 1:
            y = y + torch.func.functional_call(self.inner, (given,), (x,))
        return y, given["seen"] * 1, self.inner.seen * 1, self.inner.count * 1, self.inner(x)


def test_what_a_call_leaves_in_a_module_stays_and_what_it_is_given_goes():
    net, made = Given(), gfx.symbolic_trace(Given())
    module = gfx.transpile(Given(), to="torch").module()
    for n in (2, 0, 3):
        want = net(X[0, :3], n)
        torch.testing.assert_close(made(X[0, :3], n), want)
        torch.testing.assert_close(module(X[0, :3], n), want)
    torch.testing.assert_close(module.state_dict(), net.state_dict())
    torch.testing.assert_close(made.captured.target.state_dict(), net.state_dict())
