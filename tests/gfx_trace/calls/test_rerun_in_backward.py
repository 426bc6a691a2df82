"""A torch.autograd.Function that runs a function again in its backward, as the checkpoints of diffusion models do: what it is given
and what that function closes over are the same tensors."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx

X = torch.linspace(-1, 2, 12).reshape(3, 4)


class Rerun(torch.autograd.Function):
    @staticmethod
    def forward(ctx, run, count, *args):
        ctx.run, ctx.inputs, ctx.params = run, list(args[:count]), list(args[count:])
        with torch.no_grad():
            return ctx.run(*ctx.inputs)

    @staticmethod
    def backward(ctx, *grads):
        ctx.inputs = [x.detach().requires_grad_(True) for x in ctx.inputs]
        with torch.enable_grad():
            outs = ctx.run(*(x.view_as(x) for x in ctx.inputs))
        found = torch.autograd.grad(outs, ctx.inputs + ctx.params, grads, allow_unused=True)
        return (None, None, *found)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = torch.nn.Linear(4, 5), torch.nn.Linear(5, 4)

    def body(self, x):
        return x + self.outer(torch.tanh(self.inner(x)))

    def forward(self, x):
        return Rerun.apply(self.body, 1, x, *self.parameters())


class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(self.block(x))


class InALoop(Twice):
    def forward(self, x):
        for _ in range(3):
            x = self.block(x)
        return x


class Asked(Twice):
    def forward(self, x):
        if x.sum() > 0:
            x = self.block(x)
        return x * 2


class GivenTwice(Twice):
    def forward(self, x):
        weight = self.block.inner.weight
        return Rerun.apply(self.block.body, 1, x, weight, weight, self.block.outer.bias)


class Nested(Twice):
    def forward(self, x):
        return Rerun.apply(self.block, 1, x, *self.parameters())


class OfSome(Twice):
    """What is not given has no gradient."""

    def forward(self, x):
        return Rerun.apply(self.block.body, 1, x, self.block.inner.weight)


class Detached(Block):
    def body(self, x):
        return x * self.inner(x).sum().detach() + self.outer(torch.tanh(self.inner(x)))


class Pair(Block):
    def body(self, x):
        h = self.inner(x)
        return self.outer(torch.tanh(h)), h.sum(1)

    def forward(self, x):
        y, z = super().forward(x)
        return y * z[:, None]


class Doubled(Rerun):
    @staticmethod
    def backward(ctx, *grads):
        return Rerun.backward(ctx, *(2 * grad for grad in grads))


class Swapped(Rerun):
    @staticmethod
    def backward(ctx, *grads):
        found = Rerun.backward(ctx, *grads)
        return (*found[:-2], found[-1], found[-2])


class Louder(Rerun):
    @staticmethod
    def backward(ctx, *grads):
        ctx.run = lambda x, run=ctx.run: run(x) * 3
        return Rerun.backward(ctx, *grads)


def by_rule(rule):
    class Own(Block):
        def forward(self, x):
            return rule.apply(self.body, 1, x, self.outer.bias, self.outer.bias * 2 + self.inner.bias[:4])

    Own.__name__ = rule.__name__
    return Own


def gradients(model, x):
    model.zero_grad()
    x = x.clone().requires_grad_(True)
    model(x).square().sum().backward()
    names = {name: p.grad if p.grad is not None else torch.zeros_like(p) for name, p in model.named_parameters()}
    return {"x": x.grad, **names}


@pytest.mark.parametrize("known", [True, False], ids=["typed", "open"])
@pytest.mark.parametrize(
    "make",
    [
        Block, Twice, InALoop, Asked, GivenTwice, Nested, OfSome, Detached, Pair,
        *map(by_rule, (Doubled, Swapped, Louder)),
    ],
)  # fmt: skip
def test_parameters_have_the_authors_gradients(make, known):
    torch.manual_seed(0)
    model = make()
    want = gradients(model, X)
    emitted = gfx.transpile(model, *[X] * known, to="jax")
    found, of_x = jax.grad(lambda params, x: (emitted.fn(params, x) ** 2).sum(), argnums=(0, 1))(
        emitted.params, X.numpy()
    )
    got = {"x": of_x}
    for path, leaf in jax.tree_util.tree_flatten_with_path(found)[0]:
        got[".".join(key.key for key in path)] = leaf
    assert set(got) == set(want)
    for name, grad in want.items():
        np.testing.assert_allclose(got[name], grad, rtol=1e-4, atol=1e-5, err_msg=name)
    for name, grad in gradients(gfx.transpile(model, *[X] * known, to="torch").module(), X).items():
        torch.testing.assert_close(grad, want[name])


def test_a_rule_that_says_what_differentiation_says_is_none():
    """Code of checkpoints reads as if there were none, and the modules within are functions of their own."""
    source = gfx.transpile(Twice(), X, to="jax").source
    assert "custom_vjp" not in source and "stop_gradient" not in source
    assert source.count("def block(") == 1
