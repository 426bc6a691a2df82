"""Modules of one kind that are called one after the other: each does what its own tensors, attributes, hooks and surroundings say."""

import functools
import types
import weakref

import numpy as np
import pytest

import gfx_trace as gfx
from gfx_ir.control import is_call
from gfx_ir.errors import GfxError

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")
nn = torch.nn
COUNT = 4
SEEN = {}
FOUND = []


class Layer(nn.Module):
    """What all layers have; `at` is their place in the model."""

    def __init__(self, at):
        super().__init__()
        self.at = at
        self.linear = nn.Linear(3, 3)
        self.register_buffer("scale", torch.tensor(1.0 + at))

    def forward(self, x):
        return x + torch.tanh(self.linear(x)) * self.scale


class OwnNumber(Layer):
    def forward(self, x):
        return super().forward(x) * self.at


class NumberOfAText(Layer):
    def forward(self, x):
        return super().forward(x) * getattr(self, "a" + "t")


class NumberOfItsTable(Layer):
    def forward(self, x):
        return super().forward(x) * vars(self)["at"]


class NumberInAText(Layer):
    def extra_repr(self):
        return f"at={self.at}"

    def forward(self, x):
        return super().forward(x) * (2.0 if "at=2" in repr(self) else 1.0)


class NumberOfAProperty(Layer):
    @property
    def half(self):
        return self.at / 2

    def forward(self, x):
        return super().forward(x) * self.half


