"""The author's signature is kept: what was given, left out or left open at capture, in the Program, the source and every callable."""

import copy
import enum
import functools
import inspect
import pickle
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.equality import difference
from gfx_ir.errors import ArgumentError, GfxError, GuardError
from gfx_ir.textparse import parse_text

X = torch.tensor([1.0, -2.0, 3.0])
TARGETS = ("torch", "jax", "numpy")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Size(enum.IntEnum):
    SMALL = 2


class Pair(NamedTuple):
    a: object
    n: int


class Twice:
    def __call__(self, x):
        return x * 2


TWICE = Twice()


def middle(x, n, y):
    return x * n + y


def by_position(x, n, /, y):
    return x * n + y


def by_name(x, *, n, flag=True):
    return x * n if flag else x


def starred(x, n, *more, k=1, **named):
    return x * n + sum(more) * k + named.get("bias", 0)


def tree(x, options):
    return x * options["n"] + options["w"] if options["mode"] == "add" else x


def coloured(x, colour):
    return x if colour is Colour.RED else -x


def sized(x, size):
    return x * int(size)


def called(x, fn):
    return fn(x)


def typed(x, dtype):
    return x.to(dtype)


def placed(x, device):
    return x * (2 if device.type == "cpu" else 3)


def optional(x, mask):
    return x if mask is None else x * mask


def flagged(x, flag):
    return x if flag else -x


def worded(x, mode):
    return x if mode == "same" else -x


def shaped(x, shape):
    return x.reshape(shape)


def named(pair):
    return pair.a * pair.n


def sliced(x, where):
    return x[where]


class Method:
    by = 2.0

    def scaled(self, x, n):
        return x * n * self.by


# A function, the arguments of its capture and call, and others that differ in what is fixed.
CASES = {
    "in the middle": (middle, (X, 3, X), (X, 4, X)),
    "by position only": (by_position, (X, 3, X), (X, 3.0, X)),
    "after stars": (starred, (X, 3, X, 5), (X, 3, X, 6)),
    "in a dictionary": (tree, (X, {"n": 3, "w": X, "mode": "add"}), (X, {"n": 3, "w": X, "mode": "no"})),
    "an enum": (coloured, (X, Colour.BLUE), (X, Colour.RED)),
    "an enum of ints": (sized, (X, Size.SMALL), (X, 2)),
    "a function": (called, (X, torch.relu), (X, torch.tanh)),
    "an object": (called, (X, TWICE), (X, Twice())),
    "a partial": (called, (X, functools.partial(torch.mul, other=2)), (X, torch.neg)),
    "a dtype": (typed, (X, torch.float64), (X, torch.float32)),
    "a device": (placed, (X, torch.device("cpu")), (X, torch.device("meta"))),
    "None": (optional, (X, None), (X, X)),
    "a flag": (flagged, (X, False), (X, True)),
    "a flag, not a number": (flagged, (X, False), (X, 0)),
    "a text": (worded, (X, "other"), (X, "same")),
    "a tuple": (shaped, (X, (3, 1)), (X, (1, 3))),
    "a list": (shaped, (X, [3, 1]), (X, [3, 1, 1])),
    "a size": (shaped, (X, torch.Size((1, 3))), (X, torch.Size((3, 1)))),
    "a field": (named, (Pair(X, 2),), (Pair(X, 3),)),
    "a slice": (sliced, (X, slice(0, 2)), (X, slice(1, 3))),
    "of a method": (Method().scaled, (X, 3), (X, 4)),
    "of a partial": (functools.partial(middle, X), (3, X), (4, X)),
}


def moved(tree, target):
    """The arguments on a target."""
    if isinstance(tree, torch.Tensor):
        return tree if target == "torch" else jnp.asarray(tree.numpy()) if target == "jax" else tree.numpy()
    if isinstance(tree, dict):
        return {key: moved(item, target) for key, item in tree.items()}
    if isinstance(tree, Pair):
        return Pair(moved(tree.a, target), tree.n)
    return [moved(item, target) for item in tree] if type(tree) is list else tree


def equal(a, b):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_the_call_of_the_capture_is_a_call_of_every_callable(case, target):
    function, given, others = CASES[case]
    result = gfx.transpile(function, *given, to=target)
    wanted, args = function(*given), [moved(x, target) for x in given]
    lead = [] if result.params is None else [result.params]
    for run in (result, functools.partial(result.fn, *lead), result.program.to(target), result.program):
        equal(run(*args), wanted)
        with pytest.raises((GuardError, ArgumentError)):
            run(*(moved(x, target) for x in others))
    assert " at 0x" not in result.source
    assert list(inspect.signature(result.program.to(target)).parameters) == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("target", TARGETS)
def test_what_stands_behind_a_fixed_argument_goes_by_position_and_by_name(target):
    run, x = gfx.transpile(middle, X, 3, X, to=target), moved(X, target)
    for given in [((x, 3, x), {}), ((x,), {"n": 3, "y": x}), ((x,), {"y": x}), ((), {"y": x, "x": x, "n": 3})]:
        equal(run(*given[0], **given[1]), X * 3 + X)
    with pytest.raises(ArgumentError, match="missing a required argument: 'y'"):
        run(x, 3)
    assert run.source.splitlines()[0].startswith("def middle(x, n, y)")  # Python has no default before one without


