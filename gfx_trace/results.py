"""What a captured function returns, as a tree that a graph can hold, and back as the object that the function made."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Node, Value
from gfx_ir.op import lookup
from gfx_ir.trees import tree_map

from .gated import Gated, gate_of
from .interfaces import Capturing
from .iteration import is_iterator
from .number_rows import rows_kind
from .open_iterables import OpenRange
from .proxy import HostProxy, Proxy, Unusable
from .rows import Lazy, rows_of
from .sequences import OpenList, as_list


def result_tree(tracer: Capturing, result: Any) -> tuple[Any, Callable[[Any], Any] | None]:
    """(tree of Values and constants, how to make the function's own container of it: None where the tree is one already)."""
    kind = type(result)
    if isinstance(result, (Proxy, HostProxy)):
        taken = type(result) is HostProxy and result.taken
        return (tracer.host("tuple", result.value) if taken else result.read()), None
    if kind in (int, float, bool, complex, str, type(None)):
        return result, None
    if type(result) is OpenList:
        return as_list(tracer, result), None
    if isinstance(result, Unusable):
        raise result.error
    if (gated := gate_of(result)) is not None:
        joined = tracer.gates.resolve(gated, lambda side: _plain(side))
        return (_either(tracer, gated), None) if type(joined) is Gated else result_tree(tracer, joined)
    if kind in (list, tuple) and rows_of(result) is not result:
        return _rows_tree(tracer, kind, rows_of(result))
    if tracer.arrays.array_owner(result) is not None:
        return tracer.arrays.array_proxy(result).read(), None
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return _from_items(tracer, _fields(result), _maker_of(result))
    if isinstance(result, dict):
        tracer.effects.sure_of(result)
        return _from_items(tracer, dict(result), None if kind is dict else kind)
    if isinstance(result, (tuple, list)):
        parts = [result_tree(tracer, item) for item in result]
        tree = [p[0] for p in parts]
        named = kind if hasattr(result, "_fields") else None
        rebuild = _rebuilder([p[1] for p in parts], named._make if named else kind)
        return (tree if kind is list else tuple(tree)), rebuild if named or any(p[1] for p in parts) else None
    left = type(result) is OpenRange or is_iterator(result) or isinstance(result, type)
    found = result if left else tracer.unwrap(result)
    if found is not result:
        return found, None
    name = "range" if kind is OpenRange else (result.kind if isinstance(result, Lazy) else kind).__name__
    raise UnsupportedConstruct(
        f"GFX cannot return a {name} from captured code",
        tracer.span(),
        "return tensors, numbers, and tuples, lists or dicts of them",
    )


def _either(tracer: Capturing, gated: Gated) -> Value:
    """What an open host test returns, where its sides differ in structure: one value, which is a whole tree on each side."""
    test, sides = tracer.local(gated.test), []
    for at, name in enumerate(("then", "else")):
        with tracer.region(name) as (graph, captures), tracer.facts.given(test, at == 0):
            tree, rebuild = result_tree(tracer, tracer.gates.imported(gated.test, gated.sides[at]))
            if rebuild is not None or gated.test.is_tensor:
                what = "GFX cannot return containers of different kinds from the sides of this test"
                raise tracer.error(what, "return tuples, lists or dicts of tensors and numbers")
            graph.result = (tree_map(tracer._local, tree),)
        sides.append((graph, captures))
    operands = tracer.outer_operands(sides)
    node = Node(lookup("host_if"), (test, operands), ("any",), tracer.span(), tuple(graph for graph, _ in sides))
    tracer.append(node)
    return node.value


def _rows_tree(tracer: Capturing, kind: type, rows: Proxy) -> tuple[Any, Callable[[Any], Any] | None]:
    """A list or tuple of the rows of one tensor: where these stand for numbers, it holds one for each row."""
    if not rows_kind(rows):
        return tracer.host(kind.__name__, rows.read()), None
    if not isinstance(tracer.host_values.length(rows), int):
        raise tracer.error(
            "GFX cannot return this list: how many numbers it holds is open",
            "give the argument's shape at capture, or append tensors",
        )
    return result_tree(tracer, kind(rows))


def _plain(side: Any) -> Any:
    """A side's container as one that joins by structure."""
    return _fields(side) if dataclasses.is_dataclass(side) and not isinstance(side, type) else side


def _fields(result: Any) -> dict[str, Any]:
    """A dataclass's fields; of a dictionary-like one (a model output) those that are set."""
    if isinstance(result, dict):
        return dict(result.items())
    return {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}


def _maker_of(result: Any) -> Callable[[dict], Any]:
    kind = type(result)
    return lambda items: kind(**items)


def _from_items(tracer: Capturing, items: dict, make: Any) -> tuple[Any, Callable[[Any], Any] | None]:
    parts = {key: result_tree(tracer, item) for key, item in items.items()}
    tree = {key: p[0] for key, p in parts.items()}
    if make is None and not any(p[1] for p in parts.values()):
        return tree, None

    def rebuild(built: dict) -> Any:
        inner = {k: (parts[k][1](v) if parts[k][1] else v) for k, v in built.items()}  # type: ignore[misc]
        return make(inner) if make is not None else inner

    return tree, rebuild


def _rebuilder(parts: list[Any], make: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
    return lambda built: make([p(item) if p else item for p, item in zip(parts, built)])
