"""Every op that works element by element is compiled by JAX wherever it stands: where a mask selects, and in a staged loop."""

import jax
import numpy as np
import pytest

from gfx_ir import dtypes, ops
from gfx_ir.build import Builder
from gfx_ir.codegen import emit
from gfx_ir.graph import Graph
from gfx_ir.loading import backend
from gfx_ir.op import Trait, evaluate, lookup
from gfx_ir.program import Program
from gfx_ir.rules import building
from gfx_ir.types import LogicalTensor
from graphs import add
from sampled import bound
from samples import all_samples
from sweeps import one_in, one_of_each


def cases():
    """A sample of each op for each choice of dtypes among its arguments."""
    found = {}
    for sample in all_samples():
        op, args = lookup(sample.op), bound(sample)
        arrays = [x for x in args if isinstance(x, np.ndarray)]
        kept = not {"jax"} & set(sample.skip) and not backend("jax").rows.get(op.name, sample).__dict__.get("missing")
        if op.traits & (Trait.ELEMENTWISE | Trait.TOTAL) and arrays and kept:
            found.setdefault((op.name, *(x.dtype.name for x in arrays)), sample)
    return one_of_each(lambda sample: sample.op, found.values())


def flat(sample):
    """The arguments as vectors of one length, and which elements a mask takes."""
    args = bound(sample)
    arrays = [x for x in args if isinstance(x, np.ndarray)]
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    vectors = [np.resize(np.broadcast_to(x, shape).ravel(), 6) if isinstance(x, np.ndarray) else x for x in args]
    return vectors, np.array([True, False, True, True, False, True])


def typed(x):
    return LogicalTensor(dtypes.dtype(x.dtype), x.shape)


def program_of(arrays, build):
    graph = Graph("f")
    given = [graph.add_placeholder(f"x{at}", "tensor", typed(x)) for at, x in enumerate(arrays)]
    with building(Builder(graph)):
        graph.result = build(*given)
    return Program(graph)


def compiled(program, arrays):
    return jax.jit(emit(program, backend("jax")).load())(*arrays)


def compare(sample, got, want):
    tol = max(sample.tol, 1e-2 if got.dtype.itemsize < 4 and got.dtype.kind not in "biu" else 2e-5)
    kind = np.complex128 if np.iscomplexobj(want) else np.float64
    np.testing.assert_allclose(np.asarray(got).astype(kind), want.astype(kind), rtol=tol, atol=tol)


@pytest.mark.parametrize("sample", one_in(2, cases()), ids=str)
def test_where_a_mask_selects(sample):
    op, (args, mask) = lookup(sample.op), flat(sample)
    arrays = [x for x in args if isinstance(x, np.ndarray)]
    picked = evaluate(op, tuple(x[mask] if isinstance(x, np.ndarray) else x for x in args))
    for at, part in enumerate(picked if len(op.output_kinds(args)) > 1 else (picked,)):
        base = np.zeros(6, part.dtype)

        def build(y, m, *given, at=at):
            rest = iter(given)
            made = op(*[ops.getitem(next(rest), m) if isinstance(x, np.ndarray) else x for x in args])
            return ops.index_put(y, m, made[at] if isinstance(made, tuple) else made)

        want = base.copy()
        want[mask] = part
        compare(sample, compiled(program_of([base, mask, *arrays], build), [base, mask, *arrays]), want)


def looped(args, arrays, first):
    """y += op(...), n times, in a loop of Python's own over an open range; `first` is the argument that y stands for."""
    graph = Graph("f")
    y, *given = [graph.add_placeholder(f"x{at}", "tensor", typed(x)) for at, x in enumerate(arrays)]
    n = graph.add_placeholder("n", "int")
    builder = Builder(graph)
    with building(builder):
        with builder.region("body") as body:
            _, carried = body[0].add_placeholder("i", "int"), body[0].add_placeholder("y", "tensor", typed(arrays[0]))
            local = iter([builder.local(x) for x in given])
            taken = [next(local) if isinstance(x, np.ndarray) else x for x in args[1]]
            taken[first] = carried
            body[0].result = (ops.add(carried, ops.astype(args[0](*taken), dtypes.dtype(arrays[0].dtype))),)
        operands = builder.outer_operands([body])
        graph.result = add(builder, "host_for", ((("range", 0, n, 1),), (y,), operands, None), ("tensor",), (body[0],))
    return Program(graph)


def loops(sample):
    args = bound(sample)
    return len(lookup(sample.op).output_kinds(args)) == 1


@pytest.mark.parametrize("sample", [sample for sample in cases() if loops(sample)], ids=str)
def test_in_a_staged_loop(sample):
    """Its number of trips is data: a loop of Python's own would not compile."""
    op, (args, _) = lookup(sample.op), flat(sample)
    first = next(at for at, x in enumerate(args) if isinstance(x, np.ndarray))
    arrays = [args[first], *[x for x in args if isinstance(x, np.ndarray)]]
    text = emit(looped((op, args), arrays, first), backend("jax")).source.split("def f(")[1]
    assert "in range(n)" not in text and "fori_loop" in text
