"""Derivatives and batches of functions within captured code: torch.func, torch.vmap, torch.autograd.grad."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError


def penalty(x, w):
    x = x.detach().requires_grad_(True)
    d = torch.tanh(x @ w)
    (g,) = torch.autograd.grad(d, x, torch.ones_like(d), create_graph=True)
    return ((g.norm(dim=1) - 1) ** 2).mean()


def derived(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def second(x, w):
    x = x.detach()
    x.requires_grad = True
    return derived(derived(torch.sin(x @ w), x) ** 2, x)


def one_hangs_on_the_other(x, w):
    x = x.detach().requires_grad_(True)
    h = x @ w
    return torch.autograd.grad((h**2).sum() + x.sum(), (x, h))


def made_without_gradients(x, w):
    x = x.detach().requires_grad_(True)
    with torch.no_grad():
        fixed = torch.exp(x)
    return torch.autograd.grad((fixed * x).sum(), x)[0]


def by_function(x, w):
    loss = lambda w, row: torch.tanh(row @ w).sum()
    return torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, x)


def pulled_and_pushed(x, w):
    out, pull = torch.func.vjp(lambda x: x @ w, x)
    return pull(out)[0], torch.func.jvp(torch.sin, (x,), (out @ w.T,))[1], torch.func.jacrev(lambda v: v * v)(w[:, 0])


@pytest.mark.parametrize(
    "f", [penalty, second, one_hangs_on_the_other, made_without_gradients, by_function, pulled_and_pushed]
)
def test_derivatives_within_captured_code(f):
    rng = np.random.default_rng(0)
    w, small, large = (rng.standard_normal(shape).astype("f") for shape in ((3, 2), (2, 3), (4, 3)))
    want = f(torch.tensor(large), torch.tensor(w))
    want = want if isinstance(want, tuple) else (want,)
    for to, array in (("torch", torch.tensor), ("jax", jnp.asarray)):
        made = gfx.transpile(f, torch.tensor(small), torch.tensor(w), to=to, dynamic=True)
        got = made.fn(array(large), array(w))
        for found, expected in zip(got if isinstance(got, tuple) else (got,), want, strict=True):
            np.testing.assert_allclose(found.detach() if to == "torch" else found, expected.detach(), atol=1e-5)


def test_draws_on_the_way_and_numpy_source_are_refused():
    def drawn(x):
        return torch.autograd.grad(torch.dropout(x, 0.5, True).sum(), x)[0]

    with pytest.raises(GfxError, match="draws random numbers"):
        gfx.transpile(drawn, torch.ones(3), to="jax")
    with pytest.raises(GfxError, match="no transformation 'grad'"):
        gfx.transpile(made_without_gradients, torch.ones(2, 3), torch.ones(3, 2), to="numpy")


@pytest.mark.parametrize("call", ["grad(g)(x)", "vmap(g)(x)", "jacfwd(g)(x)", "jvp(g, (x,), (x,))"])
def test_code_without_source_is_refused_at_its_line(call):
    made = {"torch": torch}
    exec(f"def g(x):\n    return (x * x).sum()\n\n\ndef fn(x):\n    return torch.func.{call}\n", made)
    with pytest.raises(GfxError, match=r"'fn' has no source .*<string>:5 in fn"):
        gfx.transpile(made["fn"], torch.ones(2), to="torch")


class Energies(torch.nn.Module):
    """Derives, batched, code that reads weights."""

    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))

    def forward(self, x):
        energy = lambda row: self.net(row).squeeze()
        forces = torch.vmap(torch.func.grad(energy))(x)
        return forces, torch.vmap(torch.func.hessian(energy))(x), torch.vmap(energy)(x)


@pytest.mark.parametrize("outer", [False, True])
def test_weights_are_handed_to_what_is_derived_within_a_batch(outer):
    model = torch.nn.Sequential(Energies()) if outer else Energies()
    x = torch.randn(3, 2)
    for to in ("torch", "jax"):
        result = gfx.transpile(model, x, to=to)
        for got, want in zip(result(x if to == "torch" else jnp.asarray(x)), model(x), strict=True):
            got = got.detach() if to == "torch" else got
            np.testing.assert_allclose(got, want.detach(), rtol=1e-4, atol=1e-6)


def test_weights_may_be_stepped_in_a_loop_of_open_length():
    """What a loop carries in a dictionary is asked for by the derivative, which reads the whole of it."""
    net = torch.nn.Linear(2, 1)

    def adapted(x, steps: int):
        held = dict(net.named_parameters())
        loss = lambda held: torch.func.functional_call(net, held, (x,)).square().sum()
        for _ in range(steps):
            slopes = torch.func.grad(loss)(held)
            held = {name: held[name] - 0.1 * slopes[name] for name in slopes}
        return loss(held)

    program = gfx.symbolic_trace(adapted)
    x = torch.randn(3, 2)
    for steps in (0, 2):
        torch.testing.assert_close(program(x, steps), adapted(x, steps))


def norms_of_each(w, x, y):
    loss = lambda w, x, y: torch.nn.functional.cross_entropy((x @ w)[None], y[None])
    return torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(w, x, y).flatten(1).norm(dim=1)


def of_positions(w, x, y):
    chosen = torch.func.vmap(lambda a, b: (b + (a > 0).sum()) // 2)(x, y)
    return w[:, chosen], torch.func.jacrev(lambda w: (x @ w) * y[:, None])(w).mean()


@pytest.mark.parametrize("fn", [norms_of_each, of_positions])
@pytest.mark.parametrize("dynamic", [False, True])
def test_what_is_made_of_whole_numbers_and_fractions_has_the_dtype_of_the_functions_result(fn, dynamic):
    given = torch.rand(3, 4), torch.rand(5, 3), torch.tensor([0, 1, 0, 1, 1])
    program = gfx.symbolic_trace(fn, *given, dynamic=dynamic)
    torch.testing.assert_close(program(*given), fn(*given))
