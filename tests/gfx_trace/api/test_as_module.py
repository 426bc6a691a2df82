"""`.module()` of a transpiled program: an nn.Module with the original's state_dict, modes and gradients."""

import copy
import dataclasses
import functools
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import BackendError, GuardError


class Net(nn.Module):
    """Tensors that forward reads, writes, shares, and never touches."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
        self.head.weight = self.embed.weight
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(11)])
        self.again = self.layers[0]
        self.norm, self.drop, self.unused = nn.BatchNorm1d(4), nn.Dropout(0.0), nn.Linear(2, 2)
        self.frozen = nn.Parameter(torch.rand(4), requires_grad=False)
        self.register_buffer("scale", torch.rand(4))
        self.register_buffer("cache", torch.rand(4), persistent=False)
        self.register_buffer("never", torch.arange(3))
        self.register_parameter("nothing", None)
        self.plain = torch.rand(4, 8)  # an attribute, no part of the state

    def forward(self, tokens):
        x = self.embed(tokens) * self.scale + self.frozen - self.cache
        for layer in self.layers:
            x = torch.tanh(layer(x))
        x = self.drop(self.norm(self.again(x)))
        return self.head(x + (x @ self.plain).sum())


TOKENS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])


def net(training=False):
    torch.manual_seed(0)
    return Net().train(training)


def made_of(plain, **options):
    return gfx.transpile(plain, to="torch", **options).module()


def same_state(a, b):
    """Equal state_dicts: names in order, shapes, dtypes, values."""
    a, b = a.state_dict(), b.state_dict()
    assert list(a) == list(b)
    for name in a:
        torch.testing.assert_close(
            a[name], b[name], rtol=1e-5, atol=1e-6, msg=lambda text, name=name: f"{name}: {text}"
        )


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_the_state_is_the_originals(training):
    plain = net(training)
    made = made_of(plain)
    same_state(made, plain)
    for kind in ("named_parameters", "named_buffers", "named_modules"):
        ours, theirs = ([n for n, _ in getattr(m, kind)() if n != "plain"] for m in (made, plain))
        assert ours == theirs
    assert {n: m.training for n, m in made.named_modules()} == {n: m.training for n, m in plain.named_modules()}
    assert {n: p.requires_grad for n, p in made.named_parameters()} == {
        n: p.requires_grad for n, p in plain.named_parameters()
    }


def test_states_load_both_ways():
    plain, other = net(), net()
    made = made_of(plain)
    with torch.no_grad():
        for held in (*other.parameters(), *other.buffers()):
            held.add_(1)
    made.load_state_dict(other.state_dict(), strict=True)
    other.cache.copy_(plain.cache)
    torch.testing.assert_close(made(TOKENS), other(TOKENS))
    plain.load_state_dict(made.state_dict(), strict=True)
    torch.testing.assert_close(plain(TOKENS), other(TOKENS))


def test_its_tensors_are_its_own():
    plain = net()
    before = copy.deepcopy(plain)
    made = made_of(plain)
    with torch.no_grad():
        for held in (*made.parameters(), *made.buffers()):
            held.zero_()
    same_state(plain, before)


def test_buffers_are_written_in_training():
    plain = net(training=True)
    made = made_of(plain)
    for at in range(1, 4):
        torch.testing.assert_close(made((TOKENS + at) % 10), plain((TOKENS + at) % 10))
        assert made.norm.num_batches_tracked == at
    same_state(made, plain)


def test_one_step_of_training_changes_both_alike():
    plain = net(training=True)
    made = made_of(plain)
    for module in (made, plain):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        nn.functional.cross_entropy(module(TOKENS), TOKENS).backward()
        optimizer.step()
    assert made.head.weight is made.embed.weight and made.again is made.get_submodule("layers.0")
    assert made.frozen.grad is None and made.unused.weight.grad is None
    for (name, ours), theirs in zip(made.named_parameters(), plain.parameters()):
        torch.testing.assert_close(
            ours.grad, theirs.grad, rtol=1e-4, atol=1e-5, msg=lambda t, name=name: f"{name}: {t}"
        )
    same_state(made, plain)


COPIES = pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"]
)


class Scored(nn.Module):
    """Asks, within a function that it calls, for what the capture then takes as given."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def weigh(self, x, y):
        return nn.functional.cosine_similarity(x, y, dim=-1)

    def forward(self, x):
        return self.weigh(x, x.flip(-1)) * self.scale


