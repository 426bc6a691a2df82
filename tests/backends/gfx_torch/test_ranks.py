"""Functions of torch's that take tensors of some ranks, captured without any: all that comes of it refuses the others."""

import operator

import jax.numpy as jnp
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.errors import ShapeError


def r(*shape):
    return torch.ones(shape)


ZERO = torch.zeros(1, dtype=torch.int64)
LSTM = torch.nn.LSTM(3, 2)
CASES = {
    "addmm": (lambda a, b, c: torch.addmm(a, b, c), (r(2, 3), r(2, 2), r(2, 3)), (r(1, 2, 3), r(2, 2), r(2, 3))),
    "addmv": (lambda a, b, c: torch.addmv(a, b, c), (r(2), r(2, 2), r(2)), (r(1, 2), r(2, 2), r(2))),
    "addbmm": (lambda a, b, c: torch.addbmm(a, b, c), (r(2, 2), r(2, 2, 2), r(2, 2, 2)), (r(2, 2, 2),) * 3),
    "baddbmm": (lambda a, b, c: torch.baddbmm(a, b, c), (r(2, 2, 2),) * 3, (r(1, 2, 2, 2), r(2, 2, 2), r(2, 2, 2))),
    "addr": (lambda a, b, c: torch.addr(a, b, c), (r(2, 2), r(2), r(2)), (r(1, 2, 2), r(2), r(2))),
    "bilinear": (lambda a, b, w: F.bilinear(a, b, w), (r(5, 3), r(5, 4), r(6, 3, 4)), (r(5, 3), r(4), r(6, 3, 4))),
    "cdist": (lambda a, b: torch.cdist(a, b), (r(3, 2), r(4, 2)), (r(2), r(4, 2))),
    "cdist of others": (lambda a, b: torch.cdist(a, b), (r(3, 2), r(4, 2)), (r(3, 2), r(4, 1))),
    "linalg.cross": (lambda a, b: torch.linalg.cross(a, b), (r(5, 3), r(5, 3)), (r(5, 3), r(3))),
    "attention": (lambda q, k: F.scaled_dot_product_attention(q, k, k), (r(2, 3, 4), r(2, 3, 4)), (r(4), r(4))),
    "embedding": (lambda i, w: F.embedding(i, w), (ZERO, r(4, 3)), (ZERO, r(4, 3, 2))),
    "reflect": (lambda x: F.pad(x, (1, 1), mode="reflect"), (r(2, 3),), (r(3),)),
    "replicate": (lambda x: F.pad(x, (1, 1), mode="replicate"), (r(2, 3),), (r(2, 2, 2, 3),)),
    "flatten": (lambda x: torch.flatten(x, 1), (r(2, 3),), (r(3),)),
    "flatten_some": (lambda x: x.flatten(1, 2), (r(2, 3, 4),), (r(2, 3),)),
    "gather": (lambda x, i: torch.gather(x, 0, i), (r(3, 2), ZERO[None]), (r(3, 2), ZERO)),
    "index_select": (lambda x, i: torch.index_select(x, 0, i), (r(3), ZERO), (r(3), ZERO[None])),
    "index_add": (lambda x, i, y: torch.index_add(x, 0, i, y), (r(3), ZERO, r(1)), (r(3), ZERO[None], r(1, 1))),
    "index_copy": (lambda x, i, y: x.index_copy(0, i, y), (r(3), ZERO, r(1)), (r(3), ZERO[None], r(1, 1))),
    "index_fill": (lambda x, i: torch.index_fill(x, 0, i, 2.0), (r(3), ZERO), (r(3), ZERO[None])),
    "bucketize": (lambda x, b: torch.bucketize(x, b), (r(2, 2), r(2)), (r(2, 2), r(2, 2))),
    "prelu": (lambda x, w: F.prelu(x, w), (r(3, 2), r(2)), (r(3, 2), r(1, 2))),
    "prelu of more": (lambda x, w: F.prelu(x, w), (r(3, 2), r(1)), (r(3, 1), r(2))),
    "batch_norm": (lambda x, w: F.batch_norm(x, None, None, w, training=True), (r(2, 2), r(2)), (r(2, 2), r(2, 2))),
    "lstm": (lambda x: LSTM(x)[0], (r(4, 2, 3),), (r(4, 2, 2),)),
    "layer_norm": (lambda x, w: F.layer_norm(x, (3,), w), (r(2, 3), r(3)), (r(2, 3), r(1, 3))),
    "rms_norm": (lambda x, w: F.rms_norm(x, (3,), w), (r(2, 3), r(3)), (r(2, 3), r(1, 3))),
    "group_norm": (lambda x, w: F.group_norm(x, 1, w), (r(2, 3), r(3)), (r(2, 3), r(1, 3))),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2), (r(2, 3, 4),), (r(2, 3),)),
    "triplet_margin_loss": (lambda a, b, c: F.triplet_margin_loss(a, b, c), (r(2, 3),) * 3, (r(2, 3), r(3), r(2, 3))),
    "binary_cross_entropy": (lambda x, y: F.binary_cross_entropy(x, y), (r(3), r(3)), (r(3), r(2, 3))),
}


