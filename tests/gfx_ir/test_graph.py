"""Graphs: the list, the chains of uses, nodes bound late, typed attributes, and the rules of an op as methods of a node."""

import numpy as np
import pytest

from gfx_ir import ops
from gfx_ir.attributes import Attribute
from gfx_ir.build import Builder, host
from gfx_ir.codegen import emit
from gfx_ir.copies import copy_graph, copy_program
from gfx_ir.dtypes import float32, int64
from gfx_ir.equality import difference
from gfx_ir.errors import ShapeError, VerifyError
from gfx_ir.graph import UNBOUND, Graph, Input, Node, Output
from gfx_ir.host import Dim
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.plan import steps as steps_of
from gfx_ir.program import Program
from gfx_ir.rules import OPEN, building
from gfx_ir.source import Scope, Span
from gfx_ir.types import LogicalTensor
from gfx_ir.verify import verify
from linear import assert_linear, steps


def node(name, *args):
    return Node(lookup(name), lookup(name).bind(*args))


@pytest.fixture
def graph():
    """y = sin(x); z = add(y, y)."""
    graph = Graph("f")
    x = graph.add_placeholder("x", type=LogicalTensor(float32, (2, Dim("B"))))
    y = graph.append(node("sin", x)).value
    graph.result = graph.append(node("add", y, y)).value
    return graph


# ---------------------------------------------------------------------- a node and those around it
def test_neighbours_names_and_notes(graph):
    first, last = graph
    first.value.name = "y"
    assert (first.name, last.name) == ("y", "add")
    assert first.users == [last] and last.users == [graph.output]
    assert last.input_nodes == [first] and first.input_nodes == [graph.placeholders[0].node]
    first.meta["seen"] = 1
    twin = next(iter(copy_graph(graph)))
    twin.meta["seen"] += 1
    assert first.meta == {"seen": 1} and twin.meta == {"seen": 2} and last.meta == {}


# ---------------------------------------------------------------------- the list
def test_insert_and_erase_keep_order_and_count(graph):
    first, last = graph
    between = graph.insert(node("cos", first.value), last)
    front = graph.insert(node("abs", graph.placeholders[0]), first)
    end = graph.append(node("exp", last.value))
    assert list(graph) == [front, first, between, last, end] and len(graph) == 5
    assert (graph.first, graph.last, between.prev, between.next) == (front, end, first, last)
    for gone in (front, between, end):
        graph.erase(gone)
    assert list(graph) == [first, last] and len(graph) == 2
    assert end.graph is None and (graph.first, graph.last) == (first, last)
    verify(graph)


def test_erase_refuses_what_is_used(graph):
    first, last = graph
    with pytest.raises(VerifyError, match="still used by <Node add>"):
        graph.erase(first)
    with pytest.raises(VerifyError, match="output"):
        graph.erase(last)
    with pytest.raises(VerifyError, match="does not stand in graph 'g'"):
        Graph("g").detach(first)
    with pytest.raises(VerifyError, match="already stands"):
        graph.append(first)


def test_nodes_are_released_to_stand_elsewhere(graph):
    result, before = graph.result, list(graph)
    released = graph.release_nodes()
    assert released == before and not list(graph) and graph.result is None and not released[0].value.uses
    for step in released:
        graph.append(step)
    graph.result = result
    verify(graph)


def test_the_list_may_change_while_it_is_walked(graph):
    for step in graph:
        if step.op.name == "sin":
            made = graph.insert(node("cos", *step.args), step)
            step.value.replace_by(made.value)
            graph.erase(step)
    assert [n.op.name for n in graph] == ["cos", "add"]


def test_insert_and_erase_cost_the_same_in_long_lists():
    def prepare(length):
        graph = Graph()
        x = graph.add_placeholder("x")
        marks = [graph.append(node("sin", x)) for _ in range(length)]
        return lambda: [graph.erase(graph.insert(node("cos", x), mark)) for mark in marks[:200]]

    assert steps(prepare(4000)) == steps(prepare(200))


def test_walk_enters_regions(graph):
    region = Graph("then")
    region.result = (region.append(node("cos", region.add_placeholder("x"))).value,)
    other = Graph("else")
    other.result = (other.add_placeholder("x"),)
    x = graph.placeholders[0]
    graph.append(Node(lookup("cond"), (x, (x,)), ("tensor",), None, (region, other)))
    assert [n.op.name for n in graph.walk()] == ["sin", "add", "cond", "cos"]
    assert region.owner is graph.last


