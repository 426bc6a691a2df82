"""Emitted PyTorch writes in place where its author did and nobody can tell: not the caller, not a gradient."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.loading import backend
from gfx_ir.op import evaluate, lookup
from gfx_ir.trees import leaves, tree_map
from samples import all_samples

TORCH = backend("torch")
SAMPLES = [s for s in all_samples() if "torch" not in s.skip]
SPARE_OPS = {op for op, row in TORCH.rows.items() if row.spare}
SPARE = [s for s in SAMPLES if s.op in SPARE_OPS]
IN_PLACE = [s for s in SAMPLES if s.op in TORCH.in_place]


def bound(sample):
    """The op and its arguments as tensors, and those of them that take a gradient."""
    op = lookup(sample.op)
    args = tree_map(
        lambda a: TORCH.from_host(a.copy()) if hasattr(a, "ndim") else a, op.bind(*sample.args, **sample.kwargs)
    )
    taken = [a for name, a in zip(op.params, args) if name not in ("mean", "var") and isinstance(a, torch.Tensor)]
    return op, args, [a.requires_grad_() for a in taken if a.is_floating_point()]


@pytest.mark.parametrize("sample", SPARE, ids=str)
def test_spare_results_can_be_overwritten(sample):
    op, args, wrt = bound(sample)
    out = TORCH.run(op, args)
    assert all(out.data_ptr() != a.data_ptr() for a in leaves(args) if isinstance(a, torch.Tensor) and a.numel())
    if out.requires_grad:
        weights = torch.rand_like(out)
        before = torch.autograd.grad(out, wrt, weights, retain_graph=True, allow_unused=True)
        after = torch.autograd.grad(out.add_(1.0), wrt, weights, allow_unused=True)
        assert all(a is b or torch.equal(a, b) for a, b in zip(before, after))


@pytest.mark.parametrize("sample", IN_PLACE, ids=str)
def test_spellings_in_place_overwrite_their_first_argument(sample):
    op, args, _ = bound(sample)
    args = tree_map(lambda a: a.detach() if isinstance(a, torch.Tensor) else a, args)
    on_host = tree_map(lambda a: TORCH.to_host(a) if isinstance(a, torch.Tensor) else a, args)
    wanted = TORCH.from_host(np.asarray(evaluate(op, on_host)))
    if not isinstance(args[0], torch.Tensor) or (wanted.shape, wanted.dtype) != (args[0].shape, args[0].dtype):
        return
    out = TORCH.in_place[op.name].function(args, TORCH.namespace)(*args)
    assert out is args[0]
    torch.testing.assert_close(out, wanted)


class Block(nn.Module):
    """A residual block that works in place, as most image models are written."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 1)
        self.norm, self.relu = nn.BatchNorm2d(3), nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.norm(self.a(x)))
        out = self.b(out)
        out += x
        return self.relu(out)


def linear(x, w):
    h = F.linear(x, w)
    h -= 1.0
    F.relu(h, inplace=True)
    return h


def inside(x, w):
    return torch.relu_(torch.matmul(x, w).add_(x))


def of_argument(x, w):
    return F.relu(x, inplace=True) @ w


def of_view(x, w):
    h = x @ w
    first = h[:2]
    first += 1.0
    return h


def needed_by_its_own_gradient(x, w):
    h = torch.sigmoid(x @ w)
    h += x
    return h


def needed_by_another_gradient(x, w):
    h = x @ w
    y = h * h
    h += 1.0
    return y + h


def read_later(x, w):
    h = x @ w
    before = h.clone()
    h += x
    return before, h


def carried(x, w):
    h = x @ w
    for _ in range(3):
        h += x
    return h


def carried_and_tested(x, w):
    h, n = x @ w, 0
    while h.sum() < 100 and n < 3:
        h += x
        n = n + 1
    return h * 1.0


def carried_and_kept(x, w):
    h, out = x @ w, []
    for _ in range(3):
        out.append(h**2)
        h += x
    return torch.stack(out), h


