"""Patterns: what a function over ops matches, what it binds, and what a failed match says."""

import random

import pytest

from gfx_ir import ops
from gfx_ir.build import Builder
from gfx_ir.graph import Graph, Value
from gfx_ir.op import Trait
from gfx_ir.patterns import (
    Match,
    Mismatch,
    PatternError,
    anything,
    find,
    number,
    one_of,
    optional,
    pattern,
    require,
    rewrite,
)
from gfx_ir.rules import building
from gfx_ir.types import TensorSpec
from gfx_ir.verify import verify
from optimized import f32, read
from sweeps import part


@pattern
def scaled(x, factor):
    return ops.multiply(ops.tanh(x), factor)


def graph(lines, result="a", args="x, y", **specs):
    return read(f"def f({args}):\n    {lines}\n    return {result}\n", **specs).entry


def test_arguments_are_bound_by_name():
    (match,) = find(graph("t = tanh(x)\n    a = multiply(t, 0.5)"), scaled)
    assert match["x"].name == "x" and match["factor"] == 0.5
    assert [node.op.name for node in match.nodes] == ["tanh", "multiply"] and match.root.op.name == "multiply"


def test_a_pattern_is_still_the_function():
    assert scaled(0.0, 3.0) == 0.0


def test_what_commutes_matches_in_both_orders_and_nothing_else_does():
    assert find(graph("t = tanh(x)\n    a = multiply(0.5, t)"), scaled)
    divided = pattern(lambda x, y: ops.divide(ops.tanh(x), y))
    assert find(graph("t = tanh(x)\n    a = divide(t, y)"), divided)
    assert not find(graph("t = tanh(x)\n    a = divide(y, t)"), divided)


def test_an_argument_that_stands_twice_is_one_thing():
    squared = pattern(lambda x: ops.multiply(x, x))
    assert find(graph("a = multiply(x, x)"), squared)
    assert not find(graph("a = multiply(x, y)"), squared)


def test_sums_are_searched_for_the_order_that_fits():
    wanted = pattern(lambda x, y: ops.add(ops.multiply(x, y), ops.multiply(y, ops.sin(x))))
    lines = "s = sin(y)\n    b = multiply(s, x)\n    c = multiply(x, y)\n    a = add(b, c)"
    (match,) = find(graph(lines), wanted)
    assert match["x"].name == "y" and match["y"].name == "x"


def test_the_order_is_the_one_in_which_all_fits():
    limited = pattern(lambda x: ops.maximum(2.0, ops.tanh(x)))
    assert find(graph("t = tanh(x)\n    a = maximum(t, 2.0)"), limited)
    product = pattern(lambda x, y: ops.multiply(y, ops.exp(x)))
    lines = "b = exp(x)\n    c = exp(x)\n    a = multiply(b, c)\n    d = sin(c)"
    (match,) = find(graph(lines, "(a, d)"), product)
    assert match["y"].name == "c"  # with b as y the inner c would be taken by sin


def test_an_argument_does_not_stand_within():
    added = pattern(lambda x, y: ops.add(ops.sin(x), y))
    made = graph("s = sin(x)\n    a = add(s, s)")
    assert not find(made, added)
    assert "s (sin) is an argument of the pattern and stands within it" in str(added.match(made.last))


def test_alternatives_and_nodes_that_may_be_missing():
    @pattern
    def clipped(x, limit):
        return one_of(ops.minimum(optional(ops.abs(x)), limit), ops.clip(x, None, limit))

    assert len(clipped.variants) == 3
    for lines in ("a = minimum(x, 2.0)", "b = abs(x)\n    a = minimum(2.0, b)", "a = clip(x, None, 2.0)"):
        (match,) = find(graph(lines), clipped)
        assert match["limit"] == 2.0 and match["x"].name == "x"


def test_the_largest_variant_is_taken():
    layer = pattern(ops.linear)
    found = find(graph("t = matrix_transpose(y)\n    m = matmul(x, t)\n    a = add(m, b)", args="x, y, b"), layer)
    assert [match["bias"] and match["bias"].name for match in found] == [None, "b"]


def test_a_body_that_branches_has_a_variant_for_each_way():
    gelu = pattern(ops.gelu)
    assert len(gelu.variants) == 2
    lines = (
        "e = multiply(x, {0})\n    r = erf(e)\n    p = add(r, 1.0)\n    h = multiply(x, 0.5)\n    a = multiply(h, p)"
    )
    (match,) = find(graph(lines.format(0.5**0.5)), gelu)
    assert match["approximate"] == "none"
    assert not find(graph(lines.format(0.7)), gelu)


