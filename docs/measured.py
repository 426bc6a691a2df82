"""Texts that show measured numbers: equal up to the last digits, in which processors and libraries differ."""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher

FLOAT = re.compile(r"(?<!\w)-?\d+(?:\.\d*(?:[eE][-+]?\d+)?|[eE][-+]?\d+)")


def same(a: str, b: str, rel: float = 1e-3, least: float = 1.5e-4) -> bool:
    """Whether two texts are equal but for their floats, and those differ by no more than `rel` of the larger, or `least`."""
    if a == b:
        return True
    a, b = _narrow(a), _narrow(b)
    if FLOAT.split(a) != FLOAT.split(b):
        return False
    pairs = zip(FLOAT.findall(a), FLOAT.findall(b))
    return all(math.isclose(float(x), float(y), rel_tol=rel, abs_tol=least) for x, y in pairs)


def _narrow(text: str) -> str:
    """Without the blanks that fill numbers up to one width; those that lines begin with stay."""
    return re.sub(r"(?<=[^\n ]) +([,\]])", r"\1", re.sub(r"(?<=[^\n ]) +", " ", text))


def kept(old: str, new: str, rel: float = 1e-3, least: float = 1.5e-4) -> str:
    """The new text, with the old one's lines where those say the same."""
    before, after = old.splitlines(True), new.splitlines(True)
    lines: list[str] = []
    for _, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        for line in after[k:m]:
            at = next((at for at in range(i, j) if same(before[at], line, rel, least)), None)
            lines.append(line if at is None else before[at])
            i = i if at is None else at + 1
    return "".join(lines)
