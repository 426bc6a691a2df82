"""Costs: formulas of single ops, totals over calls and regions, what is unknown."""

import pytest

from gfx_ir import ops
from gfx_ir.build import Builder
from gfx_ir.cost import compute_estimate, estimate, estimates, memory_estimate
from gfx_ir.dtypes import float32
from gfx_ir.errors import GfxError, ShapeError
from gfx_ir.graph import Graph, Node
from gfx_ir.host import Dim, evaluate
from gfx_ir.op import lookup
from gfx_ir.program import Program
from gfx_ir.rules import building, compute, infer
from gfx_ir.types import LogicalTensor

B, T = Dim("B"), Dim("T")


def f32(*dims):
    return LogicalTensor(float32, dims)


class Typed(Builder):
    def typed(self, node):
        return all(v.type is not None for i in node.inputs for v in [i.value])


def graph_of(fn, *types, name="f"):
    """The graph of fn on placeholders of these types."""
    graph = Graph(name)
    values = [graph.add_placeholder(f"x{at}", type=type_) for at, type_ in enumerate(types)]
    with building(Typed(graph)):
        graph.result = fn(*values)
    return graph


def operations(name, *args, **kwargs):
    op = lookup(name)
    bound = op.bind(*args, **kwargs)
    return compute(op, bound, infer(op, bound, "torch"), "torch")


@pytest.mark.parametrize(
    "count, expected",
    [
        (operations("matmul", f32(B, 4, 8), f32(8, 3)), 2 * 4 * 8 * 3 * B),
        (operations("linear", f32(B, 8), f32(3, 8), f32(3)), (2 * 8 * 3 + 3) * B),
        (operations("conv", f32(B, 4, 9, 9), f32(6, 2, 3, 3), groups=2), 2 * 6 * 49 * 2 * 9 * B),
        (operations("conv", f32(1, 4, 9, 9), f32(6, 4, 3, 3), f32(6)), 2 * 6 * 49 * 36 + 6 * 49),
        (operations("max_pool", f32(1, 2, 8, 8), (2, 2), (2, 2)), 2 * 16 * 4),
        (operations("einsum", "bij,bjk->bik", (f32(B, 3, 4), f32(B, 4, 5))), 2 * 3 * 4 * 5 * B),
        (operations("sum", f32(B, T)), B * T),
        (operations("relu", f32(B, 3)), 3 * B),
        (operations("reshape", f32(B, 3), (-1,)), 0),
        (operations("fft", f32(2, 8)), 5 * 16 * 3),
        (operations("cholesky", f32(6, 6)), 72),
    ],
)
def test_formulas(count, expected):
    assert count == expected


def test_attention_grows_with_the_square_of_the_length():
    q = f32(B, T, 64)
    total = operations("scaled_dot_product_attention", q, q, q)
    short, long = (evaluate(total, {"B": 1, "T": n}) for n in (1000, 2000))
    assert 3.9 < long / short < 4.1
    assert evaluate(total, {"B": 1, "T": 1000}) > 2 * 2 * 1000 * 1000 * 64


def test_a_graph_is_the_sum_of_its_nodes():
    graph = graph_of(lambda x: ops.add(ops.exp(x), 1.0), f32(B, 4))
    assert compute_estimate(graph) == 8 * B
    assert memory_estimate(graph) == 32 * B
    assert estimate(graph).at({"B": 10}).bytes == 320
    with pytest.raises(ShapeError):
        estimate(graph).at({})


def test_nodes_of_unknown_size_are_told():
    graph = graph_of(lambda x, y: ops.add(ops.exp(x), ops.matmul(y, y)), f32(B, 4), LogicalTensor(float32))
    total = estimate(graph)
    assert total.operations == 4 * B
    assert total.unknown == 2
    assert "2 nodes of unknown size" in str(total)
    assert compute_estimate(graph) is None
    assert memory_estimate(graph) is None


def test_without_types_nothing_is_known():
    graph = graph_of(lambda x: ops.matmul(x, ops.softmax(x)), None)
    assert estimate(graph).unknown == 2


def calling(name, times, *types):
    graph = Graph("main")
    values = [graph.add_placeholder(f"x{at}", type=type_) for at, type_ in enumerate(types)]
    for _ in range(times):
        node = graph.append(Node(lookup("call"), (name, "", tuple(values)), ("tensor",)))
        node.values[0].type = types[0]
    graph.result = node.value
    return graph


def test_calls_multiply():
    block = graph_of(ops.exp, f32(B, 4), name="block")
    program = Program(calling("block", 3, f32(B, 4)), {"block": block})
    assert compute_estimate(program) == 12 * B
    assert memory_estimate(program) == 48 * B
    assert {name: each.operations for name, each in estimates(program).items()} == {"block": 4 * B, "main": 12 * B}


def test_a_function_that_is_not_there_or_calls_itself():
    assert estimate(Program(calling("absent", 1, f32(3)))).unknown == 1
    endless = calling("main", 1, f32(3))
    with pytest.raises(GfxError, match="calls itself"):
        estimate(Program(endless, {"main": endless}))


def holding(op, *args, regions):
    graph = Graph("f")
    x = graph.add_placeholder("x", type=f32(B, 4))
    taken = tuple(x if arg == "x" else (x,) if arg == ("x",) else arg for arg in args)
    graph.append(Node(lookup(op), taken, ("tensor",), regions=tuple(regions))).values[0].type = f32(B, 4)
    return graph


def test_regions_count_once_and_say_so():
    sides = [graph_of(ops.exp, f32(B, 4)), graph_of(lambda x: ops.exp(ops.sin(x)), f32(B, 4))]
    branch = estimate(holding("cond", "x", ("x",), regions=sides))
    assert branch.operations == 12 * B
    assert branch.notes == ("both sides of `cond` are counted",)
    loop = estimate(holding("while", ("x",), (), None, regions=sides))
    assert loop.operations == 12 * B
    assert loop.notes == ("one trip of `while` is counted",)


def trip(items):
    """The body of a loop over so many iterables that carries one value."""
    return graph_of(lambda *taken: ops.exp(taken[-1]), *[None] * items, f32(B, 4))


@pytest.mark.parametrize(
    "items, trips",
    [
        ((("range", 0, 10, 3),), 4),
        ((("range", 0, T, 1),), T),
        (("x",), B),
        ((("range", 0, 10, 1), ("range", 0, 3, 1)), 3),
    ],
)
def test_known_trips_multiply_the_operations(items, trips):
    graph = holding("for", (), ("x",), (), None, regions=[trip(len(items))])
    node = graph.first
    x = graph.placeholders[0]
    node.set_args((tuple(x if item == "x" else item for item in items), *node.args[1:]))
    total = estimate(graph)
    assert total.operations == 4 * B * trips
    assert total.bytes == 16 * B
    assert total.notes == ()


def test_a_loop_that_may_end_early_counts_one_trip():
    graph = holding("for", (("range", 0, 10, 1),), ("x",), (), 0, regions=[trip(1)])
    assert estimate(graph).operations == 4 * B
    assert estimate(graph).notes == ("one trip of `for` is counted",)


def test_a_call_of_an_unknown_function_is_not_counted():
    graph = Graph("f")
    graph.append(Node(lookup("holder"), ("numpy", "scipy.special.jv", (), {}, None), ("tensor",)))
    assert estimate(graph).notes == ("the call of scipy.special.jv is not known and not counted",)
    assert estimate(graph).unknown == 1
