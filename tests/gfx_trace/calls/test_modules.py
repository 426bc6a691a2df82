"""Capture of torch.nn.Module: values, state and parameters as in the original, call after call."""

import copy
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError
from gfx_ir.text import to_text
from gfx_ir.trees import leaves
from small_models import MODELS, BatchNorms, Counting, Lists, Recurrent, Replaced, Results

CALLS = 3


def equal(got, want, tolerance=1e-5):
    got, want = list(leaves(got)), list(leaves(want))
    assert len(got) == len(want)
    for a, b in zip(got, want):
        if a is None or b is None:
            assert a is b
            continue
        a, b = (x.detach().numpy() if isinstance(x, torch.Tensor) else np.asarray(x) for x in (a, b))
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def inputs(at=0):
    return torch.randn(4, 3, generator=torch.Generator().manual_seed(at))


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_a_program_does_what_its_model_does(cls, training):
    torch.manual_seed(0)
    mine = cls().train(training)
    plain = copy.deepcopy(mine)
    program = gfx.symbolic_trace(mine)
    before = {name: x.clone() for name, x in mine.state_dict().items()}
    equal(before, dict(plain.state_dict()))  # a capture writes nothing
    for at in range(CALLS):
        equal(program(inputs(at)), plain(inputs(at)))
        equal(dict(mine.state_dict()), dict(plain.state_dict()))


@pytest.mark.parametrize("cls", [c for c in MODELS if c is not Results], ids=lambda cls: cls.__name__)
def test_transpiled_models_keep_their_own_state(cls):
    torch.manual_seed(0)
    plain = cls().train()
    result = gfx.transpile(copy.deepcopy(plain), to="jax")
    for at in range(CALLS):
        equal(result(jnp.asarray(inputs(at).numpy())), plain(inputs(at)), 1e-4)


@pytest.mark.parametrize("cls", [Counting, Replaced, BatchNorms, Recurrent], ids=lambda cls: cls.__name__)
def test_state_is_returned_by_the_pure_function(cls):
    torch.manual_seed(0)
    plain = cls().train()
    result = gfx.transpile(copy.deepcopy(plain), to="jax")
    fn = jax.jit(result.fn)
    got, state = fn(result.params, jnp.asarray(inputs().numpy()))
    again, _ = fn(result.params, jnp.asarray(inputs().numpy()))
    want = plain(inputs())
    equal(got, want, 1e-4)
    equal(again, want, 1e-4)  # nothing was kept
    assert set(state) == set(result.program.writes)


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_transpiled_to_torch_it_is_a_module(cls):
    torch.manual_seed(0)
    plain = cls().train()
    module = gfx.transpile(copy.deepcopy(plain), to="torch").module()
    assert isinstance(module, nn.Module)
    for at in range(CALLS):
        equal(module(inputs(at)), plain(inputs(at)))


# ---------------------------------------------------------------------- parameters
def test_parameters_are_named_by_their_path():
    program = gfx.symbolic_trace(Lists())
    assert set(program.params) == {name for name, _ in Lists().named_parameters()}
    params = program.params_for("jax")
    assert isinstance(params["layers"], list) and len(params["layers"]) == 4


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.head = nn.Linear(4, 10, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.embed(tokens))


def test_tied_parameters_are_one():
    plain = Tied()
    result = gfx.transpile(plain, to="jax")
    assert list(result.program.params) == ["embed.weight"]
    tokens = torch.tensor([[1, 2, 9]])
    equal(result(jnp.asarray(tokens.numpy())), plain(tokens))
    plain(tokens).square().sum().backward()
    gradient = jax.grad(lambda params: (result.fn(params, jnp.asarray(tokens.numpy())) ** 2).sum())(result.params)
    equal(gradient["embed"]["weight"], plain.embed.weight.grad, 1e-4)


def test_gradients_of_parameters():
    torch.manual_seed(0)
    plain = Lists()
    result = gfx.transpile(plain, to="jax")
    plain(inputs()).square().sum().backward()
    gradients = jax.grad(lambda params: (result.fn(params, jnp.asarray(inputs().numpy())) ** 2).sum())(result.params)
    for at, layer in enumerate(plain.layers):
        equal(gradients["layers"][at]["weight"], layer.weight.grad, 1e-3)


def test_changes_of_parameters_are_seen():
    plain = nn.Linear(3, 3)
    program = gfx.symbolic_trace(plain)
    with torch.no_grad():
        plain.weight.zero_()
    equal(program(inputs()), plain(inputs()))


# ---------------------------------------------------------------------- models in functions and objects
def test_a_function_that_calls_a_model():
    layer = nn.Linear(3, 3)

    def call(x):
        return layer(x) * 2

    program = gfx.symbolic_trace(call)
    assert set(program.params) == {"linear.weight", "linear.bias"}
    equal(program(inputs()), call(inputs()))


def test_an_object_that_holds_a_model():
    class Holder:
        def __init__(self):
            self.layer = nn.Linear(3, 3)

        def __call__(self, x):
            return self.layer(x)

    holder = Holder()
    equal(gfx.symbolic_trace(holder)(inputs()), holder(inputs()))


