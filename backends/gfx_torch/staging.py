"""What PyTorch's own tracer makes of a function: a graph of calls of ATen, whose overloads have lifts (see `aten`)."""

from __future__ import annotations

import functools
import logging
import operator
import threading
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.fx.experimental import proxy_tensor

from gfx_ir.errors import MissingOp
from gfx_ir.making import Making, Replayed

Lifted = Callable[[Any], Any]
Maker = Callable[[Iterator[Any]], Any]
_PLACES = ("device", "layout", "pin_memory")


def stage(fn: Callable[..., Any], types: Sequence[tuple[tuple[int, ...], Any]], lifted: Lifted) -> Replayed:
    """The ATen calls of fn on tensors of these shapes and dtypes, as what makes them again.

    What `lifted` has no lift for is taken apart as `torch.export.default_decompositions` says. Raises MissingOp for what is left then,
    and what PyTorch raises where the function asks a tensor for its data."""
    makers: list[Maker] = []

    def recorded(*tensors: Any) -> list[Any]:
        found: list[Any] = []
        makers[:] = [_maker(fn(*tensors), found)]
        return found

    rules = {op: rule for op, rule in _decompositions().items() if lifted(op) is None}
    with torch.random.fork_rng(devices=[]), torch.no_grad(), warnings.catch_warnings(), _quiet():
        warnings.simplefilter("ignore")
        given = [torch.empty(dims, dtype=dtype) for dims, dtype in types]  # memory that nothing touches
        module = proxy_tensor.make_fx(recorded, rules, "fake")(*given)
    nodes = _live(module.graph)
    for node in nodes:
        if node.op == "call_function" and node.target is not operator.getitem and lifted(node.target) is None:
            raise MissingOp(f"GFX has no row for ATen's {node.target}, which the function comes to")

    def replay(making: Making, values: Sequence[Any]) -> Any:
        return makers[0](iter(_replayed(module, nodes, making, values)))

    return replay


class _OtherThreads(logging.Filter):
    """Lets through what other threads than the one that made it log."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = threading.get_ident()

    def filter(self, record: logging.LogRecord) -> bool:
        return record.thread != self.thread


@contextmanager
def _quiet() -> Iterator[None]:
    """Inside, PyTorch does not log what it raises besides."""
    log, others = logging.getLogger(proxy_tensor.FakeTensorMode.__module__), _OtherThreads()
    log.addFilter(others)
    try:
        yield
    finally:
        log.removeFilter(others)


@functools.cache
def _decompositions() -> dict[Any, Any]:
    return dict(torch.export.default_decompositions().items())


def _maker(out: Any, found: list[Any]) -> Maker:
    """What makes a result again of new tensors; `found` gets its own, in their order."""
    if isinstance(out, torch.Tensor):
        found.append(out)
        return next
    if isinstance(out, dict):
        items = {key: _maker(item, found) for key, item in out.items()}
        return lambda new: {key: make(new) for key, make in items.items()}
    if not isinstance(out, (tuple, list)):
        return lambda new: out
    makers = [_maker(item, found) for item in out]
    names: Any = getattr(out, "_fields", None) or getattr(out, "__match_args__", ())  # of those that torch returns
    kind = namedtuple("Results", names) if names else type(out)  # type: ignore[misc]
    return lambda new: kind(*made) if (made := [make(new) for make in makers]) and names else kind(made)


def _live(graph: Any) -> list[Any]:
    """The nodes that something reads, and those that write."""
    needed: set[Any] = set()
    kept = []
    for node in reversed(graph.nodes):
        if node.op in ("placeholder", "output") or node in needed or _writes(node):
            kept.append(node)
            needed.update(node.all_input_nodes)
    return kept[::-1]


def _writes(node: Any) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.is_mutable


def _replayed(module: Any, nodes: Sequence[Any], making: Making, values: Sequence[Any]) -> Sequence[Any]:
    """The results of a graph, its calls made again; what it makes stands where the first argument stands."""
    env: dict[Any, Any] = {}
    given = iter(values)
    places = {"device": values[0].device} if values else {}
    read = lambda argument: torch.fx.node.map_arg(argument, env.__getitem__)
    for node in nodes:
        if node.op == "placeholder":
            env[node] = next(given)
        elif node.op == "get_attr":
            env[node] = making.constant(getattr(module, node.target))
        elif node.op == "output":
            return read(node.args[0])
        elif node.target is operator.getitem:
            env[node] = read(node.args[0])[node.args[1]]
        else:
            named = {key: item for key, item in read(node.kwargs).items() if key not in _PLACES}
            if "device" in node.kwargs:
                named |= places
            env[node] = making.call(node.target, read(node.args), named)
    raise AssertionError("a graph of torch.fx ends with its output")
