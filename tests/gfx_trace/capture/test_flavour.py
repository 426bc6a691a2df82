"""Whose semantics a function has: annotations first, then arguments, then the globals that its code really loads."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import std

import gfx_trace as gfx
from gfx_trace.values.flavour import flavour_of

T = torch.Tensor
assert std is torch.std
X = np.array([[1.0, 2.0], [3.0, 5.0]])


def attributes_of_these_names(x: np.ndarray):
    return x.T.std()


def attributes_without_annotation(x):
    return x.T.std()


def loads_it(x):
    return std(x)


def annotated(x: torch.Tensor):
    return x.std()


def generator(x, rng: np.random.Generator):
    return jnp.sum(x)


class Graphs(NamedTuple):
    nodes: Any
    sizes: Any = 2


@dataclasses.dataclass
class State:
    graphs: Any


def by_attribute(x):
    return x.jnp.std() if hasattr(x, "jnp") else np.std(x)


def quoted(x: jnp.ndarray):
    return x


def one_of(x: T):
    return x


def bare(x):
    return x.T.std()


in_jit = jax.jit(bare)


def calls_one_in_jit(x):
    return in_jit(x) + x.std()


@pytest.mark.parametrize(
    ("fn", "args", "expected"),
    [
        (attributes_of_these_names, (), "numpy"),
        (attributes_of_these_names, (torch.ones(2),), "numpy"),
        (attributes_without_annotation, (), None),
        (attributes_without_annotation, (X,), "numpy"),
        (attributes_without_annotation, (State(Graphs(jnp.ones(2))),), "jax"),
        (functools.partial(attributes_without_annotation, {"w": jnp.ones(2)}), (X,), "jax"),
        (loads_it, (), "torch"),
        (annotated, (X,), "torch"),
        (generator, (), "jax"),
        (by_attribute, (), "numpy"),
        (quoted, (), "jax"),
        (one_of, (), "torch"),
        (in_jit, (), "jax"),
        (jax.vmap(bare), (), "jax"),
        (functools.partial(in_jit), (), "jax"),
        (calls_one_in_jit, (), "jax"),
        (torch.no_grad()(bare), (), "torch"),
        (functools.cache(loads_it), (), "torch"),
        (functools.cache(bare), (), None),
    ],
)
def test_who_decides(fn, args, expected):
    found = flavour_of(fn, args, {}, None)
    assert (None if found is None else found.name) == expected


def test_an_attribute_is_no_reference():
    program = gfx.symbolic_trace(attributes_of_these_names)
    np.testing.assert_allclose(program(X), X.T.std())
