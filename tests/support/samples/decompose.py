"""Decompositions of square, tall and wide matrices and stacks of them. Signs and phases that are free are not compared."""

import numpy as np

from gfx_ir import ops
from samples import Sample, integers, normal

S = Sample
FREE = "signs and the order of vectors are free: reconstructed in test_decompositions"
SQUARE = normal(3, 4, 4, seed=1) + 3 * np.eye(4, dtype=np.float32)
TALL, WIDE = normal(2, 5, 3, seed=2), normal(3, 5, seed=3)
HERMITIAN = SQUARE + SQUARE.swapaxes(-1, -2)
POSITIVE = SQUARE @ SQUARE.swapaxes(-1, -2)
BROKEN = np.stack([np.eye(3), np.diag([1.0, -1.0, 2.0])]).astype("float32")
RIGHT = normal(3, 4, 2, seed=4)
COMPLEX = (normal(3, 3, seed=5) + 1j * normal(3, 3, seed=6) + 3 * np.eye(3)).astype("complex64")
LU, PIVOTS = ops.lu_factor(SQUARE)
REFLECTIONS, TAU = ops.geqrf(TALL)
LD, LD_PIVOTS = ops.ldl_factor(HERMITIAN)

VECTORS = [
    S(name, (x,), form, skip={backend: FREE for backend in ("torch", "jax")})
    for name, x, form in (
        ("svd", TALL, {}),
        ("svd", WIDE, {"full_matrices": False}),
        ("svd", COMPLEX, {}),
        ("qr", TALL, {}),
        ("qr", WIDE, {}),
        ("qr", TALL, {"mode": "complete"}),
        ("eigh", HERMITIAN, {}),
        ("eigh", HERMITIAN, {"uplo": "U"}),
        ("eig", SQUARE, {}),
        ("eigvals", SQUARE, {}),
    )
]
SAMPLES = [
    *VECTORS,
    *(
        S(name, (x,), tol=1e-3)
        for names, x in (
            ("svdvals pinv matrix_cond matrix_rank", TALL),
            ("svdvals pinv matrix_rank lu lu_factor geqrf", WIDE),
            ("eigvalsh matrix_exp slogdet lu lu_factor", HERMITIAN),
            ("cholesky_ex", POSITIVE),
            ("slogdet matrix_exp lu lu_factor", COMPLEX),
        )
        for name in names.split()
    ),
    S("eigvalsh", (SQUARE,), {"uplo": "U"}, tol=1e-3),
    S("eigvalsh", (COMPLEX,), {"symmetrized": True}, tol=1e-3),
    *(S("matrix_cond", (SQUARE,), {"p": p}, tol=1e-3) for p in (1, np.inf, "fro", -2)),
    *(S("matrix_power", (SQUARE, n), tol=1e-3) for n in (0, 1, 3, -2)),
    S("matrix_power", (integers(3, 3), 2)),
    S("pinv", (HERMITIAN,), {"hermitian": True}, tol=1e-3),
    S("pinv", (BROKEN,), {"rtol": 1e-3}),
    S("matrix_rank", (HERMITIAN,), {"hermitian": True}),
    S("householder_product", (REFLECTIONS, TAU), tol=1e-4),
    S("lu_unpack", (LU, PIVOTS)),
    S("lu_solve", (LU, PIVOTS, RIGHT), tol=1e-3),
    S("lu_solve", (LU[:1], PIVOTS[:1], RIGHT, True), tol=1e-3),
    S("solve_triangular", (SQUARE, RIGHT), tol=1e-3),
    S("solve_triangular", (SQUARE, RIGHT[0]), {"upper": True}, tol=1e-3),
    S("solve_triangular", (SQUARE[0], RIGHT), {"unit_diagonal": True}, tol=1e-3),
    S("ldl_factor", (HERMITIAN,), tol=1e-4),
    S("ldl_solve", (LD, LD_PIVOTS, RIGHT), tol=1e-3),
    S("lstsq", (TALL, normal(2, 5, 2, seed=7)), tol=1e-3),
    S("kron", (WIDE, integers(2, 2).astype("float32"))),
    S("kron", (TALL, WIDE)),
    S("tridiagonal_solve", (RIGHT[..., 0], RIGHT[..., 0] + 9, RIGHT[..., 1], RIGHT), tol=1e-4),
]
