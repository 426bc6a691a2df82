"""torch.distributions is written with PyTorch's public functions, and is entered as a user's code is: its checks of arguments, too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

D = torch.distributions
LOGITS, CHOSEN = torch.tensor([[0.5, 1.0, -1.0, 0.2], [1.0, 2.0, 3.0, 4.0]]), torch.tensor([0, 3])
X = torch.tensor([0.3, 0.6, 0.9])


@pytest.fixture(autouse=True)
def _checked(monkeypatch):
    """PyTorch's compiler changes the default of validate_args for the whole process."""
    monkeypatch.setattr(D.Distribution, "_validate_args", True)


def categorical(logits, a):
    d = D.Categorical(logits=logits)
    return d.log_prob(a), d.entropy(), d.probs


def of_probabilities(logits, a):
    return D.Categorical(probs=torch.softmax(logits, -1)).log_prob(a)


def normal(m, y):
    d = D.Normal(m, m.exp())
    return d.log_prob(y), d.entropy(), d.cdf(y)


def distance(m, y):
    return D.kl_divergence(D.Normal(m, m.exp()), D.Normal(y, torch.ones_like(y)))


def independent(m, y):
    return D.Independent(D.Normal(m, m.exp()), 1).log_prob(y)


def others(m, y):
    return (
        D.Bernoulli(logits=m).log_prob((y > 0.5).float()),
        D.Beta(m + 1, m + 2).log_prob(y),
        D.Gamma(m + 1, m + 2).log_prob(y),
        D.Uniform(0.0, 1.0).log_prob(y),
        D.Normal(m, m.exp(), validate_args=False).log_prob(y),
    )


@pytest.mark.parametrize(
    "f, args, given",
    [
        (categorical, (LOGITS, CHOSEN), True), (categorical, (LOGITS, CHOSEN), False),
        (of_probabilities, (LOGITS, CHOSEN), True), (normal, (X, X), True), (distance, (X, X), True),
        (independent, (X, X), True), (others, (X, X), True),
    ],
)  # fmt: skip
def test_densities(f, args, given):
    want, program = f(*args), gfx.symbolic_trace(f, *(args if given else ()), backend="torch")
    results = program(*args), program.to("torch")(*args), program.to("jax")(*(jnp.asarray(x.numpy()) for x in args))
    for got in results:
        for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-4, atol=1e-6)


def test_arguments_are_checked_where_it_runs():
    f = lambda m, s: D.Normal(m, s).log_prob(m)
    with pytest.raises(
        ValueError, match=r"Expected parameter scale .* of distribution Normal\(loc: torch.Size\(\[3\]\)"
    ):
        gfx.symbolic_trace(f, X, X)(X, -X)


def test_the_first_divergence_of_two_classes_may_be_in_a_loop_or_under_a_test(monkeypatch):
    def fn(m, y):
        total = []
        for i in range(2):
            total.append(D.kl_divergence(D.Gamma(m + i, y), D.Gamma(y, m)))
        return torch.stack(total), D.kl_divergence(D.Beta(m, y), D.Beta(y, m)) if m.sum() > 1 else m

    monkeypatch.setattr(torch.distributions.kl, "_KL_MEMOIZE", {})
    made = gfx.transpile(fn, X, X + 1, to="torch")
    for got, want in zip(made(X, X + 2), fn(X, X + 2), strict=True):
        torch.testing.assert_close(got, want)
