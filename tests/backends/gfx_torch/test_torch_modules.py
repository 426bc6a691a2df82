"""torch.nn's modules in their functional form, against the modules themselves."""

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import GfxError, MissingOp
from gfx_ir.graph import Graph
from gfx_ir.rules import building
from gfx_ir.types import LogicalTensor
from torch_probe import TORCH, Recorder, call, compare, record, results, run

torch.manual_seed(0)
IMAGE, ROWS, LINE, VOLUME = torch.randn(2, 4, 6, 6), torch.randn(3, 4), torch.randn(2, 4, 6), torch.randn(1, 2, 4, 4, 4)
TOKENS = torch.tensor([[1, 0, 2]])

MODULES = [
    (nn.Linear(4, 3), ROWS), (nn.Linear(4, 3, bias=False), LINE.transpose(1, 2)), (nn.Identity(), ROWS), (nn.Embedding(5, 3, padding_idx=0), TOKENS),
    (nn.Conv1d(4, 2, 3, padding=1), LINE), (nn.Conv2d(4, 6, 3, stride=2, groups=2), IMAGE), (nn.Conv2d(4, 2, 3, padding="same", dilation=2), IMAGE),
    (nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"), IMAGE), (nn.Conv2d(4, 2, (3, 1), padding=(1, 0), padding_mode="circular"), IMAGE),
    (nn.Conv3d(2, 3, 2), VOLUME), (nn.BatchNorm2d(4).eval(), IMAGE), (nn.BatchNorm1d(4), ROWS), (nn.BatchNorm2d(4, affine=False, track_running_stats=False), IMAGE),
    (nn.BatchNorm3d(2), VOLUME), (nn.BatchNorm2d(4, momentum=None), IMAGE), (nn.LayerNorm(4), ROWS), (nn.LayerNorm((4, 6), elementwise_affine=False), LINE),
    (nn.GroupNorm(2, 4), IMAGE), (nn.RMSNorm(4), ROWS), (nn.InstanceNorm2d(4, affine=True), IMAGE), (nn.Dropout(0.5).eval(), ROWS), (nn.Dropout2d().eval(), IMAGE),
    (nn.ReLU(), ROWS), (nn.ReLU(inplace=True), ROWS), (nn.ReLU6(), ROWS), (nn.LeakyReLU(0.2), ROWS), (nn.PReLU(4), ROWS), (nn.ELU(), ROWS), (nn.CELU(2.0), ROWS), (nn.SELU(), ROWS),
    (nn.GELU(), ROWS), (nn.GELU("tanh"), ROWS), (nn.SiLU(), ROWS), (nn.Mish(), ROWS), (nn.Tanh(), ROWS), (nn.Sigmoid(), ROWS), (nn.LogSigmoid(), ROWS), (nn.Softplus(2), ROWS),
    (nn.Softsign(), ROWS), (nn.Tanhshrink(), ROWS), (nn.Softshrink(), ROWS), (nn.Hardshrink(), ROWS), (nn.Hardtanh(), ROWS), (nn.Hardsigmoid(), ROWS), (nn.Hardswish(), ROWS),
    (nn.Threshold(0.1, 5.0), ROWS), (nn.GLU(), ROWS), (nn.Softmax(1), ROWS), (nn.Softmax(), ROWS), (nn.Softmin(0), ROWS), (nn.LogSoftmax(-1), ROWS), (nn.Softmax2d(), IMAGE),
    (nn.MaxPool1d(2), LINE), (nn.MaxPool2d(3, stride=2, padding=1), IMAGE), (nn.MaxPool2d(2, dilation=2, ceil_mode=True), IMAGE), (nn.AvgPool2d(2), IMAGE), (nn.AvgPool1d(3, 1, 1), LINE),
    (nn.AdaptiveAvgPool2d(1), IMAGE), (nn.AdaptiveAvgPool2d((None, 2)), IMAGE), (nn.AdaptiveMaxPool1d(3), LINE), (nn.Flatten(), IMAGE), (nn.Unflatten(1, (2, 2)), IMAGE),
    (nn.ConstantPad1d((1, 2), 3.0), LINE), (nn.ZeroPad2d(1), IMAGE), (nn.ZeroPad2d((0, 0, 1, -1)), IMAGE), (nn.ReflectionPad2d((1, 2, 0, 1)), IMAGE), (nn.ReplicationPad1d(2), LINE), (nn.PixelShuffle(2), IMAGE),
]  # fmt: skip
TWO = [
    (nn.CrossEntropyLoss(label_smoothing=0.1), ROWS, torch.tensor([1, 3, 0])), (nn.NLLLoss(reduction="sum"), ROWS, torch.tensor([1, 3, 0])), (nn.MSELoss(), ROWS, ROWS * 2),
    (nn.L1Loss(), ROWS, ROWS * 2), (nn.SmoothL1Loss(), ROWS, ROWS * 3), (nn.HuberLoss(delta=0.1), ROWS, ROWS * 3), (nn.BCELoss(), ROWS.sigmoid(), (ROWS > 0).float()),
    (nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0)), ROWS, (ROWS > 0).float()), (nn.KLDivLoss(reduction="batchmean"), ROWS, ROWS.softmax(1)), (nn.CosineSimilarity(), ROWS, ROWS + 1),
    (nn.PairwiseDistance(), ROWS, ROWS + 1), (nn.Bilinear(4, 4, 2), ROWS, ROWS),
]  # fmt: skip


