"""Package discovery: the tables that the modules of a package hold, found by its folder."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def tables(package: str, path: Iterable[str], name: str) -> list[Any]:
    """What each module of a package calls `name`, of those that have it, in the order of their names; all are imported.
    `path`: its `__path__`."""
    modules = [import_module(f"{package}.{found.name}") for found in iter_modules(path)]
    return [vars(module)[name] for module in modules if hasattr(module, name)]
