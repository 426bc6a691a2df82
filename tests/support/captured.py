"""Functions that several tests capture, and the comparison of what they give."""

import dataclasses

import numpy as np
import torch

from gfx_ir.trees import leaves


def equal(got, want, tolerance=1e-6):
    got, want = list(leaves(got)), list(leaves(want))
    assert len(got) == len(want)
    for a, b in zip(got, want):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


def affine(x, y):
    return x @ y + 1


def scaled(x, mask: torch.Tensor | None = None, flip: bool = False, factor: float = 2.0, mode: str = "scale"):
    if mask is not None:
        x = x * mask
    if flip:
        x = -x
    return x * factor if mode == "scale" else x


def log_mean_exp(x):
    xp = x.__array_namespace__()
    top = xp.max(x, axis=-1, keepdims=True)
    return xp.log(xp.mean(xp.exp(x - top), axis=-1)) + xp.squeeze(top, axis=-1)


def root(x, tolerance: float = 1e-6):
    """Newton's iteration."""
    while torch.max(torch.abs(x * x - 2.0)) > tolerance:
        x = x - (x * x - 2.0) / (2.0 * x)
    return x


@dataclasses.dataclass
class Config:
    weight: object
    times: int = 2


def nested(x, config, options):
    return x * config.weight * config.times + options["b"][0] - options["b"][1]


def nested_arguments(times=3):
    return torch.ones(3), Config(torch.arange(3.0), times), {"b": [torch.ones(3), torch.zeros(3)]}
