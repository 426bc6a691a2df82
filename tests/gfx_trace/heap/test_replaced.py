"""What calls replace, and code comes to in any way: state of the program, an array without axes for each Python number."""

import copy
import functools
import math

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.arange(6.0).reshape(2, 3) - 2
CALLS = (X, X + 1, -X, X * 3)


class Meter:
    def __init__(self):
        self.count, self.total = 0, 0.5

    def add(self, x):
        self.count += 1
        self.total *= 2
        return x * self.count + self.total


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps, self.first, self.mean, self.best = 0, True, 0.0, float("inf")
        self.table, self.listed, self.meter = {"calls": 3}, [0, 1.5], Meter()


class Schedule(Counts):
    def forward(self, x):
        self.steps += 1
        return x * min(1.0, self.steps / 3)


class Flag(Counts):
    def forward(self, x):
        if self.first:
            self.first = False
            x = x * 2
        return x


class Alternating(Counts):
    def forward(self, x):
        self.first = not self.first
        return x if self.first else -x


class WritesWeights(Counts):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]), requires_grad=False)

    def forward(self, x):
        y = x * self.weight
        if self.first:
            self.weight.div_(2)
            self.first = False
        return y


class InItsModule(Counts):
    def __init__(self):
        super().__init__()
        self.leaky = nn.LeakyReLU(0.1)

    def forward(self, x):
        y = self.leaky(x)
        self.leaky.negative_slope += 0.1
        return y


class OfCopies(Counts):
    def forward(self, x):
        self.table["calls"] += 1
        own, both = copy.copy(self.table), {**self.table}
        return x * own["calls"] + both["calls"]


class Position(Counts):
    def forward(self, x):
        self.steps = (self.steps + 1) % 3
        return x[:, self.steps]


class Trips(Counts):
    def forward(self, x):
        self.steps += 1
        for i in range(self.steps):
            x = x + i
        return x


class InALoop(Counts):
    def forward(self, x):
        for _ in range(x.shape[0]):
            self.steps += 1
            x = x + self.steps
        return x


class UnderATest(Counts):
    def forward(self, x):
        if x.sum() > 0:
            self.steps += 1
        else:
            self.steps -= 2
        return x + self.steps


class OfData(Counts):
    def forward(self, x):
        self.best = min(self.best, float(x.sum()))
        return x * self.best


class OfItems(Counts):
    def forward(self, x):
        self.table["calls"] -= 1
        self.listed[0] += 2
        self.listed[1] *= 2
        return x * self.table["calls"] + self.listed[0] - self.listed[1]


class OfAnObject(Counts):
    def forward(self, x):
        return self.meter.add(self.meter.add(x))


class BecomesATensor(Counts):
    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean()
        return x - self.mean


ALL = [
    Schedule, Flag, Alternating, WritesWeights, InItsModule, OfCopies, Position, Trips, InALoop, UnderATest, OfData, OfItems, OfAnObject, BecomesATensor,
]  # fmt: skip


def results(call):
    return [torch.from_numpy(np.array(call(x))) for x in CALLS]


@pytest.mark.parametrize("kind", ALL)
def test_numbers_that_calls_change_are_state(kind):
    wanted = results(kind())
    model = kind()
    program = gfx.symbolic_trace(model, X)
    torch.testing.assert_close(results(program), wanted)
    for target in ("torch", "jax", "numpy"):
        emitted = gfx.transpile(kind(), X, to=target)
        found = results(emitted if target == "torch" else lambda x, f=emitted: f(x.numpy()))
        torch.testing.assert_close(found, wanted, check_dtype=False)


def test_the_object_has_the_numbers_behind_the_calls():
    model, alone = OfAnObject(), OfAnObject()
    program = gfx.symbolic_trace(model, X)
    assert (model.meter.count, model.meter.total) == (0, 0.5)
    results(program), results(alone)
    assert (model.meter.count, model.meter.total) == (alone.meter.count, alone.meter.total)
    assert type(model.meter.count) is int


def test_a_module_of_the_emitted_code_has_them_as_buffers():
    module = gfx.transpile(Schedule(), X, to="torch").module()
    torch.testing.assert_close(results(module), results(Schedule()))
    assert dict(module.named_buffers())["steps"] == len(CALLS)
    assert module.state_dict().keys() == Schedule().state_dict().keys()


