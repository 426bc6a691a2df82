"""Decompositions of matrices: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from .. import ops
from .words import Dialect, Table, expect, is_number, rank

Svd = namedtuple("Svd", ("U", "S", "Vh"))
Qr = namedtuple("Qr", ("Q", "R"))
Eigen = namedtuple("Eigen", ("eigenvalues", "eigenvectors"))
SignLog = namedtuple("SignLog", ("sign", "logabsdet"))


class Decompositions:
    """Functions of np.linalg and jnp.linalg."""

    def __init__(self, say: Dialect, rtol: Callable[[Any], Any] | None = None) -> None:
        """`rtol`: what pinv takes where it is given none; None is the catalogue's own."""
        self.say, self.rtol = say, rtol

    def kron(self, a: Any, b: Any) -> Any:
        """Each element of one times the whole other; a number is an array of its own."""
        a, b = (ops.as_tensor(x) if is_number(x) else self.say.as_array(x) for x in (a, b))
        return ops.kron(a, b)

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "svd": {"linalg.svd": self.svd},
            "svdvals": {"linalg.svdvals": lambda x, /: ops.svdvals(self.say.as_array(x))},
            "qr": {"linalg.qr": self.qr},
            "eigh": {"linalg.eigh": self.eigh},
            "eigvalsh": {"linalg.eigvalsh": self.eigvalsh},
            "slogdet": {"linalg.slogdet": self.slogdet},
            "pinv": {"linalg.pinv": self.pinv},
            "matrix_cond": {"linalg.cond": lambda x, p=None: ops.matrix_cond(self.say.as_array(x), p)},
            "matrix_power": {"linalg.matrix_power": self.matrix_power, "linalg.tensorinv": self.tensorinv},
            "matrix_rank": {"linalg.matrix_rank": self.matrix_rank},
            "kron": {"kron": self.kron},
        }

    def svd(
        self, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False, **options: Any
    ) -> Any:
        """Three factors, or the singular values alone."""
        self.say.refuse(self.say.call("linalg.svd"), **options)
        a = self.say.as_array(a)
        return Svd(*ops.svd(a, full_matrices=full_matrices)) if compute_uv else ops.svdvals(a)

    def qr(self, a: Any, mode: str = "reduced") -> Any:
        """Q and R, or what LAPACK gives, or R alone."""
        a = self.say.as_array(a)
        if mode == "r":
            return ops.qr(a)[1]
        if mode == "raw":
            reflections, tau = ops.geqrf(a)
            return ops.matrix_transpose(reflections), tau
        expect(self.say.call("linalg.qr"), "mode", mode, "reduced", "complete")
        return Qr(*ops.qr(a, mode=mode))

    def eigh(self, a: Any, UPLO: Any = None, **options: Any) -> Any:
        """Eigenvalues and eigenvectors of Hermitian matrices."""
        symmetrized = self._symmetrised("eigh", options)
        return Eigen(*ops.eigh(self.say.as_array(a), uplo=UPLO or "L", symmetrized=symmetrized))

    def eigvalsh(self, a: Any, UPLO: Any = None, **options: Any) -> Any:
        """The eigenvalues alone."""
        symmetrized = self._symmetrised("eigvalsh", options)
        return ops.eigvalsh(self.say.as_array(a), uplo=UPLO or "L", symmetrized=symmetrized)

    def _symmetrised(self, name: str, options: dict[str, Any]) -> bool:
        """Whether the mean of both triangles is taken, as JAX does where it is not told otherwise."""
        jax = self.say.rules == "jax"
        found = bool(options.pop("symmetrize_input", True)) if jax else False
        self.say.refuse(self.say.call(f"linalg.{name}"), **options)
        return found

    def slogdet(self, a: Any, **options: Any) -> Any:
        """Sign and logarithm of the determinant."""
        self.say.refuse(self.say.call("linalg.slogdet"), **options)
        return SignLog(*ops.slogdet(self.say.as_array(a)))

    def pinv(self, a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
        """The pseudo-inverse."""
        a, given = self.say.as_array(a), rcond if rtol is None else rtol
        if given is None and self.rtol is not None:
            given = self.rtol(a)
        return ops.pinv(a, rtol=given, hermitian=hermitian)

    def matrix_power(self, a: Any, n: Any) -> Any:
        """The matrix times itself."""
        expect(self.say.call("linalg.matrix_power"), "n", type(n), int)
        return ops.matrix_power(self.say.as_array(a), n)

    def matrix_rank(self, A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
        """How many singular values are not small; `tol` is absolute."""
        a = self.say.as_array(A)
        if tol is None:
            return ops.matrix_rank(a, rtol=rtol, hermitian=hermitian)
        size = ops.abs(ops.eigvalsh(a)) if hermitian else ops.svdvals(a)
        return ops.count_nonzero(
            ops.greater(size, tol if isinstance(tol, (int, float)) else ops.expand_dims(tol, -1)), axis=-1
        )

    def tensorinv(self, a: Any, ind: int = 2) -> Any:
        """The inverse of the map from the last axes to the first `ind`."""
        a = self.say.as_array(a)
        return tensorinv(a, ind, rank(a), self.say.call("linalg.tensorinv"))


def tensorinv(a: Any, ind: int, axes: int | None, call: str) -> Any:
    """The inverse of a tensor as a map from its axes from `ind` on to those before."""
    if axes is None:
        expect(call, "rank", axes, "a known one")
    sizes = [ops.size(a, at) for at in range(axes or 0)]
    square = ops.inv(ops.flatten(ops.flatten(a, ind, -1), 0, ind - 1))
    return ops.reshape(square, (*sizes[ind:], *sizes[:ind]))