# ---------------------------------------------------------------------- structure
def test_equal_blocks_are_one_function():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 3)

        def forward(self, x):
            return x + torch.relu(self.linear(x))

    plain = nn.Sequential(*[Block() for _ in range(5)])
    result = gfx.transpile(plain, to="jax")
    assert result.source.count("def block") == 1 and "for " in result.source
    equal(result(jnp.asarray(inputs().numpy())), plain(inputs()))


def test_instances_of_one_class_that_differ_are_two_functions():
    class Scaled(nn.Module):
        def __init__(self, factor):
            super().__init__()
            self.linear, self.factor = nn.Linear(3, 3), factor

        def forward(self, x):
            return torch.tanh(self.linear(x)) * self.factor if self.factor > 1 else self.linear(x)

    plain = nn.Sequential(Scaled(1.0), Scaled(2.0), Scaled(3.0), Scaled(2.0))
    equal(gfx.transpile(plain, to="jax")(jnp.asarray(inputs().numpy())), plain(inputs()))


def test_train_and_eval_are_different_programs():
    plain = nn.Sequential(nn.BatchNorm1d(3))
    assert gfx.symbolic_trace(plain.train()).writes and not gfx.symbolic_trace(plain.eval()).writes
    assert "batch_norm" in to_text(gfx.symbolic_trace(plain.eval()))


# ---------------------------------------------------------------------- refused
class Log(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = []

    def forward(self, x):
        self.log.append(x.sum())
        return x


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = None

    def forward(self, x):
        if self.hidden is None:
            self.hidden = torch.zeros_like(x)
        self.hidden = self.hidden + x
        return self.hidden


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        if "x" not in self.cache:
            self.cache["x"] = x * 2
        return self.cache["x"]


@pytest.mark.parametrize("cls", [Log, Lazy, Cache], ids=lambda cls: cls.__name__)
def test_state_that_no_program_can_hold_is_refused(cls):
    mine = cls()
    before = copy.deepcopy(vars(mine))
    with pytest.raises(CaptureError, match=r"GFX cannot convert this write(.|\n)*test_modules.py"):
        gfx.symbolic_trace(mine)
    assert {k: v for k, v in vars(mine).items() if k in ("steps", "log", "hidden", "cache")} == {
        k: v for k, v in before.items() if k in ("steps", "log", "hidden", "cache")
    }


def test_a_hook_that_collects_is_refused():
    seen = []
    mine = nn.Sequential(nn.Linear(3, 3))
    mine[0].register_forward_hook(lambda module, args, out: seen.append(out))
    with pytest.raises(CaptureError, match="outlive"):
        gfx.symbolic_trace(mine)
    assert seen == []


def test_a_buffer_keeps_its_shape():
    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x):
            self.total = self.total.sum() + x.sum()
            return x

    with pytest.raises((GuardError, CaptureError), match="total"):
        gfx.symbolic_trace(Sum())(inputs())


class Reregistered(nn.Module):
    """Sets its buffer anew in each call, as rotary tables of dynamic length do."""

    def __init__(self, name="steps"):
        super().__init__()
        self.register_buffer("steps", torch.ones(3), persistent=False)
        self.name = name

    def forward(self, x):
        self.register_buffer(self.name, self.steps * 0.5, persistent=False)
        return x * getattr(self, self.name)


def test_a_buffer_that_is_registered_again_is_set():
    model, x = Reregistered(), torch.rand(2, 3)
    made = [gfx.transpile(model, x, to=to) for to in ("torch", "jax")]
    for _ in range(CALLS):
        want = model(x)
        np.testing.assert_allclose(made[0](x), want)
        np.testing.assert_allclose(made[1](x.numpy()), want)
    with pytest.raises(CaptureError, match=r"'other' is no buffer of Reregistered before the call"):
        gfx.symbolic_trace(Reregistered("other"), x)


class Lazy(nn.Module):
    """Registers its table once."""

    def __init__(self, saved):
        super().__init__()
        self.saved = saved

    def table(self, x):
        if not hasattr(self, "steps"):
            self.register_buffer("steps", torch.arange(3.0, device=x.device), persistent=self.saved)
        return self.steps

    def forward(self, x):
        return x * self.table(x) + self.table(x)


def test_a_buffer_that_the_first_call_registers_is_computed_in_each():
    x = torch.rand(2, 3)
    for to in ("torch", "jax"):
        np.testing.assert_allclose(
            gfx.transpile(Lazy(False), x, to=to)(x.numpy() if to == "jax" else x), Lazy(False)(x)
        )
    with pytest.raises(CaptureError, match=r"'steps' is no buffer of Lazy before the call"):
        gfx.symbolic_trace(Lazy(True), x)


class Filter(nn.Module):
    """Made in each call, as functional forms of layers do."""

    def __init__(self, kernel, inner=None):
        super().__init__()
        self.register_buffer("kernel", kernel)
        self.inner = inner

    def forward(self, x):
        return x * self.kernel if self.training else self.kernel - x


