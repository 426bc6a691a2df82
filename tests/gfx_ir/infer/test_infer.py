"""Levels 0, 1 and 2: types bound to arguments, carried through tests, loops and calls; errors that name the line."""

import numpy as np
import pytest

from gfx_ir.copies import copy_program
from gfx_ir.dtypes import bool_, float32, float64, int64
from gfx_ir.equality import difference
from gfx_ir.errors import ShapeError
from gfx_ir.host import Dim
from gfx_ir.infer import bind, infer
from gfx_ir.program import Parameter, Program
from gfx_ir.source import Span
from gfx_ir.textparse import parse_text
from gfx_ir.types import LogicalTensor, TensorSpec
from gfx_ir.verify import verify
from linear import assert_linear, steps

B = Dim("B")


def program(text, params=None, head='program("torch", "torch")'):
    made = parse_text(f"{head}\n@entry\n{text}" if "@entry" not in text else f"{head}\n{text}")
    made.params = params or {}
    verify(made)
    return made


def types(text, params=None, **specs):
    """Types of the result's leaves at Level 2."""
    out = infer(bind(program(text, params), **specs))
    verify(out)
    assert out.level == 2
    return [leaf.type for leaf in out.entry.outputs()]


def f32(*dims):
    return LogicalTensor(float32, dims)


def test_bind_gives_a_new_program_with_guards():
    old = program("def f(x, n: int):\n    y = sin(x)\n    return y")
    new = bind(old, x=TensorSpec((3, "B")), n=4)
    assert [str(g) for g in new.guards] == ["x: f32[3, B]", "n == 4"] and new.level == 1
    assert [p.type for p in new.entry.placeholders] == [f32(3, B), 4]
    assert old.guards == [] and old.entry.placeholders[0].type is None and old.level == 0
    again = bind(new, x=LogicalTensor(None, (None, 5)))
    assert again.entry.placeholders[0].type == f32(3, 5) and len(again.guards) == 2


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ({"z": TensorSpec((3,))}, "no argument 'z'"),
        ({"x": TensorSpec((3, 4))}, r"captured as f32\[3\], so it cannot be f32\[3, 4\]"),
        ({"x": TensorSpec((4,))}, "captured as"),
        ({"x": TensorSpec((3,), "int8")}, "captured as"),
        ({"x": 3}, "is a tensor, not 3"),
        ({"n": TensorSpec((3,))}, "host value of kind int"),
        ({"n": True}, "host value of kind int"),
        ({"n": 1.5}, "host value of kind int"),
        ({"x": (TensorSpec((3,)), TensorSpec((3,)))}, "holds 1 values, and 2"),
    ],
)
def test_bind_refuses_what_the_capture_does_not_admit(specs, message):
    with pytest.raises(ShapeError, match=message):
        bind(program("def f(x: f32[3], n: int):\n    return x"), **specs)


def test_bind_takes_trees():
    made = program("def f(a, b):\n    y = add(a, b)\n    return y")
    a, b = made.entry.placeholders
    made.signature = [Parameter("pair", {"a": a, "b": b})]
    out = bind(made, pair={"a": TensorSpec((2, 1)), "b": TensorSpec((3,))})
    assert [g.subject for g in out.guards] == ["pair.a", "pair.b"]
    assert infer(out).entry.result.type == f32(2, 3)


def test_symbols_are_carried_through():
    text = """def f(x, w):
    y = matmul(x, w)
    n: int = size(y, 0)
    m = n * 2
    z = concat([y, y])
    flat = reshape(y, (m, 3))
    return (y, m, z, flat)
"""
    assert types(text, x=TensorSpec(("B", 4)), w=TensorSpec((4, 6))) == [f32(B, 6), B * 2, f32(B * 2, 6), f32(B * 2, 3)]


def test_arguments_given_partially():
    text = "def f(x, y):\n    z = add(x, y)\n    s = sum(x)\n    return (z, s)"
    z, s = types(text, x=TensorSpec((3, 4)))
    assert s == f32() and (z is None or z.dtype is None)
    assert types("def f(x):\n    y = sin(x)\n    return y") == [None]


def test_params_have_the_types_of_their_data():
    text = 'def f(x):\n    w = parameter("w")\n    y = matmul(x, w)\n    return y'
    assert types(text, {"w": np.zeros((4, 2), np.float32)}, x=TensorSpec(("B", 4))) == [f32(B, 2)]


def test_an_error_names_op_types_and_line():
    made = program("def f(x: f32[2, B], y: f32[3, 1]):\n    z = add(x, y)\n    return z")
    made.entry.first.span = Span("user.py", 7, "f")
    with pytest.raises(ShapeError, match=r"add: .*\(arguments: f32\[2, B\], f32\[3, 1\]\) \[user.py:7 in f\]"):
        infer(made)


