"""A loop that runs until the data say so."""

import torch


def newton(x, tol: float = 1e-6):
    while torch.max(torch.abs(x * x - 2.0)) > tol:
        x = x - (x * x - 2.0) / (2.0 * x)
    return x
