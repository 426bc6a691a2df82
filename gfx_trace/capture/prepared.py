"""Warm-up: what a first call makes of the target's own arrays alone, as weights that it divides and tables that it fills, computed once.

The graph of the later calls stands for the first one, too, with these arrays in place of what it found.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gfx_ir.control import is_given, is_parameter
from gfx_ir.copies import copy_program
from gfx_ir.dependence import ancestors
from gfx_ir.graph import Graph, Value, values_in
from gfx_ir.infer.gradients import marks
from gfx_ir.loading import backend
from gfx_ir.op import Trait
from gfx_ir.passes import Optimize
from gfx_ir.passes.dce import eliminate_dead
from gfx_ir.passes.effects import Effects
from gfx_ir.program import Program
from gfx_ir.runtime.executor import Executor
from gfx_ir.types import LogicalTensor

from ..control.writes import Write
from ..frameworks.params import moved
from ..heap.aliases import WrittenConstant
from ..values.flavour import loaded_frameworks
from .alike import T, same, settled
from .prefixes import cut


def prepared(first: T, work: Callable[[], T], constants: bool) -> T | None:
    """What work() gives for the calls behind the first; None where they are others, but for arrays that can be computed once.

    `constants`: small arrays stand in the graph as such. Raises WrittenConstant where that may be why the calls differ."""
    computed = _computed(first.program, first.slots)
    slots = [(first.slots[path].slot, x) for path, x in computed.items() if path in first.slots]
    if not computed:
        return None
    with first.left.found({slot.id: x for slot, x in slots if slot is not None}):
        try:
            later = work()
        except Exception:  # it may fail in Python, too
            return None
    read = later.program.params.keys() - {*later.program.writes}
    # what no module has registered is called by its attribute alone
    names = {
        path: next((name for name in read if later.program.params[name] is x), path) for path, x in computed.items()
    }
    set_up = {path: names[path] for path in computed if names[path] in read}
    if not settled(first, later):
        return None
    if constants and len(set_up) < len(computed):
        raise WrittenConstant
    if not set_up or not _stands_for(later.program, first.program, set_up):
        return None
    later.program.params.update({name: computed[path] for path, name in set_up.items()})
    later.left.settle()
    return later


def _computed(program: Program, slots: Mapping[str, Write]) -> dict[str, Any]:
    """The arrays that a program writes and makes of its own alone, by path."""
    made, found = copy_program(program), {}
    entry, owner = made.entry, backend(made.flavour)
    for node in entry:  # on which device its elements lie is none of an array
        if node.op.traits & Trait.MOVES:
            node.value.replace_by(node.args[0])
        elif node.op.asks == "device":
            node.value.replace_by(None)
    effects = Effects(made)
    for path, value in entry.result[1].items() if made.writes else ():
        own = _made_of(value, effects) if path in slots or path in made.params else None
        if own is not None and not (path in slots and may_be_trained(made.params[name] for name in own)):
            found[path] = value
    if not found:
        return {}
    entry.result = found
    eliminate_dead(entry, acts=lambda node: False)  # what acts on the world is none of what these are made of
    params = {path: moved(x, owner) for path, x in made.params.items()}
    arrays = Executor(owner)(made, [None] * len(entry.placeholders), params)
    return {path: x if path in slots else _with(made.params[path], x) for path, x in arrays.items()}


def _made_of(value: Any, effects: Effects) -> set[str] | None:
    """The parameters that a value is computed of; None where an argument, a draw or an effect takes part."""
    if type(value) is not Value or is_given(value.node):
        return None
    nodes = {value.node, *ancestors([value.node])}
    given = {leaf.node for node in nodes for leaf in values_in(node.args) if is_given(leaf.node)}
    if any(map(effects.node, nodes)) or not all(map(is_parameter, given)):
        return None
    return {node.args[0] for node in given}


def may_be_trained(arrays: Iterable[Any]) -> bool:
    """Whether gradients may be asked for of one of these, which would not come through what was computed once."""
    return any(owner.trained(x) is not False for x in arrays for owner in loaded_frameworks() if owner.is_tensor(x))


def _with(held: Any, value: Any) -> Any:
    """A copy of an array that holds other data."""
    made = copy.deepcopy(held)
    owner = next(owner for owner in loaded_frameworks() if owner.is_tensor(held))
    owner.assign(made, value)
    return made


def _stands_for(later: Program, first: Program, paths: Mapping[str, str]) -> bool:
    """Whether a first call gives what a later one does, but for what it writes under these paths, and uses itself from there on, as the
    later one does under other names. What either takes as given, the later one does from here on."""
    later.guards += [guard for guard in first.guards if guard not in later.guards]
    later, first = (Optimize(("inline",))(program) for program in (later, first))
    for program in (later, first):
        _without_whole_slices(program.entry)
    first.guards = later.guards
    for path, name in paths.items():
        if not _read_behind(first.entry, path, later.entry.parameters[name]):
            return False
        first.params[name] = later.params[name]
    tree, state = first.entry.result
    first.writes = [path for path in state if path not in paths]
    parts = ((place, tuple([path for path in held if path not in paths])) for place, held in first.shared.items())
    first.shared = {place: held for place, held in parts if held}
    first.entry.result = (tree, {path: state[path] for path in first.writes}) if first.writes else tree
    for program in (later, first):
        used = sorted((path, value) for path, value in program.entry.parameters.items() if value.uses)
        program.entry.parameters = dict(used)
        program.params = {path: program.params[path] for path, _ in used}
    return same(later, first)


def _without_whole_slices(graph: Graph) -> None:
    """What is read of all of a tensor, as `table[:n]` of n rows, is that tensor."""
    for node in graph:
        type_ = node.args[0].type if node.args and type(node.args[0]) is Value else None
        dims = type_.dims if isinstance(type_, LogicalTensor) else None
        place = None if dims is None else cut(node, dims, dims)
        if place is not None and all(part == slice(None) for part in place):
            node.value.replace_by(node.args[0])
    eliminate_dead(graph)


def _read_behind(graph: Graph, path: str, twin: Value) -> bool:
    """Let a parameter, called as its twin is, stand for what is written to it. Whether the code takes it from there alone."""
    value, old, name = graph.result[1][path], graph.parameters.pop(path, None), twin.node.args[0]
    if name in graph.parameters:
        return False
    new = graph.add_parameter(name, twin.type)
    new.name, new.kind = twin.name, twin.kind
    for node in value.users():
        if marks(node.op) and _root(node.args[0]) is old:  # with the gradient of what was there
            node.value.replace_by(new)
    value.replace_by(new)
    eliminate_dead(graph)
    return old is None or not old.uses


def _root(value: Value) -> Value:
    """What a value has the gradient of."""
    while marks(value.node.op):
        value = value.node.args[0]
    return value
