"""What makes a framework's record again as a graph: the calls of functions, and the calls of the author's that these stand in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Protocol

from .host import DimLike
from .types import LogicalTensor


@dataclass(frozen=True)
class Called:
    """A call of a module or function that was entered: see `source.Scope`. `given`: (name, value) pairs; `code`: the function's, of
    these global names."""

    name: str
    kind: str
    path: str
    key: object
    given: Sequence[tuple[str, Any]]
    code: CodeType
    names: dict[str, Any]
    doc: str = ""


class Making(Protocol):
    """The graph that is being made of a record."""

    def call(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a public function of the framework."""

    def constant(self, x: Any) -> Any:
        """What stands for an array that the record holds."""

    def attempt(self, work: Callable[[], Any]) -> Any:
        """What work() gives; where it raises, what it made is taken back first. Raises MissingOp for calls without a row."""

    def entered(self, call: Called) -> AbstractContextManager[Any]:
        """Inside, what is made belongs to a call."""

    def at(self, lasti: int) -> None:
        """Say which instruction of the function that was entered last is made again now."""

    def path(self, x: Any) -> str:
        """The path of the parameter that x is; "" for any other."""

    def type_of(self, x: Any) -> LogicalTensor | None:
        """What is known of the type of x; None where it is no tensor."""

    def named(self, x: Any, name: str) -> None:
        """Say what the author calls x, where nothing else did."""


@dataclass
class Stagings:
    """What one capture keeps of those of a framework's own tracer: the open `sizes` of its arguments, and what the framework `made` of
    such, which functions that came of one know: what jax.linearize gives takes arrays of these sizes alone. `derive`: whether gradients
    come in as what they compute, not as calls."""

    derive: bool = False
    sizes: list[DimLike | None] = field(default_factory=list)
    made: list[Any] = field(default_factory=list)


Replayed = Callable[[Making, Sequence[Any]], Any]
"""A record, made again with these values in the places of what the function was given; its result."""
