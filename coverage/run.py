"""Measure what is covered: run the sweeps, write their records, the page and the exit status.

python coverage/run.py                          all sweeps, then docs/coverage.md
python coverage/run.py torch --only 'linalg'    some names of one sweep, with everything that does not pass
"""

import argparse
import json
import re
import sys
from pathlib import Path

from pool import sweep_all
from summary import WRONG, status, triage

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "coverage"
SWEEPS = dict.fromkeys(("torch", "jax", "numpy"), ("torch", "numpy", "jax"))


def main() -> int:
    """Exit status: 1 where a result was wrong without an error."""
    options = _arguments()
    wrong = 0
    for name in options.sweeps or SWEEPS:
        records = _swept(name, options)
        for line in triage(records, SWEEPS[name]):
            print(line)
        wrong += sum(status(record, target) == WRONG for record in records for target in SWEEPS[name])
        if not options.only:
            RESULTS.mkdir(parents=True, exist_ok=True)
            (RESULTS / f"{name}.json").write_text(json.dumps(records, indent=0))
    return min(wrong, 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sweeps", nargs="*", choices=[*SWEEPS, []], help="all, if none is named")
    parser.add_argument("--only", metavar="REGEX", help="only the names in which it is found; nothing is written")
    parser.add_argument("--samples", type=int, help="at most so many samples of each dtype")
    parser.add_argument("--dtypes", help="only these dtypes, with commas between them")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def _swept(name: str, options: argparse.Namespace) -> list[dict]:
    def chosen(names: list[str]) -> list[str]:
        return [n for n in names if re.search(options.only or "", n)]

    def progress(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{text[:100]:100}", end="", file=sys.stderr, flush=True)

    given = {"most": options.samples, "dtypes": options.dtypes.split(",") if options.dtypes else None}
    return sweep_all(f"sweep_{name}", given, chosen, options.workers, progress=progress)


if __name__ == "__main__":
    sys.exit(main())
