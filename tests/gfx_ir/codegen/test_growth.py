"""Emission of long programs: no row of tests is too long, and twice the program is twice the work."""

import itertools
import linecache
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from sweeps import one_in

HEADS = {
    "returns": ("", "    return x\n"),
    "returns behind sums": ("    y = x\n", "    return y\n"),
    "returns behind prints": ("", "    return x\n"),
    "returns behind calls that print": ("", "    return x\n"),
    "returns on one way of several": ("    y = x\n", "    return y\n"),
    "tests": ("    y = x\n", "    return y\n"),
    "elifs": ("    y = x\n    if x[0] > 99:\n        y = y + 1\n", "    return y\n"),
    "breaks": ("    y = x\n    for i in range(8):\n", "    return y\n"),
    "continues": ("    y = x\n    for i in range(8):\n", "    return y\n"),
    "returns in a loop": ("    for i in range(8):\n", "    return x\n"),
    "writes": ("    y = x.clone()\n", "    return y\n"),
    "masked writes": ("    y = x.clone()\n", "    return y\n"),
    "counts": ("    y = x\n    n = 0\n", "    return y + n\n"),
    "chain": ("    y = x\n", "    return y\n"),
    "views": ("    y = x = x.clone()\n", "    return x\n"),
    "nested": ("", "    return x\n"),
}
LINES = {
    "returns": "    if x[{at}] > {k}:\n        return x + {k}\n",
    "returns behind sums": "    y = y + x.sum()\n    if y[{at}] > {k}:\n        return y + {k}\n",
    "returns behind prints": "    print('{k}')\n    if x[{at}] > {k}:\n        return x + {k}\n",
    "returns on one way of several": "    if y[{at}] > {k}:\n        y = y + {k}\n    elif y.sum() > {k}:\n        return y - {k}\n",
    "returns behind calls that print": "    x = shown(x)\n    if x[{at}] > {k}:\n        return x + {k}\n",
    "tests": "    if y[{at}] > {k}:\n        y = y + {k}\n",
    "elifs": "    elif x[{at}] > {k}:\n        y = y - {k}\n",
    "breaks": "        if y[i] > {k}:\n            break\n        y = y + 0.25\n",
    "continues": "        if y[i] > {k}:\n            continue\n        y = y + 0.25\n",
    "returns in a loop": "        if x[i] > 30 - {k}:\n            return x + {k}\n",
    "writes": "    y[{at}] += {k}\n",
    "masked writes": "    y[y > {k}] = {k}.5\n",
    "counts": "    if x[{at}] > {k}:\n        n = n + {k}\n",
    "chain": "    y = torch.tanh(y) * {k}.5\n",
    "views": "    y = y[:]\n    y += {k}\n",
    "nested": "{indent}if x[{at}] > {k}:\n{indent}    x = x + {k}\n",
}
NESTED = ("returns", "elifs", "breaks", "continues", "returns in a loop")
LONG = [kind for kind in HEADS if "behind" not in kind and kind != "nested"]


def shown(x):
    print("here")
    return torch.tanh(x) * 2 + torch.sin(x) - torch.cos(x) * torch.exp(x)


def program(kind, count):
    """A program of `count` statements of a kind, captured."""
    head, end = HEADS[kind]
    lines = "".join(LINES[kind].format(k=k, at=k % 8, indent="    " * (k + 1)) for k in range(count))
    source, file = f"def f(x):\n{head}{lines}{end}", f"<{kind} {count}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    namespace = {"torch": torch, "shown": shown}
    exec(compile(source, file, "exec"), namespace)
    return namespace["f"], gfx.symbolic_trace(namespace["f"], torch.ones(8))


def calls(work):
    """How many functions of Python's the work calls."""
    count = 0

    def profile(_, event, __):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("kind, target", one_in(5, itertools.product(LONG, ("torch", "jax"))))
def test_twice_the_program_is_twice_the_work(kind, target):
    work = [calls(lambda p=program(kind, count)[1]: p.source(target)) for count in (20, 40, 80)]
    assert work[2] - work[1] <= 2.3 * (work[1] - work[0])


