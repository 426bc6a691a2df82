"""Many random programs against plain Python, on several processes: make fuzz N=20000 START=0.

Prints a table of what was found and why programs were refused; failures are minimised and written to a folder, each ready to be
pasted into fuzz_failures.py, with a list of the refused seeds by reason (refused.txt). Exit status 1 where anything differs,
crashes or hangs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, cycle, islice, product
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from fuzz_worker import BAD, serve

GRAMMARS = {"programs": "random programs", "aimed": "aimed programs", "ordinary": "ordinary programs"}
SHARES = {"programs": 2, "aimed": 2, "ordinary": 1}  # of the programs of a run: ordinary ones take longest
LIFE = 400  # programs after which a process is replaced: compiled programs fill its memory
QUICK = (
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true --xla_cpu_use_fusion_emitters=false"
)
GRACE = 60.0  # seconds beyond the limit after which a process that does not answer is killed


class Worker:
    """A process that checks programs, and what it is at."""

    def __init__(self, context: Any, args: argparse.Namespace) -> None:
        self.link, theirs = context.Pipe()
        given = (theirs, args.jax_every, args.seconds, args.minimise)
        self.process = context.Process(target=serve, args=given, daemon=True)
        self.process.start()
        self.seed: tuple[str, int] | None = None
        self.since, self.done = 0.0, 0

    def give(self, seed: tuple[str, int] | None) -> None:
        """The next program; None: no more."""
        self.seed, self.since = seed, time.monotonic()
        self.done += 1
        self.link.send(seed)

    def end(self) -> None:
        """Stop the process."""
        self.process.kill()
        self.process.join()
        self.link.close()


class Run:
    """The programs of one run, and what was found."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.context = args, multiprocessing.get_context("spawn")
        self.kinds: dict[str, Counter[str]] = {grammar: Counter() for grammar in args.grammar}
        self.reasons: dict[str, Counter[str]] = {grammar: Counter() for grammar in args.grammar}
        self.refused: dict[str, list[tuple[str, str]]] = {}  # seeds and whole messages, by reason
        self.failures: dict[tuple[str, int], str] = {}
        self.total = len(args.seeds) * len(args.grammar) or args.count
        self.seeds = (
            product(args.grammar, args.seeds) if args.seeds else islice(shared(args.grammar, args.start), args.count)
        )
        self.begun = time.monotonic()
        self.out = Path(args.out)

    def __call__(self) -> int:
        """Run them all; the exit status."""
        workers: list[Worker] = []
        for seed in self.seeds:
            workers.append(self.started(seed))
            if len(workers) == self.args.jobs:
                break
        while workers:
            workers = list(self.step(workers))
        self.report()
        return 1 if self.failures else 0

    def started(self, seed: tuple[str, int]) -> Worker:
        """A new process at work."""
        worker = Worker(self.context, self.args)
        worker.give(seed)
        return worker

    def step(self, workers: list[Worker]) -> Iterator[Worker]:
        """Take what is ready, end what is overdue; gives the workers that go on."""
        ready = wait([w.link for w in workers], timeout=1.0)
        for worker in workers:
            free = False
            if worker.link in ready:
                try:
                    free = self.take(worker, *worker.link.recv())
                except EOFError:
                    free = self.lost(worker, "the process ended")
            elif time.monotonic() - worker.since > self.args.seconds + self.args.minimise + GRACE:
                free = self.lost(worker, "no answer")
            if not free:
                yield worker
                continue
            seed = next(self.seeds, None)
            if seed is None or worker.done >= LIFE or not worker.process.is_alive():
                worker.end()
                if seed is not None:
                    yield self.started(seed)
            else:
                worker.give(seed)
                yield worker

    def lost(self, worker: Worker, why: str) -> bool:
        """A process that will not answer any more."""
        worker.process.kill()
        worker.process.join()
        if worker.seed is not None and worker.seed not in self.failures:
            self.count(worker.seed[0], "hang", f"hang: {why}")
            self.failures[worker.seed] = why
            print(f"{called(worker.seed)}: hang: {why}", flush=True)
        return True

    def take(self, worker: Worker, seed: tuple[str, int], found: Any, text: str, how: Any) -> bool:
        """One answer; whether the worker is free."""
        first = seed not in self.failures
        if first:
            self.count(seed[0], found.kind, found.key)
            if found.kind == "refused":
                self.refused.setdefault(found.key, []).append((called(seed), found.why))
        if found.kind in BAD:
            self.failures[seed] = found.key
            self.write(seed, found, text, how)
            if first:
                print(f"{called(seed)}: {found.kind}: {found.why.splitlines()[0][:160]}", flush=True)
                return False
        return True

    def count(self, grammar: str, kind: str, key: str) -> None:
        """Count one program."""
        self.kinds[grammar][kind] += 1
        if kind != "equal":
            self.reasons[grammar][key] += 1
        done = sum(kinds.total() for kinds in self.kinds.values())
        if done % 100 == 0:
            rate = done / (time.monotonic() - self.begun)
            so_far = {name: dict(kinds) for name, kinds in self.kinds.items()}
            print(f"{done}/{self.total} at {rate:.1f}/s: {so_far}", flush=True)

    def write(self, seed: tuple[str, int], found: Any, text: str, how: Any) -> None:
        """Write a failure, ready to be pasted."""
        self.out.mkdir(parents=True, exist_ok=True)
        why = "".join(f"# {line}\n" for line in found.why.splitlines())
        entry = f'    "{called(seed)}": Failure(\n        """\n{text}\n""",\n        seed={seed[1]},\n        how={how!r},\n    ),\n'
        (self.out / f"{found.kind}_{called(seed)}.py").write_text(f"{why}{entry}")

    def report(self) -> None:
        """A table for each grammar."""
        for grammar, kinds in self.kinds.items():
            done = kinds.total() or 1
            print(f"\n{done} {GRAMMARS[grammar]} from {self.args.start}, {time.monotonic() - self.begun:.0f} s")
            for kind in ("equal", "refused", "endless", *BAD):
                print(f"{kind:8} {kinds[kind]:6} {100 * kinds[kind] / done:6.2f} %")
            for key, times in self.reasons[grammar].most_common():
                print(f"{times:6} {key}")
        if self.failures:
            print(f"failures, minimised: {self.out}")
        self.list_refused()

    def list_refused(self) -> None:
        """Write the refused seeds with what was said, the most frequent reason first."""
        groups = sorted(self.refused.items(), key=lambda group: -len(group[1]))
        lines = [
            f"{len(found)} {key}\n" + "".join(f"  {seed}: {why}\n" for seed, why in found) for key, found in groups
        ]
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "refused.txt").write_text("\n".join(lines))


def shared(grammars: Iterable[str], start: int) -> Iterator[tuple[str, int]]:
    """Programs of all grammars in turn, by their shares, each with seeds of its own from `start` on."""
    seeds = {grammar: count(start) for grammar in grammars}
    turn = [grammar for grammar in grammars for _ in range(SHARES[grammar])]
    return ((grammar, next(seeds[grammar])) for grammar in cycle(turn))


def called(seed: tuple[str, int]) -> str:
    """A grammar and a seed as one name."""
    return "_".join(map(str, seed))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1000, help="how many programs")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, nargs="*", default=[], help="these seeds alone")
    parser.add_argument(
        "--grammar", nargs="*", choices=GRAMMARS, default=list(GRAMMARS), help="which ones share the count"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--jax-every", type=int, default=5, help="compile every n-th program with XLA: that takes longest"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="time for one program")
    parser.add_argument("--minimise", type=float, default=60.0, help="time to make one failure smaller")
    parser.add_argument("--out", default="build/fuzz")
    os.environ.setdefault("XLA_FLAGS", QUICK)
    return Run(parser.parse_args())()


if __name__ == "__main__":
    raise SystemExit(main())
