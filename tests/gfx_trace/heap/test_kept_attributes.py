"""Attributes of modules that a call leaves for the next: what the graph took from before the call is refused, what it did not is state."""

import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X, Y = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -3.0])


class Gain(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain, self.aux = 1.0, None


class KeptOnOneSide(Gain):
    def forward(self, x):
        if x.sum() > 0:
            self.gain = 2.0
        return x * 3


class KeptByALoop(Gain):
    def forward(self, x):
        for i in range(x.shape[0]):
            self.gain = float(x[i])
        return x * 3


class SetByAProperty(Gain):
    @property
    def scale(self):
        return self.gain

    @scale.setter
    def scale(self, value):
        self.gain = value

    def forward(self, x):
        if x.sum() > 0:
            self.scale = 2.0
        return x * self.scale


@pytest.mark.parametrize("kind", [KeptOnOneSide, KeptByALoop, SetByAProperty])
def test_what_a_number_was_before_the_call_is_no_part_of_the_graph(kind):
    with pytest.raises(UnsupportedConstruct, match="'gain' is a Python number that changes from call to call"):
        gfx.symbolic_trace(kind())


class SetOnBothSides(Gain):
    def forward(self, x):
        if x.sum() > 0:
            self.gain = 2.0
        else:
            self.gain = 3.0
        return x * self.gain


class SetAnew(Gain):
    def forward(self, x):
        self.gain, self.aux = 0.5, None
        if x.sum() > 0:
            self.gain = 2.0
        for y in (x, x * 2):
            self.gain = self.gain + 1
            self.aux = y.sum() if self.aux is None else self.aux + y.sum()
        return self.aux * self.gain


class SetInEachTrip(Gain):
    def forward(self, x):
        for i in range(3):
            self.gain = i
            x = x * 2
        return x


@pytest.mark.parametrize("kind", [SetOnBothSides, SetAnew, SetInEachTrip])
def test_what_a_call_sets_anew_is_state(kind):
    model, plain = kind(), kind()
    program = gfx.symbolic_trace(model)
    for x in (X, Y, X):
        torch.testing.assert_close(program(x), plain(x))
        assert float(model.gain) == plain.gain


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x):
        for p in self.parameters():
            p.data = p.data * 0.5 + x.detach()
        return self.weight * x


def test_the_data_of_a_models_parameter_can_be_replaced():
    model, plain = Replaced(), Replaced()
    program = gfx.symbolic_trace(model)
    for x in (X, Y):
        torch.testing.assert_close(program(x), plain(x))
        torch.testing.assert_close(model.weight, plain.weight)
