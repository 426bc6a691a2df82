"""State that a call replaces: buffers, attributes and items hold a new tensor, and what was read before keeps the old one."""

import copy
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError


class Last(nn.Module):
    """What it was given the time before."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(3))

    def forward(self, x):
        previous, self.last = self.last, x * 1
        return previous


class Mean(nn.Module):
    """A running mean, and how far this call moved it, where the sum is positive."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.seen = torch.tensor(0.0)

    def forward(self, x):
        before = self.mean
        if x.sum() > 0:
            self.mean = 0.5 * self.mean + 0.5 * x
            self.seen = self.seen + 1
        self.mean *= 0.9
        return before * 1, self.mean - before, self.seen


class Twice(nn.Module):
    """A child's buffer, replaced by its parent, and one that a loop replaces."""

    def __init__(self):
        super().__init__()
        self.child = Last()
        self.register_buffer("total", torch.ones(()))

    def forward(self, x):
        y = self.child(x) + self.child(x + 1)
        for v in x:
            self.total = self.total * 0.5 + v
        self.child.last = self.child.last - self.total
        return y + self.total


class Shared(nn.Module):
    """What is written in place is seen by all that hold it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("held", torch.zeros(3))

    def forward(self, x):
        y = x * 2
        self.held = y
        y += 1
        return y * self.held


CALLS = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-4.0, 1.0, 2.0]), torch.tensor([0.5, 0.25, -0.5])]


class Renewed(nn.Module):
    """A codebook whose parameters are made anew of running means."""

    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.ones(3))
        self.table = nn.Embedding.from_pretrained(torch.arange(9.0).reshape(3, 3))

    def forward(self, x):
        before = self.table.weight
        self.mean = nn.Parameter(self.mean * 0.5 + x * 0.5)
        self.table.weight = nn.Parameter(before + self.mean)
        return self.table(torch.tensor([1, 2])) + self.mean, before.sum()


def calls_of(f):
    return [tree_of(f(x.clone())) for x in CALLS]


def tree_of(out):
    return [leaf.detach().numpy().copy() for leaf in (out if isinstance(out, tuple) else (out,))]


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("cls", [Last, Mean, Twice, Shared, Renewed])
def test_a_module_that_replaces_its_tensors_is_called_as_it_was(cls, typed):
    plain, mine = cls(), cls()
    wanted = calls_of(plain)
    program = gfx.symbolic_trace(mine, *([CALLS[0].clone()] if typed else []))
    module = gfx.transpile(program, to="torch").module()
    assert_same(calls_of(module), wanted)
    assert_same(calls_of(program), wanted)
    for name, held in plain.state_dict().items():
        torch.testing.assert_close(mine.state_dict()[name], held)


def assert_same(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        for one, other in zip(a, b, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_what_jax_made_is_held_as_the_framework_of_the_model_has_it():
    mine = Mean()
    program = gfx.symbolic_trace(mine)
    program(jnp.asarray([1.0, 2.0, 3.0]))
    assert isinstance(mine.mean, torch.Tensor) and isinstance(mine.seen, torch.Tensor)
    plain = Mean()
    plain(CALLS[0])
    torch.testing.assert_close(mine.mean, plain.mean)


def test_objects_of_one_class_have_state_of_their_own():
    a, b = SimpleNamespace(last=None), SimpleNamespace(last=None)

    def f(x):
        a.last, b.last = x + 1, x + 2
        return x

    gfx.symbolic_trace(f, backend="torch")(CALLS[0])
    torch.testing.assert_close(a.last, CALLS[0] + 1)
    torch.testing.assert_close(b.last, CALLS[0] + 2)


class Counted:
    calls, mode, scale, first, size = 0, "up", torch.ones(3), True, (1, 2)


def by_class(held, x):
    held.calls = held.calls + 1
    return x * held.calls


def by_flag(held, x):
    y = x * 2 if held.first else x
    held.first = False
    return y


def by_text(held, x):
    y = x if held.mode == "up" else -x
    held.mode = "down"
    return y


def by_size(held, x):
    y = x * held.size[0]
    held.size = (held.size[0] + 1, 2)
    return y


def by_setattr(held, x):
    if x[0] > 0:
        setattr(held, "calls", 3)
    return x * held.calls


def by_kind(held, x):
    y = x * held.scale
    held.scale = None
    return y


def by_two_places(held, x):
    y = Counted.scale * x
    held.scale = held.scale + x
    return y + held.scale


def counted(own):
    """An object that has all attributes itself, or has them of its class."""
    held = Counted()
    if own:
        vars(held).update({k: v for k, v in vars(Counted).items() if not k.startswith("__")})
    return held


@pytest.mark.parametrize("own", [True, False], ids=["its own", "its class's"])
@pytest.mark.parametrize("write", [by_class, by_flag, by_setattr])
def test_a_number_of_an_object_or_of_its_class_is_what_the_calls_made_of_it(write, own):
    held, plain = counted(own), counted(own)
    before = copy.copy(vars(held))
    program = gfx.symbolic_trace(lambda x: write(held, x), backend="torch")
    assert vars(held) == before
    for x in CALLS:
        torch.testing.assert_close(program(x), write(plain, x))
        assert (held.calls, held.first) == (plain.calls, plain.first)


def to_a_number(held, n):
    if n <= 2:
        held.calls = 2


def to_the_argument(held, n):
    held.calls = n if n > 2 else held.calls


def to_a_truth(held, n):
    held.first = n > 2 or held.first


def to_both(held, n):
    held.calls, held.first = (held.calls + 1, True) if n > 2 else (0, not held.first)


@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
@pytest.mark.parametrize("write", [to_a_number, to_the_argument, to_a_truth, to_both])
def test_a_number_that_an_open_test_chooses_is_state(write, target):
    def function(held):
        def f(x, n: int):
            write(held, n)
            return x * held.calls + held.first

        return f

    plain = function(counted(True))
    moved = gfx.transpile(function(counted(True)), to=target, backend="torch")
    given = {"torch": torch.tensor, "jax": jnp.asarray, "numpy": np.array}[target]([1.0, 2.0])
    for n in (1, 5, 3, 0, 7):
        np.testing.assert_allclose(moved(given, n), plain(torch.tensor([1.0, 2.0]), n))


@pytest.mark.parametrize("own", [True, False], ids=["its own", "its class's"])
@pytest.mark.parametrize("write", [by_text, by_size, by_kind, by_two_places])
def test_what_the_graph_takes_for_fixed_may_not_change(write, own):
    held = counted(own)
    before = copy.copy(vars(held))
    with pytest.raises(CaptureError, match=r"GFX cannot convert this write(.|\n)*test_replaced_state.py"):
        gfx.symbolic_trace(lambda x: write(held, x), backend="torch")
    assert vars(held) == before


def test_a_class_gives_what_an_object_begins_with():
    held, plain = Counted(), Counted()

    def f(x):
        held.scale = held.scale * x
        return held.scale

    program = gfx.symbolic_trace(f, backend="torch")
    for x in CALLS:
        plain.scale = plain.scale * x
        torch.testing.assert_close(program(x), plain.scale)


@pytest.mark.parametrize("made", [lambda x: x[:2], lambda x: x.long()])
def test_state_keeps_shape_and_dtype(made):
    held = SimpleNamespace(h=torch.zeros(3))

    def f(x):
        y = held.h.sum()
        held.h = made(x)
        return y

    with pytest.raises(GuardError, match="'h' of"):
        gfx.symbolic_trace(f, backend="torch")(CALLS[0])
    torch.testing.assert_close(held.h, torch.zeros(3))


def test_a_parameter_is_replaced_by_parameters_alone():
    class Wrong(nn.Linear):
        def forward(self, x):
            self.bias = nn.Parameter(self.bias) + 1
            return super().forward(x)

    model = Wrong(3, 3)
    with pytest.raises(TypeError, match=r"cannot assign .* as parameter 'bias'"):
        gfx.symbolic_trace(model)
    assert isinstance(model.bias, nn.Parameter)


class Kept(nn.Module):
    """Keeps what a layer gave, in a dictionary of its own, for the rest of the call."""

    def __init__(self):
        super().__init__()
        self.layer, self.kept = nn.Linear(4, 4), {}
        self.layer.register_forward_hook(self.keep)

    def keep(self, module, given, made):
        self.kept["layer"] = made

    def forward(self, x):
        return self.layer(x) + self.kept["layer"] + sum(self.kept.values())


def test_what_a_call_writes_before_it_reads_it_is_not_of_the_call_before():
    model, x = Kept(), torch.randn(2, 4)
    program = gfx.symbolic_trace(model, gfx.TensorSpec(("n", 4)))
    assert not model.kept
    want = model(x)
    torch.testing.assert_close(program(x), want)
    torch.testing.assert_close(program(x), want)
    torch.testing.assert_close(model.kept["layer"] * 3, want)
    made = gfx.transpile(model, x, to="jax")
    np.testing.assert_allclose(made(jnp.asarray(x.numpy())), want.detach().numpy(), rtol=1e-5, atol=1e-6)


READ_BEFORE = {
    "in": lambda kept, x: x if "y" in kept else kept.setdefault("z", 1),
    "in, written on both sides": lambda kept, x: kept.__setitem__("y", x * 3 if "y" in kept else x) or kept["y"],
    "get": lambda kept, x: kept.get("y", x),
    "length": lambda kept, x: x * len(kept),
    "loop": lambda kept, x: sum([x for _ in kept], x),
    "values": lambda kept, x: sum(kept.values(), x),
    "failure": lambda kept, x: kept["y"] if kept.keys() else x,
}


@pytest.mark.parametrize("read", READ_BEFORE.values(), ids=READ_BEFORE)
def test_a_key_that_code_asks_for_before_it_writes_it_is_refused(read):
    class Reads(nn.Module):
        def __init__(self):
            super().__init__()
            self.kept = {}

        def forward(self, x):
            found = read(self.kept, x)
            self.kept["y"] = x * 2
            return found

    model = Reads()
    with pytest.raises(CaptureError):
        gfx.symbolic_trace(model, torch.randn(2, 4))
    assert not model.kept


class Initialised(nn.Module):
    """Takes its weights from the first input, unless it has them."""

    def __init__(self):
        super().__init__()
        self.weight, self.there = nn.Parameter(torch.ones(3)), nn.Buffer(torch.tensor(1))

    def forward(self, x):
        if self.there.item() == 0:
            self.weight.data.copy_(x.mean(0))
            self.there.fill_(1)
        return x * self.weight * self.weight


def test_a_parameter_that_a_call_left_as_it_was_has_its_gradient():
    model = Initialised()
    module = gfx.transpile(model, torch.arange(6.0).reshape(2, 3), to="torch").module()
    for called in (model, module):
        called(torch.arange(6.0).reshape(2, 3)).sum().backward()
    torch.testing.assert_close(module.weight.grad, model.weight.grad)


class Recurrent(nn.Module):
    """State that its user sets back between sequences."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(3))
        self.hidden, self.steps, self.table = torch.zeros(3), 0, {"sum": torch.zeros(3)}

    def forward(self, x):
        self.hidden, self.last, self.steps = self.hidden * 0.5 + x, self.last + x, self.steps + 1
        self.table["sum"] = self.table["sum"] + self.hidden
        return self.hidden * self.steps + self.last + self.table["sum"]

    def set_back(self):
        self.hidden, self.last, self.steps = torch.zeros(3), torch.ones(3), 2
        self.table["sum"] = torch.zeros(3)


def test_a_model_that_is_set_back_begins_anew():
    model, plain = Recurrent(), Recurrent()
    program = gfx.symbolic_trace(model, CALLS[0])
    for held in (model, plain):
        held.set_back()
    for count in range(2):
        for x in CALLS:
            torch.testing.assert_close(program(x), plain(x))
        for held in (model, plain):
            held.set_back() if count else held.hidden.zero_()
    torch.testing.assert_close(program.on("torch")(CALLS[0]), plain(CALLS[0]))


@pytest.mark.parametrize("name, held", [("hidden", None), ("hidden", torch.zeros(2)), ("steps", 0.5)])
def test_a_model_that_is_set_to_what_was_not_captured_is_refused(name, held):
    model = Recurrent()
    program = gfx.symbolic_trace(model, CALLS[0])
    program(CALLS[0])
    setattr(model, name, held)
    with pytest.raises(GuardError, match=f"'{name}'"):
        program(CALLS[0])
