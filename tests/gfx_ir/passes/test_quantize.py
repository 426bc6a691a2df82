"""Quantization: whole numbers of 8 bits for weights, and for what they are multiplied by where data tell its range."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir import ops
from gfx_ir.infer import bind, infer
from gfx_ir.op import lookup
from gfx_ir.passes import PASSES, Optimize
from graphs import Maker
from linear import assert_linear
from optimized import applied, f32, generated, models, ops_of, read
from sweeps import part

PARAMETER = lookup("parameter")
X = torch.linspace(-2.0, 2.0, 24).reshape(3, 8)


def arrays(out):
    return [
        np.asarray(x.detach() if isinstance(x, torch.Tensor) else x)
        for x in (out if isinstance(out, tuple) else (out,))
        if x is not None
    ]


@pytest.mark.parametrize("before", [(), ("inline", "fold_batch_norm")], ids=str)
@pytest.mark.parametrize("name", ["gpt", "resnet"])
def test_models(name, before):
    """Within 1 % of the largest number, on the reference and as source."""
    program, inputs = models()[name]
    out = program.optimized(*before, "quantize", validate=inputs)
    (wanted,) = arrays(program.to("torch")(torch.tensor(inputs[0])))
    for given in (out.to("torch")(torch.tensor(inputs[0])), out.to("jax")(inputs[0])):
        (found,) = arrays(given)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=0.01 * np.abs(wanted).max())
    weights = [path for path, x in out.params.items() if str(x.dtype) == "torch.int8"]
    assert len(weights) == {"gpt": 8, "resnet": 3}[name] and all(f"{path}_scale" in out.params for path in weights)
    assert str(Optimize(["quantize"])(out)) == str(out)


def test_a_saved_program(tmp_path):
    program, inputs = models()["resnet"]
    out = program.optimized("quantize", validate=inputs)
    out.save(tmp_path / "small.json")
    again = gfx.load(tmp_path / "small.json")
    np.testing.assert_array_equal(*[arrays(p.to("jax")(inputs[0]))[0] for p in (out, again)])


@pytest.mark.parametrize("layer, sizes", [
    (nn.Linear(8, 5), (3, 8)), (nn.Linear(8, 5, bias=False), (2, 3, 8)), (nn.Conv1d(4, 6, 3, padding=1, groups=2), (2, 4, 7)),
    (nn.Conv2d(4, 6, 3, bias=False), (4, 6, 5)), (nn.Conv3d(2, 3, (1, 2, 2), stride=(1, 2, 1)), (2, 2, 3, 4, 5)),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("calibrated", [False, True])
def test_no_factor_is_off_by_more_than_half_a_step(layer, sizes, calibrated):
    torch.manual_seed(0)
    x, weight = torch.randn(sizes), layer.weight.detach()
    program = gfx.symbolic_trace(layer, x).infer()
    out = program.optimized(PASSES.get("quantize", inputs=(x.numpy(),) if calibrated else None))

    def products(w, given):
        without = {"weight": w, **({"bias": torch.zeros(len(w))} if layer.bias is not None else {})}
        return torch.func.functional_call(layer, without, (given,)).detach()

    half = weight.abs().amax(dim=tuple(range(1, weight.ndim)), keepdim=True).expand_as(weight) / 254
    own = torch.full_like(x, float(x.abs().max()) / 254 if calibrated else 0.0)
    allowed = products(half, x.abs() + own) + products(weight.abs(), own)
    off = (out.to("torch")(x) - layer(x)).detach().abs()
    assert (off <= allowed + 1e-5).all() and off.max() > 0


def test_matrices_of_a_jax_program_and_those_that_stay():
    def network(params, x):
        hidden = jnp.tanh(x @ params["first"] + params["bias"])
        shared = hidden @ params["tied"] @ params["tied"]
        return shared @ params["last"].T + params["vector"] @ hidden.T

    rng = np.random.default_rng(0)
    sizes = {"first": (8, 5), "bias": (5,), "tied": (5, 5), "last": (3, 5), "vector": (5,)}
    params = {name: jnp.asarray(rng.standard_normal(shape), jnp.float32) for name, shape in sizes.items()}
    program = gfx.symbolic_trace(functools.partial(network, params), gfx.TensorSpec((3, 8)), backend="jax").infer()
    out = program.optimized("quantize", validate=(X.numpy(),))
    assert sorted(path for path, x in out.params.items() if x.dtype == "int8") == ["first"]
    assert out.params["first_scale"].shape == (5,) and program.params["first"].dtype == "float32"


def test_each_instance_of_a_function_has_its_own_range():
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    with torch.no_grad():
        model[0].weight.mul_(100.0)
    program = gfx.symbolic_trace(model, X).infer()
    out = program.optimized("quantize", validate=(X.numpy(),))
    assert len(out.functions) == len(program.functions) == 1
    first, second = [float(out.params[f"{at}.weight_input_scale"]) for at in (0, 2)]
    assert first == pytest.approx(2.0 / 127) and second > 10 * first


def test_a_side_that_the_data_never_take_has_weights_alone():
    text = """def f(x, flag: bool):
    def then(x):
        w = parameter("w")
        y = matmul(x, w)
        return (y,)
    def other(x):
        v = parameter("v")
        z = matmul(x, v)
        return (z,)
    y = host_if(then, other, test=flag, operands=(x,))
    return y
