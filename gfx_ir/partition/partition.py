"""Partition: the piece of a program that one device takes, with its inputs and outputs by their ids."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from ..copies import copy_program
from ..errors import ArgumentError, GfxError, InvalidShape
from ..graph import Node, Value
from ..host import same
from ..infer import retype
from ..infer.joins import final
from ..infer.walk import Walk
from ..passes.memory_plan import PEAK, MemoryPlan
from ..pause import collection_paused
from ..program import Program
from ..regions import join_path, with_regions
from ..rules import OPEN
from ..runtime.device import Executable
from ..runtime.devices import REFERENCE, device, usable_now
from ..runtime.engine import Engine
from ..runtime.transfer import holder, moved
from ..strides import completed, overlap, shown
from ..trees import leaves
from ..types import LogicalTensor
from ..verify import instances
from .compiled import CompiledPartition
from .effects import acting_graphs
from .interpreted import interpreted
from .parameters import Parameters
from .structure import structure


class Partition:
    """A Graph of its own (`program.entry`, with the functions that it calls), which outlives the program that it was cut from.

    `id` and `name` are its own in the plan, `device` names where it runs, `ops` are its nodes. `prefixes`: where its parameters
    stand, one for each instance of the function that it was cut from.
    """

    def __init__(
        self, id: int, name: str, device: str, program: Program, params: Mapping[str, Any], prefixes: Sequence[str]
    ) -> None:
        self.id, self.name, self.device, self.program = id, name, device, program
        self.data, self.prefixes = params, tuple(prefixes) or ("",)
        self.placeholders = list(program.entry.placeholders)
        self.results = list(leaves(program.entry.result))

    # ------------------------------------------------------------------ what it is
    @property
    def ops(self) -> list[Node]:
        """Its nodes, in order."""
        return list(self.program.entry)

    @property
    def inputs(self) -> list[LogicalTensor]:
        """What it takes, as far as the program's level tells."""
        return [_logical(value) for value in self.placeholders]

    @property
    def outputs(self) -> list[LogicalTensor]:
        """What it gives."""
        return [_logical(value) for value in self.results]

    @property
    def parameters(self) -> list[str]:
        """Paths of the parameters that it takes, relative to its prefix."""
        return list(self._paths)

    @functools.cached_property
    def _paths(self) -> tuple[str, ...]:
        return parameter_paths(self.program)

    @functools.cached_property
    def structure(self) -> Hashable:
        """Equal for partitions that compute the same."""
        return structure(self.program)

    @functools.cached_property
    def acts(self) -> bool:
        """Whether it acts on the world, so that it cannot be run once more where it failed midway."""
        return self.program.entry in acting_graphs(self.program)

    # ------------------------------------------------------------------ shapes
    def infer_output_shape(
        self, inputs: Sequence[LogicalTensor], outputs: list[LogicalTensor], prefix: str | None = None
    ) -> None:
        """Fill the unknown sizes of the outputs, whose elements in the caller's list are replaced; nothing else is touched.

        Tensors are matched by id, in any order. Raises InvalidShape where a size that is given is another one, ShapeError where the
        inputs do not fit, ArgumentError for tensors that it does not have.
        """
        found = self._inferred(inputs, prefix)
        places = {tensor.id: at for at, tensor in enumerate(outputs)}
        if len(places) != len(outputs) or not places.keys() <= found.keys():
            raise ArgumentError(f"{self.name!r} gives {_ids(found)}, and not {_ids(places)}, each once")
        for id_, at in places.items():
            outputs[at] = outputs[at].with_(dims=_filled(outputs[at], found[id_]))

    def _inferred(self, inputs: Sequence[LogicalTensor], prefix: str | None) -> dict[int | None, Any]:
        """Types of the outputs by id."""
        given = {tensor.id: tensor for tensor in inputs}
        own = [value.id for value in self.placeholders]
        if len(given) != len(inputs) or set(given) != set(own):
            raise ArgumentError(f"{self.name!r} takes {_ids(own)}, each once, and not {_ids(t.id for t in inputs)}")
        return self._types(tuple([_plain(given[value.id], value) for value in self.placeholders]), self.prefix(prefix))

    def _types(self, types: tuple, prefix: str) -> dict[int | None, Any]:
        walk = Walk(_with_data(self.program, self.data, prefix), self.program.promotion)
        site = walk.graph(self.program.entry, types, "")
        return {value.id: final(type_) for value, type_ in zip(self.results, leaves(site.result))}

    def prefix(self, given: str | None) -> str:
        """The prefix that is meant: that one, or the only one there is. Raises ArgumentError."""
        if given is None and len(self.prefixes) > 1 and self._paths:
            raise ArgumentError(
                f"{self.name!r} has parameters under {', '.join(self.prefixes)}", hint="say which: prefix="
            )
        return self.prefixes[0] if given is None else given

    # ------------------------------------------------------------------ compiling
    def compile(
        self, inputs: Sequence[LogicalTensor], outputs: Sequence[LogicalTensor], engine: Engine, *, prefix: str | None = None,
        donated: Sequence[int] = (), on_fault: str = "raise",
    ) -> CompiledPartition:  # fmt: skip
        """For these inputs, whose sizes are known; unknown sizes and strides of the outputs are filled (see `gfx_ir.strides`; a
        layout that is not "strided" keeps its strides). Equal partitions for equal types are compiled once for each engine.

        `donated`: ids of inputs whose memory the results may take. Raises as `infer_output_shape`, InvalidShape for strides that no
        rule admits, DeviceError where the engine is another device's.
        """
        types = self._inferred(inputs, prefix)
        by_id = {tensor.id: tensor for tensor in inputs}
        taken = [by_id[value.id] for value in self.placeholders]
        given = {tensor.id: tensor for tensor in outputs}
        if len(given) != len(outputs) or set(given) != set(types):
            raise ArgumentError(f"{self.name!r} gives {_ids(types)}, each once, and not {_ids(t.id for t in outputs)}")
        made = [_completed(given[value.id], types[value.id]) for value in self.results]
        return self._compiled(taken, made, engine, self.prefix(prefix), tuple(donated), on_fault)

    def for_data(
        self, args: Sequence[Any], engine: Engine, prefix: str, donated: Sequence[int] = (), on_fault: str = "raise"
    ) -> CompiledPartition:  # fmt: skip
        """Compiled for data of the engine's device (and host values), in the order of the inputs; outputs as the device makes them."""
        home = engine.device
        types = [home.type_of(x) if home.holds(x) else LogicalTensor() for x in args]
        inputs = [type_.with_(id=value.id) for type_, value in zip(types, self.placeholders)]
        try:
            found = self._types(tuple(map(_plain, inputs, self.placeholders)), prefix)
        except GfxError:  # what no rule tells, the run will
            found = {}
        outputs = [_completed(LogicalTensor(id=value.id), found.get(value.id)) for value in self.results]
        return self._compiled(inputs, outputs, engine, prefix, tuple(donated), on_fault)

    def fallback(self, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        """The results of the reference for NumPy data."""
        home = device(REFERENCE)
        data = _with_data(self.program, self.data, prefix).params
        params = {path: moved(x, holder(x, usable_now()) or home, home) for path, x in data.items()}
        return interpreted(self.program, home).run(args, params, None)

    def stepwise(self, args: Sequence[Any], compiled: CompiledPartition, on_fault: str) -> Sequence[Any]:
        """The results for data of the engine's device, node by node, which a profile then tells apart."""
        return interpreted(self.program, compiled.engine.device, on_fault=on_fault).run(args, compiled.params, None)

    def peak(self, inputs: Sequence[LogicalTensor], prefix: str) -> int | None:
        """The most bytes that its values take at once, beside its inputs and parameters; None where sizes are open."""
        typed = _typed(_with_data(self.program, self.data, prefix), inputs)
        try:
            retype(typed)
            MemoryPlan().apply(typed)
        except GfxError:
            return None
        return typed.entry.get(PEAK)  # type: ignore[no-any-return]

    def _compiled(
        self, inputs: list[LogicalTensor], outputs: list[LogicalTensor], engine: Engine, prefix: str, donated: tuple[int, ...],
        on_fault: str,
    ) -> CompiledPartition:  # fmt: skip
        places = tuple([at for at, value in enumerate(self.placeholders) if value.id in donated])
        data = _with_data(self.program, self.data, prefix)
        types = [(x.dtype, x.shape) for x in data.params.values()]
        key = (
            self.structure,
            tuple(map(_key, inputs)),
            tuple(map(_key, outputs)),
            tuple(map(str, types)),
            places,
            on_fault,
        )
        code = engine.cache.get(key, lambda: _code(self, data, inputs, engine, places, on_fault))
        params = Parameters(data.params, engine)
        ops = tuple([node.op.name for node in self.program.entry])
        peak = functools.partial(self.peak, inputs, prefix)
        return CompiledPartition(self.name, ops, inputs, outputs, code, engine, params, peak)

    def __repr__(self) -> str:
        return f"<Partition {self.name} on {self.device}: {len(self.program.entry)} ops>"


# ---------------------------------------------------------------------- types
def _logical(leaf: Any) -> LogicalTensor:
    """The type of a value, with its id; a constant result has none."""
    if type(leaf) is not Value:
        return LogicalTensor()
    known = leaf.type if isinstance(leaf.type, LogicalTensor) else LogicalTensor()
    return LogicalTensor(known.dtype, known.dims, known.strides, known.layout, known.weak, leaf.id)


def _plain(tensor: LogicalTensor, value: Value) -> Any:
    """What inference knows of an input: its dtype and dims; nothing of a host value."""
    return LogicalTensor(tensor.dtype, tensor.dims, weak=tensor.weak) if value.is_tensor else OPEN


def _filled(tensor: LogicalTensor, found: Any) -> Any:
    """The dims of an output: those given, completed by those inferred. Raises InvalidShape."""
    dims = found.dims if isinstance(found, LogicalTensor) else () if found is not None else None
    if tensor.dims is None or dims is None:
        return tensor.dims if dims is None else dims
    if len(tensor.dims) != len(dims) or any(same(a, b) is False for a, b in zip(tensor.dims, dims) if a is not None):
        raise InvalidShape(f"output {tensor.id} is given the shape {shown(tensor.dims)}, and has {shown(dims)}")  # type: ignore[arg-type]
    return tuple([b if a is None else a for a, b in zip(tensor.dims, dims)])


def _completed(tensor: LogicalTensor, found: Any) -> LogicalTensor:
    """An output with dtype, dims, and where its layout is strided, strides."""
    dims = _filled(tensor, found)
    known = found.dtype if isinstance(found, LogicalTensor) else None
    if tensor.dtype is not None and known is not None and tensor.dtype != known:
        raise InvalidShape(
            f"output {tensor.id} is given as {tensor.dtype}, and has {known}", hint="cast it in the program"
        )
    made = tensor.with_(dtype=tensor.dtype or known, dims=dims)
    if made.layout != "strided" or dims is None or not all(type(size) is int for size in dims):
        return made
    strides = completed(dims, tensor.strides)
    if overlap(dims, strides):
        raise InvalidShape(f"elements of output {tensor.id} share places: strides {shown(strides)} of {shown(dims)}")
    return made.with_(strides=strides)


def _ids(ids: Iterable[Any]) -> str:
    return f"the tensors {', '.join(map(str, ids)) or '(none)'}"


def _key(tensor: Any) -> Hashable:
    if not isinstance(tensor, LogicalTensor):
        return type(tensor).__name__
    return tensor.dtype, tensor.dims, tensor.strides, tensor.layout, tensor.weak


# ---------------------------------------------------------------------- parameters
def parameter_paths(program: Program) -> tuple[str, ...]:
    """Paths of the parameters that a program's graphs take, from its entry."""
    found: dict[str, None] = {}
    for graph, prefix in instances(program):
        for inner in with_regions((graph,)):
            found.update((join_path(prefix, path), None) for path in inner.parameters)
    return tuple(found)


def _with_data(program: Program, data: Mapping[str, Any], prefix: str) -> Program:
    """The program with its own parameters, which stand under `prefix` in the data. Raises ArgumentError where one is missing."""
    found = {}
    for path in parameter_paths(program):
        full = join_path(prefix, path)
        if full not in data:
            raise ArgumentError(f"the parameters lack {full!r}")
        found[path] = data[full]
    return dataclasses.replace(program, params=found)


@collection_paused()
def _code(
    partition: Partition, data: Program, inputs: Sequence[Any], engine: Engine, donated: tuple[int, ...], on_fault: str
) -> Executable:
    """What the engine's device makes of the typed program; node by node where it cannot compile it, and why."""
    typed, why = _typed(data, inputs), ""
    try:
        retype(typed)
        found = engine.device.compile(typed, donated)
        if found is not None:
            return found
    except GfxError as error:
        why = error.what
    return interpreted(typed, engine.device, why, on_fault)


def _typed(data: Program, inputs: Sequence[LogicalTensor]) -> Program:
    """A copy whose arguments have these types."""
    typed = copy_program(data)
    for value, tensor in zip(typed.entry.placeholders, inputs):
        value.type = tensor.with_(id=None, strides=None, layout="any") if value.is_tensor else None
    return typed
