"""Batch norm folded into convolutions: each instance of a shared function has its own weights."""

import numpy as np
import torch

import gfx_trace as gfx
from gfx_ir.passes import Optimize
from optimized import models, ops_of


def test_a_block():
    program, inputs = models()["resnet"]
    out = Optimize(["inline", "fold_batch_norm"], validate=inputs, tolerance=1e-4)(program)
    assert ops_of(out) == ["conv", "relu", "conv", "relu", "conv", "add", "relu"]
    assert sorted(out.params) == sorted(f"conv{n}.{name}" for n in (1, 2, 3) for name in ("weight", "bias"))
    assert "conv1.bias" not in program.params


class Twice(torch.nn.Module):
    """Two instances of one block, the second with tied weights where asked."""

    def __init__(self, tied):
        super().__init__()
        layer = lambda: torch.nn.Sequential(torch.nn.Conv2d(3, 3, 3, padding=1), torch.nn.BatchNorm2d(3))
        self.a, self.b = layer(), layer()
        for norm in (self.a[1], self.b[1]):
            norm.running_mean.normal_(), norm.running_var.uniform_(0.5, 2.0)
        if tied:
            self.b[0] = self.a[0]

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def test_functions_that_are_called_for_several_instances():
    for tied, left in ((False, 0), (True, 2)):
        torch.manual_seed(0)
        x = torch.randn(1, 3, 5, 5)
        model = Twice(tied).eval()
        program = gfx.symbolic_trace(model, x)
        out = program.optimized("inline", "fold_batch_norm", validate=(x.numpy(),), tolerance=1e-4)
        assert ops_of(out).count("batch_norm") == left
        np.testing.assert_allclose(out.to("torch")(x).detach(), model(x).detach(), rtol=1e-4, atol=1e-5)


def test_a_linear_layer():
    """Of rows its columns are the channels; of rows of rows they are not those of the norm."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).eval()
    model[1].running_mean.normal_(), model[1].running_var.uniform_(0.5, 2.0)
    for shape, left in (((2, 3), 0), ((2, 4, 3), 1)):
        x = torch.randn(shape)
        program = gfx.symbolic_trace(model, x)
        out = program.optimized("inline", "fold_batch_norm", validate=(x.numpy(),), tolerance=1e-4)
        assert ops_of(out).count("batch_norm") == left
        np.testing.assert_allclose(out.to("torch")(x).detach(), model(x).detach(), rtol=1e-4, atol=1e-5)