class NumberOfAPart(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.linear.at = at

    def forward(self, x):
        return super().forward(x) + self.linear.at


class NumberInAList(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.numbers = [at, {"at": at}]

    def forward(self, x):
        return super().forward(x) * self.numbers[0] + self.numbers[1]["at"]


class NumberSaidByAMethod(Layer):
    def number(self):
        return self.at

    def forward(self, x):
        return super().forward(x) * self.number() + helped(self)


def helped(layer):
    return layer.at + 1


class NumberOfAFunction(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.function = lambda x: x * at

    def forward(self, x):
        return self.function(super().forward(x))


class NumberOfAPartial(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.function = functools.partial(torch.mul, other=at)

    def forward(self, x):
        return self.function(super().forward(x))


class Unread(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.name = f"layer.{at}"


class Passed(Layer):
    def __init__(self, at):
        super().__init__(at)
        if at % 2:
            self.register_forward_hook(lambda module, given, result: result * 3)


class WithAPart(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.part = nn.Linear(3, 3) if at > 1 else None

    def forward(self, x):
        x = super().forward(x)
        return x if self.part is None else self.part(x)


class OtherForward(Layer):
    def __init__(self, at):
        super().__init__(at)
        if at == 2:
            self.forward = lambda x: x - 1


class Counting(Layer):
    calls = 0

    def forward(self, x):
        type(self).calls += 1
        return super().forward(x) * type(self).calls


class CountingInAGlobal(Layer):
    def forward(self, x):
        SEEN["calls"] = SEEN.get("calls", 0) + 1
        return super().forward(x) * SEEN["calls"]


class KnownByItsPlace(Layer):
    def forward(self, x):
        SEEN.setdefault(id(self), len(SEEN))
        return super().forward(x) * SEEN[id(self)]


class KnownAsAKey(Layer):
    def forward(self, x):
        return super().forward(x) * SEEN.get(self, 1.0)


class InAList(Layer):
    def forward(self, x):
        return super().forward(x) * (2.0 if self in FOUND[:1] else 1.0)


class FirstOfAList(Layer):
    def forward(self, x):
        return super().forward(x) * (2.0 if self is FOUND[0] else 1.0)


class EqualToOne(Layer):
    def forward(self, x):
        return super().forward(x) * (2.0 if self == FOUND[1] else 1.0)


class WithTheFirstOnesWeight(Layer):
    def forward(self, x):
        return nn.functional.linear(super().forward(x), FOUND[0].linear.weight)


class WithTheFirstOnesWeightByAMethod(Layer):
    def first(self):
        return FOUND[0]

    def forward(self, x):
        return nn.functional.linear(super().forward(x), self.first().linear.weight)


class WithTheFirstOneAsReference(Layer):
    def forward(self, x):
        return nn.functional.linear(super().forward(x), SEEN["first"]().linear.weight)


class WithTheFirstOneAsDefault(Layer):
    def forward(self, x):
        return nn.functional.linear(super().forward(x), of_first(x))


def of_first(x, holder=FOUND):
    return holder[0].linear.weight


class Tied(Layer):
    """The last two have one matrix."""


class Frozen(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.linear.weight.requires_grad_(at != 1)

    def forward(self, x):
        return super().forward(x) * (2.0 if self.linear.weight.requires_grad else 1.0)


class InEvaluation(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.train(at < 2)

    def forward(self, x):
        return super().forward(x) * (2.0 if self.training else 1.0)


class AskingWhatItIsGiven(Layer):
    def forward(self, x):
        return super().forward(x) * (2.0 if x.requires_grad else 1.0)


class AskingForAClass(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.shift = nn.Parameter(torch.ones(3)) if at == 1 else torch.ones(3)

    def forward(self, x):
        return super().forward(x) * (2.0 if isinstance(self.shift, nn.Parameter) else 1.0)


class Writing(Layer):
    def forward(self, x):
        x += self.linear(x)
        return x


class WritingItsOwn(Layer):
    def forward(self, x):
        y = self.linear(x)
        y += 1
        y[0] = 0
        return x + y


class WritingABuffer(Layer):
    def forward(self, x):
        self.scale += 1
        return super().forward(x)


class OfAView(Layer):
    def forward(self, x):
        return super().forward(x).t().t()


class GivingWhatItIsGiven(Layer):
    def forward(self, x):
        return x if self.at else super().forward(x)


class Remembering(Layer):
    def forward(self, x):
        return super().forward(x) * remembered(self.at)


@functools.lru_cache
def remembered(at):
    return at + 0.5


class Reference(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.me = weakref.ref(self)

    def forward(self, x):
        return super().forward(x) * self.me().at


class Normalised(Layer):
    def __init__(self, at):
        super().__init__(at)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(super().forward(x))


REFUSED = {"Counting", "CountingInAGlobal", "KnownByItsPlace"}  # what outlives the call


class Pair(Layer):
    """Two equal parts, which a global tells what to do."""

    def __init__(self, at):
        super().__init__(at)
        self.one, self.two = Switched(), Switched()

    def forward(self, x):
        return self.two(self.one(x))


class Switched(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(3))

    def forward(self, x):
        return x * self.weight * SWITCH.factor


class SwitchedBetween(nn.Module):
    """A global that the parts of layers read changes behind the second layer."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Switched(), Switched()
        self.layers = nn.ModuleList(Pair(at) for at in range(COUNT))

    def forward(self, x):
        before = SWITCH.factor
        SWITCH.factor = 2.0
        x = self.second(self.first(x * 1.0))
        for at, layer in enumerate(self.layers):
            if at == 2:
                SWITCH.factor = 3.0
            x = layer(x)
        SWITCH.factor = before
        return x


SWITCH = types.SimpleNamespace(factor=1.0)
LAYERS = [kind for kind in list(globals().values()) if isinstance(kind, type) and issubclass(kind, Layer)]


class Model(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layers = nn.ModuleList(kind(at) for at in range(COUNT))
        if kind is Tied:
            self.layers[3].linear.weight = self.layers[2].linear.weight

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def made(kind):
    torch.manual_seed(0)
    return Model(kind).double()


def surroundings(model):
    SEEN.clear()
    FOUND[:] = model.layers
    SEEN["first"] = weakref.ref(model.layers[0])
    SEEN[model.layers[2]] = 3.0


@pytest.mark.parametrize("given", [True, False], ids=["sizes", "open"])
@pytest.mark.parametrize("kind", LAYERS, ids=[kind.__name__ for kind in LAYERS])
def test_each_layer_is_itself(kind, given):
    model, x = made(kind), torch.randn(4, 3, dtype=torch.float64)
    surroundings(model)
    try:
        program = gfx.symbolic_trace(model, *([x.clone()] if given else []), backend="torch")
    except GfxError as error:
        assert kind.__name__ in REFUSED, error
        return
    assert kind.__name__ not in REFUSED
    surroundings(model)
    found = program(x.clone())
    torch.manual_seed(0)
    twin = made(kind)
    surroundings(twin)
    np.testing.assert_allclose(found.detach().numpy(), twin(x.clone()).detach().numpy(), rtol=1e-9)


def test_what_parts_of_layers_read_may_change_between_layers():
    model, x = SwitchedBetween().double(), torch.randn(4, 3, dtype=torch.float64)
    program = gfx.symbolic_trace(model, x)
    torch.testing.assert_close(program(x), model(x))


class Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return nn.functional.dropout(x * self.weight, 0.5, self.training)


@pytest.mark.parametrize("target", ["torch", "jax"])
def test_each_layer_draws_numbers_of_its_own(target):
    model = nn.Sequential(*[Dropping() for _ in range(COUNT)])
    program = gfx.transpile(model, torch.ones(20_000), to=target)
    if target == "torch":
        found = program(torch.ones(20_000), generator=torch.Generator().manual_seed(0)).detach().numpy()
    else:
        found = np.asarray(program(np.ones(20_000, np.float32), key=jax.random.key(0)))
    assert set(np.unique(found)) == {0.0, 2.0**COUNT}
    assert abs((found != 0).mean() - 0.5**COUNT) < 0.01


class Holding(nn.Module):
    def __init__(self, at):
        super().__init__()
        self.inner = Layer(at)

    def forward(self, x):
        return self.inner(x)


class LeavingTheThird(gfx.Tracer):
    def is_leaf(self, target):
        return isinstance(target, Layer) and target.at == 2


def test_a_part_that_is_a_leaf_of_one_layer_is_none_of_the_others():
    program = LeavingTheThird().trace(made(Holding))
    called = {node.args[1]: node.args[0] for node in program.entry if is_call(node)}
    others = {called[f"layers.{at}"] for at in (0, 1, 3)}
    assert len(others) == 1
    assert called["layers.2"] not in others
