"""Emitted source: it reads as its author would have written it, and computes what the graph says."""

import ast
import inspect

import numpy as np
import pytest

from emitted import BACKENDS, X, Y, code, graph, same, source
from gfx_ir import ops
from gfx_ir.codegen import emit
from gfx_ir.errors import GfxError
from gfx_ir.loading import backend
from gfx_ir.program import Parameter, Program
from gfx_ir.rules import building
from graphs import Maker, named


def test_names_are_reused_and_expressions_nested():
    g, (x, y), b = graph("f", "x", "y")
    with building(b):
        result = named(ops.add(ops.sin(x), ops.cos(y)), "result")
        result = named(ops.add(result, ops.tan(y)), "result")
        g.result = (ops.getitem(result, (slice(None), slice(1, None), None)), None, float("-inf"))
    want = """
        def f(x, y):
            result = {m}.sin(x) + {m}.cos(y)
            result = result + {m}.tan(y)
            return result[:, 1:, None], None, {inf}
    """
    for name, module, inf in (
        ("torch", "torch", 'float("-inf")'),
        ("jax", "jnp", "-jnp.inf"),
        ("numpy", "np", "-np.inf"),
    ):
        assert source(Program(g), name) == code(want.format(m=module, inf=inf))


def test_a_name_is_not_taken_while_its_value_is_needed():
    g, (x,), b = graph("f", "x")
    with building(b):
        new = named(ops.sin(x), "x")
        g.result = ops.add(new, x)
    assert source(Program(g), "numpy") == code("""
        def f(x):
            x_1 = np.sin(x)
            return x_1 + x
    """)


def test_modules_and_builtins_are_never_hidden():
    g, (x,), b = graph("f", "x")
    with building(b):
        for text in ("np", "jnp", "torch", "len", "f", "class", "range"):
            x = named(ops.sin(x), text)
        g.result = x
    for name in BACKENDS:
        tree = ast.parse(emit(Program(g), backend(name)).source)
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        assert not stored & {{"numpy": "np", "torch": "torch", "jax": "jnp"}[name], "len", "range", "f", "class"}
        same(Program(g), (X,), name)


def test_arguments_may_be_called_like_modules_and_builtins():
    g, (x, module, count), b = graph("f", "x", "np:tensor", "max:int")
    with building(b):
        g.result = ops.multiply(ops.add(ops.sin(x), module), b.host("max", count, 2))
    assert emit(Program(g), backend("numpy")).source == code("""
        import builtins

        import numpy as np_


        def f(x, np, max: int):
            return (np_.sin(x) + np) * builtins.max(max, 2)
    """)
    same(Program(g), (X, Y, 5), "numpy")


def test_all_items_of_a_slice_are_unpacked():
    g, (q,), b = graph("f", "q")
    with building(b):
        sizes = b.host("getitem", ops.shape(q), slice(-2, None))
        length, size = [named(b.host("getitem", sizes, at), text) for at, text in enumerate(("time", "size"))]
        g.result = ops.divide(q, b.host("*", b.host("*", length, length), b.host("*", size, size)))
    assert source(Program(g), "torch") == code("""
        def f(q):
            time, size = q.shape[-2:]
            return q / (time * time * (size * size))
    """)


def test_unpacking_and_host_values():
    g, (x,), b = graph("f", "x")
    with building(b):
        batch, time_, width = ops.sizes(x, 3)
        for value, text in zip((batch, time_, width), ("batch", "time", "width")):
            value.name = text
        q, k = ops.split(x, 2, axis=-1)
        q.name, k.name = "q", "k"
        half = b.host("//", width, 2)
        scores = ops.divide(ops.matmul(q, ops.swapaxes(k, 1, 2)), b.host("math.sqrt", half))
        g.result = (scores, ops.reshape(x, (b.host("*", batch, time_), -1)))
    assert source(Program(g), "jax") == code("""
        def f(x):
            batch, time, width = x.shape
            q, k = jnp.split(x, 2, axis=-1)
            return q @ k.swapaxes(1, 2) / math.sqrt(width // 2), x.reshape(batch * time, -1)
    """)
    for name in BACKENDS:
        assert "    batch, time, width = x.shape\n" in source(Program(g), name)
        assert "    q, k = " in source(Program(g), name)
        same(Program(g), (np.arange(24, dtype=np.float32).reshape(2, 3, 4),), name)


