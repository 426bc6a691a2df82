"""A case of the zoo: a model, where it comes from, and its inputs at a size."""

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Case:
    """`make()` gives an nn.Module or a JaxModel, `inputs(batch, length)` its arguments, by name or (of JAX's) in order. `types`: what
    PyTorch's is captured for by name, if not for every size."""

    library: str
    make: Callable[[], Any]
    inputs: Callable[[int, int], Any]
    types: Any = None


@dataclasses.dataclass(frozen=True)
class JaxModel:
    """A model of one of JAX's libraries: what `gfx.transpile` takes, with which options, and the same as a pure function
    `call(params, *args)`."""

    target: Any
    options: dict[str, Any]
    params: Any
    call: Callable[..., Any]
