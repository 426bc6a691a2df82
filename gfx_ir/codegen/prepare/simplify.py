"""Small clean-ups of the printer's copy: outputs of a test that are equal on both sides, or are the test itself."""

from __future__ import annotations

from typing import Any

from ...control import is_data_test, is_for, is_given, is_host, is_loop, is_test
from ...edited import put_before
from ...graph import Graph, Node, Value, values_in
from ...infer.facts import Facts
from ...op import Point, Trait
from ...program import Program
from ...regions import outputs_of
from ..sides import joins, outer
from .base import HANDED, Emission, Lowering, facts_of


def simplify(graph: Graph, functional: bool, facts: Facts) -> None:
    """Replace outputs of tests that need no test, in the graph and its regions, of whose values `facts` tells."""
    for node in list(graph.walk()):
        if node.op.sign in ("!=", "=="):
            _truth(node, facts)
        if node.op.sign == "not":
            _twice(node, facts)
        if node.op.neutral is not None:
            _neutral(node, facts)
        if is_host(node):
            _once(node)
        if is_loop(node):
            _name_carried(node)
        if is_test(node):
            _name_joined(node)
            _knows_its_test(node, functional, facts)
            _same_on_both_sides(node)
            if functional and is_data_test(node):
                _says_the_test(node, facts)
            _drop_outputs(node, facts)


class Simplify(Lowering):
    """Outputs of tests that are equal on both sides, or the test itself, are that."""

    name = "simplify"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Replace outputs of tests that need no test, in the graph and its regions, of whose values `facts` tells."""
        facts = facts_of(graph, program)
        simplify(graph, emission.style.control.higher_order, facts)
        if not emission.backend.numbers:
            for node in list(graph.walk()):
                _point(node, facts)


def _point(node: Node, facts: Facts) -> None:
    """`asarray(x)` and `x[()]` of an array that was made are that, where no number of the framework's own stands for one without axes."""
    again = node.op.traits & Trait.OF_NUMBERS and node.op.put is not None and not any(node.args[1:])
    whole = node.op.point is Point.INDEXED and node.args[1:] == ((),)
    if (again or whole) and facts.is_array(node.args[0]) and not is_given(node.args[0].node) and node.graph is not None:
        node.value.replace_by(node.args[0])
        node.graph.erase(node)


def _truth(node: Node, facts: Facts) -> None:
    """`b != 0` of a boolean is b, `b == 0` is not b."""
    if type(node.args[0]) is not Value or type(node.args[1]) is not int or node.args[1] != 0 or node.graph is None:
        return
    if not facts.is_boolean(node.args[0]):
        return
    if node.op.sign == "!=":
        node.value.replace_by(node.args[0])
    else:
        node.value.replace_by(_opposite(node.args[0], node, node.value.name, facts))
    node.graph.erase(node)


def _twice(node: Node, facts: Facts) -> None:
    """`not not b` of a boolean is b."""
    value = node.args[0]
    if type(value) is Value and value.node.op.sign == "not" and facts.is_boolean(value.node.args[0]):
        node.value.replace_by(value.node.args[0])


def _neutral(node: Node, facts: Facts) -> None:
    """`n + 0` and `n * 1` of whole numbers are n, where n is a new array that nothing else takes."""
    x, *others = node.args
    if type(x) is not Value or node.in_place or others != [node.op.neutral] or type(others[0]) is not int:
        return
    dtype = facts.dtype(x)
    made = x.node.op.control is None and not any(value.is_tensor for value in values_in(x.node.args))
    new = made or x.node.op.traits & Trait.APART
    if new and len(x.uses) == 1 and facts.is_array(x) and dtype is not None and dtype.kind in "iu":
        x.name = node.value.name or x.name
        node.value.replace_by(x)
        assert node.graph is not None
        node.graph.erase(node)


def _once(node: Node) -> None:
    """`1 * n` of a size is n."""
    sign, operands = node.args[:2]
    others = [leaf for leaf in operands if type(leaf) is not int or leaf != 1] if sign == "*" else []
    if len(others) == 1 and len(operands) == 2 and type(others[0]) is Value and others[0].kind == "int":
        node.value.replace_by(others[0])


def _opposite(value: Value, before: Node, name: str | None, facts: Facts) -> Any:
    """`not b` of a boolean as a node before another; the b of a `not b` is there already."""
    if value.node.op.sign == "not" and facts.is_boolean(value.node.args[0]):
        return value.node.args[0]
    made = put_before(before, "logical_not", value)
    made.name = name
    return made


