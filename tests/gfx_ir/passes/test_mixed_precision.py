"""Mixed precision: products in few bits and what follows on them, the rest in the bits that it has, casts where they meet."""

import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.infer import bind, infer
from gfx_ir.passes import PASSES, Optimize
from linear import assert_linear
from optimized import Contracting, applied, f32, generated, models, ops_of, read
from sweeps import part

X = torch.linspace(-2.0, 2.0, 24).reshape(3, 8)


def dtypes_of(program, name):
    """The dtypes of what the nodes of an op give."""
    return [str(node.values[0].type.dtype) for node in program.entry.walk() if node.op.name == name]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["gpt", "resnet"])
def test_models_as_source(name, dtype):
    program, inputs = models()[name]
    passes = ("inline", "fold_batch_norm", f"mixed_precision(dtype={dtype!r})")
    out = program.optimized(*passes, validate=inputs)
    wanted, given = program.to("torch")(torch.tensor(inputs[0])), out.to("torch")(torch.tensor(inputs[0]))
    jax = out.to("jax")(inputs[0])
    for one, other, third in zip(*[x if isinstance(x, tuple) else (x,) for x in (wanted, given, jax)]):
        if one is None:
            continue
        assert one.dtype == other.dtype and third.dtype == "float32"
        largest = float(one.detach().abs().max())
        np.testing.assert_allclose(other.detach(), one.detach(), rtol=0, atol=0.01 * largest)
        np.testing.assert_allclose(np.asarray(third), one.detach(), rtol=0, atol=0.01 * largest)


def test_what_stays_as_it_is():
    program, inputs = models()["gpt"]
    out = applied(["inline", "mixed_precision"], program, inputs)
    assert set(dtypes_of(out, "linear")) | set(dtypes_of(out, "matmul")) | set(dtypes_of(out, "gelu")) == {"bfloat16"}
    assert set(dtypes_of(out, "layer_norm")) | set(dtypes_of(out, "softmax")) == {"float32"}
    assert all(str(leaf.type.dtype) == "float32" for leaf in out.entry.outputs() if leaf is not None)


class Tied(nn.Module):
    """A weight of two layers, one that is looked up, too, and a layer between norms."""

    def __init__(self):
        super().__init__()
        self.inner, self.other, self.norm = nn.Linear(8, 8), nn.Linear(8, 8), nn.LayerNorm(8)
        self.other.weight = self.inner.weight
        self.table = nn.Parameter(torch.rand(4, 8))

    def forward(self, x):
        y = torch.relu(self.other(torch.relu(self.inner(x))))
        return self.norm(y) @ self.table.T + self.table.sum()


def test_parameters_are_cast_once():
    program = gfx.symbolic_trace(Tied(), X).infer()
    out = applied(["inline", "mixed_precision"], program, (X.numpy(),))
    found = {path: str(x.dtype) for path, x in out.params.items()}
    assert found["inner.weight"] == found["inner.bias"] == found["other.bias"] == "torch.bfloat16"
    assert found["table"] == found["norm.weight"] == found["norm.bias"] == "torch.float32"
    casts = [node for node in out.entry if node.op.name == "astype"]
    assert len(casts) == 5  # x, to the norm, from it, the table, the result
    assert str(program.params["inner.weight"].dtype) == "torch.float32"


def test_casts_at_the_borders_only():
    text = """def f(x, w):
    a = matmul(x, w)
    b = tanh(a)
    c = permute_dims(b, (1, 0))
    d = size(c, 0)
    e = multiply(c, 0.5)
    g = sum(e)
    h = matmul(e, b)
    k = add(h, x)
    return (k, g, d)
"""
    data = (np.arange(9, dtype=np.float32).reshape(3, 3) / 8, np.eye(3, dtype=np.float32))
    out = applied(["mixed_precision"], read(text, x=f32(3, 3), w=f32(3, 3)), data)
    assert ops_of(out).count("astype") == 4  # x, w, e for the sum, h for the result
    assert {*dtypes_of(out, "tanh"), *dtypes_of(out, "permute_dims"), *dtypes_of(out, "multiply")} == {"bfloat16"}
    assert dtypes_of(out, "sum") == dtypes_of(out, "add") == ["float32"]


@pytest.mark.parametrize("seed", range(part(3, 40)))
def test_generated_programs_with_control_flow(seed):
    """In more bits, in which no test turns out otherwise."""
    program, inputs = generated(seed, typed=True, maker=Contracting)
    series = Optimize([PASSES.get("mixed_precision", dtype="float64")], validate=inputs, tolerance=1e-4)
    out = series(program)
    assert series.report[0].changed or all(node.op.contraction is None for node in out.entry.walk())


def test_dtypes_that_it_does_not_know_of_stay():
    text = "def f(x, y):\n    a = matmul(x, x)\n    b = matmul(y, y)\n    return (a, b)\n"
    program = read(text, x=gfx.TensorSpec((2, 2), "float64"), y=gfx.TensorSpec((2, 2), "int32"))
    assert str(Optimize(["mixed_precision"])(program)) == str(program)
    assert dtypes_of(Optimize(["mixed_precision(wide='float64', dtype='float32')"])(program), "matmul") == [
        "float32",
        "int32",
    ]
    assert str(Optimize(["mixed_precision"])(read(text))) == str(read(text))


def test_the_cost_of_chains():
    def prepare(n):
        lines = "".join(f"    a{at + 1} = {'matmul(a%d, w)' if at % 3 else 'softmax(a%d)'}\n" % at for at in range(n))
        program = read(f'def f(a0):\n    v = parameter("w")\n    w = permute_dims(v, (1, 0))\n{lines}    return a{n}\n')
        program.params = {"w": np.eye(3, dtype=np.float32)}
        typed = infer(bind(program, a0=f32(3, 3)))
        return lambda: PASSES.get("mixed_precision").apply(typed)

    assert_linear(prepare)


def test_as_near_as_autocast():
    """On small layers between norms, which make much of what is lost; the mean of several."""
    off = []
    for seed in range(8):
        torch.manual_seed(seed)
        model = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(8, 8), nn.ReLU(), nn.LayerNorm(8))]).eval()
        program = gfx.symbolic_trace(model, X).infer()
        out = program.optimized("mixed_precision", validate=(X.numpy(),))
        with torch.no_grad():
            wanted, found = model(X), out.to("torch")(X)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                theirs = model(X).float()
        off.append([float((x - wanted).abs().max()) for x in (found, theirs)])
    ours, theirs = np.mean(off, axis=0)
    assert 0 < ours < 1.5 * theirs
