"""Trees of JAX in captured code: taken apart, mapped, carried by loops and chosen by tests, classes that are registered among them."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax, tree_util
from jax.flatten_util import ravel_pytree

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


class Pair(NamedTuple):
    a: Any
    b: Any


@tree_util.register_dataclass
@dataclasses.dataclass
class State:
    x: Any
    v: Any


@tree_util.register_pytree_node_class
class Scaled:
    """A class of its own, with a number that is no leaf."""

    def __init__(self, x, v, n):
        self.x, self.v, self.n = x, v, n

    def tree_flatten(self):
        return (self.x, self.v), self.n

    @classmethod
    def tree_unflatten(cls, n, children):
        return cls(*children, n)


X = jnp.arange(3.0)
TREE = {"b": X, "a": (jnp.ones(2), None, [jnp.array(2.0)])}
PAIR, STATE = Pair(X, X + 1), State(X, X + 1)


def squares(p):
    leaves, structure = tree_util.tree_flatten(p)
    return structure.unflatten([leaf * leaf for leaf in leaves])


def rows_as_a_tree(p):
    return tree_util.tree_unflatten(tree_util.tree_structure(p), jnp.ones((3, 2)))


def none_as_a_leaf(p):
    return jax.tree.map(lambda a: 0 if a is None else a * 2, p, is_leaf=lambda a: a is None)


def scalars_of(p):
    total = jax.tree.reduce(lambda a, b: a + jnp.sum(b), p, 0.0) + tree_util.tree_reduce(
        jnp.add, jax.tree.map(jnp.sum, p)
    )
    return total + sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(p))


def all_of(p):
    return jax.tree.all(jax.tree.map(lambda a: jnp.all(a > -1), p))


def by_path(p):
    named = tree_util.tree_map_with_path(lambda path, a: a * len(path), p)
    return named, [jnp.sum(leaf) * len(tree_util.keystr(path)) for path, leaf in tree_util.tree_flatten_with_path(p)[0]]


def of_a_class(x):
    made = jax.tree.map(lambda a: a * 2, Scaled(x, x + 1, 3))
    return made.x + made.v * made.n


def stopped(s):
    return lax.stop_gradient(State(x=s.x + s.v, v=s.v)).x


def mapped_state(s):
    return jax.tree.map(lambda a: a + 1, s).v


def scanned_pair(s):
    return lax.scan(lambda c, z: (Pair(c.a + z, c.b * 2), Pair(c.a, z)), s, jnp.arange(4.0))


def scanned_state(s):
    c, ys = lax.scan(lambda c, z: (State(c.x + z, c.v * 2), State(c.x, z)), s, jnp.arange(4.0), reverse=True)
    return c.x, c.v, ys.x, ys.v


def scanned_class(x):
    rows = Scaled(jnp.ones((4, 3)), jnp.ones(4), 1)
    c, ys = lax.scan(lambda c, z: (Scaled(c.x + z.x, c.v * 2, c.n), c.x), Scaled(x, x, 2), rows)
    return c.x * c.n, c.v, ys


def looped_class(x):
    made = lax.while_loop(lambda q: jnp.sum(q.x) < 30, lambda q: Scaled(q.x + q.v, q.v + 1, q.n), Scaled(x, x, 2))
    return made.x * made.n


def chosen_class(x):
    made = lax.cond(jnp.sum(x) > 0, lambda q: Scaled(q * 2, q, 3), lambda q: Scaled(q, q + 1, 3), x)
    return made.x * made.n, made.v


def switched_class(x):
    sides = [lambda q, n=n: Scaled(q * n, q, 3) for n in range(3)]
    return lax.switch(x[1].astype(int), sides, x).x


def sorted_in_a_trip(p):
    return lax.scan(lambda c, z: (jax.tree.map(lambda a: a + z, c), c["b"]), p, jnp.arange(4.0))


def swapped_in_a_trip(x):
    return lax.fori_loop(0, 3, lambda i, s: {"a": s["b"] + 0.5, "b": s["a"]}, {"b": x, "a": 1.0})


def widened_in_a_trip(x):
    return lax.fori_loop(0, 3, lambda i, s: {"a": s["a"] + 0.5, "b": s["b"] + 1}, {"b": 0, "a": 1})


def sorted_by_a_loop(p):
    return lax.while_loop(lambda s: jnp.sum(s["b"]) < 50, lambda s: {key: s[key] * 2 for key in sorted(s)}, p)


def sorted_by_a_side(p):
    sides = lambda p: {"b": p["b"] * 2, "a": p["a"]}, lambda p: {"a": p["a"] + 1, "b": p["b"]}
    return lax.cond(jnp.sum(p["b"]) > 4, *sides, p)


def by_the_order_of_keys(p):
    return lax.fori_loop(0, 2, lambda i, s: {key: s[key] * (at + 2) for at, key in enumerate(s)}, p)


ORDERED = {"b": X + 1, "a": jnp.ones((2, 3))}


@pytest.mark.parametrize(
    "f, arg",
    [
        (sorted_in_a_trip, ORDERED), (swapped_in_a_trip, jnp.float32(2)), (widened_in_a_trip, X), (sorted_by_a_loop, ORDERED), (sorted_by_a_side, ORDERED), (by_the_order_of_keys, ORDERED),
        (squares, TREE), (rows_as_a_tree, TREE), (none_as_a_leaf, TREE), (scalars_of, TREE), (all_of, TREE), (by_path, TREE),
        (of_a_class, X), (stopped, STATE), (mapped_state, STATE), (scanned_pair, PAIR), (scanned_state, STATE),
        (scanned_class, X), (looped_class, X), (chosen_class, X), (switched_class, X),
    ],
)  # fmt: skip
def test_trees(f, arg):
    want = f(arg)
    program = gfx.symbolic_trace(f, arg)
    given = jax.tree.map(lambda a: torch.tensor(np.asarray(a)), arg)
    results = program(arg), program.to("jax")(arg), program.to("torch")(given)
    assert jax.tree.structure(results[0]) == jax.tree.structure(want)
    for got in results:
        leaves = jax.tree.leaves(got)
        assert len(leaves) == len(jax.tree.leaves(want))
        for a, b in zip(jax.tree.leaves(want), leaves):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-6)


def test_leaves_of_all_by_a_function_are_refused():
    with pytest.raises(CaptureError, match="is_leaf="):
        gfx.symbolic_trace(lambda p: jax.tree.all(p, is_leaf=lambda a: a is None), TREE)


def of_the_kind(x):
    if jax.dtypes.issubdtype(jax.dtypes.result_type(x), jnp.floating):
        return x * 2
    return x


def real_ones(x):
    return jnp.real(x) if jnp.iscomplexobj(x) else x * 2 if jnp.isrealobj(x) else x


def made_together(x):
    return jnp.ones((), jnp.result_type(x, 2.0, jnp.float16)) + x.astype(jnp.promote_types(x.dtype, jnp.bfloat16))


DTYPES = jnp.arange(3), X, X.astype(jnp.complex64), X.astype(jnp.float16), X > 1


@pytest.mark.parametrize("x", DTYPES, ids=lambda x: str(x.dtype))
@pytest.mark.parametrize("f", [of_the_kind, real_ones, made_together])
def test_questions_about_dtypes(f, x):
    want, got = f(x), gfx.symbolic_trace(f, x).to("jax")(x)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(np.asarray(got, complex), np.asarray(want, complex))


def test_an_open_dtype_is_asked_where_it_runs():
    program = gfx.symbolic_trace(of_the_kind, backend="jax")
    for x in DTYPES[:2]:
        np.testing.assert_array_equal(np.asarray(program(x)), np.asarray(of_the_kind(x)))
        np.testing.assert_array_equal(
            program.to("torch")(torch.tensor(np.asarray(x))).numpy(), np.asarray(of_the_kind(x))
        )


@pytest.mark.parametrize("f", [real_ones, made_together])
def test_what_needs_the_dtype_says_so(f):
    with pytest.raises(
        CaptureError, match=r"the dtype of an argument is not known(.|\n)*test_pytrees(.|\n)*TensorSpec"
    ):
        gfx.symbolic_trace(f, backend="jax")


def test_trees_that_do_not_fit_together():
    rebuilt = lambda p, a, b: jax.tree.unflatten(jax.tree.structure(p), [a, b])
    with pytest.raises(gfx.GfxError, match=r"not given stands for one tensor(.|\n)*p=..., a=..., b=..."):
        gfx.symbolic_trace(rebuilt, backend="jax")
    x = jnp.ones(2)
    assert gfx.symbolic_trace(rebuilt, {"u": x, "v": x}, x, x)({"u": x, "v": x}, x, x * 2)["v"].tolist() == [2.0, 2.0]
    with pytest.raises(gfx.GfxError, match="trees do not fit together"):
        gfx.symbolic_trace(lambda p, g: jax.tree.map(jnp.add, p, g), {"u": x}, x)

    def own(leaf):
        raise ValueError("of the user's own")

    with pytest.raises(ValueError, match="of the user's own"):
        gfx.symbolic_trace(lambda p: jax.tree.map(own, p), backend="jax")


@tree_util.register_pytree_node_class
@dataclasses.dataclass(frozen=True)
class Move:
    """A class whose fields are arrays where nothing is given."""

    at: Any = dataclasses.field(default_factory=lambda: NOWHERE)
    to: Any = dataclasses.field(default_factory=lambda: NOWHERE)

    tree_flatten = lambda self: ((self.at, self.to), None)
    tree_unflatten = classmethod(lambda cls, _, children: cls(*children))


NOWHERE = jnp.int32(-1)


def chosen_moves(x):
    made = lax.cond(x > 3, lambda: Move(to=x), lambda: Move(at=x * 2))
    return lax.cond(made.at > 0, lambda move: move.at, lambda move: move.to + 1, made)


def switched_moves(x):
    move = lax.switch(x, [lambda: Move(x, x), lambda: Move(at=x), Move])
    return jnp.zeros(5).at[move.at].set(move.to)


def carried_moves(x):
    moved = lax.while_loop(lambda move: move.at < x, lambda move: Move(move.at + 1, x), Move())
    return lax.fori_loop(0, 3, lambda i, move: Move(move.at + i, move.to), moved).at + moved.to


@pytest.mark.parametrize("f", [chosen_moves, switched_moves, carried_moves])
def test_arrays_that_objects_are_made_with(f):
    for target in ("torch", "jax"):
        program = gfx.transpile(f, jnp.int32(4), to=target)
        for number in (0, 1, 4):
            given = jnp.int32(number) if target == "jax" else torch.tensor(number, dtype=torch.int32)
            np.testing.assert_array_equal(program(given), f(jnp.int32(number)))


def halved(tree):
    flat, unravel = ravel_pytree(tree)
    return unravel(flat * 0.5), unravel(flat.at[0].set(3))


def descended(tree):
    flat, unravel = jax.flatten_util.ravel_pytree(tree["float"])
    slope = jax.grad(lambda row: sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(unravel(row))))
    return unravel(jax.lax.fori_loop(0, 3, lambda i, row: row - 0.1 * slope(row), flat)), jax.vmap(unravel)(flat[None])


@pytest.mark.parametrize("to", ["jax", "torch"])
@pytest.mark.parametrize("fn", [halved, descended])
def test_a_tree_in_one_row_comes_back_with_its_shapes_and_dtypes(fn, to):
    tree = {"float": [jnp.ones((2, 2)), jnp.arange(3.0)], "int": jnp.arange(2)}
    made = gfx.transpile(fn, tree, to=to, dynamic=True)
    for size in (3, 5):
        tree["float"][1] = jnp.arange(float(size))
        given = tree if to == "jax" else jax.tree.map(lambda leaf: torch.tensor(np.asarray(leaf)), tree)
        want, have = jax.tree.leaves(fn(tree)), jax.tree.leaves(made(given))
        assert [str(leaf.dtype) for leaf in want] == [str(np.asarray(leaf).dtype) for leaf in have]
        for leaf, other in zip(want, have, strict=True):
            np.testing.assert_allclose(leaf, other, rtol=1e-5)
