"""Arguments and results of named fields: emitted code defines a NamedTuple of the same fields, takes and gives objects of it; saved programs too."""

import dataclasses
import functools
import runpy
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import FormatError, GuardError, VerifyError
from gfx_ir.records import Record
from gfx_ir.text import to_text
from gfx_ir.textparse import parse_text
from gfx_ir.verify import verify

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass
class Found:
    pair: Any
    rest: list
    steps: int = 3


class Memory:
    def __init__(self, keys):
        self.keys, self.name = keys, "memory"


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        return Pair(x + self.count, Memory(x * 2))


def several(x):
    return Found(Pair(x + 1, x * 2), [Memory(x), (x, Pair(x, None))])


def early(x):
    if x.sum() > 3:
        return Pair(x, x + 1)
    return Pair(x * 2, x)


FRAMEWORKS = {"torch": torch.from_numpy, "jax": jnp.asarray, "numpy": np.asarray}


@pytest.mark.parametrize("target", FRAMEWORKS)
def test_emitted_code_gives_the_fields_of_the_original(target):
    made = gfx.transpile(several, torch.from_numpy(X), to=target)
    found, wanted = made(FRAMEWORKS[target](X)), several(X)
    assert type(found).__name__ == "Found" and found._fields == ("pair", "rest", "steps") and found.steps == 3
    np.testing.assert_array_equal(found.pair.second, wanted.pair.second)
    np.testing.assert_array_equal(found.rest[0].keys, wanted.rest[0].keys)
    assert found.rest[1][1].second is None
    assert made.source.count("class Pair(NamedTuple)") == 1
    again = gfx.transpile(made.fn, FRAMEWORKS[target](X), to=target)
    assert again.source == made.source


def test_calls_give_the_authors_own_objects_and_a_saved_program_the_same_fields(tmp_path):
    program = gfx.symbolic_trace(several, torch.from_numpy(X))
    assert type(program(torch.from_numpy(X))) is Found
    program.save(tmp_path / "several.json")
    read = gfx.load(tmp_path / "several.json")
    assert type(read(torch.from_numpy(X)).rest[0]).__name__ == "Memory"
    assert read.source("jax") == program.source("jax")
    assert parse_text(to_text(program)).records == program.records
    read.records["return.pair"] = Record("Pair", ("first",))
    with pytest.raises(VerifyError, match="fields"):
        verify(read)
    with pytest.raises(FormatError, match="no class"):
        parse_text(to_text(program).replace('"Found"', '"Found(object): import os"'))


def test_state_stands_behind_them_and_a_test_gives_them_on_both_sides():
    made = gfx.transpile(Counting(), torch.from_numpy(X), to="jax")
    result, state = made.fn(made.params, jnp.asarray(X))
    assert result.second._fields == ("keys",) and list(state) == ["count"]
    assert made(jnp.asarray(X))._fields == made(jnp.asarray(X))._fields == ("first", "second")
    either = jax.jit(gfx.transpile(early, torch.from_numpy(X), to="jax").fn)
    for x in (X, X - 9):
        np.testing.assert_array_equal(either(jnp.asarray(x)).first, early(x).first)


def test_what_frameworks_return_stays_a_tuple():
    made = gfx.transpile(lambda x: torch.max(x, 1), torch.from_numpy(X), to="torch")
    assert "NamedTuple" not in made.source


class Updates(NamedTuple):
    """As optax has optimizers: the fields are functions."""

    init: Any
    update: Any


def rule(decay):
    return Updates(
        lambda p: Pair(p, p), lambda g, s: (g, Pair(jax.tree.map(lambda m, a: decay * m + a, s.first, g), g))
    )


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Affine:
    weight: Any
    bias: Any


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Training:
    params: Any
    moments: Any
    tx: Any = dataclasses.field(metadata={"static": True})

    def stepped(self, grads):
        change, moments = self.tx.update(grads, self.moments)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, change)
        return dataclasses.replace(self, params=params, moments=moments)


