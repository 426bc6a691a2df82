"""The printer's own copy of a program: composites replaced, small callees put in place, runs of calls made loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ...backend import Backend
from ...control import is_given
from ...dtypes import framework_of
from ...graph import Graph, Value
from ...infer.facts import Facts
from ...infer.handed import Handed
from ...passes.promotion import keep_dtypes
from ...program import Parameter, Program
from ..copying import copy_graph, join, outputs_of, substitute
from ..style import Style
from ..unrolling import Unrolling
from .added import add_in_place
from .asked import give_truths
from .booleans import tell_booleans
from .bounded import bound_loops
from .carried import drop_carried
from .composite import Expander
from .filled import fill_lists
from .foreign import check_texts
from .gathered import gather_arguments
from .inline import bottom_up, callees, inline_calls
from .lacking import check_dtypes
from .lists import make_tensors
from .masked import choose_by_masks
from .merge import merge_tests
from .open_dtypes import check_joined_dtypes, check_open_dtypes
from .ordered import keep_order
from .own_gradients import take_out
from .powers import give_powers
from .python_numbers import lower_numbers
from .ranges import count_from_zero
from .reroll import Lists, reroll
from .settled import ask_first
from .shallow import nest_less
from .shared_calls import share_calls
from .simplify import simplify
from .sizes import check_sizes
from .staged import stage_ranges
from .traced import trace_tests
from .unpack import unpack_slices
from .untold import leave_out
from .zipped import stop_at_the_shortest


@dataclass
class Prepared:
    """A program that the printer may change. `keys`: the name of each function's graph; `instances`: the full path of
    the parameters of one call of each function; `lists`: lengths of the numbered lists of the parameter tree."""

    entry: Graph
    functions: dict[str, Graph]
    signature: list[Parameter]
    keys: dict[Graph, str]
    instances: dict[str, str]
    lists: Lists


def prepare(
    program: Program, backend: Backend, style: Style, unrolling: Unrolling, max_trips: int | None = None
) -> Prepared:
    """Copy and rewrite a program for printing; loops that `unrolling` takes stay Python's. A functional target's loops
    that data ends become ones of `max_trips` trips."""
    values: dict[Value, Value] = {}
    entry = copy_graph(program.entry, values)
    signature = [replace(parameter, tree=substitute(parameter.tree, values)) for parameter in program.arguments()]
    functions = {key: copy_graph(graph) for key, graph in program.functions.items()}
    keep_order((entry, *functions.values()))
    take_out(entry, functions, style)
    instances = _instances(entry, functions)
    lists = Lists([*program.params, *_paths(entry, functions, instances)])
    for graph in (entry, *functions.values()):
        check_texts(graph, style, program.promotion)
        if program.flavour != backend.name:
            check_dtypes(graph, backend)
    expander = Expander(backend, functions, program.promotion)
    if style.control.higher_order:
        _hold_arrays(entry, functions, style, program.promotion)
    across = framework_of(program.promotion) != backend.promotion
    handed = Handed(entry, functions, program.promotion, style.of_numbers, across)
    if style.control.higher_order:
        share_calls(entry, functions, handed.facts)
    for graph in bottom_up(entry, functions):
        _cast(graph, graph is entry, backend, program.promotion, handed)
        if style.control.compiled:
            choose_by_masks(graph, handed.facts(graph))
            add_in_place(graph)
        expander.expand(graph)
        make_tensors(graph, style, program.promotion, partial(handed.facts, graph, True))
    expander.check()
    python = program.flavour != backend.name  # the target's own loops are over things of one length
    for graph in bottom_up(entry, functions):
        _control(graph, style, unrolling, max_trips, partial(handed.facts, graph), functions, python)
    if style.control.compiled:
        check_sizes((entry, *functions.values()), style, unrolling)
    _return_expressions(entry, functions)
    inline_calls(entry, functions)
    gather_arguments(entry, functions)
    names = {graph: key for key, graph in functions.items()}
    for graph in bottom_up(entry, functions):
        reroll(graph, partial(_is_list, lists, instances.get(names.get(graph, ""), "")))
    if style.generator:
        for graph in bottom_up(entry, functions):
            _share_generator(graph)
    return Prepared(entry, functions, signature, names, instances, lists)


def _hold_arrays(entry: Graph, functions: Mapping[str, Graph], style: Style, promotion: str) -> None:
    """What tests and loops of a functional target hand on are arrays of one dtype. Raises UnsupportedConstruct where they cannot be."""
    handed = Handed(entry, functions, promotion)
    for graph in (entry, *functions.values()):
        check_open_dtypes(graph, style.name)
        check_joined_dtypes(graph, style.name, partial(handed.facts, graph))
        nest_less(graph)
    lower_numbers(entry, functions, style, promotion)


def _cast(graph: Graph, entry: bool, backend: Backend, promotion: str, handed: Handed) -> None:
    """Put casts where the target has other dtypes, or takes others, than the framework that the program was written for."""
    tell_booleans(graph, handed.facts(graph))
    leave_out(graph, backend, promotion)
    give_powers(graph, backend, promotion, handed.facts(graph))
    keep_dtypes(graph, backend, promotion, handed, entry)


def _control(
    graph: Graph, style: Style, unrolling: Unrolling, max_trips: int | None, facts: Callable[[], Facts],
    functions: Mapping[str, Graph], python: bool,
) -> None:  # fmt: skip
    """Give tests and loops the form in which the target has them. `facts` finds what is known of the values as they are,
    `functions` are those that are called; `python`: loops over several things are Python's, which stop at the shortest."""
    functional = style.control.higher_order
    traced = trace_tests(graph, unrolling, facts()) if functional else set()
    give_truths(graph, facts())
    if functional:
        ask_first(graph, traced)
    merge_tests(graph)
    simplify(graph, functional, facts())
    drop_carried(graph)
    unpack_slices(graph)
    if not functional:
        fill_lists(graph)
        return
    stage_ranges(graph, unrolling, functions)
    stop_at_the_shortest(graph, python)
    count_from_zero(graph)
    if style.control.compiled and bound_loops(graph, max_trips, facts()):
        simplify(graph, functional, facts())


