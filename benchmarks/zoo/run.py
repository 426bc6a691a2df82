"""Zoo: every model in a process of its own, as a table on the terminal and as lines of docs/zoo.md. Usage: `make zoo`, or names of models."""

import multiprocessing
import os
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

os.environ.setdefault("JAX_PLATFORMS", "cpu")
from measure import cases, report

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "zoo.md"
MINUTES = 5
TITLES = (
    "model", "library", "captured", "nodes", "lines, emitted / original", "error", "gradients", "capture", "time to the original's",
    "to torchax",
)  # fmt: skip
HEAD = """# The zoo: models as people have them

Every model is captured with open sizes (batch, length, height and width; Swin for images of which no stage is smaller than its
window: [Limits](limits.md)), PyTorch's written for JAX and those of JAX's libraries for PyTorch.
`make zoo` writes this page, on one core; `make zoo MODELS="Bert GPT2"` measures these, and leaves the other lines as they are.

- **nodes** of the graph, in all its functions; equal blocks are one function.
- **lines** of the emitted code (without imports, comments and docstrings), and those of the author's and the library's code that ran in one call.
- **error**: the largest difference to the original's results at two sizes that the capture has not seen, relative to the
  largest value of each (at least 1).
- **gradients**: the same of the gradients of all parameters. Those of ResNet-50 are deep sums in float32; in float64 they
  differ by 1.1e-13.
- **capture** in seconds; **time** of a call, jitted where JAX runs it, as a multiple of the original's (PyTorch
  eager, or JAX jitted); the models are small, so that overhead of calls counts. Most lines were measured while the
  machine had other work: their last two columns may be too large by a multiple.
- Against `torch.export` with the same sizes open (`torch.export.Dim.AUTO`) capture took a 5th to a 24th of the CPU time on the 45 models of
  transformers, less on GPT, ResNet-50 and U-Net; against its graph of one shape alone a quarter (Albert) to a 15th (Mamba), a 5th
  or less for 35 of the 45 (two layers each; `benchmarks/run.py exported` has five of them).

`python benchmarks/zoo/heads.py` does the same with the heads that transformers has for these families: 165 classes (`...ForCausalLM`,
`...ForQuestionAnswering`, `...ForImageClassification` and their kin) give the original's results at both sizes, in PyTorch and in JAX source;
the largest error is 8e-07.
"""
FAILED = "## What does not work"


def measured(context, name):
    """The row of a model, or why there is none."""
    queue = context.SimpleQueue()
    process = context.Process(target=report, args=(name, queue))
    process.start()
    process.join(60 * MINUTES)
    if process.is_alive():
        process.kill()
        return {"name": name, "reason": f"it took more than {MINUTES} minutes"}
    return (
        {"name": name, "reason": f"the process ended with exit code {process.exitcode}"}
        if queue.empty()
        else queue.get()
    )


def cells(row):
    """A line of the table: its cells by their titles."""
    number = lambda key, form: "" if row.get(key) is None else format(row[key], form)
    lines = f"{row['lines']} / {row['original']}" if row.get("lines") else ""
    captured = f"{row['seconds']:.2f} s" if row.get("nodes") else ""
    shown = (
        row["name"], row.get("library", ""), row.get("captured", "no"), str(row.get("nodes") or ""), lines, number("error", ".1e"),
        number("gradient", ".1e"), captured, number("ratio", ".2f"), number("torchax", ".2f"),
    )  # fmt: skip
    return dict(zip(TITLES, shown))


def kept(text):
    """The lines of a page's table, and what it tells of those that do not work, by the models' names."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    told = dict(re.findall(r"^- \*\*(.*)\*\*: (.*)$", text.partition(FAILED)[2], re.MULTILINE))
    return {row[0]: dict(zip(rows[0], row)) for row in rows[2:]}, told


def page(text, rows):
    """A page's text with these rows in place of those it has of the same models; what was not measured stays."""
    table, told = kept(text)
    for row in rows:
        told.pop(row["name"], None)
        table[row["name"]] = cells(row)
        if row.get("reason"):
            told[row["name"]] = plain(row["reason"])
    names = [name for name in cases() if name in table]
    titles = [title for title in TITLES if any(table[name].get(title) for name in names)]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    lines += [f"| {' | '.join(table[name].get(title, '') for title in titles)} |" for name in names]
    failed = [f"- **{name}**: {told[name]}" for name in names if name in told]
    rest = len(cases()) - len(names)
    works = f"{len(names) - len(failed)} of {len(names)} models work in every column" + (
        f"; {rest} more were not measured yet." if rest else "."
    )
    text = f"{HEAD}\n{works}\n\n" + "\n".join(lines) + "\n"
    return text + (f"\n{FAILED}\n\n" + "\n".join(failed) + "\n" if failed else "")


def plain(reason):
    """A message without the places of files on this machine, and without signs of Markdown."""
    return reason.split(" [")[0].replace("<", "&lt;").replace("_", r"\_").replace("*", r"\*")[:300]


def main():
    """All models, or those that are named: their lines of the page."""
    names = sys.argv[1:] or list(cases())
    context = multiprocessing.get_context(
        "forkserver"
    )  # each model in a process of its own, which has everything imported
    context.set_forkserver_preload(["measure"])
    rows = []
    for name in track(names, "models", console=Console(stderr=True)):
        rows.append(measured(context, name))
        PAGE.write_text(page(PAGE.read_text(), rows))  # a run that is ended leaves what it has measured
    console, table = Console(width=180), Table(*TITLES)
    for row in rows:
        table.add_row(*cells(row).values())
    console.print(table)
    for row in rows:
        if row.get("reason"):
            console.print(f"{row['name']}: {row['reason']}", markup=False, highlight=False)


if __name__ == "__main__":
    main()