def test_a_field_of_functions_is_kept_and_objects_within_named_tuples_are_taken_and_given():
    tx = rule(0.9)

    def state(array):
        one, two = (Affine(array([scale, 2.0]), array([0.5])) for scale in (1.0, 3.0))
        return Training(one, Pair(two, one), tx)

    def step(state, x):
        return state.stepped(jax.tree.map(lambda p: p * x, state.params))

    state_0, x = state(jnp.array), jnp.asarray(3.0)
    wanted = step(state_0, x)
    found = gfx.symbolic_trace(step, state_0, x)(state_0, x)
    assert type(found) is Training and found.tx is tx and type(found.moments.first) is Affine
    for target in ("torch", "numpy"):
        made = gfx.transpile(step, state_0, x, to=target)
        found = made(
            state(lambda held: FRAMEWORKS[target](np.float32(held))), FRAMEWORKS[target](np.array(3, np.float32))
        )
        assert found._fields == ("params", "moments")
        for a, b in zip(jax.tree.leaves((found.params, found.moments)), jax.tree.leaves(wanted)):
            np.testing.assert_allclose(a, b, rtol=1e-6)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Streams:
    """It has an attribute of any name, as the streams of random numbers of NNX have."""

    first: Any

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda: name


def test_an_object_that_has_every_attribute_is_no_named_tuple():
    made = gfx.transpile(lambda streams: streams.first * 2, Streams(jnp.asarray(X)), to="numpy")
    np.testing.assert_array_equal(made(Streams(X)), X * 2)


@jax.tree_util.register_pytree_node_class
class Layer:
    def __init__(self, weight, act, scale):
        self.weight, self.act, self.scale = weight, act, scale

    def tree_flatten(self):
        return (self.weight,), (self.act, self.scale)

    @classmethod
    def tree_unflatten(cls, fixed, held):
        return cls(*held, *fixed)

    def __call__(self, row):
        return self.act(self.weight @ row) * self.scale


def descend(layer, x):
    slope = jax.grad(lambda layer: jnp.mean(jax.vmap(layer)(x) ** 2))(layer)
    return jax.tree.map(lambda w, g: w - 0.1 * g, layer, slope), jax.vmap(layer)(x)


def test_objects_of_registered_classes_are_taken_and_given():
    weight = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    layer = Layer(jnp.asarray(weight), jnp.tanh, 2)
    wanted = descend(descend(layer, jnp.asarray(X))[0], jnp.asarray(X))
    for target in ("jax", "torch"):
        made, array = gfx.transpile(descend, layer, jnp.asarray(X), to=target), FRAMEWORKS[target]
        found = made(Layer(array(weight), jnp.tanh, 2), array(X))[0]
        assert found._fields == ("weight",)
        again = made(found, array(X))
        for a, b in ((again[0].weight, wanted[0].weight), (again[1], wanted[1])):
            np.testing.assert_allclose(a, b, rtol=1e-5)
        for other in (Layer(array(weight), jnp.tanh, 3), Layer(array(weight), jnp.sin, 2)):
            with pytest.raises(GuardError):
                made(other, array(X))


class Momentum(NamedTuple):
    weights: Affine
    velocity: list
    rate: float = 0.5


def pushed(state, x):
    weights = state.weights
    moved = [v + x * w for v, w in zip(state.velocity, (weights.weight, weights.bias))]
    kept = Affine(weights.weight + state.rate * moved[0], weights.bias)
    return state._replace(weights=kept, velocity=moved), weights


def loss_of(weights, x):
    return jnp.sum((x * weights.weight + weights.bias) ** 2)


def pushed_down(state, x):
    return jax.grad(loss_of)(state.weights, x), loss_of(state.weights, x)


def momentum(array):
    held = [array(np.float32(scale) * X[0]) for scale in (1, 2, 3)]
    return Momentum(Affine(held[0], held[1]), [held[2], held[1] * 2])


@pytest.mark.parametrize("target", FRAMEWORKS)
def test_emitted_code_alone_takes_what_it_gives(target, tmp_path):
    array = FRAMEWORKS[target]
    made = gfx.transpile(pushed, momentum(jnp.asarray), jnp.float32(2), to=target)
    made.save(tmp_path / "pushed.py")
    module = runpy.run_path(str(tmp_path / "pushed.py"))
    wanted, given, x = momentum(jnp.asarray), momentum(array), array(np.array(2, np.float32))
    given = module["Momentum"](module["Affine"](*jax.tree.leaves(given.weights)), given.velocity, given.rate)
    for _ in range(2):
        (wanted, before), (given, held) = pushed(wanted, jnp.float32(2)), module["pushed"](given, x)
        for a, b in zip(jax.tree.leaves((before, wanted)), jax.tree.leaves((tuple(held), given))):
            np.testing.assert_allclose(b, a, rtol=1e-6)
    assert "state._replace(weights=state.weights._replace(weight=" in "".join(map(str.strip, made.source.splitlines()))
    found = made(momentum(array), x)[0]
    assert type(made(found, x)[0]) is type(found) and found._fields == Momentum._fields
    for taken in (given, found):
        again = gfx.transpile(made.fn, taken, x, to=target)
        assert again.source.split('"""')[::2] == made.source.split('"""')[::2]