def _is_list(lists: Lists, prefix: str, path: str) -> bool:
    """Whether the parameters at a path are a list, of a function whose first call has this prefix."""
    return lists.length(join(prefix, path)) is not None


def _share_generator(graph: Graph) -> None:
    """Every draw moves the generator on: it is not split."""
    for node in list(graph.walk()):
        if node.op.name in ("split_key", "fold_in") and node.graph is not None:
            for value in node.values:
                value.replace_by(node.args[0])
            node.graph.erase(node)


def _return_expressions(entry: Graph, functions: dict[str, Graph]) -> None:
    """A result that is called as its caller calls it got that name from there: it is returned as an expression."""
    for graph in bottom_up(entry, functions):
        for node in callees(graph):
            result = functions[node.args[0]].result
            if len(node.values) > 1:
                for value, leaf in zip(node.values, outputs_of(result, len(node.values))):
                    value.name = value.name or (leaf.name if type(leaf) is Value else None)
            if type(result) is Value and len(node.values) == 1 and result.name == node.values[0].name:
                if sum(result.uses.values()) == 1 and not is_given(result.node):
                    result.name = None


def _instances(entry: Graph, functions: dict[str, Graph]) -> dict[str, str]:
    """The full path of the first call of each function."""
    found = {"": ""}
    todo = [("", entry)]
    while todo:
        key, graph = todo.pop()
        for node in callees(graph):
            if node.args[0] not in found:
                found[node.args[0]] = join(found[key], node.args[1])
                todo.append((node.args[0], functions[node.args[0]]))
    return found


def _paths(entry: Graph, functions: dict[str, Graph], instances: dict[str, str]) -> Iterator[str]:
    """Full paths of parameters, as far as one instance of each function shows them."""
    for key, prefix in instances.items():
        graph = entry if key == "" else functions[key]
        for path in graph.parameters:
            yield join(prefix, path)
        for node in callees(graph):
            if node.args[1]:
                yield join(prefix, node.args[1])
            for path in functions[node.args[0]].parameters:
                yield join(prefix, node.args[1], path)
