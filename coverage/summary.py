"""Records of a sweep, counted: which names pass in which target, and why the others do not."""

import collections
import re
from collections.abc import Iterable, Iterator
from typing import Any

from outcome import CRASH, PASS, REFUSED, WRONG

Record = dict[str, Any]
_RANK = (PASS, REFUSED, CRASH, WRONG)


def status(record: Record, target: str) -> str:
    """The worst outcome of a name's cases in a target; "none" where the name has no case."""
    if "died" in record:
        return CRASH
    found = [row[target][0] for row in record["cases"] if target in row]
    return max(found, key=_RANK.index) if found else "none"


def reasons(record: Record, target: str) -> collections.Counter:
    """(status, stage, reason) of what did not pass, with the number of cases."""
    if "died" in record:
        return collections.Counter([(CRASH, "process", record["died"])])
    return collections.Counter(
        _merged(row[target]) for row in record["cases"] if target in row and row[target][0] != PASS
    )


def _merged(outcome: list[str]) -> tuple[str, ...]:
    """An outcome without the types of the arguments and the counts of elements, which differ from case to case."""
    *head, reason = outcome
    reason = re.sub(r" \(arguments: .*|, at most by .*", "", reason)
    return (*head, re.sub(r"\b\d+ of \d+ (values|elements)", r"\1", reason))


def share(records: Iterable[Record], target: str) -> tuple[int, int]:
    """(names of which every case passes, names with cases)."""
    counted = [s for s in (status(r, target) for r in records) if s != "none"]
    return counted.count(PASS), len(counted)


def case_share(records: Iterable[Record], target: str) -> tuple[int, int]:
    """(cases that pass, cases)."""
    found = [row[target][0] for r in records for row in r.get("cases", ()) if target in row]
    return found.count(PASS), len(found)


def lifted(record: Record) -> bool:
    """Whether every case was captured."""
    rows = record.get("cases", ())
    return bool(rows) and all(o[1:2] != ["capture"] for row in rows for o in row.values() if isinstance(o, list))


def family(record: Record) -> str:
    """The family of a name."""
    return record.get("family") or "-"


def triage(records: list[Record], targets: Iterable[str]) -> Iterator[str]:
    """Lines on everything that does not pass: wrong answers first, then by family and name."""
    targets = list(targets)
    for target in targets:
        good, of = share(records, target)
        kept, cases = case_share(records, target)
        yield f"{target}: {good} of {of} names pass every case; {kept} of {cases} cases pass"
    for kind, title in ((WRONG, "WRONG ANSWERS WITHOUT AN ERROR"), (CRASH, "OTHER ERRORS"), (REFUSED, "REFUSED")):
        yield f"\n== {title}"
        for record in sorted(records, key=lambda r: (family(r), r["name"])):
            yield from _lines(record, targets, kind)


def _lines(record: Record, targets: list[str], kind: str) -> Iterator[str]:
    merged: dict[tuple, dict[str, int]] = {}
    for target in targets:
        for reason, count in reasons(record, target).items():
            if reason[0] == kind:
                merged.setdefault(reason[1:], {})[target] = count
    total = len(record.get("cases", ()))
    for (stage, reason), counts in merged.items():
        where = "all targets" if len(counts) == len(targets) else ", ".join(counts)
        first = _first(record, kind, stage, reason)
        mark = " (random)" if record.get("random") else ""
        yield f"[{family(record)}] {record['name']}{mark}: {max(counts.values())}/{total} {where}, {stage}, first {first}: {reason}"


def _first(record: Record, *reason: str) -> str:
    for row in record.get("cases", ()):
        if any(o[0] != PASS and _merged(o) == reason for o in row.values() if isinstance(o, list)):
            return row["case"]
    return "-"
