"""The rows of the JAX backend, family by family."""

from gfx_ir.families import tables

ROWS = tuple(row for rows in tables(__name__, __path__, "ROWS") for row in rows)
