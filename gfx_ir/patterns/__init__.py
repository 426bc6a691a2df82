"""Patterns: functions over ops that are looked for in graphs, and put in place of each other."""

from .composing import compose
from .finding import Match, Mismatch, Pattern, find, pattern
from .holes import Hole, PatternError
from .rewriting import rewrite
from .ways import anything, number, one_of, optional, require

__all__ = [
    "Hole", "Match", "Mismatch", "Pattern", "PatternError", "anything", "compose", "find", "number", "one_of", "optional", "pattern",
    "require", "rewrite",
]  # fmt: skip
