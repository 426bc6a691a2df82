"""Methods of captured tensors, before they are called."""

from __future__ import annotations

from typing import Any

from gfx_ir.backend import Backend, Lift
from gfx_ir.op import active


class BoundLift:
    """A method of a Proxy, before it is called."""

    __slots__ = ("owner", "lift")

    def __init__(self, owner: Any, lift: Lift) -> None:
        self.owner, self.lift = owner, lift

    @property
    def __name__(self) -> str:
        return self.lift.name.rpartition(".")[2]

    @property
    def function(self) -> Any:
        """The framework's own function; None where its tensors have no method of that name."""
        found = own_attribute(self.owner.backend, self.__name__)
        return found if callable(found) else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return active.builder.calls.call(self, args, kwargs)


def own_attribute(backend: Backend | None, name: str) -> Any:
    """What the framework's tensors have under a name; None where they have nothing."""
    types = () if backend is None else backend.tensor_types
    return next((getattr(cls, name) for cls in types if hasattr(cls, name)), None)
