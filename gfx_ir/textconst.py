"""Reads what stands inside of a statement of the text form: trees, constants, dims, types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from . import host
from .described import Described
from .dtypes import DTYPES
from .errors import FormatError
from .host import Dim, DimLike
from .op import HOST_KINDS
from .source import Span
from .types import LogicalTensor, layout_of

KINDS = frozenset((*HOST_KINDS, "tensor"))
_SHORT = {d.short: d for d in DTYPES.values()}
_NAMES: dict[str, Any] = {**DTYPES, "inf": float("inf"), "nan": float("nan")}
_SIZES: dict[type, Callable[[DimLike, DimLike], DimLike]] = {
    ast.Add: host.add,
    ast.Sub: host.sub,
    ast.Mult: host.mul,
    ast.FloorDiv: host.floordiv,
    ast.Mod: host.mod,
}


def fail(at: ast.AST, what: str, hint: str = "") -> NoReturn:
    """Raise FormatError at the line of `at`."""
    raise FormatError(what, Span("<text>", getattr(at, "lineno", 0)), hint)


def called(node: ast.AST) -> str:
    """The name that a call calls, "" for anything else."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


class Constants:
    """Reads trees; `dims` holds the declared Dims by the name they have in the text."""

    def __init__(self) -> None:
        self.dims: dict[str, Dim] = {}

    def tree(self, node: ast.expr | None, names: Mapping[str, Any]) -> Any:
        """A tree of constants and of the values that `names` holds."""
        match node:
            case None:
                return None
            case ast.Constant(value=value) if not isinstance(value, (bytes, complex)):
                return value
            case ast.Name(id=name):
                if name in names:
                    return names[name]
                if name in _NAMES:
                    return _NAMES[name]
                fail(node, f"{name!r} is not defined here", "a name is defined above its use, in the same function")
            case ast.Tuple(elts=items):
                return tuple([self.tree(item, names) for item in items])
            case ast.List(elts=items):
                return [self.tree(item, names) for item in items]
            case ast.Dict(keys=keys, values=values) if None not in keys:
                return {self._key(key, names): self.tree(value, names) for key, value in zip(keys, values)}
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(self.tree(lower, names), self.tree(upper, names), self.tree(step, names))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self.tree(operand, names)
                if type(value) in (int, float):
                    return -value
            case ast.Subscript():
                return self.logical(node)
            case ast.Call(args=args, keywords=[]):
                return self._call(node, args, names)
        fail(node, f"`{_short(node)}` is no constant of a graph")

    def _key(self, node: ast.expr | None, names: Mapping[str, Any]) -> Any:
        key = self.tree(node, {})
        if isinstance(key, (list, dict)):
            fail(node or ast.Pass(), "a list or dictionary cannot be a key")
        return key

    def _call(self, node: ast.Call, args: list[ast.expr], names: Mapping[str, Any]) -> Any:
        name, count = called(node), len(args)
        if name == "dim" and count == 1:
            return self.size(args[0])
        if name == "slice" and count in (2, 3):
            return slice(*[self.tree(arg, names) for arg in args])
        if name == "logical":
            return self.logical(node)
        if name == "complex" and count == 2:
            parts = [self.tree(arg, {}) for arg in args]
            if all(type(part) is float for part in parts):
                return complex(*parts)
        if name == "described" and count == 2:
            text, whole = (self.tree(arg, {}) for arg in args)
            if type(text) is str and type(whole) is bool:
                return Described(text, whole)
        if name in ("opaque", "undefined"):
            fail(node, f"`{_short(node)}` stands for something that text cannot hold")
        fail(node, f"`{_short(node)}` is no constant of a graph")

    # ------------------------------------------------------------------ sizes and types
    def size(self, node: ast.expr) -> DimLike:
        """A size expression."""
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return value
            case ast.Name(id=name):
                return self.dims.get(name) or Dim(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIZES:
                return _SIZES[type(op)](self.size(left), self.size(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return host.mul(-1, self.size(operand))
            case ast.Call(func=ast.Name(id="max" | "min" as fn), args=[a, b], keywords=[]):
                return host.extremum(fn, self.size(a), self.size(b))
        fail(node, f"`{_short(node)}` is no size")

    def logical(self, node: ast.expr) -> LogicalTensor:
        """The type of a tensor."""
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=inside):
                weak, name = name.startswith("weak_"), name.removeprefix("weak_")
                if name != "tensor" and name not in _SHORT:
                    fail(node, f"{name!r} is no element type", f"there are: tensor, {', '.join(_SHORT)}")
                return LogicalTensor(_SHORT.get(name), self._dims(inside), weak=weak)
            case ast.Call(func=ast.Name(id="logical"), args=[inner, strides, layout, id_], keywords=[]):
                found = (self.tree(strides, {}), self.tree(layout, {}), self.tree(id_, {}))
                if not _fits(*found):
                    fail(node, f"`{_short(node)}` is no tensor type")
                return self.logical(inner).with_(strides=found[0], layout=layout_of(found[1]), id=found[2])
        fail(node, f"`{_short(node)}` is no tensor type")

    def _dims(self, inside: ast.expr) -> tuple[DimLike | None, ...] | None:
        if isinstance(inside, ast.Constant) and inside.value is ...:
            return None
        items = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        return tuple(None if isinstance(i, ast.Name) and i.id == "_" else self.size(i) for i in items)

    def annotation(self, node: ast.expr) -> tuple[str, Any]:
        """(kind, type) of what stands behind a colon."""
        if isinstance(node, ast.Subscript) or called(node) == "logical":
            return "tensor", self.logical(node)
        kind = node.id if isinstance(node, ast.Name) else called(node)
        if kind not in KINDS:
            fail(node, f"`{_short(node)}` is no type of a value", f"kinds: {', '.join(sorted(KINDS))}")
        if isinstance(node, ast.Name):
            return kind, None
        assert isinstance(node, ast.Call)
        if len(node.args) != 1 or node.keywords:
            fail(node, f"`{_short(node)}` is no type of a value")
        return kind, self.tree(node.args[0], {})

    def dim(self, node: ast.Call) -> Dim:
        """`Dim('B', min=1, max=8)`."""
        limits = {k.arg: self.tree(k.value, {}) for k in node.keywords}
        name = self.tree(node.args[0], {}) if len(node.args) == 1 else None
        good = set(limits) <= {"min", "max"} and all(type(v) is int for v in limits.values())
        if called(node) != "Dim" or not good or not isinstance(name, str):
            fail(node, f"`{_short(node)}` declares no dim", "write Dim('B', min=1, max=8)")
        return Dim(name, limits.get("min", 0), limits.get("max"))


def _fits(strides: Any, layout: Any, id_: Any) -> bool:
    plain = strides is None or (type(strides) is tuple and all(s is None or type(s) is int for s in strides))
    return plain and layout_of(layout) is not None and (id_ is None or type(id_) is int)


def _short(node: ast.AST | None) -> str:
    text = ast.unparse(node) if node is not None else ""
    return text if len(text) <= 60 else text[:57] + "..."


def parse_type(text: str) -> LogicalTensor:
    """The LogicalTensor written as in the text form: `f32[3, B, _]`."""
    try:
        return Constants().logical(ast.parse(text, mode="eval").body)
    except SyntaxError:
        raise FormatError(f"{text!r} is no tensor type") from None
