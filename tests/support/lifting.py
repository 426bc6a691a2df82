"""Calls of a framework, lifted: the graph that a call becomes, run on the reference and on the backend's own rows."""

import numpy as np

from gfx_ir.build import HOST_OPERATORS, Builder
from gfx_ir.dtypes import dtype
from gfx_ir.graph import Graph, Value
from gfx_ir.op import evaluate
from gfx_ir.row import OpenRows
from gfx_ir.rules import building
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor


class Recorder(Builder):
    """A builder that infers types where it can, or knows none at all."""

    def __init__(self, graph, promotion, typed):
        super().__init__(graph, promotion)
        self.all_typed = typed

    def typed(self, node):
        return self.all_typed and all(v.type is not None for v in leaves(node.args) if type(v) is Value and v.is_tensor)


def find(backend, roots, name):
    """(the framework's own callable, its Lift) of a name such as `jnp.sum` or `Array.mean`."""
    root, _, rest = name.partition(".")
    if root in roots and not isinstance(roots[root], type):
        target = roots[root]
        for part in rest.split("."):
            target = getattr(target, part)
        return target, backend.functions[target]
    if rest.endswith("@"):
        return (lambda x: getattr(x, rest[:-1])), backend.attributes[rest[:-1]]
    return (lambda x, *args, **kwargs: getattr(x, rest)(*args, **kwargs)), backend.methods[rest]


def record(backend, lift, args, kwargs, typed=True):
    """The graph of a lifted call, with the arrays that its placeholders stand for."""
    graph, fed = Graph("call"), []

    def placeholder(leaf):
        if isinstance(leaf, np.ndarray):
            fed.append(leaf)
            kind = LogicalTensor(dtype(leaf.dtype), leaf.shape) if typed else None
            return graph.add_placeholder(f"x{len(fed)}", "tensor", kind)
        return backend.as_dtype(leaf) or leaf if isinstance(leaf, (type, np.dtype)) or not callable(leaf) else leaf

    values, named = tree_map(placeholder, (tuple(args), dict(kwargs)))
    with building(Recorder(graph, backend.promotion, typed)):
        graph.result = lift.fn(*values, **named)
    return graph, fed


def interpret(graph, inputs, run=evaluate):
    """The result of a graph, each node by `run(op, args)`."""
    found = dict(zip(graph.placeholders, inputs))
    for node in graph:
        args = tree_map(lambda leaf: found[leaf] if type(leaf) is Value else leaf, node.args)
        out = HOST_OPERATORS[args[0]](*args[1]) if node.op.name == "host" else run(node.op, args)
        found.update(zip(node.values, out if len(node.values) != 1 else (out,)))
    result = graph.result
    rows = found[result.tensor] if type(result) is OpenRows else None
    return tuple(rows) if rows is not None else tree_map(lambda x: found[x] if type(x) is Value else x, result)


def compare(got, want, tol=1e-5):
    """Assert that two trees hold the same numbers."""
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            compare(g, w, tol)
        return
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol)
