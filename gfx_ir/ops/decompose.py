"""Decompositions of matrices, and what is computed by them.

Names and semantics: https://data-apis.org/array-api/latest/extensions/linear_algebra_functions.html where it has the
function, else https://docs.pytorch.org/docs/stable/linalg.html. Matrices are the last two axes, stacks what stands before.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .. import dtypes, host
from ..build import host as host_value
from ..dtypes import DType
from ..errors import ShapeError
from ..op import Trait
from ..template import Spelling
from ..types import LogicalTensor
from . import _costs
from ._body import element_of
from ._catalogue import ops
from ._row import composite, op
from ._shapes import Dims, as_type, broadcast, dims_text, dividing, index_dtype, promote, real_of
from .linalg import FAMILY, matrices

Patterns = tuple[str, ...] | Callable[[SimpleNamespace], tuple[str, ...]]


def _dtype(kind: str, own: DType | None, rules: str) -> DType | None:
    if kind == "real":
        return real_of(own)
    if kind == "complex":
        return own if own is None or own.kind == "c" else dtypes.DTYPES[f"complex{2 * own.bits}"]
    if kind == "index":
        return index_dtype(rules)
    return own if not kind else dtypes.DTYPES[kind]


def _factors(patterns: Patterns, square: bool = False, name: str = "x") -> Any:
    """Infer rule: the last axes of each output by letters (m rows, n columns, k the fewer of them) and, after a stroke,
    its dtype where that is not the matrix's own."""

    def infer(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
        x = as_type(getattr(args, name), rules)
        dims, own = matrices(x, square), dividing((x,), rules)[0]
        out = []
        for pattern in patterns if isinstance(patterns, tuple) else patterns(args):
            letters, _, kind = pattern.partition("/")
            out.append(LogicalTensor(_dtype(kind, own, rules), _ends(dims, letters)))
        return tuple(out)

    return infer


def _ends(dims: Dims, letters: str) -> Dims:
    if dims is None:
        return None
    m, n = dims[-2:]
    fewer = None if m is None or n is None else host.extremum("min", m, n)
    return (*dims[:-2], *({"m": m, "n": n, "k": fewer}[letter] for letter in letters))


def _op(
    signature: str,
    spelling: Any,
    patterns: Patterns,
    doc: str,
    square: bool = False,
    count: int = 1,
    traits: Trait = Trait.NONE,
) -> None:
    """A row whose outputs hang on the sizes of x alone."""
    op(
        FAMILY,
        signature,
        spelling,
        infer=_factors(patterns, square),
        kinds=("tensor",) * count,
        compute=_costs.power(3, 1, 4),
        doc=doc,
        traits=traits,
    )


def _of_hermitian(name: str) -> Spelling:
    """A function of one triangle."""
    return lambda a: f"np.linalg.{name}({'(x + x.mT.conj()) / 2' if a.symmetrized else 'x'}, UPLO=uplo)"


_op(
    "svd(x, full_matrices=True)",
    "np.linalg.svd(x, full_matrices=full_matrices)",
    lambda a: ("mm", "k/real", "nn") if a.full_matrices else ("mk", "k/real", "kn"),
    "U, the singular values from large to small, and V transposed and conjugated: x = U @ diag(S) @ Vh.",
    count=3,
    traits=Trait.CHECKS,
)
_op(
    "svdvals(x)",
    "np.linalg.svd(x, compute_uv=False)",
    ("k/real",),
    "The singular values, from large to small.",
    traits=Trait.CHECKS,
)
_op(
    'qr(x, mode="reduced")',
    "np.linalg.qr(x, mode=mode)",
    lambda a: ("mk", "kn") if a.mode == "reduced" else ("mm", "mn"),
    "Q with orthonormal columns and R upper triangular: x = Q @ R. `mode`: reduced or complete.",
    count=2,
)
_op(
    'eigh(x, uplo="L", symmetrized=False)',
    _of_hermitian("eigh"),
    ("n/real", "nn"),
    "Eigenvalues, from small to large, and eigenvectors of Hermitian matrices, of which one triangle is read; `symmetrized`: "
    "of the mean of x and what it is transposed and conjugated.",
    square=True,
    count=2,
    traits=Trait.CHECKS,
)
_op(
    'eigvalsh(x, uplo="L", symmetrized=False)',
    _of_hermitian("eigvalsh"),
    ("n/real",),
    "The eigenvalues of Hermitian matrices, from small to large.",
    square=True,
    traits=Trait.CHECKS,
)
_op(
    "eig(x)",
    "eig(x)",
    ("n/complex", "nn/complex"),
    "Eigenvalues and eigenvectors, both complex.",
    square=True,
    count=2,
    traits=Trait.CHECKS,
)
_op(
    "eigvals(x)",
    "np.linalg.eigvals(x).astype(np.result_type(x, np.complex64))",
    ("n/complex",),
    "The eigenvalues, complex.",
    square=True,
    traits=Trait.CHECKS,
)
_op(
    "slogdet(x)",
    "np.linalg.slogdet(x)",
    ("", "/real"),
    "Sign and logarithm of the absolute value of the determinant.",
    square=True,
    count=2,
)
_op(
    "pinv(x, rtol=None, hermitian=False)",
    lambda a: f"np.linalg.pinv(x, hermitian=hermitian, rtol={'None' if a.rtol is None else 'rtol'})",
    ("nm",),
    "The pseudo-inverse; singular values below rtol times the largest count as 0 (None: max(m, n) times eps).",
)
_op("matrix_cond(x, p=None)", "np.linalg.cond(x, p)", ("/real",), "norm(x, p) * norm(inv(x), p); p=None is 2.")
_op("matrix_exp(x)", "linalg.expm(x)", ("nn",), "The sum over k of x**k / k!.", square=True)
_op("lu_factor(x)", "lu_factor(x)", ("mn", "k/int32"), "L and U in one matrix, and LAPACK's pivots.", count=2)
_op("lu(x)", "lu(x)", ("mm", "mk", "kn"), "P, L and U: x = P @ L @ U.", count=3)
_op(
    "cholesky_ex(x)",
    "cholesky_ex(x)",
    ("nn", "/int32"),
    "The lower Cholesky factor, and the size of the first leading block that is not positive definite, else 0.",
    square=True,
    count=2,
)
_op(
    "geqrf(x)",
    "geqrf(x)",
    ("mn", "k"),
    "R in the upper triangle with the reflections that make up Q below it, and their factors.",
    count=2,
    traits=Trait.UNDERIVED,
)
_op(
    "ldl_factor(x, hermitian=False)",
    "ldl_factor(x, hermitian)",
    ("nn", "n/int32"),
    "L and D of L @ D @ L.mT (with hermitian L.mH) in one matrix, and LAPACK's pivots.",
    square=True,
    count=2,
)


def _square_power(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    inverse = not isinstance(args.n, int) or args.n < 0
    return LogicalTensor(dividing((x,), rules)[0] if inverse else x.dtype, matrices(x, square=True))


op(
    FAMILY,
    "matrix_power(x, n)",
    lambda a: "np.copy(x)" if type(a.n) is int and a.n == 1 else "np.linalg.matrix_power(x, n)",
    infer=_square_power,
    compute=_costs.power(3, 1, 4),
    doc="x @ x @ ..., n times; of the inverse where n < 0.",
)


# ---------------------------------------------------------------- of several arguments
def _same_as(name: str) -> Any:
    """Infer rule: shape and dtype of one of the arguments."""

    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        x = as_type(getattr(args, name), rules)
        return LogicalTensor(x.dtype, matrices(x))

    return infer


op(
    FAMILY,
    "householder_product(x, tau)",
    "householder_product(x, tau)",
    infer=_same_as("x"),
    compute=_costs.power(3, 1, 4),
    traits=Trait.UNDERIVED,
    doc="The first columns of the product of the reflections that geqrf gives.",
)
op(
    FAMILY,
    "lu_unpack(x, pivots)",
    "lu_unpack(x, pivots)",
    infer=_factors(("mm", "mk", "kn")),
    kinds=("tensor", "tensor", "tensor"),
    doc="P, L and U of what lu_factor gives.",
)


def _solution(matrix: str, right: str) -> Any:
    """Infer rule of a system whose right sides are matrices."""

    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        a, b = as_type(getattr(args, matrix), rules), as_type(getattr(args, right), rules)
        dtype = dividing((a, b), rules)[0]
        dims, sides = matrices(a, square=True), matrices(b)
        if dims is None or sides is None:
            return LogicalTensor(dtype)
        if host.same(dims[-1], sides[-2]) is False:
            raise ShapeError(f"{dims_text((dims, sides))} are no system: {dims[-1]} unknowns, {sides[-2]} equations")
        stack = broadcast(dims[:-2], sides[:-2], what="stacks of matrices")
        return LogicalTensor(dtype, None if stack is None else (*stack, *sides[-2:]))

    return infer


op(
    FAMILY,
    "solve_triangular(x1, x2, upper=False, unit_diagonal=False)",
    "solve_triangular(x1, x2, upper=upper, unit_diagonal=unit_diagonal)",
    infer=_solution("x1", "x2"),
    compute=_costs.solve,
    doc="The solution of x1 @ y = x2, of x1 one triangle taken; with unit_diagonal its diagonal as ones.",
)
op(
    FAMILY,
    "lu_solve(x, pivots, b, transposed=False)",
    "lu_solve(x, pivots, b, transposed)",
    infer=_solution("x", "b"),
    doc="The solution of A @ y = b (transposed: of A.mT @ y = b), A given by what lu_factor gives.",
)
op(
    FAMILY,
    "ldl_solve(x, pivots, b, hermitian=False)",
    "ldl_solve(x, pivots, b, hermitian)",
    infer=_solution("x", "b"),
    doc="The solution of A @ y = b, A given by what ldl_factor gives.",
)


def _kron_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    a, b = as_type(args.x1, rules), as_type(args.x2, rules)
    dtype = promote((a, b), rules)[0]
    if a.dims is None or b.dims is None:
        return LogicalTensor(dtype)
    rank = max(len(a.dims), len(b.dims))
    first, second = ((1,) * (rank - len(t.dims or ())) + tuple(t.dims or ()) for t in (a, b))
    return LogicalTensor(dtype, tuple(_costs.times(m, n) for m, n in zip(first, second)))


op(FAMILY, "kron(x1, x2)", "np.kron(x1, x2)", infer=_kron_type, doc="Each element of x1 times the whole of x2.")


def cutoff(x: Any) -> Any:
    """max(m, n) times the distance from 1 to the next number: singular values below it times the largest count as 0."""
    longest = host_value("max", ops.size(x, -2), ops.size(x, -1))
    return host_value("*", longest, ops.finfo(element_of(x) or ops.dtype_of(x), "eps"))


@composite(FAMILY)
def lstsq(x1: Any, x2: Any, rtol: Any = None) -> Any:
    """The y of least norm for which x1 @ y - x2 is least, by the pseudo-inverse of x1."""
    return ops.matmul(ops.pinv(x1, rtol=rtol), x2)


@composite(FAMILY)
def matrix_rank(x: Any, rtol: Any = None, hermitian: bool = False) -> Any:
    """How many singular values exceed rtol times the largest (None: max(m, n) times eps)."""
    size = ops.sort(ops.abs(ops.eigvalsh(x)), descending=True) if hermitian else ops.svdvals(x)
    limit = ops.multiply(ops.getitem(size, (..., slice(None, 1))), cutoff(x) if rtol is None else rtol)
    return ops.count_nonzero(ops.greater(size, limit), axis=-1)


@composite(FAMILY)
def tridiagonal_solve(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    """The solution of A @ y = b, A given by the diagonals below, on and above its main one, each as long as that: the first
    element of the lower one and the last of the upper one count nothing. Written out as whole matrices."""
    below = ops.diag_embed(ops.getitem(lower, (..., slice(1, None))), offset=-1)
    above = ops.diag_embed(ops.getitem(upper, (..., slice(None, -1))), offset=1)
    return ops.solve(ops.add(ops.add(below, ops.diag_embed(diagonal)), above), b)
