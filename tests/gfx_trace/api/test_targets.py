"""What can be captured: functions, methods, callables, and code that names no framework."""

import dataclasses
import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from captured import equal, log_mean_exp
from gfx_ir.errors import CaptureError, GuardError


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def scale(self, x):
        return x * self.factor

    def __call__(self, x):
        return x + self.factor

    @staticmethod
    def double(x):
        return x * 2

    @classmethod
    def quadruple(cls, x):
        return cls.double(cls.double(x))

    @property
    def twice(self):
        return self.factor * 2

    def by_property(self, x):
        return x * self.twice


two = (lambda x: x * 2, lambda x: x * 3)  # two on one line


@pytest.mark.parametrize(
    "target, want",
    [
        (Scaler(3).scale, 3), (Scaler(3), 4), (Scaler.double, 2), (Scaler.quadruple, 4), (Scaler(3).by_property, 6), (two[0], 2),
        (two[1], 3), (functools.partial(lambda x, k: x * k, k=5), 5), (functools.lru_cache(lambda x: x * 6), 6), (jax.jit(lambda x: x * 7), 7),
    ],
    ids=["bound method", "callable", "static method", "class method", "property", "lambda", "second lambda on a line", "partial",
         "lru_cache", "jitted"],
)  # fmt: skip
def test_targets(target, want):
    equal(gfx.symbolic_trace(target)(np.ones(2, np.float32)), np.full(2, want))


@pytest.mark.parametrize(
    "target", [np.negative, torch.neg, jnp.negative, print, 3, torch.ones(2)], ids=lambda x: type(x).__name__
)
def test_what_has_no_code_is_refused(target):
    with pytest.raises(CaptureError) as caught:
        gfx.symbolic_trace(target)
    assert caught.value.hint


def test_an_unbound_method_takes_its_object():
    scaler = Scaler(3)
    program = gfx.symbolic_trace(Scaler.scale, scaler)
    equal(program(scaler, torch.ones(2)), np.full(2, 3))
    with pytest.raises(GuardError):
        program(Scaler(4), torch.ones(2))


def test_arrays_that_a_function_closes_over_are_params():
    weight, bias = torch.randn(3, 20), torch.ones(2)

    def layer(x):
        return x @ weight + bias[0]

    program = gfx.symbolic_trace(layer)
    assert list(program.params) == ["weight"]
    result = gfx.transpile(layer, to="jax")
    x = torch.randn(4, 3)
    equal(result.fn(result.params, jnp.asarray(x.numpy())), layer(x), 1e-5)


def test_a_function_of_a_function():
    def apply(f, x):
        return f(x) + f(x * 2)

    equal(
        gfx.symbolic_trace(lambda x: apply(torch.sin, x) + apply(lambda y: y**2, x))(torch.ones(2)),
        np.sin(1) + np.sin(2) + 5,
    )


# ---------------------------------------------------------------------- code of no framework
def test_functions_of_the_array_api_standard_run_everywhere():
    program = gfx.symbolic_trace(log_mean_exp)
    x = np.random.default_rng(0).normal(size=(2, 5)).astype(np.float32)
    for given in (x, torch.tensor(x), jnp.asarray(x)):
        got = program(given)
        assert isinstance(got, type(given))
        equal(got, log_mean_exp(x), 1e-5)
    assert "torch.logsumexp" not in program.source("torch")


def test_a_method_that_frameworks_differ_in_needs_a_backend():
    def spread(x):
        return x.std()

    with pytest.raises(CaptureError, match=r"'std'(.|\n)*backend='torch'"):
        gfx.symbolic_trace(spread)
    with pytest.raises(CaptureError, match=r"'dim'(.|\n)*backend='torch'"):
        gfx.symbolic_trace(lambda x: x.sum(dim=0))
    x = np.arange(4.0)
    equal(gfx.symbolic_trace(spread, backend="numpy")(x), x.std())
    equal(gfx.symbolic_trace(spread, backend="torch")(torch.tensor(x)), torch.tensor(x).std())
    equal(gfx.symbolic_trace(spread, torch.tensor(x))(torch.tensor(x)), torch.tensor(x).std())  # the argument tells


def test_the_first_call_does_not_decide_whose_function_it_is():
    traced = gfx.trace(lambda x: x.std())
    with pytest.raises(CaptureError, match="backend"):
        traced(torch.ones(3))


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Affine:
    w: jax.Array
    b: jax.Array

    def __call__(self, x):
        return x @ self.w + self.b

    def again(self, x):
        return self(self(x))


@pytest.mark.parametrize("method", [False, True])
def test_arrays_of_a_registered_object_are_its_parameters(method):
    """However small they are: they are trained."""
    affine = Affine(jnp.full((3, 3), 0.5), jnp.ones(3))
    target = affine.again if method else affine
    made = gfx.transpile(target, jnp.ones((2, 3)), to="torch").module()
    assert [name for name, _ in made.named_parameters()] == ["w", "b"]
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = made(torch.tensor(x))
    np.testing.assert_allclose(out.detach(), target(jnp.asarray(x)))
    out.sum().backward()
    call = Affine.again if method else Affine.__call__
    wanted = jax.grad(lambda a: call(a, jnp.asarray(x)).sum())(affine)
    np.testing.assert_allclose(made.b.grad, wanted.b)
    np.testing.assert_allclose(made.w.grad, wanted.w)