def test_what_the_function_asks_of_an_argument_is_answered_by_what_matched():
    @pattern
    def reduced(x, axis):
        return ops.sum(x, axis=axis) if axis == 0 else ops.sum(ops.exp(x), axis=axis)

    assert find(graph("a = sum(x, axis=0)"), reduced)
    assert not find(graph("a = sum(x, axis=1)"), reduced)
    assert find(graph("e = exp(x)\n    a = sum(e, axis=1)"), reduced)
    assert {match["axis"] for match in find(graph("e = exp(x)\n    a = sum(e, axis=0)"), reduced)} == {0}


def test_wildcards_numbers_and_types():
    half = pattern(lambda x: ops.multiply(ops.add(x, anything()), number(2)))
    assert find(graph("b = add(x, y)\n    a = multiply(b, 2.0)"), half)
    assert find(graph("b = add(x, 7)\n    a = multiply(2, b)"), half)
    assert not find(graph("b = add(x, y)\n    a = multiply(b, True)"), half)
    doubles = pattern(lambda x: ops.exp(x), x=anything("float64"))
    assert not find(graph("a = exp(x)", x=f32(3), y=f32(3)), doubles)
    assert find(graph("a = exp(x)", x=TensorSpec((3,), "float64"), y=f32(3)), doubles)


def test_requirements_of_arguments_and_values():
    @pattern
    def matrix(x, axis):
        require(x, lambda x: x.type is not None and x.type.rank == 2, "known to be a matrix")
        require(axis, lambda axis: axis == -1, "the last axis")
        return ops.sum(x, axis=axis)

    assert find(graph("a = sum(x, axis=-1)", x=f32(2, 3), y=f32(2)), matrix)
    assert not find(graph("a = sum(x, axis=-1)", x=f32(2), y=f32(2)), matrix)
    found = matrix.match(graph("a = sum(x, axis=0)", x=f32(2, 3), y=f32(2)).last)
    assert isinstance(found, Mismatch) and "0 is not the last axis" in str(found)


def test_several_outputs():
    @pattern
    def turned(x, y, angle):
        c, s = ops.cos(angle), ops.sin(angle)
        return (
            ops.subtract(ops.multiply(x, c), ops.multiply(y, s)),
            ops.add(ops.multiply(x, s), ops.multiply(y, c)),
        )

    lines = """c = cos(t)
    s = sin(t)
    xc = multiply(x, c)
    ys = multiply(s, y)
    p = subtract(xc, ys)
    xs = multiply(s, x)
    yc = multiply(y, c)
    q = add(yc, xs)"""
    (match,) = find(graph(lines, "(q, p)", "x, y, t"), turned)
    assert [value.name for value in match.outputs] == ["p", "q"]
    assert [match[name].name for name in ("x", "y", "angle")] == ["x", "y", "t"]
    assert len(match.nodes) == 8


def test_outputs_that_have_nothing_in_common_are_two_patterns():
    with pytest.raises(PatternError, match="nothing in common"):
        pattern(lambda x, y: (ops.sin(x), ops.cos(y)))


def test_an_inner_value_that_is_taken_outside_forbids_the_match():
    lines = "t = tanh(x)\n    a = multiply(t, 0.5)\n    b = sin(t)"
    shared = graph(lines, "(a, b)")
    assert not find(shared, scaled)
    found = scaled.match(shared.last.prev)
    assert not found and "t (tanh) is taken by sin, too" in found.why
    assert not find(graph("t = tanh(x)\n    a = multiply(t, 0.5)", "(a, t)"), scaled)


def test_questions_about_sizes_may_be_shared():
    sized = pattern(lambda x: ops.reshape(ops.tanh(x), (ops.size(x, 0), -1)))
    lines = "n = size(x, 0)\n    t = tanh(x)\n    a = reshape(t, (n, -1))\n    b = sum(y, axis=n)"
    (match,) = find(graph(lines, "(a, b)"), sized)
    assert [node.op.name for node in match.nodes] == ["tanh", "reshape"]


def test_what_is_written_in_place_does_not_match():
    made = graph("t = tanh(x)\n    a = multiply(t, 0.5)")
    made.last.in_place = True
    assert not find(made, scaled)


def test_a_failed_match_says_where_and_why():
    made = graph("t = sin(x)\n    a = multiply(t, 0.5)")
    found = scaled.match(made.last)
    assert not found and found.node is made.last
    assert str(found).startswith("<lambda>") is False
    assert "x1 of multiply is t (sin), and the pattern has tanh" in str(found)
    assert "sin stands where the pattern has multiply" in str(scaled.match(made.first))


