"""Open sizes: ours, and the symbolic dimensions of JAX (jax.export), which say the same in text."""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax

from gfx_ir import host
from gfx_ir.bound import Bound
from gfx_ir.errors import CaptureError
from gfx_ir.host import Dim, DimLike, Expr

from ..recorded.names import compared
from .divisions import steps

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
_JAX: Way = {**VALUES, "max": jax.core.max_dim, "min": jax.core.min_dim}
"""How sizes of JAX's own are computed."""
_SIGNS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod"}


class OpenSizes(jax.export.SymbolicScope):
    """The open sizes that one staging takes, and what is known of them: JAX decides by these bounds. `named`: what JAX's names stand for,
    the Dims that these sizes tell, and sizes that are computed of others."""

    def __init__(self, dims: Iterable[DimLike | None]) -> None:
        sizes = {_not_empty(dim): dim for dim in dims if isinstance(dim, (Dim, Expr))}
        atoms = {dim.name: dim for size in sizes.values() for dim in host.atoms(size)}
        told = {alone[0].name for size in sizes if (alone := _alone(size)) is not None}
        self.named: dict[str, DimLike] = {name: dim for name, dim in atoms.items() if name in told}
        spare: dict[DimLike, int] = {}  # how much larger than a size its name is: to JAX no name is 0
        for least, size in sizes.items():
            names = dict.fromkeys(dim.name for dim in host.atoms(least))
            if not told.issuperset(names):
                fresh = (f"{'_'.join(names)}_{number}" for number in itertools.count(1))
                spare[least] = 0 if (host.bounds(least)[0] or 0) > 0 else 1
                name = next(name for name in fresh if name not in atoms.keys() | self.named.keys())
                self.named[name] = host.add(size, spare[least])
        bounds = [(name, *host.bounds(size)) for name, size in self.named.items()]
        below = [f"{name} <= {high}" for name, _, high in bounds if high is not None]
        super().__init__([*below, *(f"{name} >= {low}" for name, low, _ in bounds if low is not None and low > 1)])
        own = jax.export.symbolic_shape(f"{', '.join(self.named)},", scope=self) if self.named else ()
        self._by_name = dict(zip(self.named, own))
        named = {_not_empty(size): self._by_name[name] for name, size in self.named.items()}
        self._own = named | {least: named[host.add(least, more)] - more for least, more in spare.items()}

    def own(self, size: DimLike) -> Any:
        """A size as JAX's."""
        size = _not_empty(size)
        if size not in self._own:
            self._own[size] = size if isinstance(size, int) else _sized(_parsed(size), self._by_name, _JAX)
        return self._own[size]

    def part(self) -> Any:
        """A size of its own: of a slice, of which nothing is known."""
        name = next(name for at in itertools.count(1) if (name := f"part_{at}") not in self.named)
        self.named[name] = Dim(name, min=1)
        (self._by_name[name],) = jax.export.symbolic_shape(f"{name},", scope=self)
        return self._by_name[name]

    def takes(self, dims: Iterable[DimLike | None]) -> bool:
        """Whether these are its own, and tell the names of it that they are computed of."""
        sizes = [self._own.get(_not_empty(dim)) for dim in dims if isinstance(dim, (Dim, Expr))]
        if None in sizes:
            return False
        told = {found[0] for found in map(told_by, sizes) if found is not None}
        return all(names_of(size) <= told for size in sizes)

    def within(self, refusal: str) -> dict[str, set[Bound]]:
        """How far open sizes may be open, by their names: to or from the numbers that code has compared them with, as 32 where JAX has
        asked for the sign of T - 32, where the refusal compares one alone, or has min(T, 32); and where they are multiples of what they are
        divided by."""
        spoken = [refusal] if "comparison" in refusal else re.findall(r"(?:min|max)\(\w+, \w+\)", refusal)
        told = [self.named.keys() & set(re.findall(r"\w+", part)) for part in spoken]
        refused = {name for few in told if len(few) == 1 for name in few}
        found: dict[str, set[Bound]] = {}
        parts: dict[str, int] = {}
        for dim in compared(self):
            names = names_of(dim)
            for name in names if len(names) == 1 else ():
                first, second, third = (sized(dim, {name: at}) for at in (1, 2, 3))
                limit = 1 - first * (second - first)
                if second - first == third - second in (1, -1) and limit > 1 and name in refused:
                    ends = (end for at in (limit, limit + 1) for end in (Bound(least=at), Bound(most=at - 1)))
                    found.setdefault(name, set()).update(ends)
            for name, step in steps_of(dim).items():
                parts[name] = max(parts.get(name, 1), step)
        for name, step in parts.items():
            found.setdefault(name, set()).add(Bound(step=step))
        return found


def steps_of(dim: Any) -> dict[str, int]:
    """What each name in a size of JAX's is divided by, in all."""
    return steps(_parsed(dim))


def names_of(dim: Any) -> set[str]:
    """The names of open sizes in a size of JAX's."""
    known = dim.scope.named.keys() if isinstance(dim.scope, OpenSizes) else set()
    return {inner.id for inner in ast.walk(_parsed(dim)) if isinstance(inner, ast.Name)} & known


def bounds_of(dim: Any) -> tuple[int | None, int | None] | None:
    """Smallest and largest value of a size that has the larger or smaller of others in it, by the bounds of its names; None for others, of
    which JAX knows more: it follows both sides of each, and takes exponentially long where a size went through several, as those of
    strided convolutions do."""
    return host.bounds(dim_of(dim)) if any(f"{name}(" in str(dim) for name in ("max", "min")) else None


def is_open(dim: Any) -> bool:
    """Whether a size of JAX is symbolic."""
    return jax.export.is_symbolic_dim(dim)


def symbolic(dims: Sequence[DimLike | None], scope: OpenSizes) -> tuple:
    """Sizes as JAX's. Raises CaptureError for one that is not known."""
    if None in dims:
        raise CaptureError(
            f"GFX cannot capture this: JAX's own tracer gets an array of the shape ({', '.join(map(str, dims))})",
            hint="give the capture arguments of fixed shape",
        )
    return tuple([scope.own(dim) for dim in dims if dim is not None])


def told_by(dim: Any) -> tuple[str, Callable[[Any], Any]] | None:
    """The name of JAX's that an axis of a size tells, and what it stands for, of the size; None: it tells none."""
    found = _alone(sized(dim, None, TYPES))
    if found is None:
        return None
    named, factor, rest = found
    own = lambda size: size - rest if rest else size
    return named.name, lambda size: own(size) // factor if factor != 1 else own(size)


def _not_empty(size: Any) -> Any:
    """A size as JAX takes it, to whom no open one is 0: there max(n - 1, 0) is n - 1."""
    if isinstance(size, int):
        return size
    return host.substituted(size, {dim: Dim(dim.name, max(dim.min, 1), dim.max) for dim in host.atoms(size)})


def _alone(size: DimLike) -> tuple[Dim, int, int] | None:
    """The one Dim of a size that is told by it, as of 4 * T + 1, the factor and the number."""
    dims = set(host.atoms(size))
    return host.linear(size, dims.pop()) if len(dims) == 1 else None  # type: ignore[return-value]  # of one Dim the rest is a number


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
