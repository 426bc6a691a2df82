"""Where the sweeps keep what they find."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "coverage"
PASSING = ROOT / "coverage" / "passing.json"
PAGE = ROOT / "docs" / "coverage.md"

# Targets of each sweep, by its name.
SWEEPS = {
    "torch": ("torch", "numpy", "jax"),
    "jax": ("torch", "numpy", "jax"),
    "numpy": ("torch", "numpy", "jax"),
    "modules": ("torch", "jax"),
}


def records_of(sweep: str) -> list[dict[str, Any]]:
    """The records that a sweep has left, one a line."""
    file = RESULTS / f"{sweep}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