class Accessor:
    """A module as capture shows it to a row: tensors are Values, the rest is plain."""

    def __init__(self, module, graph, typed, values=None):
        self._module, self._graph, self._typed, self.written = module, graph, typed, {}
        self.values = {} if values is None else values

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if isinstance(found, nn.Module):
            return Accessor(found, self._graph, self._typed, self.values)
        if not isinstance(found, torch.Tensor):
            return found
        if id(found) not in self.values:
            type_ = LogicalTensor(TORCH.dtype_of(found), tuple(found.shape)) if self._typed else None
            self.values[id(found)] = self._graph.add_placeholder(name, "tensor", type_), found.detach()
        return self.written.get(name, self.values[id(found)][0])

    def write(self, name, value):
        self.written[name] = value


def run_module(module, tensors, typed, on_torch):
    """The module's result, and its buffers as they are left."""
    graph = Graph("test")
    given = [
        graph.add_placeholder(f"x{n}", "tensor", LogicalTensor(TORCH.dtype_of(x), tuple(x.shape)) if typed else None)
        for n, x in enumerate(tensors)
    ]
    m = Accessor(module, graph, typed)
    with building(Recorder(graph, typed)):
        out = TORCH.modules[type(module)].fn(m, *given)
    graph.result = (out, *m.written.values())
    data = [x.detach() for x in tensors] + [held for _, held in m.values.values()]
    return list(m.written), results(run(graph, data, on_torch))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("case", [*MODULES, *TWO], ids=lambda case: str(case[0]))
def test_a_module_in_functional_form(case, typed):
    module, *tensors = case
    try:
        found = [run_module(module, tensors, typed, on_torch) for on_torch in ((False, True) if typed else (True,))]
    except GfxError as error:
        assert not typed and error.hint
        return
    before = {name: buffer.clone() for name, buffer in module.named_buffers()}
    with torch.no_grad():
        expected = module(*(x.clone() for x in tensors))
    for written, values in found:
        compare(values, results((expected, *(getattr(module, name) for name in written))), dtypes=typed)
        assert set(written) == {n for n, old in before.items() if not torch.equal(old, getattr(module, n))}
    for name, old in before.items():
        getattr(module, name).copy_(old)


def test_in_place_modules_say_so():
    assert TORCH.modules[nn.ReLU].writes(nn.ReLU(inplace=True), None)
    assert not TORCH.modules[nn.ReLU].writes(nn.ReLU(), None)


def test_a_meaning_that_would_be_lost_is_refused():
    with pytest.raises(MissingOp):
        record(lambda x: torch.add(x, x, out=x), [ROWS], typed=True)