@pytest.mark.parametrize("mapped", [False, True])
def test_arrays_of_a_tree_that_a_target_closes_over_are_its_parameters(mapped):
    """However small they are, and also where JAX's own tracer takes the call apart; what stands alone beside them is a buffer."""
    affine, shift = Affine(jnp.full((3, 3), 0.5), jnp.ones(3)), jnp.arange(3.0)

    def loss(affine, x):
        return ((jax.vmap(affine)(x) if mapped else affine(x)) + shift).sum()

    def target(x):
        return loss(affine, x)

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    made = gfx.transpile(target, jnp.asarray(x), to="torch").module()
    assert [name for name, _ in made.named_parameters()] == ["w", "b"]
    assert [name for name, _ in made.named_buffers()] == ["shift"]
    out = made(torch.tensor(x))
    np.testing.assert_allclose(out.detach(), target(jnp.asarray(x)))
    out.backward()
    wanted = jax.grad(loss)(affine, jnp.asarray(x))
    np.testing.assert_allclose(made.b.grad, wanted.b)
    np.testing.assert_allclose(made.w.grad, wanted.w)


def test_of_tensors_that_a_target_closes_over_those_that_are_trained_are_its_parameters():
    w, table = torch.nn.Parameter(torch.ones(2)), torch.arange(2.0)
    made = gfx.transpile(lambda x: x * w + table, torch.ones(2), to="torch").module()
    assert [name for name, _ in made.named_parameters()] == ["w"]


class Weighed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.p = torch.nn.Linear(2, 2), torch.nn.Parameter(torch.ones(2))

    def penalty(self, x):
        return (x * self.inner.weight).abs().sum() + self.p.square().sum()


WEIGHED, SEVERAL, HELD = (
    Weighed(),
    [Weighed(), Weighed()],
    SimpleNamespace(model=Weighed(), w=torch.nn.Parameter(torch.ones(2))),
)
READERS = {
    "a method": (WEIGHED.penalty, ["inner.weight", "p"]),
    "closed over": (lambda x: WEIGHED.penalty(x) * WEIGHED.p, ["weighed.inner.weight", "weighed.p"]),
    "in a list": (lambda x: sum(model.penalty(x) for model in SEVERAL), ["p", "p_1", "weight", "weight_1"]),
    "in an object": (lambda x: HELD.model.penalty(x) * HELD.w, ["p", "w", "weight"]),
}  # fmt: skip


@pytest.mark.parametrize(("read", "names"), READERS.values(), ids=READERS)
def test_what_a_model_trains_is_a_parameter_however_it_is_reached(read, names):
    x = torch.tensor([[1.0, -2.0]])
    program = gfx.symbolic_trace(read, x)
    assert sorted(program.params) == names
    held = list(program.params.values())
    wanted = torch.autograd.grad(read(x).sum(), held)
    for found, want in zip(torch.autograd.grad(program(x).sum(), held), wanted):
        torch.testing.assert_close(found, want)


class Pair(NamedTuple):
    """A model as a pair of functions, which is how Haiku has it."""

    init: Callable
    apply: Callable


def test_a_pair_of_functions_is_applied_with_the_parameters_that_are_given():
    pair = Pair(lambda rng, x: {"w": jnp.ones(3)}, lambda params, rng, x, scale=1.0: x * params["w"] * scale)
    x = jnp.arange(3.0)
    made = gfx.transpile(pair, x, params={"w": jnp.full(3, 2.0)}, scale=3.0, to="torch")
    assert [name for name, _ in made.module().named_parameters()] == ["w"]
    np.testing.assert_allclose(made(torch.arange(3.0), scale=3.0), 6 * np.arange(3.0))


def test_of_collections_of_variables_the_params_alone_are_trained():
    variables = {"params": {"w": jnp.ones(3)}, "batch_stats": {"mean": jnp.zeros(3)}}
    target = functools.partial(lambda v, x: (x - v["batch_stats"]["mean"]) * v["params"]["w"], variables)
    made = gfx.transpile(target, jnp.ones(3), to="torch").module()
    assert [name for name, _ in made.named_parameters()] == ["params.w"]
    assert [name for name, _ in made.named_buffers()] == ["batch_stats.mean"]


def test_what_is_bound_beside_the_params_is_not_trained():
    pair = Pair(lambda rng, x: None, lambda params, state, rng, x: ((x - state["mean"]["ema"]) * params["w"], state))
    made = gfx.transpile(
        pair, jnp.ones(3), params={"w": jnp.ones(3)}, state={"mean": {"ema": jnp.zeros(3)}}, to="torch"
    )
    assert [name for name, _ in made.module().named_parameters()] == ["params.w"]
    assert [name for name, _ in made.module().named_buffers()] == ["state.mean.ema"]