def test_a_tree_of_named_fields_is_derived_by():
    state, x = momentum(jnp.asarray), jnp.float32(2)
    wanted = pushed_down(state, x)
    for target in ("torch", "jax"):
        made, array = gfx.transpile(pushed_down, state, x, to=target), FRAMEWORKS[target]
        assert "(state.weights, x)" in made.source
        for a, b in zip(
            jax.tree.leaves(wanted), jax.tree.leaves(made(momentum(array), array(np.array(2, np.float32))))
        ):
            np.testing.assert_allclose(b, a, rtol=1e-6)


def test_functions_take_objects_of_named_fields_whole():
    layers = [Affine(jnp.float32(at) * X[0], X[1] + at) for at in range(3)]

    def scaled(x, layer):
        return jnp.tanh(x * layer.weight) + layer.bias

    def chain(x, layers, table):
        for layer in layers:
            x = scaled(x, layer)
        return scaled(x, Affine(**table))

    table = {"weight": layers[1].weight, "bias": layers[2].bias}
    wanted = chain(X[0], layers, table)
    made = gfx.transpile(chain, jnp.asarray(X[0]), layers, table, to="jax")
    assert "layer.weight" not in made.source.split("def chain")[1]
    np.testing.assert_allclose(made(X[0], layers, table), wanted, rtol=1e-6)


def test_a_saved_program_knows_the_objects_that_it_takes(tmp_path):
    program = gfx.symbolic_trace(pushed, momentum(jnp.asarray), jnp.float32(2))
    program.save(tmp_path / "pushed.json")
    read = gfx.load(tmp_path / "pushed.json")
    assert read.source("torch") == program.source("torch") and parse_text(to_text(read)).records == program.records
    for path, fields in (("state", ("weights", "bias")), ("state.other", ("weight",)), ("other", ("weight",))):
        read.records = {**program.records, path: Record("Momentum", fields)}
        with pytest.raises(VerifyError, match="record"):
            verify(read)


@functools.partial(jax.tree_util.register_dataclass, data_fields=["weight", "bias"], meta_fields=["size", "act"])
@dataclasses.dataclass
class Dense:
    weight: Any
    bias: Any
    size: int
    act: Any


@functools.partial(jax.tree_util.register_dataclass, data_fields=["first", "last"], meta_fields=["name"])
@dataclasses.dataclass
class Net:
    first: Dense
    last: Dense
    name: str = "net"


def predicted(net, x):
    return net.last.act((net.first.act(x * net.first.weight + net.first.bias) * net.last.weight)[: net.last.size])


def trained(net, x):
    loss, slopes = jax.value_and_grad(lambda net: jnp.mean(predicted(net, x) ** 2))(net)
    moved = jax.tree.map(lambda p, g: p - 0.1 * g, net, slopes)
    return moved, dataclasses.replace(net, last=moved.last), loss


def test_what_a_class_counts_as_its_own_is_no_field(tmp_path):
    dense = lambda row, act: Dense(jnp.asarray(X[row]), jnp.asarray(X[1 - row]), 2, act)
    net, x = Net(dense(0, jnp.tanh), dense(1, jax.nn.sigmoid)), jnp.asarray(X[0])
    wanted = trained(net, x)
    for target in ("torch", "jax"):
        made, array = gfx.transpile(trained, net, x, to=target), FRAMEWORKS[target]
        given = jax.tree.map(lambda leaf, array=array: array(np.array(leaf)), net)
        found = made(given, array(X[0]))
        assert found[0]._fields == ("first", "last") and found[0].first._fields == ("weight", "bias")
        assert "(net, x)" in made.source and "net._replace(last=" in made.source
        for a, b in zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-5)
        again = made(found[0], array(X[0]))[2]
        np.testing.assert_allclose(again, trained(wanted[0], x)[2], rtol=1e-5)
        with pytest.raises(GuardError, match="size"):
            made(dataclasses.replace(given, last=dataclasses.replace(given.last, size=1)), array(X[0]))
    program = gfx.symbolic_trace(trained, net, x)
    assert type(program(net, x)[1]) is Net and program(net, x)[1].last.act is jax.nn.sigmoid
