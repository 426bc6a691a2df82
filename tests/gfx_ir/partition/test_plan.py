"""Programs cut into partitions: any placement is acyclic and gives the same, claims hold, ids stay, what is lacking goes to the next."""

import random
import sys

import numpy as np
import pytest

import gfx_ir
import gfx_trace as gfx
from gfx_ir import ops
from gfx_ir.build import Builder
from gfx_ir.errors import ArgumentError, DeviceError, GuardError
from gfx_ir.graph import Graph
from gfx_ir.partition import CheckPlacement, Frozen, Partition, Pipeline, Place, max_ops
from gfx_ir.partition.supports import Supports
from gfx_ir.passes import PassError
from gfx_ir.passes.base import every_graph
from gfx_ir.patterns import pattern
from gfx_ir.program import Program
from gfx_ir.regions import with_regions
from gfx_ir.rules import building
from gfx_ir.runtime.device import Claim, Rates
from gfx_ir.runtime.devices import device
from gfx_ir.textparse import parse_text
from gfx_ir.trees import leaves
from gfx_ir.verify import verify
from graphs import Maker, run
from linear import assert_linear
from places import ROOT
from sweeps import part

sys.path.append(str(ROOT / "examples/toy_device"))
from toy_device import FusingToy, Toy

X, Y = np.array([0.5, -1.0], np.float32), np.array([2.0, 0.25], np.float32)


def read(text):
    made = parse_text(f'program("numpy", "numpy", level=0)\n\n@entry\n{text}')
    verify(made)
    return made


def host(frozen, tree):
    """Results as NumPy, wherever they lie."""

    def one(x):
        home = next((d for d in frozen.devices if d.holds(x)), None)
        return np.asarray(x if home is None else home.to_host(x))

    return [one(leaf) for leaf in leaves(tree)]


def devices_of(plan):
    return [(partition.device, [node.op.name for node in partition.ops]) for partition in plan]


@pytest.mark.parametrize("seed", range(part(3, 30)))
def test_any_placement_gives_the_same(seed):
    program, chance = Maker(seed).program(), random.Random(seed)
    wanted = run(program.entry, (X, Y, 3))
    own = [device(name) for name in ("numpy", "reference", "torch")]
    supports = Supports(program)
    for graph in every_graph(program):
        for node in graph:
            able = [one.name for one in own if supports.node(node, one).answer is not False]
            if able and chance.random() < 0.7:
                node.device = chance.choice(able)
    before = {node.id for graph in with_regions(program.graphs) for node in graph}
    policy = chance.choice(["fusion", "debug", max_ops(3)])
    plan = gfx_ir.partition(program, own, policy)
    verify(plan.program)
    after = {node.id for graph in with_regions(plan.program.graphs) for node in graph}
    assert {i for i in before - after} <= {
        node.id for g in with_regions(program.graphs) for node in g if node.op.family in ("control", "shape")
    }
    frozen = Frozen(plan)
    for found, want in zip(host(frozen, frozen(X, Y, 3)), leaves(wanted), strict=True):
        np.testing.assert_allclose(found, want, rtol=2e-5, atol=1e-6)


DIAMOND = """def f(x):
    a = sin(x)
    b = cos(a)
    c = exp(a)
    d = add(b, c)
    return d
"""


def test_no_two_partitions_need_each_other():
    program = read(DIAMOND)
    for node, name in zip(program.entry, ("numpy", "numpy", "torch", "numpy")):
        node.device = name
    plan = gfx_ir.partition(program, ["numpy", "torch"])
    assert devices_of(plan) == [("numpy", ["sin"]), ("torch", ["exp"]), ("numpy", ["cos", "add"])]


def test_policies_say_how_large_partitions_are():
    program = read(DIAMOND)
    assert [len(p.ops) for p in gfx_ir.partition(program, ["numpy"], "fusion")] == [4]
    assert [len(p.ops) for p in gfx_ir.partition(program, ["numpy"], "debug")] == [1, 1, 1, 1]
    assert [len(p.ops) for p in gfx_ir.partition(program, ["numpy"], "max_ops=3")] == [3, 1]
    with pytest.raises(ArgumentError, match="there is no policy"):
        gfx_ir.partition(program, ["numpy"], "huge")
    with pytest.raises(DeviceError, match="there is no device"):
        gfx_ir.partition(program, ["abacus"])


def test_ends_are_the_values_of_the_program_by_id():
    program = read(DIAMOND)
    ids = {value.name: value.id for node in program.entry for value in node.values}
    plan = gfx_ir.partition(program, ["numpy"], "debug")
    assert [[t.id for t in p.outputs] for p in plan] == [[ids[name]] for name in "abcd"]
    assert [t.id for t in plan[3].inputs] == [ids["b"], ids["c"]]
    assert [t.id for t in plan[0].inputs] == [program.entry.placeholders[0].id]


