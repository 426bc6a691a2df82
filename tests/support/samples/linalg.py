"""Products over every rank, stacks of matrices, norms, systems."""

import numpy as np

from gfx_ir import dtypes
from samples import Sample, integers, normal

S = Sample
V4, M34, M45, T234 = normal(4), normal(3, 4), normal(4, 5, seed=1), normal(2, 3, 4, seed=2)
STACK = normal(2, 1, 4, 5, seed=3)
SQUARE = normal(3, 4, 4, seed=4) + 3 * np.eye(4, dtype=np.float32)
POSITIVE = np.matmul(SQUARE, SQUARE.swapaxes(-1, -2))
COMPLEX = (normal(4, seed=5) + 1j * normal(4, seed=6)).astype(np.complex64)

BRAIN = normal(3, 3, seed=7).astype(dtypes.dtype("bfloat16").numpy)

SAMPLES = [
    S("matmul", (BRAIN, BRAIN), tol=2e-2),
    S("matmul", (M34 > 0, M45 > 0)),
    S("vecdot", (BRAIN, BRAIN), tol=2e-2),
    S("einsum", ("ij,jk->ik", (BRAIN, BRAIN)), tol=2e-2),
    S("matmul", (V4, V4)),
    S("matmul", (V4, M45)),
    S("matmul", (M34, V4)),
    S("matmul", (M34, M45)),
    S("matmul", (T234, M45)),
    S("matmul", (M34, STACK)),
    S("matmul", (T234, STACK)),
    S("matmul", (V4, STACK)),
    S("matmul", (integers(2, 3), integers(3, 2))),
    S("outer", (V4, normal(3))),
    S("vecdot", (T234, T234 + 1)),
    S("vecdot", (T234, normal(3, 4)), {"axis": -1}),
    S("vecdot", (T234, T234 + 1), {"axis": -2}),
    S("vecdot", (integers(2, 3, 4), integers(2, 3, 4))),
    S("vecdot", (COMPLEX, COMPLEX * 1j)),
    S("cross", (normal(4, 3), normal(4, 3, seed=7))),
    S("cross", (normal(3), normal(3, 2, 3, seed=7))),
    S("cross", (normal(3, 4), normal(3, 4, seed=7)), {"axis": 0}),
    S("tensordot", (T234, normal(3, 4, 5))),
    S("tensordot", (T234, M45), {"axes": 1}),
    S("tensordot", (V4, M34), {"axes": 0}),
    S("tensordot", (T234, normal(4, 6, 2)), {"axes": ((2, 0), (0, 2))}),
    S("tensordot", (T234, normal(5, 4)), {"axes": ((-1,), (-1,))}),
    S("trace", (normal(4, 4),)),
    S("trace", (normal(3, 5),)),
    S("det", (SQUARE,)),
    S("det", (SQUARE[0],)),
    S("inv", (SQUARE,), tol=1e-4),
    S("solve", (SQUARE[0], V4), tol=1e-4),
    S("solve", (SQUARE, normal(4, 2)), tol=1e-4),
    S("solve", (SQUARE, normal(3, 4, 2)), tol=1e-4),
    S("cholesky", (POSITIVE,), tol=1e-4),
    S("cholesky", (POSITIVE + np.triu(np.ones((4, 4), np.float32), 1),), tol=1e-4),
    S("cholesky", (POSITIVE + np.triu(np.ones((4, 4), np.float32), 1),), {"symmetrized": True}, tol=1e-3),
]
SAMPLES += [
    S("einsum_view", (x, equation))
    for x, equation in (
        (M34, "ij->ji"),
        (M34, "ij"),
        (M34, "...j->j..."),
        (normal(3, 3, 2), "iij->ji"),
        (normal(4, 4), "ii->i"),
    )
]
SAMPLES += [
    S("einsum", (equation, operands))
    for equation, operands in (
        ("ij,jk->ik", (M34, M45)),
        ("ij,jk", (M34, M45)),
        ("bij,kj->bki", (T234, normal(6, 4))),
        ("...ij,jk->...ik", (T234, M45)),
        ("...j,j", (T234, V4)),
        ("bqd,bkd->bqk", (T234, normal(2, 5, 4))),
        ("ii->i", (normal(4, 4),)),
        ("ii", (normal(4, 4),)),
        ("bij->jb", (T234,)),
        ("i,j,k->ijk", (V4, normal(2), normal(3))),
        ("ij->", (M34,)),
    )
]
SAMPLES += [
    S("matrix_norm", (x,), kwargs, tol=1e-4)
    for x, kwargs in (
        (M34, {}),
        (T234, {}),
        (T234, {"keepdims": True}),
        (T234, {"ord": 1}),
        (T234, {"ord": -1}),
        (T234, {"ord": 2}),
        (T234, {"ord": np.inf}),
        (T234, {"ord": "nuc"}),
        (T234, {"axis": (0, 1)}),
    )
]
