"""What a first call sets up for every later one: captured where all calls are the same, refused where a later one is another."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct

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


class ListsSetAnew(Base):
    """As detectors note the sizes of their feature maps."""

    def forward(self, x):
        self.table = [x.shape[-2:], {"scale": [2.0]}]
        self.table[1]["scale"].append(3.0)
        return x * self.table[1]["scale"][1]


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


class FilledAlike(Base):
    def forward(self, x):
        if not hasattr(self, "seen"):
            self.seen = set()
        self.seen.add("forward")
        return x * len(self.seen)


@pytest.mark.parametrize("kind", [Hooked, NumberSet, TableSet, ListsSetAnew, SetFilled, FilledAlike, FlagCleared])
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


class FilledAgain(Base):
    def forward(self, x):
        if not hasattr(self, "seen"):
            self.seen = []
        self.seen.append("forward")
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


class StaysWhileTrained(Base):
    def forward(self, x):
        if self.table is None:
            self.table = self.layer.weight.detach().T * 2
        return x @ self.table


class DrawnOnce(Base):
    def forward(self, x):
        if self.table is None:
            self.table = torch.rand(3)
        return x * self.table


@pytest.mark.parametrize("kind", [TensorKept, StaysWhileTrained])
def test_a_tensor_that_the_first_call_keeps_is_state(kind):
    model, plain = kind(), kind()
    program = gfx.symbolic_trace(model, X)
    for x in (X, Y, X):
        torch.testing.assert_close(program(x), plain(x))
        for held in (model, plain):
            held.layer.weight.data.mul_(2)


def test_what_the_first_call_draws_is_state():
    program = gfx.symbolic_trace(DrawnOnce(), X)
    first = program(torch.ones_like(X))
    torch.testing.assert_close(program(Y), Y * first)


@pytest.mark.parametrize(
    "kind",
    [
        HookedAnew, HookedBehind, FilledAgain, TensorInAList, TensorInAClosure,
    ],
)  # fmt: skip
def test_a_later_call_that_is_another_is_refused(kind):
    model = kind()
    before = str(vars(model)), str(vars(model.layer))
    with pytest.raises(UnsupportedConstruct, match="cannot convert this write"):
        gfx.symbolic_trace(model, X)
    assert (str(vars(model)), str(vars(model.layer))) == before


class Rescaled(Base):
    """As Rwkv divides its weights."""

    def forward(self, x):
        if self.first:
            with torch.no_grad():
                self.layer.weight.div_(2)
                self.layer.bias.add_(self.layer.weight.sum(1))
            self.first = False
        return self.layer(x) / 2


class TableFilled(Base):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.arange(1.0, 4.0))

    def forward(self, x):
        if self.table is None:
            self.table = torch.cos(torch.arange(40.0)[:, None] / self.steps).type_as(x)
            self.width = self.table[-1] + 1
        return x * self.table[: x.shape[0]] + self.width


class FilledInParts(nn.Module):
    """Parts whose tables are no buffers: they are called by their attributes."""

    def __init__(self):
        super().__init__()
        self.layer, self.first, self.second = nn.Linear(3, 3), TableFilled(), TableFilled()
        self.again = self.first

    def forward(self, x):
        return self.again(self.second(self.first(self.layer(x))))


class RescaledInTraining(Rescaled):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(super().forward(x))


@pytest.mark.parametrize("kind", [Rescaled, TableFilled, FilledInParts, RescaledInTraining])
def test_arrays_that_a_first_call_makes_of_others_alone(kind):
    model = kind()
    plain = copy.deepcopy(model)
    before = str(vars(model)), str(model.state_dict())
    program = gfx.symbolic_trace(model, torch.randn(4, 3), dynamic=True)
    assert (str(vars(model)), str(model.state_dict())) == before
    module, in_jax = gfx.transpile(program, to="torch").module(), gfx.transpile(program, to="jax")
    for size in (2, 5, 5):
        x = torch.randn(size, 3)
        want = plain(x)
        for got in (program(x), module(x), torch.as_tensor(np.array(in_jax(x.numpy())))):
            torch.testing.assert_close(got, want)
    assert isinstance(program.params.get("layer.weight", model.layer.weight), nn.Parameter)


class Clamped(nn.Module):
    """As Swin clamps its windows."""

    width = 4

    def forward(self, x):
        height, width = x.shape[1] // 2, x.shape[2]
        if min(height, width) <= self.width:
            self.width = min(height, width)
        return x.reshape(x.shape[0], -1, self.width).sum(1)


@pytest.mark.parametrize("height", [6, 16])
def test_a_size_that_later_calls_find_is_fixed(height):
    program = gfx.symbolic_trace(Clamped(), torch.randn(2, height, 12), dynamic=True)
    assert sum("is fixed: later calls find it" in note for note in program.notes) == 2
    for batch in (1, 3):
        x = torch.randn(batch, height, 12)
        torch.testing.assert_close(program(x), Clamped()(x))
        torch.testing.assert_close(torch.as_tensor(np.array(program.to("jax")(x.numpy()))), Clamped()(x))
    with pytest.raises(GuardError, match="notes"):
        program(torch.randn(2, height + 2, 12))


def decayed(steps, count):
    """As optax's schedules take whole numbers for floats; `count`: one more in each call."""

    def schedule(x):
        nonlocal steps
        steps = float(steps) if isinstance(steps, int) else steps
        steps = steps + count
        return torch.clamp(x, max=steps) / steps

    return schedule


