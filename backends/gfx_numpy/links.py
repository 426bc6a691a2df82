"""Links: a spelling of NumPy's as calls of ufuncs, one after the other, where it is made of such alone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.graph import Node, Value
from gfx_ir.types import LogicalTensor

_OPERATORS: Mapping[type, np.ufunc] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder, ast.Pow: np.power, ast.MatMult: np.matmul, ast.BitAnd: np.bitwise_and, ast.BitOr: np.bitwise_or,
    ast.BitXor: np.bitwise_xor, ast.LShift: np.left_shift, ast.RShift: np.right_shift, ast.USub: np.negative,
    ast.Invert: np.invert, ast.UAdd: np.positive, ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.Lt: np.less,
    ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
}  # fmt: skip
"""What Python's operators call on arrays."""


def where(condition: Any, x1: Any, x2: Any, out: np.ndarray | None = None) -> np.ndarray:
    """np.where that writes into `out`."""
    if out is None:
        return np.where(condition, x1, x2)
    np.copyto(out, x2)
    np.copyto(out, x1, where=condition)
    return out


_WRITING: Mapping[str, Callable[..., Any]] = {"where": where}
"""Functions of NumPy's that are no ufuncs, as such."""


@dataclass(frozen=True)
class Operand:
    """What a call takes: an argument of the node by its position, what an earlier link gave, or a constant."""

    argument: int = -1
    link: int = -1
    constant: Any = None


@dataclass(frozen=True)
class Link:
    """One call, and the dtype that it gives. `whole`: it is no function of elements (a product of matrices)."""

    call: Callable[..., Any]
    operands: tuple[Operand, ...]
    dtype: np.dtype
    whole: bool = False


def links(node: Node, backend: Backend) -> list[Link] | None:
    """The calls of a node whose types are known; None where its spelling is made of other things, or gives another dtype."""
    template, value = backend.templates.get(node.op.name), node.values[0] if len(node.values) == 1 else None
    if template is None or value is None or node.op.control is not None or node.waits:
        return None
    if node.in_place and node.args[0].type != value.type:  # what is written over something has its shape and dtype
        return None
    if not all(map(_plain, (*node.args, value))) or not template.spells(node.args):
        return None
    found: list[Link] = []
    reader = _Reader(node, found)
    last = reader.operand(template.tree(node.args))
    if last is None or last.link != len(found) - 1 or not found or found[-1].dtype != value.type.dtype.numpy:
        return None
    return found


def _plain(leaf: Any) -> bool:
    """A tensor of known type, or a constant."""
    if type(leaf) is not Value:
        return True
    return leaf.is_tensor and isinstance(leaf.type, LogicalTensor) and leaf.type.known and not leaf.type.weak


class _Reader:
    def __init__(self, node: Node, found: list[Link]) -> None:
        self.node, self.found = node, found

    def operand(self, tree: ast.expr) -> Operand | None:
        if isinstance(tree, ast.Name):
            at = self.node.op.params.index(tree.id) if tree.id in self.node.op.params else -1
            leaf = self.node.args[at] if at >= 0 else None
            if type(leaf) is Value:
                return Operand(argument=at)
            return Operand(constant=leaf) if type(leaf) in (bool, int, float) else None
        if isinstance(tree, ast.Constant) and type(tree.value) in (bool, int, float):
            return Operand(constant=tree.value)
        if isinstance(tree, ast.BinOp):
            return self.call(_OPERATORS.get(type(tree.op)), [tree.left, tree.right])
        if isinstance(tree, ast.UnaryOp):
            return self.call(_OPERATORS.get(type(tree.op)), [tree.operand])
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
            return self.call(_OPERATORS.get(type(tree.ops[0])), [tree.left, tree.comparators[0]])
        if isinstance(tree, ast.Call) and not tree.keywords and isinstance(tree.func, ast.Attribute):
            name = tree.func.attr if ast.unparse(tree.func.value) == "np" else ""
            return self.call(_WRITING.get(name) or getattr(np, name, None), tree.args)
        return None

    def call(self, function: Any, args: list[ast.expr]) -> Operand | None:
        """One more link; None where it cannot be one."""
        ufunc = isinstance(function, np.ufunc) and function.nout == 1
        if not ufunc and function not in _WRITING.values():
            return None
        operands = [self.operand(arg) for arg in args]
        if None in operands or all(one is not None and one.argument < 0 and one.link < 0 for one in operands):
            return None
        given: list[Operand] = [one for one in operands if one is not None]
        dtype = self.gives(function, [self.kind(one) for one in given])
        if dtype is None:
            return None
        whole = ufunc and function.signature is not None
        self.found.append(Link(function, tuple(given), dtype, whole))
        return Operand(link=len(self.found) - 1)

    def kind(self, operand: Operand) -> Any:
        if operand.argument >= 0:
            return self.node.args[operand.argument].type.dtype.numpy
        return self.found[operand.link].dtype if operand.link >= 0 else type(operand.constant)

    def gives(self, function: Any, kinds: list[Any]) -> np.dtype | None:
        if not isinstance(function, np.ufunc):
            return np.result_type(*kinds[1:]) if all(isinstance(kind, np.dtype) for kind in kinds) else None
        if len(kinds) != function.nin or any(isinstance(k, np.dtype) and k.isbuiltin != 1 for k in kinds):
            return None
        try:
            return function.resolve_dtypes((*kinds, None))[-1]
        except TypeError:
            return None
