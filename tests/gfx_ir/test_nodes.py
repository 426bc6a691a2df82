"""Every node keeps its contract: `eval` and the inferred shapes are those of the run, of regions, calls, holders and effects, too."""

import warnings

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import gfx_trace as gfx
import gpt
import resnet
from gfx_ir import dtypes, ops
from gfx_ir.build import Builder
from gfx_ir.cost import estimate
from gfx_ir.dtypes import float32
from gfx_ir.errors import VerifyError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer import infer, sites
from gfx_ir.interpreter import Interpreter
from gfx_ir.op import REGISTRY, lookup
from gfx_ir.program import Program
from gfx_ir.reference import ReferenceBackend
from gfx_ir.rules import building
from gfx_ir.textparse import parse_text
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor
from gfx_ir.verify import verify
from graphs import Maker
from sampled import bound
from samples import all_samples, normal
from sweeps import part


def f32(*dims):
    return LogicalTensor(float32, dims)


class Watching(Interpreter):
    """Evaluates every node alone, too, and compares."""

    def __init__(self, program, params=None):
        super().__init__(ReferenceBackend(), program, params or {})
        self.seen = set()

    def node(self, node, args, prefix):
        out = super().node(node, args, prefix)
        inputs = [x for leaf, x in pairs(node.args, tuple(args))]
        if node.op.name not in ("print", "random"):
            alone = node.eval(*inputs, program=self.program, prefix=prefix)
            same(alone if len(node.values) != 1 else (alone,), tuple(out))
        for leaf, x in pairs(node.args, tuple(args)):
            leaf.type = self.type(x) if leaf.is_tensor else x
        for type_, value, data in zip(node.infer_output_shape("numpy", self.program, prefix), node.values, out):
            fits(type_, value, data)
        self.seen.add(node.op.name)
        return out


def pairs(tree, filled):
    """(Value, data) of the inputs."""
    if type(tree) is Value:
        yield tree, filled
    elif type(tree) is dict:
        for key in tree:
            yield from pairs(tree[key], filled[key])
    elif type(tree) in (tuple, list):
        for a, b in zip(tree, filled):
            yield from pairs(a, b)
    elif type(tree) is slice:
        yield from pairs((tree.start, tree.stop, tree.step), (filled.start, filled.stop, filled.step))


def same(a, b):
    for x, y in zip(leaves(a), leaves(b), strict=True):
        np.testing.assert_array_equal(x, y)


def fits(type_, value, data):
    if not isinstance(type_, LogicalTensor):
        return
    data = np.asarray(data)
    if type_.dims is not None:
        assert len(type_.dims) == data.ndim
        assert all(d is None or d == n for d, n in zip(type_.dims, data.shape))
    if type_.dtype is not None and not type_.weak:
        assert type_.dtype == dtypes.dtype(data.dtype)


@pytest.fixture
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@pytest.mark.parametrize("sample", all_samples(), ids=str)
def test_a_sample_as_a_node(sample, quiet):
    args = bound(sample)
    graph, inputs = Graph("f"), []

    def placed(leaf):
        if not isinstance(leaf, (np.ndarray, np.generic)):
            return leaf
        inputs.append(leaf)
        type_ = LogicalTensor(dtypes.dtype(leaf.dtype), leaf.shape)
        return graph.add_placeholder(f"x{len(inputs)}", type=type_)

    node = graph.append(Node(lookup(sample.op), tree_map(placed, args)))
    out = node.eval(*inputs)
    found = tuple(out) if len(node.values) != 1 else (out,)
    for type_, value, data in zip(node.infer_output_shape("numpy"), node.values, found, strict=True):
        if value.is_tensor and "dtype" not in sample.skip:
            fits(type_, value, data)
    node.forward()
    for estimated in (node.compute_estimate(), node.memory_estimate()):
        assert estimated is None or estimated >= 0


def controlled():
    def traced(x: np.ndarray, w: np.ndarray, n: int):
        a = scaled(x, w)
        b = np.sin(a) if n > 2 else np.cos(a)
        while np.sum(b) < 10.0:
            b = b * 2.0 + 1.0
            if np.max(b) > 3.0:
                b = b + 0.5
        total = 0.0
        for row in b:
            total = total + row
        for at in range(n):
            total = total * at + b[0]
        assert n < 100
        return np.unwrap(b), b.shape[0] + 1, total, float(np.sum(b)) + 1.0

    return traced


def scaled(x, w):
    return np.tanh(x * w) + 1.0


def test_control_nodes_alone_are_as_in_the_run():
    program = gfx.symbolic_trace(controlled())
    watching = Watching(program)
    watching.graph(program.entry, [normal(4, seed=1), normal(4, seed=2), 3], "")
    assert {"host_if", "while", "cond", "for", "host", "size", "check"} <= watching.seen


def test_nodes_that_act_on_the_world_alone_are_as_in_the_run(capsys):
    graph = Graph("f")
    x = graph.add_placeholder("x")
    with building(Builder(graph)):
        held = lookup("holder")("numpy", "scipy.special.jv", (0, x), {}, None)
        number = lookup("to_python")(ops.sum(held), "float")
        lookup("check")(ops.isfinite(x), "not finite", "ValueError")
        lookup("print")((number,))
        graph.result = (held, number)
    watching = Watching(Program(graph))
    watching.graph(graph, [np.float64(2.0)], "")
    assert {"holder", "to_python", "check", "print"} <= watching.seen
    check = next(node for node in graph if node.op.name == "check")
    with pytest.raises(ValueError, match="not finite"):
        check.eval(False)
    assert check.infer_output_shape() == () and check.compute_estimate() == 0


