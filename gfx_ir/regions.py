"""How nodes hand values to regions and callees and take results back: the layouts that `ops/control.py` describes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .errors import VerifyError
from .graph import Graph
from .source import Span
from .trees import BRANCHES, leaves


def outputs_of(tree: Any, count: int, span: Span | None = None) -> tuple:
    """What a graph with this result gives to the `count` values of the node that holds or calls it.

    An entry of the result for each value (a whole tree for a value of kind "any"), or else a leaf for each.
    """
    if type(tree) in (tuple, list) and len(tree) == count:
        return tuple(tree)
    if count == 1 and (type(tree) not in BRANCHES or type(tree) is dict):
        return (tree,)
    found = tuple(leaves(tree)) if tree is not None or count else ()
    if len(found) != count:
        raise VerifyError(f"a result of {len(found)} values is taken as {count}", span)
    return found


def is_range(item: Any) -> bool:
    """Whether an iterable is written ("range", start, stop, step)."""
    return type(item) is tuple and len(item) == 4 and item[0] == "range"


def join_path(prefix: str, path: str) -> str:
    """The path of a parameter of a callee that is called with `prefix`."""
    return f"{prefix}.{path}" if prefix and path else prefix or path


def with_regions(graphs: Iterable[Graph]) -> list[Graph]:
    """The graphs, and the regions of their nodes at any depth; each once."""
    found = dict.fromkeys(graphs)
    stack = list(found)
    while stack:
        for node in stack.pop():
            for region in node.regions:
                found[region] = None
                stack.append(region)
    return list(found)
