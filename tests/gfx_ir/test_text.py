"""The text form reads back to an equal graph, looks as it should, and refuses what it does not know."""

import textwrap

import pytest
from hypothesis import given, settings

from gfx_ir.dtypes import float32
from gfx_ir.equality import difference, equal
from gfx_ir.errors import FormatError
from gfx_ir.graph import Graph, Node
from gfx_ir.host import Dim
from gfx_ir.op import lookup
from gfx_ir.program import Guard, Parameter, Program
from gfx_ir.source import Span
from gfx_ir.text import to_text
from gfx_ir.textconst import parse_type
from gfx_ir.textparse import parse_text
from gfx_ir.types import LogicalTensor
from linear import assert_linear
from strategies import LOGICAL, graphs, programs
from sweeps import part


@given(graphs())
@settings(max_examples=part(4, 150))
def test_graphs_read_back(graph):
    text = to_text(graph)
    back = parse_text(text)
    assert difference(graph, back) is None, text
    assert to_text(back) == text


@given(programs())
@settings(max_examples=part(4, 100))
def test_programs_read_back(program):
    text = str(program)
    back = parse_text(text)
    assert difference(program, back) is None, text
    assert str(back) == text


@given(LOGICAL)
@settings(max_examples=50)
def test_types_read_back(type_):
    graph = Graph("f")
    graph.result = graph.add_placeholder("x", type=type_)
    assert parse_text(str(graph)).placeholders[0].type == type_


def newton():
    """A graph with a loop, as a capture would make it."""
    graph = Graph("newton", "Square root of 2.")
    x, tol = graph.add_placeholder("x"), graph.add_placeholder("tol", "float")
    test, body = Graph("test"), Graph("body")
    for region in (test, body):
        region.add_placeholder("x", type=LogicalTensor(None, (Dim("B", 1), None)))
        region.add_placeholder("tol", "float")
    error = test.append(Node(lookup("abs"), (test.placeholders[0],), None, Span("/home/ada/newton.py", 4))).value
    error.name = "error"
    test.result = test.append(Node(lookup("greater"), (error, test.placeholders[1]))).value
    squared = body.append(Node(lookup("multiply"), (body.placeholders[0], body.placeholders[0]))).value
    body.result = (squared,)
    loop = graph.append(Node(lookup("while"), ((x,), (tol,), None), ("tensor",), Span("newton.py", 4), (test, body)))
    loop.value.name = "x"
    graph.result = loop.value
    return graph


def test_looks_like_python():
    assert str(newton()) == textwrap.dedent("""\
        B = Dim("B", min=1)

        def newton(x: tensor, tol: float):
            "Square root of 2."
            def test(x: tensor[B, _], tol: float):
                error = abs(x)  # newton.py:4
                _1 = greater(error, tol)
                return _1
            def body(x: tensor[B, _], tol: float):
                _1 = multiply(x, x)
                return (_1,)
            x__1 = while_(test, body, init=(x,), operands=(tol,))  # newton.py:4
            return x__1
        """)
    assert equal(parse_text(str(newton())), newton())


def test_host_values_and_subscripts_look_like_python():
    graph = Graph("f")
    x, n = graph.add_placeholder("x"), graph.add_placeholder("n", "int", Dim("N"))
    more = graph.append(Node(lookup("host"), ("+", (n, -1)))).value
    more.name = "more"
    row = graph.append(Node(lookup("getitem"), (x, (slice(None, more), None, ..., 0)))).value
    row.name = "row"
    graph.result = (row, graph.append(Node(lookup("host"), ("not", (more,)))).value)
    assert str(graph).splitlines()[1:] == [
        "    more = n + (-1)",
        "    row = x[:more, None, ..., 0]",
        "    _1 = not more",
        "    return (row, _1)",
    ]


