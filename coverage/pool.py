"""Worker processes of a sweep: each has one job at a time, and a new process takes the place of one that died or hangs."""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("worker.py")


class Worker:
    """One process; `ask` gives the answer to a job, or None where the process died or ran longer than `seconds`."""

    def __init__(self, sweep: str, seconds: float) -> None:
        self.sweep, self.seconds = sweep, seconds
        self.process: subprocess.Popen | None = None
        self.log: list[str] = []

    def _start(self) -> subprocess.Popen:
        command = [sys.executable, str(WORKER), self.sweep]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.log = []
        threading.Thread(target=self._drain, args=(process, self.log), daemon=True).start()
        return process

    @staticmethod
    def _drain(process: subprocess.Popen, log: list[str]) -> None:
        for line in process.stderr or ():
            log.append(line)
            del log[:-30]

    def ask(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """The record of a job."""
        if self.process is None:
            self.process = self._start()
        timer = threading.Timer(self.seconds, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if line:
            return json.loads(line)
        self.process.wait()
        self.process = None
        return None

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process = None


def sweep_all(
    sweep: str, options: dict[str, Any], choose: Callable[[list[str]], list[str]] = list,
    workers: int = 2, seconds: float = 600.0, done: Callable[[dict[str, Any], str], None] = lambda record, text: None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Records of the chosen names of a sweep, in their order; `done` gets each when it is there. Raises RuntimeError where a worker cannot start."""
    crew = [Worker(sweep, seconds) for _ in range(workers)]
    listed = crew[0].ask({"name": None, "options": {}})
    if listed is None:
        raise RuntimeError(f"the sweep {sweep} does not start:\n{''.join(crew[0].log)}")
    chosen = choose(listed["names"])
    jobs: queue.SimpleQueue[str] = queue.SimpleQueue()
    for name in chosen:
        jobs.put(name)
    records: dict[str, dict[str, Any]] = {}
    start, lock = time.monotonic(), threading.Lock()

    def serve(worker: Worker) -> None:
        while True:
            try:
                name = jobs.get_nowait()
            except queue.Empty:
                return worker.close()
            answer = worker.ask({"name": name, "options": options})
            record = answer or {"name": name, "died": " ".join("".join(worker.log[-3:]).split())[-300:]}
            with lock:
                records[name] = record
                done(record, f"{sweep} {len(records)}/{len(chosen)} {time.monotonic() - start:.0f} s {name}")

    threads = [threading.Thread(target=serve, args=(worker,)) for worker in crew]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [records[name] for name in chosen]