def test_regions_are_searched_too():
    program = read("""def f(x):
    def body(i, y):
        t = tanh(y)
        z = multiply(t, 0.5)
        return (z,)
    c = for_(body, items=(("range", 0, 2, 1),), init=(x,), operands=())
    return c
""")
    (match,) = find(program, scaled)
    assert isinstance(match, Match) and match["x"].name == "y"


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: x, "computes nothing"),
        (lambda *x: ops.sin(x[0]), r"\*args"),
        (lambda x, n: [ops.sin(x) for _ in range(n)][-1], "argument 'n'"),
        (lambda x, how: ops.sum(x, axis={"rows": 0}[how]), "argument 'how'"),
    ],
)
def test_what_is_no_pattern(function, what):
    with pytest.raises(PatternError, match=what):
        pattern(function)
    with pytest.raises(PatternError, match="no argument 'z'"):
        pattern(ops.softmax, z=1)


def test_arguments_that_are_given():
    rows = pattern(lambda x, n: [ops.sin(x) for _ in range(n)][-1], n=2)
    assert find(graph("a = sin(x)"), rows)[0]["n"] == 2
    last = pattern(ops.softmax, axis=0)
    assert not find(graph("a = softmax(x)"), last)  # a composite's pattern is its body
    assert len(last.variants) == 2


def test_a_pattern_of_many_sums_costs_no_search():
    def terms(xs):
        while len(xs) > 1:
            xs = [ops.add(ops.sin(a), b) for a, b in zip(xs[::2], xs[1::2])]
        return require(xs[0], lambda x: False, "ever")

    names = ", ".join(f"x{at}" for at in range(64))
    wanted = pattern(eval(f"lambda {names}: terms([{names}])", {"terms": terms}))
    made = wanted.variants[0].graph  # the same graph over placeholders
    lines, at = [], {}
    for node in made:
        at[node.value] = f"v{len(lines)}"
        shown = [at.get(leaf, repr(leaf)) for leaf in node.args]
        lines.append(f"{at[node.value]} = {node.op.name}({', '.join(shown)})")
    found = graph("\n    ".join(lines), f"v{len(lines) - 1}", names)
    assert not find(found, wanted)
    assert "is not ever" in wanted.match(found.last).why


BINARY, UNARY = (ops.add, ops.multiply, ops.subtract, ops.maximum), (ops.sin, ops.exp, ops.tanh)


def drawn(rng, count):
    """A graph at random, in which values are taken often."""
    made = Graph("g")
    pool = [made.add_placeholder("x"), made.add_placeholder("y")]
    with building(Builder(made)):
        for _ in range(count):
            a, b = rng.choice(pool[-6:]), rng.choice([*pool[-6:], 0.5, 2])
            pool.append(rng.choice(UNARY)(a) if rng.random() < 0.4 else rng.choice(BINARY)(a, b))
        made.result = tuple(pool[-3:])
    return made


def cut_out(rng, made):
    """Some nodes of a graph that hang together as a function, what commutes sometimes turned round; and the nodes."""
    inside = {rng.choice(list(made))}
    for _ in range(rng.randint(0, 8)):
        near = {
            leaf.node for node in inside for leaf in node.args if type(leaf) is Value and leaf.node.prev is not None
        }
        near |= {user for node in inside for user in node.value.uses if user is not made.output}
        inside |= {rng.choice(sorted(near, key=list(made).index))} if near & set(made) == near and near else set()
    rows = [(node.op, node.args, node.value, rng.random() < 0.5) for node in made if node in inside]
    own = {value for _, _, value, _ in rows}
    taken = list(dict.fromkeys(x for _, args, _, _ in rows for x in args if type(x) is Value and x not in own))
    given = [v for _, _, v, _ in rows if not v.uses or any(user not in inside for user in v.uses)]

    def function(*values):
        known = dict(zip(taken, values))
        for op, args, value, turned in rows:
            found = [known.get(x, x) if type(x) is Value else x for x in args]
            known[value] = op(*(found[::-1] if turned and op.traits & Trait.COMMUTATIVE else found))
        return tuple(known[value] for value in given)

    names = ", ".join(f"h{at}" for at in range(len(taken)))
    return eval(f"lambda {names}: function({names})", {"function": function}), inside


@pytest.mark.parametrize("seed", range(part(3, 60)))
def test_what_is_cut_out_of_a_graph_is_found_again(seed):
    rng = random.Random(seed)
    made = drawn(rng, rng.randint(8, 40))
    function, inside = cut_out(rng, made)
    wanted = pattern(function)
    last = max(inside, key=list(made).index)
    assert any(match.root is last for match in find(made, wanted)), wanted.match(last)
    rewrite(made, wanted, function)
    verify(made)
