"""What code keeps for later calls, wherever it stands and however it asks for it: never the first call's graph for all of them."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.tensor([1.0, 2.0])


@dataclasses.dataclass
class Record:
    c: object = None


class Held:
    def __init__(self, c=None):
        self.c = c


def dictionary():
    held = {"c": None}

    def f(x):
        if held["c"] is None:
            held["c"] = x * 2
            return x
        return held["c"] + 1

    return f, lambda: held["c"]


def items_in_order():
    held = {"c": None}

    def f(x):
        if next(iter(held.values())) is None:
            held["c"] = x * 2
            return x
        return held["c"] + 1

    return f, lambda: held["c"]


def list_item():
    held = [None]

    def f(x):
        if held[-1] is None:
            held[0] = x * 2
            return x
        return held[0] + 1

    return f, lambda: held[0]


def copied():
    held = Held()

    def f(x):
        if copy.copy(held).c is None:
            held.c = x * 2
            return x
        return held.c + 1

    return f, lambda: held.c


def compared():
    held = Record()

    def f(x):
        if held == Record():
            held.c = x * 2
            return x
        return held.c + 1

    return f, lambda: held.c


def replaced():
    held = Record()

    def f(x):
        if dataclasses.replace(held).c is None:
            held.c = x * 2
            return x
        return held.c + 1

    return f, lambda: held.c


def buffers():
    held = nn.Identity()
    held.register_buffer("c", None)

    def f(x):
        if dict(held.named_buffers()).get("c") is None:
            held._buffers["c"] = x * 2
            return x
        return held.c + 1

    return f, lambda: held.c


@pytest.mark.parametrize("make", (dictionary, items_in_order, list_item, copied, compared, replaced, buffers))
def test_a_later_call_that_is_another_is_refused(make):
    f, kept = make()
    with pytest.raises(UnsupportedConstruct, match=r"write: .*'(c|0)'"):
        gfx.symbolic_trace(f)
    assert kept() is None


def test_a_flag_of_a_module_that_is_asked_through_its_dictionary():
    held = nn.Identity()
    held.first = True

    def f(x):
        if held.__dict__["first"]:
            held.first = False
            return x
        return x + 1

    with pytest.raises(UnsupportedConstruct, match="'first'"):
        gfx.symbolic_trace(f)


@pytest.mark.parametrize("held", ({"c": None}, [None], Held(), nn.Identity()), ids=lambda held: type(held).__name__)
def test_what_is_written_alone_is_state(held):
    def f(x):
        if isinstance(held, (dict, list)):
            held["c" if isinstance(held, dict) else 0] = x * 2
        else:
            held.c = x * 2
        return x + 1

    found = gfx.symbolic_trace(f)
    for at in range(3):
        torch.testing.assert_close(found(X + at), X + at + 1)
        kept = held["c"] if isinstance(held, dict) else held[0] if isinstance(held, list) else held.c
        torch.testing.assert_close(kept, (X + at) * 2)


@pytest.mark.parametrize(
    "read",
    (
        lambda held: dataclasses.asdict(held)["c"],
        lambda held: dataclasses.astuple(held)[0],
        lambda held: pickle.loads(pickle.dumps(held)).c,
        lambda held: torch.zeros(2) + len(repr(held)),
    ),
    ids=("asdict", "astuple", "pickle", "repr"),
)
def test_code_that_copies_the_arrays_of_an_object_is_refused(read):
    held = Record(torch.zeros(2))

    def f(x):
        held.c = read(held) + x
        return held.c

    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(f)


@pytest.mark.parametrize(
    "read",
    (lambda held: pickle.loads(pickle.dumps(held))["c"], lambda held: torch.zeros(2) + len(repr(held))),
    ids=("pickle", "repr"),
)
def test_code_that_copies_the_arrays_of_a_dictionary_is_refused(read):
    held = {"c": torch.zeros(2)}

    def f(x):
        held["c"] = read(held) + x
        return held["c"]

    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(f)


class Averaged(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("c", torch.zeros(2))
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x):
        for value in self.state_dict().values():
            value.mul_(0.5).add_(x)
        return self.c + self.w.detach()


def test_a_state_dictionary_shares_memory():
    model = Averaged()
    found, own = gfx.symbolic_trace(model), copy.deepcopy(model)
    for at in range(3):
        torch.testing.assert_close(found(X + at), own(X + at))
    torch.testing.assert_close(model.state_dict(), own.state_dict())


def test_a_state_dictionary_is_read_in_each_call():
    held = nn.Module()
    held.register_buffer("c", torch.zeros(2))

    def f(x):
        found = held.state_dict()["c"] + x
        held.c = found * 1.0
        return found

    captured = gfx.symbolic_trace(f)
    for total in (1, 2, 3):
        torch.testing.assert_close(captured(X), X * total)


@pytest.mark.parametrize(
    "f",
    (
        lambda x: torch.from_numpy(x.numpy()) + x,
        lambda x: torch.tensor(x.detach().cpu().numpy()) * 2,
        lambda x: torch.as_tensor(np.sqrt(x.numpy(force=True)).std()) + x,
    ),
    ids=("shared", "copied", "forced"),
)
@pytest.mark.parametrize("target", ("torch", "jax", "numpy"))
def test_arrays_of_numpy_made_of_tensors(f, target):
    captured = gfx.symbolic_trace(f, backend="torch")
    torch.testing.assert_close(captured(X), f(X))
    got = captured.to(target)(X if target == "torch" else X.numpy())
    torch.testing.assert_close(torch.tensor(np.asarray(got)), f(X))


def test_arrays_of_numpy_share_memory():
    def f(x):
        y = x * 1.0
        y.numpy()[0] = 5.0
        return y

    torch.testing.assert_close(gfx.symbolic_trace(f, backend="torch")(X), f(X))


class Scored:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return bool(self.v.sum() < other.v.sum())

    def __repr__(self):
        return f"Scored of {len(self.v)}"


def test_code_in_c_that_compares_by_the_arrays_of_objects_is_refused():
    held = [Scored(torch.ones(2) * 3), Scored(torch.ones(2))]
    with pytest.raises(UnsupportedConstruct, match="Python itself calls"):
        gfx.symbolic_trace(lambda x: x * sorted(held)[0].v)


def test_a_text_of_its_own_is_asked_for_what_it_tells():
    held = Scored(torch.ones(3))
    captured = gfx.symbolic_trace(lambda x: x * len(repr(held)))
    torch.testing.assert_close(captured(X), X * len("Scored of 3"))
