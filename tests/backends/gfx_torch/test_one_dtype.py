"""Functions and modules of torch's that take tensors of one dtype alone: of two they are refused at capture."""

import pytest
import torch
import torch.nn.functional as F

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

W, V = torch.eye(3), torch.ones(3)
MODULE = torch.nn.Linear(3, 3)
CELL = torch.nn.GRUCell(3, 3)
CASES = {
    "@": lambda x: x @ W,
    "reflected": lambda x: W @ x,
    "linear": lambda x: F.linear(x, W),
    "module": MODULE,
    "cell": CELL,
    "mm": lambda x: torch.mm(W, x),
    "einsum": lambda x: torch.einsum("ij,jk", x, W),
    "tensordot": lambda x: torch.tensordot(x, W, 1),
    "multi_dot": lambda x: torch.linalg.multi_dot([W, x]),
    "addmm": lambda x: torch.addmm(x, W, W),
    "solve": lambda x: torch.linalg.solve(W, x),
    "isclose": lambda x: torch.isclose(x, W),
    "layer_norm": lambda x: F.layer_norm(W, (3,), x[0]),
    "prelu": lambda x: F.prelu(W, x[0]),
    "attention": lambda x: F.scaled_dot_product_attention(W[None], x[None], W[None]),
    "index_add": lambda x: x.index_add(0, torch.tensor([0]), W[:1]),
    "bce": lambda x: F.binary_cross_entropy(W, x),
}


@pytest.mark.parametrize("name", CASES)
def test_of_two_dtypes_it_is_refused(name):
    fn, x = CASES[name], torch.eye(3)
    with torch.no_grad():
        torch.testing.assert_close(gfx.symbolic_trace(fn, x)(x), fn(x))
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            fn(x.double())
    with pytest.raises(UnsupportedConstruct, match="takes tensors of one dtype, and gets"):
        gfx.symbolic_trace(fn, x.double())


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: torch.cat([x, W]) + torch.where(x > 0, x, W)[0],
        lambda x: F.layer_norm(x, (3,), V) + F.group_norm(x, 1, V),
        lambda x: F.mse_loss(x, W) + F.cosine_similarity(x, W).sum(),
        lambda x: torch.einsum("i,j->ij", torch.arange(3), x[0]) + torch.einsum("ij,...j->...ij", x, W[0]),
    ],
)
def test_what_promotes_still_does(fn):
    x = torch.eye(3, dtype=torch.bfloat16)
    torch.testing.assert_close(gfx.symbolic_trace(fn, x)(x), fn(x))


@pytest.mark.parametrize(
    "fn, dtype",
    [
        (lambda x: F.dropout(x, 0.5), torch.int64),
        (lambda x: torch.bernoulli(x), torch.int64),
        (lambda x: F.l1_loss(x, x), torch.int64),
        (lambda x: torch.nn.L1Loss()(x, x), torch.int64),
        (lambda x: F.hinge_embedding_loss(x, x), torch.int64),
        (lambda x: F.batch_norm(x[:, None], None, None, training=True), torch.int64),
        (torch.nn.BatchNorm1d(3), torch.int64),
        (lambda x: x[0].index_reduce(0, torch.tensor([0, 1]), x[0, :2], "amax"), torch.bool),
        (lambda x: torch.add(x, x, alpha=0.5), torch.int64),
        (lambda x: x - (x > 0), torch.float32),
        (lambda x: torch.where(x, x, x), torch.float32),
        (lambda x: F.one_hot(x), torch.int32),
        (lambda x: F.kl_div(W[0], x), torch.int64),
    ],
)
def test_numbers_of_other_kinds_are_refused(fn, dtype):
    x = torch.ones(3, 3).to(dtype)
    with pytest.raises((RuntimeError, NotImplementedError)):
        fn(x)
    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(fn, x)


def test_what_draws_nothing_takes_whole_numbers():
    def fn(x):
        return F.dropout(x, 0.5, training=False) + F.dropout(x, 0.0) + F.l1_loss(x, x, reduction="sum")

    x = torch.arange(3)
    assert torch.equal(gfx.symbolic_trace(fn, x)(x), fn(x))
