"""Emitted models: one function a block, loops over repeated blocks, parameters as a tree."""

import numpy as np
import pytest

from emitted import BACKENDS, code, graph, same, source
from gfx_ir import ops
from gfx_ir.dtypes import bool_
from gfx_ir.loading import backend
from gfx_ir.program import Program
from gfx_ir.rules import building
from graphs import add, named


class Blocks:
    """A small transformer as graphs that call each other."""

    def __init__(self):
        self.functions = {}

    def function(self, name, *arguments, doc=""):
        made, values, builder = graph(name, *arguments)
        made.doc = doc
        self.functions[name] = made
        return made, values, builder

    @staticmethod
    def call(builder, name, prefix, *args):
        return add(builder, "call", (name, prefix, args), ("tensor",))

    def layers(self):
        for name, op, paths in (
            ("Linear", ops.linear, ("weight", "bias")), ("Head", ops.linear, ("weight",)), ("Embedding", ops.embedding, ("weight",)),
            ("LayerNorm", lambda x, w, b: ops.layer_norm(x, (8,), w, b), ("weight", "bias")), ("GELU", ops.gelu, ()),
        ):  # fmt: skip
            g, (x,), b = self.function(name, "x")
            with building(b):
                g.result = op(x, *[g.add_parameter(path) for path in paths])
        g, (x,), b = self.function("Sequential", "x")
        with building(b):
            for at, name in enumerate(("Linear", "GELU", "Linear")):
                x = self.call(b, name, str(at), x)
            g.result = x

    def attention(self):
        g, (x,), b = self.function("Attention", "x", doc="Causal self-attention.")
        with building(b):
            batch, length, width = [named(v, text) for v, text in zip(ops.sizes(x, 3), ("batch", "time", "width"))]
            parts = ops.split(self.call(b, "Linear", "qkv", x), 3, axis=-1)
            q, k, v = [named(p, text) for p, text in zip(parts, "qkv")]
            q, k, v = [named(ops.swapaxes(ops.reshape(t, (batch, length, 2, -1)), 1, 2), t.name) for t in (q, k, v)]
            scores = named(
                ops.divide(ops.matmul(q, ops.swapaxes(k, -2, -1)), b.host("math.sqrt", ops.size(q, -1))), "scores"
            )
            mask = named(ops.tril(ops.ones((length, length), dtype=bool_)), "mask")
            weights = named(ops.softmax(ops.where(mask, scores, float("-inf")), axis=-1), "weights")
            y = named(ops.reshape(ops.swapaxes(ops.matmul(weights, v), 1, 2), (batch, length, width)), "y")
            g.result = self.call(b, "Linear", "out", y)

    def program(self, depth=3):
        self.layers()
        self.attention()
        g, (x,), b = self.function("Block", "x")
        with building(b):
            x = named(ops.add(x, self.call(b, "Attention", "attention", self.call(b, "LayerNorm", "norm1", x))), "x")
            g.result = ops.add(x, self.call(b, "Sequential", "mlp", self.call(b, "LayerNorm", "norm2", x)))
        g, (tokens,), b = graph("GPT", "tokens")
        with building(b):
            places = self.call(b, "Embedding", "position", ops.arange(ops.size(tokens, 1)))
            x = named(ops.add(self.call(b, "Embedding", "token", tokens), places), "x")
            for at in range(depth):
                x = named(self.call(b, "Block", f"blocks.{at}", x), "x")
            g.result = self.call(b, "Head", "token", self.call(b, "LayerNorm", "norm", x))
        return Program(g, self.functions, params=self.params(depth))

    @staticmethod
    def params(depth):
        make = np.random.default_rng(0).standard_normal
        shapes = {"token.weight": (11, 8), "position.weight": (16, 8), "norm.weight": (8,), "norm.bias": (8,)}
        for at in range(depth):
            inner = {"norm1.weight": (8,), "norm1.bias": (8,), "norm2.weight": (8,), "norm2.bias": (8,)}
            inner |= {"attention.qkv.weight": (24, 8), "attention.qkv.bias": (24,), "attention.out.weight": (8, 8)}
            inner |= {"attention.out.bias": (8,), "mlp.0.weight": (16, 8), "mlp.0.bias": (16,), "mlp.2.weight": (8, 16)}
            inner |= {"mlp.2.bias": (8,)}
            shapes |= {f"blocks.{at}.{path}": shape for path, shape in inner.items()}
        return {path: make(shape).astype(np.float32) for path, shape in shapes.items()}


