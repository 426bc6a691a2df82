"""Parameters that code meets through containers and calls that are not entered: they are those of the graph, also for Python's operators,
which would compute with what they hold at the capture."""

import functools
import itertools

import pytest
import torch

import gfx_trace as gfx


class Held(torch.nn.Module):
    def __init__(self, take):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
        self.pairs = torch.nn.ParameterList([torch.nn.ParameterList([self.w, torch.nn.Parameter(torch.ones(3))])])
        self.named = torch.nn.ParameterDict({"w": self.w})
        self.held, self.take = [self.w], take
        self.part = functools.partial(lambda w, x: w * 2.0 * x, self.w)
        self.default = lambda x, w=self.w, *, v=self.w: (-w) * (-v) * x

    def forward(self, x):
        return self.take(self, x)


def unpacked(self, x):
    for (w, _), i in zip(self.pairs, range(1)):
        x = x * (w * 2.0) + i
    return x


def in_a_comprehension(self, x):
    return [-w * x for w, _ in self.pairs][0]


def starred(self, x):
    (*_, w), (v,) = [1, self.w], self.held
    return w * 2.0 * x + (-v)


def of_generators(self, x):
    return sum((w**2.0).sum() for w in self.parameters()) * x + (-next(iter(self.named.values())))


def spread(self, x):
    return (lambda w: w * 2.0)(*self.held) * x + (lambda w: -w)(**self.named)


def called_from_c(self, x):
    doubled, added = itertools.starmap(lambda w: w * 2.0, [self.held]), lambda a, b: a * 2.0 + b
    return next(doubled) * x + list(itertools.accumulate(self.pairs[0], added))[1]


def chosen(self, x):
    return -max(self.held, key=lambda w: w.ndim) * x


def bound(self, x):
    return self.part(x) + self.default(x)


@pytest.mark.parametrize(
    "take", [unpacked, in_a_comprehension, starred, of_generators, spread, called_from_c, chosen, bound]
)
def test_parameters_stay_parameters(take):
    model, x = Held(take), torch.tensor([[1.0, -2.0, 0.5]])
    made = gfx.transpile(model, x, to="torch").module()
    assert "constant" not in " ".join(dict(made.named_parameters()))
    found = made(x)
    torch.testing.assert_close(found, model(x))
    (want,) = torch.autograd.grad(model(x).sum(), [model.w])
    held = [p for p in made.parameters() if torch.equal(p, model.w)]
    got = torch.autograd.grad(found.sum(), held, allow_unused=True)
    torch.testing.assert_close(sum(g for g in got if g is not None), want)