class OfAnotherType(Counts):
    def forward(self, x):
        self.steps += 0.5
        return x * self.steps


class Repeated(Counts):
    def forward(self, x):
        self.steps += 1
        return torch.cat([x] * self.steps)


@pytest.mark.parametrize("kind", [OfAnotherType, Repeated])
def test_what_no_array_stands_for_is_refused_by_the_number(kind):
    with pytest.raises(UnsupportedConstruct, match="'steps' is a Python number that changes from call to call"):
        gfx.symbolic_trace(kind(), X)
    assert kind().steps == 0


class Holder:
    def __init__(self, held):
        self.held, self.table = held, {"held": held}


def in_table(holder, x):
    holder.table["held"] = x


ASKS = {
    "of its attributes": (lambda o: vars(o).get("held"), lambda o, x: setattr(o, "held", x)),
    "by the method of object": (lambda o: o.__getattribute__("held"), lambda o, x: setattr(o, "held", x)),
    "of a dictionary": (lambda o: o.table.get("held"), in_table),
    "by an iterator": (lambda o: next(iter(o.table.values())), in_table),
}


@pytest.mark.parametrize("held", [torch.tensor(True), True])
@pytest.mark.parametrize(("ask", "write"), ASKS.values(), ids=ASKS)
def test_a_flag_that_calls_turn_is_found_turned(ask, write, held):
    def turning(holder):
        def f(x):
            flag = ask(holder)
            write(holder, flag ^ True)
            return x * 2 if flag else x

        return f

    program = gfx.symbolic_trace(turning(Holder(held)), X)
    torch.testing.assert_close(results(program), results(turning(Holder(held))))


class Empty(nn.Module):
    """What its first call fills."""

    def __init__(self):
        super().__init__()
        self.hidden, self.table = None, {"k": None}
        self.register_buffer("buffered", None)

    def set_back(self):
        self.hidden = self.table["k"] = self.buffered = None


class Recurrent(Empty):
    def forward(self, x):
        if self.hidden is None:
            self.hidden = torch.zeros_like(x)
        self.hidden = torch.tanh(x + self.hidden)
        return self.hidden


class ByAConditional(Empty):
    def forward(self, x):
        mean = x.mean(0)
        self.hidden = mean if self.hidden is None else 0.9 * self.hidden + 0.1 * mean
        return x - self.hidden


class Before(Empty):
    def forward(self, x):
        before, self.hidden = self.hidden, x
        return x if before is None else x - before


class InADictionary(Empty):
    def forward(self, x):
        self.table["k"] = x * 2 if self.table.get("k") is None else self.table["k"] + x
        return self.table["k"]


class ABuffer(Empty):
    def forward(self, x):
        if self.buffered is not None:
            self.buffered = self.buffered + x.sum()
        else:
            self.buffered = x.sum()
        return x * self.buffered


class InTheLoop(Empty):
    def forward(self, x):
        out = []
        for row in x:
            if self.hidden is None:
                self.hidden = torch.zeros(3)
            self.hidden = 0.9 * self.hidden + row
            out.append(self.hidden)
        return torch.stack(out)


class OrOfAnotherShape(Empty):
    def forward(self, x):
        if getattr(self, "hidden", None) is None or self.hidden.shape != x.shape:
            self.hidden = x
        y = self.hidden + x
        self.hidden = y * 0.1
        return y


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    "kind", [Recurrent, ByAConditional, Before, InADictionary, ABuffer, InTheLoop, OrOfAnotherShape]
)
def test_what_is_none_until_a_call_fills_it_is_state(kind, dynamic):
    wanted, model = results(kind()), kind()
    program = gfx.symbolic_trace(model, X, dynamic=dynamic)
    for _ in range(2):
        torch.testing.assert_close(results(program), wanted)
        model.set_back()
    for target in ("torch", "jax", "numpy"):
        emitted = gfx.transpile(kind(), X, to=target, dynamic=dynamic)
        found = results(emitted if target == "torch" else lambda x, f=emitted: f(x.numpy()))
        torch.testing.assert_close(found, wanted, check_dtype=False)


