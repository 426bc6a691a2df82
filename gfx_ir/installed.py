"""What installed packages say of themselves."""

from __future__ import annotations

import functools
import re
import sys
from importlib import metadata
from pathlib import Path

from .probing import own_attribute

_REQUIREMENT = re.compile(r"[\w.-]+")


@functools.cache
def required(package: str) -> frozenset[str]:
    """What the distribution that installed a package says that it requires, or has uses for; nothing of a package that none did."""
    module = sys.modules.get(package)
    file = own_attribute(module, "__file__")
    if file is None:
        return frozenset()
    place = Path(file).parent.parent if own_attribute(module, "__path__") else Path(file).parent
    found = [each for each in metadata.distributions(path=[str(place)]) if _installs(each, package)]
    named = (_REQUIREMENT.match(text) for each in found for text in each.requires or ())
    return frozenset(name[0] for name in named if name is not None)


def _installs(distribution: metadata.Distribution, package: str) -> bool:
    record = distribution.read_text("RECORD")  # thousands of lines, of which `files` makes a path each
    if record is not None:
        return any(f"\n{start}" in f"\n{record}" for start in (f"{package}/", f"{package}.py,"))
    return any(file.parts[0] in (package, f"{package}.py") for file in distribution.files or ())
