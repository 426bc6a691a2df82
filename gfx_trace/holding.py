"""Framework calls without a row: kept in the graph as they are, to be run by the framework that they came from."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType, dtype
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.held import Results, results
from gfx_ir.op import lookup
from gfx_ir.public import Unheld, function_of, name_of
from gfx_ir.rules import building
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

from .aliases import doubt
from .called import called_name
from .missing import stand_in
from .proxy import Proxy

if TYPE_CHECKING:
    from .tracer import Tracer

_PLAIN = (bool, int, float, complex, str, type(None), type(...), DType)
_HOST = frozenset(("int", "float", "bool"))


def hold(tracer: Tracer, f: Any, args: tuple, kwargs: dict, owner: Backend | None = None) -> Any:
    """Keep a call of a framework's function f that has no row as a `holder`; where it cannot be kept, note it as missing."""
    given, named = tracer.unwrap(tuple(args)), tracer.unwrap(dict(kwargs))
    name = called_name(f)
    try:
        owner = owner or _owner(tracer, f)
        target = name = name_of(owner, f)
        _check(given, named)
        made = _decomposed(tracer, owner, function_of(owner, target), given, named)
        if made is not None:
            return made
        found = results(owner, function_of(owner, target), given, named, lambda leaf: _type(tracer, leaf))
    except Unheld as error:
        return stand_in(tracer, name, (args, kwargs), str(error))
    made = tracer.wrap(lookup("holder")(owner.name, target, given, named, found.count), owner)
    _doubt(made, args, kwargs, owner, target)
    return _named(made, found)


def _decomposed(tracer: Tracer, owner: Backend, fn: Any, given: tuple, named: dict) -> Any:
    """What the framework's own tracer makes of a call where all types are known; None where that has calls without a row, too."""
    values = [leaf for leaf in leaves((given, named)) if isinstance(leaf, Value)]
    types = [type_ for value in values if (type_ := _type(tracer, value)) is not None and type_.known]
    if tracer.decomposing or len(types) != len(values):
        return None

    def run(*arrays: Any) -> Any:
        items = iter(arrays)
        fill = lambda leaf: next(items) if isinstance(leaf, Value) else owner.convert(leaf)
        filled, keywords = tree_map(fill, given), tree_map(fill, named)
        return fn(*filled, **keywords)

    before, missing = tracer.graph.last, dict(tracer.missing)
    made, tracer.decomposing = None, True
    with suppress(Exception):  # whatever the framework says, the call is tried once more as a whole
        with building(None):
            replay = owner.stage(run, types)
        made = replay(tracer.call, tracer.array_proxy, [tracer.wrap(value, owner) for value in values])
    tracer.decomposing = False
    if made is not None and tracer.missing == missing and not any(map(_holds_calls, _behind(tracer.graph, before))):
        return made
    tracer.missing = missing
    for node in reversed(list(_behind(tracer.graph, before))):
        tracer.graph.erase(node)
    return None


def _behind(graph: Graph, node: Node | None) -> Iterator[Node]:
    """The nodes of a graph behind this one."""
    following = graph.first if node is None else node.next
    while following is not None:
        yield following
        following = following.next


def _holds_calls(node: Node) -> bool:
    inner = (found.op.name for region in node.regions for found in region.walk())
    return node.op.name == "holder" or "holder" in inner


def _owner(tracer: Tracer, f: Any) -> Backend:
    module = getattr(f, "__module__", None) or getattr(type(f), "__module__", None) or ""
    package = str(module).partition(".")[0]
    return next(backend for backend in tracer.frameworks() if package in backend.packages)


def _check(given: tuple, named: dict) -> None:
    """Raise Unheld for a call that writes to its arguments, or takes what a graph does not hold."""
    if named.get("out") is not None or named.get("inplace"):
        raise Unheld("it writes to its arguments")
    for leaf in leaves((given, named)):
        if isinstance(leaf, Value) and not leaf.is_tensor and leaf.kind not in _HOST:
            raise Unheld(f"it takes an open {leaf.kind}")
        if not isinstance(leaf, (Value, *_PLAIN)):
            raise Unheld(f"it takes a {type(leaf).__name__}, and a graph holds plain data")


def _type(tracer: Tracer, leaf: Any) -> LogicalTensor | None:
    """What is known of an argument that is a tensor."""
    if not isinstance(leaf, Value) or not leaf.is_tensor:
        return None
    if isinstance(leaf.type, LogicalTensor):
        return leaf.type
    data = tracer.params.get(leaf.node.args[0]) if leaf.node.op.name == "parameter" else None
    owner = tracer.array_owner(data) if data is not None else None
    return LogicalTensor() if owner is None else LogicalTensor(dtype(owner.dtype_of(data)), tuple(owner.shape_of(data)))


def _doubt(made: Any, args: tuple, kwargs: dict, owner: Backend, target: str) -> None:
    """What it gives may share memory with what it takes."""
    if owner.views:
        taken = [leaf for leaf in leaves((args, kwargs)) if type(leaf) is Proxy]
        for proxy in leaves(made):
            doubt(proxy, taken, f"GFX does not know whether {target} copies")


def _named(made: Any, found: Results) -> Any:
    """Several results, with their names where they have some."""
    if found.count is None:
        return made
    parts = made if isinstance(made, (tuple, list)) else (made,)
    return namedtuple("Results", found.fields)(*parts) if found.fields else tuple(parts)