def raises(run, given):
    try:
        run(*given)
    except Exception:  # whatever it raises
        return True
    return False


@pytest.mark.parametrize("name", CASES)
def test_other_ranks_are_refused(name):
    fn, good, bad = CASES[name]
    assert not raises(fn, good) and raises(fn, bad)
    program = gfx.symbolic_trace(fn, backend="torch")
    for run in (program, program.to("torch")):
        assert not raises(run, good) and raises(run, bad)
    good, bad = ([jnp.asarray(x.numpy()) for x in given] for given in (good, bad))
    assert not raises(program.to("jax"), good) and raises(program.to("jax"), bad)


@pytest.mark.parametrize("name", CASES)
def test_ranks_that_are_known_are_refused_at_capture(name):
    fn, _, bad = CASES[name]
    with pytest.raises(ShapeError):
        gfx.symbolic_trace(fn, *bad)


SEQUENCES = "cat stack hstack vstack dstack column_stack linalg.multi_dot".split()


@pytest.mark.parametrize("name", SEQUENCES)
def test_one_tensor_is_no_sequence_of_them(name):
    call = operator.attrgetter(name)(torch)
    with pytest.raises(TypeError):
        call(torch.ones(2, 3))
    with pytest.raises(ShapeError, match="a tuple or list of tensors"):
        gfx.symbolic_trace(lambda x: call(x), backend="torch")


MATRICES = {
    "cartesian_prod": lambda x: torch.cartesian_prod(x),
    "chain_matmul": lambda x: torch.chain_matmul(x[0, 0], x[0, 1]),
    "multi_dot": lambda x: torch.linalg.multi_dot([x[0], x[0, 0], x[0]]),
    "fill_diagonal": lambda x: x[0, 0].fill_diagonal_(1.0),
    "fill_diagonal of many": lambda x: x[:, :2].fill_diagonal_(1.0),
    "multi_dot of many": lambda x: torch.linalg.multi_dot([x, x]),
    "cartesian_prod of a number": lambda x: torch.cartesian_prod(x[0, 0], x[0, 0, 0]),
    "combinations": lambda x: torch.combinations(x[0]),
    "diagonal_scatter": lambda x: torch.diagonal_scatter(x[0], x[0, 0, :1]),
    "select_scatter": lambda x: torch.select_scatter(x[0], x[0, :1], 0, 1),
    "slice_scatter": lambda x: torch.slice_scatter(x[0], x[0, 0], 0, 1),
    "as_strided_scatter": lambda x: torch.as_strided_scatter(x.clone(), x[0, 0, :1], (2,), (4,)),
    "with logits": lambda x: F.binary_cross_entropy_with_logits(x[0], x[0, :1]),
    "index_add": lambda x: x.index_add(0, torch.tensor([0, 1]), x[:1]),
    "index_copy": lambda x: x.index_copy(0, torch.tensor([0, 1]), x[:1]),
    "batch_norm": lambda x: F.batch_norm(x[:, :1], None, None, x[0, 0], training=True),
    "linspace": lambda x: torch.linspace(x[0, 0], x[0, 0, 0], 5),
    "logspace": lambda x: torch.logspace(x[0, 0, 0], x[0, 0], 5),
    "gradient": lambda x: torch.gradient(x[:1]),
    "diag": lambda x: torch.diag(x),
}


@pytest.mark.parametrize("name", MATRICES)
def test_tensors_of_other_shapes_are_refused(name):
    x = torch.ones(3, 3, 3)
    assert raises(MATRICES[name], [x])
    with pytest.raises(ShapeError):
        gfx.symbolic_trace(MATRICES[name], x)


def test_an_array_cannot_be_written_with_more_axes_than_it_has():
    def fn(x):
        total = x.sum(0)
        total += x
        return total

    with pytest.raises(ShapeError, match="more axes than the array"):
        gfx.symbolic_trace(fn, backend="torch")
