"""Python's numbers where compiled code computes with them, as arrays without axes: what that has an op for, and what it cannot do.

Arrays have no unbounded whole numbers, no doubles unless told, no text while the code is traced, and raise nothing; booleans add
up to a boolean. What hangs on that is refused where it is used.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...control import calls_python, hangs_on_data, is_evaluation, is_for, is_given, is_host, is_loop
from ...dtypes import DType, default, float64, int64
from ...edited import put, put_before, set_arg
from ...graph import Graph, Node, Value
from ...infer.abstract import NUMBERS
from ...infer.facts import Facts
from ...op import Trait, lookup
from ...passes.dce import eliminate_dead
from ...passes.effects import Effects
from ...program import Program
from ...regions import outputs_of
from ...trees import leaves
from ...types import LogicalTensor
from ..style import Style
from .base import Emission, Lowering
from .functions import Make, computed, raised_for
from .precision import check_numbers, is_wide, refused

_ADDING = frozenset("/ // % + - * ** neg pos abs << >> ~".split())
"""Operators that take a boolean of Python's for a whole number."""
_WHOLE = frozenset(("bool", "int"))


class PythonNumbers(Lowering):
    """What only Python computes of numbers is computed by ops on arrays."""

    name = "python_numbers"

    def lower(self, program: Program, emission: Emission) -> None:
        """Put ops on arrays in the place of what only Python has. Raises UnsupportedConstruct where there are none."""
        entry, functions, style, promotion = program.entry, program.functions, emission.style, program.promotion
        graphs = [entry, *functions.values()]
        _drop_in_vain(graphs, program)
        for node in [node for graph in graphs for node in graph.walk() if is_evaluation(node)]:
            _check_instead(node)
        nodes = [node for graph in graphs for node in graph.walk()]
        asks = any(map(_asks, nodes))
        counts = promotion != "jax"  # the numbers of whose loops wrap as those of the source do
        if not asks and not (counts and any(map(_counts, nodes))):
            return
        facts = Facts([entry], functions, promotion)
        facts.find(graphs)  # as the program is now
        check_numbers(graphs, facts, style, counts)
        if not asks:
            return
        for graph in graphs:
            for node in list(graph.walk()):
                _compute(node, facts, style)
        for graph in graphs:
            for node in list(graph.walk()):
                _agree(node, facts)
        for graph in graphs:
            for node in list(graph.walk()):
                _make_arrays(node, facts, style, promotion)


def _drop_in_vain(graphs: list[Graph], program: Program) -> None:
    """Erase what is computed for an error alone that whole numbers of 64 bits never meet: every float is as large."""
    for node in [node for graph in graphs for node in graph.walk()]:
        if is_evaluation(node) and node.args[1] == OverflowError.__name__ and node.graph is not None:
            node.graph.erase(node)
    effects = Effects(program)
    for graph in graphs:
        eliminate_dead(graph, effects.node)


def _check_instead(node: Node) -> None:
    """In the place of a number that is computed for its error alone: a check of what Python raises that for."""
    found = raised_for(partial(put_before, node), node.args[0])
    if found is not None and found[2] == node.args[1] and node.graph is not None:
        node.graph.insert(Node(lookup("check"), found, (), node.span), node)
        node.graph.erase(node)


def _asks(node: Node) -> bool:
    """Whether a node may give a number of Python's: it reads one, or hands on one that is written as such and no array takes."""
    if node.regions:
        held = leaves((node.args, *(region.result for region in node.regions)))
        return any(type(leaf) is bool or is_wide(leaf) for leaf in held)
    return node.op.family == "number" or is_host(node)


def _counts(node: Node) -> bool:
    """Whether a node is a loop on data that carries a whole number of Python's, or counts."""
    if not is_loop(node) or not hangs_on_data(node):
        return False
    return any(type(leaf) is int for leaf in node.arg("init")) or (
        is_for(node) and any(type(over) is tuple for over in node.args[0])
    )


def _compute(node: Node, facts: Facts, style: Style) -> None:
    """Functions of Python's by ops, and operators as these have them."""
    sign, make = node.op.sign, partial(put_before, node)
    if calls_python(node):
        made = None if _complex(node, facts) else computed(make, node.args[0], node.args[1], facts)
        if made is None:
            raise refused(node, style, f"{node.args[0]}()", "which asks for a number of Python's own")
        facts.stands_for(made, node.values[0])
        _replace(node, made)
    elif sign == "**" and _fraction(node, facts):
        node.set_args((node.args[0], float(node.args[1])))
    elif sign in _ADDING and _mixed(node, facts):
        hint = "say which it is: bool(test)"
        raise refused(
            node, style, "this operator", "of what may be a boolean of Python's or a tensor of booleans", hint
        )
    elif sign in _ADDING and _booleans(node, facts):
        node.set_args(tuple([_whole(make, arg, facts) if "bool" in facts.kinds(arg) else arg for arg in node.args]))
        _widen(node)


def _make_arrays(node: Node, facts: Facts, style: Style, promotion: str) -> None:
    """Booleans as such, and all numbers where control flow hands on nothing but tensors."""
    traits = node.op.traits
    if traits & Trait.OF_NUMBERS and node.op.put is not None and _is_row(node, facts):
        _replace(node, node.args[0])
    elif traits & Trait.TRUTH or (traits & Trait.OF_ONE and style.control.of_tensors):
        _replace(node, _as_array(node, partial(put_before, node), facts, promotion))


