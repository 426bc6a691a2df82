"""Emitted source as a module, in a file of its own so that it can be captured again."""

import importlib.util
import itertools
import tempfile
from pathlib import Path

_FOLDER = tempfile.TemporaryDirectory(prefix="emitted_")
_NAMES = (f"emitted_{n}" for n in itertools.count())


def load_source(source):
    """The module that a source makes."""
    name = next(_NAMES)
    path = Path(_FOLDER.name) / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
