"""Subtrees: a function that every caller gives parameters of one subtree of theirs takes that subtree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from ..control import is_call, is_parameter
from ..graph import Graph, Node, Value
from ..program import Program
from ..regions import with_regions
from ..trees import leaves

Sites = dict[str, list[tuple[str, Node]]]
Path = tuple[Any, ...]
"""The keys that lead to a leaf of a tree."""


def take_subtrees(program: Program) -> None:
    """Let functions take subtrees of parameters in the place of the parameters one by one, callers first."""
    for callee, calls in callers_first(program.entry, program.functions):
        _take(callee, calls)


def callers_first(
    entry: Graph, functions: Mapping[str, Graph], calls: Callable[[Node], bool] = is_call
) -> Iterator[tuple[Graph, list[Node]]]:
    """Functions and the calls of each, behind those in which the calls stand."""
    sites, done = call_sites(entry, functions, calls), {""}
    while ready := [name for name, found in sites.items() if name not in done and done.issuperset(c for c, _ in found)]:
        for name in ready:
            done.add(name)
            yield functions[name], [node for _, node in sites[name]]


def call_sites(entry: Graph, functions: Mapping[str, Graph], calls: Callable[[Node], bool] = is_call) -> Sites:
    """The calls of each function, by the functions that they stand in ("": the entry), but of one that something else names; `calls`:
    which nodes are laid out as calls are."""
    found: Sites = {name: [] for name in functions}
    if not found:
        return found
    for caller, graph in (("", entry), *functions.items()):
        for inner in with_regions((graph,)):
            for node in inner:
                if calls(node):
                    if node.args[0] in found:
                        found[node.args[0]].append((caller, node))
                else:
                    for name in [leaf for leaf in leaves(node.args) if type(leaf) is str and leaf in found]:
                        del found[name]
    return {name: sites for name, sites in found.items() if sites}


def _take(callee: Graph, calls: Sequence[Node]) -> None:
    """Let a function take a subtree, where parts of a tree that it is given are parameters that stand alike in one at every call."""
    places = callee.placeholders
    if callee.parameters or any(node.args[1] or len(node.args[2]) != len(places) for node in calls):
        return
    paths = [[_path(x) for x in node.args[2]] for node in calls]
    parts = [at for at, place in enumerate(places) if not place.node.args[0] and all(row[at] for row in paths)]
    if not parts:
        return
    given = [[row[at] for at in parts] for row in paths]
    found = in_one_subtree(given)
    if found is None:
        return
    inner, prefixes = found
    for at, path in zip(parts, inner):
        places[at].replace_by(callee.add_parameter(".".join(path), places[at].type))
    callee.placeholders = [place for at, place in enumerate(places) if at not in parts]
    for node, row, count in zip(calls, given, prefixes):
        rest = tuple(x for at, x in enumerate(node.args[2]) if at not in parts)
        node.set_args((node.args[0], ".".join(row[0][:count]), rest))


def in_one_subtree(calls: Sequence[Sequence[Path]]) -> tuple[tuple[Path, ...], list[int]] | None:
    """Of the paths of what each call gives, the keys behind those of the subtree that all of them are in, and how many lead to it in
    each call; None where calls give what stands in others."""
    counts = [sum(1 for _ in takewhile(_alike, zip(*(path[:-1] for path in row)))) for row in calls]
    inner = {tuple(path[count:] for path in row) for row, count in zip(calls, counts)}
    return (inner.pop(), counts) if len(inner) == 1 else None


def _path(x: object) -> tuple[str, ...]:
    """The keys of the path of a parameter; none of another value."""
    return tuple(x.node.args[0].split(".")) if type(x) is Value and is_parameter(x.node) else ()


def _alike(keys: tuple) -> bool:
    return len(set(keys)) == 1