# ---------------------------------------------------------------- attention
Q, KV, HIDDEN = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
CAUSAL = torch.ones(3, 3, dtype=torch.bool).triu(1)
CALLS = [
    ({"batch_first": True}, (Q, Q, Q), {"need_weights": False}),
    ({"batch_first": True}, (Q, KV, KV), {"key_padding_mask": HIDDEN}),
    ({}, (Q, Q, KV[:, :3]), {"average_attn_weights": False}),
    ({"batch_first": True, "bias": False}, (Q, Q, Q), {"attn_mask": CAUSAL, "is_causal": True, "need_weights": False}),
    (
        {"batch_first": True, "kdim": 4, "vdim": 4},
        (Q, Q, Q),
        {"attn_mask": torch.randn(4, 3, 3), "need_weights": False},
    ),
    ({"batch_first": True}, (Q, Q, Q), {"attn_mask": torch.randn(3, 3), "key_padding_mask": HIDDEN[:, 1:4]}),
    ({}, (Q[0], Q[0], Q[0]), {"attn_mask": CAUSAL}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CALLS, ids=range(len(CALLS)))
def test_attention_in_functional_form(case):
    made, tensors, masks = case
    module = nn.MultiheadAttention(4, 2, **made).eval()
    graph = Graph("test")
    m = Accessor(module, graph, True)
    known = {id(x): x for x in (*tensors, *masks.values()) if isinstance(x, torch.Tensor)}
    values = {
        k: graph.add_placeholder("x", "tensor", LogicalTensor(TORCH.dtype_of(x), tuple(x.shape)))
        for k, x in known.items()
    }
    with building(Recorder(graph, True)):
        kwargs = {name: values.get(id(x), x) for name, x in masks.items()}
        graph.result = TORCH.modules[nn.MultiheadAttention].fn(m, *(values[id(x)] for x in tensors), **kwargs)
    with torch.no_grad():
        expected = results(module(*tensors, **masks))
    data = [*known.values(), *(held for _, held in m.values.values())]
    for on_torch in (False, True):
        got = results(run(graph, data, on_torch))
        compare([x for x in got if x is not None], [x for x in expected if x is not None], dtypes=on_torch)


# ---------------------------------------------------------------- random numbers
DRAWS = [
    (lambda x: call(torch.rand, 200, 5), (0.0, 1.0), 0.5), (lambda x: call(torch.randn, (200, 5)), (-9, 9), 0.0), (lambda x: call(torch.randint, 2, 5, (1000,)), (2, 4), 3.0),
    (lambda x: torch.rand_like(x), (0, 1), 0.5), (lambda x: torch.bernoulli(x * 0 + 0.25), (0, 1), 0.25), (lambda x: x.uniform_(2, 4), (2, 4), 3.0), (lambda x: x.normal_(3, 0.1), (1, 5), 3.0),
    (lambda x: torch.nn.functional.dropout(x * 0 + 1, 0.25), (0, 1.34), 1.0), (lambda x: torch.normal(x * 0 + 2, 0.5), (-9, 9), 2.0), (lambda x: x.bernoulli_(0.75), (0, 1), 0.75),
    (lambda x: torch.randn_like(x, dtype=torch.float64), (-9, 9), 0.0), (lambda x: torch.nn.functional.dropout2d(x[:, :, None, None] * 0 + 1, 0.5), (0, 2), 1.0),
]  # fmt: skip


@pytest.mark.parametrize("draw", DRAWS, ids=range(len(DRAWS)))
def test_draws_have_their_distribution(draw):
    fn, (low, high), mean = draw
    x = torch.zeros(200, 10)
    graph = record(fn, [x], typed=True)
    (got,) = results(run(graph, [x], on_torch=True))
    want = fn(x.clone())
    assert (got.shape, got.dtype) == (tuple(want.shape), results(want)[0].dtype)
    assert got.min() >= low and got.max() <= high and abs(got.mean() - mean) < 0.1


# ---------------------------------------------------------------- programs as modules
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)

    def forward(self, x):
        return x + torch.relu(self.norm(self.lin(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.tree, self.head = nn.Linear(4, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 2, bias=False))
        self.register_buffer("scale", torch.rand(2))
        self.frozen = nn.Parameter(torch.rand(2), requires_grad=False)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(self.tree(x)) * self.scale + self.frozen


def trained(net, x):
    """The loss, the gradients by name, and the state after one step."""
    optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
    net(x).square().sum().backward()
    grads = {name: p.grad for name, p in net.named_parameters() if p.requires_grad}
    optimizer.step()
    return grads, {name: value.clone() for name, value in net.state_dict().items()}


def test_a_program_as_a_module_has_the_models_names_and_trains_as_it():
    net = Net()
    made = gfx.transpile(net, gfx.TensorSpec(("B", 4)), to="torch").module()
    assert made is not net and isinstance(made, nn.Module)
    assert set(made.state_dict()) == set(net.state_dict())
    for kind in ("named_parameters", "named_buffers"):
        assert {n for n, _ in getattr(made, kind)()} == {n for n, _ in getattr(net, kind)()}
    made.load_state_dict(net.state_dict())
    assert not made.frozen.requires_grad
    x = torch.randn(5, 4)
    for got, want in zip(trained(made, x), trained(net, x)):
        assert set(got) == set(want)
        for name in want:
            torch.testing.assert_close(got[name], want[name], msg=lambda text, name=name: f"{name}: {text}")


def test_names_that_a_module_has_already_are_given_another():
    shared = torch.ones(2)
    tree = {"train": shared, "a.b": [torch.zeros(1), {"w": shared}], "count": torch.tensor(3), "none": None}
    made = TORCH.as_module(lambda params, x: (x, params), tree)
    x, got = made(1)
    assert x == 1 and list(got) == list(tree) and got["train"] is got["a.b"][1]["w"] and got["none"] is None
    assert [name for name, _ in made.named_parameters()] == ["train_", "a_b.0"]
    assert [name for name, _ in made.named_buffers()] == ["count"]
    assert made.train() is made and made.train_.requires_grad


def test_a_module_writes_what_its_function_writes():
    made = TORCH.as_module(
        lambda p: (p["n"][0] + 1, {"n.0": p["n"][0] * 2, "other": 5}), {"n": [torch.tensor([3.0])]}, True
    )
    assert made().tolist() == [4.0] and made().tolist() == [7.0]
    assert TORCH.as_module(lambda x: x + 1, None)(2) == 3


class Watched(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        y = self.norm(x)
        return (y * y * y).sum() + (self.norm.running_mean * self.norm.running_var * x.detach().sum()).sum()


@pytest.mark.parametrize(
    "kind, x", [(nn.BatchNorm1d, ROWS), (lambda n: nn.InstanceNorm1d(n, track_running_stats=True), LINE)]
)
def test_no_gradient_flows_through_running_statistics(kind, x):
    grads = []
    for made in (Watched(kind(4)), gfx.transpile(Watched(kind(4)), x, to="torch").module()):
        at = x.clone().requires_grad_()
        grads.append(torch.autograd.grad(made(at), at)[0])
    torch.testing.assert_close(*grads)


class Swapping(nn.Module):
    """`last` is written alone."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))
        self.register_buffer("b", torch.ones(3))
        self.register_buffer("last", torch.zeros(3))

    def forward(self, x):
        before = self.a[1:]
        self.last = x * 2
        self.a, self.b = self.b, self.a + x
        return before, self.b


@pytest.mark.parametrize("compiled", [False, True])
def test_a_module_is_written_when_all_is_computed(compiled):
    net, made = Swapping(), gfx.transpile(Swapping(), torch.ones(3), to="torch").module()
    call = torch.compile(made, fullgraph=True, backend="eager") if compiled else made
    pairs = [(net(torch.full((3,), k)), call(torch.full((3,), k))) for k in (1.0, 2.0, 3.0)]
    torch.testing.assert_close([got for _, got in pairs], [want for want, _ in pairs])
    torch.testing.assert_close(made.state_dict(), net.state_dict())


def test_modules_that_a_list_holds_are_no_part_of_the_state_dict():
    class Hiding(nn.Module):
        def __init__(self):
            super().__init__()
            self.shown, self.hidden = nn.Linear(2, 2), [nn.Linear(2, 2)]

        def forward(self, x):
            return self.hidden[0](self.shown(x))

    net = Hiding()
    made = gfx.transpile(net, to="torch").module()
    made.load_state_dict(net.state_dict())
    assert [name for name, _ in made.named_parameters()] == [name for name, _ in net.named_parameters()]
    x = torch.randn(3, 2)
    want = torch.autograd.grad(net(x).sum(), net.hidden[0].weight)[0]
    held = next(buffer for _, buffer in made.named_buffers() if torch.equal(buffer, net.hidden[0].weight))
    torch.testing.assert_close(torch.autograd.grad(made(x).sum(), held)[0], want)


class Skipped(nn.Module):
    """Adds by a layer of torch.ao, as DPT and MobileNets that are to be quantized do."""

    def __init__(self):
        super().__init__()
        self.linear, self.skip = nn.Linear(4, 4), torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        y = self.skip.add_relu(self.skip.add(self.linear(x), x), x)
        return self.skip.cat([self.skip.mul(y, x), self.skip.add_scalar(x, 2.0)], 1)


def test_a_layer_of_quantization_computes_what_it_says():
    model = Skipped().requires_grad_(False)
    for to, x in (("torch", ROWS), ("jax", ROWS.numpy())):
        np.testing.assert_allclose(gfx.transpile(model, ROWS, to=to)(x), model(ROWS), rtol=1e-5, atol=1e-6)


def test_one_sample_of_an_instance_norm_is_told_from_several():
    layer, several, one = nn.InstanceNorm1d(3), torch.randn(2, 3, 4), torch.randn(3, 4)
    program = gfx.symbolic_trace(layer, backend="torch")
    np.testing.assert_allclose(program.to("numpy")(several.numpy()), layer(several), rtol=1e-4, atol=1e-6)
    for made, x in ((program, one), (program.to("numpy"), one.numpy()), (program.to("jax"), one.numpy())):
        with pytest.raises((GfxError, AssertionError), match="3"):
            made(x)
    typed = gfx.symbolic_trace(layer, one, dynamic=True)
    np.testing.assert_allclose(typed.to("numpy")(one.numpy()), layer(one), rtol=1e-4, atol=1e-6)
