"""What the rules of primitives ask of the replay of a jaxpr, and the numbers that stand in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from gfx_ir.dtypes import number_of
from gfx_ir.several_keys import Keys


class Number(NamedTuple):
    """A number that stands in a jaxpr, and its dtype."""

    value: Any
    dtype: Any

    @classmethod
    def of(cls, data: Any) -> Number:
        """The number that a 0-d array holds, with no more digits than its dtype can tell apart."""
        data = np.asarray(data)
        return cls(number_of(data), data.dtype)

    def array(self) -> jax.Array:
        """It as an array of its dtype."""
        return jnp.asarray(self.value, self.dtype)


def mapped(fn: Callable[[Any], Any], tree: Any) -> Any:
    """A tree of dictionaries, tuples (named ones, too), lists and slices, with what fn makes of each leaf; several keys are none."""
    if isinstance(tree, Keys):
        return tree
    if isinstance(tree, dict):
        return {name: mapped(fn, item) for name, item in tree.items()}
    if isinstance(tree, (tuple, list)):
        items = [mapped(fn, item) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    if isinstance(tree, slice):
        return slice(mapped(fn, tree.start), mapped(fn, tree.stop), mapped(fn, tree.step))
    return fn(tree)


class Replaying(Protocol):
    """A jaxpr that is read: what its variables stand for, and how calls are made; `deriving`: which functions' own derivatives."""

    deriving: list[str]

    @property
    def narrow(self) -> dict[Any, Any]:
        """What a variable was broadcast from, in a shape that broadcasts to its own."""

    def call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any: ...
    def attempt(self, work: Callable[[], Any]) -> Any: ...
    def sized(self, tree: Any) -> Any: ...
    def run(self, closed: Any, args: Sequence[Any]) -> list[Any]: ...
    def body(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]: ...
    def inside(self, jaxpr: Any, consts: Sequence[Any], invars: Sequence[Any], outvars: Sequence[Any]) -> list[Any]: ...
    def read(self, var: Any) -> Any: ...
    def narrowed(self, var: Any) -> Any: ...
    def value(self, var: Any) -> Any: ...
    def number(self, var: Any) -> Number | None: ...
    def origin(self, var: Any, *names: str) -> Any: ...
