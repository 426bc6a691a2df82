"""The sweep over PyTorch's modules: every class with its own test inputs, in PyTorch and JAX."""

from typing import Any

import torch

from cases_modules import cases, family, modules
from records import record

TARGETS = ("torch", "jax")


def names() -> list[str]:
    """Names of the module classes."""
    return list(modules())


def run(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The record of one class."""
    found = cases(name, torch.float32, options.get("most"))
    return record(name, (("float32", lambda case=case: case) for case in found), TARGETS, family(name))
