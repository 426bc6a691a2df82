"""Channels last: images are (N, H, W, C) between the ends of a program, which compute what they did."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.verify import verify
from optimized import ops_of
from sweeps import part

X = torch.linspace(-1.0, 1.0, 2 * 4 * 6 * 6).reshape(2, 4, 6, 6)


def moves(program):
    """How many permutations of axes there are, in functions too."""
    graphs = (program.entry, *program.functions.values())
    return sum(node.op.name == "permute_dims" for graph in graphs for node in graph.walk())


def turned(target, *inputs, passes=("channels_last", "shapes", "dead_code")):
    """A function or module with channels last, which gives the same on the reference and as source of both frameworks."""
    given = [x.numpy() for x in inputs]
    program = gfx.symbolic_trace(target, *inputs).infer()
    out = program.optimized(*passes, validate=tuple(given), tolerance=1e-4)
    verify(out)
    with torch.no_grad():
        wanted = target(*[x.clone() for x in inputs])
    for found in (out(*[x.clone() for x in inputs]), out.to("jax")(*given)):
        for one, other in zip(
            found if type(found) is tuple else (found,), wanted if type(wanted) is tuple else (wanted,)
        ):
            np.testing.assert_allclose(
                np.asarray(one.detach() if hasattr(one, "detach") else one), other, rtol=1e-4, atol=1e-4
            )
    return out


class Block(torch.nn.Module):
    def __init__(self, inside=8):
        super().__init__()
        self.one, self.two = torch.nn.Conv2d(4, inside, 3, padding=1), torch.nn.Conv2d(inside, 4, 1, groups=2)
        self.norm = torch.nn.BatchNorm2d(inside)
        self.norm.running_mean.uniform_(-1, 1)

    def forward(self, x):
        y = F.relu(self.norm(self.one(x)), inplace=True)
        return F.relu_(self.two(y) + x)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks, self.head = torch.nn.Sequential(Block(), Block(), Block(6)), torch.nn.Linear(4, 3)

    def forward(self, x):
        x = F.adaptive_avg_pool2d(F.max_pool2d(self.blocks(x), 2), 1)
        return self.head(torch.flatten(x, 1))


def test_a_network_moves_its_argument_alone():
    net = Net().eval()
    out = turned(net, X)
    assert moves(out) == 1 and out.entry.first.op.name == "permute_dims"
    assert tuple(out.params["blocks.0.one.weight"].shape) == (3, 3, 4, 8) and tuple(net.blocks[0].one.weight.shape) == (
        8,
        4,
        3,
        3,
    )
    assert out.source("jax").count("transpose(") == 1 and '"NHWC", "HWIO", "NHWC"' in out.source("jax")


def test_a_kernel_that_something_else_takes_stays():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(4, 4, 3)

        def forward(self, x):
            return self.conv(x) * self.conv.weight.sum()

    tied = Tied()
    out = turned(tied, X)
    assert tuple(out.params["conv.weight"].shape) == (4, 4, 3, 3) and moves(out) == 3


def test_a_kernel_is_turned_once():
    w = torch.linspace(-0.5, 0.5, 4 * 4).reshape(4, 4, 1, 1)
    assert moves(turned(lambda x, w: F.conv2d(F.relu(F.conv2d(x, w)), w), X, w)) == 3


def test_what_is_in_channels_last_already_is_moved_no_more():
    w = torch.linspace(-1.0, 1.0, 3 * 3 * 4 * 5).reshape(3, 3, 4, 5)

    def layer(x, w):
        return F.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1)).permute(0, 2, 3, 1)

    assert ops_of(turned(layer, X.permute(0, 2, 3, 1).contiguous(), w)) == ["conv_channels_last"]


def test_axes_have_the_numbers_that_they_have_now():
    w = torch.linspace(-1.0, 1.0, 4 * 4).reshape(4, 4, 1, 1)

    def f(x, w):
        y = F.conv2d(x, w)
        a, b = torch.chunk(torch.cat((y, y * x), dim=-3), 2, dim=1)
        scale = torch.softmax(a, 1) * torch.linspace(0.0, 1.0, 4)[:, None, None] + torch.arange(6.0)
        return scale.mean((-1, 2)), a.amax(1, keepdim=True), b.sum(dim=3), b.sum(), torch.where(b > 0, b, a)

    out = turned(f, X, w)
    assert "concat" in ops_of(out) and moves(out) <= 8


def test_images_in_loops_and_tests():
    w = torch.linspace(-0.5, 0.5, 4 * 4 * 9).reshape(4, 4, 3, 3)

    def f(x, w):
        y = F.conv2d(x, w, padding=1)
        for _ in range(3):
            if y.sum() > 0:
                y = F.relu(F.conv2d(F.avg_pool2d(y, 3, 1, 1), w, padding=1))
            else:
                y = y - F.max_pool2d(y, 3, 1, 1)
        return F.conv2d(y, w)

    assert "conv_channels_last" in ops_of(turned(f, X, w))


def test_a_function_that_is_called_with_and_without():
    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block()

        def forward(self, x):
            y = self.block(x)
            return self.block(y.flip(0)), y.reshape(2, -1)

    turned(Both().eval(), X)


class Up(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.conv = torch.nn.ConvTranspose2d(4, 4, 2, stride=2), torch.nn.Conv2d(8, 4, 3, padding=1)
        self.norm = torch.nn.GroupNorm(2, 4)

    def forward(self, small, large):
        up = F.pad(self.up(small), [0, 0, 0, 0])
        return F.silu(self.norm(self.conv(torch.cat((large, up), 1))))


class UNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.up, self.again = Block(), Up(), Up()
        self.resize = torch.nn.Upsample(scale_factor=0.5, mode="bilinear")

    def forward(self, x):
        large = self.first(x)
        small = self.resize(large)
        return self.again(self.resize(self.up(small, large)), large)


class LastNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(4)

    def forward(self, x):
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Stages(torch.nn.Module):
    """Norms over channels within a network over places, and its places as a sequence in the end."""

    def __init__(self):
        super().__init__()
        self.norms = torch.nn.ModuleList([LastNorm(), LastNorm()])
        self.stem = torch.nn.Conv2d(4, 4, 2, 2)

    def forward(self, x):
        y = self.norms[0](self.stem(x))
        y = self.norms[1](y + self.stem(F.interpolate(y, (6, 6))))
        return y.flatten(2).transpose(1, 2)


def mish(x):
    y = F.softplus(x)
    return x * torch.tanh(y)


def padded(x):
    return F.pad(x, (1, 1, 1, 1), "reflect")


class Ahead(torch.nn.Module):
    """Its convolutions take what functions of one element, and of places, give."""

    def __init__(self):
        super().__init__()
        self.conv, self.last = torch.nn.Conv2d(4, 4, 3), Block()

    def forward(self, x):
        x = torch.sigmoid(mish(self.conv(padded(F.relu(x)))))
        return self.last(mish(x)) + x


class Chain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([Ahead(), Ahead()])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@pytest.mark.parametrize("net, ends", [(UNet(), 2), (Stages(), 1), (Chain(), 2)], ids=["unet", "stages", "chain"])
def test_what_functions_hand_each_other_is_moved_at_the_ends_alone(net, ends):
    assert moves(turned(net.eval(), X)) == ends


def test_statistics_of_a_batch():
    net = torch.nn.Sequential(torch.nn.Conv2d(4, 3, 1), torch.nn.BatchNorm2d(3), torch.nn.Conv2d(3, 4, 1))
    program = gfx.symbolic_trace(net.train(), X).infer()
    out = program.optimized("channels_last", "shapes", "dead_code", validate=(X.numpy(),), tolerance=1e-4)
    assert "batch_norm_train_channels_last" in str(out) and moves(out) == 2


def test_without_types_nothing_is_done():
    program = gfx.symbolic_trace(Net().eval())
    assert str(program.optimized("channels_last")) == str(program)


class Random:
    """A random network: images of one size that are convolved, scaled, joined, reduced, and turned into something else."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.steps = [
            (self.random.integers(25), *self.random.integers(6, size=2)) for _ in range(self.random.integers(4, 16))
        ]

    def __call__(self, x, w):
        images, rest = [x, x * 0.5], []
        for kind, at, other in self.steps:
            a, b = images[-1 - at % len(images)], images[-1 - other % len(images)]
            made = self.step(kind, a, b, w)
            (images if made.ndim == 4 and made.shape == x.shape else rest).append(made)
        return (images[-1], images[-2], *rest)

    def step(self, kind, a, b, w):
        return (
            lambda: F.conv2d(a, w, padding=1), lambda: F.conv2d(a, w, padding=1), lambda: F.relu(F.conv2d(a, w, padding=1), inplace=True),
            lambda: F.max_pool2d(a, 3, 1, 1), lambda: F.batch_norm(a, w[0, :, 0, 0], w[1, :, 0, 0] ** 2 + 1.0), lambda: a + b,
            lambda: torch.chunk(torch.cat((a, b), 1), 2, 1)[1], lambda: a * torch.sigmoid(b.mean((2, 3), keepdim=True)),
            lambda: torch.softmax(a, 1), lambda: a.mean((2, 3)), lambda: a.sum(1), lambda: a.transpose(2, 3), lambda: a.flip(1) - b[:, :1],
            lambda: (a + 0.0).add_(b).mul_(w[:, 0, 0, :1, None]), lambda: F.pad(a, (1, 0, 2, -1), value=0.5)[..., 1:, 1:],
            lambda: F.conv_transpose2d(a, w, stride=2)[:, :, ::2, 1:7], lambda: F.conv_transpose2d(a, w, padding=1),
            lambda: F.interpolate(a, scale_factor=2.0, mode="bilinear")[:, :, :6, 6:], lambda: F.interpolate(a, (3, 3)),
            lambda: F.group_norm(a, 2, w[:, 0, 0, 0], w[:, 1, 0, 0]), lambda: F.instance_norm(b), lambda: a.flatten(2).transpose(1, 2),
            lambda: (a.reshape(2, 4, -1) * 0.5).reshape(2, 4, 6, -1), lambda: a.reshape(2, 2, 2, 36).sum(1), lambda: F.pad(a, (1, 1, 1, 1), "reflect"),
        )[kind]()  # fmt: skip


@pytest.mark.parametrize("seed", range(part(3, 32)))
def test_random_networks(seed):
    turned(Random(seed), X, torch.linspace(-0.5, 0.6, 4 * 4 * 9).reshape(4, 4, 3, 3))
