"""Graphs made by hand and at random, and an interpreter that says what they mean."""

import random

import numpy as np

from gfx_ir import ops
from gfx_ir.build import HOST_OPERATORS, Builder
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import evaluate, lookup
from gfx_ir.program import Program
from gfx_ir.rules import building
from gfx_ir.trees import tree_map


def named(value, name):
    value.name = name
    return value


def add(builder, op, args, kinds, regions=()):
    """Append a node with regions; its value or values."""
    values = builder.append(Node(lookup(op), args, kinds, None, regions)).values
    return values[0] if len(values) == 1 else values


def branch(builder, test, then, other, kinds, op="cond"):
    """A test: `then` and `other` build the sides and return their results."""
    made = []
    for name, build in (("then", then), ("else", other)):
        with builder.region(name) as region:
            region[0].result = tuple(builder.local(r) if isinstance(r, Value) else r for r in build())
        made.append(region)
    operands = builder.outer_operands(made)
    return builder.append(Node(lookup(op), (test, operands), kinds, None, tuple(r[0] for r in made))).values


# ------------------------------------------------------------------ what a graph means
def run(graph, args, functions=None, params=None, prefix=""):
    """The graph on NumPy data; loops and tests by Python."""
    env = dict(zip(graph.placeholders, args))
    for path, value in graph.parameters.items():
        env[value] = (params or {})[".".join(p for p in (prefix, path) if p)]
    for node in graph:
        found = _node(
            node,
            tree_map(lambda leaf: env[leaf] if type(leaf) is Value else leaf, node.args),
            functions,
            params,
            prefix,
        )
        env.update(zip(node.values, found))
    return tree_map(lambda leaf: env[leaf] if type(leaf) is Value else leaf, graph.result)


def _node(node, args, functions, params, prefix):
    op = node.op.name
    if op in ("cond", "host_if"):
        side = node.regions[0] if args[0] else node.regions[1]
        return _tuple(run(side, args[1], functions, params, prefix))
    if op in ("while", "host_while"):
        init, operands, flag = args
        carried = init
        while not (flag is not None and carried[flag]) and np.all(
            _tuple(run(node.regions[0], (*carried, *operands)))[0]
        ):
            carried = _tuple(run(node.regions[1], (*carried, *operands)))
        return carried
    if op in ("for", "host_for"):
        return _for(node, args)
    if op == "call":
        callee = functions[args[0]]
        inner = ".".join(p for p in (prefix, args[1]) if p)
        return _tuple(run(callee, args[2], functions, params, inner))
    if op == "host":
        return (HOST_OPERATORS[args[0]](*args[1]),)
    with building(None):
        found = evaluate(node.op, args)
    return tuple(found) if len(node.values) != 1 else (found,)


def _for(node, args):
    items, init, operands, flag = args
    carried, stacked = tuple(init), []
    for row in zip(*[range(*item[1:]) if type(item) is tuple else item for item in items]):
        if flag is not None and carried[flag]:
            break
        out = _tuple(run(node.regions[0], (*row, *carried, *operands)))
        carried = out[: len(init)]
        stacked.append(out[len(init) :])
    return (*carried, *(np.stack(ys) for ys in zip(*stacked)))


def _tuple(result):
    return tuple(result) if type(result) in (tuple, list) else (result,)


