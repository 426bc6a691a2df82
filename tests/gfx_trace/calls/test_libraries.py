"""A call into a library that is built on JAX goes through JAX's own tracer where it cannot be entered."""

import functools
import importlib
import random
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

LIBRARY = """
import collections.abc, dataclasses, itertools
import jax, jax.numpy as jnp

_calls = itertools.count()
_frames = []


def transform(f):
    def apply(params, *args):
        next(_calls)
        _frames.append(params)
        try:
            return f(*args)
        finally:
            _frames.pop()

    return apply


def linear(x):
    params = _frames[-1]
    if jax.eval_shape(jnp.shape, params["w"]) is None:
        raise ValueError("no weights")
    return x @ params["w"] + params["b"]


def run(f):
    if jax.eval_shape(f) is None:
        raise ValueError("no result")
    return f()


class Scale:
    def __init__(self, by):
        self.by = by

    @jax.named_scope("scale")
    def __call__(self, x):
        return x * self.by


class Measured(Scale):
    def __call__(self, x):
        if jax.eval_shape(jnp.shape, self.by) is None:
            raise ValueError("no factor")
        return x * self.by


@jax.tree_util.register_pytree_node_class
class Mean:
    def __init__(self, mean):
        self.mean = mean

    def __call__(self, x):
        if jax.eval_shape(jnp.shape, x) is None:
            raise ValueError("no data")
        self.mean = x.mean(0)
        return x - self.mean

    def tree_flatten(self):
        return (self.mean,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)


@jax.tree_util.register_pytree_node_class
class Counting(Mean):
    count = 0

    def __call__(self, x):
        if jax.eval_shape(jnp.shape, x) is None:
            raise ValueError("no data")
        self.count += 1
        return x * self.count

    def tree_flatten(self):
        return (self.mean,), self.count

    @classmethod
    def tree_unflatten(cls, count, leaves):
        made = cls(*leaves)
        made.count = count
        return made


@jax.tree_util.register_pytree_node_class
class Twice(Mean):
    def __call__(self, x):
        if jax.eval_shape(jnp.shape, x) is None:
            raise ValueError("no data")
        return self.mean[0](x) + self.mean[1].mean


@jax.tree_util.register_pytree_with_keys_class
class Variable:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held

    def tree_flatten_with_keys(self):
        return ((jax.tree_util.GetAttrKey("value"), self.held),), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)


@jax.tree_util.register_pytree_with_keys_class
class Param(Variable):
    __slots__ = ()


@jax.tree_util.register_pytree_with_keys_class
class Table(collections.abc.Mapping):
    def __init__(self, items):
        self._items = dict(items)

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def tree_flatten_with_keys(self):
        return [(jax.tree_util.DictKey(k), v) for k, v in self._items.items()], tuple(self._items)

    @classmethod
    def tree_unflatten(cls, keys, leaves):
        return cls(zip(keys, leaves))


@jax.tree_util.register_pytree_node_class
class Stage:
    def __init__(self, ready):
        self.ready = ready

    def tree_flatten(self):
        return (), self.ready

    @classmethod
    def tree_unflatten(cls, ready, _):
        return cls(ready)


@jax.tree_util.register_pytree_node_class
class Staged:
    def __init__(self, by, stage):
        self.by, self.stage = by, stage

    def tree_flatten(self):
        return (self.by, self.stage), None

    @classmethod
    def tree_unflatten(cls, _, held):
        return cls(*held)


@jax.tree_util.register_pytree_node_class
class Once:
    def __init__(self, count):
        self.count = count

    def followed(self, count):
        self.used = True
        return Once(count)

    def tree_flatten(self):
        if hasattr(self, "used"):
            raise ValueError("this state is used up")
        return (self.count,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)


def moved(x, state):
    if jax.eval_shape(jnp.shape, x) is None:
        raise ValueError("no data")
    return x - state.count, state.followed(state.count * 0.5 + jnp.mean(x))


def moved_of(held):
    return moved(held["x"], *held["states"])


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Activated:
    weight: jax.Array
    act: collections.abc.Callable

    def __call__(self, x):
        return self.act(x @ self.weight)


def halved(layer):
    if jax.eval_shape(jnp.shape, layer.weight) is None:
        raise ValueError("no weight")
    return jax.tree.map(lambda x: x / 2 if isinstance(x, jax.Array) else x, layer)


def checked(x):
    if x.ndim != 3:
        raise ValueError("three axes are needed")
    return x
"""
X = jnp.array([[1.0, -2.0], [0.5, 4.0]])
PARAMS = {"w": jnp.array([[1.0, 2.0], [3.0, -1.0]]), "b": jnp.array([0.5, 0.25])}


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A package beside its dist-info, which says that it requires JAX."""
    package, info = tmp_path / "layered", tmp_path / "layered-1.0.dist-info"
    package.mkdir(), info.mkdir()
    (package / "__init__.py").write_text(LIBRARY)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: layered\nVersion: 1.0\nRequires-Dist: jax>=0.4\n")
    (info / "RECORD").write_text("layered/__init__.py,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("layered")
    del sys.modules["layered"]


def test_a_call_is_made_by_the_equations_that_jax_has_for_it(library):
    apply = library.transform(lambda x: jax.nn.relu(library.linear(x)))

    def forward(params, x):
        while jnp.max(jnp.abs(x)) < 100:
            x = apply(params, x) * 2 + 1
        if jnp.sum(x) > 10:
            x = apply(params, x)
        return x

    result = gfx.transpile(forward, PARAMS, X, to="numpy")
    np.testing.assert_allclose(result(jax.tree.map(np.asarray, PARAMS), np.asarray(X)), forward(PARAMS, X), rtol=1e-6)
    assert "while " in result.source and "next" not in result.source


def test_the_target_itself_and_objects_with_a_decorated_call(library):
    apply = library.transform(lambda x: library.Scale(2.0)(library.linear(x)))
    result = gfx.transpile(functools.partial(apply, PARAMS), X, to="numpy")
    np.testing.assert_allclose(result(np.asarray(X)), apply(PARAMS, X), rtol=1e-6)
    assert sorted(result.params) == ["b", "w"]
    scale = library.Scale(3.0)
    np.testing.assert_allclose(gfx.transpile(lambda x: scale(x), backend="jax", to="numpy")(np.asarray(X)), X * 3)


def test_a_class_of_such_a_library_tells_the_framework_where_arguments_do_not(library):
    class Doubled(library.Scale):
        def __call__(self, x):
            return super().__call__(x) * 2

    result = gfx.transpile(Doubled(3.0), gfx.TensorSpec((gfx.Dim("B"), 2), "float32"), to="numpy")
    np.testing.assert_allclose(result(np.asarray(X)), X * 6)
    assert result.program.flavour == "jax"


def test_objects_of_such_a_library_that_hold_captured_arrays_let_the_whole_target_go_that_way(library):
    def forward(x):
        return library.Measured(jnp.exp(x))(x) + 1

    result = gfx.transpile(forward, X, to="numpy")
    np.testing.assert_allclose(result(np.asarray(X)), forward(X), rtol=1e-6)


def test_what_jax_leaves_in_its_copy_of_an_object_is_written_to_the_object(library):
    mean, same = (library.Mean(jnp.zeros(2)) for _ in range(2))
    program = gfx.symbolic_trace(lambda x: mean(x) + mean.mean, X)
    np.testing.assert_array_equal(mean.mean, np.zeros(2))
    np.testing.assert_allclose(program(X), same(X) + same.mean)
    np.testing.assert_allclose(mean.mean, same.mean)


def test_objects_that_the_target_closes_over_go_with_it_through_the_tracer_of_jax(library):
    mean, same = (library.Mean(jnp.zeros(2)) for _ in range(2))
    program = gfx.symbolic_trace(lambda x: library.run(lambda: mean(x)) + mean.mean, X)
    np.testing.assert_allclose(program(X), same(X) + same.mean)
    np.testing.assert_allclose(mean.mean, same.mean)


def test_containers_and_variables_of_a_library_are_taken_and_given_by_what_they_hold(library):
    def step(state, layer, x):
        grown = jax.tree.map(lambda a: a + 1, state)
        return grown, x * state["outer"]["w"].held + layer.by.held if layer.stage.ready else x

    def state(array):
        return library.Table({"outer": library.Table({"w": library.Variable(array([1.0, 2.0]))}), "n": array([3.0])})

    def layer(array, ready=True):
        return library.Staged(library.Variable(array([0.5])), library.Stage(ready))

    def zeros(held):
        return jnp.zeros(len(held))

    wanted, out = step(state(jnp.array), layer(jnp.array), X)
    for target, array, x in (("numpy", np.float32, np.asarray(X)), ("jax", jnp.array, X)):
        made = gfx.transpile(step, state(zeros), layer(zeros), X, to=target)
        grown, found = made(state(array), layer(array), x)
        np.testing.assert_allclose(found, out)
        np.testing.assert_allclose(grown["outer"]["w"], wanted["outer"]["w"].held)
        with pytest.raises(gfx.GfxError, match="stage"):
            made(state(array), layer(array, ready=False), x)
    grown, _ = gfx.symbolic_trace(step, state(jnp.array), layer(jnp.array), X)(state(jnp.array), layer(jnp.array), X)
    assert type(grown) is type(grown["outer"]) is library.Table and type(grown["outer"]["w"]) is library.Variable


def test_variables_that_nobody_trains_are_buffers(library):
    model = library.Table({"w": library.Param(X), "mean": library.Variable(X + 1)})
    apply = functools.partial(lambda model, x: (x - model["mean"].held) @ model["w"].held, model)
    for target in (apply, lambda x: (x - model["mean"].held) @ model["w"].held):
        made = gfx.transpile(target, X, to="torch").module()
        assert [name for name, _ in made.named_parameters()] == ["w"]
        assert [name for name, _ in made.named_buffers()] == ["mean"]


def test_a_function_in_an_object_that_a_library_hands_on_is_the_authors(library):
    def act(x):
        return x * 2

    layer = library.Activated(X, act)
    made = gfx.symbolic_trace(lambda layer: library.halved(layer), layer)(layer)
    assert made.act is act
    np.testing.assert_allclose(made.weight, X / 2)


def test_one_array_in_two_variables_is_two_parameters_and_one_variable_at_two_places_is_one(library):
    first, second = library.Variable(X), library.Variable(X)
    made = gfx.transpile(
        functools.partial(lambda held, x: sum(v.held for v in held) * x, [first, second, first]), X, to="torch"
    )
    assert {name for name, _ in made.module().named_parameters()} == {"0", "1"}


def test_a_variable_stands_for_its_array_where_a_function_takes_one(library):
    weight = library.Variable(X)
    made = gfx.transpile(lambda x: jnp.concatenate([x, weight]) * jnp.sum(weight), X, to="numpy")
    np.testing.assert_allclose(made(np.asarray(X)), np.concatenate([X, X]) * X.sum(), rtol=1e-6)


def test_states_that_are_used_up_where_new_ones_are_made_of_them(library):
    def once(x, state):
        return library.moved(x, state)

    def both(x, state):
        return once(*once(x, state))

    def step(x, state):
        return jax.vmap(both, in_axes=(0, None), out_axes=(0, 0))(x, state)

    def held(x, state):
        return library.moved_of({"x": x, "states": [state]})

    for f in (step, both, held):
        wanted, state = f(X, library.Once(jnp.float32(2)))
        found, again = gfx.symbolic_trace(f, X, library.Once(jnp.float32(1)))(X, library.Once(jnp.float32(2)))
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        np.testing.assert_allclose(again.count, state.count, rtol=1e-6)


def test_what_an_argument_holds_is_changed_in_the_state_that_is_returned(library):
    made = gfx.transpile(lambda mean, x: mean(x), library.Mean(jnp.zeros(2)), X, to="jax")
    with pytest.raises(gfx.GfxError, match=r"cannot change mean\.mean"):
        made(library.Mean(jnp.zeros(2)), X)
    found, state = made.fn({"mean": jnp.zeros(2)}, X)
    np.testing.assert_allclose(found, X - X.mean(0), rtol=1e-6)
    np.testing.assert_allclose(state["mean.mean"], X.mean(0), rtol=1e-6)


def test_what_an_object_loses_with_the_copy_of_it_is_refused(library):
    zero = jnp.zeros(2)
    for model, why in (
        (library.Counting(zero), "it writes what is no array"),
        (library.Twice([library.Mean(zero), library.Mean(zero)]), "several objects hold"),
    ):
        with pytest.raises(gfx.GfxError, match=why):
            gfx.symbolic_trace(lambda x, model=model: model(x), X)


@pytest.mark.parametrize("target", ["torch", "jax"])
def test_what_is_printed_of_sizes_is_printed_by_each_call(library, target, capsys):
    def shown(x):
        print("in", x.shape, end=";\n")
        y = library.linear(x)
        print("out", y.shape)
        return y

    apply = library.transform(shown)
    made = gfx.transpile(lambda x: apply(PARAMS, x), X, to=target)
    assert capsys.readouterr().out == ""
    for _ in range(2):
        made(X if target == "jax" else torch.tensor(np.asarray(X)))
        jax.effects_barrier()
        assert capsys.readouterr().out == "in (2, 2);\nout (2, 2)\n"


@pytest.mark.parametrize(
    "given, show", [(X, lambda x: x), (gfx.TensorSpec((gfx.Dim("n"), 2), "float32"), lambda x: x.shape)]
)
def test_what_is_printed_once_is_refused_where_it_may_be_another_in_each_call(library, given, show):
    def shown(x):
        print(show(x))
        return library.linear(x)

    apply = library.transform(shown)
    with pytest.raises(gfx.GfxError, match="it prints, once, while JAX traces it"):
        gfx.symbolic_trace(lambda x: apply(PARAMS, x), given)


@jax.tree_util.register_pytree_node_class
class Unnamed:
    """A callable whose names are no text, as Equinox has of what a layer without a name is wrapped in."""

    def __init__(self):
        self.__name__ = self.__qualname__ = None

    def __call__(self, a, b):
        return a + b

    def tree_flatten(self):
        return (), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls()


@pytest.mark.parametrize("f", [lambda x: jax.lax.associative_scan(Unnamed(), x), lambda x: jax.vmap(Unnamed())(x, x)])
def test_a_callable_may_have_no_name_that_is_a_text(f):
    assert jnp.array_equal(gfx.transpile(f, X, to="jax")(X), f(X))


@pytest.mark.parametrize("generator", [random.Random(0), np.random.RandomState(0), np.random.default_rng(0), None])
def test_numbers_that_are_drawn_once_are_refused(library, generator):
    draw = (generator or random).random if not isinstance(generator, np.random.RandomState) else generator.rand
    apply = library.transform(lambda x: library.linear(x) * draw())
    with pytest.raises(gfx.GfxError, match="from a generator that lives outside of the graph"):
        gfx.symbolic_trace(lambda x: apply(PARAMS, x), X)


def test_without_types_the_error_asks_for_them(library):
    apply = library.transform(library.linear)

    def forward(params, x):
        return apply({"w": params, "b": x}, x)

    with pytest.raises(
        gfx.GfxError, match=r"test_libraries.py:\d+ in forward[\s\S]*give the capture example arguments"
    ):
        gfx.symbolic_trace(forward, backend="jax")


def test_what_the_users_code_writes_beneath_it_is_not_lost(library):
    class Counter:
        calls = 0

    counter = Counter()

    def layer(x):
        counter.calls += 1
        return library.linear(x)

    apply = library.transform(layer)
    with pytest.raises(gfx.GfxError, match="'calls' is a Python number that changes from call to call"):
        gfx.symbolic_trace(lambda x: apply(PARAMS, x), X)


class Counting(type):
    def __call__(cls, *args):
        return super().__call__(*args)


class Scale(metaclass=Counting):
    def __init__(self, scale):
        if not isinstance(scale, jax.core.Tracer) and not np.all(scale > 0):
            raise ValueError("scale")
        self.scale = scale


def test_a_class_whose_metaclass_makes_the_objects_is_made_as_a_librarys_is():
    x = jnp.array([0.5, 1.5])
    made = gfx.transpile(lambda x: jnp.log(Scale(x * 2).scale) - x, x, to="jax")
    np.testing.assert_allclose(made(x), jnp.log(x * 2) - x, rtol=1e-6)


def test_an_error_of_the_library_stays_its_own(library):
    with pytest.raises(ValueError, match="three axes are needed"):
        gfx.symbolic_trace(lambda x: library.checked(x), X)
