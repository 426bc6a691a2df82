"""The versions of a framework that a backend's rows were written for."""

from __future__ import annotations

import re

from .errors import BackendError


def require(package: str, version: str, lowest: tuple[int, ...], below: tuple[int, ...]) -> None:
    """Raise BackendError unless lowest <= version < below. What follows the numbers ("+cpu", "rc1", ".dev2") does not count."""
    release = re.match(r"\d+(\.\d+)*", version)
    numbers = tuple(int(part) for part in release.group().split(".")) if release else ()
    if not lowest <= numbers < below:
        wanted = f"{package}>={'.'.join(map(str, lowest))},<{'.'.join(map(str, below))}"
        raise BackendError(
            f"GFX's {package} backend is written for {wanted}, and found {package} {version}",
            hint=f"pip install '{wanted}'",
        )
