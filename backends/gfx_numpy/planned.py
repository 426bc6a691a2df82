"""Partitions on NumPy: a planned interpreter. Memory of values that are needed no longer is used again, chains of elementwise ufuncs
run block by block, so that what they hand on stays in the cache of the processor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.control import is_output
from gfx_ir.copies import copy_program
from gfx_ir.errors import GfxError
from gfx_ir.graph import Node, Value
from gfx_ir.infer import retype
from gfx_ir.interpreter import Interpreter
from gfx_ir.op import REGISTRY, Trait
from gfx_ir.passes import Context, Decompose, Inline
from gfx_ir.passes.base import PassError
from gfx_ir.program import Program
from gfx_ir.runtime.device import Executable
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import leaves, tree_map

from .arena import Arena, Order
from .chains import Chain, Source, laid_out, memory_order
from .fused import Fuser
from .kernels import KERNELS
from .links import Link, Operand, links
from .row_calls import RowCall
from .workers import Workers

Env = list[Any]
Target = Callable[[Env, Arena, Order], np.ndarray | None]
Step = Callable[[Env, Mapping[str, Any], Arena], None]
_LEAST = 1 << 14
"""Elements of the smallest array that it pays to keep memory for, or to go through in blocks."""


def compiled(
    program: Program, backend: Backend, donated: Sequence[int], workers: Workers, fuser: Fuser | None = None
) -> Executable:
    """The plan of a typed program. `workers` share large chains; `fuser`: what makes one loop of a chain, where it can."""
    own = Executor(backend).under_own_rules(program)
    own = copy_program(own)
    _flattened(own, backend)
    plan = _Plan(own, backend, donated, workers, fuser)
    return Executable(
        plan.run, tuple(plan.pairs), plan, f"planned: {plan.reused} buffers reused, {plan.chained} ops in chains"
    )


def _flattened(program: Program, backend: Backend) -> None:
    """Calls and composites become the nodes that they stand for."""
    kept = {op.name for op in REGISTRY.values() if op.body is None} | set(backend.templates)
    for pass_ in (Inline(), Decompose(ops=kept)):
        try:
            if pass_.run(program, Context()):
                retype(program)
        except (PassError, GfxError):  # what hangs on types that are open stays as it is, and runs as it is
            continue


class _Plan:
    """Steps over slots. Runs at once on several threads have an arena each."""

    def __init__(
        self, program: Program, backend: Backend, donated: Sequence[int], workers: Workers, fuser: Fuser | None
    ) -> None:
        self.program, self.backend, self.workers, self.fuser = program, backend, workers, fuser
        graph = program.entry
        self.slots: dict[Value, int] = {}
        for value in (*graph.placeholders, *graph.parameters.values()):
            self.slots[value] = len(self.slots)
        self.paths = list(graph.parameters)
        self.first = len(graph.placeholders)
        results = graph.result if type(graph.result) is tuple else (graph.result,)
        self.results = [leaf if type(leaf) is not Value else None for leaf in results]
        self.kept = {leaf: at for at, leaf in enumerate(results) if type(leaf) is Value}
        self.reused = self.chained = self.places = 0
        self.free: dict[tuple, list[int]] = {}
        self.pairs: list[tuple[int, int]] = []
        self.spare: list[Arena] = []
        nodes = _gathered(list(graph), {node: links(node, backend) for node in graph})
        self.last = _last_uses(nodes)
        self.owned: dict[Value, int] = {}
        self.given = {value: at for at, value in enumerate(graph.placeholders) if at in donated}
        self.steps: list[Step] = []
        self._build(nodes)
        self.outputs = [self.slots.get(leaf, -1) if type(leaf) is Value else -1 for leaf in results]

    # ------------------------------------------------------------------ run
    def run(self, args: Sequence[Any], params: Mapping[str, Any], buffers: Sequence[Any] | None) -> Sequence[Any]:
        """The results; those that are made by a ufunc are written into the buffers."""
        env: Env = [None] * (len(self.slots) + len(self.outputs))
        env[: self.first] = args
        env[self.first : self.first + len(self.paths)] = [params[path] for path in self.paths]
        env[len(self.slots) :] = buffers if buffers is not None else [None] * len(self.outputs)
        try:
            arena = self.spare.pop()
        except IndexError:
            arena = Arena(self.places)
        try:
            for step in self.steps:
                step(env, params, arena)
        finally:
            self.spare.append(arena)
        return [env[at] if at >= 0 else leaf for at, leaf in zip(self.outputs, self.results)]

    # ------------------------------------------------------------------ plan
    def _build(self, nodes: list[Node]) -> None:
        found = [links(node, self.backend) for node in nodes]
        at = 0
        while at < len(nodes):
            chain: list[list[Link]] = []
            shape = nodes[at].value.type.dims if found[at] is not None else None
            for node, own in zip(nodes[at:], found[at:]):
                if own is None or any(link.whole for link in own) or node.value.type.dims != shape:
                    break
                chain.append(own)
            end, own = at + max(1, len(chain)), found[at]
            if sum(map(len, chain)) > 1 and np.prod(shape or ()) >= _LEAST:
                self._chain(nodes[at:end], chain)
            elif own is not None and len(own) == 1 and not any(operand.link >= 0 for operand in own[0].operands):
                end = at + 1
                self._call(nodes[at], own[0])
            else:
                end = at + 1
                self._general(nodes[at])
            self._release(at, end, nodes)
            at = end

    def _slot(self, value: Value) -> int:
        return self.slots.setdefault(value, len(self.slots))

    def _release(self, first: int, end: int, nodes: list[Node]) -> None:
        """Memory of values that nobody takes behind these nodes."""
        for node in nodes[first:end]:
            for value in (*node.values, *(leaf for leaf in leaves(node.args) if type(leaf) is Value)):
                place = self.owned.get(value)
                if place is not None and self.last.get(value, -1) < end:
                    del self.owned[value]
                    self.free.setdefault(_shape_key(value), []).append(place)

    def _place(self, value: Value) -> int | None:
        """The place of a buffer for what a node makes; None: memory of its own, as it is a result, small, or lives on in a view."""
        type_ = value.type
        if value in self.kept or type_.size() < _LEAST or not _taken_apart(value):
            return None
        free = self.free.get(_shape_key(value))
        if free:
            self.reused += 1
            found = free.pop()
        else:
            found = self.places
            self.places += 1
        self.owned[value] = found
        return found

    def _source(self, leaf: Any) -> Source:
        return Source(self._slot(leaf), None) if type(leaf) is Value else Source(-1, leaf)

    def _target(self, value: Value) -> Target:
        """Where a value goes: the caller's buffer, a place in the arena, or new memory (None)."""
        type_ = value.type
        shape, dtype = tuple(type_.dims), type_.dtype.numpy
        if value in self.kept:
            offset = self.kept[value]

            def wanted(env: Env, arena: Arena, order: Order) -> np.ndarray | None:
                found = env[len(self.slots) + offset]
                return found if found is not None and found.dtype == dtype and found.shape == shape else None

            return wanted
        place = self._place(value)
        return (
            (lambda env, arena, order: None)
            if place is None
            else lambda env, arena, order: arena.take(place, shape, dtype, order)
        )

    def _over(self, node: Node, call: Callable[..., Any]) -> Target | None:
        """The memory of a donated argument that the node takes last, element by element, for a result of its type."""
        if node.value not in self.kept or not node.op.traits & Trait.ELEMENTWISE or not isinstance(call, np.ufunc):
            return None  # what is no ufunc may read an operand again when it has begun to write
        for value in [arg for arg in node.args if type(arg) is Value and arg in self.given]:
            if len(value.uses) == 1 and (value.type.dtype, value.type.dims) == (
                node.value.type.dtype,
                node.value.type.dims,
            ):
                self.pairs.append((self.given.pop(value), self.kept[node.value]))
                slot = self.slots[value]
                return lambda env, arena, order: env[slot] if isinstance(env[slot], np.ndarray) else None
        return None

    def _call(self, node: Node, link: Link) -> None:
        """A node that is one call, which writes where it is told."""
        sources = [self._source(_leaf(node, operand)) for operand in link.operands]
        self._slot(node.value)
        at, call, target = self.slots[node.value], link.call, self._over(node, link.call) or self._target(node.value)
        shape, elementwise = tuple(node.value.type.dims), not link.whole

        def step(env: Env, params: Mapping[str, Any], arena: Arena) -> None:
            given = [env[s.slot] if s.slot >= 0 else s.constant for s in sources]
            first = given[0]
            order = (
                memory_order(first) if elementwise and isinstance(first, np.ndarray) and first.shape == shape else None
            )
            env[at] = call(*given, out=target(env, arena, order))

        self.steps.append(step)

    def _chain(self, nodes: list[Node], made: list[list[Link]]) -> None:
        self.chained += len(nodes)
        inside, members = {node.value for node in nodes}, set(nodes)
        chain = Chain(tuple(nodes[0].value.type.dims), self.workers, self.fuser)
        targets = []
        hidden = -2
        for node, links_ in zip(nodes, made):
            out = node.value in self.kept or any(user not in members for user in node.value.uses)
            at = self._slot(node.value)
            if out:
                targets.append((at, self._target(node.value), node.value.type.dtype.numpy))
            own: list[int] = []
            for link in links_:
                sources, shapes, kinds, local = [], [], [], []
                for operand in link.operands:
                    leaf = _leaf(node, operand)
                    sources.append(Source(own[operand.link], None) if operand.link >= 0 else self._source(leaf))
                    shapes.append(chain.shape if operand.link >= 0 else _dims(leaf))
                    kinds.append(links_[operand.link].dtype if operand.link >= 0 else _kind(leaf))
                    local.append(operand.link >= 0 or (type(leaf) is Value and leaf in inside))
                last = link is links_[-1]
                own.append(at if last else hidden)
                hidden -= not last
                chain.add(link.call, sources, shapes, kinds, local, own[-1], link.dtype, out and last)
        chain.close()
        shape = chain.shape

        def step(env: Env, params: Mapping[str, Any], arena: Arena) -> None:
            order = chain.order(env)
            for at, target, dtype in targets:
                found = target(env, arena, order)
                env[at] = laid_out(np.empty(math.prod(shape), dtype), shape, order) if found is None else found
            chain.run(env, order)

        self.steps.append(step)

    def _general(self, node: Node) -> None:
        """A node by its kernel, its row or its control row."""
        slots = [self._slot(value) for value in node.values]
        ways = [
            (type(arg) is Value, self._slot(arg) if type(arg) is Value else self._numbered(arg)) for arg in node.args
        ]
        kernel, row = KERNELS.get(node.op.name), RowCall(node, self.backend)
        one = slots[0] if len(slots) == 1 and node.values[0].is_tensor else None

        def step(env: Env, params: Mapping[str, Any], arena: Arena) -> None:
            args = [env[a] if plain else _filled(a, env) for plain, a in ways]
            if one is not None and kernel is not None:
                env[one] = kernel(*args)
            elif one is not None and row.simple:
                env[one] = row(args)
            else:
                for at, x in zip(slots, Interpreter(self.backend, self.program, params).node(node, args, "")):
                    env[at] = x

        self.steps.append(step)

    def _numbered(self, tree: Any) -> Any:
        """A tree of arguments with slots in the place of values; itself where there are none."""
        if not any(type(leaf) is Value for leaf in leaves(tree)):
            return tree
        return tree_map(lambda leaf: _Slot(self._slot(leaf)) if type(leaf) is Value else leaf, tree)


