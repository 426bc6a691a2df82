"""Paired timing, and figures with their spread as a table and as JSON."""

import dataclasses
import gc
import json
import platform
import statistics
import time

from rich.console import Console
from rich.table import Table


@dataclasses.dataclass
class Figure:
    """A median with its quartiles. `limit` is the largest value wanted; `noisy`: the lower quartile has to keep it."""

    section: str
    name: str
    unit: str  # "x" is a ratio: ours to the peer's
    value: float
    low: float
    high: float
    limit: float | None
    noisy: bool
    detail: str

    @property
    def kept(self):
        return self.limit is None or (self.low if self.noisy else self.value) <= self.limit


class Report:
    """All figures of a run, by section."""

    def __init__(self):
        self.section = ""
        self.figures = []
        self.console = Console(width=140)

    def add(self, name, samples, unit, limit=None, detail="", noisy=False):
        """A figure from samples of the same thing."""
        low, value, high = quartiles(samples)
        self.figures.append(Figure(self.section, name, unit, value, low, high, limit, noisy, detail))

    def compare(self, name, ours, peer, rounds, limit=None, noisy=False, per=1):
        """The ratio of two functions' times in paired runs; the detail says both times, divided by `per`."""
        pairs = paired(ours, peer, rounds)
        mine, theirs = (statistics.median(times) / per for times in zip(*pairs))
        self.add(name, [a / b for a, b in pairs], "x", limit, f"{seconds(mine)} : {seconds(theirs)}", noisy)

    def show(self, section):
        table = Table("what", "value", "quartiles", "limit", "", "ours : theirs", title=section, title_justify="left")
        for f in self.figures:
            if f.section == section:
                mark = "" if f.limit is None else "[green]kept" if f.kept else "[red]missed"
                limit = "" if f.limit is None else f"{f.limit:g}{' (noise)' if f.noisy else ''}"
                table.add_row(f.name, f"{f.value:.3g} {f.unit}", f"{f.low:.3g} to {f.high:.3g}", limit, mark, f.detail)
        self.console.print(table)

    def write(self, path):
        rows = [{**dataclasses.asdict(f), "kept": f.kept} for f in self.figures]
        path.write_text(json.dumps({"machine": platform.processor() or platform.machine(), "figures": rows}, indent=1))

    def summary(self):
        """One line; the number of limits that were missed."""
        missed = [f for f in self.figures if not f.kept]
        self.console.print(f"{len(self.figures)} figures, {len(missed)} limits missed")
        return min(len(missed), 1)


def timed(function):
    """Seconds of the processor for one call, garbage of earlier calls apart; other jobs on the core do not count."""
    gc.collect()
    start = time.process_time()
    function()
    return time.process_time() - start


def paired(ours, peer, rounds):
    """(ours, peer) seconds: A B A B …, so that a slow spell of the machine meets both; the first round warms up."""
    return [(timed(ours), timed(peer)) for _ in range(rounds + 1)][1:]


def quartiles(samples):
    """First quartile, median, third quartile."""
    if len(samples) == 1:
        return samples[0], samples[0], samples[0]
    return tuple(statistics.quantiles(samples, n=4, method="inclusive"))


def seconds(value):
    """With a unit that suits it."""
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"
