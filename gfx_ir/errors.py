"""One shape of error: what is wrong, where (file:line and the user's own line), and what to do instead."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from .bound import Bound
from .source import Span


class GfxError(Exception):
    """Base of every error that GFX raises on purpose.

    `what` is one sentence, `span` the user's place, `hint` what to do instead.
    """

    def __init__(self, what: str, span: Span | None = None, hint: str = "") -> None:
        self.what, self.span, self.hint = what, span, hint
        super().__init__(what)

    def __str__(self) -> str:
        lines = [self.what]
        if self.span is not None:
            lines[0] += f" [{self.span.place()}]"
            lines += [f"    {text}" for text in self.span.trace()]
        if self.hint:
            lines.append(self.hint)
        return "\n".join(lines)


def debugging() -> bool:
    """Whether GFX_DEBUG asks for whole tracebacks, and for checks that would cost every user time."""
    return os.environ.get("GFX_DEBUG", "0") not in ("", "0")


def listed(missing: Sequence[str]) -> str:
    """The end of a sentence that says what is missing: one thing there, several of them on lines of their own."""
    return f" {missing[0]}" if len(missing) == 1 else "".join(f"\n  {item}" for item in missing)


class CaptureError(GfxError):
    """The function cannot be captured as it is written."""


class UnsupportedConstruct(CaptureError):
    """A Python construct that has no counterpart in a graph."""


class OpenSizesRefused(CaptureError):
    """Code that a framework's own tracer does not take with open sizes. `within`: how far each may be open, perhaps, by its
    name."""

    def __init__(self, what: str, hint: str, within: Mapping[str, Collection[Bound]]) -> None:
        super().__init__(what, hint=hint)
        self.within = within


class MissingOp(GfxError):
    """A framework call without a row, or a row that a backend lacks."""


class ShapeError(GfxError):
    """Shapes or dtypes of a node do not fit together. `certain`: no framework computes anything of them, so the code itself fails."""

    certain = False


def misfit(what: str) -> ShapeError:
    """The error of sizes, axes or positions of which no framework computes anything."""
    error = ShapeError(what)
    error.certain = True
    return error


class OpenShape(ShapeError):
    """A size or a rank that has to be known, and is open. `within`: as that of OpenSizesRefused."""

    def __init__(
        self, what: str, span: Span | None = None, hint: str = "", within: Mapping[str, Collection[Bound]] | None = None
    ) -> None:
        super().__init__(what, span, hint or "give the argument's shape: gfx.TensorSpec(shape, dtype)")
        self.why, self.within = what, within or {}


class InvalidShape(ShapeError):
    """Strides or dims that no rule admits."""


class VerifyError(GfxError):
    """A graph that breaks a rule of the IR."""


class FormatError(GfxError):
    """A text or file that is not a graph, or was tampered with."""


class ArgumentError(GfxError, TypeError):
    """A call without an argument that the target needs, or with one that it does not take."""


class GuardError(GfxError):
    """A call outside of what the capture took as given."""


class DeviceError(GfxError):
    """A device that failed: it raised, gave what it may not give, or was asked for what it cannot do."""


class MemoryLimitError(DeviceError):
    """A call that needs more memory than it may take, or than the device has."""


class DeadlineError(DeviceError):
    """A call that took longer than it may."""


class CancelledError(DeviceError):
    """A call that its caller took back."""


class BackendError(GfxError):
    """A backend that is not installed, out of its range of versions, or unable to do what was asked."""