def test_program_shows_defaults_guards_and_writes():
    graph = Graph("step")
    x, tol = graph.add_placeholder("x"), graph.add_placeholder("tol", "float")
    graph.result = x
    signature = [Parameter("x", x), Parameter("tol", tol, 1e-6, "keyword", "float")]
    program = Program(graph, {}, signature, guards=[Guard("value", "n", 3)], writes=["mean"])
    assert str(program) == textwrap.dedent("""\
        program("torch", "torch", level=0, writes=["mean"])
        guard("value", "n", 3)

        @entry
        def step(x: tensor, *, tol: float = 1e-06):
            return x
        """)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x):\n    y = frobnicate(x)\n    return y", "no op 'frobnicate'"),
        ("def f(x):\n    return y", "'y' is not defined"),
        ("def f(x):\n    y = sin(z)\n    return y", "'z' is not defined"),
        ("def f(x):\n    y = sin(x, 3)\n    return y", "sin takes x"),
        ("def f(x):\n    y = sin()\n    return y", "sin takes x"),
        ("def f(x):\n    y = sum(x, size=3)\n    return y", "no argument 'size'"),
        ("def f(x):\n    y = sin(x)", "does not end with a return"),
        ("def f(x):\n    import os\n    return x", "no statement of a graph"),
        ("def f(x):\n    y = sin(__import__('os'))\n    return y", "no constant"),
        ("def f(x):\n    y = x.data\n    return y", "applies no op"),
        ("def f(x):\n    y = placeholder('z')\n    return y", "never a statement"),
        ("def f(x):\n    y = call(g, '', (x,))\n    return y", "function 'g' is not defined"),
        ("def f(x):\n    y = while_(a, b, init=(x,), operands=())\n    return y", "region 'a' is not defined"),
        ("def f(x):\n    def a(x):\n        return x\n    return x", "region 'a' is used by no statement"),
        ("def f(x: q32[3]):\n    return x", "'q32' is no element type"),
        ("def f(x: f32['3']):\n    return x", "is no size"),
        ("def f(x: number):\n    return x", "is no type of a value"),
        ("def f(x):\n    y = full((1,), opaque('<object>'))\n    return y", "cannot hold"),
        ("def f(x):\n    y = sin(x)\n    y = sin(y)\n    return y", "assigned twice"),
        ("def f(*x):\n    return x", "plain arguments"),
        ("def f(x):\n    return x\nprint('hello')", "no statement of a program"),
        ("def f(x)\n    return x", "no text of a graph"),
        ("", "holds one graph"),
        ("def f(x):\n    return x\ndef g(x):\n    return x", "holds one graph"),
        ("program('torch', 'torch')\ndef f(x):\n    return x", "one @entry"),
        ("program('torch')\n@entry\ndef f(x):\n    return x", "the head of a program"),
        ("program('torch', 'torch')\nguard('magic', 'x', 3)\n@entry\ndef f(x):\n    return x", "no guard of kind"),
        ("def f(x):\n    y = " + "(" * 300 + "x" + ")" * 300 + "\n    return y", "no text of a graph"),
    ],
)  # fmt: skip
def test_refuses_what_is_no_graph(text, message):
    with pytest.raises(FormatError, match=message):
        parse_text(text)


def test_errors_name_the_line():
    with pytest.raises(FormatError, match=r"<text>:3"):
        parse_text("def f(x):\n    y = sin(x)\n    z = frobnicate(y)\n    return z")


def test_what_text_cannot_hold_is_printed_and_refused():
    graph = Graph("f")
    graph.result = graph.append(Node(lookup("full"), ((1,), object(), None, None))).value
    assert "opaque(" in str(graph)
    with pytest.raises(FormatError, match="cannot hold"):
        parse_text(str(graph))


def test_types_are_read_alone():
    assert parse_type("weak_f32[3, 2*B, _]") == LogicalTensor(float32, (3, Dim("B") * 2, None), weak=True)
    with pytest.raises(FormatError):
        parse_type("f32[")


def test_difference_names_what_differs():
    one, other = newton(), newton()
    other.last.values[0].name = "y"
    assert "value of while in newton" in difference(one, other)
    other = newton()
    other.result = 3.0
    assert "result of newton" in difference(one, other)
    assert not equal(one, other)


@pytest.mark.parametrize(("a", "b"), [(1, 1.0), (1, True), (0.0, -0.0), ((1,), [1]), (float("nan"), 0.0), ("1", 1)])
def test_constants_that_python_calls_equal_differ(a, b):
    one, other = Graph("f"), Graph("f")
    one.result, other.result = a, b
    assert not equal(one, other) and equal(one, one)


def chain(length):
    graph = Graph("chain")
    value = graph.add_placeholder("x")
    for _ in range(length):
        value = graph.append(Node(lookup("add"), (value, 1.0))).value
        value.name = "x"
    graph.result = value
    return graph


def test_cost_is_linear():
    def prepare(length):
        graph = chain(length)
        return lambda: equal(parse_text(str(graph)), graph)

    assert_linear(prepare)
