"""What became of one case in one target: pass, refused, wrong or crash."""

import dataclasses
import re

from gfx_ir.errors import BackendError, CaptureError, MissingOp

PASS, REFUSED, WRONG, CRASH = "pass", "refused", "WRONG", "crash"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`status`, the stage at which it was decided ("capture", "emit", "run", "compare"), and the reason.

    Refused: GFX said that it does not convert this. WRONG: a result that differs, without an error. Crash: any other error.
    """

    status: str
    stage: str = ""
    reason: str = ""

    def packed(self) -> list[str]:
        """As JSON has it."""
        return [self.status, self.stage, self.reason] if self.status != PASS else [PASS]


class CaseTimeout(BaseException):
    """The processor time of a case is spent. No Exception: no code under test may catch it."""


def passed() -> Outcome:
    """The result is the same."""
    return Outcome(PASS)


def failed(error: BaseException, stage: str) -> Outcome:
    """The outcome of an error: refusals are what GFX raises for calls and constructs that it does not convert."""
    if isinstance(error, CaseTimeout):
        return Outcome(CRASH, stage, "timeout")
    if isinstance(error, (MissingOp, CaptureError, BackendError)):
        return Outcome(REFUSED, stage, _line(error.what))
    return Outcome(CRASH, stage, f"{type(error).__name__}: {_line(getattr(error, 'what', None) or str(error))}")


def differs(what: str) -> Outcome:
    """The result is another one."""
    return Outcome(WRONG, "compare", what)


def _line(text: str) -> str:
    """One line without places in memory or in files, so that equal reasons read equal."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    text = re.sub(r" \[[^\[\]]*:\d+ in [^\]]*\]", "", text)
    return " ".join(text.split())[:300]