def _knows_its_test(node: Node, functional: bool, facts: Facts) -> None:
    """`b if a else a` gives False where a boolean a fails, `a if a else b` True where it holds. Not where a is a tensor and something
    takes the result for more than a test: the author has that tensor there. Of truths alone a functional target makes arrays."""
    test = node.args[0]
    if type(test) is not Value or not facts.is_boolean(test):
        return
    results = [outputs_of(region.result, len(node.values)) for region in node.regions]
    arrays = functional and all(map(facts.is_boolean, node.values))
    tensor = not arrays and not facts.is_number(test)
    for at, (region, known) in enumerate(zip(node.regions, (True, False))):
        region.result = tuple(
            known if outer(leaf) is test and not (tensor and _is_told(output)) else leaf
            for leaf, output in zip(results[at], node.values)
        )


def _is_told(value: Value) -> bool:
    """Whether anything takes a value as more than a test, so that a tensor is told from a boolean of Python's."""
    seen, left = {value}, [value]
    while left:
        taken = left.pop()
        for user in taken.uses:
            owner = user.graph.owner if user.graph is not None and user is user.graph.output else None
            if owner is not None:
                more = _given_on(owner, user.graph, taken)
            elif user.regions:
                more = _taken_in(user, taken)
            else:
                more = [user.value] if user.op.sign == "not" else [] if user.op.traits & Trait.TRUTH else None
            if more is None:
                return True
            left += [x for x in more if x not in seen]
            seen.update(more)
    return False


def _given_on(owner: Node, region: Any, value: Value) -> list[Value] | None:
    """What a value that a region of a test or loop gives is behind it, and in its next trip; None: something else."""
    if is_test(owner):
        return [x for x, leaf in zip(owner.values, outputs_of(region.result, len(owner.values))) if leaf is value]
    if not is_loop(owner):
        return None
    if region is not owner.regions[-1]:  # the test of a `while`
        return []
    left = outputs_of(region.result, len(owner.values))
    at = [n for n, leaf in enumerate(left) if leaf is value]
    return None if any(n >= len(owner.arg("init")) for n in at) else _carried(owner, at)


def _taken_in(user: Node, value: Value) -> list[Value] | None:
    """What a value that a test or loop takes is inside; None: something else."""
    if is_test(user):
        return [r.placeholders[n] for r in user.regions for n, leaf in enumerate(user.args[1]) if leaf is value]
    if not is_loop(user) or (is_for(user) and value in values_in(user.args[0])):
        return None
    operands = user.arg("operands")
    inside = [
        r.placeholders[len(r.placeholders) - len(operands) + n]
        for r in user.regions
        for n, leaf in enumerate(operands)
        if leaf is value
    ]
    return inside + _carried(user, [n for n, leaf in enumerate(user.arg("init")) if leaf is value])


def _carried(loop: Node, places: list[int]) -> list[Value]:
    """What a loop carries at some places: in its regions, and behind it."""
    items = len(loop.args[0]) if is_for(loop) else 0
    return [x for n in places for x in (loop.values[n], *(r.placeholders[items + n] for r in loop.regions))]


def _name_carried(node: Node) -> None:
    """A carried value has one name: before, in and behind the loop."""
    items = len(node.args[0]) if is_for(node) else 0
    for at, output in enumerate(node.values[: len(node.arg("init"))]):
        phis = [region.placeholders[items + at] for region in node.regions]
        names = [value.name for value in (phis[-1], output, *phis) if value.name]
        chosen = names[0] if names else "done" if at == node.arg("exit") else None
        for value in (output, *phis):
            value.name = value.name or chosen


def _name_joined(node: Node) -> None:
    """What both sides call alike is one variable."""
    for output, *sides in joins(node):
        names = {side.name if type(side) is Value else None for side in sides}
        if output.name is None and len(names) == 1:
            output.name = names.pop()


def _same_on_both_sides(node: Node) -> None:
    for output, then, other in joins(node):
        then, other = outer(then), outer(other)
        if type(then) is Value and then is other and then.node.graph is node.graph:
            output.replace_by(then)


def _says_the_test(node: Node, facts: Facts) -> None:
    test = node.args[0]
    if not facts.is_boolean(test) or type(test) is not Value:
        return
    for output, then, other in joins(node):
        if then is True and other is False:
            output.replace_by(test)
        elif then is False and other is True and node.graph is not None:
            output.replace_by(_opposite(test, node, output.name, facts))


def _drop_outputs(node: Node, facts: Facts) -> None:
    """Replace a test by one without the outputs that nothing takes."""
    kept = [at for at, value in enumerate(node.values) if value.uses]
    graph = node.graph
    if len(kept) == len(node.values) or graph is None or not node.values:
        return
    for region in node.regions:
        results = outputs_of(region.result, len(node.values))
        region.result = tuple(results[at] for at in kept)
    kinds = tuple(node.values[at].kind for at in kept)
    made = Node(node.op, node.args, kinds, node.span, node.regions)
    graph.insert(made, node)
    for at, value in zip(kept, made.values):
        old = node.values[at]
        value.name, value.type = old.name, old.type
        facts.stands_for(value, old)
        old.replace_by(value)
    graph.erase(node)