def test_fixed_literals_become_defaults_and_the_docstring_states_them():
    result = gfx.transpile(by_name, X, n=3, to="jax")
    assert "def by_name(x, *, n=3, flag=True):" in result.source
    assert "Assumes: n == 3\n    Assumes x: f32[3].\n    Assumes the default of flag." in result.source
    assert "colour=None" in gfx.transpile(coloured, X, Colour.RED, to="jax").source
    assert "Assumes: colour is Colour.RED" in gfx.transpile(coloured, X, Colour.RED, to="jax").source
    assert "dtype=jnp.float16" in gfx.transpile(typed, X, torch.float16, to="jax").source


def test_stars_keep_their_place():
    result = gfx.transpile(starred, X, 3, X, 5, k=2, bias=X, to="torch")
    assert (
        "def starred(x, n, *more, k=2, **named):" not in result.source
    )  # n has a default: nothing behind it asks for one
    assert "def starred(x, n=3, *more, k=2, **named):" in result.source
    equal(result(X, 3, X, 5, k=2, bias=X), starred(X, 3, X, 5, k=2, bias=X))
    for args, kwargs in [((X, 3, X, 5, 6), {"bias": X}), ((X, 3, X, 5), {"offset": X}), ((X, 3), {"bias": X})]:
        with pytest.raises(GuardError, match=r"takes '(more|named)'"):
            result(*args, **{"k": 2, **kwargs})


def test_a_dtype_of_the_target_is_that_of_the_author():
    run = gfx.transpile(typed, X, torch.float16, to="jax")
    equal(run(jnp.ones(3), jnp.float16), np.ones(3))
    with pytest.raises(GuardError, match="dtype == float16"):
        run(jnp.ones(3), jnp.float32)


def test_under_jit_a_fixed_argument_is_static_or_left_out():
    result = gfx.transpile(middle, X, 3, X, to="jax")
    x = jnp.ones(3)
    assert result.static_argnames == ("n",)
    equal(jax.jit(result.fn, static_argnames=result.static_argnames)(x, 3, x), np.full(3, 4.0))
    equal(jax.jit(result.fn)(x, y=x), np.full(3, 4.0))
    with pytest.raises(GuardError, match="static_argnames"):
        jax.jit(result.fn)(x, 3, x)
    none = gfx.transpile(optional, X, None, to="jax")
    assert none.static_argnames == () and jnp.array_equal(jax.jit(none.fn)(x, None), x)
    equal(jax.vmap(none.fn)(jnp.ones((2, 3))), np.ones((2, 3)))


def test_the_programs_default_is_the_authors_own():
    def power(x, n=2):
        return x**n

    program = gfx.symbolic_trace(power, n=3)
    equal(program(X, 3), X**3)
    with pytest.raises(GuardError, match="n = 2"):
        program(X)
    equal(program.to("torch")(X), X**3)  # whose own default is 3


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x, mask=None, scale: float = 1.0, flag=False, **kwargs):
        x = self.linear(x) * scale
        return x if mask is None else x * mask


def test_modules_check_it_and_their_copies_too():
    model = Scaled()
    made = gfx.transpile(model, X, scale=2.0, to="torch").module()
    for module in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        equal(module(X, scale=2.0).detach(), model(X, scale=2.0).detach())
        for other in ({"scale": 1.0}, {"mask": X}, {"flag": True}, {"more": 1}):
            with pytest.raises(GuardError):
                module(X, **{"scale": 2.0, **other})


def test_a_program_that_was_read_tells_objects_by_what_was_written(tmp_path):
    def read(function, *given):
        gfx.symbolic_trace(function, *given).save(tmp_path / "p.json")
        return gfx.load(tmp_path / "p.json")

    equal(read(coloured, X, Colour.BLUE)(X, Colour.BLUE), -X)
    equal(read(typed, X, torch.float64)(X, torch.float64), X.double())
    with pytest.raises(GuardError, match=r"colour is Colour\.BLUE"):
        read(coloured, X, Colour.BLUE)(X, Colour.RED)
    program = read(called, X, TWICE)
    equal(program(X), X * 2)
    with pytest.raises(GuardError, match="cannot be told"):
        program(X, TWICE)


def test_texts_of_graphs_read_back():
    program = gfx.symbolic_trace(starred, X, 3, X, 5, k=2, bias=X)
    assert 'argument("more", (more_0, 5), kind="args")' in str(program)
    assert difference(program, parse_text(str(program))) is None
    program = gfx.symbolic_trace(coloured, X, Colour.RED)
    assert difference(program, parse_text(str(program))) is None


def least(x, n: int):
    return x * min(n, 2)


def between(x, n: int):
    s = x
    if x[0] > 0:
        s = sorted([n, 2, 0])[1] * x
    return s


def place(x, n: int):
    return x * (2, n).index(n)


@pytest.mark.parametrize("fn", [least, between, place])
def test_what_compares_numbers_of_pythons_makes_them_static_under_jit(fn):
    module = gfx.symbolic_trace(fn, backend="torch").module("jax")
    assert module.static_argnames == ("n",)
    run = jax.jit(module.load(), static_argnames=module.static_argnames)
    for n in (1, 2, 5):
        equal(run(jnp.ones(3), n), fn(np.ones(3), n))


def test_an_argument_that_nothing_reads_may_be_called_by_an_underscore():
    made = gfx.transpile(lambda x, _, n=2: x * n, X, X, to="jax")
    assert "(x, _, n=2)" in made.source
    assert made(jnp.ones(3), jnp.ones(3)).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(GfxError, match="'_' cannot be the name of an argument that is read"):
        gfx.transpile(lambda x, _: x * _, X, X, to="jax")
