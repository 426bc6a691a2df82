"""Emitted control flow at work, and what its calls cost: JAX under jit against a form written by hand, torch against the function
itself."""

import gc
import importlib.util
import pathlib
import sys

import jax
import numpy as np
import torch
from harness import timed

import gfx_trace as gfx

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "shared" / "conformance"
ROUNDS = 101  # many short ones: a slow spell of the machine then meets both functions alike
SECONDS = 0.004  # of each function in a round


def measure(report):
    """All but the calls needs the conformance cases beside the repository: without them there is nothing to compare with."""
    called(report)
    if not FOLDER.is_dir():
        report.console.print(f"the conformance cases are not there: {FOLDER}")
        return
    examples, cases = loaded("emitted_examples"), loaded("control_flow_cases")
    for name, (flavour, tuples) in examples.ARGS.items():
        by_hand(report, examples, name, flavour, tuples[0])
    for case in cases.CASES:
        if case.realistic and case.flavour == "torch":
            itself(report, cases, case)


def called(report):
    """300 small parameters: what a call costs for each beside what it computes."""
    layers = [layer for _ in range(150) for layer in (torch.nn.Linear(8, 8), torch.nn.ReLU())]
    model, x = torch.nn.Sequential(*layers), torch.ones(2, 8)
    ours = gfx.transpile(model, x, to="torch")
    with torch.no_grad():
        report.compare(
            "a call with 300 parameters: emitted torch / the model", lambda: ours(x), lambda: model(x), 31, 1.1, True
        )


def by_hand(report, examples, name, flavour, data):
    program = gfx.symbolic_trace(getattr(examples.src, name), *map(examples.conv[flavour], data))
    args = list(map(examples.conv["jax"], data))
    ours, theirs = jax.jit(program.to("jax")), jax.jit(getattr(examples.jx, name))
    same(examples.leaves(ours(*args)), examples.leaves(theirs(*args)))
    compare(report, f"{name}: emitted JAX / by hand", lambda: jax.block_until_ready(ours(*args)),
            lambda: jax.block_until_ready(theirs(*args)), 1.0)  # fmt: skip


def itself(report, cases, case):
    args = cases.to_framework(case.args[0], "torch")
    ours = gfx.symbolic_trace(case.fn, *args).to("torch")
    same([ours(*args)], [case.fn(*args)])
    compare(report, f"{case.name}: emitted torch / the function", lambda: ours(*args), lambda: case.fn(*args), 1.1)


def compare(report, name, ours, theirs, limit):
    """Paired rounds of so many calls that the clock can tell them apart."""
    gc.freeze()  # what is alive already need not be looked at before every round
    calls = 1
    while timed(many(theirs, calls)) < SECONDS:
        calls *= 2
    report.compare(name, many(ours, calls), many(theirs, calls), ROUNDS, limit, noisy=True, per=calls)
    gc.unfreeze()


def many(call, times):
    def run():
        for _ in range(times):
            call()

    return run


def same(got, want):
    got, want = (jax.tree_util.tree_leaves(tree) for tree in (got, want))
    assert len(got) == len(want) and all(np.allclose(a, b, 1e-4, 1e-5) for a, b in zip(got, want)), (got, want)


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