def carried_and_seen(x, w):
    h = x @ w
    first = h[0]
    for _ in range(3):
        h += x
    return h, first


def carried_twice(x, w):
    h = x @ w
    before = h
    for _ in range(3):
        h = h + 0.0
        h += x
        before = before + h
    return h, before


CASES = {
    linear: ("h = F.relu(h, inplace=True)", lambda x, w: F.relu(F.linear(x, w) - 1.0)),
    inside: ("F.relu((x @ w).add_(x), inplace=True)", lambda x, w: F.relu(x @ w + x)),
    of_argument: ("F.relu(x)", lambda x, w: F.relu(x) @ w),
    of_view: ("first + 1.0", lambda x, w: torch.cat([(x @ w)[:2] + 1.0, (x @ w)[2:]])),
    needed_by_its_own_gradient: ("h + x", lambda x, w: torch.sigmoid(x @ w) + x),
    needed_by_another_gradient: ("h + 1.0", lambda x, w: (x @ w) ** 2 + x @ w + 1.0),
    read_later: ("h + x", lambda x, w: (x @ w, x @ w + x)),
    carried: ("h += x", lambda x, w: x @ w + 3 * x),
    carried_and_tested: ("h += x", lambda x, w: _while_low(x @ w, x)),
    carried_and_kept: ("h + x", lambda x, w: (torch.stack([(x @ w + k * x) ** 2 for k in range(3)]), x @ w + 3 * x)),
    carried_and_seen: ("return h, h[0]", lambda x, w: (x @ w + 3 * x, (x @ w + 3 * x)[0])),
    carried_twice: ("h += x", lambda x, w: (x @ w + 3 * x, x @ w + sum(x @ w + k * x for k in (1, 2, 3)))),
}


def _while_low(h, x):
    for _ in range(3):
        h = h + x if h.sum() < 100 else h
    return h


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("fn", CASES, ids=lambda fn: fn.__name__)
def test_in_place_only_where_nothing_changes(fn, level):
    x, w = torch.randn(4, 4), torch.randn(4, 4)
    program = gfx.symbolic_trace(fn, *((x, w) if level else ()), backend="torch")
    wanted, plain = CASES[fn]
    assert wanted in program.source("torch"), program.source("torch")
    results = []
    for f in (program.module("torch").load(), plain):
        given = [a.clone().requires_grad_() for a in (x, w)]
        out = f(*given)
        tensors = list(leaves(out[0] if program.writes and f is not plain else out))
        sum(t.sum() for t in tensors).backward()
        results.append([*tensors, *(a.grad for a in given)])
    for got, want in zip(*results):
        torch.testing.assert_close(got, want)


def test_a_model_that_works_in_place_keeps_doing_so(tmp_path):
    model = nn.Sequential(Block(), Block()).eval()
    program = gfx.transpile(model, to="torch")
    assert "out += x" in program.source and program.source.count("inplace=True") == 2
    x = torch.randn(2, 3, 8, 8)
    for fn in (lambda x: program.fn(program.params, x), program.module()):
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        out, want = fn(a), model(b)
        torch.testing.assert_close(out, want)
        out.square().sum().backward()
        want.square().sum().backward()
        torch.testing.assert_close(a.grad, b.grad)
    assert "inplace" not in gfx.transpile(model, to="jax").source
    program.program.save(tmp_path / "m.json")
    assert gfx.load(tmp_path / "m.json").source("torch") == program.source


def test_what_no_author_wrote_in_place_is_not():
    class Plain(Block):
        def forward(self, x):
            return torch.relu(self.b(torch.relu(self.norm(self.a(x)))) + x)

    source = gfx.transpile(nn.Sequential(Block(), Plain()).eval(), to="torch").source
    assert source.count("inplace=True") == 2 and "torch.relu" not in source and ") + x)" in source


def test_an_emitted_function_that_works_in_place_reads_back():
    program = gfx.symbolic_trace(linear, backend="torch")
    again = gfx.symbolic_trace(program.to("torch"), backend="torch")
    assert again.source("torch") == program.source("torch")
