"""Emitted code at work: JAX under jit against a form written by hand, torch against the original eager module."""

import importlib.util

import encoder_jax
import jax
import jax.numpy as jnp
import numpy as np
import resnet_jax
import torch

import gfx_trace as gfx
from demo_report import relative_error, to_framework
from embed import load, read_sentences, tokenize
from resnet import calibrate, resnet50

ROUNDS = 15


def measure(report):
    torch.manual_seed(0)
    model = calibrate(resnet50())
    for batch in (1, 4):
        inputs = (torch.randn(batch, 3, 224, 224),)
        by_hand(report, f"ResNet-50, batch {batch}", model, inputs, resnet_jax.resnet50)
        eager(report, f"ResNet-50, batch {batch}", model, inputs)
    encoder, inputs = load(), tokenize(read_sentences())
    by_hand(report, f"encoder, {tuple(inputs[0].shape)}", encoder, inputs, encoder_jax.encoder)
    eager(report, f"encoder, {tuple(inputs[0].shape)}", encoder, inputs)


def by_hand(report, name, model, inputs, form):
    """The emitted JAX under jit against the hand-written form, and against torchax where it is installed."""
    program, args = gfx.transpile(model, to="jax"), to_framework(inputs, "jax")
    ours, theirs = runner(jax.jit(program.fn), program.params, *args), runner(jax.jit(form), program.params, *args)
    same(ours(), theirs())
    report.compare(f"{name}: emitted JAX / by hand", ours, theirs, ROUNDS, 1.0, noisy=True)
    if importlib.util.find_spec("torchax") is not None:
        import torchax

        params, fn = torchax.extract_jax(model)
        theirs = runner(jax.jit(fn), params, args)
        report.compare(f"{name}: emitted JAX / torchax", ours, theirs, ROUNDS, 1.0, noisy=True)


def eager(report, name, model, inputs):
    """torch to torch: the emitted module against the original."""
    program = gfx.transpile(model, to="torch")
    module = program.module()

    def ours():
        with torch.no_grad():
            return module(*inputs)

    def theirs():
        with torch.no_grad():
            return model(*inputs)

    same(ours(), theirs())
    report.compare(f"{name}: emitted torch / the model", ours, theirs, ROUNDS, 1.0, noisy=True)


def runner(fn, *args):
    return lambda: jax.block_until_ready(fn(*args))


def same(got, want):
    """What is compared has to compute the same. An output with fields is compared by its first."""
    first, second = (to_numpy(getattr(x, "last_hidden_state", x)) for x in (got, want))
    assert relative_error(jnp.asarray(first), jnp.asarray(second)) < 1e-4


def to_numpy(x):
    return np.asarray(x)