class _Slot:
    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


def _leaf(node: Node, operand: Operand) -> Any:
    return node.args[operand.argument] if operand.argument >= 0 else operand.constant


def _filled(tree: Any, env: Env) -> Any:
    return tree_map(lambda leaf: env[leaf.at] if type(leaf) is _Slot else leaf, tree)


def _gathered(nodes: list[Node], found: Mapping[Node, list[Link] | None]) -> list[Node]:
    """The nodes in an order in which elementwise ones of one shape stand together: what stands among them and takes none of them
    goes before."""
    order: list[Node] = []
    chain: list[Node] = []
    made: set[Value] = set()
    for node in nodes:
        own = found[node]
        simple = own is not None and not any(link.whole for link in own)
        if chain and simple and node.value.type.dims == chain[0].value.type.dims:
            chain.append(node)
            made.update(node.values)
            continue
        if not chain or any(type(leaf) is Value and leaf in made for leaf in leaves(node.args)):
            order += chain
            chain, made = ([node], set(node.values)) if simple else ([], set())
            if simple:
                continue
        order.append(node)
    return order + chain


def _last_uses(nodes: Sequence[Node]) -> dict[Value, int]:
    """The position of the last node that takes each value."""
    found: dict[Value, int] = {}
    for at, node in enumerate(nodes):
        for leaf in leaves(node.args):
            if type(leaf) is Value:
                found[leaf] = at
    return found


def _taken_apart(value: Value) -> bool:
    """Whether every node that takes a value makes memory of its own of it: then that of the value is free behind the last one."""
    return all(not is_output(user) and _apart(user) for user in value.uses)


def _apart(node: Node) -> bool:
    return bool(node.op.traits & Trait.APART)


def _dims(leaf: Any) -> tuple[int, ...]:
    return tuple(leaf.type.dims) if type(leaf) is Value else ()


def _kind(leaf: Any) -> Any:
    """The dtype of a value, the class of a constant."""
    return leaf.type.dtype.numpy if type(leaf) is Value else type(leaf)


def _shape_key(value: Value) -> tuple:
    return value.type.dtype, value.type.size()
