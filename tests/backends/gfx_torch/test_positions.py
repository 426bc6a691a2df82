"""Positions and masks of dtypes that torch's functions do not take, booleans in differences and products: refused at capture."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

T = torch.arange(9.0).reshape(3, 3)
EMBEDDING = torch.nn.Embedding(3, 2)
POSITIONS = {
    "embedding": lambda i: F.embedding(i, T),
    "embedding_bag": lambda i: F.embedding_bag(i, T),
    "module": EMBEDDING,
    "gather": lambda i: torch.gather(T, 0, i),
    "index_select": lambda i: T.index_select(0, i[0]),
    "index_add": lambda i: T.index_add(0, i[0], T),
    "index_copy": lambda i: T.index_copy(0, index=i[0], source=T),
    "index_fill_": lambda i: T.clone().index_fill_(0, i[0], 1.0),
    "scatter": lambda i: T.scatter(0, i, 1.0),
    "scatter_add": lambda i: torch.scatter_add(T, 0, i, T),
    "take": lambda i: torch.take(T, i),
    "take_along_dim": lambda i: torch.take_along_dim(T, i, 0),
    "nll_loss": lambda i: F.nll_loss(T, i[0]),
    "masked_fill": lambda i: T.masked_fill(i, 1.0),
    "masked_select": lambda i: T.masked_select(i),
    "one_hot": lambda i: F.one_hot(i),
}
DTYPES = (torch.bool, torch.uint8, torch.int32, torch.int64, torch.float32)


def takes(fn, x):
    try:
        fn(x)
    except (RuntimeError, IndexError):
        return False
    return True


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_and_masks(name):
    fn, seen = POSITIONS[name], set()
    for dtype in DTYPES:
        x = torch.tensor([[0, 1, 1]] * 3).to(dtype)
        seen.add(taken := takes(fn, x))
        if taken:
            torch.testing.assert_close(gfx.symbolic_trace(fn, x)(x), fn(x))
        else:
            with pytest.raises(UnsupportedConstruct):
                gfx.symbolic_trace(fn, x)
    assert seen == {True, False}


PRODUCTS = {
    "-": lambda x: 1 - x,
    "reflected": lambda x: x - 2.5,
    "in place": lambda x: x.clone().sub_(1),
    "augmented": lambda x: torch.clone(x).__isub__(1),
    "rsub": lambda x: torch.rsub(x, 1),
    "of a comparison": lambda x: x - (x == x),
    "@": lambda x: x @ x,
    "linear": lambda x: F.linear(x, x),
    "einsum": lambda x: torch.einsum("ij,jk", x, x),
    "reflect": lambda x: F.pad(x, (1, 1), mode="reflect"),
    "replicate": lambda x: F.pad(x, (1, 1), mode="replicate"),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_booleans(name):
    fn, x = PRODUCTS[name], torch.eye(3) > 0
    assert not takes(fn, x)
    with pytest.raises(UnsupportedConstruct, match=r"no booleans|and gets booleans"):
        gfx.symbolic_trace(fn, x)
    if takes(fn, x.float()):
        torch.testing.assert_close(gfx.symbolic_trace(fn, x.float())(x.float()), fn(x.float()))


@pytest.mark.parametrize(
    "fn", [lambda x: 1 - torch.isnan(x), lambda x: x - torch.logical_not(x), lambda x: (1 - (x > 0)) * torch.ones(3)]
)
def test_what_is_surely_boolean_is_refused_without_arguments(fn):
    with pytest.raises(UnsupportedConstruct, match="gets booleans"):
        gfx.symbolic_trace(fn, backend="torch")


def test_maxima_of_complex_numbers_beside_real_ones():
    x = torch.ones(3)
    assert torch.equal(gfx.symbolic_trace(lambda x: torch.max(x, 2 * x), x)(x), 2 * x)
    assert gfx.symbolic_trace(lambda x: torch.max(x[None] > 0, 0).values, x)(x).all()
    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(lambda x: torch.max(x, x * 1j), x)


def best_so_far(x, t):
    def step(i, t):
        return t.at[i].set(jnp.argmax(x[i])).at[0].max(jnp.argmax(x)).at[1].add(jnp.argmin(x))

    return jax.lax.fori_loop(0, 3, step, t)


def test_positions_are_scattered_into_narrower_integers():
    args = jnp.asarray(T), jnp.zeros(5, "int32")
    got = gfx.transpile(jax.jit(best_so_far), *args, to="torch")(T, torch.zeros(5, dtype=torch.int32))
    torch.testing.assert_close(got, torch.tensor(best_so_far(*args)))


PLACES = {
    "slices": lambda x: x[[slice(None), slice(0, x.shape[1] - 1)]],
    "number": lambda x: x[[0, slice(1, None)]],
    "new axis": lambda x: x[[None, 1]],
    "ellipsis": lambda x: x[[..., 0]],
    "positions": lambda x: x[[[0, 1], slice(None)]],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PLACES)
def test_a_list_with_slices_is_a_place(name):
    fn, x = PLACES[name], torch.arange(6.0).reshape(2, 3)

    def written(x):
        y = x.clone()
        fn(y)[...] = 7
        return y

    for each in (fn, written) if name != "positions" else (fn,):
        program = gfx.symbolic_trace(each, torch.ones(3, 2), dynamic=True)
        torch.testing.assert_close(program.to("torch")(x), each(x))
        np.testing.assert_allclose(program.to("jax")(jnp.asarray(x.numpy())), each(x))


def _written(x):
    y = x.clone()
    y[:, (0, 2)] += 1
    y[(0, 1), (0, 1), None] = 5
    return y


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: (x[:, (0, 2)], x[((0, 1), (1, 2))], x[(1, 0), None, 1:]),
        lambda x: (x[(0, 1),], x[[1, 0],], x[(True, False),], x[:, (True, False, True)]),
        _written,
        lambda x: x.permute(torch.cat([torch.tensor([1]), torch.arange(1)]).tolist()),
    ],
)
def test_a_tuple_in_an_index_is_a_list_of_positions_and_so_is_what_a_constant_lists(fn):
    x = torch.arange(6.0).reshape(2, 3)
    for to in ("torch", "jax"):
        made = gfx.transpile(fn, x, to=to, dynamic=True)
        for got, want in zip(made(x if to == "torch" else x.numpy()), fn(x), strict=True):
            np.testing.assert_array_equal(got, want)


def _placed(x, i):
    y = x.clone()
    y[[i, torch.arange(2)]] = 9
    row = y[[i[0], None]]
    row += 10
    return y, x[[i, [0, 2]]], x[[i > 0, 1]], x[[[0, 1], i]], x[[0, i]]


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")
def test_an_index_that_is_a_list_of_more_than_numbers_is_a_tuple_as_in_pytorch():
    x, i = torch.arange(6.0).reshape(2, 3), torch.tensor([1, 0])
    for to in ("torch", "jax"):
        made = gfx.transpile(_placed, x, i, to=to)
        for got, want in zip(
            made(*((x, i) if to == "torch" else (jnp.asarray(x.numpy()), jnp.asarray(i.numpy())))),
            _placed(x, i),
            strict=True,
        ):
            np.testing.assert_array_equal(got, want)
