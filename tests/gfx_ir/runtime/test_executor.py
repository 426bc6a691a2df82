"""The executor runs every construct, on the reference and on each framework, with Python's own results and errors."""

import gc
import weakref

import numpy as np
import pytest

from gfx_ir.dtypes import DTYPES, float32
from gfx_ir.errors import MissingOp, ShapeError, VerifyError
from gfx_ir.graph import Graph, Node
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.plan import steps
from gfx_ir.program import Program
from gfx_ir.reference import ReferenceBackend
from gfx_ir.runtime.executor import Executor
from gfx_ir.source import Span
from gfx_ir.textparse import parse_text
from gfx_ir.trees import tree_map
from gfx_ir.verify import verify

BACKENDS = ("reference", "numpy", "torch", "jax")


@pytest.fixture(params=BACKENDS)
def owner(request):
    return ReferenceBackend() if request.param == "reference" else backend(request.param)


def program(text, head='program("torch", "torch")'):
    made = parse_text(f"{head}\n" + (text if "@entry" in text else f"@entry\n{text}"))
    verify(made)
    return made


def run(owner, text, *args, params=None):
    """Run a text; arrays go in and come out as NumPy."""
    into = lambda x: owner.from_host(x) if isinstance(x, np.ndarray) else x
    made = text if isinstance(text, Program) else program(text)
    params = {name: into(x) for name, x in (params or {}).items()}
    out = Executor(owner)(made, [tree_map(into, arg) for arg in args], params)
    return tree_map(lambda x: owner.to_host(x) if owner.is_tensor(x) else x, out)


def f32(*values):
    return np.array(values, np.float32)


def test_straight_line_and_result_tree(owner):
    text = """def f(x, n: int):
    y = multiply(x, n)
    a, b = split(y, 2)
    s = sum(y, axis=0, keepdims=True)
    return {"parts": [a, b], "sum": s, "n": (n, None, 3)}
"""
    out = run(owner, text, f32(1, 2, 3, 4), 2)
    np.testing.assert_array_equal(out["parts"][1], f32(6, 8))
    np.testing.assert_array_equal(out["sum"], f32(20))
    assert out["n"] == (2, None, 3) and out["sum"].dtype == np.float32


NEWTON = """def newton(x, tol: float):
    def test(x, tol: float):
        s = multiply(x, x)
        d = subtract(s, 2.0)
        e = abs(d)
        m = max(e)
        t = greater(m, tol)
        return t
    def body(x, tol: float):
        s = multiply(x, x)
        d = subtract(s, 2.0)
        h = multiply(2.0, x)
        q = divide(d, h)
        x = subtract(x, q)
        return (x,)
    x__1 = while_(test, body, init=(x,), operands=(tol,))
    return x__1
""".replace("        x = subtract(x, q)\n        return (x,)", "        x__1 = subtract(x, q)\n        return (x__1,)")


def test_while(owner):
    np.testing.assert_allclose(run(owner, NEWTON, f32(1, 2, 3), 1e-6), np.full(3, 2**0.5), rtol=1e-6)


def test_cond_runs_the_side_that_is_taken(owner):
    text = """def f(x):
    s = sum(x)
    p = greater(s, 0)
    def then(x):
        y = sqrt(x)
        return (y,)
    def else_(x):
        t = any(x)
        check(t, "no number is positive", "ValueError")
        y = negative(x)
        return (y,)
    y = cond(then, else_, pred=p, operands=(x,))
    return y
"""
    np.testing.assert_array_equal(run(owner, text, f32(4, 9)), f32(2, 3))
    np.testing.assert_array_equal(run(owner, text, f32(-4, -9)), f32(4, 9))
    with pytest.raises(ValueError, match="no number is positive"):
        run(owner, text, f32(0, 0))


def test_loops_leave_at_their_exit(owner):
    text = """def f(x, n: int):
    def test(i, done, s, x, n: int):
        t = i < n
        return t
    def body(i, done, s, x, n: int):
        row = x[i]
        t = add(s, row)
        j = i + 1
        over = greater(t, 5)
        return (j, over, t)
    i: int
    i, done, s = while_(test, body, init=(0, False, 0), operands=(x, n), exit=1)
    return (i, s)
""".replace("def test(i,", "def test(i: int,").replace("def body(i,", "def body(i: int,")
    i, s = run(owner, text, f32(2, 3, 4, 5), 4)
    assert i == 3 and s == 9


