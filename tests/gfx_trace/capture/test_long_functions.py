"""Functions of some hundred statements: how long one is, is no reason to refuse it, by a RecursionError least of all."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from program_text import define

COUNT = 300
TARGETS = (("torch", "python"), ("torch", "hop"), ("jax", "python"))


def many(head, text, tail):
    """A function of `COUNT` times the same statements."""
    lines = [line.format(k=k) for k in range(COUNT) for line in text]
    return "\n    ".join(("def f(x):", *head, *lines, *tail)) + "\n"


LINES = "".join(f"        y = y * 0.5 + {k}\n" for k in range(1500))
AGAIN = {
    "what a test made": ("    t = x.sum() > 3\n    if t:\n        y = x\n", "    if t:\n        x = y\n    return x\n"),
    "what only a loop makes": ("    while x.sum() < 9:\n        y = x\n", "        x = x + 5\n    return x + y\n"),
    "a return in a loop": (
        "    for i in range(3):\n        y = x\n",
        "        if y.sum() > 3:\n            return y\n    return x\n",
    ),
}
PROGRAMS = {
    "tests": many((), ("if x.sum() > {k}:", "    x = x * 0.5"), ("return x",)),
    "before a test": many((), ("x = x * 0.5 + {k}",), ("if x.sum() > 3:", "    x = x + 1", "return x")),
    "a loop's body": many(
        ("s = 0", "while x.sum() + s < 10:"), ("    x = x * 0.5 + {k}", "    s = s + 1"), ("return x + s",)
    ),
    "loops": many((), ("while x.sum() < {k}:", "    x = x + 1"), ("return x",)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_number_of_statements(name):
    fn = define(PROGRAMS[name], f"<{name}>")
    program = gfx.symbolic_trace(fn, torch.ones(2))
    for target, mode in TARGETS:
        source = program.source(target, **({"mode": mode} if target == "torch" else {}))
        compile(source, name, "exec")
    x = torch.tensor([0.5, 2.0])
    torch.testing.assert_close(program.to("torch")(x), fn(x))


@pytest.mark.parametrize("name", AGAIN)
def test_any_number_of_statements_whose_result_is_asked_for_before_or_behind_them(name):
    head, tail = AGAIN[name]
    fn = define(f"def f(x):\n{head}{LINES}{tail}", f"<{name}>")
    program, x = gfx.symbolic_trace(fn, backend="torch"), torch.tensor([0.5, 2.0])
    torch.testing.assert_close(program.to("torch")(x), fn(x))


def test_any_number_of_numbers_in_a_loop_without_types():
    lines = "".join(f"        s = s * 0.5 + {k}\n" for k in range(COUNT))
    head, tail = (
        "def f(x, k: int):\n    r, s = 0.5, 1\n    for e in x:\n",
        "        for t in range(k):\n            r = t\n",
    )
    program = gfx.symbolic_trace(
        define(f"{head}{lines}        r = r + e + s\n{tail}    return r\n", "<numbers>"), backend="torch"
    )
    compile(program.source("jax"), "<numbers>", "exec")


def test_what_is_a_number_on_one_side_is_one_behind_any_number_of_sums():
    head = "def f(x):\n    s = 0.5\n    if x.sum() > 100:\n        s = x[0] * 1\n"
    tail = "    q = s\n    s += 1\n    return q, s\n"
    with pytest.raises(CaptureError, match="number of Python's"):
        gfx.symbolic_trace(define(head + "    s = s * 1.0 + 1\n" * COUNT + tail, "<sums>"), torch.ones(2))
