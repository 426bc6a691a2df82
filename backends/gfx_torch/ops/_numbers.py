"""Rows whose call takes a tensor and no Python number: what may be one is made a tensor."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from gfx_ir.backend import Row
from gfx_ir.op import lookup

from ._spell import is_scalar

_ALIKE = frozenset("as_tensor abs negative positive bitwise_invert rank is_none logical_not".split())
"""Ops whose spelling takes numbers as it takes tensors."""


def takes_tensors(row: Row) -> Row:
    """The row, with x made a tensor in its spelling where x is a Python number when the source runs."""
    if row.emit is None or "x" not in lookup(row.op).params or row.op in _ALIKE or _is_helper(row.emit):
        return row

    def spelling(args: SimpleNamespace) -> str:
        text = row.emit if isinstance(row.emit, str) else row.emit(args)  # type: ignore[misc]
        return _wrapped(text) if is_scalar(args.x) else text

    return replace(row, emit=spelling)


def _is_helper(emit: Any) -> bool:
    """Whether the spelling is one call of a helper, which the source of a program is searched for."""
    if not isinstance(emit, str):
        return False
    call = ast.parse(emit, mode="eval").body
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name)


class _Wrap(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> Any:
        told = ast.unparse(node.func)
        takes_numbers = told.startswith("math.") or told in ("torch.as_tensor", "torch.result_type")
        return node if takes_numbers else self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        return ast.parse("torch.as_tensor(x)", mode="eval").body if node.id == "x" else node


def _wrapped(text: str) -> str:
    return ast.unparse(_Wrap().visit(ast.parse(text, mode="eval")))
