"""Control dependencies: one node runs before another though that takes nothing of it, whatever is done to the program."""

import itertools
import random

import numpy as np
import pytest

import gfx_trace as gfx
from gfx_ir.copies import copy_program
from gfx_ir.dependence import ancestors, order, pinned
from gfx_ir.equality import difference
from gfx_ir.errors import FormatError, VerifyError
from gfx_ir.graph import Node
from gfx_ir.interpreter import Interpreter
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.passes import DEFAULT, PASSES, Optimize
from gfx_ir.passes.cluster import cluster
from gfx_ir.reference import ReferenceBackend
from gfx_ir.text import to_text
from gfx_ir.textparse import parse_text
from gfx_ir.verify import verify
from linear import assert_linear
from optimized import f32, generated, models, ops_of, read
from sweeps import part

TEXT = """def f(x, y):
    a = sin(x)
    b = multiply(a, 1.0)
    c = cos(y)
    d = multiply(c, 1.0)
    e = tanh(y)
    g = add(b, d)
    return g
"""
DATA = (np.ones(2, np.float32), np.full(2, 2.0, np.float32))


def named(program):
    return {value.name: node for node in program.entry.walk() for value in node.values}


def ordered(text=TEXT, *pairs, **specs):
    program = read(text, **specs)
    for first, then in pairs:
        order(named(program)[first], named(program)[then])
    verify(program)
    return program


# ---------------------------------------------------------------------- adding
def test_the_list_follows():
    program = ordered(TEXT, ("d", "a"))
    assert ops_of(program) == ["cos", "multiply", "sin", "multiply", "tanh", "add"]
    a, d = named(program)["a"], named(program)["d"]
    assert a.waits == (d,) and [end.node for end in d.outputs[0].users()] == [a]
    assert d in ancestors([named(program)["g"]]) and pinned(program.entry) == {a, d}
    order(d, a)
    assert a.waits == (d,)


def test_circles_and_what_no_order_can_be_between():
    program = ordered(TEXT, ("e", "a"))
    for first, then in (("g", "a"), ("a", "e"), ("a", "a"), ("g", "g")):
        with pytest.raises(VerifyError, match=r"cannot wait for|are one node"):
            order(named(program)[first], named(program)[then])
    other = named(read(TEXT))
    with pytest.raises(VerifyError, match="stand in no graph together"):
        order(named(program)["a"], other["b"])
    named(program)["a"].waits += (named(program)["g"],)
    with pytest.raises(VerifyError, match="does not stand before it"):
        verify(program)


REGIONS = """def f(x, y):
    p = any(x)
    def then(x):
        a = sin(x)
        b = cos(x)
        return (a, b)
    def other(x):
        c = tan(x)
        return (c, c)
    q, r = cond(then, other, pred=p, operands=(x,))
    s = exp(y)
    return (q, r, s)
"""


def test_nodes_in_regions():
    program = ordered(REGIONS, ("b", "a"), ("s", "a"))
    assert ops_of(program) == ["any", "exp", "cond", "cos", "sin", "tan"]
    found = named(program)
    assert found["a"].waits == (found["b"],) and found["q"].waits == (found["s"],)
    with pytest.raises(VerifyError, match="stand in one"):
        order(found["a"], found["c"])


def test_effects_keep_theirs():
    program = read('def f(x):\n    a = sin(x)\n    print(("one",))\n    print(("two",))\n    return a\n')
    sin, one, two = program.entry
    order(two, sin)
    assert ops_of(program) == ["print", "print", "sin"]
    with pytest.raises(VerifyError, match="cannot wait for"):
        order(two, one)


# ---------------------------------------------------------------------- keeping
def test_copies_texts_and_files(tmp_path):
    text = TEXT.replace("    g =", "    print((e,))\n    g =")
    program = ordered(text, ("d", "a"))
    say = next(node for node in program.entry if node.op.effect)
    order(say, named(program)["g"])
    assert "_waits=(d,)" in str(program) and "_waits=(5,)" in str(program)
    for other in (copy_program(program), parse_text(to_text(program, spans=False)), saved(program, tmp_path)):
        assert difference(program, other) is None
        verify(other)
        named(other)["a"].waits = ()
        assert "control dependencies" in difference(program, other)


def saved(program, folder):
    gfx.Program.of(program, None).save(folder / "f.json")
    return gfx.load(folder / "f.json")


@pytest.mark.parametrize("mark", ["x", "(x,)", "(7,)", "(-1,)", "(a,)", "(True,)"])
def test_texts_that_are_wrong(mark):
    with pytest.raises(FormatError, match=r"waits|is no|not defined"):
        read(f"def f(x):\n    a = sin(x, _waits={mark})\n    return a\n")


def randomly(program, seed):
    """Orders some pairs of nodes; their names, which tell them apart."""
    rng, found = random.Random(seed), []
    nodes = [node for node in program.entry.walk() if node.values]
    for count in range(4):
        first, then = rng.choice(nodes), rng.choice(nodes)
        try:
            order(first, then)
        except VerifyError:
            continue
    for at, node in enumerate(node for node in program.entry.walk() for _ in node.waits[:1]):
        node.values[0].name = f"then_{at}"
        for number, other in enumerate(node.waits):
            if other.values and not (other.values[0].name or "").startswith(("then_", "first_")):
                other.values[0].name = f"first_{at}_{number}"
            found.append((other.values[0].name, node.values[0].name))
    return found


