"""Models in plain PyTorch and in plain JAX: those of the examples, and the U-Net of the gallery."""

import functools

import jax
import torch
from cases import Case, JaxModel
from unet import UNet

import decoder
from gpt import GPT
from resnet import resnet50


def tokens(batch, length):
    return {"tokens": torch.randint(0, 50, (batch, length))}


def images(batch, length):
    return {"x": torch.randn(batch, 3, 64, 64)}


def plain_decoder():
    params = decoder.init(0, vocab=50, width=32, depth=2)
    return JaxModel(functools.partial(decoder.decoder, params), {}, params, decoder.decoder)


CASES = {
    "GPT": Case("PyTorch", lambda: GPT(depth=2).eval(), tokens),
    "ResNet-50": Case("PyTorch", lambda: resnet50().eval(), images),
    "U-Net": Case("PyTorch", lambda: UNet().eval(), images),
    "Decoder": Case("JAX", plain_decoder, lambda batch, length: (jax.numpy.ones((batch, length), "int32"),)),
}
