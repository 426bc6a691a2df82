"""Rewriting of Python functions: calls, tests, loops and accesses go through hooks; see `templates.HOOKS`."""

from .load import convert, converted_source, is_converted
from .parse import NoSource
from .templates import HOOKS

__all__ = ["HOOKS", "NoSource", "convert", "converted_source", "is_converted"]
