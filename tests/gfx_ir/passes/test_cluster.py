"""Graph functions: dependence and dominance, clusters and splits that `inline` undoes."""

import random

import numpy as np
import pytest

from gfx_ir.copies import copy_program
from gfx_ir.dependence import ancestors, descendants, dominators
from gfx_ir.errors import VerifyError
from gfx_ir.interpreter import Interpreter
from gfx_ir.passes import PASSES
from gfx_ir.passes.cluster import cluster, split
from gfx_ir.reference import ReferenceBackend
from gfx_ir.trees import leaves
from gfx_ir.verify import verify
from optimized import generated, models, ops_of, read
from sweeps import part

DIAMOND = """def f(x):
    a = sin(x)
    b = cos(a)
    c = tan(a)
    d = add(b, c)
    e = sinh(d)
    g = add(e, x)
    print((g,))
    print((d,))
    return g
"""


def nodes_of(program):
    return {node.values[0].name if node.values else str(at): node for at, node in enumerate(program.entry)}


def run(program, inputs):
    return list(leaves(Interpreter(ReferenceBackend(), program, program.params).graph(program.entry, inputs, "")))


def test_what_depends_on_what():
    program = read(DIAMOND)
    named = nodes_of(program)
    assert ancestors([named["d"]]) == {named[n] for n in "abc"}
    assert descendants(program.entry, [named["e"]]) == {named["g"], named["6"], named["7"]}
    assert ancestors([named["7"]]) == {named[n] for n in "abcdeg6"}


def test_dominators():
    named = nodes_of(program := read(DIAMOND))
    found = dominators(program.entry)
    assert [found[named[n]] for n in "abcde"] == [None, named["a"], named["a"], named["a"], named["d"]]
    assert found[named["g"]] is None  # x comes to it without any node


def test_a_cluster_and_back():
    program, x = read(DIAMOND), (np.ones(2, np.float32),)
    expected = run(program, x)
    named = nodes_of(program)
    call = cluster(program, program.entry, [named["a"], named["c"], named["b"]], "middle")
    verify(program)
    assert [v.name for v in call.values] == ["b", "c"] and ops_of(program) == [
        "call",
        "add",
        "sinh",
        "add",
        "print",
        "print",
    ]
    np.testing.assert_array_equal(run(program, x), expected)
    PASSES.get("inline").apply(program)
    assert ops_of(program) == ["sin", "cos", "tan", "add", "sinh", "add", "print", "print"]


def test_what_no_call_can_stand_for():
    program = read(DIAMOND)
    named = nodes_of(program)
    with pytest.raises(VerifyError, match="needs a node that needs another"):
        cluster(program, program.entry, [named["a"], named["d"]], "outer")
    with pytest.raises(VerifyError, match="already"):
        cluster(program, program.entry, [named["a"]], "f")
    assert ops_of(program) == ops_of(read(DIAMOND))


def test_a_split():
    program, inputs = models()["gpt"]
    program = copy_program(program)
    program.params = {path: np.asarray(x.detach()) for path, x in program.params.items()}
    expected = run(program, inputs)
    middle = list(program.entry)[len(program.entry) // 2]
    split(program, program.entry, middle, ("first_half", "second_half"))
    verify(program)
    assert ops_of(program) == ["call", "call"]
    for a, b in zip(run(program, inputs), expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(part(3, 30)))
def test_any_cluster_of_generated_programs_keeps_the_meaning(seed):
    program, inputs = generated(seed, typed=False)
    expected = [run(program, given) for given in inputs]
    rng, nodes = random.Random(seed), list(program.entry)
    chosen = [node for node in nodes if rng.random() < 0.3] or nodes[:1]
    try:
        cluster(program, program.entry, chosen, "some")
    except VerifyError as error:
        assert "needs a node that needs another" in error.what
    verify(program)
    for given, wanted in zip(inputs, expected):
        for a, b in zip(run(program, given), wanted, strict=True):
            np.testing.assert_array_equal(a, b)
