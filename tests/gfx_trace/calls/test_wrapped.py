"""Wrappers that compute what they wrap are seen through; what a module's dictionary remembers of a first call is kept."""

import dataclasses
import functools
import importlib.util
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


@torch.jit.script
def scripted(a, b):
    return torch.tanh(a) * torch.sigmoid(b)


class Off(nn.Module):
    @torch.amp.autocast("cuda", enabled=False)
    def forward(self, x):
        return x[None] * 2


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.off, self.linear = Off(), nn.Linear(2, 2)

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            return self.off(self.linear(x)) + scripted(x, x)


@pytest.mark.parametrize("given", [(), (X,)], ids=["open", "typed"])
def test_decorators_of_pytorch(given):
    model = Outer().eval()
    for target in (model, torch.compile(model)):
        found = gfx.transpile(target, *given, to="jax")
        np.testing.assert_allclose(found(jnp.asarray(X.numpy())), model(X).detach().numpy(), rtol=1e-5, atol=1e-6)
        assert "_orig_mod" not in found.source and set(found.params) == {"linear"}


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.rest = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))

    def inner(self, x, by=1):
        return torch.tanh(self.first(x)) * by

    def forward(self, x):
        x = checkpoint(self.inner, x, by=3, use_reentrant=False, preserve_rng_state=False)
        return checkpoint_sequential(self.rest, 2, x, use_reentrant=False)


@pytest.mark.parametrize("given", [(), (X,)], ids=["open", "typed"])
def test_a_checkpoint_computes_what_its_function_does(given):
    model = Checkpointed()
    found = gfx.transpile(model, *given, to="jax")
    np.testing.assert_allclose(found(jnp.asarray(X.numpy())), model(X).detach().numpy(), rtol=1e-5, atol=1e-6)
    grads = torch.autograd.grad(model(X).sum(), list(model.parameters()))
    module = gfx.transpile(model, *given, to="torch").module()
    for name, want in zip(dict(model.named_parameters()), grads):
        torch.testing.assert_close(torch.autograd.grad(module(X).sum(), module.get_parameter(name))[0], want)


class Around(nn.Module):
    """A class of the author's whose child has the name that torch.compile gives."""

    def __init__(self):
        super().__init__()
        self._orig_mod = nn.Linear(2, 2)

    def forward(self, x):
        return self._orig_mod(x) * 2


def test_a_child_with_the_name_of_the_compiled_ones():
    for model in (Around(), nn.Sequential(Around())):
        found = gfx.transpile(model, X, to="jax")
        np.testing.assert_allclose(found(jnp.asarray(X.numpy())), model(X).detach().numpy(), rtol=1e-5)


def test_a_variable_of_older_code_is_the_tensor_without_its_past():
    def weighed(w, x):
        by = torch.autograd.Variable(w * 2, requires_grad=True)
        return (w * by * x).sum() if isinstance(by, torch.autograd.Variable) else w

    w = torch.tensor([1.0, 3.0])
    found = gfx.transpile(weighed, w, X, to="jax")
    grads = jax.grad(found.fn)(jnp.asarray(w.numpy()), jnp.asarray(X.numpy()))
    np.testing.assert_allclose(grads, (2 * w * X.sum(0)).numpy())