FOR = """def f(x, n: int):
    def body(row, at, s):
        t = add(s, row)
        u = multiply(t, at)
        return (t, u)
    s, u = for_(body, items=(x, ("range", 0, n, 1)), init=(0,), operands=())
    return (s, u)
"""


def test_for_over_rows_and_a_range(owner):
    s, u = run(owner, FOR, f32(1, 2, 3), 3)
    assert s == 6
    np.testing.assert_array_equal(u, f32(0, 3, 12))
    s, u = run(owner, FOR, np.ones((4, 2), np.float32), 2)  # as zip: to the end of the shorter
    np.testing.assert_array_equal(u, [[0, 0], [2, 2]])


def test_a_loop_without_trips(owner):
    text = FOR.replace("init=(0,)", "init=(y,)").replace("def f(x, n: int)", "def f(x, n: int, y)")
    s, u = run(owner, text, np.ones((0, 2), np.float32), 3, np.zeros(2, np.float32))
    assert u.shape == (0, 2) and u.dtype == np.float32
    np.testing.assert_array_equal(s, f32(0, 0))


def test_python_numbers_in_loops_come_out_as_arrays(owner):
    s, u = run(owner, FOR.replace("return (s, u)", "return (s, 0)"), f32(), 0)
    assert isinstance(s, np.ndarray | np.generic) and s == 0 and u == 0 and type(u) is int


def test_functions_that_take_arrays_only_get_them(owner):
    text = """def f(x):
    def body(row, flag, m):
        n = logical_not(flag)
        k = maximum(m, row)
        return (n, k)
    flag, m = for_(body, items=(x,), init=(False, 0), operands=())
    return (flag, m)
"""
    flag, m = run(owner, text, f32(1, 2, 3))
    assert flag == np.True_ and m == 3 and m.dtype == np.float32


def test_host_values(owner):
    text = """def f(x, mask: optional, n: int):
    a: int = size(x, -1)
    r: int = rank(x)
    k: int = numel(x)
    s: shape = shape(x)
    p, q = sizes(x, 2)
    d: dtype = dtype_of(x)
    fl: bool = is_floating(x)
    none: bool = is_none(mask)
    m = n * 2
    small = m < 3
    top = host("max", (a, m))
    def then():
        return ("small", None)
    def else_():
        return ("large", (1, 2))
    w: str; t: any
    w, t = host_if(then, else_, test=small, operands=())
    y = zeros((m, a), dtype=d)
    e = y[0, 0]
    v: int = to_python(e, "int")
    return (a, r, k, s, p, q, d, fl, none, top, w, t, y, v)
""".replace("p, q = sizes", "p: int; q: int\n    p, q = sizes")
    a, r, k, s, p, q, d, fl, none, top, w, t, y, v = run(owner, text, np.ones((2, 3), np.float32), None, 3)
    assert (a, r, k, tuple(s), p, q, d, fl, none, top, w, t, v) == (
        3,
        2,
        6,
        (2, 3),
        2,
        3,
        float32,
        True,
        True,
        6,
        "large",
        (1, 2),
        0,
    )
    assert y.shape == (6, 3) and y.dtype == np.float32 and type(v) is int
    assert run(owner, text, np.ones((2, 3), np.float32), None, 1)[10:12] == ("small", None)


def test_calls_find_their_parameters(owner):
    text = """def layer(x):
    w = parameter("w")
    y = matmul(x, w)
    z = call(shift, "inner", (y,))
    return z

def shift(x):
    b = parameter("b")
    y = add(x, b)
    return y

@entry
def model(x):
    y = call(layer, "blocks.0", (x,))
    z = call("layer", "blocks.1", (y,))
    return z
"""
    params = {f"blocks.{at}.w": np.full((2, 2), at + 1, np.float32) for at in range(2)}
    params |= {f"blocks.{at}.inner.b": f32(at, at) for at in range(2)}
    made = program(text)
    np.testing.assert_array_equal(run(owner, made, f32(1, 1), params=params), f32(9, 9))
    del params["blocks.1.inner.b"]
    with pytest.raises(VerifyError, match=r"lack 'blocks\.1\.inner\.b'"):
        run(owner, made, f32(1, 1), params=params)


