"""What a first call sets up for every later one: captured where all calls are the same, refused where a later one is another."""

import copy

import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X, Y = torch.tensor([[1.0, 2.0, -1.0]]), torch.tensor([[0.5, -3.0, 4.0]])


def add_one(module, args, result):
    return result + 1


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(3, 3)
        self.first, self.width, self.table, self.calls = True, None, None, 0


class Hooked(Base):
    """As transformers install the hooks that collect outputs."""

    def forward(self, x):
        if not getattr(self, "hooked", False):
            self.layer.register_forward_hook(add_one)
            self.hooked = True
        return self.layer(x)


class NumberSet(Base):
    def forward(self, x):
        if self.width is None:
            self.width = x.shape[-1]
        return x * self.width


class TableSet(Base):
    def forward(self, x):
        if self.table is None:
            self.table = {"scale": [2.0, 3.0]}
        return x * self.table["scale"][1]


class SetFilled(Base):
    def forward(self, x):
        if not hasattr(self, "seen"):
            self.seen = set()
            self.seen.add("forward")
        return x * len(self.seen)


class FlagCleared(Base):
    def forward(self, x):
        if self.first:
            self.first = False
        return x * 2


@pytest.mark.parametrize("kind", [Hooked, NumberSet, TableSet, SetFilled, FlagCleared])
def test_what_each_call_would_set_up_alike(kind):
    model = kind()
    plain = copy.deepcopy(model)
    before = str(vars(model)), str(vars(model.layer))
    program = gfx.symbolic_trace(model, X)
    assert (str(vars(model)), str(vars(model.layer))) == before
    for x in (X, Y, X):
        torch.testing.assert_close(program(x), plain(x))


class HookedAnew(Base):
    def forward(self, x):
        self.layer.register_forward_hook(add_one)
        return self.layer(x)


class HookedBehind(Base):
    def forward(self, x):
        y = self.layer(x)
        if self.first:
            self.layer.register_forward_hook(add_one)
            self.first = False
        return y


class FirstIsAnother(Base):
    def forward(self, x):
        if self.first:
            self.first = False
            return x * 2
        return x


class Counted(Base):
    def forward(self, x):
        self.calls += 1
        return x * 2


class FilledAgain(Base):
    def forward(self, x):
        if not hasattr(self, "seen"):
            self.seen = set()
        self.seen.add("forward")
        return x * len(self.seen)


class TensorKept(Base):
    def forward(self, x):
        if self.table is None:
            self.table = torch.arange(3.0) + x.sum()
        return x + self.table


class TensorInAList(Base):
    def forward(self, x):
        y = x + 1
        if self.table is None:
            self.table = [y]
        return self.table[0] * 2, y


class TensorInAClosure(Base):
    def forward(self, x):
        y = x + 1
        if self.table is None:
            self.table = lambda: y
        return self.table() * 2, y


@pytest.mark.parametrize(
    "kind",
    [HookedAnew, HookedBehind, FirstIsAnother, Counted, FilledAgain, TensorKept, TensorInAList, TensorInAClosure],
)
def test_a_later_call_that_is_another_is_refused(kind):
    model = kind()
    before = str(vars(model)), str(vars(model.layer))
    with pytest.raises(UnsupportedConstruct, match="cannot convert this write"):
        gfx.symbolic_trace(model, X)
    assert (str(vars(model)), str(vars(model.layer))) == before
