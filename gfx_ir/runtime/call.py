"""Call: one execution: its limits, whether it was taken back, which node is at work, what it records."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from ..applied import Applied
from ..control import is_call
from ..errors import CancelledError, DeadlineError
from .profile import Profile


@dataclass(frozen=True)
class Limits:
    """What a call may take: seconds from when it begins, bytes of values that are held at once (None: any)."""

    seconds: float | None = None
    bytes: int | None = None


class Call:
    """Asked before each node: raises CancelledError or DeadlineError where the call may not go on."""

    def __init__(self, limits: Limits | None = None, profile: Profile | None = None) -> None:
        self.limits, self.profile = limits or Limits(), profile
        self.node: Applied | None = None
        self.deadline: float | None = None
        self._cancelled = False

    def begin(self) -> None:
        """Let its time run."""
        if self.limits.seconds is not None and self.deadline is None:
            self.deadline = time.monotonic() + self.limits.seconds

    @contextmanager
    def active(self) -> Iterator[None]:
        """Inside, what runs node by node on this thread asks it before each node."""
        token = current.set(self)
        try:
            yield
        finally:
            current.reset(token)

    def cancel(self) -> None:
        """Let it end before its next node."""
        self._cancelled = True

    def at(self, node: Any) -> None:
        """Note that a node is next."""
        self.node = node
        if self._cancelled:
            raise CancelledError(f"the call was cancelled before {named(node)}", node.span)
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise self.late()

    def late(self) -> DeadlineError:
        """The error for a call that takes longer than it may."""
        node = self.node
        where = f" at {named(node)}" if node is not None else ""
        span = node.span if node is not None else None
        return DeadlineError(
            f"the call took more than {self.limits.seconds} s{where}",
            span,
            "allow more time, or look for what hangs there",
        )


current: ContextVar[Call | None] = ContextVar("gfx_call", default=None)
"""The call that is at work on this thread."""


def named(node: Applied) -> str:
    """A node as errors name it."""
    callee = node.args[0] if is_call(node) else node.op.name
    return f"{getattr(callee, 'name', callee)!r}"
