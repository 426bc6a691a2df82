"""Jitted: an emitted function under jax.jit, or as it is where JAX cannot trace it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gfx_ir.applied import Applied, Typed
from gfx_ir.graph import Node
from gfx_ir.op import Trait
from gfx_ir.program import Program
from gfx_ir.trees import leaves

_CHOICES = (type(None), bool, str, np.dtype, type(jnp.float32))
_GIVEN = (*_CHOICES, int, float, complex)


def needs_data(node: Applied | Node) -> bool:
    """Whether a node takes a number out of an array or acts on the world, by data: what may raise does so by host values, as it is
    traced."""
    control, op = node.op.control, node.op
    asked = node.args if control is None else control.raises_by(node)
    tensors = any(isinstance(leaf, Typed) and leaf.is_tensor for leaf in leaves(asked))
    return (op.effect and (tensors or not op.traits & Trait.RAISES)) or (control is not None and control.reads_data)


class Jitted:
    """Called like `fn`: compiled once for each combination of shapes, dtypes, truth values and texts of its arguments.

    As it is runs `fn` of a program with a node that needs data, what JAX failed to trace once (`reason` tells why; it is not tried
    again), and a call with a Python number or another object, which would be compiled anew for each value."""

    def __init__(self, fn: Callable[..., Any], program: Program, takes_params: bool) -> None:
        self.fn, self._first = fn, int(takes_params)
        asking = (node for graph in program.graphs for node in graph.walk() if needs_data(node))
        node = next(asking, None)
        self.reason = "" if node is None else f"{node.op.name} needs data, and jax.jit traces without any"
        self._compiled = jax.jit(self._traced)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.reason:
            return self.fn(*args, **kwargs)
        try:
            given = Packed.of((args[self._first :], kwargs), _CHOICES)
        except _Other:
            return self.fn(*args, **kwargs)
        try:
            return self._compiled(args[: self._first], given).tree()
        except Exception as error:  # whatever JAX raises as it traces; the author's own errors come again below
            reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        found = self.fn(*args, **kwargs)
        self.reason = reason
        return found

    def _traced(self, params: tuple, given: Packed) -> Packed:
        args, kwargs = given.tree()
        return Packed.of(self.fn(*params, *args, **kwargs), _GIVEN)


class _Other(Exception):
    """A leaf that is neither an array nor of the kinds that are taken."""


class _Leaf(NamedTuple):
    kind: type  # or 1 == 1.0 == True
    value: Any


class _Node(NamedTuple):
    made_by: Any
    keys: tuple | None
    items: tuple


@jax.tree_util.register_pytree_node_class
class Packed:
    """A tree as its arrays, which JAX traces, and the rest, by which it compiles anew. Dictionaries keep their order of keys, which
    they lose in JAX's own trees."""

    def __init__(self, shape: Any, arrays: tuple) -> None:
        self.shape, self.arrays = shape, arrays

    @classmethod
    def of(cls, tree: Any, kinds: tuple[type, ...]) -> Packed:
        """Raises _Other where a leaf is neither an array nor of these kinds."""
        arrays: list[Any] = []
        return cls(_shape(tree, arrays, kinds), tuple(arrays))

    def tree(self) -> Any:
        """The tree that it was made of."""
        return _tree(self.shape, iter(self.arrays))

    def tree_flatten(self) -> tuple[tuple, Any]:
        return self.arrays, self.shape

    @classmethod
    def tree_unflatten(cls, shape: Any, arrays: tuple) -> Packed:
        return cls(shape, arrays)


def _shape(x: Any, arrays: list[Any], kinds: tuple[type, ...]) -> Any:
    if isinstance(x, (jax.Array, np.ndarray)):
        arrays.append(x)
        return None
    if type(x) is dict:
        return _Node(dict, tuple(x), tuple(_shape(item, arrays, kinds) for item in x.values()))
    if type(x) in (tuple, list):
        return _Node(type(x), None, tuple(_shape(item, arrays, kinds) for item in x))
    if isinstance(x, kinds):
        return _Leaf(type(x), x)
    items, structure = jax.tree.flatten(x)
    if jax.tree_util.treedef_is_leaf(structure):
        raise _Other
    return _Node(structure, None, tuple(_shape(item, arrays, kinds) for item in items))


def _tree(shape: Any, arrays: Iterator[Any]) -> Any:
    if shape is None:
        return next(arrays)
    if type(shape) is _Leaf:
        return shape.value
    items = [_tree(item, arrays) for item in shape.items]
    if shape.made_by is dict:
        return dict(zip(shape.keys, items, strict=True))
    return shape.made_by(items) if isinstance(shape.made_by, type) else jax.tree.unflatten(shape.made_by, items)
