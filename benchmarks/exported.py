"""Capture of models of transformers against torch.export, which gives one graph for these shapes: as it is by default, and strict."""

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
PEERS = {"torch.export": {}, "strict torch.export": {"strict": True}}


def measure(report):
    warnings.filterwarnings("ignore", "While compiling, we found certain side effects")
    for name in NAMES:
        options, inputs = FAMILIES[name]
        config = getattr(transformers, f"{name}Config")(**options | dict.fromkeys(set(options) & set(COUNTS), LAYERS))
        config.use_cache = False
        model, given = getattr(transformers, f"{name}Model")(config).eval(), inputs(2, 7)
        ours = functools.partial(gfx.symbolic_trace, model, kwargs=given)
        for peer, strict in PEERS.items():
            theirs = functools.partial(torch.export.export, model, (), given, **strict)
            report.compare(f"{name} of {LAYERS} layers: capture / {peer}", ours, theirs, ROUNDS, LIMIT)
