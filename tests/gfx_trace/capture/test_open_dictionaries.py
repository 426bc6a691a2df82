"""Arguments annotated as dictionaries that are not given: they have the keys that the code asks for, or those of a TypedDict."""

from typing import TypedDict

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct

X, W, B = torch.tensor([1.0, -2.0]), torch.tensor([0.5, 3.0]), torch.tensor([-1.0, 1.5])


class Affine(TypedDict):
    w: torch.Tensor
    b: torch.Tensor


class Counted(TypedDict):
    w: torch.Tensor
    times: int


def affine(p, x):
    return p["w"] * x + p["b"]


def asked(p: dict, x):
    try:
        x = affine(p, x)
    finally:
        x = x - p["b"]
    for _ in range(3):
        x = x * p["w"]
    return x if x.sum() > 0 else affine(p, x)


def nested(p: dict[str, dict[str, torch.Tensor]], x):
    return affine(p["second"], affine(p["first"], x))


def of_numbers(p: dict[str, float], x):
    return x * p["w"] if p["b"] > 0 else x + p["w"]


def iterated(p: Affine, x):
    for key, value in p.items():
        x = x * value + len(key)
    return {key: value * x for key, value in p.items()}, len(p), "c" in p


def counted(p: Counted, x):
    for _ in range(p["times"]):
        x = x * p["w"]
    return x


GIVEN = {
    asked: [{"w": W, "b": B}],
    nested: [{"first": {"w": W, "b": B}, "second": {"w": B, "b": W}}],
    of_numbers: [{"w": 2.0, "b": 1.0}, {"w": 2.0, "b": -1.0}],
    iterated: [{"w": W, "b": B}],
    counted: [{"w": W, "times": times} for times in (0, 2)],
}


def of_jax(tree):
    if isinstance(tree, dict):
        return {key: of_jax(item) for key, item in tree.items()}
    return jnp.asarray(tree.numpy()) if isinstance(tree, torch.Tensor) else tree


def plain(found):
    if isinstance(found, dict):
        return {key: plain(item) for key, item in found.items()}
    return [plain(item) for item in found] if isinstance(found, tuple) else np.asarray(found).tolist()


@pytest.mark.parametrize("fn", GIVEN, ids=lambda fn: fn.__name__)
def test_results_are_pythons(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for p in GIVEN[fn]:
        want = plain(fn(p, X))
        assert plain(program(p, X)) == want
        assert plain(program.to("torch")(p, X)) == want
        assert plain(program.to("jax")(of_jax(p), of_jax(X))) == want


def test_a_call_has_the_keys_that_were_asked_for():
    program = gfx.symbolic_trace(asked, backend="torch")
    with pytest.raises(GuardError, match="'p' as a dictionary of b, w"):
        program({"w": W}, X)


@pytest.mark.parametrize(
    "use",
    [
        lambda p, x: sum(p.values()),
        lambda p, x: len(p) * x,
        lambda p, x: x if "w" in p else -x,
        lambda p, x: p.get("w"),
    ],
)
def test_what_asks_which_keys_there_are_is_refused(use):
    def fn(p: dict, x):
        return use(p, x)

    with pytest.raises(UnsupportedConstruct, match="'p': it was not given, and which keys it has is open"):
        gfx.symbolic_trace(fn, backend="torch")
