"""Stream: an ordered queue of work on an engine. What is submitted gives futures; an error ends its own call alone."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from ..errors import CancelledError, DeviceError
from .call import Call
from .device import Device


@dataclass(frozen=True)
class Attributes:
    """What a stream passes on: `threads` that the device computes on (None: as it is set), `pool`, the framework's own threads to
    run on in place of one of the stream's, `depth`, the most calls that wait (one more waits to be taken)."""

    threads: int | None = None
    pool: Executor | None = None
    depth: int = 64


class Pending(Future):
    """A result to come. `cancel` takes the call back: before it begins, or before its next node."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call, self.asked = call, False

    def result(self, timeout: float | None = None) -> Any:
        self.asked = True
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self.asked = True
        return super().exception(timeout)

    def cancel(self) -> bool:
        """Whether it will not go to its end."""
        self.call.cancel()
        return super().cancel() or not self.done()


_IDLE = 1.0
"""Seconds that a worker waits for more work before it goes."""
_GRACE = 5.0
"""Seconds that what runs has to end where a stream is closed."""


def _end(stream: weakref.ref[Stream]) -> None:
    found = stream()
    if found is not None:
        found.close(cancel=True)


class _Task:
    __slots__ = ("run", "future", "after", "timer")

    def __init__(self, run: Callable[[Call], Any], future: Pending, after: Sequence[Future]) -> None:
        self.run, self.future, self.after = run, future, after
        self.timer: threading.Timer | None = None


class Stream:
    """One worker runs what is submitted, in order. A call that hangs beyond its limit is given up together with its worker, and
    another worker goes on. `wait` raises the first error that nobody has asked a future for."""

    def __init__(self, device: Device, attributes: Attributes | None = None, deterministic: bool = False) -> None:
        self.device, self.attributes = device, attributes or Attributes()
        self.deterministic = deterministic
        self._queue: deque[_Task] = deque()
        self._state = threading.Condition()
        self._running: _Task | None = None
        self._worker: object | None = None
        self._thread: threading.Thread | None = None
        self._errors: list[Pending] = []
        self._closed = False
        weakref.finalize(
            self, _end, weakref.ref(self)
        )  # at the end of the process, too: no worker is left in the middle

    # ------------------------------------------------------------------ work
    def submit(self, run: Callable[[Call], Any], call: Call | None = None, after: Sequence[Future] = ()) -> Pending:
        """Queue `run(call)`, once the futures in `after` (control dependencies, of other streams too) are done; waits while the
        queue is full. Raises DeviceError where the stream is closed."""
        task = _Task(run, Pending(call or Call()), after)
        with self._state:
            while len(self._queue) >= self.attributes.depth and not self._closed:
                self._state.wait()
            if self._closed:
                raise DeviceError(
                    f"the stream on {self.device.name} is closed", hint="make another one: engine.stream()"
                )
            self._queue.append(task)
            if self._worker is None:
                self._start()
            self._state.notify_all()
        return task.future

    def _start(self) -> None:
        self._worker = worker = object()
        if self.attributes.pool is not None:
            self.attributes.pool.submit(self._work, worker)
        else:
            self._thread = threading.Thread(
                target=self._work, args=(worker,), daemon=True, name=f"gfx {self.device.name}"
            )
            self._thread.start()

    def _work(self, worker: object) -> None:
        while (task := self._next(worker)) is not None:
            self._do(task, worker)

    def _next(self, worker: object) -> _Task | None:
        with self._state:
            idle = 0.0 if self.attributes.pool is not None else _IDLE  # a thread of others is given back at once
            if not self._queue and not self._closed and self._worker is worker:
                self._state.wait_for(lambda: self._queue or self._closed or self._worker is not worker, idle)
            if self._worker is not worker:
                return None
            if not self._queue:  # the next call starts another one, so that a stream that nobody holds can go
                self._worker = None
                self._state.notify_all()
                return None
            task = self._running = self._queue.popleft()
            self._state.notify_all()
            return task

    def _do(self, task: _Task, worker: object) -> None:
        future = task.future
        try:
            if not future.set_running_or_notify_cancel():
                raise CancelledError("the call was cancelled before it began")
            for other in task.after:
                Future.exception(other)  # it has its own futures for that
            future.call.begin()
            self._watch(task)
            with self._settings():
                found, error = task.run(future.call), None
        except BaseException as raised:  # it is the future's, whatever it is
            found, error = None, raised
        if task.timer is not None:
            task.timer.cancel()
        with self._state:
            if self._running is task:
                self._running = None
            given_up = self._worker is not worker
            self._state.notify_all()
        if not given_up and not future.cancelled():
            self._settle(future, found, error)

    def _settings(self) -> AbstractContextManager[Any]:
        threads = self.attributes.threads
        asked = threads is not None or self.deterministic
        return self.device.settings(threads, self.deterministic) if asked else nullcontext()

    def _settle(self, future: Pending, found: Any, error: BaseException | None) -> None:
        if error is None:
            future.set_result(found)
            return
        with self._state:
            unasked = [other for other in self._errors if not other.asked]
            self._errors = [*unasked[:1], future]  # `wait` raises the first alone
        future.set_exception(error)

    def _watch(self, task: _Task) -> None:
        seconds = task.future.call.limits.seconds
        if seconds is not None:
            task.timer = threading.Timer(1.1 * seconds + 0.02, self._give_up, (task,))
            task.timer.daemon = True
            task.timer.start()

    def _give_up(self, task: _Task) -> None:
        """The call does not come back: its worker is left to itself, and another one goes on."""
        with self._state:
            if self._running is not task:
                return
            self._running = self._worker = None
            if self._queue:
                self._start()
            self._state.notify_all()
        task.future.call.cancel()
        self._settle(task.future, None, task.future.call.late())

    # ------------------------------------------------------------------ ends
    @property
    def pending(self) -> int:
        """Calls that wait or run."""
        with self._state:
            return len(self._queue) + (self._running is not None)

    def wait(self) -> None:
        """Until all that was submitted is done. Raises the first error since the last `wait`."""
        with self._state:
            while self._queue or self._running is not None:
                self._state.wait()
            errors, self._errors = self._errors, []
        self.device.synchronize()
        for future in errors:
            error = None if future.asked else future.exception()
            if error is not None:
                raise error

    def close(self, cancel: bool = False) -> None:
        """Take no more work; what was submitted is done first, or with `cancel` taken back. What runs then has a moment to end."""
        with self._state:
            self._closed = True
            dropped = list(self._queue) if cancel else []
            if cancel:
                self._queue.clear()
                if self._running is not None:
                    self._running.future.call.cancel()
            self._state.notify_all()
        for task in dropped:
            task.future.cancel()
        with self._state:
            self._state.wait_for(lambda: not self._queue and self._running is None, _GRACE if cancel else None)
            thread = self._thread if self._running is None else None
        if thread is not None and thread is not threading.current_thread():
            thread.join(_GRACE)  # a thread that is in the middle of anything as the process ends may take it down

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close(cancel=error[0] is not None)
