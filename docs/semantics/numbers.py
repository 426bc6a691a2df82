"""Numbers: dtypes, whole numbers, rounding."""

import jax
import jax.numpy as jnp
import torch

from .row import Table

ROWS = Table()
F, I = torch.float32, torch.int64


@ROWS(
    "A whole number in float arithmetic", torch.arange(3), torch.tensor([0.5, 1.5, 2.5], dtype=torch.float16),
    note="int64 with float16 is float16 in PyTorch and float64 in NumPy; a cast stands where the target would promote otherwise.",
    typed=True,
)  # fmt: skip
def mixed(n, x):
    return n * x + 1


@ROWS(
    "A weak scalar", torch.tensor([1, 2, 3]), note="A Python float makes whole numbers float32, PyTorch's default, also in NumPy.",
    typed=True,
)  # fmt: skip
def weak(n):
    return n * 2.5


@ROWS(
    "0-d tensors and promotion", torch.tensor([1.5, 2.5], dtype=torch.float16), torch.tensor(3.0, dtype=torch.float32),
    note="A 0-d tensor counts by its kind alone in PyTorch, so float16 stays; in JAX and NumPy it counts by its dtype, so it is cast.",
    typed=True,
)  # fmt: skip
def no_axes(x, scale):
    return x * scale


@ROWS(
    "Integer division of negative numbers", torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2]),
    note="`//` rounds down, `rounding_mode=\"trunc\"` towards zero. A whole number by 0 is the target's own:"
    " PyTorch raises, NumPy gives 0 and a warning, JAX a negative number.",
    naive=lambda a, b: (jax.lax.div(a, b), jnp.trunc(a / b)),
)  # fmt: skip
def divided(a, b):
    return a // b, torch.div(a, b, rounding_mode="trunc")


@ROWS(
    "The sign of a remainder", torch.tensor([7, -7, 7, -7]), torch.tensor([3, 3, -3, -3]),
    note="`%` and `remainder` have the divisor's sign, `fmod` that of the dividend.",
    naive=lambda a, b: (jax.lax.rem(a, b), jax.lax.rem(a, b)),
)  # fmt: skip
def remainders(a, b):
    return a % b, torch.fmod(a, b)


@ROWS(
    "Rounding of halves", torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5]), note="To the even neighbour, everywhere.",
)  # fmt: skip
def halves(x):
    return torch.round(x)


@ROWS(
    "Whole numbers of 64 bits", torch.tensor([2**40, -(2**40)]),
    note="JAX has them where it is set to 64-bit types. Where it is not, moving numbers that do not fit is an error.",
    x64=True,
)  # fmt: skip
def large(n):
    return n + 1


@ROWS(
    "Floats of 64 bits", torch.tensor([1.0, 1e-9], dtype=torch.float64),
    note="JAX has them where it is set to 64-bit types. Where it is not, moving data that lose digits warns.",
    x64=True,
)  # fmt: skip
def precise(x):
    return torch.sum(x)


@ROWS(
    "erf far from zero", torch.tensor([-4.0, -0.5, 1e-4, 3.0, 5.0]), note="The target's own erf and erfc; GELU in its exact form where PyTorch's is.",
)  # fmt: skip
def error_function(x):
    return torch.erf(x), torch.erfc(x), torch.nn.functional.gelu(x)


@ROWS(
    "The angle of -0", torch.tensor([-1.0, -0.0, 0.0, float("nan")]), note="0 of a real number, where `atan2` has pi.",
    typed=True, naive=jnp.angle,
)  # fmt: skip
def angles(x):
    return torch.angle(x)


@ROWS(
    "Sums of narrow whole numbers", torch.tensor([200, 100], dtype=torch.uint8), torch.tensor([100, 100], dtype=torch.int8),
    note="Are int64 in PyTorch; unsigned in JAX and NumPy, and running ones as narrow as before in JAX.",
    typed=True, naive=lambda n, k: (jnp.sum(n) - 500, jnp.cumsum(k)),
)  # fmt: skip
def narrow_sums(n, k):
    return torch.sum(n) - 500, torch.cumsum(k, dim=0)


@ROWS(
    "NaN at a threshold, and large powers of two", torch.tensor([float("nan"), 300.0, -1.0]),
    note="What is no number is not below the threshold; sums of powers do not overflow.",
    naive=lambda x: (jnp.where(x > 0, x, 9.0), jnp.log2(2**x + 2**x)),
)  # fmt: skip
def thresholds(x):
    return torch.nn.functional.threshold(x, 0.0, 9.0), torch.logaddexp2(x, x)


@ROWS(
    "The sign of what is no number", torch.tensor([float("nan"), -2.0, 0.0]),
    note="Is 0 in PyTorch; in JAX and NumPy it is no number, either. The sign of a zero that a function gives is the target's own.", naive=jnp.sign,
)  # fmt: skip
def signs(x):
    return torch.sign(x)


@ROWS(
    "Matrices that are not symmetric", torch.tensor([[4.0, 9.0], [1.0, 5.0]]),
    note="PyTorch and NumPy read one triangle of a matrix that is to be symmetric, JAX takes the mean of both.",
    naive=lambda x: (jnp.linalg.cholesky(x), jnp.linalg.eigvalsh(x)),
)  # fmt: skip
def triangles(x):
    return torch.linalg.cholesky(x), torch.linalg.eigvalsh(x)


@ROWS(
    "Gradients of factors", torch.tensor([[4.0, 1.0], [1.0, 5.0]]),
    note="Reach both triangles, though one is read.", gradient=True,
    naive=jax.grad(lambda x: jnp.linalg.cholesky(x, symmetrize_input=False)[1, 0]),
)  # fmt: skip
def one_factor(x):
    return torch.linalg.cholesky(x)[1, 0]