@COPIES
def test_copies_check_what_the_capture_took_as_given(again):
    made = gfx.transpile(Scored().eval(), to="torch")
    assert made.guards
    twin = again(made.module())
    x = torch.randn(2, 3)
    torch.testing.assert_close(twin(x), made(x))
    with pytest.raises(GuardError, match="in weigh"):
        twin(x.long())


@COPIES
def test_copies_stand_alone(again):
    made = made_of(net(training=True))
    twin = again(made)
    same_state(twin, made)
    torch.testing.assert_close(twin(TOKENS), made(TOKENS))
    assert twin.norm.num_batches_tracked == 1 and twin.head.weight is twin.embed.weight
    twin(TOKENS)
    assert made.norm.num_batches_tracked == 1
    with torch.no_grad():
        twin.embed.weight.zero_()
    assert made.embed.weight.any()


def test_parameters_can_be_replaced_for_one_call():
    made = made_of(net())
    zeros = {name: torch.zeros_like(p) for name, p in made.named_parameters()}
    assert not torch.func.functional_call(made, zeros, (TOKENS,)).any()


# ---------------------------------------------------------------------- modes
class Noted(nn.Module):
    """A model of one's own that asks for its mode."""

    def forward(self, x):
        return x * 2 if self.training else x


MODELS = [
    lambda: nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)),
    lambda: nn.BatchNorm1d(4),
    lambda: nn.Sequential(Noted()),
]


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("make", MODELS, ids=["Dropout", "BatchNorm", "own"])
def test_another_mode_than_the_captured_one_is_refused(make, training):
    plain = make().train(training)
    program = gfx.symbolic_trace(plain)
    made = gfx.transpile(program, to="torch").module()
    x = torch.randn(3, 4)
    for module, call in ((plain, program), (made, made)):
        call(x)
        module.train(not training)
        words = ("training", "evaluation") if training else ("evaluation", "training")
        with pytest.raises(GuardError, match=rf"in {words[0]} mode.*in {words[1]} mode"):
            call(x)
        module.train(training)
        call(x)


def test_a_model_that_has_no_modes_may_have_any():
    made = made_of(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
    x = torch.randn(3, 4)
    torch.testing.assert_close(made.eval()(x), made.train()(x))


# ---------------------------------------------------------------------- other origins
def test_a_jax_model_becomes_a_module():
    params = {"w": jnp.ones((3, 2)), "layers": [{"b": jnp.zeros(2)} for _ in range(2)]}

    def forward(params, x):
        x = x @ params["w"]
        for layer in params["layers"]:
            x = jnp.tanh(x + layer["b"])
        return x

    x = torch.randn(4, 3)
    made = made_of(functools.partial(forward, params))
    torch.testing.assert_close(made(x).detach(), torch.tensor(forward(params, x.numpy()).tolist()))
    assert [name for name, _ in made.named_parameters()] == ["w", "layers.0.b", "layers.1.b"]
    made(x).sum().backward()
    assert all(p.grad is not None for p in made.parameters())


def test_a_loaded_program_becomes_a_module_of_what_it_reads(tmp_path):
    plain = net()
    gfx.symbolic_trace(plain).save(tmp_path / "net.json")
    made = made_of(gfx.load(tmp_path / "net.json"))
    torch.testing.assert_close(made(TOKENS), plain(TOKENS))
    assert set(made.state_dict()) <= {*plain.state_dict(), "cache", "plain"}


def test_other_frameworks_have_no_modules():
    with pytest.raises(BackendError, match=r"jax has no modules(.|\n)*\.fn with \.params"):
        gfx.transpile(nn.Linear(2, 2), to="jax").module()


@jax.tree_util.register_pytree_node_class
class Affine:
    """Parameters in a class that JAX knows as a tree."""

    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def tree_flatten(self):
        return (self.weight, self.bias), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)

    def __call__(self, x):
        return x @ self.weight + self.bias


@functools.partial(jax.tree_util.register_dataclass, data_fields=["weight", "bias"], meta_fields=["times"])
@dataclasses.dataclass
class Times:
    weight: jax.Array
    bias: jax.Array
    times: int

    def __call__(self, x):
        return x @ self.weight * self.times + self.bias


