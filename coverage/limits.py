"""Limits of processor time: one for each case, so that a slow one does not end the sweep."""

import signal
from collections.abc import Callable, Iterable
from typing import Any

from outcome import CaseTimeout, Outcome, failed

SECONDS = 30.0


def _ring(*_: Any) -> None:
    raise CaseTimeout


def limited(
    work: Callable[[], Any], targets: Iterable[str], seconds: float = SECONDS
) -> tuple[dict[str, Outcome], dict]:
    """What the work gives, or the outcome "timeout" in every target after so many seconds of processor time."""
    signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return work()
    except CaseTimeout as error:
        return dict.fromkeys(targets, failed(error, "case")), {}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
