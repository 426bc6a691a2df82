"""An optional argument decides what is computed."""

import torch


def foo(x, y, z=None):
    result = torch.sin(x) + torch.cos(y)
    if z is not None:
        result = result + torch.tan(z)
    return result