def test_autocast_that_is_on_is_refused():
    def cast(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x

    for fn in (cast, torch.autocast("cpu", dtype=torch.bfloat16)(lambda x: x @ x)):
        with pytest.raises(CaptureError, match=r"torch.autocast: it changes the dtypes"):
            gfx.symbolic_trace(lambda x, fn=fn: fn(x), X)


class Cast(nn.Module):
    @torch.autocast("cpu", dtype=torch.bfloat16)
    def forward(self, x):
        return x @ x


def test_a_decorator_that_is_refused_is_named_by_its_own_line():
    with pytest.raises(CaptureError, match=r"test_wrapped.py:\d+ in forward\]\n    @torch.autocast"):
        gfx.symbolic_trace(Cast(), X)


def block(x):
    return jnp.expand_dims(x, 0) * 2


WRAPPERS = {
    "named_call": jax.named_call, "named_scope": jax.named_scope("block"), "checkpoint": jax.checkpoint,
    "checkpoint with settings": functools.partial(jax.checkpoint, prevent_cse=False), "jit": jax.jit,
    "nested": lambda f: jax.named_call(jax.checkpoint(jax.jit(f))),
}  # fmt: skip


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_decorators_of_jax(wrap):
    wrapped = wrap(block)
    x = jnp.asarray(X.numpy())
    for given in ((), (x,)):
        program = gfx.symbolic_trace(lambda x: wrapped(x) + 1, *given, backend="jax")
        np.testing.assert_allclose(program.to("torch")(X), block(x) + 1)


class Layer:
    def __init__(self):
        self.w = jnp.arange(4.0).reshape(2, 2)

    def __call__(self, x):
        return x @ self.w

    @functools.partial(jax.jit, static_argnums=0)
    def twice(self, x):
        return x @ self.w * 2


def affine(w, x):
    return x @ w + 1


LAYER = Layer()
JITTED = {
    "partial": jax.jit(functools.partial(affine, LAYER.w)), "object": jax.jit(LAYER), "method": jax.jit(LAYER.__call__),
    "jit": jax.jit(jax.jit(LAYER)), "method of a class": LAYER.twice, "under partial": functools.partial(jax.jit(affine), LAYER.w),
}  # fmt: skip


@pytest.mark.parametrize("jitted", JITTED.values(), ids=JITTED)
def test_jit_of_what_is_no_function(jitted):
    x = jnp.asarray(X.numpy())
    for given in ((), (x,)):
        for target in (jitted, lambda x: jitted(x) + 1):
            found = gfx.transpile(target, *given, to="torch", backend="jax")
            np.testing.assert_allclose(found(X), target(x))


def module_of(tmp_path, name, text):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    made = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_a_module_whose_name_begins_like_a_framework_is_entered(tmp_path):
    made = module_of(
        tmp_path, "jax_model", "import jax.numpy as jnp\ndef loss(x):\n    return jnp.sum(jnp.where(x > 0, x, -x))\n"
    )
    program = gfx.symbolic_trace(lambda x: made.loss(x), jnp.asarray(X.numpy()))
    assert float(program.to("torch")(X)) == 10.0


MEMO = """
KNOWN, HELD = {}, {}

class Scale:
    def __init__(self, by):
        self.by = by

def known(name):
    if name not in KNOWN:
        KNOWN[name] = Scale(len(name))
    return KNOWN[name]

def scaled(x):
    return x * known("abc").by

def held(x):
    if "x" not in HELD:
        HELD["x"] = x + 1
    return HELD["x"]

def counted(x):
    KNOWN[len(KNOWN)] = 1
    return x * len(KNOWN)
"""


def test_what_a_first_call_remembers_is_kept(tmp_path):
    made = module_of(tmp_path, "memo_kept", MEMO)
    program = gfx.symbolic_trace(made.scaled, X)
    assert made.KNOWN == {}
    assert torch.equal(program(X), X * 3) and made.KNOWN["abc"].by == 3
    assert torch.equal(made.scaled(X), X * 3)


@pytest.mark.parametrize("name", ["held", "counted"])
def test_what_changes_with_each_call_or_holds_its_data_is_not(tmp_path, name):
    made = module_of(tmp_path, f"memo_{name}", MEMO)
    with pytest.raises(CaptureError, match="is not there in the first call"):
        gfx.symbolic_trace(getattr(made, name), X)
    assert made.KNOWN == {} and made.HELD == {}


class Doubled:
    """An object that stands for a function, and passes on what it is called with."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs) * 2


class WithOne(Doubled):
    def __call__(self, x):
        return self.fn(x, 1)


@pytest.mark.parametrize("given", [(), (torch.ones(2),)], ids=["open", "typed"])
def test_an_object_in_the_place_of_a_function_has_its_signature(given):
    def scaled(x, n: int = 3):
        return x * n

    result = gfx.transpile(Doubled(scaled), *given, backend="torch", to="torch")
    assert result.source.count("def scaled(x, n") == 1
    assert result(torch.ones(2)).tolist() == [6.0, 6.0]
    assert gfx.transpile(WithOne(scaled), *given, backend="torch", to="torch")(torch.ones(2)).tolist() == [1.0, 1.0]


class Filtered:
    """A wrapper of a library's that binds as functions do."""

    def __init__(self, f):
        self.__wrapped__ = f

    def __get__(self, owner, kind=None):
        return self if owner is None else functools.partial(self, owner)

    def __call__(self, *args):
        return jax.jit(self.__wrapped__)(*args)


@pytest.mark.parametrize("wrapper", [jax.jit, Filtered, functools.partial(jax.jit, static_argnames="twice")])
@pytest.mark.parametrize("use", [lambda f: f, lambda f: lambda x: f(x) + 1, jax.vmap, jax.jit])
def test_a_compiled_call_of_an_object_is_bound_to_it(wrapper, use):
    @jax.tree_util.register_dataclass
    @dataclasses.dataclass(eq=False)
    class Layer:
        weight: jax.Array

        @wrapper
        def __call__(self, x, twice=False):
            return x @ self.weight * (2 if twice else 1)

    x, f = jnp.ones((2, 3)), use(Layer(jnp.arange(6.0).reshape(3, 2)))
    made = gfx.transpile(f, x, to="torch")
    assert [name for name, _ in made.module().named_parameters()] == ["weight"]
    np.testing.assert_allclose(made(torch.ones(2, 3)).detach(), f(x))
