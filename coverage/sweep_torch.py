"""The sweep over PyTorch's operators: every one with its own test inputs, in PyTorch, NumPy and JAX."""

from typing import Any

from attempt import TARGETS
from cases_torch import RANDOM, SAMPLES, cases, operators
from records import record


def names() -> list[str]:
    """Names of the operators."""
    return list(operators())


def run(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The record of one operator: its cases with their outcomes, and the mean number of calls emitted."""
    dtypes, most = options.get("dtypes") or SAMPLES, options.get("most")
    found, random = cases(name, {t: most or SAMPLES[t] for t in SAMPLES if t in dtypes})
    return record(name, ((dtype, lambda case=case: case) for dtype, case in found), TARGETS, family(name), random)


def family(name: str) -> str:
    """The namespace that an operator stands in."""
    head = name.partition(".")[0]
    if name.startswith(("nn.functional", "torch.ops")):
        return ".".join(name.split(".")[:2])
    if head in RANDOM:
        return "random"
    return head if name != head and head in NAMESPACES else "tensor"


NAMESPACES = ("fft", "linalg", "masked", "signal", "sparse", "special")
