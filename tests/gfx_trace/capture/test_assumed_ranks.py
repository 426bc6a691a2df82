"""A rank that a call needed and nothing told is checked by the Program and by the source, where code for another rank is another."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct

CASES = [
    (lambda x: torch.cummax(x, 0).indices, 1, 2),
    (lambda x: torch.cummin(x * 1, 0).indices, 1, 2),
    (lambda x: torch.renorm(x * 1, 2, 0, 1.0), 2, 3),
    (lambda x: F.interpolate(x * 1, scale_factor=2.0), 4, 3),
    (lambda x: F.softmax(x * 1), 2, 3),
    (lambda x: F.log_softmax(x), 2, 3),
    (lambda x: (x * 1).t(), 2, 3),
    (lambda x: torch.hstack([x * 1, x * 2]), 2, 1),
    (lambda x: torch.column_stack([x * 1, x]), 2, 1),
    (lambda x: F.channel_shuffle(x * 1, 2), 4, 3),
    (lambda x: F.prelu(x * 1, torch.ones(2)), 2, 3),
    (lambda x: torch.block_diag(x * 1, x), 2, 1),
    (lambda x: torch.mm(x * 1, x), 2, 3),
    (lambda x: torch.bmm(x * 1, mat2=x), 3, 2),
    (lambda x: (x * 1).dot(x), 1, 2),
    (lambda x: torch.trace(x * 1), 2, 3),
    (lambda x: torch.addmm(x, x * 1, x), 2, 3),
    (lambda x: torch.chain_matmul(x * 1, x), 2, 1),
    (lambda x: torch.outer(x * 1, x), 1, 2),
    (lambda x: torch.linalg.solve(x * 1 + torch.eye(2), x), 2, 3),
    (lambda x: torch.renorm(x, 2, 0, 1.0) if x.sum() > 0 else x, 2, 3),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("fn", "rank", "other"), CASES)
def test_another_rank_is_refused(fn, rank, other):
    program = gfx.symbolic_trace(fn, backend="torch")
    good, bad = (torch.arange(float(2**n)).reshape((2,) * n) for n in (rank, other))
    want = np.asarray(fn(good))
    emitted, moved = program.to("torch"), jax.jit(program.to("jax"))
    for found in (program(good), emitted(good), moved(jnp.asarray(good.numpy()))):
        np.testing.assert_allclose(np.asarray(found), want, rtol=1e-5)
    with pytest.raises((GuardError, AssertionError)):
        program(bad)
    for checked, given in ((emitted, bad), (moved, jnp.asarray(bad.numpy()))):
        with pytest.raises((GuardError, AssertionError, jax.errors.JaxRuntimeError)):
            checked(given)
    with pytest.raises(AssertionError, match=r"captured for|at most \d axes"):
        program.module("torch").bare()(bad)
    with pytest.raises((AssertionError, jax.errors.JaxRuntimeError), match=r"captured for|at most \d axes"):
        jax.jit(program.module("jax").bare())(jnp.asarray(bad.numpy()))


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 2))])
def test_np_dot_takes_vectors_and_matrices(shapes):
    given = [np.arange(1.0, 1 + np.prod(shape)).reshape(shape) for shape in shapes]
    program = gfx.symbolic_trace(lambda a, b: np.dot(a - 1, b), backend="numpy")
    for target, make in (("numpy", np.array), ("torch", torch.tensor), ("jax", jnp.asarray)):
        np.testing.assert_allclose(program.to(target)(*map(make, given)), np.dot(given[0] - 1, given[1]), rtol=1e-6)
        with pytest.raises(AssertionError, match="at most 2 axes"):
            program.to(target)(make(given[0]), make(np.ones((2, 3, 2))))


def test_of_two_ranks_that_follow_from_one_the_greater_tells():
    def fn(x, k=2):
        centered = x - x.mean(0)
        return np.linalg.svd(centered, full_matrices=False)[1][:k] * 2

    program = gfx.symbolic_trace(fn, backend="numpy")
    assert not program.guards
    x = np.arange(6.0).reshape(3, 2) ** 2
    np.testing.assert_allclose(program(x), fn(x), atol=1e-6)


@pytest.mark.parametrize("row", (lambda x: torch.outer(x, x)[0].clone(), lambda x: torch.outer(x, x).sum(0), lambda x: torch.arange(3) * 1.0))  # fmt: skip
def test_a_rank_that_follows_from_the_ops_is_no_guess(row):
    def fn(x):
        x = x + torch.mv(torch.eye(3), x)
        return torch.vstack([row(x), row(x)])

    program, x = gfx.symbolic_trace(fn, backend="torch"), torch.arange(3.0)
    for found in (program(x), program.to("jax")(jnp.arange(3.0))):
        np.testing.assert_allclose(np.asarray(found), fn(x))


def unpacked(x):
    rows, _ = x.shape
    first = x[x.long()[0]]
    first += rows
    return first, x


def asserted(x):
    assert len(x.shape) == 2
    first = x[x.long()[0]]
    first += 1
    return torch.diag(x.sum(0)), first, x


def asked(x):
    if x.ndim == 1:
        return torch.diag(x * 2)
    return x.sum(0)


def transposed(x):
    return torch.diag(x.t() * 2) + torch.diag(x)


@pytest.mark.parametrize("fn", [unpacked, asserted, asked, transposed])
def test_a_rank_that_the_code_settles_is_known(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for x in (torch.ones(2, 2), torch.arange(9.0).reshape(3, 3) % 3, *[torch.arange(3.0)] * (fn is asked)):
        want, source = jax.tree.leaves(fn(x.clone())), program.to("torch")
        found = program(x.clone()), source(x.clone()), jax.jit(program.to("jax"))(jnp.asarray(x.numpy()))
        for leaves in map(jax.tree.leaves, found):
            assert len(leaves) >= len(want)
            for a, b in zip(want, leaves):
                np.testing.assert_allclose(a, np.asarray(b))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x.tolist()[0][1],
        lambda x: x.tolist()[0].append(1.0),
        lambda x: x.tolist()[0].__setitem__(0, 2.0),
        lambda x: x.tolist()[0][1:],
    ],
    ids=range(4),
)
def test_what_fails_for_the_rank_that_was_taken_is_refused(fn):
    with pytest.raises(UnsupportedConstruct, match=r"x\.ndim == 1, which the capture takes as given"):
        gfx.symbolic_trace(fn, backend="torch")
    program = gfx.symbolic_trace(fn, torch.ones(2, 2))
    assert program(torch.eye(2)) == fn(torch.eye(2))
