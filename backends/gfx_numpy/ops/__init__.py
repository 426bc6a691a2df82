"""The rows of the NumPy backend, family by family, and what its calls do to memory."""

from gfx_ir.families import tables

from . import create, writes

ROWS = tuple(row for rows in tables(__name__, __path__, "ROWS") for row in rows)
WRITES = writes.WRITES
COPIES = "np.conj np.copy np.resize ndarray.copy ndarray.flatten"
MAY_COPY = "np.ravel ndarray.ravel np.reshape ndarray.reshape"
SHARES = create.SHARES
ARRAYS = (
    "np.array np.asarray np.copy np.where np.select np.piecewise np.zeros np.ones np.empty np.full np.zeros_like np.ones_like"
    " np.empty_like np.full_like np.i0 np.isin np.cov np.astype np.tensordot np.roll np.tile np.broadcast_to np.permute_dims np.moveaxis"
)
"""What gives an array also where it has no axes; all other functions give a number there, views and copies apart."""
