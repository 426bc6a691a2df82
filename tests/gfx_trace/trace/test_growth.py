"""Work that stays in proportion to the program: a value that is used twice in each of hundreds of steps is looked at once."""

import importlib.util

import pytest
import torch

import gfx_trace as gfx
from linear import assert_linear

STEPS = 200


def masks(x: torch.Tensor):
    m = x > 0
    for _ in range(STEPS):
        m = m & m
    return x + 1 if m.all() else x - 1


def masked(x: torch.Tensor):
    m = x > 0
    for _ in range(STEPS):
        m = m | m
    return x[m] if x.ndim > 0 else x


def sums(x: torch.Tensor, n: int):
    for _ in range(STEPS):
        n = n + n
    return x + 1 if n > 3 else x - 1


def conjunctions(x: torch.Tensor, n: int):
    m = n > 3
    for _ in range(STEPS):
        m = m and m
    return x + 1 if m else x - 1


def items(x: torch.Tensor):
    n = x.sum().item()
    for _ in range(STEPS):
        n = n + n
    return x + n


def sides(x: torch.Tensor):
    n = x.sum()
    for _ in range(STEPS):
        n = n + n
    for _ in range(2):
        n = n * 0.5 if n > 1.0 else n + n
    return n


@pytest.mark.parametrize("f", [masks, masked, sums, conjunctions, items, sides])
def test_doublings_end(f):
    """An answer that is asked anew on each way to a value would take longer than anybody waits."""
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    given = (x, 0) if "n" in f.__code__.co_varnames[: f.__code__.co_argcount] else (x,)
    torch.testing.assert_close(gfx.symbolic_trace(f)(*given), f(*given))


# ---------------------------------------------------------------------- length
def chain(x, n):
    for _ in range(n):
        x = torch.sin(x) + 1.0
    return x


def branches(x, n):
    for at in range(n):
        if x.sum() > at:
            x = x + at
        else:
            x = x * 2
    return x


def loops(x, n):
    for at in range(n):
        while x.sum() > at:
            x = x / 2
    return x


def writes(x, n):
    y = torch.zeros(n)
    for at in range(n):
        y[at] += x[at]
    return y


def masked_writes(x, n):
    y = x.clone()
    for at in range(n):
        y[y > at] += 1
    return y


@pytest.mark.parametrize("f", [chain, branches, loops, writes, masked_writes])
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_capture_and_source_take_what_their_length_asks_for(f, to):
    def prepare(count):
        return lambda: gfx.symbolic_trace(lambda x: f(x, count), backend="torch", unroll=True).source(to)

    assert_linear(prepare, 10)


# ---------------------------------------------------------------------- layers
LAYER = """
def h{at}(x):
    if x.sum() > {at}:
        y = h{below}(x + 1.0)
    else:
        y = h{below}(x - 1.0)
    return y + 1.0
"""


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    """Functions of which each calls the one below it on both sides of a test."""
    path = tmp_path_factory.mktemp("layers") / "layers.py"
    path.write_text("def h0(x):\n    return x * 2.0\n" + "".join(LAYER.format(at=k + 1, below=k) for k in range(48)))
    spec = importlib.util.spec_from_file_location("layers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_layers_of_functions_take_what_their_number_asks_for(layers, to):
    x = torch.ones(3)

    def prepare(count):
        return lambda: gfx.symbolic_trace(getattr(layers, f"h{count}"), x).source(to)

    assert_linear(prepare, 12)


def test_layers_of_functions_give_what_they_give(layers):
    x = torch.tensor([0.5, -1.0, 20.0])
    program = gfx.symbolic_trace(layers.h48, x)
    torch.testing.assert_close(program(x), layers.h48(x))
    torch.testing.assert_close(program.to("torch")(x), layers.h48(x))
    assert len(program.functions) > 40