def test_what_a_device_lacks_goes_to_the_next_and_in_the_end_to_the_reference():
    text = "def f(x, y):\n    a = matmul(x, y)\n    b = tanh(a)\n    c, d, e = ldl_factor(b)\n    return c\n".replace(
        "c, d, e", "c, d"
    )
    plan = gfx_ir.partition(read(text), [Toy(), "jax"])
    assert devices_of(plan) == [("toy", ["matmul"]), ("jax", ["tanh"]), ("reference", ["ldl_factor"])]
    assert "ldl_factor" in str(plan) and "jax" in str(plan) and "3 partitions, policy fusion" in str(plan)


def test_a_device_says_when_and_the_run_falls_back_where_that_does_not_hold():
    text = "def f(x, y):\n    a = add(x, y)\n    b = multiply(a, x)\n    return b\n"
    plan = gfx_ir.partition(read(text), [Toy()])
    assert devices_of(plan) == [("toy", ["add", "multiply"])]
    frozen = Frozen(plan)
    for shapes in (((2, 3), (3,)), ((2, 1), (1, 3))):  # operands of simple kernels are broadcast in memory
        x, y = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in shapes)
        np.testing.assert_allclose(host(frozen, frozen(x, y))[0], (x + y) * x, rtol=1e-6)
    x = np.ones((2, 2, 2), np.float32)  # of three axes: not the toy's
    assert host(frozen, frozen(x, x))[0].tolist() == np.full((2, 2, 2), 2.0).tolist()
    typed = gfx_ir.infer.infer(
        gfx_ir.infer.bind(read(text), x=gfx_ir.types.TensorSpec((2, 2, 2)), y=gfx_ir.types.TensorSpec((2, 2, 2)))
    )
    assert devices_of(gfx_ir.partition(typed, [Toy()])) == [("reference", ["add", "multiply"])]


def test_patterns_are_claimed_whole_by_the_highest_priority():
    called = []

    def claim(fn, name, priority):
        return Claim(pattern(fn), lambda **args: called.append(name) or FusingToy.claims[0].eval(**args), priority)

    class Low(FusingToy):
        name = "low"
        claims = (claim(lambda x1, x2, x3: ops.add(ops.multiply(x1, x2), x3), "low", 0),)

    class High(FusingToy):
        name = "high"
        claims = (claim(lambda x1, x2, x3: ops.add(ops.multiply(x1, x2), x3), "high", 2),)

    text = "def f(x, y):\n    t = tanh(y)\n    a = multiply(x, t)\n    b = add(a, y)\n    c = relu(b)\n    return c\n"
    plan = gfx_ir.partition(read(text), [Low(), High(), "numpy"], "debug")  # a pattern is never cut
    assert devices_of(plan) == [("numpy", ["tanh"]), ("high", ["multiply", "add"]), ("low", ["relu"])]
    frozen = Frozen(plan)
    np.testing.assert_allclose(host(frozen, frozen(X, Y))[0], np.maximum(X * np.tanh(Y) + Y, 0), rtol=1e-6)
    assert called == ["high"]


LOOP = """def f(x, n: int):
    def body(i: int, s, x):
        t = tanh(s)
        q, r = ldl_factor(t)
        u = add(q, x)
        return (u,)
    s = host_for(body, items=(("range", 0, n, 1),), init=(x,), operands=(x,))
    y = exp(s)
    return y
"""


def test_regions_are_partitioned_inside():
    plan = gfx_ir.partition(read(LOOP), ["torch", "numpy"])
    assert devices_of(plan) == [("torch", ["host_for", "exp"])]  # taken whole
    plan = gfx_ir.partition(read(LOOP), ["jax"])
    assert ("reference", ["ldl_factor"]) in devices_of(plan) and ("jax", ["exp"]) in devices_of(plan)
    assert [node.op.name for node in plan.left] == ["host_for"]
    frozen, x = Frozen(plan), np.eye(3, dtype=np.float32)
    wanted = run(read(LOOP).entry, (x, 3))
    np.testing.assert_allclose(host(frozen, frozen(x, 3))[0], wanted, rtol=1e-5)
    calls = frozen.compiled.statistics
    assert calls.misses == len(plan) and calls.hits == 2 * (len(plan) - 1)  # three trips, one compilation each