def _is_row(node: Node, facts: Facts) -> bool:
    """Whether a number is made an array only to be stacked by a loop: it is an array there as it is."""
    region, (value,) = node.graph, node.values
    loop = region.owner if region is not None else None
    if region is None or loop is None or not is_loop(loop) or region is not loop.regions[-1]:
        return False
    x, dtype, *_ = node.args
    truth = isinstance(dtype, DType) and dtype.kind == "b" and facts.is_boolean(x)  # it is read from an array already
    if not (truth or facts.is_number(x)):
        return False
    carried = outputs_of(region.result, len(loop.values))[: len(loop.arg("init"))]
    return list(value.uses) == [region.output] and all(leaf is not value for leaf in carried)


def _complex(node: Node, facts: Facts) -> bool:
    return any("complex" in facts.kinds(arg) and len(facts.kinds(arg)) == 1 for arg in node.args[1])


def _fraction(node: Node, facts: Facts) -> bool:
    """Whether a power of what may be a whole number of Python's is a fraction: arrays of whole numbers have none."""
    base, exponent = node.args
    whole = type(base) is Value and facts.is_number(base) and not facts.kinds(base).isdisjoint(("int", "bool"))
    return whole and type(exponent) is int and exponent < 0


def _mixed(node: Node, facts: Facts) -> bool:
    """Whether an operator takes booleans that may be Python's, which it takes for whole numbers, or may be arrays, which it does not."""
    mixed = [facts.may_be_number(arg) for arg in node.args]
    return all(mixed) and all(map(facts.is_boolean, node.args)) and not all(map(facts.is_number, node.args))


def _booleans(node: Node, facts: Facts) -> bool:
    """Whether an operator takes what may be booleans of Python's, which count as whole numbers, and nothing but such numbers."""
    taken = [facts.kinds(arg) for arg in node.args]
    if all("bool" in found <= NUMBERS for found in taken):
        return True
    truths = any(type(arg) is Value and "bool" in found <= _WHOLE for arg, found in zip(node.args, taken))
    every = all("bool" in found <= _WHOLE for found in taken)
    return truths and (every or all(found <= NUMBERS for found in taken))


def _whole(make: Make, arg: Any, facts: Facts) -> Any:
    """A boolean of Python's as the whole number for which arithmetic takes it; a number that may be one, or a fraction, as that."""
    if not facts.kinds(arg) <= _WHOLE:
        return make("multiply", arg, 1)
    return make("to_int", _truth(make, arg, facts)) if type(arg) is Value else int(arg)


def _agree(node: Node, facts: Facts) -> None:
    """What control flow hands on is of one dtype: booleans, where it may also be whole numbers, are whole numbers. What is
    known when the code is traced stays Python's own."""
    looping = is_loop(node)
    mixed = [value.is_tensor and facts.kinds(value) == _WHOLE for value in node.values]
    if not node.regions or not any(mixed):
        return
    if looping:
        pairs = zip(node.arg("init"), mixed)
        set_arg(node, "init", tuple([_as_whole(partial(put_before, node), *pair, facts) for pair in pairs]))
    for region in node.regions[-1:] if looping else node.regions:
        left = outputs_of(region.result, len(mixed))
        region.result = tuple(
            [_as_whole(partial(put, region, None, span=node.span), *pair, facts) for pair in zip(left, mixed)]
        )


def _as_whole(make: Make, leaf: Any, mixed: bool, facts: Facts) -> Any:
    return _whole(make, leaf, facts) if mixed and "bool" in facts.kinds(leaf) else leaf


def _truth(make: Make, value: Value, facts: Facts) -> Value:
    """The boolean tensor that a boolean of Python's is read from."""
    op = value.node.op
    if not op.traits & Trait.TRUTH:
        return value.node.args[0] if op.traits & Trait.OF_ONE and not op.number else value
    x = value.node.args[0]
    return x if facts.is_boolean(x) else make("not_equal", x, 0)


def _widen(node: Node) -> None:
    known = node.values[0].type
    if isinstance(known, LogicalTensor) and known.dtype is not None and known.dtype.kind == "b":
        node.values[0].type = known.with_(dtype=int64)


def _as_array(node: Node, make: Make, facts: Facts, promotion: str) -> Value:
    """A tensor in the place of a number, for targets whose control flow hands on tensors."""
    op, (x,) = node.op, node.args
    if op.traits & Trait.TRUTH:
        return _truth(make, node.values[0], facts)
    if op.number == "int":
        return make("astype", x, default("i", promotion) if promotion == "jax" else int64)
    element = x.type.dtype if type(x) is Value and isinstance(x.type, LogicalTensor) else None
    whole = facts.kinds(x) <= {"int", "bool"} or facts.is_boolean(x) or (element is not None and element.kind in "biu")
    x = x if whole else make("stop_gradient", x)
    if not op.number:
        return x
    return make("astype", x, default("f", promotion) if promotion == "jax" else float64)


def _replace(node: Node, value: Value) -> None:
    old = node.values[0]
    if value.name is None and not is_given(value.node):
        value.name = old.name
    if value.type is None and value.is_tensor:
        value.type = old.type
    old.replace_by(value)
    assert node.graph is not None
    node.graph.erase(node)
