"""What a call leaves for the next in attributes and in arrays from outside: state, or refused where the graph took it for fixed."""

import copy
import weakref

import numpy as np
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


@pytest.mark.parametrize("kind", [SetOnBothSides, SetAnew, SetInEachTrip, KeptOnOneSide, KeptByALoop, SetByAProperty])
def test_a_number_that_a_call_sets_is_state(kind):
    model, plain = kind(), kind()
    program = gfx.symbolic_trace(model)
    for x in (X, Y, X):
        torch.testing.assert_close(program(x), plain(x))
        assert float(model.gain) == plain.gain


class Emptied(Gain):
    """Each call begins with a list of its own, and here puts nothing in it."""

    def __init__(self):
        super().__init__()
        self.seen, self.keep, self.sizes = [], False, {"rank": [1, ("f", 1.5)]}

    def forward(self, x):
        self.seen, self.sizes = [], {"rank": [x.ndim, ("f", 1.5)]}
        for i in range(2):
            x = x * self.sizes["rank"][0] + i
            if self.keep:
                self.seen.append(x)
        return x


def test_a_container_that_each_call_makes_equal_is_no_state():
    model, plain = Emptied(), Emptied()
    program = gfx.symbolic_trace(model, X)
    torch.testing.assert_close(program(Y), plain(Y))
    assert (model.seen, model.sizes) == ([], plain.sizes) and not program.writes


class Recorder(nn.Module):
    """What each call keeps of its own, of open sizes too, and none of it asks for."""

    def __init__(self, asks=False):
        super().__init__()
        self.features, self.losses, self.size, self.asks = [], None, (1, 1), asks

    def forward(self, x):
        count = len(self.features) if self.asks else 1
        self.features = []
        for i in range(2):
            x = x * 2 + i
            self.features.append((x, x.shape))
        self.losses = {"mean": x.mean(), "parts": [x.sum(), self.features[0][0]]}
        self.size, self.rows, self.both = x.shape[-2:], x.shape[0], (x, x.shape[0])
        self.pair = x * 3, x - 1
        return x * count * self.size[0]


@pytest.mark.parametrize("dynamic", [False, True])
def test_containers_and_sizes_that_a_call_keeps_are_state(dynamic):
    model, plain = Recorder(), Recorder()
    program = gfx.symbolic_trace(model, torch.ones(2, 3), dynamic=dynamic)
    for x in (torch.ones(2, 3), torch.ones(4, 5) if dynamic else torch.zeros(2, 3)):
        torch.testing.assert_close(program(x), plain(x))
        assert (model.size, model.rows, model.both[1]) == (plain.size, plain.rows, plain.both[1])
        torch.testing.assert_close([a for a, _ in model.features], [a for a, _ in plain.features])
        torch.testing.assert_close((model.losses, model.pair), (plain.losses, plain.pair))
    with pytest.raises(UnsupportedConstruct, match="contents of a Recorder outlive the call"):
        gfx.symbolic_trace(Recorder(asks=True), torch.ones(2, 3), dynamic=dynamic)


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


TOTALS = {"sum": torch.zeros(()), "count": np.array(0)}


def in_a_dict(x: torch.Tensor):
    TOTALS["sum"].add_(x.sum())
    return x + TOTALS["sum"]


def under_a_test(x: torch.Tensor):
    if x.sum() > 0:
        TOTALS["sum"] += x.sum()
    return x * TOTALS["sum"]


def of_numpy(x: np.ndarray):
    count = TOTALS["count"]
    count += 1
    count[...] = count * 2
    return x * TOTALS["count"]


@pytest.mark.parametrize("f", [in_a_dict, under_a_test, of_numpy])
def test_an_array_without_axes_keeps_what_a_call_writes_to_it(f, monkeypatch):
    make = np.array if f is of_numpy else torch.tensor
    calls = [make([1.0, 2.0]), make([-4.0, 1.0]), make([2.0, 0.0])]
    found = []
    for traced in (False, True):
        monkeypatch.setitem(TOTALS, "sum", torch.zeros(()))
        monkeypatch.setitem(TOTALS, "count", np.array(0))
        run = gfx.symbolic_trace(f) if traced else f
        found.append([run(x).tolist() for x in calls])
    assert found[0] == found[1]