def test_a_partition_outlives_the_program_that_it_was_cut_from():
    def cut():
        return gfx_ir.partition(read(DIAMOND), ["numpy"])[0]

    partition = cut()
    assert isinstance(partition, Partition) and [node.op.name for node in partition.ops] == ["sin", "cos", "exp", "add"]
    (found,) = partition.for_data([X], Frozen(gfx_ir.partition(read(DIAMOND), ["numpy"])).engines["numpy"], "")(X)
    np.testing.assert_allclose(found, np.cos(np.sin(X)) + np.exp(np.sin(X)), rtol=1e-6)


def test_control_dependencies_and_the_order_of_effects_hold_between_partitions(capsys):
    text = """def f(x):
    print(("one", x))
    y = sin(x)
    print(("two", y))
    z = cos(x, _waits=(y,))
    return z
"""
    program = read(text)
    for node, name in zip(program.entry, ("numpy", "torch", "reference", "numpy")):
        node.device = name
    plan = gfx_ir.partition(program, ["numpy", "torch"], "debug")
    verify(plan.program)
    Frozen(plan)(X)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["one", "two"]
    waits = {call.args[0]: [other.args[0] for other in call.waits] for call in plan.program.entry}
    assert waits == {plan[0].name: [], plan[1].name: [], plan[2].name: [plan[0].name], plan[3].name: [plan[1].name]}


@pytest.mark.parametrize("first", ["numpy", "jax"])
@pytest.mark.parametrize("policy", ["fusion", "debug"])
def test_effects_within_tests_and_functions_keep_their_order(capsys, first, policy):
    def f(x):
        print("one", float(x.sum()))
        if float(x.sum()) > 1:
            print("two")
        print("three", float(x[0]))
        return x

    gfx.symbolic_trace(f, backend="numpy").on(first, policy=policy)(np.ones(2, np.float32))
    assert capsys.readouterr().out == "one 2.0\ntwo\nthree 1.0\n"


def test_dtypes_go_from_partition_to_partition():
    def f(x, y):
        x += y
        return x * 2

    for policy in ("fusion", "debug"):
        for name in ("torch", "jax"):
            x = np.ones(2, np.float32)
            found = gfx.symbolic_trace(f, backend="numpy").on(name, policy=policy)(x, Y)
            assert np.array_equal(np.asarray(found), 2 * (1 + Y)) and np.array_equal(x, 1 + Y)


def test_placement_counts_transfers():
    class Fast(Toy):
        name = "fast"
        rates = Rates(operations=1e12, bandwidth=1e6, call=0.0, transfer=1e-3)

        def supports(self, node):
            return device("numpy").supports(node)

    body = "".join(f"    a{k + 1} = matmul(a{k}, a{k})\n" for k in range(4))
    text = f"def f(a0):\n{body}    return a4\n"
    host_, fast = device("numpy"), Fast()
    for size, expected in ((8, "numpy"), (4096, "fast")):
        typed = gfx_ir.infer.infer(gfx_ir.infer.bind(read(text), a0=gfx_ir.types.TensorSpec((size, size))))
        Place(devices=[host_, fast], home=host_).apply(typed)
        assert {node.device for node in typed.entry} == {expected}


def test_the_check_of_placements_names_the_node():
    program = read(DIAMOND)
    program.entry.first.device = "toy"
    with pytest.raises(PassError, match="sin is placed on toy, which does not take it: the toy has no kernel"):
        CheckPlacement(devices=[Toy()]).apply(program)
    with pytest.raises(PassError, match="there is no device 'abacus'"):
        program.entry.first.device = "abacus"
        CheckPlacement().apply(program)


def test_pipelines_are_balanced():
    program = read(
        "def f(x):\n"
        + "".join(f"    a{k} = sin({'x' if not k else f'a{k - 1}'})\n" for k in range(9))
        + "    return a8\n"
    )
    Pipeline(devices=[device("numpy"), device("torch"), device("reference")]).apply(program)
    assert [node.device for node in program.entry] == ["numpy"] * 3 + ["torch"] * 3 + ["reference"] * 3


def test_arguments_of_other_shapes_than_the_program_was_bound_to_are_refused():
    typed = gfx_ir.infer.bind(read(DIAMOND), x=gfx_ir.types.TensorSpec((2,)))
    with pytest.raises(GuardError, match="the program took x"):
        Frozen(gfx_ir.partition(typed, ["numpy"]))(np.ones(3, np.float32))


def test_partitioning_is_linear():
    def prepare(count):
        graph = Graph("chain")
        x = graph.add_placeholder("x")
        with building(Builder(graph)):
            for k in range(count):
                x = ops.sin(x) if k % 3 else ops.relu(x)
            graph.result = x
        program, toy = Program(graph, promotion="numpy", flavour="numpy"), Toy()
        return lambda: gfx_ir.partition(program, [toy, "reference"])

    assert_linear(prepare)