@pytest.mark.parametrize("seed", range(part(3, 25)))
def test_nodes_of_generated_programs_alone_are_as_in_the_run(seed):
    program = Maker(seed).program()
    Watching(program).graph(program.entry, [normal(3, seed=seed), normal(3, seed=seed + 1), seed % 5], "")


def blocks():
    block = Graph("block")
    x = block.add_placeholder("x")
    with building(Builder(block)):
        y = ops.multiply(x, block.add_parameter("w"))
        block.result = (y, ops.sum(y, axis=0))
    entry = Graph("f")
    a, b = entry.add_placeholder("a", type=f32(2, 3)), entry.add_placeholder("b", type=f32(4, 5, 3))
    calls = [
        entry.append(Node(lookup("call"), ("block", path, (v,)), ("tensor", "tensor")))
        for path, v in (("l.0", a), ("l.1", b))
    ]
    entry.result = tuple(v for call in calls for v in call.values)
    params = {"l.0.w": normal(3), "l.1.w": normal(3, seed=1)}
    program = Program(entry, {"block": block}, params=params)
    verify(program)
    return program, calls


def test_a_call_alone():
    program, (one, two) = blocks()
    x = normal(4, 5, 3)
    y, z = two.eval(x, program=program)
    np.testing.assert_array_equal(y, x * program.params["l.1.w"])
    np.testing.assert_array_equal(z, y.sum(0))
    assert [v.type for v in one.forward(program=program)] == [f32(2, 3), f32(3)]
    assert [v.type for v in two.forward(program=program)] == [f32(4, 5, 3), f32(5, 3)]
    assert two.compute_estimate(program=program) == 120 and two.memory_estimate(program=program) == 4 * 75
    with pytest.raises(VerifyError, match="give it the program"):
        one.forward()


def test_one_graph_at_several_shapes_is_typed_for_each_call():
    program, _ = blocks()
    typed = infer(program)
    block = typed.functions["block"]
    y = block.first.value
    assert y.type == LogicalTensor(float32, None)
    found = [site.type(y) for site in sites(typed).walk() if site.graph is block]
    assert sorted(map(str, found)) == ["f32[2, 3]", "f32[4, 5, 3]"]
    assert estimate(typed).operations == 12 + 120 and estimate(typed).unknown == 0


def loop(trips):
    """A loop around a product of matrices."""
    text = """program("torch", "torch")

@entry
def f(x: f32[64, 64], n: int):
    def body(i, y, x):
        z = matmul(y, x)
        return (z,)
    y = for_(body, items=(("range", 0, TRIPS, 1),), init=(x,), operands=(x,))
    return y
"""
    program = parse_text(text.replace("TRIPS", str(trips)))
    verify(program)
    return program


def test_costs_of_a_loop_are_those_of_its_trips():
    program = loop(5)
    node = program.entry.first
    assert node.compute_estimate() == 5 * 2 * 64**3
    assert [v.type for v in node.forward()] == [f32(64, 64)]
    assert estimate(program).operations == 5 * 2 * 64**3


def test_ends_of_a_graph():
    program, _ = blocks()
    block = program.functions["block"]
    np.testing.assert_array_equal(
        block.parameters["w"].node.eval(program=program, prefix="l.0"), program.params["l.0.w"]
    )
    assert program.entry.output.eval(1, 2, 3, 4) == (1, 2, 3, 4)
    with pytest.raises(Exception, match="comes with a call"):
        block.placeholders[0].node.eval()


def test_every_control_op_has_a_row():
    for op in REGISTRY.values():
        if op.eval is None and op.body is None:
            assert op.control is not None, op.name


# ---------------------------------------------------------------------- models
class ViT(torch.nn.Module):
    """A small vision transformer of the GPT's blocks."""

    def __init__(self, width=192, heads=3, depth=2, patch=16):
        super().__init__()
        self.patch = torch.nn.Conv2d(3, width, patch, patch)
        self.position = torch.nn.Parameter(torch.zeros(1, 196, width))
        self.blocks = torch.nn.ModuleList(gpt.Block(width, heads) for _ in range(depth))
        self.head = torch.nn.Linear(width, 1000)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


MODELS = {
    "resnet": (lambda: resnet.resnet50(), lambda: torch.zeros(1, 3, 224, 224)),
    "gpt": (lambda: gpt.GPT(width=256, depth=2), lambda: torch.zeros(2, 64, dtype=torch.int64)),
    "vit": (ViT, lambda: torch.zeros(1, 3, 224, 224)),
}


@pytest.mark.parametrize("name", MODELS)
def test_operations_of_a_model_are_those_that_its_framework_counts(name):
    model, given = MODELS[name][0]().eval(), MODELS[name][1]()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(given)
    typed = gfx.symbolic_trace(model, given).infer()
    found, counted = estimate(typed).operations, counter.get_total_flops()
    assert counted <= found <= 1.02 * counted
    shapes = [site.type(value) for site in sites(typed).walk() for value in site.env if value.kind == "tensor"]
    assert sum(type_ is None or not type_.known for type_ in shapes) <= 4  # the loss, which is not asked for
