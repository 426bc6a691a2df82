"""What the printer does to its own copy of a program before it prints it: one file a rewrite, `pipeline` runs them.

These files know the graph and the style of the target, and nothing of names, expressions or statements.
"""

from .pipeline import Prepared, prepare

__all__ = ["Prepared", "prepare"]
