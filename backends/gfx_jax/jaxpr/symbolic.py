"""Open sizes: ours, and the symbolic dimensions of JAX (jax.export), which say the same in text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax

from gfx_ir import host
from gfx_ir.errors import CaptureError
from gfx_ir.host import Dim, DimLike

from ..recorded.names import compared

Way = Mapping[str, Callable[[Any, Any], Any]]
TYPES: Way = {
    "add": host.add, "sub": host.sub, "mul": host.mul, "floordiv": host.floordiv, "mod": host.mod,
    "max": lambda a, b: host.extremum("max", a, b), "min": lambda a, b: host.extremum("min", a, b),
}  # fmt: skip
"""How sizes of types are computed."""
VALUES: Way = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod, "max": max, "min": min,
}  # fmt: skip
"""How numbers are computed."""
_SIGNS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}


class OpenSizes(jax.export.SymbolicScope):
    """The names of open sizes that one staging takes, and what is known of them: JAX decides by these bounds."""

    def __init__(self, dims: Iterable[DimLike | None]) -> None:
        self.named = {atom.name: atom for dim in dims if dim is not None for atom in host.atoms(dim)}
        below = [f"{dim} <= {dim.max}" for dim in self.named.values() if dim.max is not None]
        super().__init__([*below, *(f"{dim} >= {dim.min}" for dim in self.named.values() if dim.min > 1)])

    def limits(self) -> dict[str, set[int]]:
        """The numbers that code has compared open sizes with, by the names of these: 32, where JAX has asked for the sign of T - 32."""
        found: dict[str, set[int]] = {}
        for dim in compared(self):
            names = {node.id for node in ast.walk(_parsed(dim)) if isinstance(node, ast.Name)} & self.named.keys()
            for name in names if len(names) == 1 else ():
                first, second, third = (sized(dim, {name: at}) for at in (1, 2, 3))
                limit = 1 - first * (second - first)
                if second - first == third - second in (1, -1) and limit > 1:
                    found.setdefault(name, set()).add(limit)
        return found


def is_open(dim: Any) -> bool:
    """Whether a size of JAX is symbolic."""
    return jax.export.is_symbolic_dim(dim)


def symbolic(dims: Sequence[DimLike | None], scope: OpenSizes) -> tuple:
    """Sizes as JAX's. Raises CaptureError for one that is no name and no number."""
    if any(not isinstance(dim, (int, Dim)) for dim in dims):
        raise CaptureError(
            f"GFX cannot capture this: JAX's own tracer gets an array of the shape ({', '.join(map(str, dims))})",
            hint="give the capture arguments of fixed shape",
        )
    return tuple(jax.export.symbolic_shape(f"{', '.join(map(str, dims))},", scope=scope)) if dims else ()


def dim_of(dim: Any) -> DimLike:
    """A size of JAX's as one of types, with the bounds that its names have."""
    named = dim.scope.named if is_open(dim) and isinstance(dim.scope, OpenSizes) else None
    return sized(dim, named, TYPES)


def sized(dim: Any, names: Mapping[str, Any] | None = None, way: Way = VALUES) -> Any:
    """A size of JAX's, computed from what its names stand for: sizes of types, where they are not told."""
    return _sized(_parsed(dim), names, way) if is_open(dim) else dim


def _parsed(dim: Any) -> ast.expr:
    return ast.parse(str(dim).replace("^", "**"), mode="eval").body


def _sized(node: ast.expr, names: Mapping[str, Any] | None, way: Way) -> Any:
    again = lambda inner: _sized(inner, names, way)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if names is not None and node.id not in names:
            raise CaptureError(f"GFX cannot capture this: no argument has the size {node.id!r} by itself")
        return Dim(node.id) if names is None else names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return way["mul"](again(node.operand), -1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in way and len(node.args) == 2:
        return way[node.func.id](*map(again, node.args))
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return way[_SIGNS[type(node.op)]](again(node.left), again(node.right))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
        found = base = again(node.left)
        for _ in range(int(str(node.right.value)) - 1):
            found = way["mul"](found, base)
        return found
    raise CaptureError(f"GFX cannot capture this: it does not know JAX's size {ast.unparse(node)}")