W = jnp.asarray(np.linspace(-1, 1, 18).reshape(2, 3, 3), jnp.float32)
WEIGHTS = {"a": W, "b": [W + 1, {"c": W * 2}]}
USES = {
    "rows": lambda p, x: functools.reduce(lambda x, w: jnp.tanh(w @ x), p["a"], x) + sum(w @ x for w in p["b"][0]),
    "unpacked": lambda p, x: (lambda w, *others: w @ others[0] @ x)(*p["a"]),
    "listed": lambda p, x: jnp.stack(list(p["a"])).sum(0) @ x + next(iter(p["b"][0])) @ x,
    "scanned": lambda p, x: jax.lax.scan(lambda x, w: (w[0] @ w[1] @ x, None), x, (p["a"], p["b"][0]))[0],
    "operators": lambda p, x: ((2 - p["a"] * 2) ** 2)[0] @ x,
    "leaves": lambda p, x: sum((w**2).sum() for w in jax.tree.leaves(p)) * x,
    "mapped": lambda p, x: jax.tree.map(lambda w, v: w - 0.1 * v, p, p)["b"][1]["c"][0] @ x,
    "reduced": lambda p, x: jax.tree.reduce(lambda total, w: total + (w * 2).sum(), p, 0.0) * x,
    "taken apart": lambda p, x: sum((w * 2).sum() for w in jax.tree.flatten(p)[0]) * x,
    "items": lambda p, x: sum((w * 2).sum() for name, w in p.items() if name == "a") * x + (p.get("a") * 2).sum(),
}


@pytest.mark.parametrize("bound", [True, False])
@pytest.mark.parametrize("name", USES)
def test_what_is_computed_of_arrays_that_belong_to_a_target_is_no_parameter(name, bound):
    use, x = USES[name], jnp.arange(3.0)
    target = functools.partial(use, WEIGHTS) if bound else lambda x: use(WEIGHTS, x)
    made = gfx.transpile(target, x, to="jax")
    np.testing.assert_allclose(made(x), use(WEIGHTS, x), rtol=1e-5)
    slopes = jax.tree.leaves(jax.grad(lambda p: use(p, x).sum())(WEIGHTS))
    found = jax.tree.leaves(jax.grad(lambda p: made.fn(p, x).sum())(made.params))
    assert 0 < len(found) <= len(slopes)
    for slope in found:
        assert any(slope.shape == known.shape and np.allclose(slope, known, rtol=1e-4) for known in slopes)
    assert sum(bool((slope != 0).any()) for slope in slopes) == sum(bool((slope != 0).any()) for slope in found)


@jax.jit
def counted(cache, model, x):
    cache["rows"] = cache["rows"].at[cache["at"]].set(x)
    cache["at"], model.b = cache["at"] + 1, model.b * 2
    return model(cache["rows"]) * cache["at"], cache


def twice(cache, model, x):
    first, _ = counted(cache, model, x)
    second, new = counted(cache, model, x)
    return first + second, new["at"], cache["at"]


@pytest.mark.parametrize("target", [counted, twice], ids=["target", "called"])
def test_what_a_jitted_function_writes_to_its_arguments_is_its_own(target):
    given = lambda make: ({"rows": make(np.eye(3, 4, dtype="f4")), "at": make(np.int32(1))}, Affine(make(np.ones((4, 2), "f4")), make(np.ones(2, "f4"))), make(np.arange(4, dtype="f4")))  # fmt: skip
    want = jax.tree.leaves(target(*given(jnp.asarray)))
    for to, make in ("torch", torch.as_tensor), ("jax", jnp.asarray):
        result = gfx.transpile(target, *given(jnp.asarray), to=to)
        assert not result.program.writes
        held = given(make)
        for _ in range(2):  # which finds what the first one was given
            got = jax.tree.leaves(result(*held))
            assert len(got) == len(want)
            for mine, theirs in zip(got, want):
                equal(mine, theirs)


def writes_its_dictionary(d):
    d["a"] = d["a"] * 2
    d["b"] = 1.0
    return d["a"] + 1


CALLS = {
    "jit": lambda d: jax.jit(writes_its_dictionary)(d),
    "checkpoint": lambda d: jax.checkpoint(writes_its_dictionary)(d),
    "both": lambda d: jax.jit(jax.checkpoint(writes_its_dictionary), donate_argnums=())(d),
    "made before": jax.jit(writes_its_dictionary),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_a_jitted_function_writes_in_captured_code_is_its_own(name):
    def f(x):
        held = {"a": x}
        return CALLS[name](held), held["a"], len(held)

    x = jnp.float32(1.5)
    program = gfx.symbolic_trace(f, backend="jax")
    assert jax.tree.map(float, program(x)) == jax.tree.map(float, f(x))
    derive = jax.grad(lambda x: f(x)[0] * f(x)[1])
    assert float(gfx.symbolic_trace(derive, x)(x)) == float(derive(x))
