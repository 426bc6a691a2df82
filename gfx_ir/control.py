"""Control row of an op: what it means where an interpreter, and no backend's row, runs it.

Ops that hold regions, call graphs, act on the world or ask what only the run knows have one, as `OpDef.control`. It says
the same thing in three domains (data, types, costs), how regions are fed, and what a well-formed node is. A row stands
below the graph: `node` is the Node, a region its Graph, `program` a Program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Fail = Callable[..., Any]
"""fail(what, hint="") raises VerifyError, which names the node."""


class Control:
    """The row. Subclasses give `run`, `infer` and `cost`; those with regions `feeds`, `gives` and `carried`, too."""

    # ------------------------------------------------------------------ how regions are fed
    def feeds(self, node: Any) -> tuple[tuple[Any, ...] | None, ...]:
        """For each region the leaves that its placeholders stand for at first (None: it is fed by what is not an argument)."""
        return ()

    def gives(self, node: Any) -> tuple[int | None, ...]:
        """For each region the number of its results; None: one truth value."""
        return ()

    def carried(self, node: Any) -> range:
        """The placeholders of every region that a trip's first results feed in the next trip."""
        return range(0)

    def taken(self, node: Any) -> Any:
        """The region that runs, once, instead of the node, where its arguments decide that."""
        return None

    # ------------------------------------------------------------------ three domains
    def run(self, machine: Any, node: Any, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        """Data of its values. `machine` is an Interpreter, `args` the data of the arguments, `prefix` that of parameters."""
        raise NotImplementedError

    def infer(self, walk: Any, node: Any, args: tuple, site: Any) -> tuple:
        """Types of its values. `walk` is a Walk, `args` the types of the arguments, `site` what is known around the node."""
        raise NotImplementedError

    def cost(self, counter: Any, node: Any, site: Any) -> Any:
        """The Estimate of one run. `site` has the types of the values around it."""
        raise NotImplementedError

    # ------------------------------------------------------------------ form
    def verify(self, node: Any, fail: Fail, program: Any) -> None:
        """Call `fail` where the node is not well formed; `program` (None: unknown) has the functions."""

    # ------------------------------------------------------------------ one node alone
    def eval(self, node: Any, args: tuple, program: Any, prefix: str) -> Any:
        """What the node gives on the reference: a value, or the tuple of several."""
        raise NotImplementedError

    def types(self, node: Any, promotion: str, program: Any, prefix: str) -> tuple:
        """Types of its values, from those of its inputs."""
        raise NotImplementedError

    def estimate(self, node: Any, promotion: str, program: Any, prefix: str) -> Any:
        """Its Estimate, from the types of its inputs."""
        raise NotImplementedError