KEEPS = [name for name in PASSES.names() if name not in ("decompose", "constants")]  # a region that never runs goes


@pytest.mark.parametrize("name", KEEPS)
def test_every_pass_keeps_order(name):
    for seed in range(part(4, 40)):
        program, inputs = generated(seed, typed=True)
        pairs = randomly(program, seed)
        verify(program)
        out = Optimize([name], validate=inputs)(program)
        place = {value.name: at for at, node in enumerate(out.entry.walk()) for value in node.values}
        for first, then in pairs:
            assert place[first] < place[then]
        assert sum(len(node.waits) for node in out.entry.walk()) == len(pairs)


def test_ends_stay_though_nobody_needs_them():
    program = ordered(TEXT, ("e", "a"), x=f32(2), y=f32(2))
    out = Optimize([*DEFAULT, "invariant"], validate=DATA, fixpoint=True)(program)
    assert ops_of(out) == ["cos", "tanh", "sin", "add"]
    assert [node.op.name for node in named(out)["a"].waits] == ["tanh"]


def test_calls_hand_their_order_over():
    text = """def block(x):
    u = sin(x)
    v = gelu(u)
    return v

@entry
def f(x, y):
    a = call("block", "", (x,))
    b = call("block", "", (y,))
    c = add(a, b)
    return c
"""
    program = ordered(text, ("b", "a"), x=f32(2), y=f32(2))
    out = Optimize(["inline", "decompose"], validate=DATA)(program)
    (waiting,) = [node for node in out.entry if node.waits]
    (last,) = waiting.waits
    first, second = [node for node in out.entry if node.op.name == "sin"]
    assert waiting is second and last is second.prev and first is out.entry.first


def test_a_cluster_waits_for_its_members():
    program = ordered(TEXT, ("c", "a"), ("b", "e"))
    found = named(program)
    call = cluster(program, program.entry, [found["a"], found["b"]], "both")
    verify(program)
    assert call.waits == (found["c"],) and found["e"].waits == (call,) and found["a"].waits == ()


# ---------------------------------------------------------------------- running and printing
class Recorder(Interpreter):
    def node(self, node, args, prefix):
        self.ran.append(node.op.name)
        return super().node(node, args, prefix)


def test_the_run():
    program = ordered(TEXT, ("d", "a"), ("e", "c"))
    run = Recorder(ReferenceBackend(), program, {})
    run.ran = []
    run.graph(program.entry, DATA, "")
    assert run.ran.index("tanh") < run.ran.index("cos") < run.ran.index("sin")


@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
def test_the_source(target):
    program = gfx.Program.of(ordered(TEXT, ("d", "a"), ("e", "c")), None)
    lines = program.source(target).splitlines()
    at = {name: next(n for n, line in enumerate(lines) if f".{name}(" in line) for name in ("tanh", "cos", "sin")}
    assert at["tanh"] < at["cos"] < at["sin"]
    plain = gfx.Program.of(read(TEXT), None)
    assert "tanh" not in plain.source(target)


@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
@pytest.mark.parametrize("seed", range(part(3, 15)))
def test_the_source_of_generated_programs(target, seed):
    program, inputs = generated(seed, typed=True)
    randomly(program, seed)
    wanted = Interpreter(ReferenceBackend(), program, {}).graph(program.entry, inputs[2], "")
    fn = gfx.Program.of(program, None).to(target)
    convert = backend(target).from_host
    found = fn(*[convert(x) if isinstance(x, np.ndarray) else x for x in inputs[2]])
    for one, other in zip(*[x if isinstance(x, tuple) else (x,) for x in (wanted, found)]):
        np.testing.assert_allclose(np.asarray(other), one, rtol=1e-4, atol=1e-5)


def test_a_model_with_an_order():
    program, inputs = models()["gpt"]
    flat = program.optimized("inline")
    first, *_, last = [node for node in flat.entry if node.op.contraction is not None]
    lookups = [node for node in flat.entry if node.op is lookup("embedding")]
    order(lookups[1], lookups[0])
    order(first, last)
    verify(flat)
    out = flat.optimized("fold_batch_norm", "mixed_precision", "outline", *DEFAULT, validate=inputs)
    assert sum(len(node.waits) for node in out.entry) == 2


def test_the_cost():
    def prepare(n):
        lines = "".join(f"    a{at} = sin(x)\n" for at in range(n))
        program = read(f"def f(x):\n{lines}    return a0\n")
        nodes = list(program.entry)
        for first, then in itertools.pairwise(nodes):
            then.waits = (first,)
        program.entry.edited()
        return lambda: Optimize([*DEFAULT, "inline", "outline", "decompose"])(program)

    assert_linear(prepare)


def test_an_order_is_an_edit():
    program = ordered()
    before = program.version
    order(named(program)["e"], named(program)["a"])
    assert program.version != before and isinstance(named(program)["a"], Node)
