"""Measure what is covered: run the sweeps, write their records, the page and the exit status.

python coverage/run.py                          all sweeps, then docs/coverage.md
python coverage/run.py torch --only 'linalg'    some names of one sweep, with everything that does not pass
"""

import argparse
import json
import re
import sys

from files import PAGE, PASSING, RESULTS, SWEEPS, records_of
from page import page
from pool import sweep_all
from summary import PASS, WRONG, status, triage


def main() -> int:
    """Exit status: 1 where a result was wrong without an error."""
    options = _arguments()
    wrong = 0
    for name in options.sweeps or SWEEPS:
        records = records_of(name) if options.page else _swept(name, options)
        for line in triage(records, SWEEPS[name]):
            print(line)
        wrong += sum(status(record, target) == WRONG for record in records for target in SWEEPS[name])
    if not (options.only or options.dtypes):
        _publish(options.samples)
    return min(wrong, 1)


def _publish(samples: int | None) -> None:
    """The page, and the names that pass or are wrong, from the records of all sweeps."""
    sweeps = {name: records_of(name) for name in SWEEPS}
    known = {
        name: {target: {kind: _names(records, target, kind) for kind in (PASS, WRONG)} for target in SWEEPS[name]}
        for name, records in sweeps.items()
    }
    PASSING.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(sweeps, SWEEPS, samples), encoding="utf-8")


def _names(records: list[dict], target: str, kind: str) -> list[str]:
    return sorted(record["name"] for record in records if status(record, target) == kind)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sweeps", nargs="*", choices=[*SWEEPS, []], help="all, if none is named")
    parser.add_argument("--only", metavar="REGEX", help="only the names in which it is found; nothing is written")
    parser.add_argument("--samples", type=int, help="at most so many cases of each name and dtype; the page says so")
    parser.add_argument("--dtypes", help="only these dtypes, with commas between them")
    parser.add_argument("--resume", action="store_true", help="keep the records of a sweep that was broken off")
    parser.add_argument(
        "--page", action="store_true", help="run nothing: write the page from the records that are there"
    )
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def _swept(name: str, options: argparse.Namespace) -> list[dict]:
    """The records of a sweep; those of a whole one are kept in a file, one a line."""
    file = RESULTS / f"{name}.jsonl"
    RESULTS.mkdir(parents=True, exist_ok=True)
    if not options.resume and not options.only:
        file.unlink(missing_ok=True)
    kept = records_of(name) if options.resume else []
    known = {record["name"] for record in kept}

    def chosen(names: list[str]) -> list[str]:
        return [n for n in names if n not in known and re.search(options.only or "", n)]

    def done(record: dict, text: str) -> None:
        if not options.only:
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record) + "\n")
        if sys.stderr.isatty():
            print(f"\r{text[:100]:100}", end="", file=sys.stderr, flush=True)

    given = {"most": options.samples, "dtypes": options.dtypes.split(",") if options.dtypes else None}
    return kept + sweep_all(f"sweep_{name}", given, chosen, options.workers, done=done)


if __name__ == "__main__":
    sys.exit(main())
