"""Open sizes: ours, and the symbolic dimensions of JAX (jax.export), which say the same in text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from gfx_ir import host
from gfx_ir.errors import CaptureError
from gfx_ir.host import Dim, DimLike

Way = Mapping[str, Callable[[Any, Any], Any]]
TYPES: Way = {
    "add": host.add, "mul": host.mul, "floordiv": host.floordiv, "mod": host.mod,
    "max": lambda a, b: host.extremum("max", a, b), "min": lambda a, b: host.extremum("min", a, b),
}  # fmt: skip
"""How sizes of types are computed."""
VALUES: Way = {
    "add": operator.add, "mul": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod, "max": max, "min": min,
}  # fmt: skip
"""How numbers are computed."""


def is_open(dim: Any) -> bool:
    """Whether a size of JAX is symbolic."""
    return jax.export.is_symbolic_dim(dim)


def symbolic(dims: Sequence[DimLike | None], scope: Any) -> tuple:
    """Sizes as JAX's. Raises CaptureError for one that is no name and no number."""
    if any(not isinstance(dim, (int, Dim)) for dim in dims):
        raise CaptureError(
            f"GFX cannot capture this: JAX's own tracer gets an array of the shape ({', '.join(map(str, dims))})",
            hint="give the capture arguments of fixed shape",
        )
    return tuple(jax.export.symbolic_shape(f"{', '.join(map(str, dims))},", scope=scope)) if dims else ()


def sized(dim: Any, names: Mapping[str, Any] | None = None, way: Way = VALUES) -> Any:
    """A size of JAX's, computed from what its names stand for: sizes of types, where they are not told."""
    return _sized(ast.parse(str(dim).replace("^", "**"), mode="eval").body, names, way) if is_open(dim) else dim


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
    if isinstance(node, ast.BinOp) and type(node.op) in (ast.Add, ast.Sub, ast.Mult):
        left, right = again(node.left), again(node.right)
        if isinstance(node.op, ast.Sub):
            right = way["mul"](right, -1)
        return way["mul" if isinstance(node.op, ast.Mult) else "add"](left, right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
        found = base = again(node.left)
        for _ in range(int(str(node.right.value)) - 1):
            found = way["mul"](found, base)
        return found
    raise CaptureError(f"GFX cannot capture this: it does not know JAX's size {ast.unparse(node)}")
