"""Layered helpers, each of which calls the one below on both sides of a test: time a layer from 16 layers to 64, stage by stage, and
under `jax.jit` from 8 to 24; capture, too, of those with an argument that nobody reads, and of those that compute without gradients.
Layers of a model, from 6 to 48: those behind the first are recorded as that was. A training step in JAX, from 48 parameters to 192."""

import importlib
import pathlib
import sys
import tempfile

import jax
import torch
from harness import paired, seconds

import gfx_trace as gfx
from gfx_ir.verify import verify

sys.path.append(str(pathlib.Path(__file__).parent.parent / "tests" / "support"))
layered = importlib.import_module("layers").layered
FEW, MANY = 16, 64
JIT = 8, 24
FORMS = "unread", "modes"
LIMIT = 1.5
LAYERS = 6, 48
PARAMETERS = 48, 192
X = torch.ones(3)
TOKENS = torch.ones(2, 5, 32)
GIVEN = {"typed": (X,), "open": ()}


def measure(report):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        functions = {count: layered(folder, "branches", count) for count in (FEW, MANY, *JIT)}
        for level, given in GIVEN.items():
            for name, stage in stages(folder, given).items():
                grows(report, f"{name}, {level}", stage, functions, (FEW, MANY))
        for level, given in GIVEN.items():
            grows(report, f"jit, {level}", jitted, functions, JIT, given)
        for form in FORMS:
            functions = {count: layered(folder, form, count) for count in (FEW, MANY)}
            grows(report, f"capture, {form}", stages(folder, (X,))["capture"], functions, (FEW, MANY))
    models = {count: torch.nn.Sequential(*[Layer() for _ in range(count)]) for count in LAYERS}
    grows(report, "capture of a model", lambda model: lambda: captured(model, (TOKENS,)), models, LAYERS)
    trees = {count: {f"w{at}": jax.numpy.ones(3) for at in range(count)} for count in PARAMETERS}
    grows(report, "capture of a training step", lambda tree: lambda: trained(tree), trees, PARAMETERS)
    grows(report, "torch source of a training step", lambda tree: written(trained(tree), "torch"), trees, PARAMETERS)


def loss(params, x):
    for weight in params.values():
        x = jax.numpy.tanh(x * weight)
    return x.sum()


def step(params, x):
    value, slopes = jax.value_and_grad(loss)(params, x)
    return {name: params[name] - 0.1 * slopes[name] for name in params}, value


def trained(params):
    return gfx.symbolic_trace(step, params, jax.numpy.ones(3))


class Layer(torch.nn.Module):
    """A layer of a transformer, written out."""

    def __init__(self, size=32, heads=4):
        super().__init__()
        self.heads, self.norm, self.out = heads, torch.nn.LayerNorm(size), torch.nn.LayerNorm(size)
        self.queries, self.keys, self.values, self.joined = (torch.nn.Linear(size, size) for _ in range(4))
        self.up, self.down = torch.nn.Linear(size, 4 * size), torch.nn.Linear(4 * size, size)

    def split(self, x):
        return x.reshape(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x):
        h = self.norm(x)
        parts = [self.split(part(h)) for part in (self.queries, self.keys, self.values)]
        h = torch.nn.functional.scaled_dot_product_attention(*parts)
        x = x + self.joined(h.transpose(1, 2).reshape(x.shape))
        return x + self.down(torch.nn.functional.gelu(self.up(self.out(x))))


def captured(f, given):
    return gfx.symbolic_trace(f, *given, backend="torch")


def stages(folder, given):
    """What is timed, of a function or of the program that was captured of it."""
    return {
        "capture": lambda f: lambda: captured(f, given),
        **{f"{target} source": lambda f, to=target: source(f, given, to) for target in ("torch", "jax")},
        "infer": lambda f: inferred(f, given),
        "verify": lambda f: (lambda program: lambda: verify(program))(captured(f, given)),
        "save": lambda f: (lambda program: lambda: program.save(folder / "saved"))(captured(f, given)),
    }


def source(f, given, target):
    return written(captured(f, given), target)


def written(program, target):
    def work():
        program.modules.clear()
        program.source(target)

    return work


def inferred(f, given):
    program = captured(f, given).bind(x=gfx.TensorSpec((3,), "float32"))
    return lambda: program.infer()


def jitted(program):
    function, x = program.to("jax"), jax.numpy.ones(3)

    def work():
        jax.clear_caches()
        jax.block_until_ready(jax.jit(lambda y: function(y))(x))

    return work


def grows(report, name, stage, functions, counts, given=None):
    """Time a layer at the larger count against the smaller: 1 is linear."""
    few, many = counts
    made = [stage(functions[c] if given is None else captured(functions[c], given)) for c in counts]
    for work in made:
        work()
    repeat = many // few

    def often():
        for _ in range(repeat):
            made[0]()

    pairs = [(a / many, b / (repeat * few)) for a, b in paired(made[1], often, 7)]
    detail = " : ".join(seconds(sorted(times)[len(times) // 2]) for times in zip(*pairs))
    report.add(f"{name}: a layer at {many} / at {few}", [a / b for a, b in pairs], "x", LIMIT, detail, noisy=True)
