"""ResNet-50, the BERT and a GPT that decodes, in every mode and on several devices: the results of the model itself."""

import functools
import os

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.partition import CheckPlacement, Dataflow, Pipeline, Place, partition
from gfx_ir.runtime.call import Limits
from gfx_ir.runtime.devices import device
from gfx_ir.runtime.executor import Executor
from gfx_ir.runtime.values import Values
from gfx_ir.trees import leaves
from places import ROOT
from processes import python

MODES = ("eager", "frozen", "lazy", "asynchronous", "two kinds", "three kinds")


@functools.cache
def resnet():
    import resnet as example

    torch.manual_seed(0)
    model, x = example.calibrate(example.resnet50(10), batches=1, size=32), torch.randn(2, 3, 32, 32)
    return gfx.symbolic_trace(model), (x,), model(x).detach()


@functools.cache
def bert():
    import embed

    model, inputs = embed.load(), embed.tokenize(embed.read_sentences()[:2])
    with torch.no_grad():
        return gfx.symbolic_trace(model, *inputs, dynamic=True), inputs, model(*inputs).last_hidden_state


class Decoder(torch.nn.Module):
    """Appends the likeliest token, so many times."""

    def __init__(self):
        import gpt

        super().__init__()
        torch.manual_seed(0)
        self.model = gpt.GPT(depth=2)

    def forward(self, tokens, steps: int):
        for _ in range(steps):
            logits, _ = self.model(tokens)
            tokens = torch.cat([tokens, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
        return tokens


@functools.cache
def gpt():
    model, tokens = Decoder().eval(), torch.randint(0, 50, (2, 5))
    return gfx.symbolic_trace(model), (tokens, 3), model(tokens, 3)


MODELS = {"resnet": resnet, "bert": bert, "gpt": gpt}


def kinds(program, count):
    """The program cut for so many kinds of device, of which each takes a share."""
    own = [device(name) for name in ("torch", "numpy", "jax")][:count]
    return partition(program, own, passes=[Pipeline(devices=own), CheckPlacement(devices=own)])


def run(program, args, mode):
    """(the result, what has to be ended)"""
    if mode in ("eager", "lazy"):
        V = Values("torch", lazy=mode == "lazy")
        moved = [V(x) if isinstance(x, torch.Tensor) else x for x in args]
        params = {path: V(x) for path, x in program.params.items()}
        return Executor(V)(program, moved, params)
    if mode == "frozen":
        return gfx.Frozen(partition(program, ["torch"]))(*args)
    if mode == "asynchronous":
        flow = Dataflow(gfx.Frozen(partition(program, ["numpy"], "fusion")))
        first, second = flow.start(*args), flow.start(*args, limits=Limits(seconds=120))
        found = first.result()
        for a, b in zip(leaves(found), leaves(second.result())):
            assert np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)
        return found
    return gfx.Frozen(kinds(program, 2 if mode == "two kinds" else 3))(*args)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MODELS)
def test_models_run_in_every_mode(name, mode):
    program, args, wanted = MODELS[name]()
    given = Placed(program)(args)
    found = next(iter(leaves(run(program, given, mode))))
    found = (
        found.to_plain()
        if hasattr(found, "to_plain")
        else np.asarray(found.detach() if hasattr(found, "detach") else found)
    )
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-4)


class Placed:
    """Arguments of a target as data of the placeholders."""

    def __init__(self, program):
        self.program = program

    def __call__(self, args):
        return self.program.on("torch").arguments(args)


def test_a_program_on_devices_is_called_like_its_target():
    program, (x,), wanted = resnet()
    placed = program.on("torch", on_fault="fallback")
    placed.warm_up(x)
    torch.testing.assert_close(placed(x=x), wanted, rtol=1e-4, atol=1e-4)
    assert "partitions, policy fusion" in str(placed)
    placed.close()


def test_cost_based_placement_keeps_a_model_where_transfers_cost_more_than_they_save():
    program, args, wanted = gpt()
    own = [device(name) for name in ("torch", "jax", "numpy")]
    plan = partition(program, own, passes=[Place(devices=own), CheckPlacement(devices=own)])
    assert np.array_equal(np.asarray(gfx.Frozen(plan)(*args)), wanted)


CHILD = """
import numpy as np, torch, gfx_trace as gfx
from gfx_ir.partition import CheckPlacement, Dataflow, Pipeline, Replicated, partition
from gfx_ir.runtime.devices import device
import gpt

torch.manual_seed(0)
model, tokens = gpt.GPT(depth=4).eval(), torch.randint(0, 50, (8, 6))
program = gfx.symbolic_trace(model)
own = [device(name) for name in ("jax", "jax:1", "jax:2", "jax:3")]
plan = partition(program.optimized("inline"), own, passes=[Pipeline(devices=own), CheckPlacement(devices=own)])
assert {one.device for one in plan} >= {d.name for d in own}, plan
flow, (wanted, _) = Dataflow(gfx.Frozen(plan)), model(tokens)
for found in flow.map([(tokens, None)] * 3):
    np.testing.assert_allclose(np.asarray(found[0]), wanted.detach(), rtol=1e-3, atol=1e-4)
flow.close()
shared = Replicated(program, own, shared=(1,), independent=True)  # a branch that is not taken sums losses
found = shared(tokens, None)[0]
assert found.shape == (8, 6, 50)
np.testing.assert_allclose(np.asarray(found), wanted.detach(), rtol=1e-3, atol=1e-4)
shared.close()
"""


def test_four_devices_of_jax_as_a_pipeline_and_each_with_a_share_of_the_batch():
    flags = "--xla_force_host_platform_device_count=4 --xla_backend_optimization_level=0"
    paths = [str(ROOT), str(ROOT / "backends"), str(ROOT / "examples")]
    done = python({**os.environ, "XLA_FLAGS": flags, "PYTHONPATH": os.pathsep.join(paths)}, "-c", CHILD)
    assert done.returncode == 0, done.stderr
