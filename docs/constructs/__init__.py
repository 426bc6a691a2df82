"""One small function per construct of Python's control flow, in the order of the page."""

from . import branches, effects, expressions, functions, gradients, loops, state
from .row import Construct

CHAPTERS: list[tuple[str, list[Construct]]] = [
    ("Tests", branches.ROWS.rows),
    ("Loops", loops.ROWS.rows),
    ("Mutation and state", state.ROWS.rows),
    ("Functions and objects", functions.ROWS.rows),
    ("Effects, exceptions, matching", effects.ROWS.rows),
    ("Expressions", expressions.ROWS.rows),
    ("Reverse mode in JAX", gradients.ROWS.rows),
]
