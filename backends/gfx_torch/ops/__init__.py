"""One file a family of ops: how PyTorch spells each op, and which of its calls are that op."""

from gfx_ir.families import tables

from ._numbers import takes_tensors

ROWS = tuple(takes_tensors(row) for rows in tables(__name__, __path__, "ROWS") for row in rows)
