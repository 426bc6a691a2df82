"""Sparse tensors, which a graph holds as dense ones."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import MissingOp

EDGES, WEIGHTS = torch.tensor([[0, 1, 4, 1], [2, 2, 3, 2]]), torch.tensor([1.0, 2.0, 3.0, 0.5])
LINKS = torch.sparse_coo_tensor(EDGES, WEIGHTS, (5, 5)).coalesce()
X = torch.arange(10.0).reshape(5, 2)


class Graph(torch.nn.Module):
    def __init__(self, product, links=LINKS):
        super().__init__()
        self.product, self.links, self.weight = product, links, torch.nn.Parameter(torch.ones(2, 3))

    def forward(self, x):
        return self.product(self.links, x @ self.weight)


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize(
    "product",
    [
        torch.spmm, torch.mm, torch.sparse.mm, lambda a, x: a @ x, lambda a, x: a.t() @ x,
        lambda a, x: torch.sparse.addmm(x, a, x), lambda a, x: (a.to_dense() if a.is_sparse else a).relu() @ x,
    ],
)  # fmt: skip
def test_products_with_what_a_model_holds(product, to):
    for links in (LINKS, LINKS.to_sparse_csr(), torch.eye(5)[:4, :4].to_sparse()):
        model = Graph(product, links)
        x = X[: len(links)]
        found = gfx.transpile(model, x, to=to)(x if to == "torch" else x.numpy())
        np.testing.assert_allclose(np.asarray(found.tolist()), model(x).tolist())


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_what_the_code_makes(to):
    def fn(edges, weights, x):
        links = torch.sparse_coo_tensor(edges, weights, (len(x), len(x)))
        return torch.sparse.mm(links, x), links.coalesce().to_dense()

    given = EDGES, WEIGHTS, X
    found = gfx.transpile(fn, *given, to=to)(*(given if to == "torch" else [x.numpy() for x in given]))
    for a, b in zip(found, fn(*given)):
        np.testing.assert_allclose(np.asarray(a), b)


def test_what_hangs_on_the_elements_that_it_has_is_refused():
    for fn in (lambda x: LINKS.values() * x[:, 0], lambda x: torch.sparse.softmax(LINKS, 1) @ x):
        with pytest.raises(MissingOp):
            gfx.symbolic_trace(fn, X)
