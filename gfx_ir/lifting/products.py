"""Linear algebra: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..ops._einsum import sums_nothing
from .ranks import just, of_one_size
from .words import Dialect, Table, element, has_at_most, is_number, rank


def einsum(equation: str, operands: tuple) -> Any:
    """Sums in Einstein's notation; a view where nothing is summed."""
    if len(operands) == 1 and sums_nothing(equation):
        return ops.einsum_view(operands[0], equation)
    return ops.einsum(equation, operands)


class Products:
    """Products and decompositions of matrices."""

    def __init__(self, say: Dialect, strong: Callable[[Any], Any] | None = None) -> None:
        """`strong`: what np.dot makes of a number."""
        self.say, self.strong = say, strong or say.as_array

    def table(self) -> Table:
        """Lifts by op."""
        as_array = self.say.as_array
        return {
            "matmul": {
                "dot .dot": self.dot,
                "linalg.multi_dot": self.multi_dot,
            },
            "outer": {
                "outer": self.outer,
                "linalg.outer": just(self.say.call("linalg.outer"), self.outer, 1, 1),
            },
            "vecdot": {"vecdot linalg.vecdot": self.vecdot, "vdot": self.vdot},
            "tensordot": {"tensordot linalg.tensordot": self.tensordot, "inner": self.inner},
            "cross": {"cross": self.cross, "linalg.cross": self.cross},
            "einsum": {"einsum": self.einsum},
            "trace": {
                "trace .trace": self.trace,
                "linalg.trace": lambda x, /, *, offset=0, dtype=None: self.trace(x, offset, -2, -1, dtype),
            },
            "solve": {"linalg.solve": lambda a, b: ops.solve(as_array(a), as_array(b))},
            "inv": {"linalg.inv": lambda a: ops.inv(as_array(a))},
            "det": {"linalg.det": lambda a: ops.det(as_array(a))},
            "cholesky": {"linalg.cholesky": self.cholesky},
        }

    def dot(self, a: Any, b: Any, out: Any = None, **options: Any) -> Any:
        """matmul where b has at most two axes, else a sum over a's last and b's last but one axis."""
        self.say.refuse(self.say.call("dot"), out=out, **options)
        number = is_number(a) or is_number(b)
        a, b = self.strong(a), self.strong(b)
        if number:
            return ops.multiply(a, b)
        if has_at_most(b, 2, self.say.call("dot")):
            return ops.matmul(a, b)
        return ops.tensordot(a, b, axes=((-1,), (-2,)))

    def inner(self, a: Any, b: Any, **options: Any) -> Any:
        """The sum over the last axes of both."""
        self.say.refuse(self.say.call("inner"), **options)
        number = is_number(a) or is_number(b)
        a, b = self.strong(a), self.strong(b)
        if number:
            return ops.multiply(a, b)
        return ops.tensordot(a, b, axes=((-1,), (-1,)))

    def flat(self, x: Any) -> Any:
        """A vector of all elements; that of a number has one."""
        if is_number(x):
            return ops.reshape(ops.as_tensor(x), (1,))
        x = self.say.as_array(x)
        return x if rank(x) == 1 else ops.flatten(x)

    def outer(self, a: Any, b: Any, out: Any = None) -> Any:
        """Each element of one with each of the other."""
        self.say.refuse(self.say.call("outer"), out=out)
        return ops.outer(self.flat(a), self.flat(b))

    def vdot(self, a: Any, b: Any, **options: Any) -> Any:
        """The product of all elements as two vectors."""
        self.say.refuse(self.say.call("vdot"), **options)
        return self.vecdot(self.flat(a), self.flat(b))

    def vecdot(self, x1: Any, x2: Any, /, out: Any = None, *, axis: int = -1, **options: Any) -> Any:
        """The product of vectors along an axis."""
        self.say.refuse(self.say.call("vecdot"), out=out, **options)
        x1, x2 = self.say.as_array(x1), self.say.as_array(x2)
        of_one_size(self.say.call("vecdot"), x1, axis, x2, axis)
        return ops.vecdot(x1, x2, axis=axis)

    def cross(self, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
        """The cross product of vectors of three elements along an axis."""
        a, b = self.say.as_array(a), self.say.as_array(b)
        if axis is None and axisa == axisb == axisc:
            axis = axisa
        if axis is not None:
            return ops.cross(a, b, axis=axis)
        return ops.moveaxis(ops.cross(ops.moveaxis(a, axisa, -1), ops.moveaxis(b, axisb, -1)), -1, axisc)

    def tensordot(self, a: Any, b: Any, axes: Any = 2, **options: Any) -> Any:
        """The sum over several axes."""
        self.say.refuse(self.say.call("tensordot"), **options)
        if not isinstance(axes, int):
            axes = tuple((side,) if isinstance(side, int) else tuple(side) for side in axes)
        a, b = self.say.as_array(a), self.say.as_array(b)
        for first, second in zip(*((range(-axes, 0), range(axes)) if isinstance(axes, int) else axes)):
            of_one_size(self.say.call("tensordot"), a, first, b, second)
        return ops.tensordot(a, b, axes=axes)

    def einsum(self, subscripts: Any, /, *operands: Any, optimize: Any = None, **options: Any) -> Any:
        """Sums in Einstein's notation; how they are ordered is left to who runs them."""
        call = self.say.call("einsum")
        self.say.refuse(call, **options)
        if not isinstance(subscripts, str):
            self.say.refuse(f"{call} with lists of axes", subscripts=subscripts)
        return einsum(subscripts, tuple(map(self.say.as_array, operands)))

    def trace(self, a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
        """The sum of a diagonal."""
        self.say.refuse(self.say.call("trace"), out=out)
        return ops.sum(ops.diagonal(a, offset, axis1, axis2), axis=-1, dtype=element(dtype))

    def cholesky(self, a: Any, /, *, upper: bool = False, **options: Any) -> Any:
        """The lower factor, of the lower triangle, or the upper one, of the upper triangle."""
        self.say.refuse(self.say.call("linalg.cholesky"), **options)
        a = self.say.as_array(a)
        return adjoint(ops.cholesky(adjoint(a))) if upper else ops.cholesky(a)

    def multi_dot(self, arrays: Any, **options: Any) -> Any:
        """The product of several matrices in turn."""
        self.say.refuse(self.say.call("linalg.multi_dot"), **options)
        found = arrays[0]
        for x in arrays[1:]:
            found = ops.matmul(found, x)
        return found


def adjoint(x: Any) -> Any:
    """Transposed and conjugated."""
    return ops.matrix_transpose(ops.conj(x))
