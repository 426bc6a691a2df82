"""Capture of models against torch.fx (no shapes) and torch.export (shapes given, or dynamic)."""

import functools

import torch
from harness import timed

import gfx_trace as gfx
from embed import load, read_sentences, tokenize
from gfx_ir.passes.outline import outline
from gfx_ir.pause import collection_paused
from gfx_trace.capture.capture import capture
from resnet import resnet50


def measure(report):
    image_model(report)
    encoder(report)


def image_model(report):
    model, x = resnet50().eval(), torch.randn(2, 3, 224, 224)
    ours = functools.partial(gfx.symbolic_trace, model)
    report.compare("ResNet-50: capture / torch.fx", ours, lambda: torch.fx.symbolic_trace(model), 15, 2.0)
    report.compare("ResNet-50: capture / torch.export", ours, lambda: torch.export.export(model, (x,)), 5, 0.1)
    report.add("ResNet-50: outline / capture before it", [outline_share(model) for _ in range(9)], "x", 0.5)


def outline_share(model):
    """The time of the pass that makes functions of modules, relative to the recording of the nodes."""
    found = []
    with collection_paused():
        before = timed(lambda: found.append(capture(model, (), {})))
        return timed(lambda: outline(found[0].program)) / before


def encoder(report):
    model = load()
    inputs = tokenize(read_sentences()[:4])
    dynamic = dict.fromkeys((0, 1), torch.export.Dim.DYNAMIC)

    def exported():
        torch.export.export(model, (), dict(zip(("input_ids", "attention_mask"), inputs)), dynamic_shapes={
            "input_ids": dynamic, "attention_mask": dynamic,
        })  # fmt: skip

    report.compare("encoder, dynamic dims: capture / torch.export",
                   lambda: gfx.symbolic_trace(model, *inputs, dynamic=True), exported, 5, 1.0)  # fmt: skip
    report.compare("encoder, no shapes at all: capture / the same", lambda: gfx.symbolic_trace(model), exported, 5, 1.0)