class SharedBuffer(nn.Module):
    def __init__(self, view):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))
        self.register_buffer("c", torch.ones(3))
        self.v = view(self.a)

    def forward(self, x):
        self.a.add_(x.sum())
        self.c.mul_(2)
        return self.a * self.v.sum() + self.c


@pytest.mark.parametrize("view", [lambda a: a[:2], lambda a: a.view(3, 1), lambda a: a.numpy()])
def test_a_view_from_outside_of_what_is_written_is_refused(view):
    with pytest.raises(UnsupportedConstruct, match=r"another tensor that the code uses shares the memory of 'a'|numpy"):
        gfx.symbolic_trace(SharedBuffer(view))


@pytest.mark.parametrize("apart", [lambda a: a, lambda a: a.clone(), lambda a: torch.zeros(6)[:2]])
def test_one_buffer_under_two_names_is_written_once(apart):
    model, plain = SharedBuffer(apart), SharedBuffer(apart)
    program = gfx.symbolic_trace(model)
    for x in (X, Y):
        torch.testing.assert_close(program(x), plain(x))
        torch.testing.assert_close(model.a, plain.a)


class KeptObject(nn.Module):
    """Keeps an object of its data, as policies keep their distribution."""

    def __init__(self, before, asked):
        super().__init__()
        self.kept, self.asked = before, asked

    def forward(self, x):
        scale = vars(self)["kept"].scale.sum() if self.asked else 1.0
        self.kept = torch.distributions.Normal(x, 2.0, validate_args=False)
        return self.kept.log_prob(x + 1) * scale


@pytest.mark.parametrize("before", [None, torch.distributions.Normal(0.0, 1.0)])
def test_an_object_of_tensors_that_is_kept_is_state_unless_a_call_asks_what_stood_there(before):
    model, plain = KeptObject(before, False), KeptObject(before, False)
    program = gfx.symbolic_trace(model, X)
    for x in (X, Y):
        torch.testing.assert_close(program(x), plain(x))
        torch.testing.assert_close(model.kept.loc, plain.kept.loc)
    assert gfx.check(program, X).ok
    if before is not None:
        with pytest.raises(UnsupportedConstruct, match="the Normal that the code makes outlives the call"):
            gfx.symbolic_trace(KeptObject(before, True), X)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls, self.last = 0, None

    def forward(self, x):
        self.calls += 1
        self.last = x * self.calls
        return self.last + 1


class Indexed(nn.Module):
    """Layers of a class of the user's, of which the containers of PyTorch give one."""

    def __init__(self, given):
        super().__init__()
        self.layers, self.named = nn.ModuleList([Counting(), Counting()]), nn.ModuleDict({"a": Counting()})
        self.row, self.given = nn.Sequential(Counting(), Counting()), given
        self.weak = weakref.WeakValueDictionary(a=self.row[1])

    def forward(self, x):
        return self.given(self)(x)


@pytest.mark.parametrize(
    "given",
    [
        lambda m: m.layers[-1], lambda m: m.named["a"], lambda m: m.row[0], lambda m: m.get_submodule("layers.1"),
        lambda m: m.row[:1], lambda m: list(m.layers.children())[0], lambda m: copy.deepcopy(m.row[1]),
        lambda m: m.weak["a"],
    ],
)  # fmt: skip
def test_layers_that_a_container_gives_have_state(given):
    model, plain = Indexed(given), Indexed(given)
    program = gfx.symbolic_trace(model, torch.ones(2))
    assert all(not isinstance(m, Counting) or (m.calls, m.last) == (0, None) for m in model.modules())
    for x in (torch.ones(2), torch.full((2,), 3.0)):
        torch.testing.assert_close(program(x), plain(x))
    for a, b in zip(model.modules(), plain.modules()):
        assert not isinstance(a, Counting) or a.calls == b.calls
