"""Named tuples and dataclasses that annotations say: open without examples, field by field."""

import collections
import dataclasses
from typing import NamedTuple

import jax.numpy as jnp
import pytest
import torch
from torch import Tensor

import gfx_trace as gfx

X = torch.tensor([1.0, 2.0])


@dataclasses.dataclass
class Config:
    scale: float = 2.0
    steps: int = 3
    name: str = "plain"


class Pair(NamedTuple):
    h: Tensor
    c: Tensor


@dataclasses.dataclass
class State:
    h: Tensor
    c: Tensor

    def __post_init__(self):
        self.h = self.h + 0


@dataclasses.dataclass
class Deep:
    state: State
    pair: Pair
    w: float


def of_config(x: Tensor, config: Config):
    for _ in range(config.steps):
        x = x * config.scale
    return x if config.name == "plain" else -x


def of_pair(x: Tensor, state: Pair):
    return Pair(x * state.h + state.c, state.c)


def of_state(x: Tensor, state: State):
    return State(x * state.h, state.c)


def of_deep(x: Tensor, deep: Deep):
    return x * deep.state.h + deep.pair.c * deep.w


def in_jax(tree):
    if isinstance(tree, Tensor):
        return jnp.asarray(tree.numpy())
    if isinstance(tree, tuple):
        return Pair(*map(in_jax, tree))
    if dataclasses.is_dataclass(tree):
        return type(tree)(*(in_jax(getattr(tree, field.name)) for field in dataclasses.fields(tree)))
    return tree


def parts(tree):
    if dataclasses.is_dataclass(tree):
        tree = tuple(getattr(tree, field.name) for field in dataclasses.fields(tree))
    return [torch.tensor(part.tolist()) for part in (tree if isinstance(tree, tuple) else (tree,))]


CASES = (
    (of_config, Config()),
    (of_config, Config(3.0, 1, "other")),
    (of_pair, Pair(X, X + 1)),
    (of_state, State(X, X + 1)),
    (of_deep, Deep(State(X, X + 1), Pair(X + 1, X), 0.5)),
)


@pytest.mark.parametrize("f, given", CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_records_are_open_by_their_fields(f, given):
    captured, want = gfx.symbolic_trace(f), f(X, given)
    assert type(captured(X, given)) is type(want)
    torch.testing.assert_close(parts(captured(X, given)), parts(want))
    torch.testing.assert_close(parts(captured.to("torch")(X, given)), parts(want))
    torch.testing.assert_close(parts(captured.to("jax")(in_jax(X), in_jax(given))), parts(want))


@dataclasses.dataclass
class Output(collections.OrderedDict):
    h: Tensor = None


def test_a_dataclass_that_is_a_dictionary_is_none_of_them():
    def f(x: Tensor, out: Output):
        return x * out["h"]

    with pytest.raises(gfx.GfxError, match="'out' was not given"):
        gfx.symbolic_trace(f)


def test_a_record_of_another_structure_is_refused():
    captured = gfx.symbolic_trace(of_pair)
    with pytest.raises(gfx.GfxError):
        captured(X, (X, X, X))