def test_dead_nodes_are_not_printed_and_effects_are():
    g, (x,), b = graph("f", "x")
    with building(b):
        ops.exp(x)
        ops.print((x, "is x"))
        g.result = ops.sin(x)
    text = source(Program(g), "numpy")
    assert "exp" not in text and 'print(x, "is x")' in text


def test_arguments_are_trees_with_defaults():
    g, (w, bias, x, scale), b = graph("f", "w", "b", "x", "scale:float")
    with building(b):
        g.result = {"y": ops.multiply(ops.add(ops.multiply(x, w), bias), scale), "n": 3}
    signature = [
        Parameter("weights", {"w": w, "bs": [bias]}), Parameter("x", x), Parameter("scale", scale, 0.5, kind="keyword", annotation="float"),
    ]  # fmt: skip
    assert source(Program(g, signature=signature), "jax") == code("""
        def f(weights, x, *, scale: float = 0.5):
            return {"y": (x * weights["w"] + weights["bs"][0]) * scale, "n": 3}
    """)


def test_nothing_in_a_graph_becomes_code():
    g, (x,), b = graph("f", "x")
    g.doc = 'A doc """ + exit() + """\\'
    with building(b):
        value = named(ops.sin(x), "x; import os")
        ops.print((value, '"""); exit("'))
        g.result = ops.cos(value)
    module = emit(Program(g), backend("numpy"))
    calls = [
        n.func.id
        for n in ast.walk(ast.parse(module.source))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    ]
    assert calls == ["print"]
    bad, (y,), b = graph("f", "x")
    bad.result = y
    with pytest.raises(GfxError, match="name of an argument"):
        emit(Program(bad, signature=[Parameter("x=exit(), y", y)]), backend("numpy"))


def test_checks():
    g, (x, n), b = graph("f", "x", "n:int")
    with building(b):
        ops.check(b.host(">", n, 0), "n must be positive", "ValueError")
        ops.check(b.host("<", n, 9), "", "AssertionError")
        g.result = ops.sin(x)
    assert source(Program(g), "torch") == code("""
        def f(x, n: int):
            if not n > 0:
                raise ValueError("n must be positive")
            assert n < 9
            return torch.sin(x)
    """)


@pytest.mark.parametrize("name", BACKENDS)
def test_random_programs(name):
    for seed in range(60 if name == "numpy" else 20):
        program = Maker(seed).program()
        module = emit(program, backend(name))
        for n in (1, 3):
            same(program, (X, Y, n), name, module)


def test_a_docstring_comes_back_whatever_stands_in_it():
    g, (x,), _ = graph("f", "x")
    g.doc, g.result = 'a "quoted" \\ path\n\0 \x07 \r \ud800 λ"', x
    assert inspect.cleandoc(emit(Program(g), backend("numpy")).load().__doc__) == g.doc


@pytest.mark.parametrize("count", [98, 101, 104, 107, 300])
def test_lines_of_a_docstring_fit(count):
    g, (x,), _ = graph("f", "x")
    g.doc, g.result = f"{'a ' * (count // 2)}.\n\n  {'b ' * (count // 2)}.", x
    for g.doc in (g.doc, g.doc.split("\n")[0]):
        source = emit(Program(g), backend("numpy")).source
        assert max(map(len, source.splitlines())) <= 110
        assert source.split().count("a") + source.count('"a') == count // 2


def test_a_sentence_that_has_no_place_in_a_line_of_a_docstring_goes_on_in_the_next_one():
    g, (x,), _ = graph("f", "x")
    g.doc, g.result = f"Takes {'many ' * 24}words,\nof which some\n\n    are set apart.", x
    lines = inspect.getdoc(emit(Program(g), backend("numpy")).load()).splitlines()
    assert (
        lines[0].endswith("many")
        and lines[1].endswith("words, of which some")
        and lines[2:] == ["", "    are set apart."]
    )
