"""Rewrite: what a function builds takes the place of a match, and the program computes the same."""

import numpy as np
import pytest

from gfx_ir import ops
from gfx_ir.errors import ShapeError
from gfx_ir.interpreter import Interpreter
from gfx_ir.patterns import PatternError, pattern, rewrite
from gfx_ir.reference import ReferenceBackend
from gfx_ir.text import to_text
from gfx_ir.trees import leaves
from gfx_ir.verify import verify
from optimized import f32, generated, ops_of, read


@pattern
def doubled(x):
    return ops.add(x, x)


def double(x):
    return ops.multiply(x, 2)


def run(program, *inputs):
    with np.errstate(all="ignore"):
        out = Interpreter(ReferenceBackend(), program, {}).graph(program.entry, inputs, "")
    return [np.asarray(leaf) for leaf in leaves(out)]


def test_names_types_and_places_stay():
    program = read("def f(x):\n    y = add(x, x)\n    z = sin(y)\n    return z\n", x=f32(3))
    assert rewrite(program, doubled, double) == 1
    verify(program)
    assert ops_of(program) == ["multiply", "sin"]
    assert program.entry.first.value.name == "y" and str(program.entry.first.value.type) == "f32[3]"


def test_matches_in_each_other_are_all_replaced():
    lines = "".join(f"    v{at + 1} = add(v{at}, v{at})\n" for at in range(5))
    program = read(f"def f(v0):\n{lines}    return v5\n", v0=f32(3))
    assert rewrite(program, doubled, double) == 5 and ops_of(program) == ["multiply"] * 5
    verify(program)
    np.testing.assert_array_equal(run(program, np.ones(3, np.float32))[0], np.full(3, 32))


def test_of_overlapping_matches_the_last_is_taken():
    twice = pattern(lambda x: ops.sin(ops.sin(x)))
    program = read("def f(x):\n    a = sin(x)\n    b = sin(a)\n    c = sin(b)\n    return c\n")
    assert rewrite(program, twice, lambda x: ops.cos(x)) == 1
    assert ops_of(program) == ["sin", "cos"]


def test_an_argument_may_take_the_place():
    program = read("def f(x):\n    a = exp(x)\n    b = log(a)\n    c = sin(b)\n    return c\n")
    assert rewrite(program, pattern(lambda x: ops.log(ops.exp(x))), lambda x: x) == 1
    verify(program)
    assert ops_of(program) == ["sin"]


def test_when_tells_which():
    program = read("def f(x, y):\n    a = add(x, x)\n    b = add(y, y)\n    return (a, b)\n")
    assert rewrite(program, doubled, double, when=lambda match: match["x"].name == "y") == 1
    assert ops_of(program) == ["add", "multiply"]


def test_several_outputs_stand_before_all_that_take_them():
    both = pattern(lambda x: (ops.sin(x), ops.cos(x)))
    text = "def f(x):\n    a = sin(x)\n    b = exp(a)\n    c = cos(x)\n    d = add(b, c)\n    return d\n"
    program = read(text, x=f32(3))
    x = np.arange(3, dtype=np.float32)
    before = run(program, x)
    assert rewrite(program, both, lambda x: (ops.cos(ops.subtract(x, np.pi / 2)), ops.cos(x))) == 1
    verify(program)
    np.testing.assert_allclose(run(program, x)[0], before[0], rtol=1e-5)


def test_what_would_need_itself_stays():
    pair = pattern(lambda x, y: (ops.sin(x), ops.add(ops.cos(x), y)))
    program = read("def f(x):\n    a = sin(x)\n    y = exp(a)\n    c = cos(x)\n    d = add(c, y)\n    return (a, d)\n")
    text = to_text(program)
    assert rewrite(program, pair, lambda x, y: (x, y)) == 0 and to_text(program) == text


def test_writes_in_place_are_not_crossed():
    program = read("def f(x):\n    a = exp(x)\n    b = negative(x)\n    c = log(a)\n    d = add(b, c)\n    return d\n")
    program.entry.first.next.in_place = True  # its author wrote b over x, between exp and log
    assert rewrite(program, pattern(lambda x: ops.log(ops.exp(x))), lambda x: ops.tanh(x)) == 0


def test_what_its_author_wrote_over_stays_memory_of_its_own():
    text = "def f(x):\n    a = exp(x)\n    b = log(a)\n    c = negative(b)\n    return (c, x)\n"
    wanted = pattern(lambda x: ops.log(ops.exp(x)))
    for replacement, count in ((lambda x: x, 0), (lambda x: ops.reshape(x, (-1,)), 0), (lambda x: ops.abs(x), 1)):
        program = read(text)
        program.entry.last.in_place = True
        assert rewrite(program, wanted, replacement) == count
        verify(program)


def test_a_replacement_that_fails_leaves_the_graph_as_it_was():
    def failing(x):
        return ops.matmul(ops.sin(x), ops.zeros((7, 7), dtype=None))

    program = read("def f(x):\n    a = add(x, x)\n    return a\n", x=f32(3))
    text = to_text(program)
    with pytest.raises(ShapeError):
        rewrite(program, doubled, failing)
    verify(program)
    assert to_text(program) == text


@pytest.mark.parametrize(
    ("replacement", "what"),
    [
        (lambda z: z, "'z', which is no argument of doubled"),
        (lambda x: (x, x), "gives 2 values, and doubled 1"),
        (lambda x: ops.print((x,)), "no effects"),
    ],
)
def test_what_does_not_fit(replacement, what):
    with pytest.raises(PatternError, match=what):
        rewrite(read("def f(x):\n    a = add(x, x)\n    return a\n"), doubled, replacement)


@pytest.mark.parametrize("seed", range(20))
def test_generated_programs_compute_the_same(seed):
    rules = [
        (pattern(lambda x, y: ops.subtract(x, ops.multiply(y, 0.25))), lambda x, y: ops.add(x, ops.multiply(y, -0.25))),
        (pattern(lambda x, y: ops.add(ops.cos(x), y)), lambda x, y: ops.add(y, ops.sin(ops.add(x, np.pi / 2)))),
        (pattern(lambda x: ops.multiply(ops.tanh(x), 0.5)), lambda x: ops.divide(ops.tanh(x), 2)),
    ]
    program, inputs = generated(seed, typed=False)
    expected = [run(program, *each) for each in inputs]
    for wanted, replacement in rules:
        rewrite(program, wanted, replacement)
    verify(program)
    for each, want in zip(inputs, expected):
        for a, b in zip(want, run(program, *each), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-4)
