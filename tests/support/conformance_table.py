"""Every case of the conformance suite of control flow as a table: what was asked, and what came of it.

usage: python tests/support/conformance_table.py [NAME ...]      exit code 1 unless all cases pass
"""

import sys

import jax
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from conformance import MAX_TRIPS, Harness, load_cases
from places import CONFORMANCE


def asked(case):
    """What the suite wants of a case."""
    if case.expect == "error":
        return f"an error at line {case.err_line} that says {', '.join(case.words)}"
    parts = [
        f"one capture for {len(case.args)} calls"
        if case.expect == "convert"
        else f"a capture for each of {len(case.args)} calls"
    ]
    if case.nodes:
        parts.append(f"with {', '.join(case.nodes)}")
    if case.raises:
        parts.append(f"raising {', '.join(sorted({kind.__name__ for kind in case.raises.values()}))}")
    if case.grad:
        parts.append("gradients")
    return ", ".join(parts)


def result(harness, case):
    """(whether it passed, what came of it)."""
    try:
        harness.run(case)
        if not case.grad:
            return True, "the error" if case.expect == "error" else "equal: interpreter, torch, JAX"
        harness.gradients(case, MAX_TRIPS.get(case.name))
        return True, "equal: interpreter, torch, JAX, gradients"
    except Exception as error:  # whatever a case runs into, the others are still to be told of
        return False, f"{type(error).__name__}: {error}".splitlines()[0]


def main(names):
    cases = load_cases()
    console = Console(width=None if sys.stdout.isatty() else 160)
    if cases is None:
        console.print(f"the conformance cases are not there: {CONFORMANCE}")
        return 1
    unknown = set(names) - {case.name for case in cases.CASES}
    if unknown:
        console.print(f"there is no case {', '.join(sorted(unknown))}")
        return 1
    jax.config.update("jax_enable_x64", True)  # as the cases are written for
    harness = Harness(cases)
    table = Table("case", "written for", "asked", "result", title="Conformance of control flow", title_justify="left")
    chosen = [case for case in cases.CASES if not names or case.name in names]
    passed = 0
    for case in track(chosen, "running", console=Console(stderr=True), transient=True):
        ok, text = result(harness, case)
        passed += ok
        table.add_row(case.name, case.flavour, Text(asked(case)), Text(text, "green" if ok else "red"))
    console.print(table)
    console.print(f"{passed} of {len(chosen)} cases pass")
    return int(passed < len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