# ---------------------------------------------------------------------- uses
def test_uses_count_every_occurrence(graph):
    first, last = graph
    assert first.value.uses == {last: 2}
    assert last.value.uses == {graph.output: 1}
    assert first.value.users() == [last]
    assert graph.placeholders[0].uses == {first: 1}


def test_uses_within_trees(graph):
    x = graph.placeholders[0]
    taken = graph.append(node("full", (x, [2, {"k": x}]), slice(None, x), None))
    assert x.uses[taken] == 3
    graph.erase(taken)
    assert taken not in x.uses


def test_replace_by_a_value_or_a_constant(graph):
    first, last = graph
    first.value.replace_by(graph.placeholders[0])
    assert last.args == (graph.placeholders[0],) * 2 and not first.value.uses
    graph.erase(first)
    graph.placeholders[0].replace_by(3.0)
    assert last.args == (3.0, 3.0)
    verify(graph)


def test_setting_the_result_moves_the_use(graph):
    first, last = graph
    graph.result = {"y": first.value, "n": 3}
    assert not last.value.uses and first.value.uses[graph.output] == 1
    assert graph.outputs() == [first.value, 3]


def test_ends_of_edges(graph):
    first, last = graph
    assert last.inputs == [Input(last, 0, first.value), Input(last, 1, first.value)]
    assert first.outputs == [Output(first, 0, None), Output(first, 1, first.value)]
    assert first.outputs[1].users() == last.inputs
    last.inputs[1].bind(graph.placeholders[0])
    assert last.args == (first.value, graph.placeholders[0]) and first.value.uses == {last: 1}
    verify(graph)


def test_signal_orders_effects(graph):
    x = graph.placeholders[0]
    with building(Builder(graph)):
        ops.print((x,))
        ops.check(x, "positive", "ValueError")
    say, check = list(graph)[-2:]
    assert say.after is None and check.after is say
    assert [end.node for end in say.outputs[0].users()] == [check]


def test_nodes_are_bound_later():
    assert Node(lookup("sum")).args == (UNBOUND, None, None, False)
    parts = Node(lookup("split"))  # how many values it has is told by what it takes
    assert parts.values == ()
    parts.set_args((2.0, (1, 2), 0))
    assert [value.index for value in parts.values] == [1, 2, 3][: len(parts.values)] and parts.values
    made = Node(lookup("add"), (UNBOUND, 2.0))
    assert [end.value for end in made.inputs] == [UNBOUND]
    assert made.eval(3.0) == 5.0
    with pytest.raises(ShapeError, match="add takes 1 values here, and 0 are given"):
        made.eval()
    graph = Graph("f")
    x = graph.add_placeholder("x")
    graph.result = graph.append(made).value
    with pytest.raises(VerifyError, match="an input is not bound"):
        verify(graph)
    for use in (lambda: emit(Program(graph), backend("torch")), lambda: steps_of(graph)):
        with pytest.raises(VerifyError, match="an input of add is not bound"):
            use()
    made.inputs[0].bind(x)
    assert made.args == (x, 2.0) and x.uses == {made: 1}
    verify(graph)


def test_parameters_are_made_once(graph):
    w = graph.add_parameter("blocks.0.w")
    assert graph.add_parameter("blocks.0.w") is w and w.name == "w" and list(graph.parameters) == ["blocks.0.w"]


# ---------------------------------------------------------------------- attributes
def test_attributes_are_typed(graph):
    key, other = Attribute("order", int), Attribute("order", str)
    assert not graph.has(key)
    with pytest.raises(KeyError):
        graph.get(key)
    graph.set(key, 3)
    assert graph.has(key) and graph.get(key) == 3 and not graph.has(other)
    with pytest.raises(TypeError, match="'order' is a int, not a str"):
        graph.set(key, "three")


# ---------------------------------------------------------------------- rules as methods
def test_eval_takes_and_gives_host_values(graph):
    x = np.array([[0.0, 1.0]], np.float32)
    np.testing.assert_allclose(graph.first.eval(x), np.sin(x))
    np.testing.assert_array_equal(graph.last.eval(x, x), x + x)