# ---------------------------------------------------------------------- tests
COND = """def f(p, x, y):
    def then(x, y):
        return (x,)
    def else_(x, y):
        return (y,)
    z = cond(then, else_, pred=p, operands=(x, y))
    return z
"""


def test_both_sides_of_a_test_agree():
    both = dict(p=TensorSpec((), "bool"), x=TensorSpec(("B", 3)))
    assert types(COND, **both, y=TensorSpec(("B", 3))) == [f32(B, 3)]
    assert types(COND, **both, y=TensorSpec(("C", 3))) == [f32(None, 3)]
    with pytest.raises(ShapeError, match="'z' differs between the two branches of a test: shape"):
        types(COND, **both, y=TensorSpec(("B", 4)))
    with pytest.raises(ShapeError, match="dtype float32 against dtype int64"):
        types(COND, **both, y=TensorSpec(("B", 3), "int64"))


def test_python_numbers_are_widened():
    text = COND.replace("return (y,)", "return (1.5,)").replace("return (x,)", "return (2,)")
    assert types(text) == [LogicalTensor(float32, (), weak=True)]
    text = COND.replace("return (y,)", "return (1.5,)")
    assert types(text, x=TensorSpec(())) == [f32()]
    with pytest.raises(ShapeError, match="Python number"):
        types(text, x=TensorSpec((), "int64"))


HOST_IF = """def f(flag: bool, x, y):
    def then(x, y):
        return (x,)
    def else_(x, y):
        z = reshape(y, (7,))
        return (z,)
    z = host_if(then, else_, test=flag, operands=(x, y))
    return z
"""


def test_a_side_of_a_host_test_that_is_not_taken_may_not_fit():
    both = dict(x=TensorSpec((3,)), y=TensorSpec((2,)))
    assert types(HOST_IF, **both, flag=True) == [f32(3)]
    assert types(HOST_IF, **both) == [f32(3)]  # the other side raises when it is taken
    with pytest.raises(ShapeError, match="reshape"):
        types(HOST_IF, **both, flag=False)
    assert types(HOST_IF, x=TensorSpec((3,)), y=TensorSpec((7,))) == [f32(None)]


OPTIONAL = """def f(x, mask: optional):
    absent: bool = is_none(mask)
    given = not absent
    def then(x, mask: optional):
        y = multiply(x, mask)
        return (y,)
    def else_(x, mask: optional):
        return (x,)
    y = host_if(then, else_, test=given, operands=(x, mask))
    return (y, given)
"""


def test_an_optional_argument_that_is_bound_is_there():
    assert types(OPTIONAL, x=TensorSpec((3,)), mask=TensorSpec((2, 3))) == [f32(2, 3), True]
    y, given = types(OPTIONAL, x=TensorSpec((3,)))
    assert given is None and (y is None or y.dims is None)


# ---------------------------------------------------------------------- loops
def loop(body, init="x", kind="while_", test="True"):
    return f"""def f(x, y):
    def test(a, y):
        return {test}
    def body(a, y):
        {body}
        return (b,)
    a = {kind}(test, body, init=({init},), operands=(y,))
    return a
"""


def test_carried_types_are_a_fixpoint():
    assert types(loop("b = add(a, y)"), x=TensorSpec((3,)), y=TensorSpec((3,))) == [f32(3)]
    assert types(loop("b = add(a, y)", init="0"), y=TensorSpec(())) == [f32()]
    assert types(loop("b = add(a, 0.5)", init="0")) == [LogicalTensor(float32, (), weak=True)]


def test_a_loop_that_changes_what_it_carries_is_named():
    with pytest.raises(ShapeError, match=r"'a' differs between the trips of a while loop: shape f32\[3\].*f32\[6\]"):
        types(loop("b = concat([a, a])"), x=TensorSpec((3,)), y=TensorSpec((3,)))
    with pytest.raises(ShapeError, match="dtype float32 against dtype int64"):
        types(loop("b = astype(a, int64)"), x=TensorSpec((3,)), y=TensorSpec((3,)))
    assert types(loop("b = astype(a, float64)"), x=TensorSpec((3,)), y=TensorSpec((3,))) == [LogicalTensor(None, (3,))]
    assert types(loop("b = concat([a, a])", kind="host_while"), x=TensorSpec((3,)), y=TensorSpec((3,))) == [f32(None)]


def test_a_chain_of_carries_takes_as_many_passes_as_it_is_long():
    text = """def f(x):
    def test(a, b, c, n, x):
        t = greater(n, 0)
        return t
    def body(a, b, c, n, x):
        d = add(a, x)
        m = subtract(n, 1)
        return (d, a, b, m)
    a, b, c, n = while_(test, body, init=(0, 0, 0, 9), operands=(x,))
    return (a, b, c, n)
"""
    assert types(text, x=TensorSpec(())) == [f32(), f32(), f32(), LogicalTensor(int64, (), weak=True)]


