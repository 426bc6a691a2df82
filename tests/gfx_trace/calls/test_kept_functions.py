"""Functions that stay functions: what is called again is captured once, and is what an expansion of each call would be.

Each function here is one that enters many, `many`, and does a thing for which one capture may not stand for every call.
"""

import math

import jax
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from captured import equal
from gfx_ir.errors import UnsupportedConstruct

XS = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([-3.0, 1.0, -2.0])


def one(x):
    return x + 0.25


def many(x):
    for _ in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19):
        x = one(x) * 0.9
    return x


# ---------------------------------------------------------------- layers
def l0(x):
    return x * 2


def l1(x, step=1):
    return l0(x + step) if x.sum() > 1 else l0(x - step) + 1


def l2(x):
    """The lowest that is called."""
    return l1(x + 1) if x.sum() > 2 else l1(x - 1) + 1


def l3(x):
    return l2(x + 1) if x.sum() > 3 else l2(x - 1) + 1


def l4(x):
    return l3(x + 1) if x.sum() > 4 else l3(x - 1) + 1


def l5(x):
    return l4(x + 1) if x.sum() > 5 else l4(x - 1) + 1


def layered(x):
    return l5(x) + l5(x * 2) - l4(x)


# ---------------------------------------------------------------- what it writes
def writes_argument(x):
    def step(x):
        y = many(x)
        x.add_(1)
        return y

    x = x * 1
    return step(x) + step(x) * 2 + step(x) * 3 + x


def fills_argument(x):
    def step(x, out):
        out.append(many(x))
        return x * 2

    out = []
    return step(x, out) + step(x + 1, out) + step(x + 2, out) + out[0] + out[1] * 2 + out[2] * 3


def counts(x):
    n = 0

    def step(y):
        nonlocal n
        n += 1
        return many(y) * n

    return step(x) + step(x) * 10 + step(x) * 100


# ---------------------------------------------------------------- what it reads
def scaled(s):
    def f(x):
        return many(x) * s

    return f


def of_one_code(x):
    f, g = scaled(2.0), scaled(3.0)
    return f(x) + g(x) * 10 + f(x + 1) * 100 + g(x + 1) * 1000


def rebound(x):
    k = x + 1

    def g(y):
        return many(y) * k

    a = g(x)
    k = k * 2
    b = g(x)
    k = k * 3
    return a + b * 10 + g(x) * 100


def rebound_inside(x):
    k = x + 1

    def h(y):
        return y * k

    def g(y):
        return h(many(y))

    a = g(x)
    k = k * 2
    return a + g(x) * 10 + g(x + 1) * 100


def written_between(x):
    k = x + 1

    def g(y):
        return many(y) * k

    a = g(x)
    k += 1
    return a + g(x) * 10 + g(x + 1) * 100


class Box:
    scale = 1.0


def attribute_between(x):
    box = Box()

    def g(y):
        return many(y) * box.scale

    a = g(x)
    box.scale = 2.0
    b = g(x)
    if x.sum() > 0:
        box.scale = 3.0
        b = b + g(x)
        box.scale = 2.0
    return a + b * 10 + g(x) * 100


TABLE = torch.arange(3.0)


def outside(x):
    def g(y):
        return many(y) * TABLE

    return g(x) + g(x + 1) * 10 + g(x * 2) * 100


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([0.5, 1.0, 2.0]))
        self.scale = 2.0

    def inner(self, x):
        return many(x * self.weight) * self.scale

    def forward(self, x):
        a, b = self.inner(x), self.inner(x + 1)
        self.scale = 3.0
        c = self.inner(b)
        self.scale = 2.0
        return a + b * 10 + c * 100


# ---------------------------------------------------------------- what it gives
def gives_its_argument(x):
    def step(x, y):
        many(y)
        return x

    x = x * 1
    a, b, c = step(x, x + 1), step(x, x + 2), step(x, x + 3)
    c += 1
    return a + b * 10 + c * 100 + x * 1000


def gives_a_view(x):
    def step(x):
        many(x)
        return x[0:2]

    x = x * 1
    a, b, c = step(x), step(x), step(x)
    c += 1
    return a + b * 10 + c * 100, x


def gives_one_twice(x):
    def step(x):
        y = many(x)
        return y, y

    (a, b), (c, d), (e, f) = step(x), step(x * 2), step(x * 3)
    e += 1
    return a + b + c + d + e + f * 10


def gives_one_or_the_other(x):
    def step(x, y):
        return y if many(x).sum() > 5 else x

    x, y = x * 1, x + 1
    a, b, c = step(x, y), step(y, x), step(x, y)
    c += 1
    return a + b * 10 + c * 100 + x * 1000 + y


def gives_what_is_written(x):
    def step(x):
        return many(x) if x.sum() > 0 else many(x * 2)

    a, b, c = step(x), step(x), step(x)
    a += 1
    b *= 2
    return a + b * 10 + c * 100


def gives_trees(x):
    def step(x):
        return many(x), 3, None, (x * 2, True)

    a, b, c = step(x), step(x * 2), step(x * 3)
    return a[0] * a[1] + b[3][0] + c[0] * (2 if c[2] is None else 5) * c[3][1]


# ---------------------------------------------------------------- what it is given
def one_argument_twice(x):
    def pair(q, k):
        return many(q) * k if q is k else many(q) - k

    y, z = x + 1, x + 1
    return pair(y, y) + pair(y, z) * 10 + pair(z, z) * 100 + pair(z, y) * 1000


def numbers(x):
    def step(x, n, s=2.0, *, flag=False):
        y = many(x) * n + s
        return -y if flag else y

    a = step(x, 1) + step(x, 2) * 10 + step(x, 1.0) * 100 + step(x, True)
    return a + step(x, 1, flag=True) * 7 + step(x, 1, 3.0) + step(x, n=1, s=3.0, flag=True)