def test_a_number_that_calls_write_and_none_reads_is_left_behind():
    class Kept:
        def __init__(self):
            self.items, self.twice, self.calls = [0, 0], 0, 0

        def __call__(self, x):
            self.items[0] += 1
            self.items[1] = self.items[0] * 2
            self.calls += 1
            self.twice = self.calls * 2
            return x * self.items[1] + self.twice

    wanted, kept, left = results(author := Kept()), Kept(), vars(author)
    torch.testing.assert_close(results(gfx.symbolic_trace(kept, X)), wanted)
    assert vars(kept) == left


def test_whether_it_is_there_is_a_parameter():
    emitted = gfx.transpile(Recurrent(), X, to="torch")
    assert 'params["hidden"] if bool(params["has_hidden"]) else torch.zeros_like(x)' in emitted.source


class Neuron(nn.Module):
    """One that integrates and fires, as spiking networks have them."""

    def __init__(self):
        super().__init__()
        self.charge, self.calls = None, 0

    def forward(self, x):
        if self.charge is None:
            self.charge = torch.zeros_like(x)
        self.calls += 1
        self.charge = 0.9 * self.charge + x
        fires = (self.charge > 1).float()
        self.charge = self.charge - fires
        return fires


class Spiking(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Neuron(), nn.LeakyReLU(0.5), Neuron())

    def forward(self, x):
        return self.layers(x * 3)


def test_state_of_modules_stands_under_their_paths(tmp_path):
    wanted, module = results(Spiking()), gfx.transpile(Spiking(), X, to="torch").module()
    torch.testing.assert_close(results(module), wanted)
    assert dict(module.named_buffers()).keys() >= {"layers.0.charge", "layers.0.has_charge", "layers.2.calls"}
    program = gfx.symbolic_trace(Spiking(), X)
    assert gfx.check(program, X).ok
    program.save(tmp_path / "spiking.gfx")
    torch.testing.assert_close(results(gfx.load(tmp_path / "spiking.gfx")), wanted)
    assert "neuron(params[2], F.leaky_relu(" in gfx.transpile(Spiking(), X, to="torch").source


class Shared:
    """Its array stands in its containers, too."""

    def __init__(self):
        self.v = torch.ones(2, 3)
        self.rows, self.by, self.unread = [self.v, self.v * 2], {"a": self.v}, [self.v]


WITHIN = {
    "list": lambda m: m.rows, "copied": lambda m: list(m.rows), "star": lambda m: [*m.rows], "slice": lambda m: m.rows[:1],
    "item": lambda m: m.rows[0], "stack": lambda m: torch.stack(m.rows), "dictionary": lambda m: m.by, "values": lambda m: [*m.by.values()],
    "merged": lambda m: {**m.by}, "tuple": lambda m: tuple(m.rows),
}  # fmt: skip


@pytest.mark.parametrize("name", WITHIN)
def test_what_is_replaced_and_still_found_in_a_container_is_refused(name):
    held = Shared()

    def f(x):
        held.v = held.v + x
        return held.v, WITHIN[name](held)

    with pytest.raises(gfx.GfxError, match="met elsewhere"):
        gfx.symbolic_trace(f, backend="torch")


def test_a_container_that_no_call_reads_may_hold_what_is_replaced():
    def made(held):
        def f(x):
            held.v = held.v + x
            return held.v * len(held.unread)

        return f

    program = gfx.symbolic_trace(made(Shared()), backend="torch")
    torch.testing.assert_close(results(program), results(made(Shared())))


READS = {
    "sum": lambda m: sum(m.rows), "prod": lambda m: math.prod(m.rows), "loop": lambda m: [row * 2 for row in m.rows], "star": lambda m: max(*m.rows, key=len),
    "zip": lambda m: [a + b for a, b in zip(m.rows, m.rows)], "reduce": lambda m: functools.reduce(torch.add, m.rows), "get": lambda m: m.by.get("a") * 1,
    "next": lambda m: next(iter(m.rows)) * 1, "map": lambda m: list(map(torch.neg, m.rows)), "stack": lambda m: torch.stack(m.rows),
}  # fmt: skip


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("first", [True, False], ids=["read before", "read behind"])
def test_what_a_container_holds_is_read_as_it_was_written(name, first):
    def made(held):
        def f(x):
            found = READS[name](held) if first else None
            held.v += x
            held.rows[-1][1:] = x[:1]
            return found if first else READS[name](held)

        return f

    program, wanted = gfx.symbolic_trace(made(Shared()), backend="torch"), made(Shared())
    for x in (X, X + 1, X * 2):
        torch.testing.assert_close(program(x), wanted(x))