def test_shapes_bytes_operations_and_forward(graph):
    first, last = graph
    type_ = LogicalTensor(float32, (2, Dim("B")))
    assert first.infer_output_shape() == (type_,) and first.value.type is None
    assert first.forward() == (first.value,) and first.value.type == type_
    last.forward()
    assert last.memory_estimate() == Dim("B") * 8
    assert last.compute_estimate() == Dim("B") * 2


def test_estimates_of_unknown_shapes_are_unknown():
    graph = Graph()
    made = graph.append(node("sin", graph.add_placeholder("x")))
    made.forward()
    assert made.memory_estimate() is None and made.compute_estimate() is None


def test_a_shape_error_names_op_types_and_line(graph):
    y = graph.add_placeholder("y", type=LogicalTensor(float32, (3, 1)))
    bad = graph.append(Node(lookup("add"), (graph.placeholders[0], y), None, Span("user.py", 7, "f")))
    with pytest.raises(ShapeError, match=r"add: .*f32\[2, B\], f32\[3, 1\].*\[user.py:7 in f\]"):
        bad.infer_output_shape()


# ---------------------------------------------------------------------- builder
def test_builder_adds_nodes_and_captures():
    graph = Graph("f")
    x = graph.add_placeholder("x")
    builder = Builder(graph)
    with building(builder):
        y = ops.add(x, 1)
        with builder.region("outer") as outer:
            with builder.region("inner") as inner:
                inner[0].result = ops.multiply(y, x)
            assert builder.outer_operands([inner]) == tuple(outer[0].placeholders)
        assert builder.outer_operands([outer]) == (y, x)
    assert [p.kind for p in inner[0].placeholders] == ["tensor", "tensor"]
    assert inner[0].placeholders[1].name == "x"
    with pytest.raises(VerifyError, match="belongs to another capture"), building(Builder(Graph())):
        ops.sin(x)


def test_host_operators_fold_or_record():
    graph = Graph("f")
    n = graph.add_placeholder("n", "int")
    with building(Builder(graph)):
        assert host("+", 2, 3) == 5
        more = host("+", n, 3)
    assert more.kind == "int" and graph.last.args == ("+", (n, 3))
    n.type = Dim("N")
    assert graph.last.forward()[0].type == Dim("N") + 3
    n.type = None
    assert graph.last.infer_output_shape() == (OPEN,)


# ---------------------------------------------------------------------- copies
def test_copies_share_nothing(graph):
    copy = copy_graph(graph)
    assert difference(graph, copy) is None
    copy.first.value.replace_by(copy.placeholders[0])
    assert list(graph)[1].args[0] is graph.first.value
    verify(copy)
    callee = copy_graph(graph)
    entry = Graph("main")
    entry.result = entry.append(Node(lookup("call"), (callee, "", (entry.add_placeholder("x"),)), ("tensor",))).value
    program = Program(entry, {"f": callee})
    other = copy_program(program)
    assert difference(program, other) is None
    assert other.entry.first.args[0] is other.functions["f"] is not callee


# ---------------------------------------------------------------------- places
def test_spans_find_lines_and_callers():
    def f(x):
        y = x + 1
        return y

    scope = Scope("f")
    lines = {scope.span(f.__code__, at).line for at in range(0, len(f.__code__.co_code), 2)}
    first = f.__code__.co_firstlineno
    assert {first + 1, first + 2} <= lines
    assert scope.span(f.__code__, 2) is scope.span(f.__code__, 2)
    inner = Scope("g", "function", parent=scope, site=Span(__file__, first, "outer", scope))
    span = Span(__file__, first + 1, "f", inner)
    assert span.text == "y = x + 1" and span.trace()[1].endswith("def f(x):")


def test_looking_up_lines_is_linear():
    def prepare(length):
        source = "def f(x):\n" + "".join(f"    x = x + {at}\n" for at in range(length)) + "    return x\n"
        space = {}
        exec(compile(source, "<long>", "exec"), space)
        code = space["f"].__code__
        places = range(0, len(code.co_code), 8)

        def run():
            scope = Scope("f")
            assert max(scope.span(code, at).line for at in places) > length

        return run

    assert_linear(prepare)


def test_types_of_arguments_are_int64():
    graph = Graph()
    made = graph.append(node("argmax", graph.add_placeholder("x", type=LogicalTensor(float32, (3,)))))
    assert made.forward()[0].type == LogicalTensor(int64, ())