def signs(x):
    def step(x, z):
        return many(x) * math.copysign(1.0, z)

    return step(x, 0.0) + step(x, -0.0) * 10 + step(x, 0.0) * 100


def dtypes(x):
    def step(x):
        return many(x) if x.dtype == torch.float32 else many(x) * 2

    return step(x).sum() + step(x.int()).sum() * 10 + step(x * 2).sum() * 100 + step(x[:2]).sum()


def none_or_not(x):
    def step(x, t=None):
        return many(x) if t is None else many(x) * t

    return step(x) + step(x, x) * 10 + step(x, None) * 100 + step(x, x + 1) * 1000


# ---------------------------------------------------------------- where it stands
def under_tests(x):
    if x.sum() > 0:
        y = many(x) + many(x + 1)
    else:
        y = many(x * 2) - many(x)
    for i in range(3):
        y = many(y) + i
    while y.sum() > 100:
        y = many(y) * 0.5
    return y + many(x)


def known_here(x):
    def step(x, t):
        return many(x) if t else many(x) * 3

    t = x.sum() > 0
    if t:
        y = step(x, t)
    else:
        y = step(x, t) * 10
    return y + step(x, t) * 100


def without_gradients(x):
    with torch.no_grad():
        a = many(x)
    b, c = many(x), many(x * 2)
    with torch.no_grad():
        return a + b * 10 + c * 100 + many(x * 3)


def handled(x):
    try:
        return many(x) + many(x + 1) * 10 + many(x * 3)
    except ValueError:
        return x


def unused(x):
    many(x)
    many(x + 1)
    return many(x) if x.sum() > 0 else x


CASES = [
    layered, writes_argument, fills_argument, counts, of_one_code, rebound, rebound_inside, written_between,
    attribute_between, outside, Layer(), gives_its_argument, gives_a_view, gives_one_twice, gives_one_or_the_other,
    gives_what_is_written, gives_trees, one_argument_twice, numbers, signs, dtypes, none_or_not, under_tests, known_here,
    without_gradients, handled, unused,
]  # fmt: skip


def _name(case):
    return getattr(case, "__name__", type(case).__name__)


@pytest.mark.parametrize("given", [(XS[0],), ()], ids=["typed", "open"])
@pytest.mark.parametrize("case", CASES, ids=_name)
def test_a_call_gives_what_the_author_wrote(case, given):
    program = gfx.symbolic_trace(case, *[x.clone() for x in given], **({} if given else {"backend": "torch"}))
    functions = program.to("torch"), program.to("jax")
    for x in XS:
        want = [np.asarray(leaf.detach()) for leaf in _leaves(case(x.clone()))]
        for got in (program(x.clone()), functions[0](x.clone()), functions[1](jax.numpy.asarray(x.numpy()))):
            equal(
                [np.asarray(leaf.detach() if isinstance(leaf, torch.Tensor) else leaf) for leaf in _leaves(got)],
                want,
                2e-3,
            )


def _leaves(x):
    return [leaf for item in x for leaf in _leaves(item)] if isinstance(x, tuple) else [x]


def test_layers_keep_their_names_and_docstrings():
    program = gfx.symbolic_trace(layered, XS[0])
    assert {"l2", "l3", "l4", "l5"} <= set(program.functions)
    text = program.source("torch")
    assert text.count("l4(x") + text.count("l4(h") == 4 and "The lowest that is called." in text


class Spread(nn.Module):
    """What a size of -1 stands for is another in each call of the function, or of the module."""

    def forward(self, rows):
        seen = (rows >= 0).expand(2, -1, 3)
        return (seen * rows).sum(0) + seen.sum()


@pytest.mark.parametrize("spread", [Spread().forward, Spread()], ids=["function", "module"])
@pytest.mark.parametrize("other", [XS[1][:1], torch.cat(XS)], ids=["1", "6"])
def test_a_function_that_is_called_with_several_shapes(spread, other):
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.spread = spread

        def forward(self, x, y):
            return self.spread(x[None, :, None]), self.spread(y[None, :, None])

    written = gfx.transpile(Both(), XS[0], other, to="jax")
    equal(written(*map(jax.numpy.asarray, (XS[0].numpy(), other.numpy()))), Both()(XS[0], other))


def packed(x, times):
    return x if x.shape[1] == 1 else x.reshape(x.shape[0], -1, times * x.shape[2])


class Packing(nn.Module):
    """Its function computes of one argument, and hands the other one back."""

    def __init__(self):
        super().__init__()
        self.times, self.weight = 2, nn.Parameter(torch.rand(1))

    def forward(self, x, mask):
        return packed(x, self.times).sum() * self.weight + packed(mask, self.times)


class PackedLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Packing() for _ in range(3)])

    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x, mask) * x
        return x


def test_layers_are_one_function_whatever_an_inner_call_came_to():
    program = gfx.symbolic_trace(PackedLayers(), torch.ones(2, 4, 3), torch.ones(2, 1, 3))
    assert set(program.functions) == {"packing", "packed"}


def test_gradients_go_through_calls():
    x = XS[0].clone().requires_grad_()
    (want,) = torch.autograd.grad(layered(x).sum(), x)
    (got,) = torch.autograd.grad(gfx.symbolic_trace(layered, XS[0]).to("torch")(x).sum(), x)
    torch.testing.assert_close(got, want)


def test_what_calls_itself_without_end_is_refused():
    def down(x):
        return down(many(x)) if x.sum() > 0 else x

    with pytest.raises(UnsupportedConstruct, match="recursion: 'down' calls itself"):
        gfx.symbolic_trace(down, XS[0])
