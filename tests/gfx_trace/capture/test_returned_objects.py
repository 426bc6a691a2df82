"""Objects that captured code makes and returns: rebuilt by the Program, and dictionaries of their tensors in emitted code."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax.example_libraries import optimizers

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


class Config:
    heads = 2


CONFIG = Config()


class Layer:
    def __init__(self):
        self.keys, self.seen, self.log = None, 0, []

    def update(self, keys):
        self.dtype, self.device, self.act = keys.dtype, keys.device, torch.relu
        self.keys = keys if self.keys is None else torch.cat([self.keys, keys])
        self.seen = self.seen + keys.shape[0]
        return self.keys


class Cache:
    def __init__(self, config):
        self.layers, self.config = [Layer() for _ in range(config.heads)], config

    def __getattr__(self, name):
        raise KeyError(name)


def decode(x: torch.Tensor):
    cache = Cache(CONFIG)
    y = cache.layers[0].update(x) + cache.layers[1].update(x * 2)
    cache.layers[1].update(y)
    return {"y": y, "cache": cache}


def shown(cache):
    found = []
    for layer in cache.layers:
        own = vars(layer)
        found.append({name: own[name].tolist() if name == "keys" else own[name] for name in sorted(own)})
    return found


@pytest.mark.parametrize("given", [(), (torch.ones(2, 3),), (gfx.TensorSpec(("N", 3), "float32"),)])
def test_an_object_is_made_anew_in_each_call(given):
    program = gfx.symbolic_trace(decode, *given)
    x = torch.arange(6.0).reshape(2, 3)
    first, second, wanted = program(x)["cache"], program(x)["cache"], decode(x)["cache"]
    assert type(first) is Cache and first.config is CONFIG and shown(first) == shown(wanted)
    assert first.layers is not second.layers and first.layers[0].log is not second.layers[0].log


def test_emitted_code_gives_its_tensors_by_name():
    made = gfx.transpile(decode, gfx.TensorSpec(("N", 3), "float32"), to="jax")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    found, wanted = made(jnp.asarray(x))["cache"].layers, decode(torch.tensor(x))["cache"].layers
    assert [sorted(layer._fields) for layer in found] == [["keys", "seen"]] * 2
    for layer, other in zip(found, wanted):
        np.testing.assert_array_equal(layer.keys, other.keys)
        assert layer.seen == other.seen


class Slotted:
    __slots__ = ("keys", "__dict__")

    def __init__(self, keys):
        self.keys, self.more = keys, keys * 2


KEPT = Layer()


def slotted(x):
    return Slotted(x)


def kept(x):
    KEPT.update(x)
    return KEPT


def in_two_places(x):
    layer = Layer()
    layer.update(x)
    return layer, layer


def holds_itself(x):
    layer = Layer()
    layer.update(x)
    layer.own = layer
    return layer


@pytest.mark.parametrize("f", [slotted, kept, in_two_places, holds_itself])
def test_what_cannot_be_made_anew_is_refused(f):
    with pytest.raises(CaptureError, match=r"GFX cannot (return a|convert this write)"):
        gfx.symbolic_trace(f, torch.ones(2, 3))


@pytest.mark.parametrize("to", ["jax", "torch"])
def test_a_state_that_says_how_its_tree_is_built_goes_round(to):
    """The states of jax.example_libraries.optimizers hold treedefs, which no graph does."""
    init, update, params = optimizers.momentum(0.1, 0.9)

    def step(at, state, x):
        slope = jax.grad(lambda tree: jnp.sum((x @ tree["w"] + tree["b"]) ** 2))(params(state))
        return update(at, slope, state)

    x, state = jnp.arange(6.0).reshape(2, 3), init({"w": jnp.ones((3, 2)), "b": jnp.zeros(2)})
    made = gfx.transpile(step, jnp.asarray(0), state, x, to=to)
    turned = (lambda leaf: leaf) if to == "jax" else (lambda leaf: torch.tensor(np.asarray(leaf)))
    want, have = state, jax.tree.map(turned, state)
    for at in range(2):
        want, have = step(at, want, x), made(turned(jnp.asarray(at)), have, turned(x))
    for one, other in zip(jax.tree.leaves(want), jax.tree.leaves(have), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    same = gfx.symbolic_trace(step, jnp.asarray(0), state, x)(jnp.asarray(0), state, x)
    assert jax.tree.structure(same) == jax.tree.structure(state)


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Rows:
    """A dataclass that holds what it is given, and has no fields, as the list of NNX."""

    def tree_flatten(self):
        return list(vars(self).values()), tuple(vars(self))

    @classmethod
    def tree_unflatten(cls, names, held):
        made = cls()
        vars(made).update(zip(names, held))
        return made


def test_a_dataclass_without_fields_is_an_argument_by_what_it_holds():
    made = gfx.transpile(
        lambda rows, x: rows.first + x, Rows.tree_unflatten(["first"], [jnp.ones(2)]), jnp.ones(2), to="jax"
    )
    assert made(Rows.tree_unflatten(["first"], [jnp.zeros(2)]), jnp.ones(2)).tolist() == [1, 1]