"""
    program = read(text, x=f32(3, 3))
    program.params = {"w": np.eye(3, dtype=np.float32), "v": np.full((3, 3), 2.0, np.float32)}
    data = np.arange(9, dtype=np.float32).reshape(3, 3)
    out = applied(["quantize"], infer(program), (data, True))
    assert set(out.params) == {"w", "w_scale", "w_input_scale", "v", "v_scale"}
    assert ops_of(out).count("round") == 1


class Layered(Maker):
    """Has layers, with weights that are whole numbers of steps."""

    def make_op(self, pool, depth):
        if self.random.random() < 0.6:
            return super().make_op(pool, depth)
        self.layers = getattr(self, "layers", 0) + 1
        weight = self.builder.graph.add_parameter(f"w{self.layers}", f32(3, 3).logical())
        x = self.pick(pool)
        made = self.random.choice((lambda: ops.linear(x, weight), lambda: ops.matmul(x, weight)))()
        return [self.name(ops.tanh(made))]


@pytest.mark.parametrize("seed", range(part(3, 40)))
def test_generated_programs_with_control_flow(seed):
    """Where weights lose nothing, no result does."""
    program, inputs = generated(seed, False, Layered)
    rng = np.random.default_rng(seed)
    for node in program.entry.walk():
        for path in [v.node.args[0] for v in node.args if getattr(getattr(v, "node", None), "op", None) is PARAMETER]:
            steps = rng.integers(-127, 127, (3, 3))
            np.fill_diagonal(steps, 127)
            program.params[path] = (steps / 64).astype(np.float32)
    typed = infer(bind(program, x=f32(3), y=f32(3)))
    series = Optimize([PASSES.get("quantize", inputs=[])], validate=inputs, tolerance=1e-5)
    assert all(x.dtype == np.int8 for path, x in series(typed).params.items() if "_" not in path)


def test_the_cost_of_layers():
    def prepare(n):
        lines = "".join(f'    w{at} = parameter("layers.{at}.weight")\n' for at in range(n))
        lines += "".join(f"    a{at + 1} = matmul(a{at}, w{at})\n" for at in range(n))
        program = read(f"def f(a0):\n{lines}    return a{n}\n")
        program.params = {f"layers.{at}.weight": np.eye(3, dtype=np.float32) for at in range(n)}
        typed = infer(bind(program, a0=f32(3, 3)))
        return lambda: PASSES.get("quantize", inputs=(np.eye(3, dtype=np.float32),)).apply(typed)

    assert_linear(prepare)


class Steps(nn.Module):
    """A recurrent network, one loop of which is in a test."""

    def __init__(self):
        super().__init__()
        self.inner, self.state, self.out = nn.Linear(8, 6), nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, xs):
        h = torch.zeros(6)
        for x in xs:
            h = torch.tanh(self.inner(x) + self.state(h))
        if h.sum() > 0:
            for _ in range(2):
                h = torch.relu(self.state(h))
        return self.out(h)


def test_weights_in_loops():
    torch.manual_seed(0)
    model = Steps()
    program = gfx.symbolic_trace(model, X).infer()
    for passes in (
        ("quantize",),
        ("inline", "quantize"),
        ("inline", "mixed_precision"),
        ("inline", "quantize(inputs=[])"),
    ):
        out = program.optimized(*passes, validate=(X.numpy(),))
        few = {"torch.int8", "torch.bfloat16"} & {
            str(out.params[f"{name}.weight"].dtype) for name in ("inner", "state", "out")
        }
        assert len(few) == 1 or passes[-1] == "quantize"
        for found in (out.to("torch")(X), out.to("jax")(X.numpy())):
            np.testing.assert_allclose(*arrays((found, model(X))), rtol=0, atol=0.02)
