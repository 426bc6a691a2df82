"""Frozen execution: a plan with its engines, called like the program's entry; partitions are compiled for the shapes they meet."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..control import is_call
from ..errors import GuardError, MemoryLimitError, VerifyError
from ..graph import Graph, Node, Value
from ..host import same
from ..interpreter import Interpreter
from ..plan import Step
from ..regions import join_path
from ..runtime.anywhere import Anywhere
from ..runtime.cache import Cache
from ..runtime.call import Call, Limits, current, named
from ..runtime.device import Device
from ..runtime.devices import REFERENCE, usable_now
from ..runtime.engine import Engine
from ..runtime.meter import Meter
from ..runtime.profile import Profile
from ..runtime.stream import Pending, Stream
from ..runtime.transfer import holder, moved
from ..types import LogicalTensor
from .compiled import CompiledPartition
from .partition import Partition
from .plan import Plan


class Frozen:
    """`Frozen(plan)(x)` runs the program; arrays may lie on any device, results lie where they were made.

    `engines`: those of some devices (by name); the others are made. `on_fault`: "raise", or "fallback" to let the reference do what
    a device fails at. `deterministic`: what is computed is the same each time. Shared between threads.
    """

    def __init__(
        self, plan: Plan, engines: Mapping[str, Engine] | None = None, *, on_fault: str = "raise", deterministic: bool = False,
        cache: int = 256,
    ) -> None:  # fmt: skip
        self.plan, self.on_fault, self.deterministic = plan, on_fault, deterministic
        given = engines or {}
        self.engines = {n: given.get(n) or Engine(d, deterministic=deterministic) for n, d in plan.devices.items()}
        own = [engine.device for engine in self.engines.values()]
        self.devices = [*own, *(other for other in usable_now() if other not in own)]
        self.compiled: Cache[CompiledPartition] = Cache(cache)
        self.outside = Anywhere(self.devices, plan.program.flavour, on_fault)
        self.plans: dict[Graph, list[Step]] = {}

    def __call__(self, *args: Any, limits: Limits | None = None, profile: Profile | None = None) -> Any:
        """The result of the entry for data of its placeholders, in order. Raises what a node raises, with its line; DeadlineError and
        MemoryLimitError beyond the limits."""
        if limits is not None and limits.seconds is not None:  # what hangs is left to a thread of its own
            with self.engines[REFERENCE].stream() as stream:
                return self.submit(stream, *args, limits=limits, profile=profile).result()
        return self.run(args, Call(limits, profile))

    def run(self, args: Sequence[Any], call: Call) -> Any:
        """The same within a call."""
        entry = self.plan.program.entry
        if len(args) != len(entry.placeholders):
            raise VerifyError(f"{entry.name!r} takes {len(entry.placeholders)} arguments, not {len(args)}")
        for value, x in zip(entry.placeholders, args):
            if isinstance(value.type, LogicalTensor) and hasattr(x, "shape"):
                _admit(value, x)
        token = current.set(call)
        try:
            if not self.deterministic:
                return Machine(self, call).graph(entry, args, "")
            with contextlib.ExitStack() as stack:
                for engine in self.engines.values():
                    stack.enter_context(engine.device.settings(None, True))
                return Machine(self, call).graph(entry, args, "")
        finally:
            current.reset(token)

    def submit(
        self, stream: Stream, *args: Any, limits: Limits | None = None, profile: Profile | None = None, after: Sequence[Any] = ()
    ) -> Pending:  # fmt: skip
        """The same on a stream, once the futures in `after` are done: a future of the result."""
        return stream.submit(lambda call: self.run(args, call), Call(limits, profile), after)

    def warm_up(self, *args: Any) -> None:
        """Compile for the shapes of these arguments, and run once."""
        self(*args)
        for engine in self.engines.values():
            engine.device.synchronize()

    def close(self) -> None:
        """End the engines."""
        for engine in self.engines.values():
            engine.close()

    def hold(self, params: Mapping[str, Any]) -> None:
        """Let the program have these arrays as parameters, in the place of those that it had."""
        self.plan.program.params.update(params)
        self.compiled.clear()

    # ------------------------------------------------------------------ partitions
    def partition(self, node: Node, args: Sequence[Any], prefix: str, call: Call) -> Sequence[Any]:
        """The results of a call with a device."""
        partition, engine = self.plan.by_name[node.args[0]], self.engines[node.device]
        try:
            given = [self._on(engine.device, x, call) for x in args]
            compiled = self._for(partition, given, prefix, engine, call)
            if call.limits.bytes is not None:
                self._fits(compiled, node, call.limits.bytes)
            if call.profile is None:
                return compiled(*given)
            return self._timed(partition, compiled, given, node, call.profile)
        except Exception as error:
            if self.on_fault == "raise" or partition.acts or not engine.device.may_fail(error):
                error.add_note(f"in {named(node)} on {engine.device.name}")
                raise
            return self._instead(partition, args, prefix)

    def _timed(
        self, partition: Partition, compiled: CompiledPartition, given: Sequence[Any], node: Node, profile: Profile
    ) -> Sequence[Any]:  # fmt: skip
        device = compiled.engine.device
        with profile.timed(partition.name, "partition", device.name, _place(node)):
            found = partition.stepwise(given, compiled, self.on_fault) if profile.nodes else compiled(*given)
            device.synchronize()
            return found

    def _fits(self, compiled: CompiledPartition, node: Node, limit: int) -> None:
        peak = compiled.peak
        if peak is not None and peak > limit:
            what = f"{named(node)} holds {peak} bytes at once on {compiled.engine.device.name}, and the call may hold {limit}"
            raise MemoryLimitError(what, node.span, "allow more, give smaller batches, or cut smaller partitions")

    def _instead(self, partition: Partition, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        """What the reference gives where the device failed: from the arguments as they were before they were moved there."""
        reference = self.engines[REFERENCE].device
        return partition.fallback([self._on(reference, x, _UNTOLD) for x in args], prefix)

    def _for(
        self, partition: Partition, given: Sequence[Any], prefix: str, engine: Engine, call: Call
    ) -> CompiledPartition:  # fmt: skip
        device = engine.device
        signature = tuple([device.signature(x) if device.holds(x) else type(x) for x in given])
        donated = (
            self.plan.donated[partition.name] if self.on_fault == "raise" else ()
        )  # what may be taken again is kept
        make = lambda: partition.for_data(given, engine, prefix, donated, self.on_fault)
        if call.profile is None:
            return self.compiled.get((partition.id, prefix, signature), make)
        return self.compiled.get(
            (partition.id, prefix, signature), lambda: self._compiling(make, partition, call.profile)
        )

    def _compiling(self, make: Any, partition: Partition, profile: Profile | None) -> CompiledPartition:
        assert profile is not None
        with profile.timed(partition.name, "compile", partition.device):
            return make()  # type: ignore[no-any-return]

    def _on(self, target: Device, x: Any, call: Call) -> Any:
        if target.holds(x):
            return x
        source = holder(x, self.devices)
        if source is None:
            return x
        if call.profile is None:
            return moved(x, source, target)
        with call.profile.timed(f"to {target.name}", "transfer", source.name):
            return moved(x, source, target)


_UNTOLD = Call()


def _admit(value: Value, x: Any) -> None:
    """Raise GuardError where an argument is not of the type that the program was bound to."""
    dims = value.type.dims
    if dims is None or (len(dims) == len(x.shape) and all(same(a, b) is not False for a, b in zip(dims, x.shape))):
        return
    what = f"the program took {value.name or 'an argument'}: {value.type} as given, and the call has the shape {tuple(x.shape)}"
    raise GuardError(what, hint="capture or bind it with open sizes")


def _place(node: Node) -> str:
    return node.span.place() if node.span is not None else ""


class Machine(Interpreter):
    """What a plan leaves to an interpreter; calls with a device go to their partitions."""

    def __init__(self, frozen: Frozen, call: Call) -> None:
        super().__init__(frozen.outside, frozen.plan.program, frozen.plan.program.params)
        self.frozen, self.call, self.plans = frozen, call, frozen.plans
        self.meter = Meter(call.limits.bytes) if call.limits.bytes is not None else None

    def node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        self.call.at(node)
        if node.device and is_call(node):
            return self.frozen.partition(node, args[2], join_path(prefix, args[1]), self.call)
        if self.call.profile is None or node.regions or is_call(node):
            return super().node(node, args, prefix)
        with self.call.profile.timed(node.op.name, "node", "interpreter", _place(node)):
            return super().node(node, args, prefix)
