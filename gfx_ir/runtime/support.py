"""Support: whether a device runs a node: yes, no for a reason, or when a condition on types holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ..applied import Applied
from ..trees import leaves
from ..types import LogicalTensor


@dataclass(frozen=True)
class Support:
    """`answer` is True, False, or None where `condition` decides: it takes the types of the arguments by name. `reason` says why
    not, or of what."""

    answer: bool | None
    reason: str = ""
    condition: Callable[[SimpleNamespace], bool] | None = None

    def at(self, node: Applied) -> Support:
        """The answer for the types that the node's inputs have: yes or no, as long as all of them are known."""
        if self.answer is not None or self.condition is None:
            return self
        types: Any = node.types()
        if not all(leaf.known for leaf in leaves(types) if isinstance(leaf, LogicalTensor)):
            return self
        return YES if self.condition(node.op.named(types)) else no(f"only {self.reason}")

    def __str__(self) -> str:
        return "yes" if self.answer else f"no: {self.reason}" if self.answer is False else f"when {self.reason}"


YES = Support(True)


def no(reason: str) -> Support:
    """It does not, for this reason."""
    return Support(False, reason)


def when(reason: str, condition: Callable[[SimpleNamespace], bool]) -> Support:
    """It does where the condition holds of the arguments' types: `when("float32", lambda args: args.x.dtype == float32)`."""
    return Support(None, reason, condition)
