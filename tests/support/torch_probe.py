"""A stand-in for capture, to test lifts on their own: Probes record what PyTorch calls become, `run` executes it."""

import numpy as np
import torch

from gfx_ir import ops
from gfx_ir.backend import OpenParts
from gfx_ir.build import HOST_OPERATORS, Builder
from gfx_ir.dtypes import DType
from gfx_ir.graph import Graph, Value
from gfx_ir.loading import backend
from gfx_ir.op import active, evaluate
from gfx_ir.rules import building
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

TORCH = backend("torch")


class Recorder(Builder):
    """A Builder that infers types where its placeholders have them."""

    def __init__(self, graph, types):
        super().__init__(graph, "torch")
        self.types = types

    def typed(self, node):
        return self.types

    def wrap(self, result):
        return wrapped(result)

    def next_key(self):
        return self.graph.add_placeholder("key", "key")


class Probe:
    """A Value that PyTorch's own functions, methods and operators are called with."""

    def __init__(self, value):
        self.value = value

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return apply(TORCH.functions[function], args, kwargs or {})

    def __getattr__(self, name):
        if name in TORCH.attributes:
            return apply(TORCH.attributes[name], (self,), {})
        if name not in TORCH.methods:
            raise AttributeError(name)
        return lambda *args, **kwargs: apply(TORCH.methods[name], (self, *args), kwargs)


def _operator(name):
    return lambda self, *args: apply(TORCH.methods[name], (self, *args), {})


for _name in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and or xor rand lshift rshift "
    "lt le gt ge eq ne neg invert abs getitem iadd isub imul itruediv iand setitem"
).split():
    setattr(Probe, f"__{_name}__", _operator(f"__{_name}__"))


def apply(lift, args, kwargs):
    """What a lift makes of a call; the first argument changes where the call writes it."""
    result = lift.fn(*unwrapped(list(args)), **unwrapped(kwargs))
    subject = args[0] if args else None
    if lift.writes(*args, **kwargs) if callable(lift.writes) else lift.writes:
        subject.value = result
        return subject
    return wrapped(result)


def unwrapped(tree):
    """Probes become Values, dtypes DTypes."""

    def leaf(x):
        if isinstance(x, Probe):
            return x.value
        if isinstance(x, torch.Tensor):
            return ops.constant(_tuples(x.tolist()), dtype=TORCH.dtype_of(x))
        found = TORCH.as_dtype(x)
        if isinstance(x, tuple) and not isinstance(x, torch.Size):
            return tuple(unwrapped(item) for item in x)
        return x if found is None else found

    return tree_map(leaf, tree)


def _tuples(data):
    return tuple(map(_tuples, data)) if isinstance(data, list) else data


def call(fn, *args, **kwargs):
    """A call that the hook of capture sees although no argument is a Probe."""
    return fn(*args, **kwargs) if active.builder is None else apply(TORCH.functions[fn], args, kwargs)


def wrapped(tree):
    """Values become Probes."""
    if isinstance(tree, OpenParts):
        return tree
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(wrapped(item) for item in tree))
    return tree_map(lambda x: Probe(x) if isinstance(x, Value) else x, tree)


def record(fn, tensors, typed):
    """The graph of fn, its placeholders of the tensors' types or of none."""
    graph = Graph("test")

    def placeholder(at, x):
        return Probe(
            graph.add_placeholder(
                f"x{at}", "tensor", LogicalTensor(TORCH.dtype_of(x), tuple(x.shape)) if typed else None
            )
        )

    with building(Recorder(graph, typed)):
        graph.result = unwrapped(_plain(fn(*(placeholder(at, x) for at, x in enumerate(tensors)))))
    return graph


def _plain(tree):
    if isinstance(tree, OpenParts):
        return tree.unpack(2)
    return tuple(map(_plain, tree)) if isinstance(tree, (tuple, list)) else tree


def run(graph, tensors, on_torch):
    """Execute a graph on NumPy's reference, or with what the torch rows print."""
    given = iter(tensors)
    env = {}
    for p in graph.placeholders:
        env[p] = torch.Generator() if p.kind == "key" else next(given)
    if not on_torch:
        env = {v: TORCH.to_host(x) if isinstance(x, torch.Tensor) else x for v, x in env.items()}
    for node in graph:
        args = tree_map(lambda leaf: env[leaf] if isinstance(leaf, Value) else leaf, node.args)
        if node.op.name == "host":
            found = HOST_OPERATORS[args[0]](*args[1])
        else:
            found = TORCH.run(node.op, args) if on_torch else evaluate(node.op, tree_map(_numpy_dtype, args))
        for value, item in zip(node.values, found if len(node.values) != 1 else (found,)):
            env[value] = item if on_torch or not value.is_tensor else _as_typed(item, value.type)
    return tree_map(lambda leaf: env[leaf] if isinstance(leaf, Value) else leaf, graph.result)


def _numpy_dtype(leaf):
    return leaf.numpy if isinstance(leaf, DType) else leaf


def _as_typed(item, type_):
    known = isinstance(type_, LogicalTensor) and type_.dtype is not None
    return np.asarray(item).astype(type_.dtype.numpy) if known else item


def results(tree):
    """The tensors and numbers of a result, as NumPy; numbers as Python objects."""
    flat = leaves(_plain(tree))
    return [TORCH.to_host(x) if isinstance(x, torch.Tensor) else x for x in flat]


def compare(got, want, dtypes):
    """Assert that two lists hold the same numbers, and arrays of the same dtypes where asked."""
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert np.shape(a) == np.shape(b)
        assert not dtypes or not isinstance(b, np.ndarray) or a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)
