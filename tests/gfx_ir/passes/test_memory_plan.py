"""The memory plan: as many bytes as the reference takes, and places of which no two overlap while both are held."""

import copy
import tracemalloc

import pytest
import torch

import gfx_trace as gfx
import gpt
from gfx_ir.copies import copy_program
from gfx_ir.interpreter import Interpreter
from gfx_ir.passes import Optimize, PassError
from gfx_ir.passes.memory_plan import OFFSETS, PEAK
from gfx_ir.passes.params import data_of
from gfx_ir.plan import steps
from gfx_ir.reference import ReferenceBackend
from optimized import generated, read


def measured(program, *inputs):
    """The most bytes that the reference holds at once beside the arguments."""
    params = {path: data_of(x) for path, x in program.params.items()}
    run = lambda: Interpreter(ReferenceBackend(), program, params).graph(program.entry, inputs, "")
    run()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def loops(x):
    y = torch.sin(x)
    for _ in range(4):
        y = (torch.exp(y) + torch.cos(y)) * 0.1
    if y.sum() > 0:
        y = torch.exp(y) * torch.cos(y) + torch.tanh(y)
    return y + x.T.reshape(400, 400), y


def test_the_peak_is_what_the_reference_takes():
    torch.manual_seed(0)
    model, tokens = gpt.GPT(vocab=200, width=256, heads=8, depth=3, context=128).eval(), torch.randint(0, 50, (2, 128))
    blocks = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 1), torch.nn.BatchNorm2d(8), torch.nn.MaxPool2d(2))
    several = torch.nn.Sequential(blocks, copy.deepcopy(blocks)).eval()  # one function, called at two sizes
    x, image = torch.randn(400, 400), torch.randn(2, 8, 120, 120)
    cases = (model, tokens, (tokens.numpy(), None)), (loops, x, (x.numpy(),)), (several, image, (image.numpy(),))
    for target, given, data in cases:
        program = gfx.symbolic_trace(target, given).infer().optimized("memory_plan")
        assert program.entry.get(PEAK) == pytest.approx(measured(program, *data), rel=0.1)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_held_at_once_lies_apart(seed):
    program = Optimize(["memory_plan"])(generated(seed, typed=True)[0])
    places = {value: range(at, at + size) for value, at, size in program.entry.get(OFFSETS)}
    held = {}
    for step in steps(program.entry):
        for value in [value for value in step.node.values if value in places]:
            assert not any(set(places[value]) & set(other) for other in held.values())
            held[value] = places[value]
        for value in step.frees:
            held.pop(value, None)


def test_it_needs_sizes_and_goes_stale():
    text = "def f(x):\n    a = sin(x)\n    b = add(a, 0.0)\n    return b\n"
    with pytest.raises(PassError, match="the size of what sin gives is not known"):
        Optimize(["memory_plan"])(read(text))
    program = Optimize(["memory_plan"])(read(text, x=gfx.TensorSpec((8,), "float32")))
    assert program.entry.get(PEAK) == 64 and copy_program(program).entry.get(OFFSETS)[0][0].node.op.name == "sin"
