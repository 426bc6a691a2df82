"""Interface of a loop that is being staged: what it carries, as those ask who settle it and make its node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gfx_ir.graph import Value

from ..heap.journal import Slot
from ..interfaces import Capturing
from .carried import Carried
from .carried_aliases import CarriedAliases
from .carried_containers import CarriedContainers
from .carried_lists import CarriedList
from .sides import Side


class Carrying(Protocol):
    """What a loop carries from trip to trip; `Carries` says what each attribute is."""

    tracer: Capturing
    names: tuple[str, ...]
    span: Any
    loop: object
    before: tuple
    entry: list[Any]
    entered: tuple
    after: tuple
    behind: dict[str, Any]
    inner: frozenset[str]
    returned: tuple[str, ...]
    slots: list[Carried]
    leaves: dict[tuple, Carried]
    dropped: set[tuple]
    kept: set[tuple]
    flat: set[tuple]
    copies: set[int]
    containers: CarriedContainers
    through: dict[tuple, Any]
    growing: dict[tuple, tuple[Slot, list[Any]]]
    appended: dict[tuple, tuple[Slot, list[Any]]]
    listed: set[tuple]
    append_items: list[Value]
    aliases: CarriedAliases | None
    host: bool
    runs: bool
    peels: bool
    may_peel: bool
    open_length: bool
    source: Any
    ran: Any

    def add(self, path: tuple, carried: Carried) -> None:
        """Carry a leaf."""

    def plan(self, name: str, value: Any, path: tuple) -> None:
        """Plan what a variable holds as carried leaves."""

    def carry_list(self, carried: CarriedList, path: tuple) -> None:
        """Carry a list as one value."""

    def replan(self) -> None:
        """Plan what all variables hold."""

    def drop(self, path: tuple) -> None: ...
    def read(self, out: Any, final: bool = False) -> Any: ...

    def exit_position(self, flag: Any) -> int | None:
        """Where the flag that ends the loop stands."""

    def close_body(self, side: Side, flag: Any, exit_: int | None) -> list[Any]:
        """End the body with what it hands on; what is stacked."""

    def initial(self) -> tuple:
        """What is carried at first."""

    def kinds(self) -> tuple[str, ...]:
        """The kinds of what is carried."""

    def kinds_of_rows(self) -> tuple[str, ...]:
        """The kinds of what the trips append: tensors of rows, or lists."""

    def finish(self, values: tuple, stacked: Sequence[Any] = ..., ys: Sequence[Value] = ...) -> None:
        """Hand on what the loop gives."""