def test_rows_and_stacked_results():
    text = """def f(x, y):
    def body(row, at, s):
        t = add(s, row)
        u = greater(row, 0)
        return (t, u)
    s, u = for_(body, items=(x, ("range", 0, 9, 2)), init=(y,), operands=())
    return (s, u)
"""
    assert types(text, x=TensorSpec((5, "B")), y=TensorSpec(("B",))) == [f32(B), LogicalTensor(bool_, (5, B))]
    assert types(text, x=TensorSpec(("N", "B")), y=TensorSpec(("B",)))[1].dims[1] == B
    with pytest.raises(ShapeError, match="rows of f32"):
        types(text, x=TensorSpec(()))


def test_nested_loops_cost_no_more_than_they_must():
    def nested(depth):
        if not depth:
            return "b = add(a, 0.5)"
        inner = nested(depth - 1).replace("\n", "\n    ")
        return f"""def test(a):
    return True
def body(a):
    {inner}
    return (b,)
b = while_(test, body, init=(a,), operands=())"""

    def prepare(depth):
        text = "def f(a):\n    " + nested(depth).replace("\n", "\n    ") + "\n    return b"
        made = bind(program(text), a=LogicalTensor(int64, (), weak=True))
        assert infer(made).entry.result.type == LogicalTensor(float32, (), weak=True)
        return lambda: infer(made)

    assert steps(prepare(12)) < 3 * steps(prepare(6))


# ---------------------------------------------------------------------- calls
CALLS = """@entry
def f(x, y):
    a = call(g, "one", (x,))
    b = call(g, "two", (y,))
    return (a, b)

def g(x):
    w = parameter("w")
    y = add(x, w)
    s = sum(y)
    return (y, s)
"""


def test_calls_are_inferred_one_by_one():
    text = CALLS.replace("    a = call", "    a, s = call").replace("    b = call", "    b, t = call")
    params = {"one.w": np.zeros(3, np.float32), "two.w": np.zeros((2, 3), np.float32)}
    made = program(text, params)
    out = infer(bind(made, x=TensorSpec((3,)), y=TensorSpec((3,))))
    assert [leaf.type for leaf in out.entry.outputs()] == [f32(3), f32(2, 3)]
    callee = out.functions["g"]
    assert callee.placeholders[0].type == f32(3)
    assert callee.first.value.type == LogicalTensor(float32, None) and callee.last.value.type == f32()
    same = infer(bind(made, x=TensorSpec((3,)), y=TensorSpec((3,), "float64")))
    assert same.functions["g"].placeholders[0].type == LogicalTensor(None, (3,))
    assert same.entry.outputs()[1].type == LogicalTensor(float64, (2, 3))


def test_inference_leaves_the_program_as_it_was():
    made = bind(program(loop("b = add(a, y)")), x=TensorSpec((3,)), y=TensorSpec((3,)))
    before = copy_program(made)
    infer(made)
    assert difference(made, before) is None
    assert difference(infer(infer(made)), infer(made)) is None


def test_host_values_follow_sizes():
    text = """def f(x):
    n: int = size(x, 0)
    s: shape = shape(x)
    m: int = host("getitem", (s, 1))
    big = n > 0
    same = n == m
    both = big and same
    flag: bool = is_floating(x)
    kind: dtype = dtype_of(x)
    fits = kind == float32
    half = n // 2
    return (n, m, big, same, both, flag, fits, half)
"""
    found = types(text, x=TensorSpec((Dim("B", 1), 3)))
    assert found == [Dim("B", 1), 3, True, None, None, True, True, Dim("B", 1) // 2]
    assert types(text, x=TensorSpec((4, 4)))[2:] == [True, True, True, True, True, 2]


def test_cost_is_linear():
    def prepare(length):
        lines = "\n".join(f"    x{at + 1} = add(x{at}, 1.0)" for at in range(length))
        made = bind(program(f"def f(x0):\n{lines}\n    return x{length}"), x0=TensorSpec((3,)))
        return lambda: infer(made)

    assert_linear(prepare)


def test_an_empty_program():
    assert infer(Program(program("def f(x):\n    return None").entry)).level == 2


def test_an_open_number_of_python_makes_a_dtype_of_its_kind():
    text = """def f(x):
    n: int = size(x, 0)
    step: float = 10 / n
    counts = arange(n)
    _1 = multiply(step, counts)
    _2 = multiply(counts, n)
    _3 = divide(x, step)
    return (_1, _2, _3)
"""
    found = types(text, x=TensorSpec((Dim("B", 1),), "float64"))
    assert [(x.dtype.name, x.dims) for x in found] == [
        (name, (Dim("B", 1),)) for name in ("float32", "int64", "float64")
    ]