def test_effects_happen_in_order(owner, capsys):
    text = """def f(x):
    def body(i: int, x):
        print(("trip", i))
        return ()
    for_(body, items=(("range", 0, 2, 1),), init=(), operands=(x,))
    print(("sum",))
    return None
"""
    assert run(owner, text, f32(1)) is None
    assert capsys.readouterr().out == "trip 0\ntrip 1\nsum\n"


def test_an_error_carries_the_lines_that_led_there(owner):
    made = program(FOR.replace("add(s, row)", "reshape(row, (7,))"))
    made.entry.first.span = Span("user.py", 3, "f")
    made.entry.first.regions[0].first.span = Span("user.py", 4, "f")
    with pytest.raises(Exception) as caught:
        run(owner, made, f32(1, 2), 2)
    assert caught.value.__notes__ == ["in user.py:4 in f", "in user.py:3 in f"]


def test_a_wrong_number_of_arguments_is_refused(owner):
    with pytest.raises(VerifyError, match="'newton' takes 2 arguments, not 1"):
        run(owner, NEWTON, f32(1))


def test_rows_without_trips_of_a_shape_that_nobody_knows():
    text = """def f(n: int):
    def body(at: int):
        y = zeros((at,))
        return (y,)
    u = for_(body, items=(("range", 0, n, 1),), init=(), operands=())
    return u
"""
    with pytest.raises(ShapeError, match="a shape that only a trip would tell"):
        run(ReferenceBackend(), text, 0)


def test_a_call_of_no_function_of_the_framework_is_refused():
    text = 'def f(x):\n    y = holder("torch", "torch.special.weird", (x,), {})\n    return y'
    with pytest.raises(MissingOp, match="weird' is no function of torch that a graph can hold"):
        run(ReferenceBackend(), text, f32(1))


def test_values_are_freed_after_their_last_use():
    made = program("def f(x):\n    a = sin(x)\n    b = cos(a)\n    c = exp(b)\n    d = add(c, b)\n    return d")
    frees = [[v.name for v in step.frees] for step in steps(made.entry)]
    assert frees == [["x"], ["a"], [], ["c", "b"]]
    seen = []

    class Watched(ReferenceBackend):
        def run(self, op, args):
            out = np.asarray(super().run(op, args)).view(Array)
            gc.collect()
            seen.append((op.name, sum(ref() is not None for ref in alive)))
            alive.append(weakref.ref(out))
            return out

    class Array(np.ndarray):
        pass

    alive = []
    Executor(Watched())(made, [f32(1)])
    assert seen == [("sin", 0), ("cos", 1), ("exp", 1), ("add", 2)]


def test_long_graphs_take_no_recursion():
    graph = Graph("long")
    value = graph.add_placeholder("x")
    for _ in range(20000):
        value = graph.append(Node(lookup("add"), (value, 1.0))).value
    graph.result = value
    assert Executor(ReferenceBackend())(Program(graph), [f32(0)]) == 20000


def test_the_reference_has_a_definition_of_every_op_but_the_structural():
    reference = ReferenceBackend()
    assert reference.supports(lookup("sin")) and reference.supports(lookup("layer_norm"))
    assert not reference.supports(lookup("cond")) and not reference.supports(lookup("holder"))
    assert reference.dtype_of(np.ones(1, DTYPES["bfloat16"].numpy)) is DTYPES["bfloat16"]
    assert reference.as_dtype(np.dtype("int8")) is DTYPES["int8"] and reference.as_dtype(np.float32) is float32
    assert reference.as_dtype(3) is None


@pytest.mark.parametrize("name", BACKENDS)
def test_dtypes_are_promoted_as_the_framework_does_for_which_the_program_was_written(name):
    """PyTorch lets no array without axes widen another, JAX does."""
    text = "def f(x: u8[2], n: i32[()]):\n    y: i32[2] = add(x, n)\n    return y\n"
    made = program(text, 'program("jax", "jax", level=1)')
    owner = ReferenceBackend() if name == "reference" else backend(name)
    x, n = np.array([200, 3], np.uint8), np.array(100, np.int32)
    assert run(owner, made, x, n).tolist() == [300, 103]
