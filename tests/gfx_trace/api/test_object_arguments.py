"""Arguments that are objects with tensors among their attributes, as the caches of language models are."""

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct


class Layer:
    def __init__(self):
        self.keys, self.ready, self.device = None, False, None

    def update(self, keys):
        if not self.ready:
            self.keys, self.ready, self.device = keys[:, :0], True, keys.device
        self.keys = torch.cat((self.keys, keys), 1)
        return self.keys


class Inner:
    def __init__(self):
        self.layer = Layer()


class Cache:
    """Of two layers, one in an object of its own."""

    def __init__(self):
        self.inner, self.first, self.calls = Inner(), [Layer()], 3

    @property
    def layers(self):
        return [*self.first, self.inner.layer]


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x, cache=None):
        cache = cache if cache is not None else Cache()
        for block, layer in zip(self.blocks, cache.layers):
            keys = layer.update(block(x))
            x = torch.softmax(x @ keys.transpose(1, 2), -1) @ keys
        return {"out": x, "cache": cache}


@dataclasses.dataclass
class Output(collections.OrderedDict):
    """A model output: a dictionary of the fields that are not None."""

    out: Any = None
    left: Any = None
    cache: Any = None

    def __post_init__(self):
        self.update((name, held) for name, held in vars(self).items() if held is not None)


class WithOutput(Step):
    def forward(self, x, cache=None):
        return Output(**super().forward(x, cache))


X, Y = torch.rand(2, 3, 4), torch.rand(2, 1, 4)


@pytest.mark.parametrize("kind", [Step, WithOutput])
def test_the_programs_step_leaves_the_cache_as_the_models_does(kind):
    model = kind()
    with torch.no_grad():
        program = gfx.symbolic_trace(model, Y, model(X)["cache"], dynamic=True)
        want, got = model(X)["cache"], model(X)["cache"]
        for _ in range(3):
            torch.testing.assert_close(program(Y, got)["out"], model(Y, want)["out"])
        for a, b in zip(want.layers, got.layers):
            assert a.keys.shape == (2, 6, 4) and torch.equal(a.keys, b.keys)
        again = program(Y, got)["cache"]
        assert type(again) is Cache and again.calls == 3 and again.layers[1].ready


@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
def test_what_a_prefill_gives_is_what_a_step_takes(target):
    model = Step()
    made = (lambda x: x) if target == "torch" else np.asarray
    with torch.no_grad():
        prefill = gfx.transpile(model, X, to=target, dynamic=True)
        step = gfx.transpile(model, Y, model(X)["cache"], to=target, dynamic=True)
        want, got = model(X), prefill(made(X))
        for _ in range(2):
            want, got = model(Y, want["cache"]), step(made(Y), got["cache"])
            np.testing.assert_allclose(got["out"], want["out"], rtol=1e-5, atol=1e-6)


def test_what_else_the_object_holds_is_given():
    cache = Step()(X)["cache"]
    program = gfx.symbolic_trace(Step(), Y, cache)
    cache.calls = 4
    with pytest.raises(GuardError, match=r"cache\.calls == 3"):
        program(Y, cache)


def test_an_object_that_is_written_and_not_returned():
    def function(x, layer):
        layer.keys = layer.keys + x
        return x * 2

    layer = Layer()
    layer.keys = X
    with pytest.raises(UnsupportedConstruct, match="'keys' of an argument is replaced"):
        gfx.symbolic_trace(function, X, layer)
    assert layer.keys is X


def test_dims_of_equal_names_in_two_dictionaries_are_apart():
    program = gfx.symbolic_trace(
        lambda a: a["l"]["w"].sum() + a["r"]["w"].sum(), {"l": {"w": X}, "r": {"w": Y}}, dynamic=True
    )
    assert torch.isclose(program({"l": {"w": X}, "r": {"w": Y}}), X.sum() + Y.sum())


class Window:
    def __init__(self, keys):
        self.keys, self.seen, self.share, self._mark, self.length = keys, 0, 1.0, torch.ones(()), 4


def slide(x, window=None):
    window = window if window is not None else Window(x[:, :0])
    window.seen, window.share = window.seen + x.shape[1], window.share / 2
    full = torch.cat((window.keys, x), 1)
    window.keys = full[:, 1 - window.length :]
    at = torch.arange(full.shape[1]) + max(window.seen - window.length, 0)
    return full * at[:, None] * window.share, window


def test_numbers_that_the_code_counts_in_stay_open():
    """Beyond the window's length, too, where a test on the count changes its answer."""
    step = gfx.symbolic_trace(slide, Y, slide(X)[1], dynamic=True)
    emitted, found = gfx.transpile(step, to="torch"), slide(X)[1]
    assert emitted(Y, found)[1]._fields == ("keys", "seen", "share", "mark")
    window, theirs = slide(X)[1], slide(X)[1]
    for _ in range(4):
        (out, window), (made, found), (wanted, theirs) = step(Y, window), emitted(Y, found), slide(Y, theirs)
        assert torch.equal(out, wanted) and torch.equal(made, wanted)
        assert (window.seen, window.share) == (found.seen, found.share) == (theirs.seen, theirs.share)
    fixed = gfx.symbolic_trace(slide, Y, slide(X)[1])
    with pytest.raises(GuardError, match="seen"):
        fixed(Y, fixed(Y, slide(X)[1])[1])


class Counter:
    def __init__(self):
        self.keys, self.counts, self.pair, self.mode, self.done = X, {"n": [1]}, (1, 2), None, False


def in_a_container(x, counter):
    counter.counts["n"][0] += 1
    return x * counter.counts["n"][0], counter


def in_a_tuple(x, counter):
    counter.pair = (counter.pair[0] + 1, 2)
    return x * counter.pair[0], counter


def from_none(x, counter):
    counter.mode = 5 if counter.mode is None else counter.mode + 1
    return x * counter.mode, counter


def by_a_flag(x, counter):
    counter.done = not counter.done
    return (x if counter.done else 2 * x), counter


@pytest.mark.parametrize("f", [in_a_container, in_a_tuple, from_none, by_a_flag])
def test_what_the_next_call_finds_otherwise_is_returned_and_refused_there(f):
    step = gfx.transpile(f, Y, Counter(), to="torch", dynamic=True)
    counter = step(Y, Counter())[1]
    with pytest.raises(GuardError, match="as given, and the call has"):
        step(Y, counter)


def by_an_object(x, counter):
    x, counter.mode = (2 * x if counter.mode is None else x), x.dtype
    return x, counter


def test_an_object_in_place_of_none_is_refused():
    with pytest.raises(UnsupportedConstruct, match="the code sets 'mode' to a dtype"):
        gfx.transpile(by_an_object, Y, Counter(), to="torch")
