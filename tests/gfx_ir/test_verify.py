"""The verifier passes what is whole, and names what is broken."""

import re

import pytest
from hypothesis import given, settings

from gfx_ir.dtypes import float32
from gfx_ir.errors import VerifyError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import lookup
from gfx_ir.program import Parameter, Program
from gfx_ir.source import Span
from gfx_ir.verify import verify
from linear import assert_linear
from strategies import programs
from sweeps import part


@given(programs())
@settings(max_examples=part(3, 60))
def test_random_programs_are_whole(program):
    verify(program)
    for graph in (program.entry, *program.functions.values()):
        verify(graph)


def node(name, *args, kinds=None, regions=(), line=3):
    return Node(lookup(name), args, kinds, Span("user.py", line, "f"), regions)


def whole():
    """A graph with a straight line, an effect and a loop."""
    graph = Graph("f")
    x = graph.add_placeholder("x")
    y = graph.append(node("sin", x)).value
    y.name = "y"
    graph.append(node("print", (y,), "\n", "stdout", kinds=()))
    test, body = Graph("test"), Graph("body")
    for region in (test, body):
        region.add_placeholder("x")
        region.add_placeholder("y")
    test.result = test.append(node("greater", test.placeholders[0], 1.0)).value
    body.result = (body.append(node("multiply", body.placeholders[0], 0.5)).value,)
    loop = graph.append(node("while", (x,), (y,), None, kinds=("tensor",), regions=(test, body)))
    graph.result = (loop.value, y)
    return graph


def test_a_whole_graph_passes():
    verify(whole())


def of(graph, name):
    return next(n for n in graph.walk() if n.op.name == name)


def use_before_definition(graph):
    sin = graph.first
    graph.detach(sin)
    graph.append(sin)


def value_of_another_graph(graph):
    of(graph, "multiply").set_args((graph.placeholders[0], 2.0))


def value_of_no_graph(graph):
    of(graph, "print").set_args(((node("sin", 1.0).value,), "\n", "stdout"))


def uses_missing(graph):
    graph.placeholders[0].uses.clear()


def uses_too_many(graph):
    sin = of(graph, "sin")
    sin.value.uses[sin] = 1


def list_broken(graph):
    graph.last.prev = None


def count_wrong(graph):
    graph.count += 1


def foreign_node(graph):
    graph.first.next.graph = Graph("g")


def too_few_arguments(graph):
    graph.first.args = ()
    graph.placeholders[0].uses.pop(graph.first)


def region_takes_too_much(graph):
    of(graph, "while").regions[1].add_placeholder("z")


def region_gives_too_much(graph):
    region = of(graph, "while").regions[1]
    region.result = (*region.result, region.placeholders[1])


def test_gives_a_tuple(graph):
    region = of(graph, "while").regions[0]
    region.result = (region.result,)


test_gives_a_tuple.__test__ = False


def region_shared(graph):
    loop = of(graph, "while")
    loop.regions = (loop.regions[0], loop.regions[0])


def region_of_another(graph):
    of(graph, "while").regions[0].owner = graph.first


def region_missing(graph):
    loop = of(graph, "while")
    loop.regions = loop.regions[:1]


def exit_outside(graph):
    loop = of(graph, "while")
    loop.set_args((*loop.args[:2], 1))


def after_a_later_node(graph):
    of(graph, "print").after = graph.last


def after_no_effect(graph):
    of(graph, "print").after = graph.first


def bad_name(graph):
    graph.first.value.name = "x y"


def bad_kind(graph):
    graph.first.value.kind = "number"


def too_many_values(graph):
    sin = graph.first
    sin.values = (*sin.values, Value(sin, 2, "tensor"))


def wrong_kind(graph):
    graph.first.value.kind = "int"


def unknown_operator(graph):
    graph.append(Node(lookup("host"), ("__import__", ("os",)), ("any",)))


def text_that_is_code(graph):
    graph.append(Node(lookup("finfo"), (float32, "eps if exit() else 0")))


def error_that_is_code(graph):
    graph.append(Node(lookup("check"), (True, "f'{1}'", "exit()"), ()))


def error_that_is_no_name(graph):
    graph.append(node("check", True, "m", 7, kinds=()))


def range_without_a_step(graph):
    body = Graph("body")
    for name in ("i", "x"):
        body.add_placeholder(name)
    body.result = (body.placeholders[1],)
    items = (("range", 0, 3, 0),)
    graph.append(node("host_for", items, graph.outputs()[:1], (), None, kinds=("tensor",), regions=(body,)))


def placeholder_in_the_list(graph):
    graph.append(Node(lookup("placeholder"), ("z",)))


def parameter_under_another_path(graph):
    graph.add_parameter("w")
    graph.parameters["v"] = graph.parameters.pop("w")


