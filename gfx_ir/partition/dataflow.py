"""Dataflow: partitions of one call run on the streams of their engines as soon as what they take is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from ..control import is_call
from ..graph import Node
from ..regions import join_path
from ..runtime.call import Call, Limits
from ..runtime.profile import Profile
from ..runtime.stream import Stream
from ..trees import tree_map
from .frozen import Frozen, Machine


class Later:
    """One result of a partition that was submitted."""

    __slots__ = ("future", "at")

    def __init__(self, future: Future, at: int) -> None:
        self.future, self.at = future, at

    def get(self) -> Any:
        """The data, once it is there. Raises what the partition raised."""
        return self.future.result()[self.at]


def settled(tree: Any) -> Any:
    """A tree with data in the place of what is to come."""
    return tree_map(lambda leaf: leaf.get() if type(leaf) is Later else leaf, tree)


class Running:
    """A call that was started."""

    def __init__(self, result: Any, call: Call) -> None:
        self._result, self.call = result, call

    def result(self) -> Any:
        """Wait for the result. Raises what a partition raised."""
        return settled(self._result)

    def cancel(self) -> None:
        """Let partitions that did not begin not run."""
        self.call.cancel()


class Dataflow:
    """A Frozen whose partitions are queued, in the order of the program, on one stream for each engine. Calls that are started one
    after the other follow each other through the engines as through a pipeline."""

    def __init__(self, frozen: Frozen, streams: Mapping[str, Stream] | None = None, depth: int = 64) -> None:
        self.frozen = frozen
        self.streams = {n: (streams or {}).get(n) or e.stream(depth=depth) for n, e in frozen.engines.items()}

    def start(self, *args: Any, limits: Limits | None = None, profile: Profile | None = None) -> Running:
        """Begin a call. What no device takes is run here, and waits for what it needs."""
        call = Call(limits, profile)
        call.begin()
        return Running(_Queueing(self, call).graph(self.frozen.plan.program.entry, args, ""), call)

    def __call__(self, *args: Any, limits: Limits | None = None, profile: Profile | None = None) -> Any:
        """The result of a call."""
        return self.start(*args, limits=limits, profile=profile).result()

    def map(self, batches: Sequence[Sequence[Any]]) -> list[Any]:
        """The results of calls that follow each other through the engines."""
        return [running.result() for running in [self.start(*args) for args in batches]]

    def close(self) -> None:
        """End the streams, and the engines."""
        for stream in self.streams.values():
            stream.close()
        self.frozen.close()


class _Queueing(Machine):
    def __init__(self, dataflow: Dataflow, call: Call) -> None:
        super().__init__(dataflow.frozen, call)
        self.streams = dataflow.streams
        self.begun: dict[Node, Future] = {}

    def node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        if not (node.device and is_call(node)):
            for other in node.waits:
                if other in self.begun:
                    self.begun[other].result()
            return super().node(node, settled(args), prefix)
        given, path = args[2], join_path(prefix, args[1])
        after = [x.future for x in given if type(x) is Later]
        after += [self.begun[other] for other in node.waits if other in self.begun]

        def run(call: Call) -> Sequence[Any]:
            self.call.at(node)
            call.node = node
            with self.call.active():
                return self.frozen.partition(node, settled(given), path, self.call)

        future = self.streams[node.device].submit(run, Call(self.call.limits), after)
        self.begun[node] = future
        return [Later(future, at) for at in range(len(node.values))]

    def truth(self, x: Any) -> bool:
        return bool(settled(x))
