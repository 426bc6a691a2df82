"""docs/coverage.md: what the sweeps found, for people to read."""

import collections
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

import jax
import numpy as np
import torch

from gfx_ir.loading import available, backend
from gfx_ir.op import REGISTRY
from names_jax import listed
from rowless_jax import AT_CAPTURE, BY_JAXPR, NOT_CONVERTED
from summary import CRASH, PASS, WRONG, Record, case_share, family, lifted, reasons, share, status

_TITLES = {
    "torch": "PyTorch's operators, by PyTorch's own test inputs",
    "jax": "JAX's primitives and functions, by JAX's own test inputs",
    "numpy": "NumPy's functions, by a table of calls",
    "modules": "PyTorch's modules, by PyTorch's own test inputs",
}
_HEAD = """# Coverage

This page is written by `make coverage`, which runs every operator, primitive, function and module below with the inputs of the
frameworks' own tests: each call is captured, emitted and run in every target (JAX under `jax.jit`, unless the shape of the result
hangs on values), and compared with what the call gives in its own framework: dtype, shape, values, NaN and infinity, and what the
call writes. A name *passes* if every one of its cases does. *Refused*: GFX says that it does not convert the call, and why.
*Wrong*: another result without an error. Results with several right forms (factors of a matrix, places of equal values) are
compared by what they determine; random and uninitialised ones by dtype, shape and distribution, and counted apart.
"""


def page(sweeps: dict[str, list[Record]], targets: dict[str, tuple[str, ...]], samples: int | None) -> str:
    """The page as text. `samples`: how many cases of each name and dtype were run at most, if not all that are taken."""
    versions = f"PyTorch {torch.__version__.partition('+')[0]}, JAX {jax.__version__}, NumPy {np.__version__}"
    limit = f", at most {samples} cases of each name and dtype" if samples else ""
    measured = f"Measured with {versions}{limit}.\n"
    parts = [
        _HEAD,
        measured,
        "## Shares\n",
        _shares(sweeps, targets),
    ]
    for name, records in sweeps.items():
        parts += [f"## {_TITLES[name]}\n", *_sweep(records, targets[name])]
    parts += ["## JAX's public names\n", _jax_names(), "## The catalogue\n", _catalogue()]
    return "\n".join(parts)


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    head = list(head)
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _percent(good: int, of: int) -> str:
    return f"{100 * good / of:.1f} %" if of else "-"


# ---------------------------------------------------------------------- shares
def _shares(sweeps: dict[str, list[Record]], targets: dict[str, tuple[str, ...]]) -> str:
    rows = []
    for name, records in sweeps.items():
        fixed = [r for r in records if not r.get("random") and not r.get("apart")]
        for target in targets[name]:
            good, of = share(fixed, target)
            rows.append(
                [name, target, f"{good} of {of}", _percent(good, of), *_cases(fixed, target), _calls(fixed, target)]
            )
        for target in targets[name]:
            taken = [r for r in fixed if lifted(r)]
            good, of = share(taken, target)
            rows.append(
                [f"{name}, captured", target, f"{good} of {of}", _percent(good, of), *_cases(taken, target), ""]
            )
        random = [r for r in records if r.get("random") and not r.get("apart")]
        if random:
            rows += [
                [f"{name}, random", t, "{} of {}".format(*share(random, t)), "", *_cases(random, t), ""]
                for t in targets[name]
            ]
    return _table(["what", "target", "names", "share", "cases", "share", "calls emitted, mean"], rows)


def _cases(records: list[Record], target: str) -> tuple[str, str]:
    good, of = case_share(records, target)
    return f"{good} of {of}", _percent(good, of)


def _calls(records: list[Record], target: str) -> str:
    counts = [r["calls"][target] for r in records if target in r.get("calls", ())]
    return f"{fmean(counts):.2f}" if counts else ""


# ---------------------------------------------------------------------- one sweep
def _sweep(records: list[Record], targets: tuple[str, ...]) -> Iterator[str]:
    whole = [r for r in records if all(status(r, t) == PASS for t in targets)]
    by_family = collections.defaultdict(list)
    for record in whole:
        by_family[family(record)].append(record["name"])
    yield f"Pass in {', '.join(targets)}: {len(whole)} names.\n"
    for title, names in sorted(by_family.items()):
        yield f"- {title + ': ' if title != '-' else ''}{', '.join(f'`{n}`' for n in sorted(names))}"
    yield ""
    rows = [row for record in records if record not in whole for row in _rows(record, targets)]
    if rows:
        yield _table(["name", *targets, "cases", "why"], sorted(rows))
    apart = [[r["name"], r["apart"]] for r in records if r.get("apart")]
    if apart:
        yield "Not counted:\n"
        yield _table(["name", "why"], apart)


def _rows(record: Record, targets: tuple[str, ...]) -> Iterator[list[Any]]:
    """A line for each reason; the columns of the targets say in how many cases it stands there."""
    merged: dict[tuple, dict[str, int]] = {}
    for target in targets:
        for reason, count in reasons(record, target).items():
            merged.setdefault(reason, {})[target] = count
    for (kind, stage, reason), counts in merged.items():
        word = {WRONG: "WRONG: ", CRASH: f"error at {stage}: "}.get(kind, "")
        cells = [f"{kind} {counts[t]}" if t in counts else "" for t in targets]
        yield [f"`{record['name']}`", *cells, len(record.get("cases", ())), word + reason]


# ---------------------------------------------------------------------- names and ops
def _jax_names() -> str:
    rows, reasons_ = [], []
    for title, names in listed().items():
        reasons_ += [[f"`{title}.{name}`", why] for name, why in NOT_CONVERTED.get(title, {}).items()]
        found = [AT_CAPTURE.get(title, "").split(), BY_JAXPR.get(title, {}), NOT_CONVERTED.get(title, {})]
        count = f"{len(names) - len(found[2])} of {len(names)}"
        rows.append([f"`{title}`", count, *(", ".join(f"`{name}`" for name in sorted(part)) for part in found)])
    head = ["namespace", "converted", "of these computed at capture", "of these through the jaxpr", "not converted"]
    return "\n".join((_table(head, rows), _table(["not converted", "why"], reasons_)))


def _catalogue() -> str:
    names = available()
    rows = []
    for op in sorted(REGISTRY.values(), key=lambda o: (o.family, o.name)):
        if op.family != "control":
            rows.append([op.family, f"`{op.name}`", *(_spelling(backend(name), op) for name in names)])
    return _table(["family", "op", *names], rows)


def _spelling(owner: Any, op: Any) -> str:
    row = owner.rows.get(op.name)
    if row is not None and row.missing:
        return row.missing
    return ("yes" if op.name in owner.templates else "by its body") if owner.supports(op) else "no row"