def test_a_module_that_the_call_makes_has_what_it_registers():
    def f(x):
        twice = Filter(torch.arange(3.0)).to(x)(x) * 2
        made = Filter(x.mean(0), Filter(x[0])).eval().to(torch.float64)
        return twice, made.inner(x), made(x)

    x = inputs()
    for to in ("torch", "numpy"):
        made = gfx.transpile(f, x, to=to)(*([x] if to == "torch" else [x.numpy()]))
        equal(made, f(x))
        assert [str(y.dtype).removeprefix("torch.") for y in made] == ["float32", "float64", "float64"]


outside = Filter(torch.ones(3))


@pytest.mark.parametrize("change", [lambda m, x: m.to(x), lambda m, x: Filter(x[0], m).eval()], ids=["to", "eval"])
def test_a_module_from_outside_is_left_alone(change):
    with pytest.raises(CaptureError, match=r"it changes a Filter that lives outside of the captured code"):
        gfx.symbolic_trace(lambda x: change(outside, x)(x), inputs())


def test_a_tensor_of_a_numpy_array_shares_its_memory():
    def f(x):
        table = np.zeros(x.shape[-1], dtype="float32")
        shared = torch.from_numpy(table)
        shared += 1
        kernel = torch.from_numpy(np.array([1, 2], dtype=np.float32) / 4).to(x.device, x.dtype)
        return x + shared + torch.from_numpy(table) + kernel.sum()

    x = torch.rand(2, 3)
    for given in ((), (torch.rand(4, 2),)):
        program = gfx.symbolic_trace(f, *given, dynamic=bool(given), backend="torch")
        np.testing.assert_allclose(program(x), f(x))
        np.testing.assert_allclose(program.to("jax")(x.numpy()), f(x))


def wrapped(forward):
    @functools.wraps(forward)
    def around(self, *args, **kwargs):
        return forward(self, *args, **kwargs)

    return around


def halves(x):
    """x, its halves swapped."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class Scaled(nn.Module):
    def forward(self, x):
        y = x * 2.5
        return y + x


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scaled, self.out = Scaled(), nn.Linear(4, 4)

    @wrapped
    def forward(self, hidden, bias, unread=None):
        turned = halves(self.scaled(hidden)) + halves(bias)
        return self.out(turned) + self.scaled(bias)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(2))

    def forward(self, x, b):
        twice = b * 2
        for layer in self.layers:
            x = layer(x, bias=twice, unread=b)
        return x


def test_modules_and_functions_behind_a_forward_that_is_wrapped_are_functions():
    model, x, b = Layers().eval(), torch.randn(2, 3, 4), torch.randn(4)
    made = gfx.transpile(model, x, b, to="jax")
    heads = [line for line in made.source.splitlines() if line.startswith("def ")]
    assert heads == [
        "def scaled(x):", "def halves(x):", "def layer(params, hidden, bias):", "def layers(params, x, b):",
    ]  # fmt: skip
    equal(made(jnp.asarray(x), jnp.asarray(b)), model(x, b))


def rotation(device):
    q, _ = map(lambda part: part.to(device), torch.linalg.qr(torch.randn(3, 3, device=device)))
    return q.t()


def drawn_in_rows(device):
    rows = []
    for _ in range(2):
        rows.append(rotation(device))
    return torch.cat(rows) @ rotation(device)


def test_what_a_target_has_no_places_for_is_handed_to_no_function_and_no_loop():
    made = gfx.transpile(lambda x: drawn_in_rows(x.device) + drawn_in_rows(x.device) * x, torch.randn(3), to="jax")
    assert "def drawn_in_rows(key):" in made.source and "device" not in made.source


class AtDtypes(nn.Module):
    def __init__(self, called):
        super().__init__()
        self.called = called

    def forward(self, *tensors):
        return tuple([self.called(x) for x in tensors])


@pytest.mark.parametrize("called", [Scaled(), lambda x: Scaled.forward(None, x)], ids=["module", "function"])
def test_what_is_called_with_tensors_of_several_dtypes_gives_those_of_each(called, wide):
    given = torch.arange(4), torch.arange(3.0), torch.ones(2, dtype=torch.float16), torch.arange(2, dtype=torch.int8)
    want = AtDtypes(called)(*given)
    got = gfx.transpile(AtDtypes(called), *given, to="jax")(*[jnp.asarray(x.numpy()) for x in given])
    assert [str(x.dtype) for x in got] == [str(x.dtype).removeprefix("torch.") for x in want]


def positions(like):
    at = torch.arange(like.shape[-1], device=like.device)
    return at + at.sum()


def twice_placed(x):
    return x * positions(x) + positions(x)


def test_functions_take_no_argument_that_only_says_where_a_tensor_is_where_that_is_not_told():
    x = torch.ones(2, 3)
    assert "def positions():" in gfx.transpile(twice_placed, x, to="jax").source
    assert "def positions(like):" in gfx.transpile(twice_placed, x, to="torch").source
