"""Whether two graphs or programs are the same but for where they stand in memory and where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .graph import Graph, Node, Value
from .program import Program
from .text import same_constant
from .trees import BRANCHES


def equal(a: Graph | Program, b: Graph | Program) -> bool:
    """Whether a and b agree in ops, arguments, order, names, kinds, types, regions, parameters, effects.

    Programs also in guards and signature. Spans, attributes left by passes and the data of parameters do not count.
    """
    return difference(a, b) is None


def difference(a: Graph | Program, b: Graph | Program) -> str | None:
    """The first difference of two graphs or programs, in words; None where they are equal."""
    for what, x, y in _pairs(a, b):
        if not (x == y if type(x) is type(y) and not isinstance(x, float) else same_constant(x, y)):
            return f"{what}: {x!r} against {y!r}"
    return None


def _pairs(a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
    """What must agree, as (what it is, of a, of b)."""
    yield "what they are", type(a).__name__, type(b).__name__
    same: dict[Any, Any] = {}
    if isinstance(a, Program):
        yield "functions", list(a.functions), list(b.functions)
        same.update((a.functions[key], b.functions[key]) for key in a.functions)
        if a.entry in same:
            yield "entry", same[a.entry], b.entry
        same[a.entry] = b.entry
        for x, y in list(same.items()):
            yield from _graphs(x, y, same)
        yield from _heads(a, b, same)
    else:
        same[a] = b
        yield from _graphs(a, b, same)


def _heads(a: Program, b: Program, same: dict[Any, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in ("promotion", "flavour", "level", "writes"):
        yield name, getattr(a, name), getattr(b, name)
    yield "number of guards", len(a.guards), len(b.guards)
    for x, y in zip(a.guards, b.guards):
        yield "guard", (x.kind, x.subject), (y.kind, y.subject)
        yield from _trees(f"guard on {x.subject}", x.value, y.value, same)
    yield "number of arguments", len(a.signature), len(b.signature)
    for p, q in zip(a.signature, b.signature):
        yield "argument", (p.name, p.kind, p.annotation), (q.name, q.kind, q.annotation)
        yield from _trees(f"argument {p.name}", p.tree, q.tree, same)
        yield from _trees(f"default of {p.name}", p.default, q.default, same)


def _graphs(a: Graph, b: Graph, same: dict[Any, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Nodes are compared in order; regions wait on a stack, so depth costs no recursion."""
    stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        yield "name and docstring", (a.name, a.doc), (b.name, b.doc)
        yield f"number of nodes of {a.name}", len(a), len(b)
        yield f"parameters of {a.name}", list(a.parameters), list(b.parameters)
        yield from _values(a.name, a.placeholders, b.placeholders, same)
        yield from _values(a.name, list(a.parameters.values()), list(b.parameters.values()), same)
        nodes: dict[Node | None, Node | None] = {None: None}
        for x, y in zip(a, b):
            nodes[x] = y
            where = f"{x.op.name} in {a.name}"
            yield "op", x.op.name, y.op.name
            yield f"order of effects, {where}", nodes.get(x.after, x), y.after
            yield f"control dependencies, {where}", [nodes.get(z, z) for z in x.waits], list(y.waits)
            yield f"device, {where}", x.device, y.device
            for param, u, v in zip(x.op.params, x.args, y.args):
                yield from _trees(f"{param} of {where}", u, v, same)
            yield f"number of regions, {where}", len(x.regions), len(y.regions)
            stack.extend(zip(x.regions, y.regions))
            yield from _values(where, x.values, y.values, same)
        yield from _trees(f"result of {a.name}", a.result, b.result, same)


def _values(where: str, a: Any, b: Any, same: dict[Any, Any]) -> Iterator[tuple[str, Any, Any]]:
    yield f"number of values, {where}", len(a), len(b)
    for x, y in zip(a, b):
        same[x] = y
        yield f"value of {where}", (x.name or "", x.kind), (y.name or "", y.kind)
        yield from _trees(f"type of {x.name}, {where}", x.type, y.type, same)


def _trees(what: str, a: Any, b: Any, same: dict[Any, Any]) -> Iterator[tuple[str, Any, Any]]:
    kind = type(a)
    yield what, kind.__name__, type(b).__name__
    if kind is slice:
        a, b = (a.start, a.stop, a.step), (b.start, b.stop, b.step)
    elif kind is dict:
        yield what, list(a), list(b)
        a, b = list(a.values()), list(b.values())
    elif kind not in BRANCHES:
        if kind is Value or kind is Graph:
            yield what, same.get(a, a), b  # a callee of a graph on its own stands outside of it
        else:
            yield what, True, same_constant(a, b)
        return
    yield f"length of {what}", len(a), len(b)
    for x, y in zip(a, b):
        yield from _trees(what, x, y, same)
