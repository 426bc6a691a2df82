"""Estimates against what is measured: operations to torch's FlopCounterMode, bytes at once to what NumPy allocates for the interpreter.

Torch counts with attention as matrix products (`SDPBackend.MATH`): of its fused attention on a CPU it counts nothing.
"""

import tracemalloc

import numpy as np
import torch
import transformers
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import gfx_trace as gfx
from gfx_ir.cost import compute_estimate
from gfx_ir.interpreter import Interpreter
from gfx_ir.passes.memory_plan import PEAK
from gfx_ir.passes.params import data_of
from gfx_ir.reference import ReferenceBackend
from resnet import resnet50


def measure(report):
    for name, (model, inputs) in models().items():
        program = gfx.symbolic_trace(model, kwargs=inputs).infer()
        off = compute_estimate(program) / counted(model, inputs) - 1
        report.add(f"{name}: operations, off torch's count by", [100 * abs(off)], "%", 2)
        planned = program.optimized("memory_plan")
        off = planned.entry.get(PEAK) / peak(planned, inputs) - 1
        report.add(f"{name}: bytes at once, off what NumPy allocates by", [100 * abs(off)], "%", 10)


def models():
    """By name, a model and its inputs."""
    image, tokens = torch.zeros(1, 3, 224, 224), torch.zeros(1, 128, dtype=torch.int64)
    vit, gpt = transformers.ViTConfig(), transformers.GPT2Config(use_cache=False)
    return {
        "ResNet-50": (resnet50().eval(), {"x": image}),
        "ViT-B/16": (transformers.ViTModel(vit).eval(), {"pixel_values": image}),
        "GPT-2": (transformers.GPT2LMHeadModel(gpt).eval(), {"input_ids": tokens}),
    }


def counted(model, inputs):
    """The operations that torch counts."""
    with FlopCounterMode(display=False) as counter, torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
        model(**inputs)
    return counter.get_total_flops()


def peak(program, inputs):
    """The most bytes that one run of the interpreter holds at once, beside arguments and parameters."""
    given = [inputs[value.name].numpy() if value.name in inputs else None for value in program.entry.placeholders]
    params = {path: np.asarray(data_of(data)) for path, data in program.params.items()}
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        Interpreter(ReferenceBackend(), program, params).graph(program.entry, given, "")
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
