"""Capture of models of transformers, which has open sizes, against torch.export: of the same open sizes, of these sizes alone, and strict."""

import functools
import pathlib
import sys
import warnings

import torch
import transformers

import gfx_trace as gfx

sys.path.append(str(pathlib.Path(__file__).parent / "zoo"))
from families import FAMILIES

LAYERS, ROUNDS, LIMIT = 4, 5, 0.2
NAMES = ("Bert", "T5", "Bart", "ViT", "Llama")
COUNTS = ("num_hidden_layers", "num_layers", "encoder_layers", "decoder_layers")
IMAGES = 4  # axes of those: their heights and widths are the model's


def peers(given):
    """Options of torch.export by what it is called with, and whether it gives a graph of the sizes that ours has."""
    axes = {name: range(1 if x.ndim == IMAGES else x.ndim) for name, x in given.items()}
    sizes = {name: dict.fromkeys(open_, torch.export.Dim.AUTO) for name, open_ in axes.items()}
    return {
        "torch.export, sizes open": ({"dynamic_shapes": sizes}, LIMIT),
        "torch.export, these sizes": ({}, None),
        "torch.export, these sizes, strict": ({"strict": True}, None),
    }


def measure(report):
    warnings.filterwarnings("ignore", "While compiling, we found certain side effects")
    for name in NAMES:
        options, inputs = FAMILIES[name]
        config = getattr(transformers, f"{name}Config")(**options | dict.fromkeys(set(options) & set(COUNTS), LAYERS))
        config.use_cache = False
        model, given = getattr(transformers, f"{name}Model")(config).eval(), inputs(2, 7)
        ours = functools.partial(gfx.symbolic_trace, model, kwargs=given)
        for peer, (how, limit) in peers(given).items():
            theirs = functools.partial(torch.export.export, model, (), given, **how)
            report.compare(f"{name} of {LAYERS} layers: capture / {peer}", ours, theirs, ROUNDS, limit)