# ------------------------------------------------------------------ graphs at random
class Maker:
    """Grows a random function of two vectors and a number, with tests and loops in one another."""

    NAMES = ("x", "y", "h", "carry", "body", "jnp", "cond", "row", "i", "len", None, None, None)

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.graph = Graph("f")
        self.builder = Builder(self.graph)
        self.budget = 14

    def program(self):
        pool = [self.graph.add_placeholder("x"), self.graph.add_placeholder("y")]
        self.count = self.graph.add_placeholder("n", "int")
        with building(self.builder):
            pool = self.block(pool, 0, self.random.randint(3, 7))
            picked = [self.pick(pool) for _ in range(self.random.randint(1, 3))]
            self.graph.result = picked[0] if len(picked) == 1 else tuple(picked)
        return Program(self.graph)

    def pick(self, pool):
        return self.builder.local(self.random.choice(pool[-5:]))

    def name(self, value):
        return named(value, self.random.choice(self.NAMES))

    def block(self, pool, depth, steps):
        pool = list(pool)
        for _ in range(steps):
            self.budget -= 1
            kinds = ["op"] * 5 + (
                ["cond", "cond", "while", "range", "rows", "host"] if depth < 3 and self.budget > 0 else []
            )
            pool += getattr(self, "make_" + self.random.choice(kinds))(pool, depth)
        return pool

    def make_op(self, pool, depth):
        a, b = self.pick(pool), self.pick(pool)
        made = self.random.choice((
            lambda: ops.sin(a), lambda: ops.multiply(ops.tanh(a), 0.5), lambda: ops.add(ops.cos(a), b),
            lambda: ops.subtract(a, ops.multiply(b, 0.25)), lambda: ops.where(ops.greater(a, b), a, ops.negative(b)),
        ))()  # fmt: skip
        return [self.name(ops.tanh(made) if self.random.random() < 0.3 else made)]

    def test(self, pool):
        return ops.greater(ops.sum(self.pick(pool)), self.random.choice((-0.5, 0.0, 0.7)))

    def results(self, pool, count):
        return [self.pick(pool) for _ in range(count)]

    def make_cond(self, pool, depth):
        count, steps = self.random.randint(1, 2), self.random.randint(0, 2)

        def side():
            return self.results(self.block(pool, depth + 1, steps), count)

        made = branch(self.builder, self.test(pool), side, side, ("tensor",) * count)
        return [self.name(v) for v in made]

    def make_host(self, pool, depth):
        def side():
            return self.results(self.block(pool, depth + 1, self.random.randint(0, 2)), 1)

        count = self.builder.local(self.count)
        made = branch(self.builder, self.builder.host(">", count, 2), side, side, ("tensor",), "host_if")
        return [self.name(v) for v in made]

    def carried(self, region, names):
        out = [region[0].add_placeholder(name or "") for name in names]
        for value, name in zip(out, names):
            value.name = name
        return out

    def make_while(self, pool, depth):
        names = [self.random.choice(self.NAMES) for _ in range(self.random.randint(1, 2))]
        early = self.random.random() < 0.5
        all_names = [*names, "steps", *([None] if early else [])]
        b = self.builder
        with b.region("test") as test:
            phis = self.carried(test, all_names)
            test[0].result = ops.less(phis[len(names)], self.random.randint(0, 4))
        with b.region("body") as body:
            phis = self.carried(body, all_names)
            inner = self.block([*pool, *phis[: len(names)]], depth + 1, self.random.randint(1, 3))
            results = [*self.results(inner, len(names)), ops.add(phis[len(names)], 1)]
            if early:
                stop = self.test(inner)
                if self.random.random() < 0.5:
                    stop, results[0] = self.stopping(stop, inner, results[0])
                results.append(stop)
            body[0].result = tuple(results)
        init = (*[self.pick(pool) for _ in names], 0, *([False] if early else []))
        operands = b.outer_operands([test, body])
        args = (init, operands, len(init) - 1 if early else None)
        made = b.append(Node(lookup("while"), args, ("tensor",) * len(init), None, (test[0], body[0]))).values
        return [self.name(v) for v in made[: len(names)]]

    def stopping(self, stop, pool, value):
        """A test whose first side leaves the loop, and whose second computes on."""
        return branch(
            self.builder,
            stop,
            lambda: (True, value),
            lambda: (False, self.results(self.block(pool, 3, 1), 1)[0]),
            ("tensor",) * 2,
        )

    def make_range(self, pool, depth):
        stop = self.random.choice((0, 3, self.count, 18))
        return self.loop(
            pool,
            depth,
            [("range", self.random.choice((0, 0, 1)), stop if type(stop) is int else self.builder.local(stop), 1)],
        )

    def make_rows(self, pool, depth):
        matrix = ops.stack((self.pick(pool), self.pick(pool), self.pick(pool)), axis=0)
        items = [matrix] if self.random.random() < 0.6 else [("range", 0, ops.size(matrix, 0), 1), matrix]
        return self.loop(pool, depth, items, stacked=self.random.random() < 0.6)

    def loop(self, pool, depth, items, stacked=False):
        names = [self.random.choice(self.NAMES) for _ in range(self.random.randint(1, 2))]
        early = not stacked and self.random.random() < 0.4
        b = self.builder
        with b.region("body") as body:
            rows = []
            for item in items:
                rows.append(
                    body[0].add_placeholder(
                        "i" if type(item) is tuple else "row", "int" if type(item) is tuple else "tensor"
                    )
                )
            phis = self.carried(body, [*names, *([None] if early else [])])
            seen = [*pool, *phis[: len(names)], *[row for row in rows if row.kind == "tensor"]]
            if rows[0].kind == "int":
                seen.append(ops.tanh(ops.multiply(phis[0], ops.add(rows[0], 0.125))))
            inner = self.block(seen, depth + 1, self.random.randint(1, 3))
            results = self.results(inner, len(names))
            if early:
                results.append(self.test(inner))
            if stacked:
                results.append(self.pick(inner))
            body[0].result = tuple(results)
        init = (*[self.pick(pool) for _ in names], *([False] if early else []))
        operands = b.outer_operands([body])
        args = (tuple(items), init, operands, len(init) - 1 if early else None)
        made = b.append(Node(lookup("for"), args, ("tensor",) * len(results), None, (body[0],))).values
        out = [self.name(v) for v in made[: len(names)]]
        return [*out, ops.sum(self.name(made[-1]), axis=0)] if stacked else out
