"""Where PyTorch, JAX and NumPy mean different things by the same words, and what GFX makes of it."""

from . import indices, layers, numbers, order
from .row import Meaning

CHAPTERS: list[tuple[str, list[Meaning]]] = [
    ("Numbers", numbers.ROWS.rows),
    ("Positions", indices.ROWS.rows),
    ("Reductions and order", order.ROWS.rows),
    ("Layers", layers.ROWS.rows),
]
