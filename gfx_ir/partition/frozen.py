"""Frozen execution: a plan with its engines, called like the program's entry; partitions are compiled for the shapes they meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..backend import Backend
from ..dtypes import DType
from ..errors import DeviceError, GuardError, VerifyError
from ..graph import Node, Value
from ..host import same
from ..interpreter import Interpreter
from ..op import OpDef
from ..regions import join_path
from ..runtime.cache import Cache
from ..runtime.call import Call, Limits, named
from ..runtime.device import Device
from ..runtime.devices import REFERENCE, usable_now
from ..runtime.dispatch import Dispatch
from ..runtime.engine import Engine
from ..runtime.profile import Profile
from ..runtime.stream import Pending, Stream
from ..runtime.transfer import holder, moved
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .compiled import CompiledPartition
from .partition import Partition
from .plan import Plan


class Frozen:
    """`Frozen(plan)(x)` runs the program; arrays may lie on any device, results lie where they were made.

    `engines`: those of some devices (by name); the others are made. `on_fault`: "raise", or "fallback" to let the reference do what
    a device fails at. Shared between threads.
    """

    def __init__(
        self, plan: Plan, engines: Mapping[str, Engine] | None = None, *, on_fault: str = "raise", cache: int = 256
    ) -> None:
        self.plan, self.on_fault = plan, on_fault
        self.engines = {name: (engines or {}).get(name) or Engine(one) for name, one in plan.devices.items()}
        own = [engine.device for engine in self.engines.values()]
        self.devices = [*own, *(other for other in usable_now() if other not in own)]
        self.compiled: Cache[CompiledPartition] = Cache(cache)
        self.outside = Anywhere(self.devices, on_fault)

    def __call__(
        self,
        *args: Any,
        params: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        profile: Profile | None = None,
    ) -> Any:
        """The result of the entry for data of its placeholders, in order. Raises what a node raises, with its line; DeadlineError and
        MemoryLimitError beyond the limits."""
        call = Call(limits, profile)
        call.begin()
        return self.run(args, call)

    def run(self, args: Sequence[Any], call: Call) -> Any:
        """The same within a call."""
        entry = self.plan.program.entry
        if len(args) != len(entry.placeholders):
            raise VerifyError(f"{entry.name!r} takes {len(entry.placeholders)} arguments, not {len(args)}")
        for value, x in zip(entry.placeholders, args):
            if isinstance(value.type, LogicalTensor) and hasattr(x, "shape"):
                _admit(value, x)
        return Machine(self, call).graph(entry, args, "")

    def submit(
        self,
        stream: Stream,
        *args: Any,
        limits: Limits | None = None,
        profile: Profile | None = None,
        after: Sequence[Any] = (),
    ) -> Pending:
        """The same on a stream: a future of the result."""
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

    # ------------------------------------------------------------------ partitions
    def partition(self, node: Node, args: Sequence[Any], prefix: str, call: Call) -> Sequence[Any]:
        """The results of a call with a device."""
        partition = self.plan.by_name[node.args[0]]
        engine = self.engines[node.device]
        given = [self._on(engine.device, x, call) for x in args]
        compiled = self._for(partition, given, prefix, engine, call)
        if call.profile is None:
            return self._run(compiled, given, node)
        with call.profile.timed(partition.name, "partition", engine.device.name, _place(node)):
            found = self._run(compiled, given, node)
            engine.device.synchronize()
            return found

    def _run(self, compiled: CompiledPartition, given: Sequence[Any], node: Node) -> Sequence[Any]:
        try:
            return compiled(*given)
        except Exception as error:
            if self.on_fault == "raise":
                error.add_note(
                    f"in {named(node)} on {compiled.engine.device.name}: {', '.join(dict.fromkeys(compiled.ops))}"
                )
                raise
            return self._instead(node, compiled, given)

    def _instead(self, node: Node, compiled: CompiledPartition, given: Sequence[Any]) -> Sequence[Any]:
        """What the reference gives where the device failed."""
        partition, device = self.plan.by_name[node.args[0]], compiled.engine.device
        reference = self.engines[REFERENCE]
        params = {path: moved(x, device, reference.device) for path, x in compiled.params.items()}
        args = [moved(x, device, reference.device) if device.holds(x) else x for x in given]
        return partition.fallback(args, params)

    def _for(
        self, partition: Partition, given: Sequence[Any], prefix: str, engine: Engine, call: Call
    ) -> CompiledPartition:
        device = engine.device
        signature = tuple([device.signature(x) if device.holds(x) else type(x) for x in given])
        key = partition.id, prefix, signature

        def make() -> CompiledPartition:
            if call.profile is None:
                return partition.for_data(given, engine, prefix, self.on_fault)
            with call.profile.timed(partition.name, "compile", device.name):
                return partition.for_data(given, engine, prefix, self.on_fault)

        return self.compiled.get(key, make)

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
        self.frozen, self.call = frozen, call

    def node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        self.call.at(node)
        if node.device and node.op.name == "call":
            return self.frozen.partition(node, args[2], join_path(prefix, args[1]), self.call)
        if self.call.profile is None or node.regions or node.op.name == "call":
            return super().node(node, args, prefix)
        with self.call.profile.timed(node.op.name, "node", "interpreter", _place(node)):
            return super().node(node, args, prefix)


class Anywhere(Backend):
    """Data of several devices: an op runs where its first array lies, the others come there."""

    def __init__(self, devices: Sequence[Device], on_fault: str = "raise") -> None:
        super().__init__((), {}, {})
        self.devices, self.promotion = list(devices), devices[0].promotion
        self.dispatch = {one: Dispatch(one, on_fault) for one in self.devices}

    def is_tensor(self, x: Any) -> bool:
        return holder(x, self.devices) is not None

    def _of(self, x: Any) -> Dispatch:
        found = holder(x, self.devices)
        if found is None:
            raise DeviceError(f"no device of the plan holds this {type(x).__name__}")
        return self.dispatch[found]

    def shape_of(self, x: Any) -> tuple[int, ...]:
        return self._of(x).shape_of(x)

    def dtype_of(self, x: Any) -> DType:
        return self._of(x).dtype_of(x)

    def to_host(self, x: Any) -> Any:
        return self._of(x).to_host(x)

    def from_host(self, x: Any) -> Any:
        return self.devices[0].from_host(x)

    def native_dtype(self, dtype: DType) -> Any:
        return dtype

    def asks_for_data(self, error: Exception) -> bool:
        return False

    def run(self, op: OpDef, args: Sequence[Any]) -> Any:
        first = next(
            (found for leaf in leaves(tuple(args)) if (found := holder(leaf, self.devices)) is not None),
            self.devices[0],
        )
        return self.dispatch[first].run(op, tree_map(lambda leaf: self._to(leaf, first), tuple(args)))

    def _to(self, x: Any, target: Device) -> Any:
        source = holder(x, self.devices)
        return x if source is None or source is target else moved(x, source, target)