W, B, TABLE = jnp.arange(12.0).reshape(3, 4), jnp.ones(4), jnp.arange(24.0).reshape(6, 4)
BOUND = {
    "a tree": (lambda p, x: x @ p["w"] + p["b"], {"w": W, "b": B}, {"w", "b"}),
    "what is not read": (lambda p, x: x @ p["w"], {"w": W, "head": {"b": B}, "rest": [B + 1, W + 1]}, {"w", "head.b", "rest.0", "rest.1"}),
    "a registered class": (lambda p, x: p(x), Affine(W, B), {"0", "1"}),
    "a dataclass": (lambda p, x: p(x), Times(W, B, 2), {"weight", "bias"}),
    "classes in a tree": (lambda p, x: p["a"](x) + p["b"][0](x), {"a": Times(W, B, 2), "b": [Affine(W + 1, B + 1)]}, {"a.weight", "a.bias", "b.0.0", "b.0.1"}),
    "one in two places": (lambda p, x: x @ p["w"] + x @ p["v"], {"w": W, "v": W}, {"w", "v"}),
}  # fmt: skip


@pytest.mark.parametrize("given", [(), (jnp.ones((6, 3)),)], ids=["open", "typed"])
@pytest.mark.parametrize("f, params, names", BOUND.values(), ids=BOUND)
def test_what_is_bound_are_the_parameters_and_the_rest_are_buffers(f, params, names, given):
    target = functools.partial(lambda params, x: f(params, x) + TABLE, params)
    module = gfx.transpile(target, *given, to="torch", backend="jax").module()
    assert {name for name, _ in module.named_parameters()} == names
    assert [name for name, _ in module.named_buffers()] == ["TABLE"]
    x = torch.ones(6, 3)
    torch.testing.assert_close(module(x).detach(), torch.tensor(np.asarray(target(jnp.ones((6, 3))))))


def test_one_array_at_two_places_of_an_object_is_two_parameters():
    one = jnp.ones((1, 1))
    model = Times(one, one, 2)
    for target in (model, model.__call__, jax.jit(model)):
        module = gfx.transpile(target, one, to="torch").module()
        assert {name for name, _ in module.named_parameters()} == {"weight", "bias"}
    closed_over = gfx.transpile(lambda x: model(x), one, to="torch")
    assert "bias is the array of weight" in closed_over.program.notes[0]


def moved(model, x):
    model.bias = model.bias + x.sum()
    return x * model.weight + model.bias


def test_a_write_to_an_object_in_which_one_array_stands_at_two_places_is_refused():
    one = jnp.ones((1, 1))
    with pytest.raises(gfx.GfxError, match=r"(?s)two places of the object.*x\.copy\(\)"):
        gfx.transpile(functools.partial(moved, Times(one, one, 2)), one, to="torch")


def doubled(x: torch.Tensor, n: int = 1):
    before = x.clone()
    x[n:] *= 2
    return before, x[0]


@pytest.mark.parametrize("run", [lambda found: found, lambda found: found.module()], ids=["transpiled", "module"])
def test_an_argument_that_the_code_writes_is_written(run):
    wanted, given = torch.ones(3), torch.ones(3)
    want, got = doubled(wanted), run(gfx.transpile(doubled, to="torch"))(given)
    torch.testing.assert_close((got, given), (want, wanted))
    of_numpy = np.ones(3)
    gfx.transpile(doubled, to="numpy")(of_numpy)
    np.testing.assert_array_equal(of_numpy, wanted)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Normed:
    weight: jax.Array
    mean: jax.Array

    def __call__(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return (x - self.mean) * self.weight


def test_what_code_writes_to_its_object_is_a_buffer():
    module = gfx.transpile(Normed(jnp.ones(3), jnp.zeros(3)), jnp.ones((4, 3)), to="torch").module()
    assert [name for name, _ in module.named_parameters()] == ["weight"]
    assert [name for name, _ in module.named_buffers()] == ["mean"]
    module(torch.ones(4, 3)).sum().backward()
    torch.testing.assert_close(module.mean, torch.full((3,), 0.1))
    torch.testing.assert_close(module.weight.grad, torch.full((3,), 3.6))
