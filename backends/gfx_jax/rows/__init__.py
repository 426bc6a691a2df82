"""The rows of the JAX backend, family by family."""

from . import create, decompose, effect, elementwise, fft, index, linalg, nn, random, reduce, shape, special

ROWS = tuple(
    row
    for family in (elementwise, reduce, shape, linalg, nn, index, create, random, fft, special, decompose, effect)
    for row in family.ROWS
)