@pytest.mark.parametrize(
    ("breaks", "message"),
    [
        (use_before_definition, "before that is defined"),
        (value_of_another_graph, "belongs to graph 'f'.*regions are closed"),
        (value_of_no_graph, "belongs to no graph"),
        (uses_missing, "the uses of"),
        (uses_too_many, "the uses of"),
        (list_broken, "linked back"),
        (count_wrong, "holds 3 nodes and not 4"),
        (foreign_node, "does not belong to"),
        (too_few_arguments, "0 arguments for x"),
        (region_takes_too_much, "3 placeholders for 2"),
        (region_gives_too_much, "tuple of 1 results"),
        (test_gives_a_tuple, "one truth value"),
        (region_shared, "placeholders|results|truth"),
        (region_of_another, "belongs to <Node sin>"),
        (region_missing, "1 regions, and its op 2"),
        (exit_outside, "exit is the position"),
        (after_a_later_node, "no effect before it"),
        (after_no_effect, "no effect before it"),
        (bad_name, "'x y' is no name"),
        (bad_kind, "no kind 'number'"),
        (too_many_values, "2 values, and its op gives 1"),
        (wrong_kind, "of kind 'int', and its op gives 'tensor'"),
        (unknown_operator, "no operator '__import__'"),
        (text_that_is_code, "its field cannot be the text"),
        (error_that_is_code, "its error cannot be the text"),
        (error_that_is_no_name, "its error is (a text|the name of an exception)"),
        (range_without_a_step, "the step of a range is not 0"),
        (placeholder_in_the_list, "stand outside"),
        (parameter_under_another_path, "under the path 'v'"),
    ],
)
def test_a_broken_graph_is_named(breaks, message):
    graph = whole()
    breaks(graph)
    with pytest.raises(VerifyError) as caught:
        verify(graph)

    assert re.search(message, str(caught.value), re.DOTALL), caught.value


def test_an_error_names_node_op_and_line():
    graph = whole()
    graph.first.value.kind = "int"
    with pytest.raises(VerifyError, match=r"node 'y' \(sin\) of graph 'f'.*\[user.py:3 in f\]"):
        verify(graph)


# ---------------------------------------------------------------------- programs
def calling(name, callee="g", prefix="", parameter=None):
    graph = Graph(name)
    x = graph.add_placeholder("x")
    graph.result = (
        graph.append(node("call", callee, prefix, (x,), kinds=("tensor",))).value if callee is not None else x
    )
    if parameter:
        graph.add_parameter(parameter)
    return graph


def test_calls_are_checked():
    verify(Program(calling("f"), {"g": calling("g", None)}))
    with pytest.raises(VerifyError, match="no function 'h'"):
        verify(Program(calling("f", "h"), {"g": calling("g", None)}))
    with pytest.raises(VerifyError, match="'g' takes 2 arguments, not 1"):
        two = calling("g", None)
        two.add_placeholder("y")
        verify(Program(calling("f"), {"g": two}))
    with pytest.raises(VerifyError, match="no function"):
        verify(Program(calling("f", calling("g", None)), {}))


def test_calls_in_a_circle_are_refused():
    with pytest.raises(VerifyError, match="'g' calls itself"):
        verify(Program(calling("f"), {"g": calling("g", "h"), "h": calling("h", "g")}))


def test_params_are_looked_up_under_their_prefix():
    functions = {"g": calling("g", "h", "inner"), "h": calling("h", None, parameter="w")}
    program = Program(calling("f", "g", "blocks.0"), functions, params={"blocks.0.inner.w": 1})
    verify(program)
    program.params = {"inner.w": 1}
    with pytest.raises(VerifyError, match=r"parameter 'blocks\.0\.inner\.w', which the program lacks"):
        verify(program)
    program.params = {}
    verify(program)


def test_the_signature_holds_the_placeholders_of_the_entry():
    entry = calling("f", None)
    x = entry.placeholders[0]
    verify(Program(entry, signature=[Parameter("x", {"a": x, "n": 3})]))
    with pytest.raises(VerifyError, match="held twice"):
        verify(Program(entry, signature=[Parameter("x", x), Parameter("y", x)]))
    with pytest.raises(VerifyError, match="stands in no argument"):
        verify(Program(entry, signature=[Parameter("n", 3)]))
    entry.add_placeholder("key", "key")
    verify(Program(entry, signature=[Parameter("x", x)]))


def test_cost_is_linear():
    def prepare(length):
        graph = Graph()
        value = graph.add_placeholder("x")
        for _ in range(length):
            value = graph.append(node("add", value, value)).value
        graph.result = value
        return lambda: verify(graph)

    assert_linear(prepare)


@pytest.mark.parametrize(
    ("op", "args", "what"),
    [
        ("sum", (None, 7), "its dtype is a dtype, and not 7"),
        ("sum", (0.5,), "its axis is made of whole numbers, and not 0.5"),
        ("sum", ((0, "rows"),), "its axis is made of whole numbers, and not 'rows'"),
        ("sum", (0, None, "yes"), "its keepdims is True or False, and not 'yes'"),
        ("astype", (True,), "its dtype is a dtype, and not True"),
        ("reshape", ((2, 1.5),), "its shape is made of whole numbers, and not 1.5"),
        ("softmax", (float32,), "its axis is made of whole numbers"),
    ],
)
def test_static_arguments_are_of_their_kind(op, args, what):
    graph = Graph("f")
    graph.append(node(op, *lookup(op).bind(graph.add_placeholder("x"), *args)))
    with pytest.raises(VerifyError, match=re.escape(what)):
        verify(graph)