def tree_of(params, target):
    """Parameters by path as a tree; numbered children are lists."""
    tree = {}
    for path, value in params.items():
        inner = tree
        *parents, last = path.split(".")
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = target.from_host(value)

    def lists(node):
        if not isinstance(node, dict):
            return node
        if node and all(key.isdigit() for key in node):
            return [lists(node.get(str(at), {})) for at in range(max(map(int, node)) + 1)]
        return {key: lists(value) for key, value in node.items()}

    return lists(tree)


def test_model_reads_like_its_author():
    assert source(Blocks().program(), "jax") == code('''
        def layer_norm(params, x):
            mean = x.mean(axis=-1, keepdims=True)
            var = x.var(axis=-1, keepdims=True)
            return (x - mean) * jax.lax.rsqrt(var + 1e-05) * params["weight"] + params["bias"]


        def linear(params, x):
            return x @ params["weight"].T + params["bias"]


        def attention(params, x):
            """Causal self-attention."""
            batch, time, width = x.shape
            q, k, v = jnp.split(linear(params["qkv"], x), 3, axis=-1)
            q = q.reshape(batch, time, 2, -1).swapaxes(1, 2)
            k = k.reshape(batch, time, 2, -1).swapaxes(1, 2)
            v = v.reshape(batch, time, 2, -1).swapaxes(1, 2)
            scores = q @ k.swapaxes(-2, -1) / math.sqrt(q.shape[-1])
            mask = jnp.tril(jnp.ones((time, time), dtype=bool))
            weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)
            y = (weights @ v).swapaxes(1, 2).reshape(batch, time, width)
            return linear(params["out"], y)


        def block(params, x):
            x = x + attention(params["attention"], layer_norm(params["norm1"], x))
            h = linear(params["mlp"][0], layer_norm(params["norm2"], x))
            return x + linear(params["mlp"][2], jax.nn.gelu(h, approximate=False))


        def gpt(params, tokens):
            x = params["token"]["weight"][tokens] + params["position"]["weight"][jnp.arange(tokens.shape[1])]
            for layer in params["blocks"]:
                x = block(layer, x)
            return layer_norm(params["norm"], x) @ params["token"]["weight"].T
    ''')


@pytest.mark.parametrize("name", BACKENDS)
def test_model_computes_what_it_says(name):
    program = Blocks().program()
    tokens = np.array([[1, 5, 3, 2], [7, 7, 0, 10]])
    same(program, (tokens,), name, params=[tree_of(program.params, backend(name))])


def test_a_list_that_is_not_gone_over_from_end_to_end_is_sliced():
    blocks = Blocks()
    program = blocks.program()
    g, (x,), b = graph("middle", "x")
    with building(b):
        for at in (1, 2):
            x = named(blocks.call(b, "Block", f"blocks.{at}", x), "x")
        g.result = x
    params = program.params | {path.replace("blocks.0", "blocks.3"): value for path, value in program.params.items()}
    assert 'for layer in params["blocks"][1:]:' in source(Program(g, program.functions, params=program.params), "jax")
    assert 'for layer in params["blocks"][1:3]:' in source(Program(g, program.functions, params=params), "jax")


def test_a_function_with_several_results():
    inner, (x,), b = graph("both", "x")
    with building(b):
        h = named(ops.sin(x), "h")
        inner.result = {"a": ops.multiply(h, h), "rest": (h, x)}
    g, (x, y), b = graph("f", "x", "y")
    with building(b):
        first = add(b, "call", ("both", "", (x,)), ("tensor",) * 3)
        second = add(b, "call", ("both", "", (y,)), ("tensor",) * 3)
        g.result = ops.add(ops.add(first[0], first[1]), second[1])
    program = Program(g, {"both": inner})
    assert source(program, "numpy") == code("""
        def both(x):
            h = np.sin(x)
            return {"a": h * h, "rest": (h, x)}


        def f(x, y):
            result = both(x)
            result_1 = both(y)
            return result["a"] + result["rest"][0] + result_1["rest"][0]
    """)
