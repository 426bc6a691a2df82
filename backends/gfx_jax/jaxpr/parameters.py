"""The parameters of an equation: each is read by the rule that replays it, or is known to leave the values as they are."""

from __future__ import annotations

from typing import Any

from gfx_ir.errors import MissingOp

# Where arrays lie, how fast they are computed, and what another parameter or an argument says as well.
_SILENT = frozenset(
    "accuracy copy_semantics devices enable_eigvec_derivs indices_are_sorted input_dtype operand out_sharding sharding srcs "
    "unique_indices update_consts update_jaxpr weak_type".split()
)


class Parameters(dict):
    """Parameters by name, which notes the names that a rule reads."""

    def __init__(self, params: dict) -> None:
        super().__init__(params)
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The parameter, or what stands where there is none."""
        self.seen.add(name)
        return super().get(name, default)

    def settle(self, primitive: str) -> None:
        """Raises MissingOp where the rule passed over a parameter that asks for something."""
        for name, value in self.items():
            if (
                name not in self.seen
                and name not in _SILENT
                and value is not None
                and value is not False
                and value != ()
            ):
                raise MissingOp(
                    f"GFX cannot replay JAX's primitive {primitive!r} with {name}={value!r}, which the function comes to",
                    hint="compute it outside of the function that JAX transforms",
                )