def test_a_variable_of_a_function_around_that_each_call_sets_alike():
    program = gfx.symbolic_trace(decayed(2, 0), X)
    for x in (X, Y, Y):
        torch.testing.assert_close(program(x), decayed(2, 0)(x))
    with pytest.raises(UnsupportedConstruct, match="'steps' is a Python number that changes from call to call"):
        gfx.symbolic_trace(decayed(2, 1), X)


class Replacing(Base):
    """As losses keep what they computed last in an attribute that begins as a list."""

    def __init__(self, before):
        super().__init__()
        self.table = before

    def forward(self, x):
        self.table = self.layer(x)
        return self.table * 2


@pytest.mark.parametrize("before", [[], {}, "none", torch.float32])
@pytest.mark.parametrize("dynamic", [False, True])
def test_what_is_no_tensor_is_replaced_by_one(before, dynamic):
    own, model = Replacing(before), Replacing(before)
    program = gfx.symbolic_trace(model, X, dynamic=dynamic)
    made = gfx.transpile(model, X, to="torch", dynamic=dynamic)
    for x in (X, Y):
        assert torch.equal(made(x), own(x)) and torch.equal(program(x), own(x))
        assert torch.equal(model.table, own.table)


def test_what_is_no_tensor_and_is_asked_for_is_refused_where_later_calls_find_one():
    class Counted(Base):
        def forward(self, x):
            out = x + len(self.table)
            self.table = out
            return out

    model = Counted()
    model.table = []
    with pytest.raises(UnsupportedConstruct, match="'table' is a list in the first call and no longer in the next"):
        gfx.transpile(model, X, to="torch")


class Halving:
    """A number and an array of its own that each call changes, whatever it is given."""

    def __init__(self):
        self.calls, self.scale = 0, torch.tensor(8.0)

    def __call__(self, x):
        self.check(x)
        self.calls += 1
        self.scale = self.scale / 2
        return x * self.scale + self.calls


class Raising(Halving):
    def check(self, x):
        if x.sum() > 100:
            raise ValueError("too large")


class Asserting(Halving):
    def check(self, x):
        for row in x:
            assert row.sum() < 100


class Printing(Halving):
    def check(self, x):
        print(float(x[0, 0]))


class Converting(Halving):
    def check(self, x):
        return [int(v) for v in x[0]]


@pytest.mark.parametrize("kind", [Raising, Asserting, Printing, Converting])
def test_what_acts_on_arguments_is_none_of_what_is_made_of_its_own(kind, capsys):
    plain, program = kind(), gfx.symbolic_trace(kind(), X)
    moved = gfx.transpile(kind(), X, to="jax")
    for x in (X, Y, X):
        want = plain(x)
        torch.testing.assert_close(program(x), want)
        np.testing.assert_allclose(moved(x.numpy()), want)
