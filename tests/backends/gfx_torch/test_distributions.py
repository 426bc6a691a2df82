"""torch.distributions with open sizes: their checks tell errors in texts that hang on sizes, and shapes of theirs are added to open ones."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import distributions as D

import gfx_trace as gfx


def normal(m, s, x):
    return D.Normal(m, s.exp()).log_prob(x) - D.kl_divergence(D.Normal(m, s.exp()), D.Normal(0.0, 1.0))


def independent(m, s, x):
    made = D.Independent(D.Normal(m, s.exp()), 1)
    return made.log_prob(x) + made.entropy()


def categorical(logits, actions):
    made = D.Categorical(logits=logits)
    return made.log_prob(actions) + made.entropy()


def multivariate(m, tril, x):
    return D.MultivariateNormal(m, scale_tril=tril).log_prob(x)


def dirichlet(a, x):
    return D.Dirichlet(a.exp()).log_prob(torch.softmax(x, -1))


def drawn(*shapes):
    random = torch.Generator().manual_seed(sum(map(sum, shapes)))
    return [torch.randn(*shape, generator=random) for shape in shapes]


CASES = [
    (normal, lambda n: drawn((n, 3), (3,), (n, 3))),
    (independent, lambda n: drawn((n, 3), (n, 3), (n, 3))),
    (categorical, lambda n: [*drawn((n, 4)), torch.arange(n) % 4]),
    (multivariate, lambda n: [*drawn((n,)), torch.eye(n) * 2, *drawn((n,))]),
    (dirichlet, lambda n: drawn((n, 4), (n, 4))),
]


@pytest.mark.parametrize(("fn", "make"), CASES, ids=[fn.__name__ for fn, _ in CASES])
def test_densities_with_open_sizes(fn, make):
    program = gfx.symbolic_trace(fn, *make(3), dynamic=True)
    for n in (3, 5):
        args = make(n)
        want = fn(*args)
        torch.testing.assert_close(program.to("torch")(*args), want)
        found = program.to("jax")(*[jnp.asarray(x.numpy()) for x in args])
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)


def test_errors_of_parameters_say_what_they_are():
    asked = lambda m, s: D.Normal(m, s, validate_args=True).entropy()  # PyTorch's compiler changes the default
    program = gfx.symbolic_trace(asked, torch.zeros(3), torch.ones(3), dynamic=True)
    with pytest.raises(ValueError, match=r"Expected parameter scale .* of distribution Normal\(loc: .*to satisfy"):
        program(torch.zeros(4), -torch.ones(4))