@pytest.mark.parametrize("target", ["torch", "jax"])
def test_a_test_within_many_costs_what_one_within_few_does(target):
    few, many = (calls(lambda p=program("nested", count)[1]: p.source(target)) / count for count in (10, 40))
    assert many <= 1.5 * few


@pytest.mark.parametrize("kind", NESTED)
def test_rows_of_tests_are_as_long_as_one_likes(kind):
    fn, captured = program(kind, 400 if kind == "returns" else 100)
    written, x = captured.to("torch"), torch.linspace(-9.0, 9.0, 8)
    for given in (x, -x, x * 4, x * 0 - 5):
        torch.testing.assert_close(written(given), fn(given))
    assert max(len(line) - len(line.lstrip()) for line in captured.source("jax").splitlines()) < 100


@pytest.mark.parametrize("kind", NESTED)
def test_jax_asks_one_behind_the_other(kind):
    fn, captured = program(kind, 50)
    written, x = jax.jit(captured.to("jax")), torch.linspace(-9.0, 9.0, 8)
    for given in (x, -x, x * 4, x * 0 - 5):
        np.testing.assert_allclose(written(jnp.asarray(given.numpy())), fn(given).numpy(), rtol=1e-6)


@pytest.mark.parametrize("kind", ["returns", "returns behind sums", "returns on one way of several"])
def test_a_row_of_tests_of_no_known_type_is_asked_first(kind):
    fn, _ = program(kind, 50)
    written, x = jax.jit(gfx.symbolic_trace(fn).to("jax")), torch.linspace(-9.0, 9.0, 8)
    for given in (x, -x, x * 4, x * 0 - 5):
        np.testing.assert_allclose(written(jnp.asarray(given.numpy())), fn(given).numpy(), rtol=1e-5)


@pytest.mark.parametrize("kind", ["returns behind prints", "returns behind calls that print"])
def test_tests_of_no_known_type_stay_within_each_other_where_asking_acts(kind):
    fn, _ = program(kind, 50)
    captured, x = gfx.symbolic_trace(fn), torch.linspace(-9.0, 9.0, 8)
    assert captured.source("torch").count("return x + ") == 50
    assert max(map(len, captured.source("jax").splitlines())) <= 110
    for given in (x * 9, x * 0 + 0.5):
        np.testing.assert_allclose(captured.to("jax")(jnp.asarray(given.numpy())), fn(given).numpy(), rtol=1e-5)


@pytest.mark.parametrize("mode", ["python", "hop"])
def test_a_number_that_is_doubled_often_is_looked_at_once(mode):
    def doubled(x: torch.Tensor, n: int):
        for _ in range(60):
            n = n + n
        return x[n] if x.sum() > 0 else x[0]

    program = gfx.symbolic_trace(doubled, unroll=True)
    assert calls(lambda: program.source("torch", mode=mode)) < 100_000


def test_more_loops_within_each_other_than_python_compiles_are_functions():
    text = "".join(
        f"def g{k}(x):\n    while x.sum() < {k + 1}:\n        x = {f'g{k + 1}(x)' if k < 39 else 'x * 1.5'} + 1\n    return x\n"
        for k in range(40)
    )
    file, names = "<nested loops>", {}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    captured, x = gfx.symbolic_trace(names["g0"], backend="torch"), torch.zeros(3)
    for target in ("torch", "numpy", "jax"):
        assert max(map(len, captured.source(target).splitlines())) <= 110
        found = captured.to(target)(x if target == "torch" else x.numpy())
        np.testing.assert_allclose(found, names["g0"](x), rtol=1e-6)


def test_tests_within_each_other_leave_lines_short():
    inside = range(1, 41)
    lines = [f"{'    ' * k}if x.sum() > {k}:\n{'    ' * k}    x = x + {k}\n" for k in inside]
    text, file, names = f"def f(x):\n{''.join(lines)}    return x\n", "<nested tests>", {}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    captured, x = gfx.symbolic_trace(names["f"], backend="torch"), torch.full((2,), 3.0)
    for target in ("torch", "numpy", "jax"):
        assert max(map(len, captured.source(target).splitlines())) <= 110
        found = captured.to(target)(x if target == "torch" else x.numpy())
        np.testing.assert_allclose(found, names["f"](x), rtol=1e-6)
